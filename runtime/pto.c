/* Programs of PTO-AS through kernels: all are made before the first runs. */
#include "frontend/diag.h"
#include "frontend/pto_run.h"
#include "runtime/context.h"
#include <aic/kernel.h>
#include <stdlib.h>

static aic_status step(void *user, size_t index, const aic_pto_statement *statement,
                       void *const operands[AIC_OPERANDS_MAX])
{
    aic_kernel *const *kernel = user;
    return aic_kernel_call(kernel[index], operands, statement->operands);
}

aic_status aic_pto_run(aic_context *context, const aic_pto_program *program, void *const arguments[], size_t count)
{
    aic_status status = aic_pto_check(program, arguments, count);
    if (status == AIC_OK) {
        status = aic_context_resolve(&context);
    }
    if (status == AIC_OK) {
        status = aic_pto_check_rules(program, &context->semantics);
    }
    if (status != AIC_OK) {
        return status;
    }
    aic_kernel **kernel = calloc(program->code_count + 1, sizeof *kernel);
    if (kernel == NULL) {
        return aic_fail_memory("texpands", program->code_count * sizeof *kernel);
    }
    for (size_t i = 0; i < program->code_count && status == AIC_OK; i++) {
        status = aic_kernel_create(context, &program->code[i].public.spec, NULL, &kernel[i]);
    }
    if (status == AIC_OK) {
        status = aic_pto_execute(program, arguments, step, kernel);
    }
    for (size_t i = 0; i < program->code_count; i++) {
        aic_kernel_release(kernel[i]);
    }
    free(kernel);
    return status;
}
