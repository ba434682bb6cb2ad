/* Running a program of PTO-AS; see pto_run.h. */
#include "frontend/core/key.h"
#include "frontend/core/spec.h"
#include "frontend/pto/program.h"

#include "frontend/core/argument.h"
#include "frontend/core/diag.h"
#include "frontend/ops/texpands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORIES = AIC_LOC_MAT + 1, IMAGE_ALIGNMENT = 64 };

/* Of the unified buffer and L1 as far as tiles reach; NULL: not used. */
typedef struct memory {
    unsigned char *image[MEMORIES];
} memory;

/* ---- checks ---- */

/* Operands of a statement at the caller's addresses. */
static void operands_of(const aic_pto_statement *statement, void *const arguments[], void *operands[])
{
    for (size_t i = 0; i < statement->operands; i++) {
        const size_t argument = statement->argument[i];
        operands[i] = argument == AIC_PTO_NONE ? NULL : arguments[argument];
    }
}

aic_status aic_pto_check_rules(const aic_pto_program *program, const aic_semantics *semantics)
{
    if (aic_record_equal(&aic_semantics_record, &program->options.semantics, semantics)) {
        return AIC_OK; /* checked when it was read */
    }
    aic_status status = aic_pto_check_statements(program, semantics);
    for (size_t i = 0; i < program->name_count && status == AIC_OK; i++) {
        const aic_pto_name *name = &program->names[i];
        if (name->kind == AIC_PTO_NAME_TILE && aic_pto_check_tile(program, name, semantics) != AIC_OK) {
            status = aic_fail_where(AIC_INVALID_ARGUMENT, " (%%%s)", name->text);
        }
    }
    return status;
}

aic_status aic_pto_check(const aic_pto_program *program, void *const arguments[], size_t count)
{
    if (program == NULL || (arguments == NULL && count > 0)) {
        return aic_fail(AIC_INVALID_ARGUMENT, "texpands", "the %s NULL",
                        program == NULL ? "program is" : "arguments are");
    }
    aic_verdict v = aic_request_verdict("texpands");
    if (program->options.free_names) {
        aic_break(&v, AIC_REQUEST_arguments, "a program with free names cannot be run");
    } else if (count != program->argument_count) {
        aic_break(&v, AIC_REQUEST_arguments, "arguments: %zu given, %zu needed", count, program->argument_count);
    }
    if (v.status != AIC_OK) {
        return v.status;
    }
    const void *const *addresses = (const void *const *)arguments;
    aic_status status = AIC_OK;
    if (!aic_arguments_accepted_many(program->addresses, count, addresses)) {
        status = aic_arguments_check("texpands", program->addresses, count, addresses);
    }
    for (size_t i = 0; i < program->code_count && status == AIC_OK; i++) {
        const aic_pto_statement *s = &program->code[i].public;
        if (!aic_texpands_is_dynamic(&program->code[i].desc)) {
            continue; /* the valid sizes are the only data with rules */
        }
        void *operands[AIC_OPERANDS_MAX] = {NULL};
        operands_of(s, arguments, operands);
        if (aic_op_texpands.check_data(&program->code[i].desc, (const void *const *)operands) != AIC_OK) {
            status = aic_fail_where(AIC_INVALID_ARGUMENT, " (line %zu, column %zu)", s->line, s->column);
        }
    }
    return status;
}

/* ---- shared memory ---- */

static bool is_placed(const aic_pto_name *name)
{
    return name->kind == AIC_PTO_NAME_TILE && name->address != AIC_NOT_GIVEN;
}

static aic_status open_memory(const aic_pto_program *p, memory *shared)
{
    int64_t bytes[MEMORIES] = {0};
    *shared = (memory){{NULL, NULL}};
    for (size_t i = 0; i < p->name_count; i++) {
        const aic_pto_name *name = &p->names[i];
        if (is_placed(name)) {
            const int64_t end = name->address + aic_pto_tile_bytes(name);
            int64_t *most = &bytes[name->tile.desc.loc];
            *most = end > *most ? end : *most;
        }
    }
    for (size_t m = 0; m < MEMORIES; m++) {
        const size_t size = ((size_t)bytes[m] + IMAGE_ALIGNMENT - 1) / IMAGE_ALIGNMENT * IMAGE_ALIGNMENT;
        shared->image[m] = size > 0 ? aligned_alloc(IMAGE_ALIGNMENT, size) : NULL;
        if (size > 0 && shared->image[m] == NULL) {
            free(shared->image[0]);
            return aic_fail_memory("texpands", size);
        }
    }
    return AIC_OK;
}

