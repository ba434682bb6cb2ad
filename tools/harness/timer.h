/* Timing of short calls: calibrated repetition, order statistics. */
#ifndef AIC_HARNESS_TIMER_H
#define AIC_HARNESS_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds of a monotonic clock. */
uint64_t timer_now(void);

typedef struct timer_result {
    double median_ns, min_ns, p90_ns; /* of one call */
    uint64_t calls;
} timer_result;

/* Calls body(argument) for about `seconds`, in batches long enough for the clock, after a warm-up. stop (may be
 * NULL) is asked between batches and ends the measurement early. One measurement at a time. */
timer_result timer_measure(void (*body)(void *), void *argument, double seconds, bool (*stop)(void));

#endif
