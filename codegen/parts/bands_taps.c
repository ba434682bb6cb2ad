/* The loops around the tiles of a contraction: which taps and k-packs tiles do; see bands_taps.h. */
#include "codegen/parts/bands_taps.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/tile.h"

enum { WORD_BYTES = 8 };

static LLVMValueRef difference(const aic_band_taps *t, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildNSWSub(t->e->builder, a, b, "");
}

/* ---- the table of taps ---- */

/* The offset of band row or column number `distance`, which may be that of a residue. */
static LLVMValueRef tap_offset(const aic_band_taps *t, LLVMValueRef distance, bool residues, const char *count,
                               const char *bytes, const char *pitch)
{
    aic_emit *e = t->e;
    if (!residues) {
        return aic_scaled(e, distance, pitch);
    }
    LLVMValueRef by = aic_number(e, "%s", count);
    return aic_add(e, aic_scaled(e, LLVMBuildURem(e->builder, distance, by, ""), bytes),
                   aic_scaled(e, LLVMBuildUDiv(e->builder, distance, by, ""), pitch));
}

void aic_emit_tap_table(const aic_band_taps *t)
{
    aic_emit *e = t->e;
    const aic_bands_key *key = t->key;
    LLVMValueRef table = aic_behind(e, t->taps, "taps.at");
    aic_loop down, across;
    aic_loop_over(e, &down, "kh: kernel rows", aic_trips(e, "kh"));
    LLVMValueRef row = tap_offset(t, aic_scaled(e, down.index, "kh.step"), key->row_residues, "row.residues",
                                  "row.residue", "row.pitch");
    aic_loop_over(e, &across, "kw: kernel columns", aic_trips(e, "kw"));
    LLVMValueRef column = tap_offset(t, aic_scaled(e, across.index, "kw.step"), key->col_residues, "col.residues",
                                     "col.residue", "pixel.pitch");
    LLVMValueRef index = aic_add(e, aic_times(e, down.index, aic_trips(e, "kw")), across.index);
    aic_store(e, aic_add(e, row, column), aic_at(e, table, aic_mul(e, index, WORD_BYTES)), 0, WORD_BYTES);
    aic_loop_end(e, &across);
    aic_loop_end(e, &down);
}

/* ---- k-packs and taps that tiles leave out ---- */

/* Where tiles read how many of them they compute. */
static LLVMValueRef count_at(const aic_band_taps *t)
{
    return aic_behind(t->e, t->taps, "count.at");
}

static void store_count(const aic_band_taps *t)
{
    LLVMValueRef less = aic_number(t->e, "count.less");
    aic_store(t->e, difference(t, t->count, less), count_at(t), 0, WORD_BYTES);
}

void aic_find_tap_count(aic_band_taps *t)
{
    aic_emit *e = t->e;
    aic_loop panels;
    LLVMValueRef counts = aic_behind(e, t->weight, "counts.at"), most = aic_int(e, 1);
    aic_loop_begin(e, &panels, "count: counts of k-packs", aic_int(e, 0), aic_trips(e, "counts"), 1, &most, 1);
    LLVMValueRef count = aic_load(e, e->i64, aic_at(e, counts, aic_mul(e, panels.index, WORD_BYTES)), 0, WORD_BYTES);
    most = aic_max(e, most, count);
    aic_loop_end(e, &panels);
    t->count = most;
    store_count(t);
}

void aic_store_noted_count(const aic_band_taps *t)
{
    aic_emit *e = t->e;
    LLVMValueRef note = aic_load(e, e->i32, aic_behind(e, t->taps, "note.at"), 0, sizeof(int32_t));
    LLVMValueRef is_noted = LLVMBuildICmp(e->builder, LLVMIntNE, note, LLVMConstNull(e->i32), "");
    LLVMValueRef count = LLVMBuildSelect(e->builder, is_noted, aic_number(e, "count.all"), t->count, "");
    aic_store(e, difference(t, count, aic_number(e, "count.less")), count_at(t), 0, WORD_BYTES);
}

