/* The table of operators, and the functions on specifications and keys that need nothing but it. */
#include "frontend/op.h"
#include "frontend/argument.h"

#include "frontend/diag.h"
#include "frontend/rng.h"
#include "frontend/size.h"

#include <fenv.h>
#include <string.h>

static const aic_op_info *const op_table[AIC_OP_END] = {
#define AIC_OP(ENUM, name, params, args) [AIC_OP_##ENUM] = &aic_op_##name,
#include <aic/ops.def>
#undef AIC_OP
};

const aic_op_info *aic_op_get(aic_op op)
{
    return (unsigned)op < AIC_OP_END ? op_table[op] : NULL;
}

const char *aic_op_name(aic_op op)
{
    const aic_op_info *info = aic_op_get(op);
    return info ? info->record.name : NULL;
}

aic_op aic_op_parse(const char *name)
{
    for (int op = AIC_OP_NONE + 1; name && op < AIC_OP_END; op++) {
        if (strcmp(op_table[op]->record.name, name) == 0) {
            return (aic_op)op;
        }
    }
    return AIC_OP_NONE;
}

/* Cleared first: copies of a specification are the same in every byte, padding included. */
#define AIC_OP(ENUM, name, params, args)                                                                               \
    aic_spec aic_spec_##name(const aic_##name##_desc *desc)                                                            \
    {                                                                                                                  \
        aic_spec spec;                                                                                                 \
        memset(&spec, 0, sizeof spec);                                                                                 \
        spec.count = 1;                                                                                                \
        spec.stage[0].op = AIC_OP_##ENUM;                                                                              \
        memcpy(&spec.stage[0].desc, desc, sizeof *desc);                                                               \
        return spec;                                                                                                   \
    }
#include <aic/ops.def>
#undef AIC_OP

/* ---- rules ---- */

aic_status aic_spec_check(const aic_spec *spec, const aic_semantics *semantics)
{
    static const aic_semantics defaults = {.limits = AIC_LIMITS_DOCUMENT};
    if (!spec) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "the specification is NULL");
    }
    if (spec->count < 1 || spec->count > AIC_STAGES_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "the specification's count = %d is outside 1..%d", (int)spec->count,
                        AIC_STAGES_MAX);
    }
    if (!semantics) {
        semantics = &defaults;
    }
    if (semantics->limits != AIC_LIMITS_DOCUMENT && semantics->limits != AIC_LIMITS_HOST) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "limits: value %u is not document (0) or host (1)",
                        (unsigned)semantics->limits);
    }
    for (int32_t i = 0; i < spec->count; i++) {
        const aic_op_info *op = aic_op_get(spec->stage[i].op);
        if (!op) {
            return aic_fail(AIC_INVALID_ARGUMENT, NULL, "stage %d: operator %u is outside 1..%d", (int)i + 1,
                            (unsigned)spec->stage[i].op, AIC_OP_END - 1);
        }
        aic_status status = op->validate(&spec->stage[i].desc, semantics);
        if (status != AIC_OK) {
            return status;
        }
    }
    if (spec->count > 1) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "%s | %s: these two operators cannot be fused",
                        aic_op_name(spec->stage[0].op), aic_op_name(spec->stage[1].op));
    }
    return AIC_OK;
}

aic_status aic_spec_validate(const aic_spec *spec, const aic_semantics *semantics)
{
    return aic_spec_check(spec, semantics);
}

/* The rules with the limits lifted, for functions that take specifications made under any of them. */
static aic_status check_widest(const aic_spec *spec)
{
    static const aic_semantics widest = {.limits = AIC_LIMITS_HOST};
    return aic_spec_check(spec, &widest);
}

/* ---- operands ---- */

static void operand_size(aic_operand *operand)
{
    operand->elements = 1;
    for (int32_t d = 0; d < operand->rank; d++) {
        operand->elements = aic_size_multiply(operand->elements, operand->shape[d]);
    }
    operand->bytes = aic_size_multiply(operand->elements, (int64_t)aic_dtype_size(operand->dtype));
}

/* Operands of a specification that has been checked. */
static size_t operands_of(const aic_spec *spec, aic_operand operands[AIC_OPERANDS_MAX])
{
    size_t count = aic_op_get(spec->stage[0].op)->operands(&spec->stage[0].desc, operands);
    for (size_t i = 0; i < count; i++) {
        operand_size(&operands[i]);
    }
    return count;
}

