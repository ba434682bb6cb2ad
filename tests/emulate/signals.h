/* Handlers and masks of signals, as the program sets them. The emulator defines sigaction(), signal(),
 * pthread_sigmask() and sigprocmask() in front of the C library's: it must keep SIGILL, and keep it open, whatever the
 * program does, and handlers must begin with initialised tiles. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Takes SIGILL for `handler`. What had it before, or takes it later, is called by signals_deliver(). */
bool signals_start(void (*handler)(int, siginfo_t *, void *));

/* Within the handler of SIGILL: has the program's own handler of signal `number` called, as if the signal had come
 * where the context says. Without one the process dies by it. */
void signals_deliver(int number, siginfo_t *info, void *context);
