/* Runs of LLVM in tests that fail, and a request that must work after them. */
#pragma once

#include "codegen/llvm/guard.h"

#include <stdbool.h>

/* The kind of these runs, see aic_guard_run(). */
enum { GUARD_KIND = AIC_GUARD_KINDS - 1 };

/* A fixture, and the object of a convolution, which needs it. */
void guard_setup(void);
aic_status guard_dump(void);

/* What LLVM held when it gave up is lost by design: what is allocated from guard_loses(true) to guard_loses(false) is
 * no leak to report. */
void guard_loses(bool loses);

/* Runs it in the guard, losing what LLVM held. */
aic_status guard_run_losing(aic_status (*body)(void *argument), void *argument);

/* A run in which instruction selection gives up. */
aic_status guard_fail_to_select(void);
