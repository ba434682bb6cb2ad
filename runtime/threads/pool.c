/* The pool of a process; see pool.h. */
#include "runtime/threads/pool.h"
#include "frontend/core/diag.h"
#include "runtime/generator/worker.h"
#include "runtime/observe/log.h"
#include "runtime/system/fork.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef AIC_HAVE_PTHREADPOOL
#include <dlfcn.h>
#include <pthreadpool.h>
#else
typedef struct pthreadpool *pthreadpool_t;
#endif

#define SUBJECT "threads"

/* Nanoseconds that a pool may lose before it is left alone for a while. */
enum { CREDIT_MAX = 20 * 1000 * 1000 };

static struct {
    /* Held while the library is loaded and a pool is made, and by fork(), which so waits for the end of both. */
    pthread_mutex_t mutex;
    atomic_int callers; /* that have entered */
    atomic_bool busy;   /* one of them holds the pool; what follows is the holder's */
    pthreadpool_t pool;
    int threads;        /* of the pool, the caller among them */
    int too_many;       /* that many could not be started; 0: that has not happened */
    int64_t credit;     /* nanoseconds that the pool has saved of late, at most CREDIT_MAX */
    uint64_t resume;    /* the time before which the pool is left alone */
    atomic_int mode;    /* aic_pool_mode; set by tests */
    atomic_bool drowsy; /* set by tests */
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* ---- the library ---- */

#ifdef AIC_HAVE_PTHREADPOOL

static struct {
    __typeof__(pthreadpool_create) *create;
    __typeof__(pthreadpool_destroy) *destroy;
    __typeof__(pthreadpool_parallelize_1d) *parallelize;
    char reason[200]; /* why it cannot be loaded, "" when it has been or was not tried */
} library;

/* The library's names: Debian's, and that of its own build. */
static const char *const FILES[] = {"libpthreadpool.so.0", "libpthreadpool.so"};

/* A function of the library; false where it lacks it. POSIX has dlsym() give functions as addresses of objects. */
static bool find(void *handle, const char *name, void *function)
{
    void *found = dlsym(handle, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* Loads it, or says why not; the mutex is held. It is never unloaded: its threads stay. */
static bool load(void)
{
    if (library.parallelize != NULL || library.reason[0] != '\0') {
        return library.parallelize != NULL;
    }
    void *handle = NULL;
    for (size_t i = 0; handle == NULL && i < sizeof FILES / sizeof FILES[0]; i++) {
        handle = dlopen(FILES[i], RTLD_NOW | RTLD_LOCAL);
        if (handle == NULL && i == 0) {
            (void)snprintf(library.reason, sizeof library.reason, "%s", dlerror());
        }
    }
    if (handle == NULL) {
        return false;
    }
    library.reason[0] = '\0';
    if (!find(handle, "pthreadpool_create", &library.create) ||
        !find(handle, "pthreadpool_destroy", &library.destroy) ||
        !find(handle, "pthreadpool_parallelize_1d", &library.parallelize)) {
        library.parallelize = NULL;
        (void)snprintf(library.reason, sizeof library.reason, "libpthreadpool lacks functions");
    }
    return library.parallelize != NULL;
}

static const char *why_not(void)
{
    return library.reason;
}

/* Has it tried once more: memory or descriptors may have been short. Calls do not: they would search the disk each
 * time. */
static void forget_failure(void)
{
    library.reason[0] = '\0';
}

static pthreadpool_t make(int threads)
{
    return library.create((size_t)threads);
}

static void destroy(pthreadpool_t pool)
{
    library.destroy(pool);
}

static void parallelize(pthreadpool_t pool, void (*work)(void *, size_t), void *data, int workers, bool spins)
{
    library.parallelize(pool, work, data, (size_t)workers, spins ? 0 : PTHREADPOOL_FLAG_YIELD_WORKERS);
}

#else

static bool load(void)
{
    return false;
}

static void forget_failure(void)
{
}

static const char *why_not(void)
{
    return "this build has no pool: pthreadpool was not installed";
}

static pthreadpool_t make(int threads)
{
    (void)threads;
    return NULL;
}

static void destroy(pthreadpool_t pool)
{
    (void)pool;
}

static void parallelize(pthreadpool_t pool, void (*work)(void *, size_t), void *data, int workers, bool spins)
{
    (void)pool;
    (void)spins;
    for (int i = 0; i < workers; i++) {
        work(data, (size_t)i);
    }
}

#endif

bool aic_pool_exists(void)
{
    const int cancellation = aic_cancellation_disable();
    pthread_mutex_lock(&state.mutex);
    forget_failure();
    const bool loaded = load();
    pthread_mutex_unlock(&state.mutex);
    aic_cancellation_restore(cancellation);
    return loaded;
}

aic_status aic_pool_check(void)
{
    return aic_pool_exists() ? AIC_OK
                             : aic_fail(AIC_UNSUPPORTED, SUBJECT, "there is no pool of threads: %s", why_not());
}

/* ---- room for threads ---- */

/* Where threads wait that are only started to see whether they can be. */
typedef struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    bool open;
} gate;

static void *wait_at(void *argument)
{
    gate *g = argument;
    pthread_mutex_lock(&g->mutex);
    while (!g->open) {
        pthread_cond_wait(&g->opened, &g->mutex);
    }
    pthread_mutex_unlock(&g->mutex);
    return NULL;
}

/* Whether a pool of that many can start its threads and leave room for another one besides, in which the next kernel is
 * compiled. */
static bool is_room_for(int threads)
{
    gate g = {.mutex = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};
    pthread_t *started = calloc((size_t)threads, sizeof *started);
    int count = 0;
    while (started != NULL && count < threads && pthread_create(&started[count], NULL, wait_at, &g) == 0) {
        count++;
    }
    pthread_mutex_lock(&g.mutex);
    g.open = true;
    pthread_cond_broadcast(&g.opened);
    pthread_mutex_unlock(&g.mutex);
    for (int i = 0; i < count; i++) {
        pthread_join(started[i], NULL);
    }
    free(started);
    return count == threads;
}

/* ---- making ---- */

/* A pool in the making. The thread that makes it and the one that waits for it share this; the last frees it. */
typedef struct making {
    pthread_mutex_t mutex;
    pthread_cond_t done;
    int threads;
    aic_affinity affinity;
    bool finished, given_up;
    pthreadpool_t pool;
} making;

static void making_free(making *m)
{
    pthread_cond_destroy(&m->done);
    pthread_mutex_destroy(&m->mutex);
    free(m);
}

/* The pool's threads inherit what this one has: a mask with every signal blocked, and the affinity. */
static void *make_pool(void *argument)
{
    making *m = argument;
    aic_processors_bind(&m->affinity);
    pthreadpool_t pool = is_room_for(m->threads) ? make(m->threads) : NULL;
    pthread_mutex_lock(&m->mutex);
    const bool given_up = m->given_up;
    m->finished = true;
    m->pool = pool;
    pthread_cond_signal(&m->done);
    pthread_mutex_unlock(&m->mutex);
    if (given_up) {
        if (pool != NULL) {
            destroy(pool);
        }
        making_free(m);
    }
    return NULL;
}

static making *making_new(int threads, const aic_affinity *affinity)
{
    making *m = calloc(1, sizeof *m);
    pthread_condattr_t attributes;
    if (m == NULL || pthread_condattr_init(&attributes) != 0) {
        free(m);
        return NULL;
    }
    *m = (making){.mutex = PTHREAD_MUTEX_INITIALIZER, .threads = threads, .affinity = *affinity};
    /* By another clock wait_for() would give up at once. */
    const bool made =
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 && pthread_cond_init(&m->done, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (!made) {
        free(m);
        return NULL;
    }
    return m;
}

/* Waits a second for the pool, which takes some ten microseconds a thread. Where it is not there by then, it waits for
 * a thread that somebody else's came before, and perhaps for ever. */
static pthreadpool_t wait_for(making *m)
{
    struct timespec until;
    int error = 0;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 1;
    pthread_mutex_lock(&m->mutex);
    while (!m->finished && error == 0) {
        error = pthread_cond_timedwait(&m->done, &m->mutex, &until);
    }
    pthreadpool_t pool = m->pool;
    const bool finished = m->finished;
    m->given_up = !finished;
    pthread_mutex_unlock(&m->mutex);
    if (finished) {
        making_free(m);
    }
    return pool;
}

static bool is_mode(aic_pool_mode mode)
{
    /* relaxed: set before the calls that shall see it. */
    return atomic_load_explicit(&state.mode, memory_order_relaxed) == (int)mode;
}

static pthreadpool_t make_apart(const aic_pool_wish *wish)
{
    pthread_t thread;
    making *m = making_new(wish->threads, &wish->processors->affinity);
    if (m == NULL) {
        return NULL;
    }
    if (is_mode(AIC_POOL_NONE) || aic_worker_start(&thread, make_pool, m) != 0) {
        making_free(m);
        return NULL;
    }
    pthread_detach(thread);
    return wait_for(m);
}

/* Puts a pool of as many threads as are wished in the place of the one there is, which stays when that cannot be made;
 * the holder calls it. */
static void grow(const aic_pool_wish *wish)
{
    pthread_mutex_lock(&state.mutex);
    const bool loaded = load();
    pthreadpool_t pool = loaded ? make_apart(wish) : NULL;
    if (pool == NULL) {
        state.too_many = wish->threads;
    } else {
        if (state.pool != NULL) {
            destroy(state.pool);
        }
        state.pool = pool;
        state.threads = wish->threads;
        state.credit = CREDIT_MAX;
    }
    pthread_mutex_unlock(&state.mutex);
    if (wish->log && pool != NULL) {
        aic_log(1, "threads: a pool of %d", wish->threads);
    } else if (wish->log) {
        aic_log(1, "threads: no pool of %d: %s", wish->threads, loaded ? "they cannot be started" : why_not());
    }
}

/* ---- turns ---- */

/* Whether the pool must and can be made larger. */
static bool must_grow(const aic_pool_wish *wish)
{
    return state.threads < wish->threads && (state.too_many == 0 || wish->threads < state.too_many);
}

/* Whether the pool's threads have lately been late. */
static bool is_late(void)
{
    return state.resume != 0 && aic_log_now() < state.resume;
}

void aic_pool_enter(aic_pool_turn *turn, const aic_pool_wish *wish)
{
    *turn = (aic_pool_turn){.workers = 1};
    /* relaxed: a number that decides about speed only. */
    const int others = atomic_fetch_add_explicit(&state.callers, 1, memory_order_relaxed);
    const int allowed = wish->threads - others;
    /* acquire: pairs with the release of the holder before, the pool comes with it. */
    if (allowed < 2 || atomic_exchange_explicit(&state.busy, true, memory_order_acquire)) {
        return;
    }
    if (must_grow(wish)) {
        grow(wish);
    }
    turn->holds = true;
    const bool late = is_late(), rests = late && !is_mode(AIC_POOL_ALWAYS);
    turn->workers = state.threads < 1 || rests ? 1 : state.threads < allowed ? state.threads : allowed;
    /* relaxed: set before the calls that shall see it. */
    const bool drowsy = atomic_load_explicit(&state.drowsy, memory_order_relaxed);
    turn->spins =
        others == 0 && !late && !drowsy && !wish->processors->quota && state.threads <= wish->processors->count;
}

void aic_pool_leave(const aic_pool_turn *turn)
{
    if (turn->holds) {
        atomic_store_explicit(&state.busy, false, memory_order_release);
    }
    atomic_fetch_sub_explicit(&state.callers, 1, memory_order_relaxed);
}

void aic_pool_run(const aic_pool_turn *turn, int workers, void (*work)(void *data, size_t worker), void *data)
{
    parallelize(state.pool, work, data, workers, turn->spins);
}

/* The pool waits for all of its threads, also for those that found nothing left to do. Where other processes have the
 * processors that can take many times as long as the work. With W workers the calling thread would have done alone what
 * it did, W times. What a call takes less is credit, what it takes beyond is the loss. A loss that the credit covers is
 * an accident, such as one thread that waited for its turn; fresh threads often do, as they begin where their maker
 * runs, so that a pool begins with all the credit that it can have. After others the pool is left alone for so long
 * that the losses stay a thirtieth of the time. */
void aic_pool_report(int workers, uint64_t began, uint64_t ran_out)
{
    enum { REST = 30 };
    const uint64_t now = aic_log_now(), alone = began + (ran_out - began) * (uint64_t)workers;
    const int64_t credit = state.credit + (int64_t)(alone - now);
    state.credit = credit < 0 ? 0 : credit < CREDIT_MAX ? credit : CREDIT_MAX;
    state.resume = credit < 0 ? now + REST * (uint64_t)-credit : 0;
}

bool aic_pool_is_crowded(size_t worker, int threads)
{
    const int others = atomic_load_explicit(&state.callers, memory_order_relaxed) - 1;
    return worker > 0 && (int64_t)worker >= (int64_t)threads - others;
}

int aic_pool_threads(void)
{
    return state.threads > 1 ? state.threads - 1 : 0;
}

void aic_pool_suppose(aic_pool_mode mode)
{
    atomic_store_explicit(&state.mode, (int)mode, memory_order_relaxed);
}

void aic_pool_sleep_at_once(bool always)
{
    atomic_store_explicit(&state.drowsy, always, memory_order_relaxed);
}

/* ---- fork ---- */

/* None of the pool's threads nor of the callers is here. The pool's memory is lost. */
static void after_fork_in_child(void)
{
    state.pool = NULL;
    state.threads = 0;
    state.too_many = 0;
    state.resume = 0;
    atomic_store_explicit(&state.busy, false, memory_order_relaxed);
    atomic_store_explicit(&state.callers, 0, memory_order_relaxed);
}

const aic_fork_lock aic_pool_fork = {&state.mutex, &(const aic_fork_part){.in_child = after_fork_in_child}};
