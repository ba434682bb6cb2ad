#include "tests/growth.h"

#include <check.h>
#include <math.h>
#include <time.h>

static double time_of(void (*run)(void *data, size_t size), void *data, size_t size)
{
    struct timespec from, to;
    ck_assert_int_eq(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from), 0);
    run(data, size);
    ck_assert_int_eq(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to), 0);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

/* Goes on where other work on the machine may have disturbed all runs. Times of less than a tenth of a millisecond are
 * those of a few calls and of the clock, and say nothing. */
void growth_is_linear(const char *what, void (*run)(void *data, size_t size), void *data, size_t size)
{
    enum { LEAST_ROUNDS = 3, ROUNDS = 30 };
    double small = INFINITY, large = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        small = fmin(small, time_of(run, data, size / 4));
        large = fmin(large, time_of(run, data, size));
        if (round + 1 >= LEAST_ROUNDS && large < 9 * fmax(small, 1e-4)) {
            return;
        }
    }
    ck_abort_msg("%s: %g s for a size of %zu, %g s for a quarter of it", what, large, size, small);
}
