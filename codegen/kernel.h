/* Entry points: the one place that emits the functions which callers see. */
#ifndef AIC_KERNEL_EMIT_H
#define AIC_KERNEL_EMIT_H

#include "codegen/llvm/emit.h"
#include "codegen/plan.h"

/* What a kernel consists of: the plan of its specification, or those of a group of independent ones, which it runs in
 * their order. */
typedef struct aic_kernel_plan {
    size_t count;
    aic_plan *const *plan; /* equal specifications have the same plan */
} aic_kernel_plan;

/* What callers of the whole kernel must know. */
void aic_kernel_requirements(const aic_kernel_plan *of, aic_requirements *requirements);

/* Emits the functions of record.h into e's module. */
void aic_kernel_emit(aic_emit *e, const aic_kernel_plan *of, const char *symbol);

/* Emits the function CHECK of a plan that packs an operand; aic_kernel_emit() does not. */
void aic_kernel_emit_check(aic_emit *e, const aic_plan *plan, const char *symbol);

#endif
