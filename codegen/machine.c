#include "codegen/machine.h"

#include <stdatomic.h>
#include <stddef.h>

static const aic_machine USUAL = {
#define AIC_FIELD(kind, name, count, need, fallback) .name = (fallback),
#include "codegen/machine.def"
#undef AIC_FIELD
};

static const aic_field fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_machine, __VA_ARGS__)
#include "codegen/machine.def"
#undef AIC_FIELD
};

const aic_record aic_machine_record = {"machine", fields, sizeof fields / sizeof fields[0]};

static _Atomic(const aic_machine *) supposed = &USUAL;

const aic_machine *aic_machine_facts(void)
{
    return atomic_load_explicit(&supposed, memory_order_relaxed);
}

void aic_machine_suppose(const aic_machine *machine)
{
    atomic_store_explicit(&supposed, machine == NULL ? &USUAL : machine, memory_order_relaxed);
}
