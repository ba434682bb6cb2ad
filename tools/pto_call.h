/* Calls of programs of PTO-AS with contents of the tool's own: for check and bench. */
#ifndef AIC_TOOLS_PTO_CALL_H
#define AIC_TOOLS_PTO_CALL_H

#include "tools/harness/verify.h"
#include "tools/operands.h"
#include "tools/pto.h"

/* Makes the arguments of a call with contents from the seed, valid sizes legal ones. Returns an exit status;
 * operands_close() frees, also on failure. */
int pto_call_open(cli_operands *arguments, const aic_pto_program *program, const aic_semantics *semantics,
                  uint64_t seed);

/* Runs the program in the session's context and by the reference, each on arguments of its own, and compares all of
 * them. */
verify_verdict pto_call_verify(const aic_pto_program *program, const cli_session *session, uint64_t seed,
                               verify_report *report);

#endif
