/* What a search measures on: operands of a specification with ordinary contents, kernels called with them, and the
 * result that is right. */
#pragma once

#include "runtime/code/code.h"

typedef struct aic_tune_case {
    const aic_spec *spec; /* resolved; stays the caller's */
    const aic_semantics *semantics;
    size_t count, output; /* operands; number of the one that is written */
    aic_operand operand[AIC_OPERANDS_MAX];
    void *content[AIC_OPERANDS_MAX]; /* what calls get; NULL where an operand is not taken */
    void *before;                    /* the output's content before a call */
    void *by_default;                /* and after one of the default's kernel; NULL: not yet, or results may differ */
    void *expected;                  /* by the reference; NULL: not yet */
    aic_allowed *allowed;            /* by aic_reference_allowed(), where a result is not defined bit for bit */
} aic_tune_case;

/* A kernel with its image of the packed operand. */
typedef struct aic_tune_kernel {
    const aic_code *code; /* of the context that the search has */
    void *packed;         /* NULL: nothing is packed */
} aic_tune_kernel;

/* Operands of 64-byte alignment: reals between -1 and 1, integers of any bits, valid quantisation words and sizes.
 * AIC_OUT_OF_MEMORY. End with aic_tune_case_close(), also after a failure. */
aic_status aic_tune_case_open(aic_tune_case *c, const aic_spec *spec, const aic_semantics *semantics, uint64_t seed);
void aic_tune_case_close(aic_tune_case *c);

/* Packs the operand that the code packs. */
aic_status aic_tune_kernel_open(const aic_tune_case *c, const aic_code *code, aic_tune_kernel *kernel);
void aic_tune_kernel_close(aic_tune_kernel *kernel);

/* Calls it once, with all checks of a call. */
aic_status aic_tune_call(const aic_tune_case *c, const aic_tune_kernel *kernel);

/* Calls it `calls` times; nanoseconds of processor time of this thread per call, or 0 when a call fails. */
double aic_tune_time_calls(const aic_tune_case *c, const aic_tune_kernel *kernel, uint64_t calls);

/* Calls the kernel of the default and keeps its result, if results are defined bit for bit. */
aic_status aic_tune_case_keep(aic_tune_case *c, const aic_tune_kernel *kernel);

/* Calls the kernel. *same: its result is that of the default, or may be another. */
aic_status aic_tune_case_compare(const aic_tune_case *c, const aic_tune_kernel *kernel, bool *same);

/* Calls the kernel. *right: its result is the reference's, or within its bound. Runs the reference the first time. */
aic_status aic_tune_case_verify(aic_tune_case *c, const aic_tune_kernel *kernel, bool *right);
