/* Emitting programs, and which emitter each of their functions has; see parts.h. */
#include "codegen/own.h"

#include <string.h>

/* ---- emitters ---- */

static const struct {
    const char *name;
    aic_part_emitter emitter;
} EMITTERS[] = {
#define AIC_PART(name, key, speed) {#name, {aic_emit_part_##name}},
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

void aic_program_emit(aic_emit *e, aic_emission *emission)
{
    const aic_program *program = emission->program;
    e->emission = emission;
    for (size_t i = 0; i < program->parts; i++) {
        char name[AIC_PROGRAM_NAME_MAX];
        emission->part = &program->part[i];
        emission->function[i + 1] = NULL;
        if (emission->needed != NULL && !emission->needed[i]) {
            continue;
        }
        if (emission->linked && !emission->part->own) {
            show_roles(emission, emission->part);
            continue;
        }
        aic_program_name(program, (aic_routine)i + 1, emission->symbol, name);
        emission->function[i + 1] = emit_part(e, program, name);
        if (aic_program_function(program, (aic_routine)i + 1) != AIC_FUNCTIONS) {
            LLVMSetLinkage(emission->function[i + 1], LLVMExternalLinkage);
        } else {
            aic_emit_hide(e, emission->function[i + 1]);
        }
    }
    e->emission = NULL;
}
