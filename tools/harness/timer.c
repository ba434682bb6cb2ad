/* Calibrated timing. */
#include "tools/harness/timer.h"

#include <stdlib.h>
#include <time.h>

enum {
    BATCH_NS = 20000,   /* the clock's own cost, some 25 ns, is a thousandth of it */
    SAMPLES_MIN = 5,    /* also of calls longer than the time asked for */
    SAMPLES_MAX = 20000 /* batches grow beyond */
};

uint64_t timer_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static uint64_t time_batch(void (*body)(void *), void *argument, uint64_t calls)
{
    uint64_t start = timer_now();
    for (uint64_t i = 0; i < calls; i++) {
        body(argument);
    }
    return timer_now() - start;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

timer_result timer_measure(void (*body)(void *), void *argument, double seconds, bool (*stop)(void))
{
    static double sample[SAMPLES_MAX];
    body(argument);
    uint64_t limit = (uint64_t)(seconds * 1e9);
    uint64_t batch = 1, taken = time_batch(body, argument, 1);
    uint64_t wanted = limit / SAMPLES_MAX > BATCH_NS ? limit / SAMPLES_MAX : BATCH_NS;
    while (taken < wanted && batch < UINT64_C(1) << 40) {
        batch *= 2;
        taken = time_batch(body, argument, batch);
    }
    int count = 0;
    uint64_t start = timer_now();
    while (count < SAMPLES_MAX && (count < SAMPLES_MIN || timer_now() - start < limit)) {
        sample[count++] = (double)time_batch(body, argument, batch) / (double)batch;
        if (stop != NULL && stop()) {
            break;
        }
    }
    qsort(sample, (size_t)count, sizeof sample[0], ascending);
    return (timer_result){.median_ns = sample[count / 2],
                          .min_ns = sample[0],
                          .p90_ns = sample[(count - 1) * 9 / 10],
                          .calls = batch * (uint64_t)count};
}