aic_status aic_spec_operands(const aic_spec *spec, aic_operand operands[AIC_OPERANDS_MAX], size_t *count)
{
    aic_status status = check_widest(spec);
    if (status == AIC_OK) {
        *count = operands_of(spec, operands);
    }
    return status;
}

aic_status aic_spec_work(const aic_spec *spec, int64_t *macs, int64_t *bytes)
{
    aic_status status = check_widest(spec);
    if (status != AIC_OK) {
        return status;
    }
    aic_operand operands[AIC_OPERANDS_MAX];
    size_t count = operands_of(spec, operands);
    *macs = aic_op_get(spec->stage[0].op)->macs(&spec->stage[0].desc);
    *bytes = 0;
    for (size_t i = 0; i < count; i++) {
        *bytes = aic_size_add(*bytes, operands[i].bytes);
    }
    return AIC_OK;
}

bool aic_spec_exact(const aic_spec *spec)
{
    const aic_op_info *op = spec && spec->count == 1 ? aic_op_get(spec->stage[0].op) : NULL;
    return op && op->exact(&spec->stage[0].desc);
}

/* ---- reference ---- */

/* Everything aic_reference() and aic_reference_bound() refuse. */
static aic_status check_reference(const aic_spec *spec, const aic_semantics *semantics, void *const pointers[],
                                  size_t count)
{
    aic_status status = aic_spec_check(spec, semantics);
    if (status != AIC_OK) {
        return status;
    }
    const char *subject = aic_op_name(spec->stage[0].op);
    aic_operand operands[AIC_OPERANDS_MAX];
    size_t expected = operands_of(spec, operands);
    if (count != expected || !pointers) {
        return aic_fail(AIC_INVALID_ARGUMENT, subject, "%zu operands given, %zu expected", pointers ? count : 0,
                        expected);
    }
    aic_argument arguments[AIC_OPERANDS_MAX];
    for (size_t i = 0; i < count; i++) {
        arguments[i] = (aic_argument){.name = operands[i].name,
                                      .misalignment = aic_dtype_size(operands[i].dtype) - 1,
                                      .bytes = (uintptr_t)operands[i].bytes};
    }
    return aic_arguments_check(subject, arguments, count, (const void *const *)pointers);
}

aic_status aic_reference(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count)
{
    aic_status status = check_reference(spec, semantics, operands, count);
    if (status != AIC_OK) {
        return status;
    }
    fenv_t callers;
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV); /* neither the caller's rounding mode nor its flush-to-zero bits count */
    status = aic_op_get(spec->stage[0].op)->reference(&spec->stage[0].desc, operands);
    fesetenv(&callers);
    return status;
}

aic_status aic_reference_bound(const aic_spec *spec, const aic_semantics *semantics, void *const operands[],
                               size_t count, double *exact, double *bound)
{
    aic_status status = check_reference(spec, semantics, operands, count);
    if (status != AIC_OK) {
        return status;
    }
    const aic_op_info *op = aic_op_get(spec->stage[0].op);
    if (aic_spec_exact(spec) || !op->reference_bound) {
        return aic_fail(AIC_UNSUPPORTED, op->record.name, "the result is defined bit for bit, there is no error bound");
    }
    fenv_t callers;
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV);
    status = op->reference_bound(&spec->stage[0].desc, operands, exact, bound);
    fesetenv(&callers);
    return status;
}

/* ---- pseudo-random specifications ---- */

static aic_status random_spec(aic_op op, uint64_t seed, bool legal, aic_spec *spec)
{
    uint64_t state = seed;
    if (op == AIC_OP_NONE) {
        op = (aic_op)aic_rng_range(&state, AIC_OP_NONE + 1, AIC_OP_END - 1);
    }
    const aic_op_info *info = aic_op_get(op);
    if (!info) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "operator %u is outside 1..%d", (unsigned)op, AIC_OP_END - 1);
    }
    memset(spec, 0, sizeof *spec);
    spec->count = 1;
    spec->stage[0].op = op;
    info->init(&spec->stage[0].desc);
    (legal ? info->random : info->random_illegal)(&state, &spec->stage[0].desc);
    return AIC_OK;
}

aic_status aic_spec_random(aic_op op, uint64_t seed, aic_spec *spec)
{
    return random_spec(op, seed, true, spec);
}

aic_status aic_spec_random_illegal(aic_op op, uint64_t seed, aic_spec *spec)
{
    return random_spec(op, seed, false, spec);
}
