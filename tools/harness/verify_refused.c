/* Illegal specifications: every entry point refuses them, and says which parameter is at fault. */
#include "tools/harness/entry.h"
#include "tools/harness/stages.h"
#include "tools/harness/verify.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 4096 }; /* longer than any specification */

/* Whether operator text has this key. */
static bool has_key(const char *text, const char *key, size_t length)
{
    for (const char *at = strchr(text, '('); at != NULL; at = strpbrk(at + 1, "( ")) {
        if (strncmp(at + 1, key, length) == 0 && at[1 + length] == '=') {
            return true;
        }
    }
    return false;
}

/* Whether the message is "OPERATOR: FIELD: ..." or, of a relation between two, "OPERATOR: FIELD / FIELD: ...", of an
 * operator of the specification. */
static bool names_field(const aic_spec *spec, const char *message)
{
    char text[TEXT_MAX];
    size_t operator_length = strcspn(message, ":");
    const char *field = message + operator_length + 2;
    if (message[operator_length] == '\0' || message[operator_length + 1] != ' ') {
        return false;
    }
    size_t length = strcspn(field, ": ");
    if (field[length] != ':' && strncmp(field + length, " / ", 3) != 0) {
        return false;
    }
    for (size_t i = 0; i < aic_spec_stages(spec); i++) {
        const stage_desc stage = stage_of(spec, i);
        const char *name = aic_op_name(stage.op);
        aic_spec *alone = NULL;
        const bool named = strlen(name) == operator_length && memcmp(name, message, operator_length) == 0 &&
                           aic_spec_create(stage.op, &stage.desc, &alone) == AIC_OK &&
                           aic_spec_print(alone, text, sizeof text, NULL) == AIC_OK;
        aic_spec_destroy(alone);
        if (named) {
            return has_key(text, field, length);
        }
    }
    return false;
}

/* The entry points. Each gets operands that would be too small for most specifications: the first entry that accepts
 * an illegal one ends the attempt before any computes with them. */
enum { ENTRY_VALIDATE, ENTRY_KERNEL, ENTRY_REFERENCE, ENTRY_JIT_SPEC, ENTRY_JIT, ENTRY_COUNT };
static const char *const entry_names[ENTRY_COUNT] = {"aic_spec_validate", "aic_kernel_create", "aic_reference",
                                                     "aic_jit_spec", "aic_jit"};

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
        aic_kernel_destroy(kernel);
        return status;
    case ENTRY_REFERENCE:
        return aic_reference(spec, semantics, operand, AIC_OPERANDS_MAX);
    case ENTRY_JIT_SPEC:
        return aic_jit_spec(context, spec, operand, AIC_OPERANDS_MAX);
    default:
        return entry_jit(context, spec, operand, AIC_OPERANDS_MAX);
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
        char message[sizeof report->text / 2]; /* names_field calls the library */
        (void)snprintf(message, sizeof message, "%s", aic_last_error());
        if (!names_field(spec, message)) {
            return verify_say(report, VERIFY_FAILED, "%s: the message names no parameter: \"%s\"", entry_names[entry],
                              message);
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
