/* SIGINT, SIGTERM and SIGHUP: the process ends soon, with an exit status of its own, and leaves no temporary files.
 *
 * Work that calls interrupt_requested() often is given a second to stop by itself; everything else, and what takes
 * longer, is ended from within the signal handler. Only the thread that calls these functions may take signals: other
 * threads block them. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Installs the handlers. SIGHUP stays ignored where it is (nohup). */
void interrupt_install(void);

/* Whether the work from here on calls interrupt_requested(). Forgets earlier requests. */
void interrupt_polled(bool whether);

/* Whether a signal has come that ends the work. */
bool interrupt_requested(void);

/* Postpones signals while a few steps must be seen done or not done as a whole. May be nested. */
void interrupt_hold(void);
void interrupt_release(void);

/* A file that is removed when the process ends by a signal. `path` stays the caller's, and in place until
 * interrupt_forget(). */
typedef struct interrupt_file {
    const char *path;
    struct interrupt_file *next;
} interrupt_file;

/* Between interrupt_hold() and interrupt_release(). Forgetting one that is not remembered does nothing. */
void interrupt_remember(interrupt_file *file, const char *path);
void interrupt_forget(interrupt_file *file);

/* Results so far, which an interrupted process prints on standard output as "N passed, N failed". */
typedef struct interrupt_sums {
    _Atomic uint64_t passed, failed;
    atomic_bool in_line; /* part of a line may have been printed: it is ended first */
} interrupt_sums;

/* Whose sums these are; NULL for none. */
void interrupt_report(const interrupt_sums *sums);
