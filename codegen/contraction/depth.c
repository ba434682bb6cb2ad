/* The micro-kernel of depthwise contractions, in which every output channel sees one input channel. A vector is
 * channels of image, weights and results alike: nothing is broadcast. A tile is some whole rows of the output. It
 * reads the image where it lies, and what it loads it multiplies by all taps of a kernel row that read it. int8 are the
 * elements of as many rows, one below the other, as an instruction multiplies. parts/depth.c emits it. */
#include "codegen/parts/depth.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/family/family.h"
#include "codegen/integer.h"
#include "codegen/parts/tile.h"
#include "frontend/core/diag.h"

#include <math.h>

/* Taps of a block of the fixed order. */
enum { CUBE_TAPS = 16 };

/* How many output channels see the same input channel. */
static int64_t times_of(const aic_contraction *c)
{
    return c->n / c->channels;
}

static bool is_times(int64_t times)
{
    return times == 1 || times == 2 || times == 4;
}

static bool is_small(const aic_line *l)
{
    return l->taps <= AIC_DEPTH_SIDE && l->stride <= l->taps;
}

/* Whether the rows of the image and blocks of channels lie one behind the other. */
static bool is_plain(const aic_contraction *c)
{
    return c->weight == AIC_WEIGHT_BLOCKS && c->image.pixel == c->c0 && c->image.fractal_rows >= c->down.extent &&
           c->image.row_pitch == c->across.extent * c->c0;
}

static bool has_quads(const aic_contraction *c, const aic_target *target)
{
    return c->dtype == AIC_INT8 && aic_family_of(target)->dot4.emit != NULL;
}

static aic_arithmetic arithmetic_of(const aic_contraction *c, const aic_target *target)
{
    const int offset = aic_family_of(target)->dot4.image_offset;
    if (c->dtype != AIC_INT8) {
        return aic_microkernel_vector.arithmetic(c, target);
    }
    return has_quads(c, target) ? (aic_arithmetic){AIC_SUM_INT, AIC_PRODUCT_QUAD, 4, 1, 32, offset, 1}
                                : (aic_arithmetic){AIC_SUM_INT, AIC_PRODUCT_ROWS, 4, 1, 32, 0, 1};
}

/* Vector instructions of a product and its addition. */
static double product_cost(const aic_contraction *c, const aic_target *target)
{
    return has_quads(c, target)   ? aic_family_of(target)->dot4.operations
           : c->dtype == AIC_INT8 ? aic_family_of(target)->dot2.operations
                                  : 1;
}

/* ---- steps across ---- */

/* Taps of a kernel row whose weights are in registers together: with many registers all where each further load of the
 * image is several instructions. */
static int64_t taps_together(const aic_contraction *c, const aic_target *target)
{
    enum { FEW = 3, MANY_REGISTERS = 32 };
    const bool all = has_quads(c, target) && target->vector_registers >= MANY_REGISTERS;
    return aic_least(c->across.taps, all ? AIC_DEPTH_SIDE : FEW);
}

/* Columns that windows reach beyond the image on its right. */
static int64_t right_of(const aic_contraction *c)
{
    const aic_line *l = &c->across;
    return aic_most((l->out - 1) * l->stride + (l->taps - 1) * l->dilation + 1 - l->pad - l->extent, 0);
}

/* Columns of a step across a tile: as many as the registers have sums for beside weights, an element and a product, but
 * all steps about as many, and pixels that see padding left or right of the image in the first and last step alone. 0:
 * there is no such number. */
static int64_t step_columns(const aic_contraction *c, const aic_target *target, int64_t rows)
{
    enum { MOST = 16 };
    const int64_t spare = has_quads(c, target) ? 3 : product_cost(c, target) > 1 ? 2 : 1;
    const int64_t most = (target->vector_registers - spare - rows * taps_together(c, target)) / rows;
    const int64_t out = c->across.out, stride = c->across.stride;
    for (int64_t columns = aic_parts(out, aic_parts(out, aic_least(MOST, aic_most(most, 1)))); columns > 0; columns--) {
        const int64_t last = out - (aic_parts(out, columns) - 1) * columns;
        if (columns == out || (aic_parts(c->across.pad, stride) <= columns && aic_parts(right_of(c), stride) <= last)) {
            return columns;
        }
    }
    return 0;
}

static int64_t lanes_of(const aic_contraction *c, const aic_target *target)
{
    return target->vector_bits / (int64_t)arithmetic_of(c, target).sum_bits;
}

static const char *refuse(const aic_contraction *c, const aic_target *target)
{
    enum { FEWEST = 4 };
    const bool bytes = c->dtype == AIC_INT8;
    if (c->groups <= 1 || c->groups != c->channels || !is_times(times_of(c))) {
        return "needs as many groups as input channels, and one, two or four output channels each";
    }
    if (c->c0 * (int64_t)aic_dtype_size(c->dtype) != AIC_DEPTH_BLOCK || !is_plain(c)) {
        return "needs images in blocks of 32 bytes of channels";
    }
    if (!is_small(&c->down) || !is_small(&c->across)) {
        return "needs kernels of at most 7 x 7, and strides within the kernel";
    }
    if (bytes ? c->sum != AIC_SUM_INT : c->dtype != AIC_FLOAT16 || (target->has & AIC_HAS_HALF) == 0) {
        return "needs an instruction that extends float16";
    }
    if (times_of(c) > 1 && lanes_of(c, target) / times_of(c) < FEWEST) {
        return "needs vectors of four input channels at least";
    }
    return step_columns(c, target, 1) > 0 ? NULL : "needs padding that only a few pixels of a row see";
}

