/* Calibrated timing. */
#include "tools/harness/timer.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum {
    BATCH_NS = 50000,   /* the dearer of the clocks costs some 300 ns */
    SAMPLES_MIN = 5,    /* also of calls longer than the time requested */
    SAMPLES_MAX = 4000, /* batches grow beyond */
    SURE = 6            /* samples from which on an interval holds the median with 95 % */
};

static uint64_t read_clock(clockid_t id)
{
    struct timespec now;
    (void)clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t timer_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

/* What one entrant has so far. */
typedef struct lane {
    double sample[SAMPLES_MAX];
    size_t count;
    uint64_t batch; /* calls of a sample */
} lane;

static lane lanes[TIMER_ENTRANTS_MAX];

static uint64_t time_batch(const timer_entrant *e, clockid_t clock, uint64_t calls)
{
    const uint64_t start = read_clock(clock);
    for (uint64_t i = 0; i < calls; i++) {
        e->body(e->argument);
    }
    return read_clock(clock) - start;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double timer_median(double *sample, size_t count)
{
    qsort(sample, count, sizeof *sample, ascending);
    return sample[count / 2];
}

/* Ranks of order statistics between which the median of n samples lies with 95 %: n/2 -+ 1.96 sqrt(n)/2. */
static timer_result summarise(lane *l)
{
    const size_t n = l->count, last = n - 1;
    const double half = 0.98 * sqrt((double)n), middle = (double)last / 2;
    const size_t low = n < SURE || middle < half ? 0 : (size_t)(middle - half);
    const size_t high = n < SURE || middle + half > (double)last ? last : (size_t)ceil(middle + half);
    const double median = timer_median(l->sample, n);
    return (timer_result){.median_ns = median,
                          .min_ns = l->sample[0],
                          .p90_ns = l->sample[last * 9 / 10],
                          .low_ns = l->sample[low],
                          .high_ns = l->sample[high],
                          .samples = n,
                          .calls = l->batch * n};
}

/* Finds out how many calls a sample takes; the first calls are the warm-up. What the last ones took stands for a sample
 * as long as there is none. */
static void calibrate(const timer_entrant *e, lane *l, clockid_t clock, double seconds)
{
    const uint64_t limit = (uint64_t)(seconds * 1e9);
    const uint64_t wanted = limit / SAMPLES_MAX > BATCH_NS ? limit / SAMPLES_MAX : BATCH_NS;
    l->batch = 1, l->count = 0;
    e->body(e->argument);
    uint64_t taken = time_batch(e, clock, 1);
    while (taken < wanted && l->batch < UINT64_C(1) << 40) {
        l->batch *= 2;
        taken = time_batch(e, clock, l->batch);
    }
    l->sample[0] = (double)taken / (double)l->batch;
}

/* One turn: a sample each. Behind another one's batch a first call brings its own data into the caches. */
static bool take_turn(timer_entrant *entrants, size_t count, size_t round, clockid_t clock, bool (*stop)(void))
{
    for (size_t i = 0; i < count; i++) {
        const size_t at = (i + round) % count;
        lane *l = &lanes[at];
        if (count > 1) {
            entrants[at].body(entrants[at].argument);
        }
        l->sample[l->count++] = (double)time_batch(&entrants[at], clock, l->batch) / (double)l->batch;
        if (stop != NULL && stop()) {
            return false;
        }
    }
    return true;
}

void timer_race(timer_entrant *entrants, size_t count, timer_clock clock, double seconds, bool (*stop)(void))
{
    const clockid_t id = clock == TIMER_WALL ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    size_t ready = 0, round = 0;
    bool goes_on = true;
    while (ready < count && goes_on) {
        calibrate(&entrants[ready], &lanes[ready], id, seconds);
        ready++;
        goes_on = stop == NULL || !stop();
    }
    const uint64_t start = timer_now(), limit = (uint64_t)(seconds * 1e9) * count;
    while (goes_on && round < SAMPLES_MAX && (round < SAMPLES_MIN || timer_now() - start < limit)) {
        goes_on = take_turn(entrants, count, round++, id, stop);
    }
    for (size_t i = 0; i < count; i++) {
        if (i < ready) {
            lanes[i].count += lanes[i].count == 0;
            entrants[i].result = summarise(&lanes[i]);
        } else {
            entrants[i].result = (timer_result){.samples = 0};
        }
    }
}

timer_result timer_measure(void (*body)(void *), void *argument, double seconds, bool (*stop)(void))
{
    timer_entrant one = {.body = body, .argument = argument};
    timer_race(&one, 1, TIMER_WALL, seconds, stop);
    return one.result;
}
