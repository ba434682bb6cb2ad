/* Kernels that only move data, checked against the reference by running their IR; see ir_run.h. */
#pragma once

#include <aic/spec.h>

/* Checks the default schedule and one that is drawn from all legal ones, on the narrowest and on the widest target of
 * x86-64: whether the kernel writes what the reference does, and touches nothing else. */
void ir_case_check_all(const aic_spec *spec, uint64_t seed);