void aic_store_band_count(const aic_band_taps *t, LLVMValueRef height, LLVMValueRef top)
{
    aic_emit *e = t->e;
    aic_branch branch;
    LLVMValueRef all = aic_number(e, "count.all"), zero = aic_int(e, 0), bytes = aic_number(e, "image.row");
    store_count(t);
    aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntSLT, t->count, all, ""));
    LLVMValueRef rows =
        aic_add(e, aic_scaled(e, aic_add(e, height, aic_int(e, -1)), "down.stride"), aic_number(e, "count.reach"));
    LLVMValueRef first = aic_max(e, top, zero), last = aic_min(e, aic_add(e, top, rows), aic_number(e, "image.rows"));
    LLVMValueRef from = aic_at(e, t->image, aic_add(e, aic_number(e, "image.last"), aic_times(e, first, bytes)));
    LLVMValueRef size = aic_times(e, aic_max(e, difference(t, last, first), zero), bytes);
    aic_call_role(e, (LLVMValueRef[]){from, count_at(t), size}, 2, 1, "finite");
    aic_branch_end(e, &branch);
}

static void store_word(const aic_band_taps *t, LLVMValueRef value, int word)
{
    aic_store(t->e, value, t->taps, word * (int64_t)WORD_BYTES, WORD_BYTES);
}

/* A direction in which tiles leave out taps, and where in it the first pixel of the current tile reads: `step` image
 * pixels behind where the first output pixel does; the tile's last one reads `reach` further on. */
typedef struct line {
    const char *name;
    LLVMValueRef step, reach;
} line;

static line line_of(const aic_band_taps *t, const char *name, int size, LLVMValueRef first)
{
    return (line){name, aic_times(t->e, first, aic_number(t->e, "%s.stride", name)),
                  aic_number(t->e, "%s.reach.%d", name, size)};
}

/* How many taps there are in so many image pixels, from the first of them on; 0 where that is negative: pixels divided
 * by the dilation, rounded up. */
static LLVMValueRef taps_in(const aic_band_taps *t, const line *l, LLVMValueRef pixels)
{
    aic_emit *e = t->e;
    LLVMValueRef more = aic_add(e, aic_max(e, pixels, aic_int(e, 0)), aic_number(e, "%s.between", l->name));
    LLVMValueRef product = aic_times(e, more, aic_number(e, "%s.share", l->name));
    return LLVMBuildLShr(e->builder, product, aic_int(e, AIC_BANDS_SHARE_BITS), "");
}

/* The first tap that does not lie before the image for the pixel that reads at `at`; the last one if all do. */
static LLVMValueRef first_tap(const aic_band_taps *t, const line *l, LLVMValueRef at)
{
    aic_emit *e = t->e;
    LLVMValueRef before = difference(t, aic_number(e, "%s.pad", l->name), at);
    return aic_min(e, taps_in(t, l, before), aic_number(e, "%s.last", l->name));
}

/* The end of the taps that do not lie behind the image for that pixel; at least `least`. */
static LLVMValueRef end_tap(const aic_band_taps *t, const line *l, LLVMValueRef at, LLVMValueRef least)
{
    aic_emit *e = t->e;
    LLVMValueRef inside = difference(t, aic_number(e, "%s.end", l->name), at);
    return aic_min(e, aic_max(e, taps_in(t, l, inside), least), aic_number(e, "%s.taps", l->name));
}

/* Stores the two words of the range of taps in a direction: those that any of the tile's pixels does. With edges the
 * first pixel does those from AIC_TILE_LEFT on, the last one those in front of AIC_TILE_RIGHT. Each does one at least,
 * also where it reads padding alone: -0, the old result, and the sum of its products are 0. */
static void store_range(const aic_band_taps *t, const line *l, int word, bool edges)
{
    aic_emit *e = t->e;
    LLVMValueRef last = aic_add(e, l->step, l->reach), from = first_tap(t, l, last), one = aic_int(e, 1);
    LLVMValueRef left = edges ? first_tap(t, l, l->step) : from;
    store_word(t, from, word);
    store_word(t, end_tap(t, l, l->step, aic_add(e, left, one)), word + 1);
    if (edges) {
        store_word(t, left, AIC_TILE_LEFT);
        store_word(t, end_tap(t, l, last, aic_max(e, left, aic_add(e, from, one))), AIC_TILE_RIGHT);
    }
}

void aic_store_row_range(const aic_band_taps *t, LLVMValueRef first, int size)
{
    if (t->key->skips_rows) {
        const line l = line_of(t, "down", size, first);
        store_range(t, &l, AIC_TILE_FIRST_ROW, false);
    }
}

void aic_store_column_range(const aic_band_taps *t, LLVMValueRef first, int size)
{
    if (!t->key->skips_columns) {
        return;
    }
    const line l = line_of(t, "across", size, first);
    store_range(t, &l, AIC_TILE_FIRST_COLUMN, t->key->edges);
}
