/* From a contraction and a schedule to sizes, pitches and counts. */
#include "codegen/contraction/contraction.h"
#include "codegen/family/family.h"
#include "frontend/core/diag.h"

static const aic_arithmetic PAIRS = {AIC_SUM_INT, AIC_PRODUCT_PAIR, 4, 2, 32};
static const aic_arithmetic WIDE_PAIRS = {AIC_SUM_INT_WIDE, AIC_PRODUCT_PAIR, 4, 2, 32};
static const aic_arithmetic QUADS = {AIC_SUM_INT, AIC_PRODUCT_QUAD, 4, 4, 32};
static const aic_arithmetic FLOATS = {AIC_SUM_FAST, AIC_PRODUCT_FLOAT, 4, 1, 32};
static const aic_arithmetic DOUBLES = {AIC_SUM_CUBE, AIC_PRODUCT_FLOAT, 8, 1, 64};

const aic_arithmetic *aic_arithmetic_of(const aic_contraction *c, const aic_target *target)
{
    switch (c->sum) {
    case AIC_SUM_INT:
        return target->family->dot4.emit != NULL ? &QUADS : &PAIRS;
    case AIC_SUM_INT_WIDE:
        return &WIDE_PAIRS; /* sums start anew with every group of taps, which start values could not follow */
    case AIC_SUM_FAST:
        /* Products of float32 are not exact in float32: without FMA each would be rounded twice, which the bound of
         * fast has no room for. */
        return c->dtype == AIC_FLOAT32 && (target->has & AIC_HAS_FMA) == 0 ? &DOUBLES : &FLOATS;
    case AIC_SUM_CUBE:
        break;
    }
    return &DOUBLES;
}

enum { CUBE_BYTES = 32 }; /* of the channels in a block of CUBE */

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
static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
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

static int64_t outputs_of(const aic_contraction *c)
{
    return c->has_epilogue ? least(c->n, c->epilogue.columns) : c->n;
}

const char *aic_group_refusal(const aic_contraction *c, int64_t lanes, int64_t group)
{
    if (!c->has_epilogue && c->n % group != 0) {
        return "does not divide the output channels";
    }
    if (group > lanes && group - lanes >= outputs_of(c)) {
        return "has vectors without output channels";
    }
    if (group % AIC_BLOCK_COLUMNS != 0 && AIC_BLOCK_COLUMNS % group != 0) {
        return "does not fit the result's blocks of 16 channels";
    }
    return NULL;
}

static aic_status check_schedule(const aic_contraction *c, const aic_schedule *s, const aic_tiling *t)
{
    aic_status status = check_tile(c, s);
    if (status != AIC_OK) {
        return status;
    }
    int64_t group = (int64_t)t->lanes * s->vectors, block_cells = c->c0 / t->arithmetic->cell_channels;
    const char *reason = aic_group_refusal(c, t->lanes, group);
    if (reason != NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "vectors = %lld is %lld output channels: such a group %s",
                        (long long)s->vectors, (long long)group, reason);
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

/* Cells of a pixel: where the order is free, no more than there are channels. */
static int64_t cells_of(const aic_contraction *c, const aic_tiling *t)
{
    int64_t channels = t->arithmetic->cell_channels;
    return t->arithmetic->sum == AIC_SUM_CUBE ? c->c1 * c->c0 / channels
                                              : round_up(ceil_div(c->channels, channels), t->unroll);
}

static int64_t block_taps_of(const aic_contraction *c, const aic_tiling *t)
{
    switch (t->arithmetic->sum) {
    case AIC_SUM_CUBE:
        return CUBE_BYTES / t->source_bytes / c->c0;
    case AIC_SUM_INT_WIDE:
        return AIC_INT32_PRODUCTS / (c->c1 * c->c0);
    case AIC_SUM_INT:
    case AIC_SUM_FAST:
        break;
    }
    return t->taps;
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
    /* Pixels or rows a multiple of a kilobyte apart would fall into few sets of the first-level cache. */
    t->pixel_pitch = t->cells * t->arithmetic->cell_bytes;
    t->pixel_pitch += t->pixel_pitch % 1024 == 0 ? AIC_LINE_BYTES : 0;
    t->row_pitch = round_up(t->columns * t->pixel_pitch, AIC_LINE_BYTES);
    t->row_pitch += t->row_pitch % 1024 == 0 ? AIC_LINE_BYTES : 0;
    int64_t tile_rows = t->rows.large_count + t->rows.small_count;
    int64_t band_out = least(c->oh, t->band_tiles * t->rows.large);
    t->bands = ceil_div(tile_rows, t->band_tiles);
    t->band_rows = (band_out - 1) * t->row_step + t->row_reach;
}

static void lay_out_panels(const aic_contraction *c, aic_tiling *t)
{
    t->outputs = outputs_of(c);
    t->groups = ceil_div(t->outputs, t->group);
    t->panels = round_up(t->outputs, most(t->group, AIC_BLOCK_COLUMNS)) / t->group;
    t->start_bytes = t->image_offset != 0 ? t->group * (int64_t)sizeof(int32_t) : 0;
    t->panel_bytes = t->start_bytes + t->taps * t->cells * t->group * t->arithmetic->cell_bytes;
    t->packed_bytes = t->panels * t->panel_bytes;
}

static void lay_out_strip(const aic_contraction *c, aic_tiling *t)
{
    t->strip_columns = most(t->group, AIC_BLOCK_COLUMNS);
    t->strip_pitch = c->has_epilogue ? t->rows.large * t->cols.large * AIC_BLOCK_COLUMNS * AIC_SUM_BYTES : 0;
}

static void lay_out_workspace(const aic_contraction *c, aic_tiling *t)
{
    const int64_t table = c->has_epilogue ? aic_epilogue_table_bytes(&c->epilogue) : 0;
    const struct {
        int64_t *offset, bytes;
    } parts[] = {
        {&t->taps_offset, t->taps * (int64_t)sizeof(int64_t)},
        {&t->table_offset, table},
        {&t->strip_offset, t->strip_columns / AIC_BLOCK_COLUMNS * t->strip_pitch},
        {&t->weight_offset, t->packed_bytes},
        {&t->band_offset, t->band_rows * t->row_pitch},
    };
    t->workspace_bytes = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].offset = t->workspace_bytes;
        t->workspace_bytes += round_up(parts[i].bytes, AIC_LINE_BYTES);
    }
}

aic_status aic_tiling_make(const aic_contraction *c, const aic_target *target, const aic_schedule *schedule,
                           aic_tiling *tiling)
{
    aic_tiling t = {.arithmetic = aic_arithmetic_of(c, target), .source_bytes = (unsigned)aic_dtype_size(c->dtype)};
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
    t.cells = cells_of(c, &t);
    t.block_taps = block_taps_of(c, &t);
    t.rows = aic_split_evenly(c->oh, schedule->rows);
    t.cols = aic_split_evenly(c->ow, schedule->cols);
    t.band_tiles = schedule->band;
    lay_out_band(c, &t);
    lay_out_panels(c, &t);
    lay_out_strip(c, &t);
    lay_out_workspace(c, &t);
    *tiling = t;
    return AIC_OK;
}
