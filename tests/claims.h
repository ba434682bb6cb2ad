/* Another host than this one, for the test program: what tools/dev test --hosts claims by the environment. A test may
 * expect no property of a host that it has not set itself, so the suites pass on every one of them.
 *
 * AIC_MACHINE=CORE            the processor is one of this type, for what is planned without a context as well
 * AIC_CLAIM_CACHES=small      types of cores have the caches of a small core, or those of a large one (large)
 * AIC_CLAIM_LEVEL=LEVEL       the processor has no higher instruction set level
 * AIC_CLAIM_SEED=N            pseudo-random cases are others than those of N = 0
 *
 * tests/hosts/preload.c claims processors, and caches towards whoever asks the C library. */
#pragma once

#include "codegen/machine.h"
#include "frontend/core/stage.h"

#include <stdint.h>

/* Before any test; ends the program where a claim has no meaning. */
void claims_make(void);

/* The facts of a type of core as they were before any claim: for tests that expect one plan. */
const aic_machine *claims_published(aic_core core);

/* Where a test has to begin with its pseudo-random numbers that would begin with `seed`. Specifications and operands do
 * so without it: calls of aic_spec_draw...() and verify_open() are linked to those of claims.c. */
uint64_t claims_seed(uint64_t seed);
