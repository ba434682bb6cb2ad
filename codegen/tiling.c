/* From a contraction and a schedule to sizes, pitches and counts. */
#include "codegen/contraction.h"
#include "codegen/target/family.h"
#include "frontend/diag.h"

static const aic_arithmetic PAIRS = {AIC_PRODUCT_PAIR, 1, 4, 2, 32};
static const aic_arithmetic QUADS = {AIC_PRODUCT_QUAD, 1, 4, 4, 32};
static const aic_arithmetic FLOATS = {AIC_PRODUCT_FLOAT, 2, 4, 1, 32};
static const aic_arithmetic DOUBLES = {AIC_PRODUCT_FLOAT, 2, 8, 1, 64};

const aic_arithmetic *aic_arithmetic_of(aic_sum sum, const aic_target *target)
{
    switch (sum) {
    case AIC_SUM_INT:
        return target->family->dot4.emit != NULL ? &QUADS : &PAIRS;
    case AIC_SUM_INT_WIDE:
        return &PAIRS; /* sums start anew with every group of taps, which start values per panel could not follow */
    case AIC_SUM_FAST:
        return &FLOATS;
    case AIC_SUM_CUBE:
        break;
    }
    return &DOUBLES;
}

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}
static int64_t round_up(int64_t a, int64_t b)
{
    return ceil_div(a, b) * b;
}
static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

aic_split aic_split_evenly(int64_t extent, int64_t most)
{
    int64_t pieces = ceil_div(extent, most);
    int64_t large = ceil_div(extent, pieces);
    int64_t small_count = pieces * large - extent;
    return (aic_split){.large = large, .large_count = pieces - small_count, .small_count = small_count};
}

static aic_status check_range(const char *field, int64_t value, int64_t low, int64_t high)
{
    if (value < low || value > high) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "%s = %lld is outside %lld..%lld", field, (long long)value,
                        (long long)low, (long long)high);
    }
    return AIC_OK;
}

/* A tile beyond this many sums would only spill; code size and compile time stay bounded. */
enum { TILE_SUMS_MAX = 64 };

static aic_status check_tile(const aic_contraction *c, const aic_schedule *s)
{
    aic_status status = check_range("rows", s->rows, 1, least(c->oh, TILE_SUMS_MAX));
    if (status == AIC_OK) {
        status = check_range("cols", s->cols, 1, least(c->ow, TILE_SUMS_MAX));
    }
    if (status == AIC_OK) {
        status = check_range("vectors", s->vectors, 1, TILE_SUMS_MAX);
    }
    return status != AIC_OK ? status
                            : check_range("rows*cols*vectors", s->rows * s->cols * s->vectors, 1, TILE_SUMS_MAX);
}

static aic_status check_schedule(const aic_contraction *c, const aic_schedule *s, const aic_tiling *t)
{
    aic_status status = check_tile(c, s);
    if (status != AIC_OK) {
        return status;
    }
    int64_t group = (int64_t)t->lanes * s->vectors, block_cells = c->c0 / t->arithmetic->cell_channels;
    if (c->n % group != 0 || (group % 16 != 0 && 16 % group != 0)) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule",
                        "vectors = %lld is %lld output channels, which do not divide %lld or fit blocks of 16",
                        (long long)s->vectors, (long long)group, (long long)c->n);
    }
    status = check_range("unroll", s->unroll, 1, block_cells);
    if (status != AIC_OK) {
        return status;
    }
    if (block_cells % s->unroll != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "unroll = %lld does not divide %lld", (long long)s->unroll,
                        (long long)block_cells);
    }
    return check_range("band", s->band, 1, ceil_div(c->oh, s->rows));
}

/* Band rows and columns. Where the stride exceeds the kernel's reach, rows and columns between two windows are left
 * out of the band. */
static void lay_out_band(const aic_contraction *c, aic_tiling *t)
{
    int64_t reach_h = c->dilation_h * (c->kh - 1) + 1, reach_w = c->dilation_w * (c->kw - 1) + 1;
    t->row_reach = reach_h;
    t->row_step = least(c->stride_h, reach_h);
    t->row_gap = c->stride_h;
    t->col_step = reach_w == 1 ? 1 : c->stride_w;
    t->col_gap = reach_w == 1 ? c->stride_w : 1;
    t->columns = (c->ow - 1) * t->col_step + reach_w;
    t->cells = c->c1 * c->c0 / t->arithmetic->cell_channels;
    /* Pixels or rows a multiple of a kilobyte apart would fall into few sets of the first-level cache. */
    t->pixel_pitch = t->cells * t->arithmetic->cell_bytes;
    t->pixel_pitch += t->pixel_pitch % 1024 == 0 ? AIC_LINE_BYTES : 0;
    t->row_pitch = round_up(t->columns * t->pixel_pitch, AIC_LINE_BYTES);
    t->row_pitch += t->row_pitch % 1024 == 0 ? AIC_LINE_BYTES : 0;
}

static void lay_out_workspace(const aic_contraction *c, aic_tiling *t)
{
    int64_t tile_rows = t->rows.large_count + t->rows.small_count;
    int64_t band_out = least(c->oh, t->band_tiles * t->rows.large);
    t->bands = ceil_div(tile_rows, t->band_tiles);
    t->band_rows = (band_out - 1) * t->row_step + t->row_reach;
    t->start_bytes = t->image_offset != 0 ? t->group * (int64_t)sizeof(int32_t) : 0;
    t->panel_bytes = t->start_bytes + t->taps * t->cells * t->group * t->arithmetic->cell_bytes;
    t->packed_bytes = c->n / t->group * t->panel_bytes;
    t->taps_offset = 0;
    t->weight_offset = round_up(t->taps * (int64_t)sizeof(int64_t), AIC_LINE_BYTES);
    t->band_offset = round_up(t->weight_offset + t->packed_bytes, AIC_LINE_BYTES);
    t->workspace_bytes = round_up(t->band_offset + t->band_rows * t->row_pitch, AIC_LINE_BYTES);
}

aic_status aic_tiling_make(const aic_contraction *c, const aic_target *target, const aic_schedule *schedule,
                           aic_tiling *tiling)
{
    aic_tiling t = {.arithmetic = aic_arithmetic_of(c->sum, target)};
    t.image_offset = t.arithmetic->product == AIC_PRODUCT_QUAD ? target->family->dot4.image_offset : 0;
    t.lanes = (unsigned)target->vector_bits / t.arithmetic->sum_bits;
    aic_status status = check_schedule(c, schedule, &t);
    if (status != AIC_OK) {
        return status;
    }
    t.vectors = (unsigned)schedule->vectors;
    t.group = (int64_t)t.lanes * schedule->vectors;
    t.unroll = schedule->unroll;
    t.taps = c->kh * c->kw;
    t.rows = aic_split_evenly(c->oh, schedule->rows);
    t.cols = aic_split_evenly(c->ow, schedule->cols);
    t.band_tiles = schedule->band;
    lay_out_band(c, &t);
    lay_out_workspace(c, &t);
    *tiling = t;
    return AIC_OK;
}
