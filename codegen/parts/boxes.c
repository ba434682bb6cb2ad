/* The body of a kernel of boxes; see boxes.h. */
#include "codegen/parts/boxes.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"

/* The iteration at which a box begins item `item` of the kernel's items. Ranges of items that follow each other become
 * ranges of iterations that follow each other, and all items all iterations. It is what the item times the iterations,
 * divided by the items, would be, or for some items one more: a division takes longer than a small box. */
static LLVMValueRef iteration_of(aic_emit *e, LLVMValueRef item, LLVMValueRef share)
{
    return LLVMBuildLShr(e->builder, aic_times(e, item, share), aic_int(e, AIC_BOXES_SHARE_BITS), "");
}

static void call_box(aic_emit *e, const aic_boxes_key *key, unsigned box, bool past)
{
    const uint64_t bit = aic_boxes_bit(box, past);
    const unsigned pointers = (unsigned)key->pointers, operands = (unsigned)key->operands;
    LLVMValueRef args[AIC_PARAMS_MAX];
    for (unsigned i = 0; i < pointers; i++) {
        args[i] = aic_emit_param(e, i);
    }
    for (unsigned i = 0; i < 2; i++) {
        args[pointers + i] = aic_emit_param(e, operands + 2 + i);
        if ((key->whole & bit) == 0) {
            LLVMValueRef share = aic_number(e, past ? "past.share.%u" : "share.%u", box);
            args[pointers + i] = iteration_of(e, args[pointers + i], share);
        }
    }
    if ((key->single & bit) == 0) {
        aic_call_role(e, args, pointers, 2, past ? "past.%u" : "box.%u", box);
        return;
    }
    aic_branch branch; /* the worker that has the last item runs a box with a single iteration */
    LLVMValueRef mine = LLVMBuildICmp(e->builder, LLVMIntSLT, args[pointers], args[pointers + 1], "");
    aic_branch_begin(e, &branch, mine);
    aic_call_role(e, args, pointers, 2, past ? "past.%u" : "box.%u", box);
    aic_branch_end(e, &branch);
}

/* Calls the function of the box that fits the output's address. */
static void emit_box(aic_emit *e, const aic_boxes_key *key, unsigned box, LLVMValueRef aligned)
{
    aic_branch branch;
    if ((key->past & aic_boxes_bit(box, false)) == 0) {
        call_box(e, key, box, false);
        return;
    }
    aic_branch_begin(e, &branch, aligned);
    call_box(e, key, box, true);
    aic_branch_end(e, &branch);
    aic_branch_begin(e, &branch, LLVMBuildNot(e->builder, aligned, ""));
    call_box(e, key, box, false);
    aic_branch_end(e, &branch);
}

/* Whether the output is aligned, an i1. */
static LLVMValueRef is_aligned(aic_emit *e, LLVMValueRef output)
{
    LLVMValueRef address = LLVMBuildPtrToInt(e->builder, output, e->i64, "");
    LLVMValueRef low = LLVMBuildAnd(e->builder, address, aic_int(e, AIC_MOVE_PAST_ALIGN - 1), "");
    return LLVMBuildICmp(e->builder, LLVMIntEQ, low, aic_int(e, 0), "aligned");
}

LLVMValueRef aic_emit_part_boxes(aic_emit *e, const void *of, const char *name)
{
    const aic_boxes_key *key = of;
    aic_emit_body(e, key->fast ? AIC_EMIT_FRAME : AIC_EMIT_HOT, name, (unsigned)key->operands);
    aic_note_function(e, "phase: every box, as much of it as the items are");
    aic_emit_aliases(e);
    LLVMValueRef aligned = key->past != 0 ? is_aligned(e, aic_emit_param(e, 0)) : NULL;
    for (unsigned i = 0; i < key->boxes; i++) {
        emit_box(e, key, i, aligned);
    }
    if (key->past != 0) {
        aic_fence(e);
    }
    return aic_emit_function_end(e);
}
