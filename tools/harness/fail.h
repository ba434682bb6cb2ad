/* The one error message of a run of the command line: recorded where it is found, printed by main(). */
#pragma once

#include "tools/harness/guard.h"

#include <aic/aic.h>

/* Exit statuses of the command line. */
enum {
    CLI_DONE = 0,
    CLI_MISMATCH = 1, /* a check or comparison failed, or a signal ended the work */
    CLI_WRONG = 2,    /* the request is wrong */
    CLI_SYSTEM = 3    /* memory, I/O */
};

/* Records the message and returns `status`. The first message stands: later ones are consequences. Control
 * characters become '?', so that the message stays one line whatever it quotes. */
int cli_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "PLACE: " in front of the message. */
void cli_fail_in(const char *place);

/* Prints the message on standard error behind the program's name, below it what else is wrong with the request, and
 * forgets both. Without a message it prints nothing. */
void cli_show_failure(const char *program);

/* Returns the exit status for what a call of the library has returned. Unless that is AIC_OK it records the library's
 * messages, the first behind "context: " (may be NULL). */
int cli_status(const char *context, aic_status status);

/* cli_fail for `bytes` bytes of memory for `what` that could not be had. */
int cli_fail_memory(const char *what, uint64_t bytes);

/* Makes a guarded buffer of `bytes` zeroed bytes for `what`, aligned to 64. Returns an exit status. */
int cli_memory(guard_buffer *buffer, const char *what, uint64_t bytes);

/* Prints on standard error a warning that a call has left, "" for none, and what aic_spec_advise() says, once where
 * both say the same. */
void cli_show_advice(const char *warning, const aic_spec *spec, const aic_semantics *semantics, void *const operands[],
                     size_t count);

/* Prints the warning that the library's calls have left (aic_take_warning()), if any, on standard error. */
void cli_show_warning(void);

/* The same where the contents of operands were drawn: a warning about those is dropped. */
void cli_show_warning_of_request(void);

/* Whether a warning of the library is about the contents of an operand. */
bool cli_about_contents(const char *warning);

/* The message, "" when there is none; cli_fail_clear forgets it. */
const char *cli_fail_message(void);
void cli_fail_clear(void);

/* Prints bytes on standard output. Where that fails the reason is kept for cli_flush_output(): errno does not last. */
void cli_put(const char *bytes, size_t size);

/* Whether everything printed so far reached standard output; else CLI_SYSTEM with a message, without one where
 * the reader has closed the pipe. */
int cli_flush_output(void);
