#include "codegen/machine.h"

#include <pthread.h>

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
        known[core].core = (aic_core)core;
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
