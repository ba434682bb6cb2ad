/* Progress and interruption of long work; one at a time. */
#include "tools/progress.h"

#include "tools/harness/fail.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static struct {
    const char *what;
    size_t total, done;
    bool terminal, shown;
    struct timespec started, last;
} work;

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

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
    interrupted = 0;
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
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
    return !interrupted;
}

bool progress_stopped(void)
{
    return interrupted;
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
    (void)signal(SIGINT, SIG_DFL);
    if (!interrupted) {
        return CLI_DONE;
    }
    return cli_fail(CLI_SYSTEM, "%s: interrupted after %zu of %zu", work.what, work.done, work.total);
}