/* ---- plan ---- */

static aic_depth_key key_of(const aic_contraction *c, const aic_arithmetic *a, int64_t rows)
{
    return (aic_depth_key){.dtype = c->dtype,
                           .sum = a->sum,
                           .product = a->product,
                           .rows = rows,
                           .kh = c->down.taps,
                           .kw = c->across.taps,
                           .down = c->down.stride,
                           .across = c->across.stride,
                           .dilation = c->across.dilation,
                           .times = times_of(c),
                           .starts = a->image_offset != 0};
}

/* In vector multiply-adds: loading an element, extended or in turns with those of other rows. Fitted to cores with
 * AVX-512; what has pairs takes half of what is predicted at avx2, products included. */
static double element_cost(const aic_depth_key *key)
{
    static const double OF_TURNS[] = {[1] = 1.5, [2] = 1.5, [4] = 5}, CUBE = 3;
    return (key->sum == AIC_SUM_CUBE ? CUBE : OF_TURNS[aic_depth_turns(key->product)]) + (key->times > 1 ? 1 : 0);
}

/* Products of a column of pixels that are computed together. */
static double column_products(const aic_depth_key *key)
{
    int64_t steps = 0;
    for (int64_t row = 0; row < key->rows; row++) {
        steps += aic_depth_steps_down(key, row);
    }
    return (double)(key->kw * steps);
}

/* What such a column costs with the elements that no other one loads. */
static double column_cost(const aic_depth_key *key)
{
    return column_products(key) + (double)(aic_depth_lines(key) * key->across) * element_cost(key);
}

/* How many of a tile's rows are computed together. */
static int64_t rows_together(const aic_contraction *c, const aic_arithmetic *a, int64_t rows)
{
    const aic_depth_key one = key_of(c, a, 1), two = key_of(c, a, 2);
    const bool able = c->down.dilation == 1 && (c->sum != AIC_SUM_CUBE || one.kh * one.kw <= CUBE_TAPS);
    return rows > 1 && able && column_cost(&two) < 2 * column_cost(&one) ? 2 : 1;
}

static aic_wish propose(const aic_contraction *c, const aic_plan_geometry *g)
{
    const aic_depth_key key = key_of(c, &g->arithmetic, rows_together(c, &g->arithmetic, g->rows.large));
    return (aic_wish){.step_kpacks = 1, .merged = 1, .fold = 1, .steps = aic_depth_steps(&key)};
}

static aic_status check(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s)
{
    const aic_arithmetic a = arithmetic_of(c, target);
    const int64_t channels = lanes_of(c, target) * s->vectors;
    if (step_columns(c, target, rows_together(c, &a, s->rows)) == 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "rows = %lld: too many pixels of a row see padding",
                        (long long)s->rows);
    }
    if (channels != c->c0 * times_of(c)) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "vectors = %lld is %lld channels: those of a block are %lld",
                        (long long)s->vectors, (long long)channels, (long long)(c->c0 * times_of(c)));
    }
    if (s->unroll != 1) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "unroll = %lld is not 1", (long long)s->unroll);
    }
    return AIC_OK;
}

/* Tiles have the outputs of a block of channels, and any number of pixels. */
static int64_t pixels_of(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    return lanes_of(c, target) * vectors == c->c0 * times_of(c) ? INT64_MAX : 0;
}

static int64_t unroll_of(const aic_contraction *c, const aic_target *target, int64_t sums)
{
    (void)c;
    (void)target;
    (void)sums;
    return 1;
}

/* ---- cost ---- */

/* In vector multiply-adds: around a step and a tile. */
static const double STEP_COST = 6, TILE_COST = 20;

/* Rows that are computed together, in steps of so many columns. */
static double rows_cost(const aic_contraction *c, const aic_target *target, const aic_depth_key *key, int64_t columns)
{
    const int64_t cols = c->across.out, steps = aic_parts(cols, columns),
                  passes = aic_parts(key->kw, taps_together(c, target));
    const int64_t elements = steps * key->kw + passes * (cols - steps) * key->across;
    return (double)cols * (column_products(key) * product_cost(c, target) + (double)key->rows) +
           (double)(aic_depth_lines(key) * elements) * element_cost(key) + STEP_COST * (double)steps;
}

static double cost_of(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                      int64_t cols)
{
    const aic_arithmetic *a = &t->geometry.arithmetic;
    const int64_t together = rows_together(c, a, rows), columns = aic_most(step_columns(c, target, together), 1);
    const aic_depth_key group = key_of(c, a, together), single = key_of(c, a, 1);
    (void)cols;
    return ((double)(rows / together) * rows_cost(c, target, &group, columns) +
            (double)(rows % together) * rows_cost(c, target, &single, columns)) *
               t->geometry.vectors +
           TILE_COST;
}

