#include "codegen/machine.h"

#include <stdatomic.h>
#include <stddef.h>

/* A core of a server of today. */
static const aic_machine USUAL = {
    .line_bytes = 64,
    .l1_bytes = 32 << 10,
    .l1_ways = 8,
    .l2_bytes = 1 << 20,
    .l3_bytes = 8 << 20,
    .path_bytes = 32,
    .burst_bytes = 2048,
    .share_cost = 1 << 15,
    .past_bytes = 16 << 20,
};

static _Atomic(const aic_machine *) supposed = &USUAL;

const aic_machine *aic_machine_facts(void)
{
    return atomic_load_explicit(&supposed, memory_order_relaxed);
}

void aic_machine_suppose(const aic_machine *machine)
{
    atomic_store_explicit(&supposed, machine == NULL ? &USUAL : machine, memory_order_relaxed);
}
