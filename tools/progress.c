/* Progress and interruption of long work; one at a time. */
#include "tools/progress.h"

#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static struct {
    const char *what;
    size_t total, done;
    bool terminal, shown;
    struct timespec started, last;
} work;

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) * 1e-9;
}

void progress_start(const char *what, size_t total)
{
    work.what = what;
    work.total = total;
    work.done = 0;
    work.shown = false;
    work.terminal = isatty(STDERR_FILENO) == 1;
    (void)clock_gettime(CLOCK_MONOTONIC, &work.started);
    work.last = work.started;
    interrupt_polled(true);
}

bool progress_step(void)
{
    work.done++;
    if (work.terminal && work.done < work.total && seconds_since(&work.last) > 0.1) {
        double left = seconds_since(&work.started) / (double)work.done * (double)(work.total - work.done);
        (void)fprintf(stderr, "\r%s: %zu of %zu, %.0f s left\033[K", work.what, work.done, work.total, left);
        (void)clock_gettime(CLOCK_MONOTONIC, &work.last);
        work.shown = true;
    }
    return !interrupt_requested();
}

void progress_clear(void)
{
    if (work.shown) {
        (void)fprintf(stderr, "\r\033[K");
        work.shown = false;
    }
}

int progress_end(void)
{
    progress_clear();
    const bool stopped = interrupt_requested();
    interrupt_polled(false);
    return !stopped ? CLI_DONE
                    : cli_fail(CLI_MISMATCH, "%s: interrupted after %zu of %zu", work.what, work.done, work.total);
}
