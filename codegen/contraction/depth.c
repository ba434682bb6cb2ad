/* The micro-kernel of depthwise contractions, in which every output channel sees one input channel. A vector is
 * channels of image, weights and results alike: nothing is broadcast. A tile is one or two rows of the output, as long
 * as tiles may be, and what it loads it multiplies by all taps of a kernel row that read it. The band has the image's
 * elements as they are, which are fewer bytes to write and to read than extended ones (but floats where these become
 * doubles, as that takes two instructions); int8 are the elements of two
 * rows in turns, which an instruction multiplies by two taps and adds. parts/depth.c emits it. */
#include "codegen/parts/depth.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/family/family.h"
#include "codegen/integer.h"
#include "codegen/parts/tile.h"
#include "frontend/core/diag.h"

#include <math.h>

/* Taps of a block of the fixed order. */
enum { CUBE_TAPS = 16 };

static bool is_small(const aic_line *l)
{
    return l->dilation == 1 && l->taps <= AIC_DEPTH_SIDE && l->stride <= l->taps;
}

/* Whether some columns of the band lie in the image, whose rows and blocks of channels lie one behind the other. */
static bool is_plain(const aic_contraction *c)
{
    const int64_t columns = (c->across.out - 1) * c->across.stride + c->across.taps;
    return c->across.pad < columns && c->weight == AIC_WEIGHT_BLOCKS && c->image.pixel == c->c0 &&
           c->image.fractal_rows >= c->down.extent && c->image.row_pitch == c->across.extent * c->c0;
}

static const char *refuse(const aic_contraction *c, const aic_target *target)
{
    const bool bytes = c->dtype == AIC_INT8;
    if (c->groups <= 1 || c->groups != c->channels || c->groups != c->n) {
        return "needs as many groups as input channels and as output channels";
    }
    if (c->c0 * (int64_t)aic_dtype_size(c->dtype) != AIC_DEPTH_BLOCK || !is_plain(c)) {
        return "needs images in blocks of 32 bytes of channels";
    }
    if (!is_small(&c->down) || !is_small(&c->across)) {
        return "needs kernels of at most 7 x 7, dilation 1, and strides within the kernel";
    }
    if (bytes ? c->sum != AIC_SUM_INT : c->dtype != AIC_FLOAT16 || (target->has & AIC_HAS_HALF) == 0) {
        return "needs an instruction that extends float16";
    }
    return NULL;
}

static aic_arithmetic arithmetic_of(const aic_contraction *c, const aic_target *target)
{
    static const aic_arithmetic ROWS = {AIC_SUM_INT, AIC_PRODUCT_ROWS, 4, 1, 32, 0, 1};
    return c->dtype == AIC_INT8 ? ROWS : aic_microkernel_vector.arithmetic(c, target);
}

/* ---- plan ---- */

static aic_depth_key key_of(const aic_contraction *c, const aic_arithmetic *a)
{
    return (aic_depth_key){.dtype = c->dtype,
                           .sum = a->sum,
                           .product = a->product,
                           .kh = c->down.taps,
                           .kw = c->across.taps,
                           .down = c->down.stride,
                           .across = c->across.stride};
}

static aic_wish propose(const aic_contraction *c, const aic_plan_geometry *g)
{
    const aic_depth_key key = key_of(c, &g->arithmetic);
    return (aic_wish){.step_kpacks = 1, .merged = 1, .fold = 1, .steps = aic_depth_steps(&key)};
}

/* Rows of a tile that its registers, lines of the band and blocks of taps allow. */
static bool has_rows(const aic_contraction *c, int64_t rows)
{
    if (c->dtype == AIC_INT8 && c->down.stride % 2 != 0) {
        return rows == aic_least(c->down.out, 2); /* tiles begin at the upper row of a line */
    }
    return rows == 1 || (rows == 2 && (c->sum != AIC_SUM_CUBE || c->down.taps * c->across.taps <= CUBE_TAPS));
}

static aic_status check(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s)
{
    const int64_t lanes = target->vector_bits / (int64_t)arithmetic_of(c, target).sum_bits;
    const int64_t channels = lanes * s->vectors;
    if (!has_rows(c, s->rows)) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule",
                        "rows = %lld: tiles have one row or two; of int8 with an odd stride two, of long sums one",
                        (long long)s->rows);
    }
    if (channels != c->c0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "vectors = %lld is %lld channels: a block has %lld",
                        (long long)s->vectors, (long long)channels, (long long)c->c0);
    }
    if (s->unroll != 1) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "unroll = %lld is not 1", (long long)s->unroll);
    }
    return AIC_OK;
}

