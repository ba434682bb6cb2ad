/* What callers can find out about a program of PTO-AS: its arguments and statements. */
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/ops/texpands.h"
#include "frontend/pto/program.h"
#include <stdlib.h>

static aic_operand operand_of(const char *name, aic_direction direction, aic_dtype dtype, int64_t elements)
{
    return (aic_operand){.name = name,
                         .direction = direction,
                         .dtype = dtype,
                         .rank = 1,
                         .shape = {elements},
                         .elements = elements,
                         .bytes = elements * (int64_t)aic_dtype_size(dtype)};
}

static void list(aic_pto_program *p, size_t argument, size_t owner, aic_operand operand)
{
    p->arguments[argument] = operand;
    p->addresses[argument] = aic_operand_argument(&operand);
    p->owners[argument] = owner;
}

/* Those of a tile: itself and the sizes that the call gives. */
static void list_tile(aic_pto_program *p, size_t index)
{
    const aic_pto_name *name = &p->names[index];
    list(p, name->argument, index,
         operand_of(name->text, name->made && !p->manual ? AIC_DIRECTION_OUT : AIC_DIRECTION_INOUT,
                    name->tile.desc.dtype, aic_texpands_storage(&name->tile.desc)));
    p->arguments[name->argument].strided = true;
    for (size_t i = 0; i < 2; i++) {
        if (name->size_argument[i] != AIC_PTO_NONE) {
            list(p, name->size_argument[i], index, operand_of(name->sizes[i], AIC_DIRECTION_IN, AIC_INT32, 1));
        }
    }
}

aic_status aic_pto_list_arguments(aic_pto_program *p)
{
    p->arguments = calloc(p->argument_count + 1, sizeof *p->arguments);
    p->addresses = calloc(p->argument_count + 1, sizeof *p->addresses);
    p->owners = calloc(p->argument_count + 1, sizeof *p->owners);
    if (p->arguments == NULL || p->addresses == NULL || p->owners == NULL) {
        return aic_fail_memory("texpands", p->argument_count * sizeof *p->arguments);
    }
    for (size_t i = 0; i < p->name_count; i++) {
        const aic_pto_name *name = &p->names[i];
        if (name->kind == AIC_PTO_NAME_TILE) {
            list_tile(p, i);
        } else if (name->kind == AIC_PTO_NAME_SCALAR) {
            list(p, name->argument, i, operand_of(name->text, AIC_DIRECTION_IN, aic_pto_type_dtype(name->type), 1));
        }
    }
    return AIC_OK;
}

size_t aic_pto_argument_count(const aic_pto_program *program)
{
    return program != NULL ? program->argument_count : 0;
}

/* The program, or else what the answer goes to. */
static aic_status fail_null(const aic_pto_program *program, const char *answer)
{
    return aic_fail(AIC_INVALID_ARGUMENT, "texpands", "the %s is NULL", program == NULL ? "program" : answer);
}

aic_status aic_pto_argument(const aic_pto_program *program, size_t index, aic_operand *argument)
{
    if (program == NULL || argument == NULL) {
        return fail_null(program, "argument");
    }
    if (index >= program->argument_count) {
        return aic_fail(AIC_INVALID_ARGUMENT, "texpands", "argument %zu is none of the program's %zu", index,
                        aic_pto_argument_count(program));
    }
    return aic_structure_give("argument", argument, &program->arguments[index], sizeof *argument);
}

aic_status aic_pto_coordinates(const aic_pto_program *program, size_t index, aic_coordinates *coordinates)
{
    aic_operand argument = aic_operand_init();
    if (coordinates == NULL) {
        return fail_null(program, "coordinates");
    }
    aic_status status = aic_pto_argument(program, index, &argument);
    if (status != AIC_OK) {
        return status;
    }
    const aic_pto_name *owner = &program->names[program->owners[index]];
    aic_coordinates made = aic_coordinates_init();
    if (owner->kind == AIC_PTO_NAME_TILE && owner->argument == index) {
        aic_op_texpands.coordinates(&owner->tile.desc, &program->options.semantics, AIC_TEXPANDS_DST, &made);
    }
    aic_axes_of_shape(&made, &argument);
    return aic_structure_give("coordinates", coordinates, &made, sizeof made);
}

size_t aic_pto_statement_count(const aic_pto_program *program)
{
    return program != NULL ? program->code_count : 0;
}

aic_status aic_pto_get_statement(const aic_pto_program *program, size_t index, aic_pto_statement *statement)
{
    if (program == NULL || statement == NULL) {
        return fail_null(program, "statement");
    }
    if (index >= program->code_count) {
        return aic_fail(AIC_INVALID_ARGUMENT, "texpands", "statement %zu is none of the program's %zu", index,
                        aic_pto_statement_count(program));
    }
    aic_pto_statement made = program->code[index].public;
    made.spec = &program->code[index].spec;
    return aic_structure_give("statement", statement, &made, sizeof made);
}