static double bound_of(const aic_contraction *c, const aic_target *target)
{
    const aic_arithmetic a = arithmetic_of(c, target);
    const double lanes = (double)target->vector_bits / a.sum_bits, turns = (double)aic_depth_turns(a.product);
    return (double)(c->down.taps * c->across.taps) / turns * (double)(c->down.out * c->across.out) * (double)c->n /
           lanes * product_cost(c, target);
}

/* ---- parts ---- */

/* Whether something outside of the image is read. */
static bool has_padding(const aic_contraction *c)
{
    const aic_line *l = &c->down;
    return c->across.pad > 0 || right_of(c) > 0 || l->pad > 0 ||
           (l->out - 1) * l->stride + (l->taps - 1) * l->dilation + 1 - l->pad > l->extent;
}

static aic_routine compose_tile(aic_program *program, const aic_plan *plan, int64_t rows, int64_t cols,
                                aic_routine leave)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_target *target = plan->problem.target;
    const aic_tiling *t = aic_tiling_of(plan);
    const int64_t together = rows_together(c, &t->geometry.arithmetic, rows);
    const int64_t columns = aic_most(step_columns(c, target, together), 1), steps = aic_parts(cols, columns);
    const int64_t last = cols - (steps - 1) * columns;
    const bool staged = t->staging.pitch != 0;
    aic_depth_key key = key_of(c, &t->geometry.arithmetic, together);
    aic_use use;
    (void)leave;
    key.single = rows % together != 0;
    key.lanes = t->geometry.lanes;
    key.columns = columns;
    key.left = c->across.pad;
    key.right = right_of(c);
    key.rest = steps > 1 && (last < columns || key.right > 0) ? last : 0;
    const int64_t middle = steps > 1 ? steps - (key.left > 0) - (key.rest > 0) : 0;
    key.middle = middle > 0;
    key.together = taps_together(c, target);
    key.accumulate = !t->geometry.accumulate ? AIC_TILE_FROM_ZERO : c->wraps ? AIC_TILE_WRAPS : AIC_TILE_CLAMPS;
    key.outer = key.left > 0 || key.right > 0;
    aic_use_begin(&use, &aic_part_depth_tile, &key, 4, 0);
    if (key.middle) {
        aic_use_trips(&use, middle, "middle");
    }
    if (key.outer) {
        aic_use_number(&use, t->staging.band_offset + t->band.residue_bytes, "padding.at");
    }
    aic_use_trips(&use, t->geometry.panel_channels / AIC_BLOCK_COLUMNS, "blocks");
    aic_use_number(&use, c->down.dilation * AIC_DEPTH_POINTER, "row.next");
    if (together > 1) {
        aic_use_number(&use, cols * AIC_ROW_BYTES, "out.1");
    }
    aic_use_trips(&use, rows / together, "groups");
    aic_use_number(&use, together * cols * AIC_ROW_BYTES, "group.out");
    aic_use_number(&use, together * c->down.stride * AIC_DEPTH_POINTER, "group.band");
    aic_use_number(&use, staged ? t->staging.pitch : c->block_rows * AIC_ROW_BYTES, "out.block");
    aic_use_number(&use, t->panel.bytes / (t->geometry.panel_channels / AIC_BLOCK_COLUMNS), "block.panel");
    return aic_program_add(program, &use, "tile_%lldx%lldx%lld", (long long)rows, (long long)cols,
                           (long long)t->geometry.panel_channels);
}

static aic_routine compose_image(aic_program *program, const aic_plan *plan)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    const bool outer = has_padding(c);
    const aic_depth_key key = {.dtype = c->dtype, .pad = outer ? c->pad_value : 0, .outer = outer};
    aic_use use;
    aic_use_begin(&use, &aic_part_depth_image, &key, 2, 2);
    aic_use_number(&use, c->image.row_pitch * t->geometry.source_bytes, "image.row");
    if (outer) {
        aic_use_number(&use, c->down.extent, "image.rows");
        aic_use_number(&use, t->band.residue_bytes, "padding.at");
        aic_use_trips(&use, c->image.row_pitch * t->geometry.source_bytes, "padding.bytes");
    }
    return aic_program_add(program, &use, "image");
}

static aic_routine compose_weights(aic_program *program, const aic_plan *plan)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    aic_depth_key key =
        key_of(c, &t->geometry.arithmetic, rows_together(c, &t->geometry.arithmetic, t->geometry.rows.large));
    aic_use use;
    key.across = key.dilation = key.times = 0;
    key.rows = aic_depth_sets(&key);
    key.down = key.rows > 1 ? aic_depth_begin(&key, 1) : 0;
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
    .rate = 1,
    .body_cost = 0.01,
    .sum_cost = 0,
    .bound = bound_of,
    .compose = compose_tile,
    .compose_weights = compose_weights,
    .compose_image = compose_image,
};
