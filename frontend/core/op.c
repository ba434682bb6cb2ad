/* The table of operators, and the functions on specifications and keys that need nothing but it. */
#include "frontend/core/op.h"

#include "frontend/core/diag.h"
#include "frontend/core/rule.h"
#include "frontend/core/size.h"
#include "frontend/random/rng.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const aic_op_info *const aic_op_table[AIC_OP_END] = {
#define AIC_OP(ENUM, name, params, args) [AIC_OP_##ENUM] = &aic_op_##name,
#include <aic/ops.def>
#undef AIC_OP
};

const char *aic_op_name(aic_op op)
{
    const aic_op_info *info = aic_op_get(op);
    return info ? info->record.name : NULL;
}

aic_op aic_op_parse(const char *name)
{
    for (int op = AIC_OP_NONE + 1; name && op < AIC_OP_END; op++) {
        if (strcmp(aic_op_table[op]->record.name, name) == 0) {
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
        if (desc) {                                                                                                    \
            spec.count = 1;                                                                                            \
            spec.stage[0].op = AIC_OP_##ENUM;                                                                          \
            memcpy(&spec.stage[0].desc, desc, sizeof *desc);                                                           \
        }                                                                                                              \
        return spec;                                                                                                   \
    }
#include <aic/ops.def>
#undef AIC_OP

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

/* ---- what the documents leave to the machine ---- */

static const aic_field semantics_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_semantics, __VA_ARGS__)
#include <aic/semantics.def>
#undef AIC_FIELD
};

const aic_record aic_semantics_record = {"semantics", semantics_fields,
                                         sizeof semantics_fields / sizeof semantics_fields[0]};

aic_semantics aic_semantics_init(void)
{
    aic_semantics semantics;
    aic_fields_init(aic_semantics_record.fields, aic_semantics_record.count, &semantics, sizeof semantics);
    return semantics;
}

/* By name of an option that is a number. */
static const struct {
    const char *name;
    int64_t low, high, step;
} semantics_ranges[] = {
#define AIC_RANGE(name, low, high, step) {#name, low, high, step},
#include <aic/semantics.def>
#undef AIC_RANGE
};

static aic_status check_number(const char *name, int64_t value)
{
    size_t i = 0;
    while (strcmp(semantics_ranges[i].name, name) != 0) {
        i++;
    }
    const int64_t low = semantics_ranges[i].low, high = semantics_ranges[i].high, step = semantics_ranges[i].step;
    aic_status status = aic_rule_range(NULL, name, NULL, value, low, high);
    if (status == AIC_OK && value % step != 0) {
        status = aic_fail(AIC_INVALID_ARGUMENT, NULL, "%s: %" PRId64 " is no multiple of %" PRId64, name, value, step);
    }
    return status;
}

static aic_status check_option(const aic_field *field, uint64_t value)
{
    if (field->kind == AIC_KIND_INT) {
        return check_number(field->name, (int64_t)value);
    }
    return aic_rule_enum(NULL, field->name, field->kind, value);
}

aic_status aic_semantics_check(const aic_semantics *semantics)
{
    aic_status status = AIC_OK;
    for (size_t f = 0; f < aic_semantics_record.count && status == AIC_OK; f++) {
        const aic_field *field = &aic_semantics_record.fields[f];
        status = check_option(field, aic_field_word(field, semantics, 0));
    }
    return status;
}

/* ---- rules ---- */

