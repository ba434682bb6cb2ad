/* Uses of parts; see parts.h. */
#include "codegen/parts.h"
#include "codegen/llvm/guard.h"
#include "frontend/core/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- filling in a use ---- */

void aic_use_begin(aic_use *use, const aic_part_kind *kind, const void *key, unsigned pointers, unsigned integers)
{
    use->kind = kind;
    use->key = key;
    use->pointers = pointers;
    use->integers = integers;
    use->literal = false;
    use->numbers = use->roles = 0;
}

static void give(aic_use *use, const char *name, int64_t value)
{
    aic_limit("numbers of a part", use->numbers + 1, AIC_NUMBERS_MAX);
    aic_number_value *number = &use->number[use->numbers++];
    number->value = value;
    const int length = snprintf(number->name, sizeof number->name, "%s", name);
    aic_limit("letters of a number's name", (size_t)length, sizeof number->name - 1);
}

void aic_use_number(aic_use *use, int64_t value, const char *format, ...)
{
    char name[2 * AIC_NUMBER_NAME_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    give(use, name, value);
    use->literal |= value < 0 || value > AIC_NUMBER_MAX;
}

void aic_use_trips(aic_use *use, int64_t value, const char *name)
{
    give(use, name, value);
    use->literal |= value < 1 || value > AIC_NUMBER_MAX;
}

void aic_use_call(aic_use *use, const char *role, LLVMValueRef function)
{
    aic_limit("roles of a part", use->roles + 1, AIC_ROLES_MAX);
    const int length = snprintf(use->role[use->roles].name, sizeof use->role[0].name, "%s", role);
    aic_limit("letters of a role's name", (size_t)length, sizeof use->role[0].name - 1);
    use->role[use->roles++].function = function;
}

/* ---- emitting parts ---- */

static LLVMValueRef number_named(aic_emit *e, const char *name, int64_t least)
{
    if (e->named) {
        return aic_emit_symbol(e, name, least, AIC_NUMBER_MAX);
    }
    for (size_t i = 0; e->use != NULL && i < e->use->numbers; i++) {
        if (strcmp(e->use->number[i].name, name) == 0) {
            return aic_int(e, e->use->number[i].value);
        }
    }
    aic_guard_missing("number", name);
}

LLVMValueRef aic_number(aic_emit *e, const char *format, ...)
{
    char name[2 * AIC_NUMBER_NAME_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return number_named(e, name, 0);
}

LLVMValueRef aic_trips(aic_emit *e, const char *name)
{
    return number_named(e, name, 1);
}

LLVMValueRef aic_callee(aic_emit *e, const char *role, unsigned pointers, unsigned integers)
{
    if (e->named) {
        return aic_emit_declare(e, role, pointers, integers);
    }
    for (size_t i = 0; e->use != NULL && i < e->use->roles; i++) {
        if (strcmp(e->use->role[i].name, role) == 0) {
            return e->use->role[i].function;
        }
    }
    aic_guard_missing("role", role);
}

/* ---- programs ---- */

static const char *name_of(LLVMValueRef function)
{
    size_t length;
    return LLVMGetValueName2(function, &length);
}

/* Whether there is room for a use. */
static bool has_room(const aic_program *program, const aic_use *use)
{
    return program->parts < AIC_PROGRAM_PARTS_MAX && program->numbers + use->numbers <= AIC_PROGRAM_NUMBERS_MAX &&
           program->roles + use->roles <= AIC_PROGRAM_ROLES_MAX;
}

/* Notes a use. */
static void note(aic_program *program, const aic_use *use, const char *symbol)
{
    aic_program_part *part = &program->part[program->parts++];
    *part = (aic_program_part){.kind = use->kind,
                               .numbers = use->numbers,
                               .first_number = program->numbers,
                               .roles = use->roles,
                               .first_role = program->roles};
    memcpy(part->key, use->key, use->kind->key_bytes);
    (void)snprintf(part->symbol, sizeof part->symbol, "%s", symbol);
    memcpy(&program->number[program->numbers], use->number, use->numbers * sizeof use->number[0]);
    program->numbers += use->numbers;
    for (size_t i = 0; i < use->roles; i++) {
        if (program->linked) { /* a part calls it from outside of its module */
            LLVMSetLinkage(use->role[i].function, LLVMExternalLinkage);
            LLVMSetVisibility(use->role[i].function, LLVMHiddenVisibility);
        }
        const size_t number = program->roles++;
        char *name = program->symbol[number];
        (void)snprintf(name, sizeof program->symbol[0], "%s", name_of(use->role[i].function));
        memcpy(program->binding[number].role, use->role[i].name, sizeof use->role[i].name);
        program->binding[number].symbol = name;
    }
}

/* Emits the part as a function of the kernel. */
static LLVMValueRef emit_here(aic_emit *e, const aic_use *use, const char *name)
{
    const aic_use *outer = e->use;
    e->use = use;
    LLVMValueRef function = use->kind->emit(e, use->key, name);
    e->use = outer;
    return function;
}

LLVMValueRef aic_emit_use(aic_emit *e, const aic_use *use, const char *name)
{
    aic_limit("bytes of a part's key", use->kind->key_bytes, AIC_PART_KEY_MAX);
    aic_limit("letters of a function's name", strlen(name), AIC_PROGRAM_NAME_MAX - 1);
    const bool noted = e->program != NULL && !use->literal && has_room(e->program, use);
    if (noted) {
        note(e->program, use, name);
    }
    return noted && e->program->linked ? aic_emit_declare(e, name, use->pointers, use->integers)
                                       : emit_here(e, use, name);
}
