/* Calls of programs of PTO-AS with contents of the tool's own: for check and bench. */
#ifndef AIC_TOOLS_PTO_CALL_H
#define AIC_TOOLS_PTO_CALL_H

#include "tools/harness/verify.h"
#include "tools/operands.h"
#include "tools/pto.h"

/* A program and the arguments of a call. */
typedef struct pto_call {
    const aic_pto_program *program;
    cli_operands arguments;
    void **pointer; /* to their contents */
} pto_call;

/* Makes arguments with contents from the seed, valid sizes legal ones. Returns an exit status; pto_call_close() frees,
 * also on failure. */
int pto_call_open(pto_call *call, const aic_pto_program *program, const aic_semantics *semantics, uint64_t seed);
void pto_call_close(pto_call *call);

/* Runs the program in the session's context and by the reference, each on arguments of its own, and compares all of
 * them. */
verify_verdict pto_call_verify(const aic_pto_program *program, const cli_session *session, uint64_t seed,
                               verify_report *report);

#endif
