/* Specifications: making them, the rules of all their stages, and their canonical form. */
#include "frontend/core/spec.h"

#include "frontend/core/choice.h"

#include "frontend/core/chain.h"
#include "frontend/core/diag.h"
#include "frontend/text/sink.h"

#include <string.h>

/* Cleared first: copies of a specification are the same in every byte, padding included. */
aic_spec aic_spec_of(aic_op op, const void *desc)
{
    aic_spec spec;
    memset(&spec, 0, sizeof spec);
    spec.count = 1;
    spec.stage[0].op = op;
    memcpy(&spec.stage[0].desc, desc, aic_op_get(op)->desc_size);
    return spec;
}

static bool has_stages(const aic_spec *spec)
{
    return spec && spec->count >= 1 && spec->count <= AIC_STAGES_MAX;
}

aic_spec aic_spec_fuse(const aic_spec *producer, const aic_spec *consumer)
{
    aic_spec spec;
    memset(&spec, 0, sizeof spec);
    if (has_stages(producer) && has_stages(consumer) && producer->count + consumer->count <= AIC_STAGES_MAX) {
        spec.count = producer->count + consumer->count;
        memcpy(spec.stage, producer->stage, (size_t)producer->count * sizeof spec.stage[0]);
        memcpy(spec.stage + producer->count, consumer->stage, (size_t)consumer->count * sizeof spec.stage[0]);
    }
    return spec;
}

void aic_spec_subject(const aic_spec *spec, const char *separator, char *buffer, size_t capacity)
{
    buffer[0] = '\0';
    for (int32_t i = 0; i < spec->count; i++) {
        aic_text_join(buffer, capacity, separator, aic_op_name(spec->stage[i].op));
    }
}

bool aic_spec_exact(const aic_spec *spec)
{
    const aic_op_info *op = has_stages(spec) ? aic_op_get(spec->stage[0].op) : NULL;
    return op && (!op->exact || op->exact(&spec->stage[0].desc));
}

/* ---- rules ---- */

aic_status aic_spec_check_stages(const aic_spec *spec)
{
    if (!spec) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "the specification is NULL");
    }
    if (spec->count < 1 || spec->count > AIC_STAGES_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "the specification's count = %d is outside 1..%d", (int)spec->count,
                        AIC_STAGES_MAX);
    }
    for (int32_t i = 0; i < spec->count; i++) {
        if (!aic_op_get(spec->stage[i].op)) {
            return aic_fail(AIC_INVALID_ARGUMENT, NULL, "stage %d: operator %u is outside 1..%d", (int)i + 1,
                            (unsigned)spec->stage[i].op, AIC_OP_END - 1);
        }
    }
    return AIC_OK;
}

aic_status aic_spec_resolve(const aic_spec *spec, const aic_semantics *semantics, aic_spec *resolved)
{
    aic_semantics own;
    semantics = aic_semantics_of(semantics, &own);
    aic_status status = aic_spec_check_stages(spec);
    if (status != AIC_OK) {
        return status;
    }
    aic_spec result = *spec;
    const aic_op_info *first = aic_op_get(spec->stage[0].op);
    if (first->fill_in) {
        first->fill_in(&result.stage[0].desc);
    }
    status = aic_semantics_check(semantics);
    status = status == AIC_OK ? aic_chain_check(spec) : status;
    if (status == AIC_OK) {
        status = first->validate(&result.stage[0].desc, semantics);
        if (spec->count > 1) {
            status = aic_chain_resolve(&result, semantics, status);
        } else if (status == AIC_OK && first->validate_alone) {
            status = first->validate_alone(&result.stage[0].desc);
        }
    }
    if (status == AIC_OK && resolved) {
        *resolved = result;
    }
    return status;
}

void aic_spec_canonicalise(aic_spec *resolved, const aic_semantics *semantics)
{
    for (int32_t i = 0; i < resolved->count; i++) {
        const aic_op_info *op = aic_op_get(resolved->stage[i].op);
        if (op->clear_ignored) {
            op->clear_ignored(&resolved->stage[i].desc);
        }
        op->canonicalise(&resolved->stage[i].desc, semantics);
    }
    if (resolved->count > 1) {
        aic_chain_trim(resolved);
    }
}

void aic_spec_take_words(aic_spec *canonical, const aic_semantics *semantics, aic_words *words)
{
    size_t own[AIC_STAGES_MAX] = {0};
    uint64_t word[AIC_STAGES_MAX];
    aic_chain_operands chain = {.hidden = 0};
    *words = (aic_words){.count = 0};
    for (int32_t s = 0; s < canonical->count; s++) {
        const aic_op_info *op = aic_op_get(canonical->stage[s].op);
        own[s] = op->take_word == NULL ? 0 : op->take_word(&canonical->stage[s].desc, canonical->count == 1, &word[s]);
    }
    if (canonical->count > 1) { /* in which all marks count */
        aic_chain_operands_of(canonical, semantics, &chain);
    }
    for (int32_t s = 0; s < canonical->count; s++) {
        if (own[s] != 0) {
            words->operand[words->count] = canonical->count > 1 ? (size_t)chain.from[s][own[s]] : own[s];
            words->word[words->count++] = word[s];
        }
    }
    words->hidden = chain.hidden;
}

aic_status aic_spec_resolve_kernel(const aic_spec *spec, const aic_semantics *semantics, aic_spec *canonical)
{
    aic_semantics own;
    semantics = aic_semantics_of(semantics, &own);
    aic_status status = aic_spec_resolve(spec, semantics, canonical);
    status = status == AIC_OK ? aic_choices_check(canonical, semantics) : status;
    if (status == AIC_OK) {
        aic_spec_canonicalise(canonical, semantics);
    }
    return status;
}

aic_status aic_spec_validate(const aic_spec *spec, const aic_semantics *semantics)
{
    return aic_spec_resolve(spec, semantics, NULL);
}
