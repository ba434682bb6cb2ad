/* aicjit-storms NAME SEED ROUNDS [FOLDER]: what no single test meets, many times over.
 *
 *     calls      8 threads call kernels of 64 shapes in a context that keeps 24; every result is compared. A round is
 *                1000 calls
 *     kills      a process that writes kernels into the disk cache FOLDER is killed; what it left behind is whole
 *     contexts   two contexts of different cores, levels, semantics, threads and limits make and verify the same random
 *                operators at the same time
 *     signals    a timer interrupts whoever runs every 200 us, while random operators are made and verified
 *     cancels    threads that make and call kernels are cancelled; the others, and the process afterwards, go on
 *
 * A round is pseudo-random by SEED and its number. A line for what is wrong; the last line is "N passed, N failed". */
#include "frontend/core/stage.h"
#include "tools/harness/rng.h"
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <aic/cache.h>
#include <aic/tool.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* LEAST: width; of two columns only a square of the kernel is legal. */
enum { HEIGHT = 5, BLOCK = 32, OUTPUTS = 32, LEAST = 3, SHAPES = 64, CALLERS = 8, CALLS_A_ROUND = 1000 };

static long passed, failed;

static void verdict(bool good, const char *name, uint64_t number, const char *what)
{
    passed += good;
    failed += !good;
    if (!good) {
        printf("FAILED %s: %s\n  repeat: aicjit-storms %s %llu 1\n", name, what, name, (unsigned long long)number);
        fflush(stdout);
    }
}

/* ---- a convolution of ones, each of whose sums is the number of its taps ---- */

typedef struct ones {
    _Alignas(64) int8_t image[HEIGHT * (SHAPES + LEAST) * BLOCK], weights[2 * 2 * OUTPUTS * BLOCK];
    int32_t result[OUTPUTS * (HEIGHT * (SHAPES + LEAST) + 16)];
} ones;

static ones *ones_new(void)
{
    ones *data = aligned_alloc(64, (sizeof(ones) + 63) / 64 * 64);
    if (data == NULL) {
        fputs("no memory\n", stderr);
        exit(3);
    }
    memset(data->image, 1, sizeof data->image);
    memset(data->weights, 1, sizeof data->weights);
    return data;
}

static bool ones_call(aic_context *context, ones *data, int64_t width)
{
    const size_t pixels = (size_t)((HEIGHT - 1) * (width - 1)), last = (pixels - 1) * 16;
    aic_conv2d_desc d = aic_conv2d_desc_init();
    d.dtype = AIC_INT8;
    d.fm_shape[0] = 1, d.fm_shape[1] = HEIGHT, d.fm_shape[2] = width, d.fm_shape[3] = BLOCK;
    d.kernel_shape[0] = 1, d.kernel_shape[1] = 2, d.kernel_shape[2] = 2;
    d.kernel_shape[3] = OUTPUTS, d.kernel_shape[4] = BLOCK;
    data->result[0] = data->result[last] = -1;
    return aic_jit_conv2d(context, &d, data->result, data->image, data->weights) == AIC_OK &&
           data->result[0] == 2 * 2 * BLOCK && data->result[last] == 2 * 2 * BLOCK;
}

/* ---- calls ---- */

typedef struct caller {
    pthread_t thread;
    aic_context *context;
    uint64_t seed;
    long calls, wrong;
} caller;

static void *call_shapes(void *argument)
{
    caller *c = argument;
    ones *data = ones_new();
    for (long i = 0; i < c->calls; i++) { /* nine of ten go to shapes that fit into the cache */
        const int64_t shape = rng_range(&c->seed, 0, rng_range(&c->seed, 0, 9) == 0 ? SHAPES - 1 : 15);
        c->wrong += !ones_call(c->context, data, LEAST + shape);
    }
    free(data);
    return NULL;
}

static aic_context *context_of(const aic_context_options *options)
{
    aic_context *context = NULL;
    if (aic_context_create(options, &context) != AIC_OK) {
        fprintf(stderr, "%s\n", aic_last_error());
        exit(3);
    }
    return context;
}

static void storm_calls(uint64_t seed, long rounds, const char *folder)
{
    caller all[CALLERS];
    aic_context_options options = aic_context_options_init();
    (void)folder;
    options.cache_kernels = 24;
    options.threads = 1;
    aic_context *context = context_of(&options);
    for (int i = 0; i < CALLERS; i++) {
        all[i] = (caller){.context = context, .seed = seed * CALLERS + (uint64_t)i};
        all[i].calls = rounds * CALLS_A_ROUND / CALLERS;
        if (pthread_create(&all[i].thread, NULL, call_shapes, &all[i]) != 0) {
            exit(3);
        }
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(all[i].thread, NULL);
        passed += all[i].calls - all[i].wrong - (all[i].wrong == 0); /* one is the verdict */
        verdict(all[i].wrong == 0, "calls", seed, "a call failed, or its result is wrong");
    }
    aic_context_destroy(context);
}

