/* What emitters of parts call; see parts.h. */
#include "codegen/parts.h"
#include "codegen/llvm/guard.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- for emitters ---- */

enum { SYMBOL_MAX = AIC_PIECE_SECTION_MAX + 2 * AIC_NUMBER_NAME_MAX };

/* What a number or a role is called in the module of a part. */
static const char *symbol_of(const aic_emit *e, const char *name, char symbol[SYMBOL_MAX])
{
    (void)snprintf(symbol, SYMBOL_MAX, "%s%s", e->prefix, name);
    return symbol;
}

static LLVMValueRef number_named(aic_emit *e, const char *name, int64_t least, bool held)
{
    char symbol[SYMBOL_MAX];
    if (e->named) {
        return aic_emit_symbol(e, symbol_of(e, name, symbol), least, AIC_NUMBER_MAX, held);
    }
    const aic_emission *m = e->emission;
    for (size_t i = 0; i < m->part->numbers; i++) {
        const aic_number_value *number = &m->program->number[m->part->first_number + i];
        if (strcmp(number->name, name) == 0) {
            return aic_int(e, number->value);
        }
    }
    aic_guard_missing("number", name);
}

__attribute__((format(printf, 4, 0))) static LLVMValueRef number_of_format(aic_emit *e, int64_t least, bool held,
                                                                           const char *format, va_list arguments)
{
    char name[2 * AIC_NUMBER_NAME_MAX];
    (void)vsnprintf(name, sizeof name, format, arguments);
    return number_named(e, name, least, held);
}

LLVMValueRef aic_number(aic_emit *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    LLVMValueRef number = number_of_format(e, 0, true, format, arguments);
    va_end(arguments);
    return number;
}

LLVMValueRef aic_inner_number(aic_emit *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    LLVMValueRef number = number_of_format(e, 0, false, format, arguments);
    va_end(arguments);
    return number;
}

LLVMValueRef aic_trips(aic_emit *e, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    LLVMValueRef number = number_of_format(e, 1, true, format, arguments);
    va_end(arguments);
    return number;
}

LLVMValueRef aic_scaled(aic_emit *e, LLVMValueRef index, const char *pitch)
{
    return aic_times(e, index, aic_number(e, "%s", pitch));
}

LLVMValueRef aic_at_index(aic_emit *e, LLVMValueRef base, LLVMValueRef index, const char *pitch)
{
    return aic_at(e, base, aic_scaled(e, index, pitch));
}

LLVMValueRef aic_behind(aic_emit *e, LLVMValueRef base, const char *number)
{
    return aic_at(e, base, aic_number(e, "%s", number));
}

LLVMValueRef aic_at_nth(aic_emit *e, LLVMValueRef base, const char *name, int64_t index)
{
    return index == 0 ? base : aic_at(e, base, aic_number(e, "%s.%lld", name, (long long)index));
}

/* A function of the program as what is emitted can call it. */
static LLVMValueRef function_of(aic_emit *e, aic_routine routine, unsigned pointers, unsigned integers)
{
    const aic_emission *m = e->emission;
    char name[AIC_PROGRAM_NAME_MAX];
    if (m->function[routine] != NULL) {
        return m->function[routine];
    }
    aic_program_name(m->program, routine, m->symbol, name);
    return aic_emit_declare(e, name, pointers, integers);
}

LLVMValueRef aic_callee(aic_emit *e, const char *role, unsigned pointers, unsigned integers)
{
    char symbol[SYMBOL_MAX];
    if (e->named) {
        return aic_emit_declare(e, symbol_of(e, role, symbol), pointers, integers);
    }
    const aic_emission *m = e->emission;
    for (size_t i = 0; i < m->part->roles; i++) {
        const aic_role *taken = &m->program->role[m->part->first_role + i];
        if (strcmp(taken->name, role) == 0) {
            return function_of(e, taken->routine, pointers, integers);
        }
    }
    aic_guard_missing("role", role);
}

void aic_call_role(aic_emit *e, LLVMValueRef *args, unsigned pointers, unsigned integers, const char *format, ...)
{
    char role[AIC_ROLE_NAME_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(role, sizeof role, format, arguments);
    va_end(arguments);
    aic_emit_call(e, aic_callee(e, role, pointers, integers), args, pointers + integers);
}

void aic_operand_names(aic_emit *e, unsigned count, const char **names)
{
    static const char *const NUMBERED[AIC_PARAMS_MAX] = {
        "operand.0",  "operand.1",  "operand.2",  "operand.3",  "operand.4",  "operand.5",  "operand.6",  "operand.7",
        "operand.8",  "operand.9",  "operand.10", "operand.11", "operand.12", "operand.13", "operand.14", "operand.15",
        "operand.16", "operand.17", "operand.18", "operand.19", "operand.20", "operand.21", "operand.22", "operand.23"};
    const aic_emission *m = e->emission;
    const bool named = m != NULL && m->operand != NULL;
    aic_limit("operands", count, AIC_PARAMS_MAX);
    memcpy(names, named ? m->operand : NUMBERED, count * sizeof names[0]);
}

void aic_emit_body(aic_emit *e, aic_emit_kind kind, const char *name, unsigned operands)
{
    static const char *const OTHERS[] = {"shared", "private", "first", "last"};
    const char *names[AIC_PARAMS_MAX];
    aic_limit("parameters of a body", operands + 4, AIC_PARAMS_MAX);
    aic_operand_names(e, operands, names);
    memcpy(names + operands, OTHERS, sizeof OTHERS);
    aic_emit_function(e, name, kind, names, operands + 2, 2);
}
