/* Taps that read only padding. If the padding is 0, such taps add nothing to integer sums, nor to float sums as long as
 * no weight is infinite or NaN; the head of a panel notes whether it has such weights. A tile leaves out the kernel
 * rows and kernel columns that lie in the padding for all of its pixels. The others are a range of rows and a range of
 * columns, the same for every panel and never empty.
 *
 * The ranges of the current tile are four words before the table of tap offsets. */
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"

/* A contraction in one direction, down or across: `extent` image pixels, `out` output pixels. */
typedef struct line {
    int64_t extent, taps, stride, dilation, pad, out;
} line;

static line rows_of(const aic_contraction *c)
{
    return (line){c->h, c->kh, c->stride_h, c->dilation_h, c->pad_top, c->oh};
}

static line columns_of(const aic_contraction *c)
{
    return (line){c->w, c->kw, c->stride_w, c->dilation_w, c->pad_left, c->ow};
}

/* ---- how many taps tiles do ---- */

typedef struct range {
    int64_t first, end;
} range;

/* The smallest range of taps with all that read the image for any of the output pixels first .. last. */
static range range_of(const line *l, int64_t first, int64_t last)
{
    const int64_t before = l->pad - last * l->stride, inside = l->extent + l->pad - first * l->stride;
    range r = {before > 0 ? aic_parts(before, l->dilation) : 0, inside > 0 ? aic_parts(inside, l->dilation) : 0};
    r.first = r.first < l->taps ? r.first : l->taps - 1;
    r.end = r.end > r.first ? r.end : r.first + 1;
    r.end = r.end < l->taps ? r.end : l->taps;
    return r;
}

/* Tile number `i` of a split. */
static range tile_of(const aic_split *s, int64_t i)
{
    const int64_t small = i > s->large_count ? i - s->large_count : 0, first = i * s->large - small;
    return (range){first, first + s->large - (i >= s->large_count)};
}

/* How many taps tile number `i` does. */
static int64_t taps_of(const line *l, const aic_split *s, int64_t i)
{
    const range tile = tile_of(s, i), r = range_of(l, tile.first, tile.end - 1);
    return r.end - r.first;
}

/* Whether tile number `i` does this tap. */
static bool sees(const line *l, const aic_split *s, int64_t i, int64_t tap)
{
    const range tile = tile_of(s, i), r = range_of(l, tile.first, tile.end - 1);
    return r.first <= tap && tap < r.end;
}

/* Stores to done[] the mean share of the taps that the larger tiles do, and that the smaller ones do; returns the mean
 * share over all output pixels. Only tiles at either end, where the first or the last tap is padding, leave out any. */
static double find_done(const line *l, const aic_split *s, double done[2])
{
    const int64_t tiles = s->large_count + s->small_count, counts[] = {s->large_count, s->small_count};
    int64_t top = 0, bottom = tiles, missing[2] = {0};
    for (; top < tiles && !sees(l, s, top, 0); top++) {
        missing[top >= s->large_count] += l->taps - taps_of(l, s, top);
    }
    for (; bottom > top && !sees(l, s, bottom - 1, l->taps - 1); bottom--) {
        missing[bottom - 1 >= s->large_count] += l->taps - taps_of(l, s, bottom - 1);
    }
    double pixels = 0;
    for (int i = 0; i < 2; i++) {
        const double all = (double)(counts[i] * l->taps);
        done[i] = counts[i] == 0 ? 1 : (all - (double)missing[i]) / all;
        pixels += done[i] * (double)(counts[i] * (s->large - i));
    }
    return pixels / (double)l->out;
}

/* Whether leaving out products with padding keeps the result. Sums of CUBE are formed by blocks of channels and taps:
 * there each tap has to be a block. */
static bool takes_any_taps(const aic_contraction *c, aic_sum sum)
{
    const bool blocks = sum == AIC_SUM_CUBE && c->c0 * (int64_t)aic_dtype_size(c->dtype) == AIC_CUBE_BYTES;
    return (blocks || sum == AIC_SUM_INT || sum == AIC_SUM_FAST) && c->pad_value == 0 &&
           (c->dtype == AIC_INT8 || c->dtype == AIC_FLOAT16);
}

double aic_padding_share(const aic_contraction *c, aic_sum sum)
{
    const aic_split rows = aic_split_evenly(c->oh, 1), columns = aic_split_evenly(c->ow, 1);
    const line down = rows_of(c), across = columns_of(c);
    double done[2];
    return takes_any_taps(c, sum) ? find_done(&down, &rows, done) * find_done(&across, &columns, done) : 1;
}

double aic_padding_done(const aic_tiling *t, int64_t rows, int64_t cols)
{
    return (t->skips_rows ? t->done_rows[rows < t->rows.large] : 1) *
           (t->skips_columns ? t->done_columns[cols < t->cols.large] : 1);
}

void aic_padding_lay_out(const aic_contraction *c, aic_tiling *t)
{
    static const double WORTH = 32; /* vector operations that finding a tile's range takes, and must at least save */
    if (!t->kernel->skips || !takes_any_taps(c, t->arithmetic.sum)) {
        return;
    }
    const line down = rows_of(c), across = columns_of(c);
    const double products = (double)(t->taps * t->kpacks * t->rows.large * t->cols.large * t->vectors);
    t->skips_rows = (1 - find_done(&down, &t->rows, t->done_rows)) * products > WORTH;
    t->skips_columns = (1 - find_done(&across, &t->cols, t->done_columns)) * products > WORTH;
}

/* ---- the ranges of a tile ---- */

/* a divided by a constant, rounded up; a is not negative. */
static LLVMValueRef divide_up(aic_emit *e, LLVMValueRef a, int64_t by)
{
    return by == 1 ? a : LLVMBuildUDiv(e->builder, aic_add(e, a, aic_int(e, by - 1)), aic_int(e, by), "");
}

/* Emits range_of() for `count` output pixels from `first` on and stores the two words of the range. */
static void store_range(aic_emit *e, const line *l, LLVMValueRef first, int64_t count, LLVMValueRef words)
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

void aic_emit_row_range(aic_emit *e, const aic_contraction *c, const aic_tiling *t, LLVMValueRef taps,
                        LLVMValueRef first, int64_t rows)
{
    const line l = rows_of(c);
    if (t->skips_rows) {
        store_range(e, &l, first, rows, taps);
    }
}

void aic_emit_column_range(aic_emit *e, const aic_contraction *c, const aic_tiling *t, LLVMValueRef taps,
                           LLVMValueRef first, int64_t columns)
{
    const line l = columns_of(c);
    if (t->skips_columns) {
        store_range(e, &l, first, columns, aic_at_const(e, taps, 2 * sizeof(int64_t)));
    }
}
