/* What the generator supposes of the machine besides its instruction set: caches, and from which sizes on it is worth
 * going past them. The facts need not be the host's, as a schedule must not depend on where it was made; machine.def
 * lists them. */
#ifndef AIC_MACHINE_H
#define AIC_MACHINE_H

#include "frontend/core/field.h"

#include <stdbool.h>

typedef struct aic_machine {
#define AIC_FIELD(kind, name, count, need, fallback) AIC_MEMBER(kind, name, count, need, fallback)
#include "codegen/machine.def"
#undef AIC_FIELD
} aic_machine;

extern const aic_record aic_machine_record;

const aic_machine *aic_machine_facts(void);

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

/* For tests: supposes another machine from now on, on which small data run code that is made for large ones; NULL: the
 * usual one. `machine` must stay. Kernels that a context has already are not made anew. */
void aic_machine_suppose(const aic_machine *machine);

#endif
