/* Writing files without signals; see hold_signals.h. */
#include "runtime/system/hold_signals.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

static const int OF_WRITES[] = {SIGXFSZ, SIGPIPE};
enum { COUNT = sizeof OF_WRITES / sizeof OF_WRITES[0] };

void aic_signals_hold(aic_signals which, aic_held_signals *held)
{
    const int error = errno;
    sigset_t block, pending;
    sigemptyset(&block);
    for (int i = 0; i < COUNT; i++) {
        sigaddset(&block, OF_WRITES[i]);
    }
    if (which == AIC_SIGNALS_ALL) {
        sigfillset(&block);
    }
    pthread_sigmask(SIG_BLOCK, &block, &held->mask);
    sigpending(&pending);
    sigemptyset(&held->swallowed);
    for (int i = 0; i < COUNT; i++) {
        if (!sigismember(&pending, OF_WRITES[i])) { /* one that is pending was sent by somebody else */
            sigaddset(&held->swallowed, OF_WRITES[i]);
        }
    }
    errno = error;
}

void aic_signals_release(const aic_held_signals *held)
{
    static const struct timespec NONE = {.tv_sec = 0};
    const int error = errno;
    while (sigtimedwait(&held->swallowed, NULL, &NONE) > 0) {
        continue;
    }
    pthread_sigmask(SIG_SETMASK, &held->mask, NULL);
    errno = error;
}
