/* The operands of a specification: their sizes, and the bytes that a call reads and writes. */
#include "frontend/core/chain.h"
#include "frontend/core/diag.h"
#include "frontend/core/rule.h"
#include "frontend/core/size.h"
#include "frontend/core/spec.h"
#include "frontend/text/sink.h"

#include <string.h>

static void operand_size(aic_operand *operand)
{
    operand->size = sizeof *operand;
    operand->elements = operand->direction == AIC_DIRECTION_UNUSED ? 0 : 1;
    for (int32_t d = 0; d < operand->rank; d++) {
        operand->elements = aic_size_multiply(operand->elements, operand->shape[d]);
    }
    operand->bytes = aic_size_multiply(operand->elements, (int64_t)aic_dtype_size(operand->dtype));
}

size_t aic_spec_operands_of(const aic_spec *resolved, const aic_semantics *semantics,
                            aic_operand operands[AIC_OPERANDS_MAX])
{
    size_t count;
    if (resolved->count > 1) {
        aic_chain_operands chain;
        aic_chain_operands_of(resolved, semantics, &chain);
        count = chain.count;
        memcpy(operands, chain.operand, sizeof chain.operand);
    } else {
        count = aic_op_get(resolved->stage[0].op)->operands(&resolved->stage[0].desc, semantics, operands);
    }
    for (size_t i = 0; i < count; i++) {
        operand_size(&operands[i]);
    }
    return count;
}

aic_status aic_spec_get_operands(const aic_spec *spec, const aic_semantics *semantics, aic_operand *operands,
                                 size_t entry_size, size_t room, size_t *count)
{
    aic_semantics own;
    semantics = aic_semantics_of(semantics, &own);
    aic_spec resolved;
    aic_status status = aic_spec_resolve(spec, semantics, &resolved);
    if (status == AIC_OK) {
        status = operands != NULL || room == 0 ? aic_rule_given("count", count) : aic_rule_given("operands", operands);
    }
    if (status != AIC_OK) {
        return status;
    }
    aic_operand made[AIC_OPERANDS_MAX];
    const size_t all = aic_spec_operands_of(&resolved, semantics, made);
    if (operands != NULL && all > room) {
        return aic_fail(AIC_UNSUPPORTED, "operands", "there are %zu, room: %zu", all, room);
    }
    for (size_t i = 0; i < all && operands != NULL && status == AIC_OK; i++) {
        void *entry = (char *)operands + i * entry_size;
        memcpy(entry, &entry_size, sizeof entry_size);
        status = aic_structure_give("operands", entry, &made[i], sizeof made[i]);
    }
    *count = all;
    return status;
}

aic_status aic_spec_operand_bytes(const aic_spec *spec, const aic_semantics *semantics, const char *name, size_t *bytes)
{
    aic_operand operands[AIC_OPERANDS_MAX];
    size_t count = 0;
    aic_status status = aic_spec_operands(spec, semantics, operands, &count);
    if (status == AIC_OK) {
        status = name ? aic_rule_given("bytes", bytes) : aic_rule_given("name", name);
    }
    if (status != AIC_OK) {
        return status;
    }
    char subject[AIC_SUBJECT_MAX], names[128] = "";
    for (size_t i = 0; i < count; i++) {
        if (strcmp(operands[i].name, name) == 0) {
            *bytes = (size_t)operands[i].bytes;
            return AIC_OK;
        }
        aic_text_join(names, sizeof names, ", ", operands[i].name);
    }
    aic_spec_subject(spec, " | ", subject, sizeof subject);
    return aic_fail(AIC_INVALID_ARGUMENT, subject, "\"%.60s\" is none of the operands %s", name, names);
}

aic_argument aic_operand_argument(const aic_operand *operand)
{
    const bool taken = operand->direction != AIC_DIRECTION_UNUSED;
    return (aic_argument){.name = operand->name,
                          .least = taken,
                          .misalignment = taken ? aic_dtype_size(operand->dtype) - 1 : UINTPTR_MAX,
                          .bytes = (uintptr_t)operand->bytes,
                          .overlaps = operand->overlaps,
                          .coincides = operand->coincides};
}

/* What a stage reads and writes, but for the operand that a chain hands over; from NULL: it is no chain. */
static int64_t stage_bytes(const aic_stage *stage, const aic_semantics *semantics, const int *from)
{
    const aic_op_info *op = aic_op_get(stage->op);
    aic_operand operands[AIC_OPERANDS_MAX];
    int64_t bytes[AIC_OPERANDS_MAX], sum = 0;
    const size_t count = op->operands(&stage->desc, semantics, operands);
    for (size_t i = 0; i < count; i++) {
        operand_size(&operands[i]);
        bytes[i] = aic_size_multiply(operands[i].bytes, operands[i].direction == AIC_DIRECTION_INOUT ? 2 : 1);
    }
    op->accessed(&stage->desc, semantics, bytes);
    for (size_t i = 0; i < count; i++) {
        sum = from && from[i] == AIC_ACCUMULATED ? sum : aic_size_add(sum, bytes[i]);
    }
    return sum;
}

/* Of all stages, and l1out; changed accumulators that are the result are stored where they are defined. */
static int64_t chain_bytes(const aic_spec *resolved, const aic_semantics *semantics)
{
    const aic_accumulator first = aic_chain_accumulator(resolved, 0);
    const int64_t accumulators = aic_size_multiply(aic_size_multiply(first.rows, first.columns), sizeof(int32_t));
    aic_chain_operands chain;
    aic_chain_operands_of(resolved, semantics, &chain);
    int64_t bytes = first.start == AIC_START_TENSOR    ? accumulators
                    : first.start == AIC_START_CHANNEL ? first.columns * (int64_t)sizeof(int32_t)
                                                       : 0;
    for (int32_t s = 0; s < resolved->count; s++) {
        aic_stage stage = resolved->stage[s];
        const aic_op_info *op = aic_op_get(stage.op);
        if (op->change) {
            op->limit_rows(&stage.desc, first.rows);
            bytes = aic_size_add(bytes, s + 1 == resolved->count ? accumulators : 0);
            chain.from[s][0] = AIC_ACCUMULATED;
        }
        bytes = aic_size_add(bytes, stage_bytes(&stage, semantics, chain.from[s]));
    }
    return bytes;
}

aic_status aic_spec_work(const aic_spec *spec, const aic_semantics *semantics, int64_t *macs, int64_t *bytes)
{
    aic_semantics own;
    semantics = aic_semantics_of(semantics, &own);
    aic_spec resolved = {.count = 0};
    aic_status status = aic_spec_resolve(spec, semantics, &resolved);
    if (status == AIC_OK) {
        status = macs ? aic_rule_given("bytes", bytes) : aic_rule_given("macs", macs);
    }
    if (status != AIC_OK) {
        return status;
    }
    const aic_op_info *op = aic_op_get(resolved.stage[0].op);
    *macs = op->macs ? op->macs(&resolved.stage[0].desc) : 0;
    *bytes = resolved.count == 1 ? stage_bytes(&resolved.stage[0], semantics, NULL) : chain_bytes(&resolved, semantics);
    return AIC_OK;
}
