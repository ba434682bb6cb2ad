/* Timing of short calls: calibrated repetition, several bodies in turn, order statistics. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nanoseconds of a monotonic clock. */
uint64_t timer_now(void);

/* What the time of a call is: that of the wall, or the processor time of the calling thread, which does not contain
 * what other threads and processes take. */
typedef enum timer_clock { TIMER_WALL, TIMER_PROCESSOR } timer_clock;

typedef struct timer_result {
    double median_ns, min_ns, p90_ns; /* of one call */
    /* The interval in which the median lies with a probability of 95 %; with fewer than 6 samples the least and the
     * largest of them. */
    double low_ns, high_ns;
    size_t samples; /* measurements, each the mean of a batch of calls */
    uint64_t calls; /* in all */
} timer_result;

/* Sorts the samples, at least one, and returns their median. */
double timer_median(double *sample, size_t count);

/* One that takes part in a race. */
typedef struct timer_entrant {
    void (*body)(void *argument);
    void *argument;
    timer_result result;
} timer_entrant;

enum { TIMER_ENTRANTS_MAX = 128 };

/* Measures all of them, at most TIMER_ENTRANTS_MAX, in turns: whatever slows the machine down for a while slows all of
 * them down. Each is called for about `seconds`, in batches long enough for the clock, after a warm-up. stop (may be
 * NULL) is called between batches and may end the race early: the first has a sample then, others may have none. One
 * race at a time. */
void timer_race(timer_entrant *entrants, size_t count, timer_clock clock, double seconds, bool (*stop)(void));

/* A race of one, by the wall clock. */
timer_result timer_measure(void (*body)(void *), void *argument, double seconds, bool (*stop)(void));
