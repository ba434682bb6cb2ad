/* The body of a kernel of boxes; see boxes.h. */
#include "codegen/loops/boxes.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/loops/move.h"

#include <string.h>

aic_division aic_divide(const int64_t *iterations, int loops)
{
    enum { ENOUGH = 256 };
    aic_division most = {.loop = -1, .count = 1};
    for (int i = 0; i < loops && most.count < ENOUGH; i++) {
        if (iterations[i] > most.count) {
            most = (aic_division){i, iterations[i]};
        }
    }
    return most;
}

/* The iteration, of `count`, at which a box begins item `item` of the kernel's `items`: item * count / items. Ranges of
 * items that follow each other become ranges of iterations that follow each other. */
static LLVMValueRef iteration_of(aic_emit *e, LLVMValueRef item, int64_t items, int64_t count)
{
    if (count == items) {
        return item;
    }
    return LLVMBuildUDiv(e->builder, aic_mul(e, item, count), aic_int(e, items), "");
}

static void call_box(aic_emit *e, const aic_body *body, const aic_box_function *box, unsigned pointers, int64_t items)
{
    LLVMValueRef args[AIC_OPERANDS_MAX + 2];
    memcpy(args, body->operand, pointers * sizeof args[0]);
    args[pointers] = iteration_of(e, body->first, items, box->count);
    args[pointers + 1] = iteration_of(e, body->last, items, box->count);
    if (box->count > 1 || items == 1) {
        aic_emit_call(e, box->function, args, pointers + 2);
        return;
    }
    aic_branch branch; /* the worker that has the last item runs a box with a single iteration */
    LLVMValueRef mine = LLVMBuildICmp(e->builder, LLVMIntSLT, args[pointers], args[pointers + 1], "");
    aic_branch_begin(e, &branch, mine);
    aic_emit_call(e, box->function, args, pointers + 2);
    aic_branch_end(e, &branch);
}

/* Calls the function of the box that fits the output's address. */
static void emit_box(aic_emit *e, const aic_body *body, const aic_box_code *code, LLVMValueRef aligned, int64_t items)
{
    if (code->past.function == NULL) {
        call_box(e, body, &code->plain, code->pointers, items);
        return;
    }
    aic_branch branch;
    aic_branch_begin(e, &branch, aligned);
    call_box(e, body, &code->past, code->pointers, items);
    aic_branch_end(e, &branch);
    aic_branch_begin(e, &branch, LLVMBuildNot(e->builder, aligned, ""));
    call_box(e, body, &code->plain, code->pointers, items);
    aic_branch_end(e, &branch);
}

/* Whether the output is aligned, an i1. */
static LLVMValueRef is_aligned(aic_emit *e, LLVMValueRef output)
{
    LLVMValueRef address = LLVMBuildPtrToInt(e->builder, output, e->i64, "");
    LLVMValueRef low = LLVMBuildAnd(e->builder, address, aic_int(e, AIC_MOVE_PAST_ALIGN - 1), "");
    return LLVMBuildICmp(e->builder, LLVMIntEQ, low, aic_int(e, 0), "aligned");
}

LLVMValueRef aic_emit_boxes(aic_emit *e, const aic_plan *plan, const aic_box_code *code, unsigned boxes, bool aliases,
                            const char *name)
{
    const int64_t items = plan->requirements.phase[0].items;
    bool past = false;
    aic_body body;
    for (unsigned i = 0; i < boxes; i++) {
        past = past || code[i].past.function != NULL;
    }
    aic_body_begin(e, plan, AIC_EMIT_FRAME, name, &body);
    aic_note_function(e, "phase: every box, as much of it as the items are");
    if (aliases) {
        aic_emit_aliases(e);
    }
    LLVMValueRef aligned = past ? is_aligned(e, body.operand[0]) : NULL;
    for (unsigned i = 0; i < boxes; i++) {
        emit_box(e, &body, &code[i], aligned, items);
    }
    if (past) {
        aic_fence(e);
    }
    aic_emit_function_end(e);
    return body.function;
}

void aic_compose_boxes(aic_program *program, const aic_plan *plan, aic_own code, aic_bodies *bodies)
{
    aic_own_key key = {.code = code, .plan = plan};
    aic_use use;
    aic_own_begin(&use, &key, (unsigned)plan->operands + 2, 2);
    bodies->phase[0] = aic_program_add(program, &use, "boxes");
}
