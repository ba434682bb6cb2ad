/* The levels of an export; see export_levels.h. */
#include "runtime/export/export_levels.h"

#include "codegen/target/host.h"
#include "frontend/core/diag.h"
#include "runtime/request/isa.h"

#include <stdio.h>
#include <string.h>

/* Number of a level among those of its architecture. */
static size_t level_number(const aic_target *target)
{
    size_t i = 0;
    while (aic_target_at(target->arch, i) != target) {
        i++;
    }
    return i;
}

/* Puts the level among the others, ascending. */
static aic_status insert_level(aic_export_levels *to, const aic_target *target)
{
    const size_t number = level_number(target);
    size_t at = 0;
    while (at < to->count && level_number(to->target[at]) < number) {
        at++;
    }
    if (at < to->count && to->target[at] == target) {
        return aic_fail(AIC_INVALID_ARGUMENT, "isa", "level %s is named twice", target->name);
    }
    memmove(&to->target[at + 1], &to->target[at], (to->count - at) * sizeof to->target[0]);
    to->target[at] = target;
    to->count++;
    return AIC_OK;
}

/* Reads "sse2,avx2". */
static aic_status read_levels(aic_export_levels *to, const char *isa, aic_arch arch)
{
    enum { LEVEL_NAME_MAX = 32 };
    aic_status status = AIC_OK;
    const char *at = isa;
    do {
        const size_t length = strcspn(at, ",");
        char name[LEVEL_NAME_MAX + 1];
        const aic_target *target;
        snprintf(name, sizeof name, "%.*s", (int)(length < LEVEL_NAME_MAX ? length : LEVEL_NAME_MAX), at);
        status = aic_isa_find("isa", arch, name, &target);
        if (status == AIC_OK) {
            status = insert_level(to, target);
        }
        at += length;
    } while (status == AIC_OK && *at++ == ',');
    return status;
}

aic_status aic_export_choose_levels(const aic_context *context, const char *isa, aic_export_levels *to)
{
    aic_arch arch = aic_host_arch();
    aic_status status = to->triple != NULL ? aic_target_arch(to->triple, &arch) : AIC_OK;
    if (status != AIC_OK) {
        return status;
    }
    to->triple = to->triple != NULL ? to->triple : aic_target_triple(arch);
    if (isa == NULL) {
        to->target[0] = arch == context->target->arch ? context->target : aic_target_at(arch, 0);
        to->count = 1;
        return AIC_OK;
    }
    status = read_levels(to, isa, arch);
    for (size_t i = 0; i < to->count && to->count > 1 && status == AIC_OK; i++) {
        if ((to->target[i]->has & AIC_HAS_TILES) != 0) {
            status = aic_fail(AIC_INVALID_ARGUMENT, "isa",
                              "level %s cannot be one of several: whether a process may use tiles is not the "
                              "processor's to say",
                              to->target[i]->name);
        }
    }
    return status;
}
