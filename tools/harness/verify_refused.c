/* Illegal specifications: every entry point refuses them, and says which parameter is at fault. */
#include "tools/harness/verify_report.h"

#include <string.h>

/* Parameter names of each operator, from the lists that make the descriptors. */
static const char *const conv2d_fields[] = {
#define AIC_FIELD(kind, name, count, need, fallback) #name,
#include <aic/conv2d.def>
#undef AIC_FIELD
    NULL};

static const char *const mmad_fields[] = {
#define AIC_FIELD(kind, name, count, need, fallback) #name,
#include <aic/mmad.def>
#undef AIC_FIELD
    NULL};

/* aic_jit_OP with operands in calling order, one function an operator. */
static aic_status jit_conv2d(aic_context *context, const aic_stage *stage, void *const operand[])
{
    return aic_jit_conv2d(context, &stage->desc.conv2d, operand[0], operand[1], operand[2]);
}

static aic_status jit_mmad(aic_context *context, const aic_stage *stage, void *const operand[])
{
    return aic_jit_mmad(context, &stage->desc.mmad, operand[0], operand[1], operand[2]);
}

typedef struct op_row {
    const char *const *fields;
    aic_status (*jit)(aic_context *context, const aic_stage *stage, void *const operand[]);
} op_row;

static const op_row ops[AIC_OP_END] = {
#define AIC_OP(ENUM, name, params, args) [AIC_OP_##ENUM] = {name##_fields, jit_##name},
#include <aic/ops.def>
#undef AIC_OP
};

aic_status verify_jit(aic_context *context, const aic_stage *stage, void *const operand[])
{
    return ops[stage->op].jit(context, stage, operand);
}

/* Whether the message is "OPERATOR: FIELD: ..." or, of a relation between two, "OPERATOR: FIELD / FIELD: ...". */
static bool names_field(aic_op op, const char *message)
{
    size_t length = strlen(aic_op_name(op));
    if (strncmp(message, aic_op_name(op), length) != 0 || strncmp(message + length, ": ", 2) != 0) {
        return false;
    }
    const char *at = message + length + 2;
    for (const char *const *field = ops[op].fields; *field != NULL; field++) {
        size_t n = strlen(*field);
        if (strncmp(at, *field, n) == 0 && (at[n] == ':' || strncmp(at + n, " / ", 3) == 0)) {
            return true;
        }
    }
    return false;
}

/* The entry points. Each gets operands that would be too small for most specifications: the first entry that accepts
 * an illegal one ends the attempt before any computes with them. */
enum { ENTRY_VALIDATE, ENTRY_KERNEL, ENTRY_REFERENCE, ENTRY_JIT, ENTRY_COUNT };
static const char *const entry_names[ENTRY_COUNT] = {"aic_spec_validate", "aic_kernel_create", "aic_reference",
                                                     "aic_jit"};

static aic_status try_entry(int entry, const aic_spec *spec, const aic_semantics *semantics, aic_context *context,
                            void *const operand[])
{
    aic_kernel *kernel = NULL;
    aic_status status;
    switch (entry) {
    case ENTRY_VALIDATE:
        return aic_spec_validate(spec, semantics);
    case ENTRY_KERNEL:
        status = aic_kernel_create(context, spec, NULL, &kernel);
        aic_kernel_release(kernel);
        return status;
    case ENTRY_REFERENCE:
        return aic_reference(spec, semantics, operand, 3);
    default:
        return verify_jit(context, &spec->stage[0], operand);
    }
}

verify_verdict verify_refused(const aic_spec *spec, const aic_semantics *semantics, aic_context *context,
                              verify_report *report)
{
    enum { BYTES = 4096, PATTERN = 0x5C };
    static _Alignas(64) unsigned char memory[AIC_OPERANDS_MAX][BYTES];
    *report = (verify_report){.verdict = VERIFY_PASSED};
    memset(memory, PATTERN, sizeof memory);
    void *operand[AIC_OPERANDS_MAX];
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        operand[i] = memory[i];
    }
    for (int entry = 0; entry < ENTRY_COUNT; entry++) {
        aic_status status = try_entry(entry, spec, semantics, context, operand);
        if (status != AIC_INVALID_ARGUMENT) {
            return verify_say(report, VERIFY_FAILED, "%s answers %s, not AIC_INVALID_ARGUMENT", entry_names[entry],
                              aic_status_name(status));
        }
        if (!names_field(spec->stage[0].op, aic_last_error())) {
            return verify_say(report, VERIFY_FAILED, "%s: the message names no parameter: \"%s\"", entry_names[entry],
                              aic_last_error());
        }
    }
    const unsigned char *bytes = &memory[0][0];
    for (size_t i = 0; i < sizeof memory; i++) {
        if (bytes[i] != PATTERN) {
            return verify_say(report, VERIFY_FAILED, "operand memory was written although the call was refused");
        }
    }
    return VERIFY_PASSED;
}
