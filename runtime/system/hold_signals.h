/* Writing files without signals: a file size limit (SIGXFSZ) and a pipe without reader (SIGPIPE) end a process that has
 * not prepared for them, and here they are errors of the write. Only the calling thread's mask changes, never what the
 * process does with a signal. */
#pragma once

#include <signal.h>

typedef enum aic_signals {
    AIC_SIGNALS_OF_WRITES, /* these two */
    AIC_SIGNALS_ALL        /* no handler runs meanwhile, which could end the process and leave a temporary file */
} aic_signals;

typedef struct aic_held_signals {
    sigset_t mask;      /* of the thread before */
    sigset_t swallowed; /* those of writes that were not pending before */
} aic_held_signals;

/* Puts off signals of the calling thread until aic_signals_release(), which drops those that writes have caused in
 * between. Both keep errno; a child after fork may call them. */
void aic_signals_hold(aic_signals which, aic_held_signals *held);
void aic_signals_release(const aic_held_signals *held);