/* ---- kills ---- */

static aic_context *disk_context(const char *folder)
{
    aic_context_options options = aic_context_options_init();
    options.cache = "rw";
    options.cache_dir = folder;
    options.threads = 1;
    return context_of(&options);
}

/* A byte goes to `told` when the first kernel is on disk; a writer that writes nothing ends. */
static void write_until_killed(const char *folder, uint64_t seed, int told)
{
    ones *data = ones_new();
    for (bool first = true;; first = false) {
        aic_context *context = disk_context(folder);
        aic_cache_stats stats = aic_cache_stats_init();
        for (int i = 0; i < SHAPES; i++) {
            if (!ones_call(context, data, rng_range(&seed, LEAST, LEAST + SHAPES - 1)) ||
                aic_context_cache_stats(context, &stats) != AIC_OK) {
                _exit(1);
            }
            if (first && stats.stores > 0) {
                first = write(told, "", 1) != 1;
            }
        }
        if (stats.stores == 0) {
            _exit(1);
        }
        (void)aic_disk_cache_clear(context, NULL);
        aic_context_destroy(context);
    }
}

/* Some time after its first kernel, or one time in four anywhere before. Whether it had to be killed. */
static bool kill_writer(const char *folder, uint64_t *seed)
{
    int told[2], status = 0;
    char byte;
    if (pipe(told) != 0) {
        exit(3);
    }
    const pid_t child = fork(); /* this process has no kernels, nor threads */
    if (child == 0) {
        write_until_killed(folder, *seed, told[1]);
    }
    close(told[1]);
    if (rng_range(seed, 0, 3) > 0) {
        (void)!read(told[0], &byte, 1);
    }
    usleep((useconds_t)rng_range(seed, 0, 60000));
    kill(child, SIGKILL);
    close(told[0]);
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

static void storm_kills(uint64_t seed, long rounds, const char *folder)
{
    for (long i = 0; i < rounds; i++) {
        uint64_t state = seed + (uint64_t)i;
        const bool killed = kill_writer(folder, &state);
        aic_disk_cache_info info = aic_disk_cache_info_init();
        aic_context *context = disk_context(folder);
        const bool whole = aic_disk_cache_verify(context, NULL, NULL, &info) == AIC_OK && info.refused == 0;
        aic_context_destroy(context);
        verdict(killed && whole, "kills", seed + (uint64_t)i,
                killed ? "a file is damaged" : "the writer failed, or wrote nothing");
    }
}

/* ---- random operators ---- */

static aic_spec *draw(uint64_t *seed)
{
    aic_spec *spec = NULL;
    if (aic_spec_random(AIC_OP_NONE, NULL, rng_next(seed), &spec) != AIC_OK) {
        fprintf(stderr, "%s\n", aic_last_error());
        exit(3);
    }
    return spec;
}

static bool verify_one(aic_context *context, const aic_semantics *semantics, uint64_t seed, verify_report *report)
{
    aic_spec *spec = draw(&seed);
    const verify_verdict v = verify_spec(spec, semantics, seed, context, NULL, report);
    aic_spec_destroy(spec);
    return v == VERIFY_PASSED;
}

typedef struct verifier {
    pthread_t thread;
    aic_context *context;
    aic_semantics semantics;
    uint64_t seed;
    bool good;
    verify_report report;
} verifier;

static void *verify_in_thread(void *argument)
{
    verifier *v = argument;
    v->good = verify_one(v->context, &v->semantics, v->seed, &v->report);
    return NULL;
}

static const char *odd_level(uint64_t *seed)
{
    size_t levels = 0;
    while (aic_isa_name(levels) != NULL && aic_isa_check(aic_isa_name(levels)) == AIC_OK) {
        levels++;
    }
    return aic_isa_name((size_t)rng_range(seed, 0, (int64_t)levels - 1));
}

/* A verifier without its seed. */
static verifier odd_verifier(uint64_t *seed)
{
    static const char *const cores[] = {"zen3", "zen4", "golden-cove", NULL};
    verifier made = {.context = NULL};
    aic_context_options options = aic_context_options_init();
    options.isa = odd_level(seed);
    options.semantics.overflow = rng_range(seed, 0, 1) == 0 ? AIC_OVERFLOW_SATURATE : AIC_OVERFLOW_IEEE;
    options.semantics.rounding = rng_range(seed, 0, 1) == 0 ? AIC_ROUNDING_FLOOR : AIC_ROUNDING_HALF_UP;
    options.machine = cores[rng_range(seed, 0, 3)];
    options.threads = (int)rng_range(seed, 1, 4);
    options.cache_kernels = (uint64_t)rng_range(seed, 1, 3);
    if (aic_context_create(&options, &made.context) != AIC_OK) { /* a build that does not know the core */
        options.machine = NULL;
        made.context = context_of(&options);
    }
    made.semantics = options.semantics;
    return made;
}

static void storm_contexts(uint64_t seed, long rounds, const char *folder)
{
    (void)folder;
    for (long i = 0; i < rounds; i++) {
        verifier both[2];
        uint64_t state = seed + (uint64_t)i;
        for (int k = 0; k < 2; k++) {
            both[k] = odd_verifier(&state);
            both[k].seed = seed + (uint64_t)i;
            if (pthread_create(&both[k].thread, NULL, verify_in_thread, &both[k]) != 0) {
                exit(3);
            }
        }
        for (int k = 0; k < 2; k++) {
            pthread_join(both[k].thread, NULL);
            verdict(both[k].good, "contexts", seed + (uint64_t)i, both[k].report.text);
            aic_context_destroy(both[k].context);
        }
    }
}

static atomic_long interrupts;

static void count_interrupt(int number)
{
    (void)number;
    atomic_fetch_add(&interrupts, 1);
}

static void storm_signals(uint64_t seed, long rounds, const char *folder)
{
    const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    const struct sigaction count = {.sa_handler = count_interrupt};
    aic_context_options options = aic_context_options_init();
    options.cache = "rw";
    options.cache_dir = folder;
    const aic_semantics semantics = options.semantics;
    sigaction(SIGALRM, &count, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (long i = 0; i < rounds; i++) {
        verify_report report;
        aic_context *context = context_of(&options);
        verdict(verify_one(context, &semantics, seed + (uint64_t)i, &report), "signals", seed + (uint64_t)i,
                report.text);
        aic_context_destroy(context);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    verdict(rounds == 0 || atomic_load(&interrupts) > 0, "signals", seed, "no signal came");
}

/* Makes and calls until it is cancelled, which it lets happen between calls. */
static void *call_until_cancelled(void *argument)
{
    caller *c = argument;
    ones *data = ones_new();
    pthread_cleanup_push(free, data);
    for (;;) {
        if (!ones_call(c->context, data, rng_range(&c->seed, LEAST, LEAST + SHAPES - 1))) {
            c->wrong++;
        }
        pthread_testcancel();
    }
    pthread_cleanup_pop(1);
    return NULL;
}

static void storm_cancels(uint64_t seed, long rounds, const char *folder)
{
    aic_context_options options = aic_context_options_init();
    (void)folder;
    options.cache_kernels = 8;
    aic_context *context = context_of(&options);
    for (long i = 0; i < rounds; i++) {
        caller all[3];
        uint64_t state = seed + (uint64_t)i;
        long wrong = 0;
        for (int k = 0; k < 3; k++) {
            all[k] = (caller){.context = context, .seed = rng_next(&state)};
            if (pthread_create(&all[k].thread, NULL, call_until_cancelled, &all[k]) != 0) {
                exit(3);
            }
        }
        for (int k = 0; k < 3; k++) {
            usleep((useconds_t)rng_range(&state, 0, 4000));
            pthread_cancel(all[k].thread);
            pthread_join(all[k].thread, NULL);
            wrong += all[k].wrong;
        }
        verdict(wrong == 0, "cancels", seed + (uint64_t)i, "a call failed, or its result is wrong");
    }
    aic_context_destroy(context);
}

/* ---- */

typedef struct storm {
    const char *name;
    void (*run)(uint64_t seed, long rounds, const char *folder);
} storm;

static const storm STORM[] = {
    {"calls", storm_calls},     {"kills", storm_kills},     {"contexts", storm_contexts},
    {"signals", storm_signals}, {"cancels", storm_cancels},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc >= 4 && i < sizeof STORM / sizeof STORM[0]; i++) {
        if (strcmp(argv[1], STORM[i].name) == 0) {
            STORM[i].run(strtoull(argv[2], NULL, 0), strtol(argv[3], NULL, 0), argc > 4 ? argv[4] : "");
            printf("%ld passed, %ld failed\n", passed, failed);
            return failed != 0;
        }
    }
    fputs("usage: aicjit-storms calls|kills|contexts|signals|cancels SEED ROUNDS [FOLDER]\n", stderr);
    return 2;
}
