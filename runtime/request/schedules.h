/* Reading the text of a schedule. */
#pragma once

#include "codegen/codegen.h"
#include "runtime/request/context.h"

/* Checks the specification, then the schedule's text for its kernel at the context's level (NULL: chooses a schedule).
 * Runs the generator on a thread of its own (worker.h). */
aic_status aic_schedule_resolve(const aic_context *context, const aic_spec *spec, const char *text,
                                aic_schedule_info *info);