aic_status aic_spec_resolve(const aic_spec *spec, const aic_semantics *semantics, aic_spec *resolved)
{
    const aic_semantics defaults = aic_semantics_init();
    semantics = semantics ? semantics : &defaults;
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
    aic_spec result = *spec;
    const aic_op_info *first = aic_op_get(spec->stage[0].op);
    if (first->fill_in) {
        first->fill_in(&result.stage[0].desc);
    }
    aic_status status = aic_semantics_check(semantics);
    if (status == AIC_OK) {
        status = first->validate(&result.stage[0].desc, semantics);
    }
    if (status == AIC_OK && spec->count > 1) {
        status = aic_chain_resolve(&result, semantics);
    } else if (status == AIC_OK && first->validate_alone) {
        status = first->validate_alone(&result.stage[0].desc);
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

aic_status aic_spec_resolve_kernel(const aic_spec *spec, const aic_semantics *semantics, aic_spec *canonical)
{
    const aic_semantics defaults = aic_semantics_init();
    aic_status status = aic_spec_resolve(spec, semantics, canonical);
    if (status == AIC_OK) {
        aic_spec_canonicalise(canonical, semantics ? semantics : &defaults);
    }
    return status;
}

aic_status aic_spec_validate(const aic_spec *spec, const aic_semantics *semantics)
{
    return aic_spec_resolve(spec, semantics, NULL);
}

/* ---- operands ---- */

static void operand_size(aic_operand *operand)
{
    operand->elements = operand->direction == AIC_UNUSED ? 0 : 1;
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

aic_status aic_spec_operands(const aic_spec *spec, const aic_semantics *semantics,
                             aic_operand operands[AIC_OPERANDS_MAX], size_t *count)
{
    const aic_semantics defaults = aic_semantics_init();
    aic_spec resolved;
    aic_status status = aic_spec_resolve(spec, semantics, &resolved);
    if (status == AIC_OK) {
        status = operands ? aic_rule_given("count", count) : aic_rule_given("operands", operands);
    }
    if (status == AIC_OK) {
        *count = aic_spec_operands_of(&resolved, semantics ? semantics : &defaults, operands);
    }
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
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", operands[i].name);
    }
    aic_spec_subject(spec, " | ", subject, sizeof subject);
    return aic_fail(AIC_INVALID_ARGUMENT, subject, "\"%.60s\" is none of the operands %s", name, names);
}

aic_argument aic_operand_argument(const aic_operand *operand)
{
    const bool taken = operand->direction != AIC_UNUSED;
    return (aic_argument){.name = operand->name,
                          .least = taken,
                          .misalignment = taken ? aic_dtype_size(operand->dtype) - 1 : UINTPTR_MAX,
                          .bytes = (uintptr_t)operand->bytes,
                          .overlaps = operand->overlaps,
                          .coincides = operand->coincides};
}

void aic_accessed(int64_t bytes[AIC_OPERANDS_MAX], int index, int64_t elements, aic_dtype dtype)
{
    const int64_t touched = aic_size_multiply(elements, (int64_t)aic_dtype_size(dtype));
    bytes[index] = touched < bytes[index] ? touched : bytes[index];
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
        bytes[i] = aic_size_multiply(operands[i].bytes, operands[i].direction == AIC_INOUT ? 2 : 1);
    }
    if (op->accessed) {
        op->accessed(&stage->desc, semantics, bytes);
    }
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
    const aic_semantics defaults = aic_semantics_init();
    semantics = semantics ? semantics : &defaults;
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

bool aic_spec_exact(const aic_spec *spec)
{
    const aic_op_info *op = has_stages(spec) ? aic_op_get(spec->stage[0].op) : NULL;
    return op && (!op->exact || op->exact(&spec->stage[0].desc));
}

/* ---- data ---- */

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

/* ---- reference ---- */

void aic_spec_subject(const aic_spec *spec, const char *separator, char *buffer, size_t capacity)
{
    size_t length = 0;
    buffer[0] = '\0';
    for (int32_t i = 0; i < spec->count && length < capacity; i++) {
        int written = snprintf(buffer + length, capacity - length, "%s%s", i > 0 ? separator : "",
                               aic_op_name(spec->stage[i].op));
        length += written > 0 ? (size_t)written : 0;
    }
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

aic_status aic_spec_advise(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count)
{
    const aic_semantics defaults = aic_semantics_init();
    aic_spec resolved = {.count = 0};
    aic_status status = aic_spec_check_call(spec, semantics, operands, count, &resolved);
    const aic_op_info *last = status == AIC_OK ? aic_op_get(resolved.stage[resolved.count - 1].op) : NULL;
    if (last != NULL && last->advise != NULL) {
        const void *own[AIC_OPERANDS_MAX];
        aic_data_check order;
        aic_data_check_of(&resolved, semantics ? semantics : &defaults, &order);
        for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
            own[i] = order.from[i] == AIC_ACCUMULATED ? NULL : operands[order.from[i]];
        }
        last->advise(&resolved.stage[resolved.count - 1].desc, own);
    }
    return status;
}

aic_status aic_reference(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count)
{
    const aic_semantics defaults = aic_semantics_init();
    semantics = semantics ? semantics : &defaults;
    aic_spec resolved = {.count = 0};
    aic_status status = aic_spec_check_call(spec, semantics, operands, count, &resolved);
    if (status != AIC_OK) {
        return status;
    }
    fenv_t callers;
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV); /* neither the caller's rounding mode nor its flush-to-zero bits count */
    const aic_stage *first = &resolved.stage[0];
    status = resolved.count > 1 ? aic_chain_reference(&resolved, semantics, operands)
                                : aic_op_get(first->op)->reference(&first->desc, semantics, operands);
    fesetenv(&callers);
    return status;
}

aic_status aic_reference_bound(const aic_spec *spec, const aic_semantics *semantics, void *const operands[],
                               size_t count, double *exact, double *bound)
{
    const aic_semantics defaults = aic_semantics_init();
    semantics = semantics ? semantics : &defaults;
    aic_spec resolved = {.count = 0};
    aic_status status = aic_spec_check_call(spec, semantics, operands, count, &resolved);
    if (status != AIC_OK) {
        return status;
    }
    const aic_stage *first = &resolved.stage[0];
    const aic_op_info *op = aic_op_get(first->op);
    if (aic_spec_exact(&resolved) || !op->reference_bound) {
        return aic_fail(AIC_UNSUPPORTED, op->record.name, "the result is defined bit for bit, there is no error bound");
    }
    status = exact ? aic_rule_given("bound", bound) : aic_rule_given("exact", exact);
    if (status != AIC_OK) {
        return status;
    }
    fenv_t callers;
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV);
    status = resolved.count > 1 ? aic_chain_reference_bound(&resolved, semantics, operands, exact, bound)
                                : op->reference_bound(&first->desc, semantics, operands, exact, bound);
    fesetenv(&callers);
    return status;
}

