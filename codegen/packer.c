/* What packs for kernels of any target, as code of this host; see codegen.h. What packed bytes are like follows from
 * the plan alone, so the functions that pack are emitted for the target that every host of its architecture runs. */
#include "codegen/answers.h"
#include "codegen/kernel.h"
#include "codegen/parts.h"
#include "codegen/plan.h"
#include "codegen/run.h"
#include "codegen/target/host.h"
#include "frontend/core/diag.h"

#include <stdlib.h>

#define SYMBOL "packer"

typedef struct packing {
    const aic_program *program;
    bool *needed; /* by part */
    LLVMValueRef *function;
} packing;

/* The function that packs, and what it calls: callees come before callers. */
static void find_needed(packing *p)
{
    p->needed[p->program->function[AIC_FUNCTION_PACK] - 1] = true;
    for (size_t i = p->program->parts; i-- > 0;) {
        const aic_program_part *part = &p->program->part[i];
        for (size_t r = 0; p->needed[i] && r < part->roles; r++) {
            p->needed[p->program->role[part->first_role + r].routine - 1] = true;
        }
    }
}

static void emit_packing(void *user, LLVMContextRef context, LLVMModuleRef module)
{
    packing *p = user;
    aic_emit emit;
    aic_emission emission = {.program = p->program, .symbol = SYMBOL, .needed = p->needed, .function = p->function};
    aic_emit_open(&emit, context, module, aic_target_at(aic_host_arch(), 0), NULL);
    aic_program_emit(&emit, &emission);
    aic_emit_close(&emit);
}

/* The image of the function that packs, which is its entry. */
static aic_status make_image(packing *p, aic_image *image)
{
    char name[AIC_PROGRAM_NAME_MAX];
    char *bytes = NULL;
    size_t size = 0;
    const aic_codegen_request run = {.target = aic_target_at(aic_host_arch(), 0), .symbol = SYMBOL};
    aic_program_name(p->program, p->program->function[AIC_FUNCTION_PACK], SYMBOL, name);
    find_needed(p);
    aic_status status = aic_codegen_run(&run, emit_packing, p, &bytes, &size);
    status = status == AIC_OK ? aic_image_create(&(aic_elf){bytes, size}, 1, name, image) : status;
    free(bytes);
    return status;
}

static aic_status make(aic_plan *plan, aic_packer *packer)
{
    const aic_kernel_plan kernel = {1, &plan};
    aic_requirements requirements;
    aic_program program = {.status = AIC_OK};
    aic_kernel_requirements(&kernel, &requirements);
    packer->packing = requirements.pack;
    if (requirements.pack.operand == 0) {
        return AIC_OK;
    }
    aic_status status = aic_kernel_compose(&program, &kernel, true);
    if (status == AIC_OK) {
        packing p = {&program, calloc(program.parts, sizeof(bool)), calloc(program.parts + 1, sizeof(LLVMValueRef))};
        status = p.needed != NULL && p.function != NULL ? make_image(&p, &packer->image)
                                                        : aic_fail_memory(SYMBOL, program.parts * sizeof(LLVMValueRef));
        free(p.needed);
        free(p.function);
    }
    aic_program_free(&program);
    return status;
}

aic_status aic_answer_packer(const aic_problem *problem, const char *schedule, aic_packer *packer)
{
    aic_plan *plan;
    aic_status status = aic_codegen_plan(problem, schedule, &plan);
    if (status != AIC_OK) {
        return status;
    }
    *packer = (aic_packer){.packing.operand = 0};
    status = make(plan, packer);
    aic_plan_free(plan);
    return status;
}
