/* The phases of an epilogue that is a kernel of its own; see epilogue.h. */
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/epilogue.h"

enum { OUT, SOURCE };
enum { LANES = AIC_EPILOGUE_LANES, WORD_BYTES = 4, ROW_BYTES = LANES * WORD_BYTES, LINE_BYTES = 64 };

typedef struct frame {
    aic_emit *e;
    const aic_strips_key *key;
    LLVMValueRef out, source, table, private, last;
} frame;

/* ---- the table ---- */

/* Operand number `number` of a body, NULL for 0. */
static LLVMValueRef operand(aic_emit *e, int64_t number)
{
    return number == 0 ? LLVMConstNull(e->ptr) : aic_emit_param(e, (unsigned)number);
}

LLVMValueRef aic_emit_part_parameters(aic_emit *e, const void *of, const char *name)
{
    const aic_parameters_key *key = of;
    aic_emit_body(e, AIC_EMIT_FRAME, name, (unsigned)key->operands);
    aic_note_function(e, "phase: the parameters of the columns");
    LLVMValueRef args[] = {aic_emit_param(e, (unsigned)key->operands), operand(e, key->scale), operand(e, key->bias)};
    aic_call_role(e, args, 3, 0, "table");
    return aic_emit_function_end(e);
}

/* ---- strips ---- */

static void call_strip(const frame *f, const char *role, LLVMValueRef source, LLVMValueRef row, LLVMValueRef count,
                       LLVMValueRef column)
{
    LLVMValueRef args[] = {f->out, source, f->table, row, count, column};
    aic_call_role(f->e, args, 3, 3, "%s", role);
}

/* Calls the strip whose stores bypass the caches if the target begins with a cache line, otherwise the other one. */
static void call_either(const frame *f, LLVMValueRef source, LLVMValueRef row, LLVMValueRef count)
{
    aic_emit *e = f->e;
    LLVMValueRef none = aic_int(e, 0);
    if (!f->key->past) {
        call_strip(f, "strip", source, row, count, none);
        return;
    }
    aic_branch branch;
    LLVMValueRef address = LLVMBuildPtrToInt(e->builder, f->out, e->i64, "");
    LLVMValueRef low = LLVMBuildAnd(e->builder, address, aic_int(e, LINE_BYTES - 1), "");
    LLVMValueRef aligned = LLVMBuildICmp(e->builder, LLVMIntEQ, low, none, "aligned");
    aic_branch_begin(e, &branch, aligned);
    call_strip(f, "past", source, row, count, none);
    aic_branch_end(e, &branch);
    aic_branch_begin(e, &branch, LLVMBuildNot(e->builder, aligned, ""));
    call_strip(f, "strip", source, row, count, none);
    aic_branch_end(e, &branch);
}

/* The tail's columns of a row, 0 behind them. */
static LLVMValueRef load_tail(const frame *f, LLVMValueRef source)
{
    aic_emit *e = f->e;
    if (!f->key->masks) {
        return aic_load_part(e, e->i32, LANES, (unsigned)f->key->tail, source, 0);
    }
    LLVMValueRef mask = aic_first_lanes(e, aic_number(e, "tail.columns"), LANES);
    return aic_load_lanes_or_zero(e, aic_vector(e->i32, LANES), mask, source, 0);
}

/* The last row of the tail. A strip reads whole blocks of 16 columns, but the source may end with the last column: the
 * row is copied to the worker's private line first. */
static void emit_last_row(const frame *f)
{
    aic_emit *e = f->e;
    aic_branch branch;
    aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntEQ, f->last, aic_number(e, "bands"), ""));
    LLVMValueRef last = aic_number(e, "rows.last");
    LLVMValueRef source = aic_behind(e, f->source, "tail.source");
    source = aic_behind(e, source, "last.source");
    aic_store(e, load_tail(f, source), f->private, 0, ROW_BYTES);
    call_strip(f, "tail", f->private, last, aic_int(e, 1), aic_number(e, "tail.column"));
    aic_branch_end(e, &branch);
}

LLVMValueRef aic_emit_part_strips(aic_emit *e, const void *of, const char *name)
{
    frame f = {.e = e, .key = of};
    const unsigned operands = (unsigned)f.key->operands;
    aic_loop loop;
    aic_emit_body(e, f.key->fast ? AIC_EMIT_FRAME : AIC_EMIT_HOT, name, operands);
    aic_note_function(e, "phase: bands of rows of accumulators through the strips");
    LLVMValueRef size = aic_number(e, "band");
    f.out = aic_emit_param(e, OUT);
    f.source = aic_emit_param(e, SOURCE);
    f.table = aic_emit_param(e, operands);
    f.private = aic_emit_param(e, operands + 1);
    f.last = aic_emit_param(e, operands + 3);
    aic_loop_begin(e, &loop, "band: bands of rows", aic_emit_param(e, operands + 2), f.last, 1, NULL, 0);
    LLVMValueRef row = aic_times(e, loop.index, size);
    LLVMValueRef left = LLVMBuildNSWSub(e->builder, aic_number(e, "rows"), row, "");
    LLVMValueRef source = aic_at(e, f.source, aic_mul(e, row, ROW_BYTES));
    if (f.key->strip) {
        call_either(&f, source, row, aic_min(e, size, left));
    }
    if (f.key->tail > 0) {
        LLVMValueRef count = aic_min(e, size, aic_add(e, left, aic_int(e, -1)));
        call_strip(&f, "tail", aic_behind(e, source, "tail.source"), row, count, aic_number(e, "tail.column"));
    }
    aic_loop_end(e, &loop);
    if (f.key->tail > 0) {
        emit_last_row(&f);
    }
    if (f.key->past) {
        aic_fence(e);
    }
    return aic_emit_function_end(e);
}
