/* The ranges of taps that a tile does (plan/padding.h). Those of the current tile are four words before the table of
 * tap offsets. */
#include "codegen/contraction/emitters.h"
#include "codegen/integer.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"

/* a divided by a constant, rounded up; a is not negative. */
static LLVMValueRef divide_up(aic_emit *e, LLVMValueRef a, int64_t by)
{
    return by == 1 ? a : LLVMBuildUDiv(e->builder, aic_add(e, a, aic_int(e, by - 1)), aic_int(e, by), "");
}

/* Emits range_of() for `count` output pixels from `first` on and stores the two words of the range. */
static void store_range(aic_emit *e, const aic_line *l, LLVMValueRef first, int64_t count, LLVMValueRef words)
{
    LLVMValueRef zero = aic_int(e, 0), step = aic_mul(e, first, l->stride);
    LLVMValueRef before = LLVMBuildNSWSub(e->builder, aic_int(e, l->pad - (count - 1) * l->stride), step, "");
    LLVMValueRef inside = LLVMBuildNSWSub(e->builder, aic_int(e, l->extent + l->pad), step, "");
    LLVMValueRef from = aic_min(e, divide_up(e, aic_max(e, before, zero), l->dilation), aic_int(e, l->taps - 1));
    LLVMValueRef end = divide_up(e, aic_max(e, inside, zero), l->dilation);
    end = aic_min(e, aic_max(e, end, aic_add(e, from, aic_int(e, 1))), aic_int(e, l->taps));
    aic_store(e, from, words, 0, sizeof(int64_t));
    aic_store(e, end, words, sizeof(int64_t), sizeof(int64_t));
}

void aic_emit_row_range(aic_emit *e, const aic_contraction *c, const aic_padding *p, LLVMValueRef taps,
                        LLVMValueRef first, int64_t rows)
{
    if (p->rows) {
        store_range(e, &c->down, first, rows, taps);
    }
}

void aic_emit_column_range(aic_emit *e, const aic_contraction *c, const aic_padding *p, LLVMValueRef taps,
                           LLVMValueRef first, int64_t columns)
{
    if (p->columns) {
        store_range(e, &c->across, first, columns, aic_at_const(e, taps, 2 * sizeof(int64_t)));
    }
}
