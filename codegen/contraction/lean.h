/* lean.c: the lean form of a contraction (tiling.h). */
#pragma once

#include "codegen/contraction/tiling.h"

/* Fills in the lean form of a plan's tiling, if it is worth having one. */
void aic_lean_derive(const aic_plan *plan, const aic_contraction_schedule *schedule, aic_tiling *tiling);

/* The plan of the lean form, malloc'ed, a block with its tiling; NULL when memory runs out. */
aic_plan *aic_lean_plan(const aic_plan *plan);

/* Composes the bodies that take one form or the other, from those of the whole form, which they replace, and of the
 * lean one. */
void aic_lean_join(aic_program *program, const aic_plan *plan, const aic_bodies *lean, aic_bodies *bodies);
