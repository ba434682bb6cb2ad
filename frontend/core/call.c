/* What a call must satisfy besides the rules of its specification, and calls of the reference. */
#include "frontend/core/chain.h"
#include "frontend/core/diag.h"
#include "frontend/core/neutral.h"
#include "frontend/core/rule.h"
#include "frontend/core/spec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks of addresses and data ---- */

void aic_data_check_of(const aic_spec *resolved, const aic_semantics *semantics, aic_data_check *check)
{
    const aic_stage *last = &resolved->stage[resolved->count - 1];
    *check = (aic_data_check){.check = aic_op_get(last->op)->check_data, .desc = &last->desc};
    if (resolved->count > 1) {
        aic_chain_operands chain;
        aic_chain_operands_of(resolved, semantics, &chain);
        memcpy(check->from, chain.from[resolved->count - 1], sizeof check->from);
        return;
    }
    aic_operand operands[AIC_OPERANDS_MAX];
    const size_t count = aic_spec_operands_of(resolved, semantics, operands);
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        check->from[i] = i < count ? (int)i : AIC_ACCUMULATED; /* a caller's array has no more */
    }
}

aic_status aic_data_check_run(const aic_data_check *check, const void *const operands[])
{
    const void *own[AIC_OPERANDS_MAX];
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        own[i] = check->from[i] == AIC_ACCUMULATED ? NULL : operands[check->from[i]];
    }
    return check->check ? check->check(check->desc, own) : AIC_OK;
}

aic_status aic_spec_check_data(const aic_spec *resolved, const void *const operands[])
{
    const aic_semantics semantics = aic_semantics_init(); /* does not matter: only the operands' order is used */
    aic_data_check check;
    aic_data_check_of(resolved, &semantics, &check);
    return aic_data_check_run(&check, operands);
}

aic_status aic_spec_check_call(const aic_spec *spec, const aic_semantics *semantics, void *const pointers[],
                               size_t count, aic_spec *resolved)
{
    aic_status status = aic_spec_resolve(spec, semantics, resolved);
    if (status != AIC_OK) {
        return status;
    }
    char subject[AIC_SUBJECT_MAX];
    aic_spec_subject(resolved, " | ", subject, sizeof subject);
    aic_operand operands[AIC_OPERANDS_MAX];
    size_t expected = aic_spec_operands_of(resolved, semantics, operands);
    if (!pointers) {
        return aic_fail(AIC_INVALID_ARGUMENT, subject, "operands: is NULL");
    }
    if (count != expected) {
        return aic_fail(AIC_INVALID_ARGUMENT, subject, "%zu operands given, %zu expected", count, expected);
    }
    aic_argument arguments[AIC_OPERANDS_MAX];
    for (size_t i = 0; i < count; i++) {
        arguments[i] = aic_operand_argument(&operands[i]);
    }
    const void *const *readable = (const void *const *)pointers;
    status = aic_arguments_check(subject, arguments, count, readable);
    return status == AIC_OK ? aic_spec_check_data(resolved, readable) : status;
}

/* ---- the reference ---- */

aic_status aic_reference(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count)
{
    aic_semantics own;
    semantics = aic_semantics_of(semantics, &own);
    aic_spec resolved = {.count = 0};
    aic_status status = aic_spec_check_call(spec, semantics, operands, count, &resolved);
    if (status != AIC_OK) {
        return status;
    }
    aic_neutral callers;
    aic_neutral_enter(&callers); /* neither the caller's rounding mode nor its flush-to-zero bits count */
    const aic_stage *first = &resolved.stage[0];
    status = resolved.count > 1 ? aic_chain_reference(&resolved, semantics, operands)
                                : aic_op_get(first->op)->reference(&first->desc, semantics, operands);
    aic_neutral_leave(&callers);
    return status;
}

aic_status aic_reference_allowed(const aic_spec *spec, const aic_semantics *semantics, void *const operands[],
                                 size_t count, aic_allowed *allowed)
{
    aic_semantics own;
    semantics = aic_semantics_of(semantics, &own);
    aic_spec resolved = {.count = 0};
    aic_status status = aic_spec_check_call(spec, semantics, operands, count, &resolved);
    if (status != AIC_OK) {
        return status;
    }
    const aic_stage *first = &resolved.stage[0];
    const aic_op_info *op = aic_op_get(first->op);
    if (aic_spec_exact(&resolved)) {
        return aic_fail(AIC_UNSUPPORTED, op->record.name, "the result is defined bit for bit, there is no error bound");
    }
    status = aic_rule_given("allowed", allowed);
    if (status != AIC_OK) {
        return status;
    }
    aic_neutral callers;
    aic_neutral_enter(&callers);
    status = resolved.count > 1 ? aic_chain_reference_allowed(&resolved, semantics, operands, allowed)
                                : op->reference_allowed(&first->desc, semantics, operands, allowed);
    aic_neutral_leave(&callers);
    return status;
}

aic_status aic_reference_bound(const aic_spec *spec, const aic_semantics *semantics, void *const operands[],
                               size_t count, double *exact, double *bound)
{
    aic_operand of_call[AIC_OPERANDS_MAX];
    size_t expected = 0;
    int64_t elements = 0;
    aic_status status = aic_spec_operands(spec, semantics, of_call, &expected);
    for (size_t i = 0; status == AIC_OK && i < expected; i++) {
        elements = (of_call[i].direction & AIC_DIRECTION_OUT) != 0 ? of_call[i].elements : elements;
    }
    status = status != AIC_OK ? status : exact ? aic_rule_given("bound", bound) : aic_rule_given("exact", exact);
    if (status != AIC_OK) {
        return status;
    }
    aic_allowed *allowed = calloc(elements > 0 ? (size_t)elements : 1, sizeof *allowed);
    if (!allowed) {
        return aic_fail_memory("reference", (size_t)elements * sizeof *allowed);
    }
    status = aic_reference_allowed(spec, semantics, operands, count, allowed);
    for (int64_t i = 0; status == AIC_OK && i < elements; i++) {
        const aic_allowed *a = &allowed[i];
        const double distance = fmax(a->high - a->exact, a->exact - a->low);
        exact[i] = a->exact;
        bound[i] = a->others > 0 ? (double)INFINITY : isfinite(a->exact) ? distance : 0;
    }
    free(allowed);
    return status;
}
