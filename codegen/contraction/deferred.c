/* A tile on its way out of the staging buffer, some rows at a time, beside the products of the next one.
 *
 * Where a micro-kernel's products leave the vector units idle, a tile stays in its buffer while the next one, in
 * another buffer, is computed: between two steps of that one some rows leave. A core looks a few hundred instructions
 * ahead, so that it finds products and rows at the same time only where both are as near each other as that; behind the
 * products of a whole tile it would find rows alone. What is left when the products end leaves then.
 *
 * What is to be done yet is noted in the worker's memory, in words of 64 bits. */
#include "codegen/contraction/contraction.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"

#include <stdio.h>

enum { ROW_BYTES = AIC_BLOCK_COLUMNS * AIC_SUM_BYTES };

/* FREE: where the buffer is that the next tile may take. Of the deferred tile: what of it comes next, its row and the
 * first column in the result; rows LEFT of the run it belongs to and RUNS left with it; COUNT rows of a run; bytes SKIP
 * and rows GAP from the end of a run to the next one. No runs: nothing of a tile is left. Where results go and what the
 * epilogue reads. */
enum { FREE, SOURCE, ROW, COLUMN, LEFT, RUNS, COUNT, SKIP, GAP, TARGET, TABLE, INPUTS };
enum { WORDS = INPUTS + AIC_EPILOGUE_STEPS, WORD_BYTES = sizeof(int64_t) };

int64_t aic_deferred_bytes(void)
{
    return (WORDS * WORD_BYTES + AIC_LINE_BYTES - 1) / AIC_LINE_BYTES * AIC_LINE_BYTES;
}

int64_t aic_deferred_rows(int64_t pixels, int64_t calls)
{
    const int64_t rows = (pixels + calls - 1) / calls;
    return (rows + AIC_DEFERRED_STEP - 1) / AIC_DEFERRED_STEP * AIC_DEFERRED_STEP;
}

static LLVMValueRef word(aic_emit *e, LLVMValueRef note, int which)
{
    return aic_load(e, e->i64, note, which * (int64_t)WORD_BYTES, WORD_BYTES);
}

static LLVMValueRef address(aic_emit *e, LLVMValueRef note, int which)
{
    return aic_load(e, e->ptr, note, which * (int64_t)WORD_BYTES, WORD_BYTES);
}

static void set(aic_emit *e, LLVMValueRef note, int which, LLVMValueRef value)
{
    aic_store(e, value, note, which * (int64_t)WORD_BYTES, WORD_BYTES);
}

/* ---- a tile is noted ---- */

void aic_deferred_begin(aic_emit *e, LLVMValueRef note, LLVMValueRef target, LLVMValueRef table,
                        const LLVMValueRef *inputs, unsigned count)
{
    set(e, note, FREE, aic_int(e, 0));
    set(e, note, RUNS, aic_int(e, 0));
    set(e, note, TARGET, target);
    set(e, note, TABLE, table);
    for (unsigned i = 0; i < count; i++) {
        set(e, note, INPUTS + (int)i, inputs[i]);
    }
}

LLVMValueRef aic_deferred_free(aic_emit *e, LLVMValueRef note)
{
    return word(e, note, FREE);
}

void aic_deferred_note(aic_emit *e, LLVMValueRef note, const aic_staged *tile, LLVMValueRef free)
{
    set(e, note, FREE, free);
    set(e, note, SOURCE, tile->staging);
    set(e, note, ROW, tile->pixel);
    set(e, note, COLUMN, tile->column);
    set(e, note, LEFT, aic_int(e, tile->count));
    set(e, note, RUNS, aic_int(e, tile->runs));
    set(e, note, COUNT, aic_int(e, tile->count));
    set(e, note, SKIP, aic_int(e, tile->pitch - tile->count * ROW_BYTES));
    set(e, note, GAP, aic_int(e, tile->distance - tile->count));
}

/* ---- it leaves ---- */

