/* Instruction set levels by name, with messages. */
#pragma once

#include "codegen/target/target.h"

/* The level `name` of an architecture; AIC_INVALID_ARGUMENT opening with `subject` (where the name came from). */
aic_status aic_isa_find(const char *subject, aic_arch arch, const char *name, const aic_target **target);

/* The same for a level of the host, which must be able to run it: else AIC_UNSUPPORTED. */
aic_status aic_isa_find_runnable(const char *subject, const char *name, const aic_target **target);
