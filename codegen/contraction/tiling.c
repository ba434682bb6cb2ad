/* From a contraction and a schedule to sizes, pitches and counts. */
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/machine.h"
#include "codegen/packed.h"
#include "frontend/core/diag.h"

aic_split aic_split_evenly(int64_t extent, int64_t most)
{
    int64_t tiles = aic_parts(extent, most);
    int64_t large = aic_parts(extent, tiles);
    int64_t small_count = tiles * large - extent;
    return (aic_split){.large = large, .large_count = tiles - small_count, .small_count = small_count};
}

static aic_status check_range(const char *field, int64_t value, int64_t low, int64_t high)
{
    if (value < low || value > high) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "%s = %lld is outside %lld..%lld", field, (long long)value,
                        (long long)low, (long long)high);
    }
    return AIC_OK;
}

/* The most rows, columns or vectors of a tile, for any micro-kernel; this bounds code size and compile time. */
enum { TILE_MAX = 64 };

static aic_status check_tile(const aic_contraction *c, const aic_contraction_schedule *s)
{
    aic_status status = check_range("rows", s->rows, 1, aic_least(c->oh, TILE_MAX));
    if (status == AIC_OK) {
        status = check_range("cols", s->cols, 1, aic_least(c->ow, TILE_MAX));
    }
    return status == AIC_OK ? check_range("vectors", s->vectors, 1, TILE_MAX) : status;
}

/* Reads the field `hold`: a panel, which is the default, or a window. */
static aic_status find_hold(const aic_contraction_schedule *s, bool *window)
{
    *window = s->hold == aic_tag("window");
    if (s->hold == 0 || s->hold == aic_tag("panel") || *window) {
        return AIC_OK;
    }
    const aic_tag_name name = aic_tag_text(s->hold);
    return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "hold = %s is none of panel, window", name.text);
}

/* Channels can be cut into blocks if the order of the sum is free and the k-packs are all full. */
static aic_status check_blocks(const aic_contraction *c, const aic_contraction_schedule *s, const aic_tiling *t)
{
    const bool whole = t->kpacks * t->arithmetic.kpack_channels == c->channels && t->merged == 1;
    const bool any_order = t->arithmetic.sum == AIC_SUM_INT || t->arithmetic.sum == AIC_SUM_FAST;
    const bool able = t->kernel->blocks != NULL && any_order && !c->accumulate && whole;
    if (s->blocks == 1) {
        return AIC_OK;
    }
    if (!able || !t->holds_window) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "blocks = %lld: %s", (long long)s->blocks,
                        able ? "blocks of channels pass by a window that is held, hold=window"
                             : "the micro-kernel takes all channels at once");
    }
    if (s->blocks < 1 || s->blocks > t->kpacks || t->kpacks % (s->blocks * s->unroll) != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "blocks = %lld times unroll = %lld does not divide %lld",
                        (long long)s->blocks, (long long)s->unroll, (long long)t->kpacks);
    }
    return AIC_OK;
}

/* The largest prefetch distance: the size of a large second-level cache. */
enum { AHEAD_MAX = 1 << 20 };

static aic_status check_ahead(const aic_contraction_schedule *s, const aic_microkernel *kernel)
{
    if (s->ahead != 0 && kernel->ahead == 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule",
                        "ahead = %lld: the micro-kernel fetches weights in its own way", (long long)s->ahead);
    }
    if (s->ahead % AIC_LINE_BYTES != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "ahead = %lld is no multiple of %d", (long long)s->ahead,
                        AIC_LINE_BYTES);
    }
    return check_range("ahead", s->ahead, 0, AHEAD_MAX);
}

static int64_t outputs_of(const aic_contraction *c)
{
    return c->has_epilogue ? aic_least(c->n, c->epilogue.columns) : c->n;
}

const char *aic_panel_refusal(const aic_contraction *c, int64_t lanes, int64_t channels)
{
    if (!c->has_epilogue && c->n % channels != 0) {
        return "does not divide the output channels";
    }
    if (channels > lanes && channels - lanes >= outputs_of(c)) {
        return "has vectors without output channels";
    }
    if (channels % AIC_BLOCK_COLUMNS != 0 && AIC_BLOCK_COLUMNS % channels != 0) {
        return "does not fit the result's blocks of 16 channels";
    }
    return NULL;
}

