/* Emitting parts and programs; see parts.h. */
#include "codegen/parts.h"
#include "codegen/llvm/guard.h"
#include "codegen/own.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- emitters ---- */

static const struct {
    const char *name;
    aic_part_emitter emitter;
} EMITTERS[] = {
#define AIC_PART(name) {#name, {aic_emit_part_##name}},
#include "codegen/parts/parts.def"
#undef AIC_PART
};

/* By the name: a module has kinds of its own, but of the same names. */
const aic_part_emitter *aic_part_emitter_of(const aic_part_kind *kind)
{
    for (size_t i = 0; kind->emitter == NULL && i < sizeof EMITTERS / sizeof EMITTERS[0]; i++) {
        if (strcmp(EMITTERS[i].name, kind->name) == 0) {
            return &EMITTERS[i].emitter;
        }
    }
    return kind->emitter;
}

typedef LLVMValueRef (*own_emitter)(aic_emit *e, const aic_plan *plan, const int64_t *argument, const char *name);

static const own_emitter OWN[AIC_OWNS] = {
#define AIC_OWN(name) [AIC_OWN_##name] = aic_emit_own_##name,
#include "codegen/own.def"
#undef AIC_OWN
};

/* ---- for emitters ---- */

static LLVMValueRef number_named(aic_emit *e, const char *name, int64_t least)
{
    if (e->named) {
        return aic_emit_symbol(e, name, least, AIC_NUMBER_MAX);
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
    if (e->named) {
        return aic_emit_declare(e, role, pointers, integers);
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

/* ---- programs ---- */

static LLVMValueRef emit_part(aic_emit *e, const aic_program *program, const char *name)
{
    const aic_program_part *part = e->emission->part;
    const void *key = aic_program_key(program, part);
    if (part->kind->record != NULL) {
        return aic_part_emitter_of(part->kind)->emit(e, key, name);
    }
    const aic_own_key *own = key;
    return OWN[own->code](e, own->plan, own->argument, name);
}

/* Makes what is emitted visible to parts that are linked to it. */
static void show_roles(const aic_emission *m, const aic_program_part *part)
{
    for (size_t i = 0; i < part->roles; i++) {
        LLVMValueRef function = m->function[m->program->role[part->first_role + i].routine];
        if (function != NULL) {
            LLVMSetLinkage(function, LLVMExternalLinkage);
            LLVMSetVisibility(function, LLVMHiddenVisibility);
        }
    }
}

static bool is_function(const aic_program *program, aic_routine routine)
{
    int f = 0;
    while (f < AIC_FUNCTIONS && program->function[f] != routine) {
        f++;
    }
    return f < AIC_FUNCTIONS;
}

void aic_program_emit(aic_emit *e, aic_emission *m)
{
    const aic_program *program = m->program;
    e->emission = m;
    for (size_t i = 0; i < program->parts; i++) {
        char name[AIC_PROGRAM_NAME_MAX];
        m->part = &program->part[i];
        m->function[i + 1] = NULL;
        if (m->linked && !m->part->own) {
            show_roles(m, m->part);
            continue;
        }
        aic_program_name(program, (aic_routine)i + 1, m->symbol, name);
        m->function[i + 1] = emit_part(e, program, name);
        if (!is_function(program, (aic_routine)i + 1)) {
            aic_emit_hide(e, m->function[i + 1]);
        }
    }
    e->emission = NULL;
}

/* ---- own code ---- */

void aic_body_begin(aic_emit *e, const aic_plan *plan, aic_emit_kind kind, const char *name, aic_body *body)
{
    const unsigned count = (unsigned)plan->operands;
    aic_emit_body(e, kind, name, count);
    *body = (aic_body){.function = e->function};
    for (unsigned i = 0; i < count; i++) {
        body->operand[i] = aic_emit_param(e, i);
    }
    body->shared = aic_emit_param(e, count);
    body->private = aic_emit_param(e, count + 1);
    body->first = aic_emit_param(e, count + 2);
    body->last = aic_emit_param(e, count + 3);
}
