/* Claims, towards a process that preloads it, processors and caches that this machine does not have.
 *
 * AIC_CLAIM_PROCESSORS=N      0 .. N-1 are those that the process may use, until it or who started it is bound to fewer
 * AIC_CLAIM_CACHES=small      sysconf() tells the caches of a small core, or those of a large one (large) */
#define _GNU_SOURCE /* processor masks, RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PROCESSORS_MAX = 64 };

static int claimed;    /* processors; 0: the truth is told */
static uint64_t bound; /* what the process began with, or its first thread was bound to last */
static const char *caches;
static _Thread_local uint64_t own; /* of a thread that was bound; else 0 */

/* Programs that this one starts begin with its processors. */
static const char BOUND[] = "AIC_CLAIM_BOUND";

static uint64_t all(void)
{
    return claimed == PROCESSORS_MAX ? UINT64_MAX : (UINT64_C(1) << claimed) - 1;
}

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("AIC_CLAIM_PROCESSORS"), *mask = getenv(BOUND);
    caches = getenv("AIC_CLAIM_CACHES");
    claimed = number != NULL ? (int)strtol(number, NULL, 10) : 0;
    if (claimed < 0 || claimed > PROCESSORS_MAX) {
        fprintf(stderr, "AIC_CLAIM_PROCESSORS is outside 0..%d\n", PROCESSORS_MAX);
        _exit(2);
    }
    bound = mask != NULL ? strtoull(mask, NULL, 16) & all() : all();
}

static uint64_t mask_of_thread(void)
{
    return own != 0 ? own : bound;
}

/* The C library's function of this name, in a function pointer. */
static void find(const char *name, void *function, size_t size)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, size);
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    if (claimed == 0) {
        int (*next)(pid_t, size_t, cpu_set_t *);
        find("sched_getaffinity", &next, sizeof next);
        return next(process, size, set);
    }
    if (size < sizeof bound) {
        errno = EINVAL;
        return -1;
    }
    const uint64_t mask = process == 0 ? mask_of_thread() : bound;
    memset(set, 0, size);
    memcpy(set, &mask, sizeof mask);
    return 0;
}

int sched_setaffinity(pid_t process, size_t size, const cpu_set_t *set)
{
    if (claimed == 0) {
        int (*next)(pid_t, size_t, const cpu_set_t *);
        find("sched_setaffinity", &next, sizeof next);
        return next(process, size, set);
    }
    uint64_t mask = 0;
    memcpy(&mask, set, size < sizeof mask ? size : sizeof mask);
    mask &= all();
    if (mask == 0) {
        errno = EINVAL;
        return -1;
    }
    own = mask;
    if ((pid_t)syscall(SYS_gettid) == getpid()) {
        char text[32];
        bound = mask;
        (void)snprintf(text, sizeof text, "%llx", (unsigned long long)mask);
        (void)setenv(BOUND, text, 1);
    }
    return 0;
}

/* Threads begin with the processors of the thread that starts them. What they are told lies here until they have begun:
 * a thread that used the C library's heap would find memory there that tests of its end have to take away. */
typedef struct beginning {
    atomic_bool taken;
    void *(*function)(void *);
    void *argument;
    uint64_t mask;
} beginning;

enum { BEGINNINGS = 4096 };

static beginning beginnings[BEGINNINGS];

static void *begin_thread(void *data)
{
    beginning *b = data;
    void *(*function)(void *) = b->function, *argument = b->argument;
    own = b->mask;
    atomic_store(&b->taken, false);
    return function(argument);
}

static beginning *take_beginning(void)
{
    for (int i = 0; i < BEGINNINGS; i++) {
        if (!atomic_exchange(&beginnings[i].taken, true)) {
            return &beginnings[i];
        }
    }
    return NULL;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    find("pthread_create", &next, sizeof next);
    beginning *b = claimed > 0 ? take_beginning() : NULL;
    if (b == NULL) {
        return next(thread, attributes, function, argument);
    }
    b->function = function;
    b->argument = argument;
    b->mask = mask_of_thread();
    const int error = next(thread, attributes, begin_thread, b);
    if (error != 0) {
        atomic_store(&b->taken, false);
    }
    return error;
}

int sched_getcpu(void)
{
    int (*next)(void);
    find("sched_getcpu", &next, sizeof next);
    const int processor = next();
    if (claimed == 0 || (processor >= 0 && processor < claimed && (mask_of_thread() >> processor & 1) != 0)) {
        return processor;
    }
    return __builtin_ctzll(mask_of_thread());
}

static const struct {
    const char *core;
    int name;
    long value;
} CACHES[] = {
    {"small", _SC_LEVEL1_DCACHE_SIZE, 16 << 10}, {"small", _SC_LEVEL2_CACHE_SIZE, 256 << 10},
    {"small", _SC_LEVEL3_CACHE_SIZE, 0}, /* small cores have none */
    {"large", _SC_LEVEL1_DCACHE_SIZE, 64 << 10}, {"large", _SC_LEVEL2_CACHE_SIZE, 4 << 20},
    {"large", _SC_LEVEL3_CACHE_SIZE, 512 << 20},
};

long sysconf(int name)
{
    if (claimed > 0 && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF)) {
        return claimed;
    }
    for (size_t i = 0; caches != NULL && i < sizeof CACHES / sizeof *CACHES; i++) {
        if (CACHES[i].name == name && strcmp(CACHES[i].core, caches) == 0) {
            return CACHES[i].value;
        }
    }
    long (*next)(int);
    find("sysconf", &next, sizeof next);
    return next(name);
}
