/* A problem in tests of plans and schedules: a convolution at the level avx512 on this host's core. */
#pragma once

#include "codegen/plan.h"

/* Another convolution, which fits tile registers. */
#define PLAN_INT8 "conv2d(dtype=int8, fm_shape=[8,14,14,32], kernel_shape=[8,3,3,64,32], pad=[1,1,1,1])"

/* The problem and what it refers to. Tests put other specifications and machines in their place. */
extern aic_spec plan_spec;
extern aic_semantics plan_semantics;
extern aic_problem plan_problem;

/* A fixture: makes the problem. */
void plan_setup(void);

/* A plan of a problem; asserted. */
aic_plan *plan_of(const aic_problem *problem);
