/* The machines that tests make schedules for. Tiny ones are so small that a few kilobytes run the code made for
 * megabytes: stores past the caches, lines copied aside, several bands and bursts. */
#pragma once

#include "codegen/machine.h"
#include <aic/context.h>

enum { TINY_MACHINES = 2 };

extern const aic_machine tiny_machines[TINY_MACHINES];

/* The machine of a context; NULL: of the default one. */
const aic_machine *machine_of(aic_context *context);

/* Gives the context another machine, which must stay. Kernels that it has already are not made anew. */
void machine_suppose(aic_context *context, const aic_machine *machine);

/* From now on the context takes calls of this predicted cost for worth sharing, on the machine that it has. Contexts of
 * one test may differ in neither. */
void machine_share_from(aic_context *context, int64_t cost);
