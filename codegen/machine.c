#include "codegen/machine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static const aic_field fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_machine, __VA_ARGS__)
#include "codegen/machine.def"
#undef AIC_FIELD
};

const aic_record aic_machine_record = {"machine", fields, sizeof fields / sizeof fields[0]};

/* The facts of every type of core. */
static aic_machine known[AIC_CORES];

static void make_known(void)
{
    static const aic_machine fallbacks = {
#define AIC_FIELD(kind, name, count, need, fallback) .name = (fallback),
#include "codegen/machine.def"
#undef AIC_FIELD
    };
    for (int core = 0; core < AIC_CORES; core++) {
        known[core] = fallbacks;
    }
#define AIC_FACT(CORE, field, value) known[AIC_CORE_##CORE].field = (value);
#include "codegen/core_facts.def"
#undef AIC_FACT
}

const aic_machine *aic_machine_of(aic_core core)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, make_known);
    return &known[core];
}

enum { NONE = -1 };
static atomic_int chosen = NONE;
static _Atomic(const aic_machine *) supposed;

void aic_machine_choose(aic_core core)
{
    atomic_store_explicit(&chosen, (int)core, memory_order_relaxed);
}

bool aic_machine_is_chosen(void)
{
    return atomic_load_explicit(&chosen, memory_order_relaxed) != NONE;
}

aic_core aic_machine_core(void)
{
    const int core = atomic_load_explicit(&chosen, memory_order_relaxed);
    return core != NONE ? (aic_core)core : aic_host_this()->core;
}

const aic_machine *aic_machine_facts(void)
{
    const aic_machine *instead = atomic_load_explicit(&supposed, memory_order_relaxed);
    return instead != NULL ? instead : aic_machine_of(aic_machine_core());
}

void aic_machine_suppose(const aic_machine *machine)
{
    atomic_store_explicit(&supposed, machine, memory_order_relaxed);
}
