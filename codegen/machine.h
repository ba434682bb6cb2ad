/* What the generator supposes of the machine besides its instruction set: caches, how much of what a core does in a
 * cycle, and from which sizes on it is worth going past the caches. They are the facts of a type of core. Nothing is
 * measured, so that machines of one type make the same code. machine.def lists the facts. A context has a machine, and
 * every request to the generator names the one that it is about; no machine is the process's. */
#pragma once

#include "codegen/target/host.h"
#include "frontend/core/field.h"

#include <stdbool.h>

typedef struct aic_machine {
#define AIC_FIELD(kind, name, count, need, fallback) AIC_MEMBER(kind, name, count, need, fallback)
#include "codegen/machine.def"
#undef AIC_FIELD
    /* Not in machine.def, as no two types of core have the same facts: whose facts these are; and whether the core has
     * tile registers. Kernels that use them on one that has none suppose the facts of golden-cove. */
    aic_core core;
    bool tiles;
} aic_machine;

extern const aic_record aic_machine_record;

/* The facts of a type of core; they stay as long as the process. */
const aic_machine *aic_machine_of(aic_core core);

/* Of a cache line, in the layout of all that kernels keep: packed rows, tables and scratch memory are whole lines, so
 * that they can be filled by wide stores. The fact `line_bytes` is what costs and distances go by. */
#define AIC_LINE_BYTES 64

/* Whether it was measured what tiles take besides their products, and their epilogues: with vectors as wide as the
 * multipliers, and half as wide. */
static inline bool aic_machine_is_timed(const aic_machine *machine, int64_t vector_bits)
{
    return machine->late_store > 0 && 2 * vector_bits >= machine->multiply_bits;
}

/* Vector operations of a core in a nanosecond: two in a cycle of 3 GHz. Times that reports predict depend on it,
 * nothing else does. */
#define AIC_OPERATIONS_PER_NS 6.0

/* Items of work that a shared call is divided into where that is cheap: enough for a few workers to end together. */
enum { AIC_SHARED_ITEMS = 8 };

/* Whether workers may share a call of this predicted cost. */
static inline bool aic_machine_shares(const aic_machine *machine, double cost)
{
    return cost >= (double)machine->share_cost;
}
