/* What the parts of the verifier, and pto_call.c, share; not for its users. */
#ifndef AIC_HARNESS_VERIFY_REPORT_H
#define AIC_HARNESS_VERIFY_REPORT_H

#include "tools/harness/verify.h"

/* "how: status: message of the library"; AIC_OUT_OF_MEMORY and AIC_IO are VERIFY_UNDECIDED. */
verify_verdict verify_say_status(verify_report *report, aic_status status, const char *how);

/* Makes a buffer of the operand's size at an inaccessible page, aligned to its elements. */
verify_verdict verify_memory(guard_buffer *buffer, const aic_operand *operand, guard_side side, verify_report *report);

/* Takes the warning that calls on this thread have left; "" for none. */
const char *verify_warning(void);

/* Moves what making kernels has left to the report, where it is not taken for a warning of a call. */
void verify_keep_warning(verify_report *report);

/* Calls with inputs that are the output, each that may be and all of them. */
verify_verdict verify_in_place(const verify_case *c, const aic_kernel *kernel, verify_report *report);

/* Calls with wrong operands, one at a time: NULL, one for an operand that is not taken, data that the operator refuses.
 * Every entry point must refuse each with a message that names operator and operand, and write nothing. */
verify_verdict verify_call_refused(const verify_case *c, aic_context *context, const aic_kernel *kernel,
                                   verify_report *report);

#endif
