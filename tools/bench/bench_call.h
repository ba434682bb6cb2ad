/* What `aicjit bench` calls: operands of a specification, and kernels that share them. */
#pragma once

#include "tools/operands.h"

/* A kernel with everything that a call needs. */
typedef struct bench_call {
    const aic_spec *spec;
    size_t count; /* of operands */
    aic_kernel *kernel;
    aic_kernel_info info;
    guard_buffer packed[AIC_OPERANDS_MAX], workspace;
    void *pointer[AIC_OPERANDS_MAX];
    bool use_packed;
    bool shared; /* among threads, which the kernel's C function is not */
} bench_call;

/* Makes operands with pseudo-random contents. Returns an exit status; operands_close() frees, also on failure. */
int bench_operands_open(cli_operands *operands, const aic_spec *spec, const aic_semantics *semantics);

/* Makes the kernel with this schedule (NULL: the context's own choice), packs what it packs and calls it once. Returns
 * an exit status; bench_call_close() frees, also on failure. */
int bench_call_open(bench_call *call, const cli_operands *operands, const aic_spec *spec, aic_context *context,
                    const char *schedule, bool use_packed);
void bench_call_close(bench_call *call);

/* One call that checks nothing; `argument` is a bench_call. */
void bench_call_run(void *argument);
