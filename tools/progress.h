/* Long work: a line on standard error when that is a terminal, and a clean stop on Ctrl-C. */
#ifndef AIC_TOOLS_PROGRESS_H
#define AIC_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Starts `total` steps of `what`; from here the first Ctrl-C asks for a stop, a second one ends the process. */
void progress_start(const char *what, size_t total);

/* One step is done; shows what is left, at most ten times a second. False when Ctrl-C asked for a stop. */
bool progress_step(void);

/* Whether Ctrl-C asked for a stop. */
bool progress_stopped(void);

/* Wipes the line. Returns an exit status: CLI_SYSTEM with a message when the work was interrupted. */
int progress_end(void);

/* Wipes the line, for output in between. */
void progress_clear(void);

#endif
