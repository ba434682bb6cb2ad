/* What `aicjit bench` calls: operands of a specification, and kernels that share them. */
#ifndef AIC_TOOLS_BENCH_CALL_H
#define AIC_TOOLS_BENCH_CALL_H

#include "tools/harness/guard.h"

#include <aic/aic.h>

/* Operands with pseudo-random contents. */
typedef struct bench_operands {
    const aic_spec *spec;
    size_t count;
    aic_operand operand[AIC_OPERANDS_MAX];
    guard_buffer buffer[AIC_OPERANDS_MAX];
} bench_operands;

/* A kernel with everything that a call needs. */
typedef struct bench_call {
    const bench_operands *operands;
    aic_kernel *kernel;
    aic_kernel_info info;
    guard_buffer packed[AIC_OPERANDS_MAX], workspace;
    void *pointer[AIC_OPERANDS_MAX];
    bool use_packed;
    bool shared; /* among threads, which the kernel's C function is not */
} bench_call;

/* Both return an exit status; what they have opened so far is closed all the same. */
int bench_operands_open(bench_operands *operands, const aic_spec *spec, const aic_semantics *semantics);
void bench_operands_close(bench_operands *operands);

/* Makes the kernel with this schedule (NULL: the context's own choice), packs what it packs and calls it once. */
int bench_call_open(bench_call *call, const bench_operands *operands, aic_context *context, const char *schedule,
                    bool use_packed);
void bench_call_close(bench_call *call);

/* One call that checks nothing; `argument` is a bench_call. */
void bench_call_run(void *argument);

#endif
