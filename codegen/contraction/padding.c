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

/* One end of a range: a word of the tile's ranges, or, if `special` is true, `all`. */
static LLVMValueRef load_word(aic_emit *e, LLVMValueRef taps, int word, LLVMValueRef special, int64_t all)
{
    LLVMValueRef value = aic_load(e, e->i64, taps, word * (int64_t)sizeof(int64_t), sizeof(int64_t));
    return special == NULL ? value : LLVMBuildSelect(e->builder, special, aic_int(e, all), value, "");
}

aic_tap_range aic_emit_tap_range(aic_emit *e, const aic_contraction *c, const aic_plan_panel *p, LLVMValueRef taps,
                                 LLVMValueRef panel)
{
    enum { FIRST_ROW, END_ROW, FIRST_COLUMN, END_COLUMN };
    aic_tap_range r = {aic_int(e, 0), aic_int(e, c->down.taps), aic_int(e, 0), aic_int(e, c->across.taps)};
    LLVMValueRef special = NULL;
    if (p->notes) {
        LLVMValueRef note = aic_load(e, e->i32, panel, 0, sizeof(int32_t));
        special = LLVMBuildICmp(e->builder, LLVMIntNE, note, LLVMConstNull(e->i32), "");
        aic_name(e, special, "panel.special");
    }
    if (p->padding.rows) {
        r.first_row = load_word(e, taps, FIRST_ROW, special, 0);
        r.end_row = load_word(e, taps, END_ROW, special, c->down.taps);
    }
    if (p->padding.columns) {
        r.first_column = load_word(e, taps, FIRST_COLUMN, special, 0);
        r.end_column = load_word(e, taps, END_COLUMN, special, c->across.taps);
    }
    return r;
}
