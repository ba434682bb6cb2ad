/* Instruction set levels as the public interface shows them: names of the host architecture's target table. */
#include "runtime/request/isa.h"
#include "codegen/target/host.h"
#include "frontend/core/diag.h"
#include "frontend/text/sink.h"
#include <aic/context.h>

const char *aic_isa_name(size_t index)
{
    const aic_target *target = aic_target_at(aic_host_arch(), index);
    return target != NULL ? target->name : NULL;
}

/* "generic, sse2, ..." of an architecture. */
static void list_levels(aic_arch arch, char *buffer, size_t capacity)
{
    buffer[0] = '\0';
    const aic_target *target;
    for (size_t i = 0; (target = aic_target_at(arch, i)) != NULL; i++) {
        aic_text_join(buffer, capacity, ", ", target->name);
    }
}

aic_status aic_isa_find(const char *subject, aic_arch arch, const char *name, const aic_target **target)
{
    *target = aic_target_find(arch, name);
    if (*target != NULL) {
        return AIC_OK;
    }
    char levels[160];
    list_levels(arch, levels, sizeof levels);
    return aic_fail(AIC_INVALID_ARGUMENT, subject, "\"%s\" is no instruction set level; levels: %s", name, levels);
}

aic_status aic_isa_find_runnable(const char *subject, const char *name, const aic_target **target)
{
    const aic_host *host = aic_host_this();
    aic_status status = aic_isa_find(subject, aic_host_arch(), name, target);
    if (status != AIC_OK || aic_host_way_of(host, *target) != AIC_HOST_LACKS) {
        return status;
    }
    char reason[256];
    aic_host_explain(host, *target, reason, sizeof reason);
    return aic_fail(AIC_UNSUPPORTED, subject, "this host lacks the instruction set level %s (%s); its best level is %s",
                    name, reason, aic_host_best(host, aic_host_arch())->name);
}

aic_status aic_isa_check(const char *name)
{
    if (name == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, "isa", "is NULL");
    }
    const aic_target *target;
    return aic_isa_find_runnable("isa", name, &target);
}

bool aic_isa_emulated(const char *name)
{
    const aic_target *target = name != NULL ? aic_target_find(aic_host_arch(), name) : NULL;
    return target != NULL && aic_host_way_of(aic_host_this(), target) == AIC_HOST_EMULATED;
}