/* Tiles have the channels of a block, and any number of pixels. */
static int64_t pixels_of(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    const int64_t lanes = target->vector_bits / (int64_t)arithmetic_of(c, target).sum_bits;
    return lanes * vectors == c->c0 ? INT64_MAX : 0;
}

static int64_t unroll_of(const aic_contraction *c, const aic_target *target, int64_t sums)
{
    (void)c;
    (void)target;
    (void)sums;
    return 1;
}

/* Vector instructions of a product and its addition. */
static double product_cost(const aic_contraction *c, const aic_target *target)
{
    return c->dtype == AIC_INT8 ? aic_family_of(target)->dot2.operations : 1;
}

/* Columns of a step across a tile: as many as the registers have sums for beside the weights of three taps, an element
 * and a product, but all steps about as many. */
static int64_t step_columns(const aic_contraction *c, const aic_target *target, int64_t rows, int64_t cols)
{
    enum { TOGETHER = 3, MOST = 16 };
    const int64_t spare = product_cost(c, target) > 1 ? 2 : 1, weights = rows * aic_least(c->across.taps, TOGETHER);
    const int64_t most = aic_least(MOST, aic_most((target->vector_registers - spare - weights) / rows, 1));
    return aic_parts(cols, aic_parts(cols, most));
}

/* ---- cost ---- */

/* In vector multiply-adds: extending a vector of elements; around a step and a tile; packing a line; writing one that
 * leaves the first-level cache, and reading it again. */
static const double EXTEND = 0.6, STEP_COST = 6, TILE_COST = 20, PACK_LINE = 3, WRITTEN_LINE = 2;

static double cost_of(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                      int64_t cols)
{
    const aic_depth_key key = key_of(c, &t->geometry.arithmetic);
    const int64_t columns = step_columns(c, target, rows, cols), steps = aic_parts(cols, columns);
    const double products = (double)(rows * cols * aic_depth_steps(&key) / aic_depth_begins(&key));
    const double elements =
        (double)(aic_depth_lines(&key, rows) * (steps * (c->across.taps - c->across.stride) + cols * c->across.stride));
    const double vector =
        products * product_cost(c, target) + elements * EXTEND + (double)(rows * cols) + STEP_COST * (double)steps;
    return vector * t->geometry.vectors + TILE_COST;
}

/* A call packs the bands; what is much more than the first-level cache holds is written to the second-level one. */
static double call_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    (void)c;
    (void)target;
    const double lines =
        (double)(t->band.count * t->geometry.slices * t->band.rows) * (double)t->band.row_pitch / AIC_LINE_BYTES;
    return lines * (PACK_LINE + (t->band.bytes > 2 * t->geometry.machine->l1_bytes ? WRITTEN_LINE : 0));
}

/* As many tile rows as have a band that the first-level cache holds, but two at least: rows that neighbouring bands
 * share are packed twice. */
static int64_t small_band(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    (void)c;
    (void)target;
    const int64_t step = t->geometry.rows.large * t->band.row_step, twice = t->band.row_reach - t->band.row_step;
    return aic_most(2, (t->geometry.machine->l1_bytes / t->band.row_pitch - twice) / step);
}

static double bound_of(const aic_contraction *c, const aic_target *target)
{
    const aic_arithmetic a = arithmetic_of(c, target);
    const aic_depth_key key = key_of(c, &a);
    const double lanes = (double)target->vector_bits / a.sum_bits, turns = (double)aic_depth_turns(a.product);
    return (double)(key.kh * key.kw) / turns * (double)(c->down.out * c->across.out) * (double)c->n / lanes *
           product_cost(c, target);
}

/* ---- parts ---- */