static aic_status check_schedule(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s,
                                 const aic_tiling *t)
{
    aic_status status = check_tile(c, s);
    if (status == AIC_OK) {
        status = t->kernel->check(c, target, s, t);
    }
    if (status != AIC_OK) {
        return status;
    }
    int64_t channels = (int64_t)t->lanes * s->vectors;
    const char *reason = aic_panel_refusal(c, t->lanes, channels);
    if (reason != NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "vectors = %lld is %lld output channels: such a panel %s",
                        (long long)s->vectors, (long long)channels, reason);
    }
    status = check_ahead(s, t->kernel);
    return status == AIC_OK ? check_range("band", s->band, 1, aic_parts(c->oh, s->rows)) : status;
}

/* The micro-kernel that the schedule names, if it takes the contraction. */
static aic_status find_kernel(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s,
                              const aic_microkernel **kernel)
{
    char list[64];
    const aic_tag_name name = aic_tag_text(s->kernel);
    *kernel = aic_microkernel_find(s->kernel);
    if (*kernel == NULL) {
        aic_microkernel_list(list, sizeof list);
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "kernel = %s is none of %s", name.text, list);
    }
    const char *reason = (*kernel)->refuse(c, target);
    return reason == NULL ? AIC_OK
                          : aic_fail(AIC_INVALID_ARGUMENT, "schedule", "kernel = %s: this micro-kernel %s",
                                     (*kernel)->name, reason);
}

/* Taps and their k-packs. If the order of the sum is free, k-packs without channels are left out. */
static void lay_out_taps(const aic_contraction *c, aic_tiling *t)
{
    const int64_t channels = t->arithmetic.kpack_channels,
                  step = t->kernel->step_kpacks > 1 ? t->kernel->step_kpacks : t->unroll;
    t->merged = t->kernel->merges != NULL && t->kernel->merges(c) ? c->kw : 1;
    t->fold = t->kernel->fold != NULL ? t->kernel->fold(c) : 1;
    t->taps = aic_parts(c->kh, t->fold) * c->kw / t->merged;
    if (t->arithmetic.sum == AIC_SUM_CUBE) {
        t->kpacks = t->pixel_kpacks = c->c1 * c->c0 / channels;
        return;
    }
    t->pixel_kpacks = t->fold * aic_parts(c->channels, channels);
    t->kpacks = aic_round_up(t->merged * t->pixel_kpacks, step);
    t->pixel_kpacks = t->merged > 1 ? t->pixel_kpacks : t->kpacks;
}