/* Goes on by `rows` rows, behind which a run may begin. */
static void advance(aic_emit *e, LLVMValueRef note, LLVMValueRef rows)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef none = aic_int(e, 0), left = LLVMBuildNSWSub(b, word(e, note, LEFT), rows, "");
    LLVMValueRef ends = LLVMBuildICmp(b, LLVMIntEQ, left, none, "");
    LLVMValueRef skip = LLVMBuildSelect(b, ends, word(e, note, SKIP), none, "");
    LLVMValueRef gap = LLVMBuildSelect(b, ends, word(e, note, GAP), none, "");
    LLVMValueRef source = aic_at(e, address(e, note, SOURCE), aic_mul(e, rows, ROW_BYTES));
    set(e, note, SOURCE, aic_at(e, source, skip));
    set(e, note, ROW, aic_add(e, aic_add(e, word(e, note, ROW), rows), gap));
    set(e, note, LEFT, LLVMBuildSelect(b, ends, word(e, note, COUNT), left, ""));
    set(e, note, RUNS, LLVMBuildNSWSub(b, word(e, note, RUNS), LLVMBuildZExt(b, ends, e->i64, ""), ""));
}

/* `most` rows of a run or a few more leave. */
static void emit_rows(aic_emit *e, const aic_tiling *t, LLVMValueRef note, LLVMValueRef store, LLVMValueRef most)
{
    LLVMValueRef args[3 + AIC_EPILOGUE_STEPS + 3] = {address(e, note, TARGET), address(e, note, SOURCE),
                                                     address(e, note, TABLE)};
    unsigned operands[AIC_EPILOGUE_STEPS], count = 3;
    const unsigned inputs = aic_epilogue_inputs(&t->epilogue, operands);
    LLVMValueRef left = word(e, note, LEFT), end = aic_add(e, most, aic_int(e, AIC_DEFERRED_STEP));
    LLVMValueRef few = LLVMBuildICmp(e->builder, LLVMIntSLT, left, end, "few");
    LLVMValueRef rows = LLVMBuildSelect(e->builder, few, left, most, "rows");
    for (unsigned i = 0; i < inputs; i++) {
        args[count++] = address(e, note, INPUTS + (int)i);
    }
    args[count++] = word(e, note, ROW);
    args[count++] = rows;
    args[count++] = word(e, note, COLUMN);
    aic_emit_call(e, store, args, count);
    advance(e, note, rows);
}

/* Compiled fast: it moves a few words, and compiling it well takes a tenth of a kernel's time. */
LLVMValueRef aic_emit_deferred(aic_emit *e, const aic_tiling *t, LLVMValueRef store, const char *name)
{
    static const char *const PARAMS[] = {"note", "runs", "most"};
    aic_emit_function(e, name, AIC_EMIT_FRAME, PARAMS, 1, 2);
    aic_note_function(e,
                      "of so many runs of the tile that is noted `most` rows or a few more leave the staging buffer");
    LLVMValueRef function = e->function, note = aic_emit_param(e, 0);
    LLVMValueRef runs = aic_min(e, aic_emit_param(e, 1), word(e, note, RUNS));
    aic_loop loop;
    aic_loop_begin(e, &loop, "run: runs that are still in the staging buffer", aic_int(e, 0), runs, 1, NULL, 0);
    emit_rows(e, t, note, store, aic_emit_param(e, 2));
    aic_loop_end(e, &loop);
    aic_emit_function_end(e);
    return function;
}

static void emit_leave(aic_emit *e, LLVMValueRef note, LLVMValueRef function, int64_t runs, int64_t rows)
{
    LLVMValueRef args[] = {note, aic_int(e, runs), aic_int(e, rows)};
    aic_emit_call(e, function, args, sizeof args / sizeof args[0]);
}

void aic_deferred_pause(aic_emit *e, const aic_tiling *t, LLVMValueRef note, LLVMValueRef function)
{
    emit_leave(e, note, function, t->deferred_runs, t->deferred_rows);
}

void aic_deferred_finish(aic_emit *e, LLVMValueRef note, LLVMValueRef function)
{
    emit_leave(e, note, function, INT32_MAX, INT32_MAX);
}
