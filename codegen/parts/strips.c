/* The phase of an epilogue that is a kernel of its own: see epilogue.h. */
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "codegen/parts.h"
#include "codegen/parts/epilogue.h"

enum { LANES = AIC_EPILOGUE_LANES, ROW_BYTES = 4 * LANES };

/* The phase that is being emitted. */
typedef struct phase {
    aic_emit *e;
    const aic_strips_key *key;
    LLVMValueRef target, source, table, line; /* line: private memory */
    LLVMValueRef first, last;                 /* bands */
} phase;

static void call_strip(const phase *f, const char *role, LLVMValueRef source, LLVMValueRef row, LLVMValueRef count,
                       LLVMValueRef column)
{
    LLVMValueRef args[] = {f->target, source, f->table, row, count, column};
    aic_emit_call(f->e, aic_callee(f->e, role, 3, 3), args, 6);
}

/* Calls the strip whose stores bypass the caches if the target begins with a cache line, otherwise the other one. */
static void call_either(const phase *f, LLVMValueRef source, LLVMValueRef row, LLVMValueRef count)
{
    aic_emit *e = f->e;
    LLVMValueRef none = aic_int(e, 0);
    if (!f->key->past) {
        call_strip(f, "strip", source, row, count, none);
        return;
    }
    aic_branch branch;
    LLVMValueRef address = LLVMBuildPtrToInt(e->builder, f->target, e->i64, "");
    LLVMValueRef low = LLVMBuildAnd(e->builder, address, aic_int(e, AIC_LINE_BYTES - 1), "");
    LLVMValueRef aligned = LLVMBuildICmp(e->builder, LLVMIntEQ, low, none, "aligned");
    aic_branch_begin(e, &branch, aligned);
    call_strip(f, "past", source, row, count, none);
    aic_branch_end(e, &branch);
    aic_branch_begin(e, &branch, LLVMBuildNot(e->builder, aligned, ""));
    call_strip(f, "strip", source, row, count, none);
    aic_branch_end(e, &branch);
}

/* The address of the tail's columns behind others of the source, and its first column. */
static LLVMValueRef tail_source(const phase *f, LLVMValueRef source)
{
    return f->key->strip ? aic_at(f->e, source, aic_number(f->e, "tail.source")) : source;
}

static LLVMValueRef tail_column(const phase *f)
{
    return f->key->strip ? aic_number(f->e, "tail.column") : aic_int(f->e, 0);
}

/* The last row of the tail. A strip reads whole blocks of 16 columns, but the source may end with the last column: the
 * row is copied to the worker's private line first. */
static void emit_last_row(const phase *f)
{
    aic_emit *e = f->e;
    aic_branch branch;
    LLVMValueRef ends = LLVMBuildICmp(e->builder, LLVMIntEQ, f->last, aic_number(e, "bands"), "");
    aic_branch_begin(e, &branch, ends);
    LLVMValueRef source = aic_at(e, tail_source(f, f->source), aic_number(e, "last.source"));
    LLVMValueRef row = aic_load_part(e, e->i32, LANES, (unsigned)f->key->tail, source, 0);
    aic_store(e, row, f->line, 0, ROW_BYTES);
    call_strip(f, "tail", f->line, aic_number(e, "last.row"), aic_int(e, 1), tail_column(f));
    aic_branch_end(e, &branch);
}

static void emit_band(const phase *f, LLVMValueRef band)
{
    aic_emit *e = f->e;
    LLVMValueRef height = aic_number(e, "band"), row = aic_times(e, band, height);
    LLVMValueRef left = LLVMBuildNSWSub(e->builder, aic_number(e, "rows"), row, "");
    LLVMValueRef source = aic_at(e, f->source, aic_mul(e, row, ROW_BYTES));
    if (f->key->strip) {
        call_either(f, source, row, aic_min(e, left, height));
    }
    if (f->key->tail > 0) {
        LLVMValueRef count = aic_min(e, aic_add(e, left, aic_int(e, -1)), height);
        call_strip(f, "tail", tail_source(f, source), row, count, tail_column(f));
    }
}

LLVMValueRef aic_emit_part_strips(aic_emit *e, const void *of, const char *name)
{
    const aic_strips_key *key = of;
    const unsigned operands = (unsigned)key->operands;
    aic_emit_body(e, AIC_EMIT_FRAME, name, operands);
    aic_note_function(e, "phase: bands of rows of accumulators through the strips");
    LLVMValueRef function = e->function;
    const phase f = {.e = e,
                     .key = key,
                     .target = aic_emit_param(e, 0),
                     .source = aic_emit_param(e, 1),
                     .table = aic_emit_param(e, operands),
                     .line = aic_emit_param(e, operands + 1),
                     .first = aic_emit_param(e, operands + 2),
                     .last = aic_emit_param(e, operands + 3)};
    aic_loop loop;
    aic_loop_begin(e, &loop, "band: bands of rows", f.first, f.last, 1, NULL, 0);
    emit_band(&f, loop.index);
    aic_loop_end(e, &loop);
    if (key->tail > 0) {
        emit_last_row(&f);
    }
    if (key->past) {
        aic_fence(e);
    }
    aic_emit_function_end(e);
    return function;
}