/* Taps whose sums are formed before they are folded into the totals. */
static int64_t block_taps_of(const aic_contraction *c, const aic_tiling *t)
{
    switch (t->arithmetic.sum) {
    case AIC_SUM_CUBE:
        return AIC_CUBE_BYTES / t->source_bytes / c->c0;
    case AIC_SUM_INT_WIDE:
        return AIC_INT32_PRODUCTS / (c->c1 * c->c0);
    case AIC_SUM_INT:
    case AIC_SUM_FAST:
        break;
    }
    return t->taps;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* The band's rows where kernel rows are folded. Each band row shows `fold` image rows; folded taps and output rows need
 * band rows whose first image rows are multiples of fold and of the stride, hence of the divisor that these share. */
static void lay_out_folded_rows(const aic_contraction *c, aic_tiling *t)
{
    const int64_t taps = aic_parts(c->kh, t->fold);
    t->band_gap = taps == 1 ? c->stride_h : common_divisor(t->fold, c->stride_h);
    t->fold_step = t->fold / t->band_gap;
    t->row_step = c->stride_h / t->band_gap;
    t->row_gap = t->row_step;
    t->row_reach = (taps - 1) * t->fold_step + 1;
}

/* Pitches of a band's pixels and rows. A line is added to a pitch that is a multiple of a kilobyte, as pixels or rows
 * would then fall into few sets of the first-level cache; with blocks of channels, to one that is a multiple of two
 * lines. Where taps are merged the pixels of a row are contiguous in each plane. */
static void lay_out_pixels(aic_tiling *t)
{
    const unsigned planes = t->arithmetic.planes;
    t->plane_bytes = t->pixel_kpacks * t->arithmetic.kpack_bytes;
    if (t->merged > 1 && planes > 1) {
        t->pixel_pitch = t->plane_bytes;
        t->plane_bytes = aic_round_up(t->columns * t->pixel_pitch, AIC_LINE_BYTES);
        t->plane_bytes += planes * t->plane_bytes % 1024 == 0 ? AIC_LINE_BYTES : 0;
        t->row_pitch = planes * t->plane_bytes;
        return;
    }
    t->pixel_pitch = planes * t->plane_bytes;
    t->pixel_pitch += t->pixel_pitch % (t->blocks > 1 ? 2 * AIC_LINE_BYTES : 1024) == 0 ? AIC_LINE_BYTES : 0;
    t->row_pitch = aic_round_up(t->columns * t->pixel_pitch, AIC_LINE_BYTES);
    t->row_pitch += t->row_pitch % 1024 == 0 ? AIC_LINE_BYTES : 0;
}

/* Band rows and columns. Where the stride exceeds the kernel's reach, rows and columns between two windows are left
 * out of the band. */
static void lay_out_band(const aic_contraction *c, aic_tiling *t)
{
    int64_t reach_h = c->dilation_h * (c->kh - 1) + 1, reach_w = c->dilation_w * (c->kw - 1) + 1;
    t->row_reach = reach_h;
    t->row_step = aic_least(c->stride_h, reach_h);
    t->row_gap = c->stride_h;
    t->band_gap = 1;
    t->fold_step = c->dilation_h;
    if (t->fold > 1) {
        lay_out_folded_rows(c, t);
    }
    t->col_step = reach_w == 1 ? 1 : c->stride_w;
    t->col_gap = reach_w == 1 ? c->stride_w : 1;
    t->columns = (c->ow - 1) * t->col_step + reach_w;
    lay_out_pixels(t);
    t->run = t->kernel->run != NULL ? t->kernel->run(c, t) : 0;
    t->row_residues = t->run > 0 ? t->row_step : 1;
    t->col_residues = t->run > 0 ? t->col_step : 1;
    t->row_pitch = t->run > 0 ? t->col_residues * t->run * t->pixel_pitch : t->row_pitch;
    t->out_row = t->row_step / t->row_residues * t->row_pitch / t->col_residues;
    t->out_col = t->col_step / t->col_residues * t->pixel_pitch;
    int64_t tile_rows = t->rows.large_count + t->rows.small_count;
    int64_t band_out = aic_least(c->oh, t->band_tiles * t->rows.large);
    t->bands = aic_parts(tile_rows, t->band_tiles);
    t->band_rows = (band_out - 1) * t->row_step + t->row_reach;
    t->residue_bytes = aic_parts(t->band_rows, t->row_residues) * t->row_pitch / t->col_residues;
}

static void lay_out_panels(const aic_contraction *c, aic_tiling *t)
{
    t->outputs = outputs_of(c);
    t->used_panels = aic_parts(t->outputs, t->panel_channels);
    t->panels = aic_round_up(t->outputs, aic_most(t->panel_channels, AIC_BLOCK_COLUMNS)) / t->panel_channels;
    t->notes_specials = t->arithmetic.product == AIC_PRODUCT_BFLOAT;
    t->notes_weights = t->notes_specials || (aic_tiling_skips(t) && c->dtype != AIC_INT8);
    t->starts = aic_tiling_skips(t) ? (c->kh + 1) * aic_start_columns(c, t) : 1;
    t->start_bytes = t->arithmetic.image_offset != 0 ? t->starts * t->panel_channels * (int64_t)sizeof(int32_t)
                     : t->notes_weights              ? AIC_LINE_BYTES
                                                     : 0;
    t->step_bytes = t->panel_channels * t->arithmetic.kpack_bytes * t->arithmetic.planes;
    if (t->blocks > 1) { /* a panel has a head in every block, as long as some whole steps */
        t->start_bytes = aic_round_up(t->start_bytes, t->step_bytes);
    }
    t->panel_bytes = t->blocks * t->start_bytes + t->taps * t->kpacks * t->step_bytes;
    t->packed_bytes = t->panels * t->panel_bytes;
    t->block_panel_bytes = t->panel_bytes / t->blocks;
    t->block_bytes = t->panels * t->block_panel_bytes;
}

enum { ROW_BYTES = AIC_BLOCK_COLUMNS * AIC_SUM_BYTES };

aic_epilogue aic_plain_epilogue(const aic_contraction *c)
{
    const aic_dtype dtype = c->dtype == AIC_INT8 ? AIC_INT32 : AIC_FLOAT32;
    return (aic_epilogue){.source = dtype,
                          .target = dtype,
                          .rows = c->oh * c->ow,
                          .columns = c->n,
                          .matrices = 1,
                          .width = AIC_BLOCK_COLUMNS,
                          .target_block = c->block_rows * ROW_BYTES,
                          .target_row = ROW_BYTES};
}

/* Whether the start values are added by the epilogue instead, as biases. Sums must stay within int32 without them, so
 * that adding them with saturation is the only clamp; and the epilogue can have only one step of biases. */
static bool starts_as_bias(const aic_contraction *c)
{
    return c->start_channel && c->sum == AIC_SUM_INT && c->has_epilogue &&
           !aic_epilogue_has_step(&c->epilogue, AIC_STEP_BIAS) && c->epilogue.steps < AIC_EPILOGUE_STEPS;
}

static void lay_out_strip(const aic_contraction *c, aic_tiling *t)
{
    t->accumulate = c->accumulate && !starts_as_bias(c);
    t->has_epilogue = c->has_epilogue || (t->kernel->staged != NULL && t->kernel->staged(c, t));
    t->epilogue = c->has_epilogue ? c->epilogue : aic_plain_epilogue(c);
    if (c->accumulate && !t->accumulate) {
        const aic_step bias = {.op = AIC_STEP_BIAS, .operand = c->start_operand, .dtype = AIC_INT32};
        aic_epilogue_begin_with(&t->epilogue, &bias);
    }
    t->defers = t->has_epilogue && t->kernel->pauses != NULL;
    t->strip_columns = aic_most(t->panel_channels, AIC_BLOCK_COLUMNS);
    const int64_t pixels = (t->rows.large - 1) * aic_tiling_staged_row(t, t->cols.large) + t->cols.large;
    t->staging_pitch = t->has_epilogue ? pixels * ROW_BYTES : 0;
    t->strips = t->has_epilogue ? aic_parts(t->outputs, t->strip_columns) : t->used_panels;
    if (t->defers) {
        const int64_t pauses = t->kernel->pauses(t) * (t->strip_columns / t->panel_channels);
        t->deferred_runs = aic_parts(aic_tiling_runs(c, t, t->rows.large, t->cols.large), pauses);
        t->deferred_rows = aic_deferred_rows(t->rows.large * t->cols.large, pauses);
    }
}

int64_t aic_tiling_staged_row(const aic_tiling *t, int64_t cols)
{
    return t->run > 0 ? t->run : cols;
}

/* The rows of a tile as wide as the output are one run, if its staging buffer has no pixels between them. */
int64_t aic_tiling_runs(const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols)
{
    return cols == c->ow && t->run <= c->ow ? 1 : rows;
}

int64_t aic_tiling_staging_bytes(const aic_tiling *t)
{
    const int64_t surplus = t->kernel->surplus * ROW_BYTES;
    return t->strip_columns / AIC_BLOCK_COLUMNS * t->staging_pitch + surplus;
}

/* A micro-kernel that cannot start its sums from an old result stores them behind it and then adds the two. */
int64_t aic_tiling_buffer_bytes(const aic_tiling *t)
{
    const int64_t strips = t->kernel->staged != NULL && t->accumulate ? 2 : 1;
    return aic_round_up(strips * aic_tiling_staging_bytes(t), AIC_LINE_BYTES);
}

/* Lays out a worker's private memory. */
static void lay_out_private(aic_tiling *t, aic_requirements *r)
{
    const int64_t buffers = !t->has_epilogue ? 0 : t->blocks > 1 ? t->strips : t->defers ? 2 : 1;
    const int64_t surplus = t->kernel->surplus * t->col_step * t->pixel_pitch + t->kpacks * t->arithmetic.kpack_bytes;
    t->taps_offset = 0;
    t->staging_offset = aic_round_up(aic_tiling_range_bytes(t) + t->taps * (int64_t)sizeof(int64_t), AIC_LINE_BYTES);
    t->notes_offset = t->staging_offset + buffers * aic_tiling_buffer_bytes(t);
    t->deferred_offset = t->notes_offset + (t->notes_specials ? AIC_LINE_BYTES : 0);
    t->band_offset = t->deferred_offset + (t->defers ? aic_deferred_bytes() : 0);
    t->band_bytes = t->row_residues * t->col_residues * t->residue_bytes;
    r->private_bytes = t->band_offset + aic_round_up(t->band_bytes + surplus, AIC_LINE_BYTES);
}

aic_status aic_tiling_make(const aic_plan *plan, const aic_contraction_schedule *schedule, aic_tiling *tiling)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_target *target = plan->problem.target;
    aic_tiling t = {.machine = plan->problem.machine, .source_bytes = (unsigned)aic_dtype_size(c->dtype)};
    aic_status status = find_kernel(c, target, schedule, &t.kernel);
    if (status != AIC_OK) {
        return status;
    }
    t.arithmetic = t.kernel->arithmetic(c, target);
    t.lanes = (unsigned)target->vector_bits / t.arithmetic.sum_bits;
    status = check_schedule(c, target, schedule, &t);
    if (status != AIC_OK) {
        return status;
    }
    status = find_hold(schedule, &t.holds_window);
    if (status != AIC_OK) {
        return status;
    }
    t.vectors = (unsigned)schedule->vectors;
    t.panel_channels = (int64_t)t.lanes * schedule->vectors;
    t.unroll = schedule->unroll;
    lay_out_taps(c, &t);
    status = check_blocks(c, schedule, &t);
    if (status != AIC_OK) {
        return status;
    }
    t.blocks = schedule->blocks;
    t.block_kpacks = t.kpacks / t.blocks;
    t.ahead = schedule->ahead;
    t.block_taps = block_taps_of(c, &t);
    t.rows = aic_split_evenly(c->oh, schedule->rows);
    t.cols = aic_split_evenly(c->ow, schedule->cols);
    t.band_tiles = schedule->band;
    lay_out_band(c, &t);
    aic_padding_lay_out(c, &t);
    lay_out_panels(c, &t);
    lay_out_strip(c, &t);
    *tiling = t;
    return AIC_OK;
}

