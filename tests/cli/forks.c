/* forks KIND ROUNDS: in every round a fresh process forks while its other threads use the library for the first time,
 * and parent and child then make a kernel each. Exit status 0, or 1 and what went wrong.
 *
 *   late     the threads begin when the fork has begun, before the library learns of it
 *   early    they have begun some time before
 *   profile  as late; they make contexts that announce kernels to a profiler
 *   exit     there is no fork: the process exits while its threads make their first kernels, on which nobody waits
 *
 * A process that hangs is ended by SIGALRM. */
#include <aic/aic.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, SECONDS = 60, WIDTHS = 8 };

static atomic_int widths; /* that threads have taken */
static atomic_bool stop;
static const char *profile; /* of contexts; NULL: the default context */
static int round_number;
static bool exits;

static void fail(const char *what)
{
    fprintf(stderr, "round %d: %s: %s\n", round_number, what, aic_last_error());
    _exit(1);
}

/* A convolution of ones, each of whose sums is the number of its taps. */
static void use_kernel(aic_context *context, int64_t width)
{
    int8_t *feature_map = malloc(4 * 64 * 32), *weight = malloc(2 * 2 * 32 * 32);
    int32_t *dst = malloc(sizeof *dst * 2 * 256 * 16);
    if (feature_map == NULL || weight == NULL || dst == NULL) {
        fail("memory");
        return;
    }
    memset(feature_map, 1, 4 * 64 * 32);
    memset(weight, 1, 2 * 2 * 32 * 32);
    aic_conv2d_desc d = aic_conv2d_desc_init();
    d.dtype = AIC_INT8;
    d.fm_shape[0] = 1, d.fm_shape[1] = 4, d.fm_shape[2] = width, d.fm_shape[3] = 32;
    d.kernel_shape[0] = 1, d.kernel_shape[1] = 2, d.kernel_shape[2] = 2, d.kernel_shape[3] = 32, d.kernel_shape[4] = 32;
    const aic_status status = aic_jit_conv2d(context, &d, dst, feature_map, weight);
    if (exits && status == AIC_COMPILE) {
        pause(); /* the process is ending: so it says, and so it is */
    }
    if (status != AIC_OK || dst[0] != 2 * 2 * 32) {
        fail("kernel");
    }
    free(feature_map);
    free(weight);
    free(dst);
}

static void use_context(int64_t width)
{
    aic_context *context = NULL;
    aic_context_options options = aic_context_options_init();
    options.profile = profile;
    if (profile != NULL && aic_context_create(&options, &context) != AIC_OK) {
        fail("context");
    }
    use_kernel(context, width);
    aic_context_destroy(context);
}

/* Ends this process without the map that perf would read. */
static _Noreturn void end(int with_handlers)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    (void)unlink(path);
    if (with_handlers) {
        exit(0);
    }
    _exit(0);
}

/* Contexts alone, one after the other: most of the time that takes is the profile's. */
static void *use_profile(void *unused)
{
    aic_context_options options = aic_context_options_init();
    options.profile = profile;
    while (!atomic_load(&stop)) {
        aic_context *context;
        if (aic_context_create(&options, &context) != AIC_OK) {
            fail("context");
        }
        aic_context_destroy(context);
    }
    return unused;
}

static void *use_library(void *unused)
{
    use_context(4 + atomic_fetch_add(&widths, 1) % WIDTHS);
    return unused;
}

/* ---- a round ---- */

static pthread_t thread[THREADS];
static bool begin_late;

static bool is_module_mapped(void)
{
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL) {
        found = strstr(line, "libaicjit-codegen") != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

static void begin(void)
{
    enum { PAUSE = 1000, PAUSES = 300 };
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&thread[i], NULL, profile != NULL ? use_profile : use_library, NULL) != 0) {
            fail("thread");
        }
    }
    for (int i = 0; i < PAUSES && profile == NULL && !is_module_mapped(); i++) {
        usleep(PAUSE);
    }
    usleep((unsigned)round_number * 7919u % 60000u);
}

/* Registered after the library's handlers, so that a fork calls it before them. */
static void before_fork(void)
{
    if (begin_late) {
        begin();
    }
}

static void *wait_for_end(void *unused)
{
    pause();
    return unused;
}

/* The C library forks with its own locks in order where there is a second thread from the beginning. */
static void run_round(void)
{
    pthread_t second;
    alarm(SECONDS);
    if (pthread_create(&second, NULL, wait_for_end, NULL) != 0) {
        fail("thread");
    }
    if (!begin_late) {
        begin();
    }
    if (exits) {
        exit(0);
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS / 2);
        use_context(4 + round_number % WIDTHS);
        end(round_number % 2 == 0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "round %d: the child's status is %#x\n", round_number, (unsigned)status);
        _exit(1);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    use_context(4);
    end(1);
}

int main(int argc, char **argv)
{
    const char *kind = argc == 3 ? argv[1] : "";
    const int rounds = argc == 3 ? atoi(argv[2]) : 0;
    int failures = 0;
    exits = strcmp(kind, "exit") == 0;
    begin_late = strcmp(kind, "early") != 0 && !exits;
    profile = strcmp(kind, "profile") == 0 ? "perf,jitdump" : NULL;
    if (rounds <= 0) {
        return 2;
    }
    for (round_number = 0; round_number < rounds; round_number++) {
        int status = 0;
        const pid_t process = fork();
        if (process == 0) {
            if (pthread_atfork(before_fork, NULL, NULL) != 0) {
                fail("pthread_atfork");
            }
            run_round();
        }
        failures += process < 0 || waitpid(process, &status, 0) != process || status != 0;
    }
    fprintf(stderr, "%d of %d rounds failed\n", failures, rounds);
    return failures > 0;
}
