/* How many taps tiles do. */
#include "codegen/contraction/plan/padding.h"
#include "codegen/integer.h"

#include <string.h>

typedef struct range {
    int64_t first, end;
} range;

/* The smallest range of taps with all that read the image for any of the output pixels first .. last. */
static range range_of(const aic_line *l, int64_t first, int64_t last)
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

/* Whether the tile, or with edges its first pixel, leaves out the first tap. */
static bool leaves_out_first(const aic_line *l, range tile, bool edges)
{
    const int64_t pixel = edges ? tile.first : tile.end - 1;
    return range_of(l, pixel, pixel).first > 0;
}

/* Whether the tile, or with edges its last pixel, leaves out the last tap. */
static bool leaves_out_last(const aic_line *l, range tile, bool edges)
{
    const int64_t pixel = edges ? tile.end - 1 : tile.first;
    return range_of(l, pixel, pixel).end < l->taps;
}

/* How many taps the pixels of a tile leave out, on average. */
static double left_out(const aic_line *l, range tile, bool edges)
{
    const int64_t last = tile.end - 1, pixels = tile.end - tile.first;
    const range all = range_of(l, tile.first, last);
    int64_t more = 0;
    if (edges && pixels > 1) {
        const int64_t left = range_of(l, tile.first, tile.first).first, right = range_of(l, last, last).end;
        more = left - all.first + all.end - (right > left ? right : left);
    }
    return (double)(l->taps - (all.end - all.first)) + (double)more / (double)pixels;
}

/* Stores to done[] the mean share of the taps that the larger tiles do, and that the smaller ones do; returns the mean
 * share over all output pixels. Only tiles at either end, where the first or the last tap is padding, leave out any. */
static double find_done(const aic_line *l, const aic_split *s, bool edges, double done[2])
{
    const int64_t tiles = aic_split_count(s), counts[] = {s->large_count, s->small_count};
    int64_t top = 0, bottom = tiles;
    double missing[2] = {0}, pixels = 0;
    for (; top < tiles && leaves_out_first(l, tile_of(s, top), edges); top++) {
        missing[top >= s->large_count] += left_out(l, tile_of(s, top), edges);
    }
    for (; bottom > top && leaves_out_last(l, tile_of(s, bottom - 1), edges); bottom--) {
        missing[bottom - 1 >= s->large_count] += left_out(l, tile_of(s, bottom - 1), edges);
    }
    for (int i = 0; i < 2; i++) {
        const double all = (double)(counts[i] * l->taps);
        done[i] = counts[i] == 0 ? 1 : (all - missing[i]) / all;
        pixels += done[i] * (double)(counts[i] * (s->large - i));
    }
    return pixels / (double)l->out;
}

/* Whether leaving out products with padding keeps the result. Sums of CUBE are formed by blocks of channels and taps:
 * there each tap has to be a block. */
static bool takes_any_taps(const aic_contraction *c, aic_sum sum)
{
    const bool blocks = sum == AIC_SUM_CUBE && aic_seen_of(c).c0 * (int64_t)aic_dtype_size(c->dtype) == AIC_CUBE_BYTES;
    return (blocks || sum == AIC_SUM_INT || sum == AIC_SUM_FAST) && c->pad_value == 0 &&
           (c->dtype == AIC_INT8 || c->dtype == AIC_FLOAT16);
}

/* Whether there is padding before or behind the image. */
static bool is_padded(const aic_line *l)
{
    return l->pad > 0 || (l->out - 1) * l->stride + (l->taps - 1) * l->dilation - l->pad >= l->extent;
}

bool aic_padding_matters(const aic_contraction *c, aic_sum sum)
{
    return takes_any_taps(c, sum) && c->down.taps * c->across.taps > 1 &&
           (is_padded(&c->down) || is_padded(&c->across));
}

double aic_padding_share(const aic_contraction *c, aic_sum sum)
{
    const aic_split rows = aic_split_evenly(c->down.out, 1), columns = aic_split_evenly(c->across.out, 1);
    double done[2];
    return takes_any_taps(c, sum)
               ? find_done(&c->down, &rows, false, done) * find_done(&c->across, &columns, false, done)
               : 1;
}

double aic_padding_done(const aic_padding *p, const aic_plan_geometry *g, int64_t rows, int64_t cols)
{
    return (p->rows ? p->done_rows[rows < g->rows.large] : 1) *
           (p->columns ? p->done_columns[cols < g->cols.large] : 1);
}

aic_padding aic_padding_make(const aic_contraction *c, const aic_plan_geometry *g, int64_t kpacks, double edges)
{
    static const double WORTH = 32; /* vector operations that finding a tile's range takes, and must at least save */
    aic_padding p = {.rows = false};
    double edged[2];
    if (!takes_any_taps(c, g->arithmetic.sum)) {
        return p;
    }
    const double products = (double)(kpacks * g->rows.large * g->cols.large * g->vectors);
    const double whole = find_done(&c->across, &g->cols, false, p.done_columns);
    const double parted = find_done(&c->across, &g->cols, edges > 0, edged);
    p.rows = (1 - find_done(&c->down, &g->rows, false, p.done_rows)) * products > WORTH;
    p.edges = whole - parted > edges && (whole - parted) * products > WORTH;
    p.columns = p.edges || (1 - whole) * products > WORTH;
    if (p.edges) {
        memcpy(p.done_columns, edged, sizeof edged);
    }
    return p;
}
