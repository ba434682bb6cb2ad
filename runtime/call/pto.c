/* Programs of PTO-AS through kernels, one for each group of statements: all are made before the first runs. */
#include "frontend/core/diag.h"
#include "frontend/core/key.h"
#include "frontend/pto/program.h"
#include "runtime/request/pipeline.h"
#include <stdlib.h>

enum {
    KEY_WORDS = 1 /* the operator */
#define AIC_FIELD(kind, name, count, need, fallback) +count
#include <aic/texpands.def>
#undef AIC_FIELD
};

_Static_assert(KEY_WORDS <= AIC_GROUP_WORDS_MAX, "a group of texpands must fit into a key");

typedef struct run {
    const aic_pto_program *program;
    aic_code **code; /* of each group; belongs to the context */
} run;

/* Finds or makes the kernel of every group. */
static aic_status find_kernels(aic_context *context, const run *r)
{
    const aic_pto_program *p = r->program;
    aic_status status = AIC_OK;
    for (size_t first = 0, end; first < p->code_count && status == AIC_OK; first = end) {
        aic_stage_view stage[AIC_GROUP_MAX];
        end = aic_pto_group_end(p, first);
        for (size_t i = first; i < end; i++) {
            stage[i - first] = (aic_stage_view){.op = AIC_OP_TEXPANDS, .stages = 1, .desc = &p->code[i].desc};
        }
        const aic_request request = {.specs = end - first, .count = end - first, .stage = stage};
        aic_result result = {.code = NULL};
        status = aic_pipeline(context, &request, &result);
        r->code[p->code[first].public.group] = result.code;
    }
    return status;
}

static aic_status step(void *user, size_t first, size_t count, void *const operands[])
{
    const run *r = user;
    const aic_code *code = r->code[r->program->code[first].public.group];
    const void *const table[] = {operands};
    return aic_call(code, AIC_PLAIN, count == 1 ? (const void *const *)operands : table);
}

aic_status aic_pto_run(aic_context *context, const aic_pto_program *program, void *const arguments[], size_t count)
{
    aic_status status = aic_pto_check(program, arguments, count);
    status = status == AIC_OK ? aic_context_resolve(&context) : status;
    status = status == AIC_OK ? aic_pto_check_rules(program, &context->semantics) : status;
    if (status != AIC_OK) {
        return status;
    }
    run r = {.program = program, .code = calloc(program->code_count + 1, sizeof *r.code)};
    if (r.code == NULL) {
        return aic_fail_memory("texpands", program->code_count * sizeof *r.code);
    }
    status = find_kernels(context, &r);
    if (status == AIC_OK) {
        status = aic_pto_execute(program, arguments, step, &r);
    }
    for (size_t i = 0; i < program->code_count; i++) {
        if (r.code[i] != NULL) {
            aic_code_release(r.code[i]);
        }
    }
    free(r.code);
    return status;
}