/* Divides each band into parts, so that a call has enough work items for its workers. */
static void divide(aic_tiling *t, bool shared)
{
    const int64_t parts = shared ? aic_least(t->strips, aic_parts(AIC_SHARED_ITEMS, t->bands)) : 1;
    t->part_strips = aic_parts(t->strips, parts);
    t->parts = aic_parts(t->strips, t->part_strips);
}

int64_t aic_tiling_window_bytes(const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols)
{
    const int64_t reach = t->columns - (c->ow - 1) * t->col_step;
    const int64_t parts = t->merged > 1 ? t->arithmetic.planes : 1; /* planes that a pixel's pitch does not include */
    return ((rows - 1) * t->row_step + t->row_reach) * ((cols - 1) * t->col_step + reach) * t->pixel_pitch * parts;
}

static bool computes_with_floats(const aic_contraction *c, const aic_tiling *t)
{
    return c->dtype != AIC_INT8 || (t->has_epilogue && !aic_epilogue_copies(&t->epilogue));
}

void aic_tiling_requirements(const aic_contraction *c, aic_tiling *t, bool shared, aic_requirements *r)
{
    divide(t, shared);
    r->needs = t->kernel->needs | (computes_with_floats(c, t) ? AIC_NEEDS_FLOAT : 0);
    r->pack = (aic_packing){.operand = AIC_CONTRACTION_WEIGHT,
                            .items = aic_pack_weight_items(c, t),
                            .bytes = AIC_HEAD_BYTES + aic_round_up(t->packed_bytes, AIC_LINE_BYTES),
                            .floats = c->dtype != AIC_INT8};
    const int64_t table = t->has_epilogue ? aic_epilogue_table_bytes(&t->epilogue) : 0;
    r->shared_bytes = aic_round_up(table, AIC_LINE_BYTES);
    lay_out_private(t, r);
    if (table > 0) {
        aic_requirements_phase(r, "columns", 1);
    }
    aic_requirements_phase(r, "bands", t->bands * t->parts);
}
