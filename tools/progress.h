/* Long work: a line on standard error when that is a terminal, and a stop between steps on Ctrl-C. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Starts `total` steps of `what`, each of which calls interrupt_requested() where it takes long. */
void progress_start(const char *what, size_t total);

/* One step is done; shows what is left, at most ten times a second. False when a signal has come that ends the work. */
bool progress_step(void);

/* Wipes the line. Returns an exit status: CLI_MISMATCH with a message when a signal ended the work. */
int progress_end(void);

/* Wipes the line, for output in between. */
void progress_clear(void);
