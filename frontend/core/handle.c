/* The public functions that make, join, read and free specifications: copies of the library's values. */
#include "frontend/core/diag.h"
#include "frontend/core/op.h"
#include "frontend/core/rule.h"

#include <aic/tool.h>
#include <stdlib.h>

/* Hands out a copy of a value that could be made, else passes the failure on. */
static aic_status hand_out(aic_status status, const aic_spec *value, aic_spec **spec)
{
    if (status != AIC_OK) {
        return status;
    }
    aic_spec *made = malloc(sizeof *made);
    if (made == NULL) {
        return aic_fail_memory("spec", sizeof *made);
    }
    *made = *value;
    *spec = made;
    return AIC_OK;
}

aic_status aic_spec_parse(const char *text, aic_spec **spec)
{
    aic_spec value;
    aic_status status = aic_rule_given("spec", spec);
    status = status == AIC_OK ? aic_spec_read(text, &value) : status;
    return hand_out(status, &value, spec);
}

aic_status aic_spec_create(aic_op op, const void *desc, aic_spec **spec)
{
    aic_stage room;
    aic_status status = aic_rule_given("spec", spec);
    if (status != AIC_OK) {
        return status;
    }
    const void *own = NULL;
    status = aic_desc_of(op, desc, &room.desc, &own);
    const aic_spec value = status == AIC_OK ? aic_spec_of(op, own) : (aic_spec){.count = 0};
    return hand_out(status, &value, spec);
}

aic_status aic_spec_chain(const aic_spec *const stages[], size_t count, aic_spec **spec)
{
    aic_status status = aic_rule_given("spec", spec);
    status = status == AIC_OK ? aic_rule_given("stages", stages) : status;
    if (status != AIC_OK) {
        return status;
    }
    if (count > AIC_STAGES_MAX) { /* each has one operator at least; `stages` may be shorter than it says */
        return aic_fail(AIC_INVALID_ARGUMENT, "stages", "%zu specifications are outside 1..%d", count, AIC_STAGES_MAX);
    }
    aic_spec value = {.count = 0};
    size_t operators = 0;
    for (size_t i = 0; i < count; i++) {
        if (stages[i] == NULL) {
            return aic_fail(AIC_INVALID_ARGUMENT, "stages", "number %zu is NULL", i);
        }
        operators += (size_t)stages[i]->count;
        value = i == 0 ? *stages[0] : aic_spec_fuse(&value, stages[i]);
    }
    if (operators < 1 || operators > AIC_STAGES_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, "stages", "%zu operators are outside 1..%d", operators, AIC_STAGES_MAX);
    }
    return hand_out(AIC_OK, &value, spec);
}

void aic_spec_destroy(aic_spec *spec)
{
    free(spec);
}

size_t aic_spec_stages(const aic_spec *spec)
{
    return spec != NULL ? (size_t)spec->count : 0;
}

aic_op aic_spec_stage_op(const aic_spec *spec, size_t stage)
{
    return stage < aic_spec_stages(spec) ? spec->stage[stage].op : AIC_OP_NONE;
}

aic_status aic_spec_get(const aic_spec *spec, size_t stage, aic_op op, void *desc)
{
    const aic_op has = aic_spec_stage_op(spec, stage);
    if (has != op || has == AIC_OP_NONE) {
        return aic_fail(AIC_INVALID_ARGUMENT, "stage", "number %zu is %s, not %s", stage,
                        has != AIC_OP_NONE ? aic_op_name(has) : "no operator",
                        aic_op_name(op) != NULL ? aic_op_name(op) : "an operator");
    }
    return aic_structure_give("desc", desc, &spec->stage[stage].desc, aic_op_get(op)->desc_size);
}

aic_status aic_spec_random(aic_op op, const aic_semantics *semantics, uint64_t seed, aic_spec **spec)
{
    aic_spec value;
    aic_status status = aic_rule_given("spec", spec);
    status = status == AIC_OK ? aic_spec_draw(op, semantics, seed, &value) : status;
    return hand_out(status, &value, spec);
}

aic_status aic_spec_random_illegal(aic_op op, const aic_semantics *semantics, uint64_t seed, aic_spec **spec)
{
    aic_spec value;
    aic_status status = aic_rule_given("spec", spec);
    status = status == AIC_OK ? aic_spec_draw_illegal(op, semantics, seed, &value) : status;
    return hand_out(status, &value, spec);
}

aic_status aic_spec_random_chain(aic_op producer, aic_op consumer, const aic_semantics *semantics, uint64_t seed,
                                 aic_spec **spec)
{
    aic_spec value;
    aic_status status = aic_rule_given("spec", spec);
    status = status == AIC_OK ? aic_spec_draw_chain(producer, consumer, semantics, seed, &value) : status;
    return hand_out(status, &value, spec);
}

aic_status aic_spec_random_chain_illegal(aic_op producer, aic_op consumer, const aic_semantics *semantics,
                                         uint64_t seed, aic_spec **spec)
{
    aic_spec value;
    aic_status status = aic_rule_given("spec", spec);
    status = status == AIC_OK ? aic_spec_draw_chain_illegal(producer, consumer, semantics, seed, &value) : status;
    return hand_out(status, &value, spec);
}
