/* Programs of PTO-AS on the command line. */
#pragma once

#include "tools/harness/verify.h"
#include "tools/operands.h"
#include "tools/session.h"

/* What the options say of a program, beside the session's. */
typedef struct cli_pto {
    const char *path;      /* --pto */
    const char *placement; /* --placement, NULL: text */
} cli_pto;

/* Rows of an option table; `p` is the command's cli_pto. */
#define CLI_OPTIONS_PTO(p)                                                                                             \
    option_text("--pto", "FILE", "a program of PTO-AS", &(p).path),                                                    \
        option_text("--placement", "text|auto|manual",                                                                 \
                    "where tiles lie; text: manual if the program has a pto.tassign, else auto", &(p).placement)

/* Reads `length` bytes as a program under the session's semantics; free_names as in aic_pto_options. Messages begin
 * with `where` (may be NULL). Returns an exit status. */
int cli_pto_parse(const cli_pto *pto, const cli_session *session, const char *where, const char *text, size_t length,
                  bool free_names, aic_pto_program **program);

/* Reads the file of --pto. */
int cli_pto_read(const cli_pto *pto, const cli_session *session, aic_pto_program **program);

/* The statements of a program whose specifications are not those of earlier ones, in their order; the caller frees the
 * list. `command` opens messages; a program without statements is refused. */
int cli_pto_statements(const char *command, const aic_pto_program *program, aic_pto_statement **list, size_t *count);

/* Whether there is one of both, text and program, and what belongs to a program comes with one; for commands that take
 * either. Returns an exit status. */
int cli_pto_check(const char *command, const cli_pto *pto, size_t texts);

/* ---- calls of programs with contents of the tool's own, for check and bench ---- */

/* Makes the arguments of a call with contents from the seed, valid sizes legal ones. Returns an exit status;
 * operands_close() frees, also on failure. */
int pto_call_open(cli_operands *arguments, const aic_pto_program *program, const aic_semantics *semantics,
                  uint64_t seed);

/* Runs the program in the session's context and by the reference, each on arguments of its own, and compares all of
 * them. */
verify_verdict pto_call_verify(const aic_pto_program *program, const cli_session *session, uint64_t seed,
                               verify_report *report);
