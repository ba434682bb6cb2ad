/* What the generator supposes of the machine besides its instruction set: caches, how much of what a core does in a
 * cycle, and from which sizes on it is worth going past the caches. They are the facts of a type of core: that of this
 * machine, or the one that was chosen in its place. Nothing is measured, so that machines of one type make the same
 * code. machine.def lists the facts. */
#ifndef AIC_MACHINE_H
#define AIC_MACHINE_H

#include "codegen/target/host.h"
#include "frontend/core/field.h"

#include <stdbool.h>

typedef struct aic_machine {
#define AIC_FIELD(kind, name, count, need, fallback) AIC_MEMBER(kind, name, count, need, fallback)
#include "codegen/machine.def"
#undef AIC_FIELD
} aic_machine;

extern const aic_record aic_machine_record;

const aic_machine *aic_machine_facts(void);

/* The facts of a type of core. */
const aic_machine *aic_machine_of(aic_core core);

/* The type of core whose facts are supposed: the host's, or what aic_machine_choose() was told. The library and the
 * generator's module each have their own. */
aic_core aic_machine_core(void);
bool aic_machine_is_chosen(void);
void aic_machine_choose(aic_core core);

/* Vector operations of a core in a nanosecond: two in a cycle of 3 GHz. Times that reports predict depend on it,
 * nothing else does. */
#define AIC_OPERATIONS_PER_NS 6.0

/* Items of work that a shared call is divided into where that is cheap: enough for a few workers to end together. */
enum { AIC_SHARED_ITEMS = 8 };

/* Whether workers may share a call of this predicted cost. */
static inline bool aic_machine_shares(double cost)
{
    return cost >= (double)aic_machine_facts()->share_cost;
}

/* For tests: supposes another machine from now on, on which small data run code that is made for large ones; NULL: no
 * more. `machine` must stay. Kernels that a context has already are not made anew. */
void aic_machine_suppose(const aic_machine *machine);

#endif
