/* Generated code against the reference: one case is a specification with operand contents and the result that the
 * reference gives; attempts run a kernel in several ways and compare. */
#pragma once

#include "tools/harness/guard.h"

#include <aic/aic.h>

typedef enum verify_verdict {
    VERIFY_PASSED,
    VERIFY_FAILED,
    VERIFY_UNDECIDED /* nothing can be said: memory, or a file that is needed, cannot be had */
} verify_verdict;

typedef struct verify_report {
    verify_verdict verdict;
    aic_status status; /* of the library call that failed; AIC_OK when none did */
    char text[700];    /* what failed: the way of calling, the first wrong element, expected and got; "" when passed */
    char warning[400]; /* that making the kernel left, of files that it does not use; "" for none */
} verify_report;

/* Contents and expected result. All memory belongs to the case. */
typedef struct verify_case {
    aic_spec *spec;
    aic_semantics semantics;
    size_t count;  /* operands */
    size_t output; /* number of the one that is written */
    aic_operand operand[AIC_OPERANDS_MAX];
    guard_buffer content[AIC_OPERANDS_MAX]; /* operand contents before a call, the output's old content included */
    guard_buffer expected;                  /* the output after the reference; untouched rows hold old content */
    guard_buffer allowed;                   /* by aic_reference_allowed(); no data when the result is exact */
    char warning[200];                      /* that the reference leaves, "" for none; kernels must leave the same */
} verify_case;

/* Writes the text, stores and returns the verdict. */
verify_verdict verify_say(verify_report *report, verify_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills operands from the seed and runs the reference. */
verify_verdict verify_open(verify_case *c, const aic_spec *spec, const aic_semantics *semantics, uint64_t seed,
                           verify_report *report);
void verify_close(verify_case *c);

/* The operands' contents before a call, as calls take them. */
void verify_contents(const verify_case *c, void *pointer[AIC_OPERANDS_MAX]);

/* Compares an output of the case's shape with the expected one, every element, untouched ones too: bit for bit, NaN
 * as a class, or by aic_is_allowed() where the specification allows several values. `how` begins the report's text. */
verify_verdict verify_compare(const verify_case *c, const void *output, const char *how, verify_report *report);

/* Makes the kernel (schedule NULL: the default) and runs it with plain and packed constant operands, called directly,
 * through aic_kernel_call and (default schedule) through aic_jit_OP and aic_jit_spec, with operands at guard pages on
 * either side and at odd addresses. Inputs are read-only meanwhile; then with the
 * output in place of inputs that it may be. With the default schedule also calls with operands
 * that must be refused. */
verify_verdict verify_kernel(const verify_case *c, aic_context *context, const char *schedule, verify_report *report);

/* verify_open, verify_kernel and verify_close in one. */
verify_verdict verify_spec(const aic_spec *spec, const aic_semantics *semantics, uint64_t seed, aic_context *context,
                           const char *schedule, verify_report *report);

/* An illegal specification (aic_spec_random_illegal) must be refused by every entry point with AIC_INVALID_ARGUMENT
 * and a message that names the operator and one of its parameters, and leave the output operand as it was. */
verify_verdict verify_refused(const aic_spec *spec, const aic_semantics *semantics, aic_context *context,
                              verify_report *report);

/* ---- what the parts of the verifier share ---- */

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