static void close_memory(memory *shared)
{
    for (size_t m = 0; m < MEMORIES; m++) {
        free(shared->image[m]);
    }
}

/* Where a placed tile lies. */
static void *image_of(const memory *shared, const aic_pto_name *name)
{
    return shared->image[name->tile.desc.loc] + name->address;
}

/* Placed tiles from their arguments to the image, in their order: those that the program makes, or those of .arg. */
static void gather(const aic_pto_program *p, const memory *shared, void *const arguments[], bool made)
{
    for (size_t i = 0; i < p->argument_count; i++) {
        const aic_pto_name *name = &p->names[p->owners[i]];
        if (is_placed(name) && name->argument == i && name->made == made) {
            memcpy(image_of(shared, name), arguments[i], (size_t)aic_pto_tile_bytes(name));
        }
    }
}

static void hand_out(const aic_pto_program *p, const memory *shared, void *const arguments[])
{
    for (size_t i = 0; i < p->name_count; i++) {
        const aic_pto_name *name = &p->names[i];
        if (is_placed(name)) {
            memcpy(arguments[name->argument], image_of(shared, name), (size_t)aic_pto_tile_bytes(name));
        }
    }
}

static aic_status run_groups(const aic_pto_program *p, const memory *shared, void *const arguments[], aic_pto_step step,
                             void *user)
{
    void *operands[AIC_GROUP_MAX * AIC_OPERANDS_MAX];
    aic_status status = AIC_OK;
    for (size_t first = 0, end; first < p->code_count && status == AIC_OK; first = end) {
        void **own = operands;
        end = aic_pto_group_end(p, first);
        for (size_t i = first; i < end; own += p->code[i++].public.operands) {
            const aic_pto_name *tile = &p->names[p->code[i].tile];
            operands_of(&p->code[i].public, arguments, own);
            if (shared != NULL) { /* placement is manual: statements have bound tiles */
                own[AIC_TEXPANDS_DST] = image_of(shared, tile);
            }
        }
        status = step(user, first, end - first, operands);
    }
    return status;
}

aic_status aic_pto_execute(const aic_pto_program *program, void *const arguments[], aic_pto_step step, void *user)
{
    memory shared;
    if (!program->shares_memory) {
        return run_groups(program, NULL, arguments, step, user);
    }
    aic_status status = open_memory(program, &shared);
    if (status != AIC_OK) {
        return status;
    }
    gather(program, &shared, arguments, true);
    gather(program, &shared, arguments, false); /* over those: a tile of .arg is memory that the caller fills */
    status = run_groups(program, &shared, arguments, step, user);
    if (status == AIC_OK) {
        hand_out(program, &shared, arguments);
    }
    close_memory(&shared);
    return status;
}

/* ---- the reference ---- */

typedef struct reference_run {
    const aic_pto_program *program;
    aic_semantics semantics;
} reference_run;

static aic_status reference_step(void *user, size_t first, size_t count, void *const operands[])
{
    const reference_run *run = user;
    aic_status status = AIC_OK;
    for (size_t i = 0; i < count && status == AIC_OK; i++) {
        const aic_pto_code *code = &run->program->code[first + i];
        status = aic_reference(&code->spec, &run->semantics, operands, code->public.operands);
        operands += code->public.operands;
    }
    return status;
}

aic_status aic_pto_reference(const aic_pto_program *program, void *const arguments[], size_t count)
{
    aic_status status = aic_pto_check(program, arguments, count);
    if (status == AIC_OK) {
        reference_run run = {program, program->options.semantics};
        status = aic_pto_execute(program, arguments, reference_step, &run);
    }
    return status;
}