/* ---- pseudo-random specifications ---- */

void aic_op_random(const aic_op_info *op, uint64_t *state, const aic_semantics *semantics, void *desc)
{
    if (op->random_under) {
        op->random_under(state, semantics, desc);
    } else {
        op->random(state, desc);
    }
}

/* The operator that is wanted, any for AIC_OP_NONE; NULL, with a message, for none. */
static const aic_op_info *choose_op(aic_op *op, uint64_t *state)
{
    if (*op == AIC_OP_NONE) {
        *op = (aic_op)aic_rng_range(state, AIC_OP_NONE + 1, AIC_OP_END - 1);
    }
    const aic_op_info *info = aic_op_get(*op);
    if (!info) {
        (void)aic_fail(AIC_INVALID_ARGUMENT, NULL, "operator %u is outside 1..%d", (unsigned)*op, AIC_OP_END - 1);
    }
    return info;
}

static void start_spec(const aic_op_info *info, aic_op op, aic_spec *spec)
{
    memset(spec, 0, sizeof *spec);
    spec->count = 1;
    spec->stage[0].op = op;
    info->init(&spec->stage[0].desc);
}

aic_status aic_spec_random(aic_op op, const aic_semantics *semantics, uint64_t seed, aic_spec *spec)
{
    const aic_semantics defaults = aic_semantics_init();
    semantics = semantics ? semantics : &defaults;
    uint64_t state = seed;
    const aic_op_info *info = choose_op(&op, &state);
    aic_status status = info ? aic_semantics_check(semantics) : AIC_INVALID_ARGUMENT;
    if (status == AIC_OK) {
        status = aic_rule_given("spec", spec);
    }
    if (status == AIC_OK) {
        start_spec(info, op, spec);
        aic_op_random(info, &state, semantics, &spec->stage[0].desc);
    }
    return status;
}

aic_status aic_spec_random_illegal(aic_op op, const aic_semantics *semantics, uint64_t seed, aic_spec *spec)
{
    const aic_semantics defaults = aic_semantics_init();
    uint64_t state = seed;
    const aic_op_info *info = choose_op(&op, &state);
    aic_status status = info ? aic_semantics_check(semantics ? semantics : &defaults) : AIC_INVALID_ARGUMENT;
    if (status == AIC_OK) {
        status = aic_rule_given("spec", spec);
    }
    if (status != AIC_OK) {
        return status;
    }
    for (int i = 0; i < AIC_DRAWS_MAX; i++) {
        start_spec(info, op, spec);
        info->random_illegal(&state, &spec->stage[0].desc);
        /* One that is legal under the defaults is a mistake of the hook, which checks are to find. */
        if (aic_spec_validate(spec, semantics) != AIC_OK || aic_spec_validate(spec, NULL) == AIC_OK) {
            return AIC_OK;
        }
    }
    return aic_fail(AIC_INTERNAL, info->record.name, "%d random descriptors, and none that is illegal", AIC_DRAWS_MAX);
}
