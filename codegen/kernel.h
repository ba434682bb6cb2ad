/* Entry points: the one place that composes the functions which callers see. */
#pragma once

#include "codegen/plan.h"
#include "codegen/program.h"

/* What a kernel consists of: the plan of its specification, or those of a group of independent ones, which it runs in
 * their order. */
typedef struct aic_kernel_plan {
    size_t count;
    aic_plan *const *plan; /* equal specifications have the same plan */
} aic_kernel_plan;

/* What callers of the whole kernel must know. */
void aic_kernel_requirements(const aic_kernel_plan *of, aic_requirements *requirements);

/* Composes the program of the kernel, which is empty before. exported: it has the function CHECK, where an operand is
 * packed, and no PHASE. */
aic_status aic_kernel_compose(aic_program *program, const aic_kernel_plan *of, bool exported);
