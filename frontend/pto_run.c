/* Running a program of PTO-AS; see pto_run.h. */
#include "frontend/pto_run.h"

#include "frontend/argument.h"
#include "frontend/diag.h"
#include "frontend/op.h"

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
static void operands_of(const aic_pto_statement *statement, void *const arguments[], void *operands[AIC_OPERANDS_MAX])
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        const size_t argument = statement->argument[i];
        operands[i] = argument == AIC_PTO_NONE ? NULL : arguments[argument];
    }
}

static aic_status check_addresses(const aic_pto_program *p, void *const arguments[])
{
    aic_argument *wanted = calloc(p->argument_count + 1, sizeof *wanted);
    if (wanted == NULL) {
        return aic_fail_memory("texpands", p->argument_count * sizeof *wanted);
    }
    aic_status status = AIC_OK;
    for (size_t i = 0; i < p->argument_count && status == AIC_OK; i++) {
        aic_operand operand;
        status = aic_pto_argument(p, i, &operand);
        wanted[i] = aic_operand_argument(&operand);
    }
    if (status == AIC_OK) {
        status = aic_arguments_check("texpands", wanted, p->argument_count, (const void *const *)arguments);
    }
    free(wanted);
    return status;
}

aic_status aic_pto_check_rules(const aic_pto_program *program, const aic_semantics *semantics)
{
    aic_status status = aic_pto_check_statements(program, semantics);
    for (size_t i = 0; i < program->name_count && status == AIC_OK; i++) {
        const aic_pto_name *name = &program->names[i];
        if (name->kind == AIC_PTO_NAME_TILE && aic_pto_check_tile(program, name, semantics) != AIC_OK) {
            status = aic_fail(AIC_INVALID_ARGUMENT, NULL, "%s (%%%s)", aic_last_error(), name->text);
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
    if (program->options.free_names) {
        return aic_fail(AIC_INVALID_ARGUMENT, "texpands", "a program with free names cannot be run");
    }
    if (count != program->argument_count) {
        return aic_fail(AIC_INVALID_ARGUMENT, "texpands", "arguments: %zu given, %zu needed", count,
                        program->argument_count);
    }
    aic_status status = check_addresses(program, arguments);
    for (size_t i = 0; i < program->code_count && status == AIC_OK; i++) {
        const aic_pto_statement *s = &program->code[i].public;
        void *operands[AIC_OPERANDS_MAX];
        operands_of(s, arguments, operands);
        if (aic_spec_check_data(&s->spec, (const void *const *)operands) != AIC_OK) {
            status =
                aic_fail(AIC_INVALID_ARGUMENT, NULL, "%s (line %zu, column %zu)", aic_last_error(), s->line, s->column);
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

/* Every placed tile from its argument to the image, in their order, or back. */
static void copy_tiles(const aic_pto_program *p, const memory *shared, void *const arguments[], bool back)
{
    for (size_t i = 0; i < p->name_count; i++) {
        const aic_pto_name *name = &p->names[i];
        if (is_placed(name)) {
            void *image = shared->image[name->tile.desc.loc] + name->address, *argument = arguments[name->argument];
            memcpy(back ? argument : image, back ? image : argument, (size_t)aic_pto_tile_bytes(name));
        }
    }
}

static aic_status run_steps(const aic_pto_program *p, const memory *shared, void *const arguments[], aic_pto_step step,
                            void *user)
{
    aic_status status = AIC_OK;
    for (size_t i = 0; i < p->code_count && status == AIC_OK; i++) {
        const aic_pto_statement *s = &p->code[i].public;
        const aic_pto_name *tile = &p->names[p->code[i].tile];
        void *operands[AIC_OPERANDS_MAX];
        operands_of(s, arguments, operands);
        if (shared != NULL && is_placed(tile)) {
            operands[0] = shared->image[tile->tile.desc.loc] + tile->address;
        }
        status = step(user, i, s, operands);
    }
    return status;
}

aic_status aic_pto_execute(const aic_pto_program *program, void *const arguments[], aic_pto_step step, void *user)
{
    memory shared;
    if (!program->shares_memory) {
        return run_steps(program, NULL, arguments, step, user);
    }
    aic_status status = open_memory(program, &shared);
    if (status != AIC_OK) {
        return status;
    }
    copy_tiles(program, &shared, arguments, false);
    status = run_steps(program, &shared, arguments, step, user);
    if (status == AIC_OK) {
        copy_tiles(program, &shared, arguments, true);
    }
    close_memory(&shared);
    return status;
}

/* ---- the reference ---- */

static aic_status reference_step(void *user, size_t index, const aic_pto_statement *statement,
                                 void *const operands[AIC_OPERANDS_MAX])
{
    const aic_semantics *semantics = user;
    (void)index;
    return aic_reference(&statement->spec, semantics, operands, statement->operands);
}

aic_status aic_pto_reference(const aic_pto_program *program, void *const arguments[], size_t count)
{
    aic_status status = aic_pto_check(program, arguments, count);
    if (status == AIC_OK) {
        aic_semantics semantics = program->options.semantics;
        status = aic_pto_execute(program, arguments, reference_step, &semantics);
    }
    return status;
}