static aic_routine compose_tile(aic_program *program, const aic_plan *plan, int64_t rows, int64_t cols,
                                aic_routine leave)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    const int64_t columns = step_columns(c, plan->problem.target, rows, cols), turns = aic_band_turns(&t->geometry);
    const bool staged = t->staging.pitch != 0;
    aic_depth_key key = key_of(c, &t->geometry.arithmetic);
    aic_use use;
    (void)leave;
    key.lanes = t->geometry.lanes;
    key.rows = rows;
    key.columns = columns;
    key.rest = cols % columns;
    key.accumulate = !t->geometry.accumulate ? AIC_TILE_FROM_ZERO : c->wraps ? AIC_TILE_WRAPS : AIC_TILE_CLAMPS;
    aic_use_begin(&use, &aic_part_depth_tile, &key, 4, 0);
    aic_use_trips(&use, cols / columns, "steps");
    aic_use_trips(&use, t->geometry.panel_channels / AIC_BLOCK_COLUMNS, "blocks");
    for (int64_t line = 1; line < aic_depth_lines(&key, rows); line++) {
        aic_use_number(&use, line * turns * t->band.row_pitch, "line.%lld", (long long)line);
    }
    if (rows > 1) {
        aic_use_number(&use, (staged ? cols : c->across.out) * AIC_ROW_BYTES, "out.1");
    }
    aic_use_number(&use, staged ? t->staging.pitch : c->block_rows * AIC_ROW_BYTES, "out.block");
    return aic_program_add(program, &use, "tile_%lldx%lldx%lld", (long long)rows, (long long)cols,
                           (long long)t->geometry.panel_channels);
}

/* Pixels that are copied together: a power of two that divides a row. */
static int64_t pixels_together(int64_t pixels)
{
    enum { MOST = 4 };
    const int64_t power = pixels & -pixels;
    return aic_least(power, MOST);
}

static aic_routine compose_image(aic_program *program, const aic_plan *plan)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    const aic_plan_band *b = &t->band;
    const int64_t turns = aic_band_turns(&t->geometry), pitch = b->pixel_pitch, left = c->across.pad;
    const int64_t inside = aic_least(c->across.extent, b->columns - left), right = b->columns - left - inside;
    const aic_depth_key key = {
        .dtype = c->dtype,
        .sum = t->geometry.arithmetic.sum,
        .product = t->geometry.arithmetic.product,
        .pad = c->pad_value,
        .pixels = turns > 1 ? 1 : pixels_together(inside),
        .outer = c->down.pad > 0 ||
                 aic_round_up((c->down.out - 1) * c->down.stride + c->down.taps, turns) - c->down.pad > c->down.extent,
        .left = left > 0,
        .right = right > 0};
    aic_use use;
    aic_use_begin(&use, &aic_part_depth_image, &key, 2, 2);
    aic_use_number(&use, turns * b->row_pitch, "line.pitch");
    aic_use_trips(&use, inside, "inside");
    aic_use_trips(&use, b->columns * pitch, "line.bytes");
    if (key.left) {
        aic_use_trips(&use, left * pitch, "left.bytes");
    }
    if (key.right) {
        aic_use_trips(&use, right * pitch, "right.bytes");
        aic_use_number(&use, (left + inside) * pitch, "right.at");
    }
    aic_use_number(&use, c->down.extent, "image.rows");
    aic_use_number(&use, c->down.extent - 1, "image.last");
    aic_use_number(&use, c->image.row_pitch * t->geometry.source_bytes, "image.row");
    return aic_program_add(program, &use, "image");
}

static aic_routine compose_weights(aic_program *program, const aic_plan *plan)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    aic_depth_key key = key_of(c, &t->geometry.arithmetic);
    aic_use use;
    key.across = 0;
    key.down = aic_depth_begins(&key) == 2 ? 1 : 2; /* what counts is whether it is odd, of products of two rows */
    aic_use_begin(&use, &aic_part_depth_weights, &key, 2, 2);
    aic_use_number(&use, t->panel.bytes, "panel.bytes");
    aic_use_trips(&use, t->geometry.panel_channels / AIC_BLOCK_COLUMNS, "blocks");
    aic_use_number(&use, t->geometry.panel_channels * t->geometry.source_bytes, "panel.weights");
    aic_use_number(&use, c->weight_n * t->geometry.source_bytes, "tap.weights");
    return aic_program_add(program, &use, "weights");
}

const aic_microkernel aic_microkernel_depth = {
    .name = "depth",
    .refuse = refuse,
    .arithmetic = arithmetic_of,
    .propose = propose,
    .long_rows = true,
    .step_kpacks = 1,
    .check = check,
    .pixels = pixels_of,
    .unroll = unroll_of,
    .cost = cost_of,
    .call_cost = call_cost,
    .small_band = small_band,
    .rate = 1,
    .body_cost = 0.01,
    .sum_cost = 0,
    .bound = bound_of,
    .compose = compose_tile,
    .compose_weights = compose_weights,
    .compose_image = compose_image,
};
