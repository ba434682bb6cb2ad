/* The micro-kernel of depthwise contractions, in which every output channel sees one input channel. A vector is
 * channels of image, weights and results alike: nothing is broadcast. A tile is some whole rows of the output. It
 * reads the image where it lies, column by column, and multiplies what it loads by all taps that read it, for several
 * rows of the output: the sums of pixels that are not finished stay in registers from one step across to the next. int8
 * are the elements of as many rows, one below the other, as an instruction multiplies. parts/depth.c emits it. */
#include "codegen/parts/depth.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/family/family.h"
#include "codegen/integer.h"
#include "codegen/parts/tile.h"
#include "frontend/core/diag.h"

#include <math.h>

/* Taps of a block of the fixed order; registers of a target that has many. */
enum { CUBE_TAPS = 16, MANY_REGISTERS = 32 };

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

static int64_t lanes_of(const aic_contraction *c, const aic_target *target)
{
    return target->vector_bits / (int64_t)arithmetic_of(c, target).sum_bits;
}

/* ---- steps across ---- */

/* How rows are computed together: so many of them, in so many vectors of channels; whether steps pass on sums. */
typedef struct group {
    int64_t rows, vectors;
    bool carries;
} group;

/* A row of the output in steps: so many whole ones of so many pixels, and one of `rest` pixels behind them, which may
 * be more; columns = 0: there is no such cut. */
typedef struct steps {
    int64_t columns, whole, rest;
} steps;

/* Taps of a kernel row whose weights are in registers together: with many registers all where each further load of the
 * image is several instructions. */
static int64_t taps_together(const aic_contraction *c, const aic_target *target)
{
    enum { FEW = 3 };
    const bool all = has_quads(c, target) && target->vector_registers >= MANY_REGISTERS;
    return aic_least(c->across.taps, all ? AIC_DEPTH_SIDE : FEW);
}

/* Columns that windows reach beyond the image on its right. */
static int64_t right_of(const aic_contraction *c)
{
    const aic_line *l = &c->across;
    return aic_most((l->out - 1) * l->stride + (l->taps - 1) * l->dilation + 1 - l->pad - l->extent, 0);
}

/* From a window's first column to its last one. */
static int64_t reach_of(const aic_contraction *c)
{
    return (c->across.taps - 1) * c->across.dilation;
}

/* Pixels that a step has begun and not finished. */
static int64_t open_of(const aic_contraction *c, const group *g)
{
    return g->carries ? reach_of(c) / c->across.stride : 0;
}

/* Pixels of a step for which there are registers beside weights, an element, a product and what elements are put
 * together with: as few as loops gain from, if sums are passed on, so that there is less code; 0: none. Where all rows
 * are in one line, pixels are finished one after the other. */
static int64_t most_columns(const aic_contraction *c, const aic_target *target, const aic_arithmetic *a, const group *g)
{
    enum { MOST = 16, MOST_CARRIED = 4 };
    const int64_t turns = aic_depth_turns(a->product), reach = (g->rows - 1) * c->down.stride + c->down.taps;
    const int64_t spare = !has_quads(c, target) ? (product_cost(c, target) > 1 ? 2 : 1) : g->vectors > 1 ? 8 : 3;
    const int64_t seen = turns > 1 ? g->rows : aic_least(g->rows, c->down.taps);
    const int64_t free = target->vector_registers - spare - g->vectors * seen * taps_together(c, target);
    const int64_t pixels = free / (g->vectors * g->rows), open = open_of(c, g);
    if (!g->carries) {
        return aic_least(aic_most(pixels, g->rows == 1), MOST);
    }
    return pixels <= open ? 0 : aic_least(reach <= turns ? MOST_CARRIED : pixels - open, MOST_CARRIED);
}

/* Cuts rows into steps, all about as long; pixels that see padding left or right of the image are in the first and last
 * step alone. The last step takes a whole one's pixels, too, where it has fewer registers of sums even so: that is a
 * step less, which would load all weights again. */
static steps cut(const aic_contraction *c, const aic_target *target, const aic_arithmetic *a, const group *g)
{
    const int64_t out = c->across.out, stride = c->across.stride, open = open_of(c, g),
                  most = most_columns(c, target, a, g), seen = aic_most(aic_parts(right_of(c), stride), 1);
    if (out <= most + open) {
        return (steps){out, 1, 0};
    }
    for (int64_t columns = most > 0 ? aic_parts(out, aic_parts(out, most)) : 0; columns > 0; columns--) {
        const int64_t before = (columns - 1) * stride + (g->carries ? reach_of(c) + 1 : stride);
        const int64_t least = out - (out - seen) / columns * columns; /* behind the most whole ones */
        const int64_t rest = least < open && least + columns < out ? least + columns : least;
        const int64_t whole = (out - rest) / columns;
        if (c->across.pad <= before && rest <= columns + open) { /* none whole: the rest is too long */
            return rest == columns && right_of(c) == 0 ? (steps){columns, whole + 1, 0} : (steps){columns, whole, rest};
        }
    }
    return (steps){0};
}

static aic_depth_key key_of(const aic_contraction *c, const aic_arithmetic *a, const group *g)
{
    return (aic_depth_key){.dtype = c->dtype,
                           .sum = a->sum,
                           .product = a->product,
                           .rows = g->rows,
                           .vectors = g->vectors,
                           .carries = g->carries,
                           .kh = c->down.taps,
                           .kw = c->across.taps,
                           .down = c->down.stride,
                           .across = c->across.stride,
                           .dilation = c->across.dilation,
                           .times = times_of(c),
                           .starts = a->image_offset != 0};
}

/* ---- cost ---- */

/* In vector multiply-adds: around a step and a tile; loading a vector of weights; storing a result. */
static const double STEP_COST = 6, TILE_COST = 20, WEIGHT_COST = 0.25, RESULT_COST = 1;

/* The price of compiling more code: each further row that has code must save this share of the run time. */
static const double ROW_SHARE = 0.01;

/* In vector multiply-adds: loading an element, extended or in turns with those of other rows, of all vectors. */
static double element_cost(const aic_depth_key *key)
{
    static const double OF_TURNS[] = {[1] = 2, [2] = 1.5, [4] = 6}, OF_TWO_QUADS = 8, CUBE = 3;
    return (key->sum == AIC_SUM_CUBE ? CUBE
            : key->vectors > 1       ? OF_TWO_QUADS
                                     : OF_TURNS[aic_depth_turns(key->product)]) +
           (key->times > 1 ? 1 : 0);
}

/* Products of a column of pixels that are computed together, in one vector. */
static double column_products(const aic_depth_key *key)
{
    int64_t down = 0;
    for (int64_t row = 0; row < key->rows; row++) {
        down += aic_depth_steps_down(key, row);
    }
    return (double)(key->kw * down);
}

/* Rows that are computed together, in one vector of channels; infinite where they cannot be. */
static double group_cost(const aic_contraction *c, const aic_target *target, const aic_arithmetic *a, const group *g)
{
    const aic_depth_key key = key_of(c, a, g);
    const steps s = cut(c, target, a, g);
    if (s.columns == 0) {
        return INFINITY;
    }
    const int64_t cols = c->across.out, count = s.whole + (s.rest > 0), stride = c->across.stride, kw = key.kw,
                  passes = aic_parts(kw, taps_together(c, target));
    const int64_t first = aic_most(kw - stride, 0) * (g->carries ? 1 : count);
    const double elements = (double)(aic_depth_lines(&key) * passes * (cols * stride + first)) * element_cost(&key),
                 weights = (double)(count * aic_depth_lines(&key) * kw * g->vectors) * WEIGHT_COST;
    const double results = column_products(&key) * product_cost(c, target) + (double)g->rows * RESULT_COST;
    return (double)cols * results + (elements + weights + STEP_COST * (double)count) / (double)g->vectors;
}

/* ---- rows together ---- */

/* Whether two vectors of channels can be computed together: quads of both are put together in fewer instructions. */
static bool has_two_vectors(const aic_contraction *c, const aic_target *target)
{
    return has_quads(c, target) && target->vector_registers >= MANY_REGISTERS && times_of(c) == 1 &&
           lanes_of(c, target) == AIC_BLOCK_COLUMNS;
}

/* The cheapest way to compute so many rows together; rows = 0: there is none. Sums are passed on where there are
 * registers for that; but where their order is fixed they are not, as a pixel's taps would be added column by column.
 */
static group group_of(const aic_contraction *c, const aic_target *target, const aic_arithmetic *a, int64_t rows)
{
    group best = {.rows = 0};
    double least = INFINITY;
    for (int carries = a->sum != AIC_SUM_CUBE; carries >= 0 && best.rows == 0; carries--) {
        for (int64_t vectors = 1; vectors <= (has_two_vectors(c, target) ? AIC_DEPTH_VECTORS : 1); vectors++) {
            const group g = {rows, vectors, carries != 0};
            const double cost = group_cost(c, target, a, &g);
            best = cost < least ? g : best;
            least = cost < least ? cost : least;
        }
    }
    return best;
}

/* Rows whose weights are packed: two where both read lines that are put together once. */
static int64_t packed_rows(const aic_contraction *c, const aic_arithmetic *a)
{
    const group g[] = {{1, 1, true}, {2, 1, true}};
    double cost[2];
    for (int i = 0; i < 2; i++) {
        const aic_depth_key key = key_of(c, a, &g[i]);
        cost[i] = column_products(&key) + (double)(aic_depth_lines(&key) * key.across) * element_cost(&key);
    }
    return aic_depth_turns(a->product) > 1 && c->down.dilation == 1 && cost[1] < 2 * cost[0] ? 2 : 1;
}

/* Of a tile's rows: how most are computed together, and those that remain, which take the same steps. */
typedef struct groups {
    group most;
    int64_t after;
    double cost; /* in one vector of channels */
} groups;

static groups groups_of(const aic_contraction *c, const aic_target *target, const aic_arithmetic *a, int64_t rows)
{
    const bool one_block = a->sum != AIC_SUM_CUBE || c->down.taps * c->across.taps <= CUBE_TAPS;
    const int64_t able = c->down.dilation != 1 || !one_block ? 1
                         : aic_depth_turns(a->product) > 1   ? packed_rows(c, a)
                                                             : AIC_DEPTH_ROWS;
    groups best = {.most = {.rows = 1, .vectors = 1}, .cost = INFINITY}; /* what has no registers costs too much */
    for (int64_t together = 1; together <= aic_least(able, rows); together++) {
        groups g = {.most = group_of(c, target, a, together), .after = rows % together, .cost = INFINITY};
        const group after = {g.after, g.most.vectors, g.most.carries};
        if (g.most.rows > 0) {
            g.cost = (double)(rows / together) * group_cost(c, target, a, &g.most) +
                     (g.after > 0 ? group_cost(c, target, a, &after) : 0);
            g.cost *= 1 + ROW_SHARE * (double)(together + g.after);
            best = g.cost < best.cost ? g : best;
        }
    }
    return best;
}

/* ---- plan ---- */

/* Convolutions alone have groups: their images are in blocks of channels, row behind row. */
static const char *refuse(const aic_contraction *c, const aic_target *target)
{
    enum { FEWEST = 4 };
    if (c->groups <= 1 || c->groups != c->channels || !is_times(times_of(c))) {
        return "needs as many groups as input channels, and one, two or four output channels each";
    }
    if (c->c0 * (int64_t)aic_dtype_size(c->dtype) != AIC_DEPTH_BLOCK) {
        return "needs images in blocks of 32 bytes of channels";
    }
    if (!is_small(&c->down) || !is_small(&c->across)) {
        return "needs kernels of at most 7 x 7, and strides within the kernel";
    }
    if (c->dtype == AIC_FLOAT16 && (target->has & AIC_HAS_HALF) == 0) {
        return "needs an instruction that extends float16";
    }
    if (times_of(c) > 1 && lanes_of(c, target) / times_of(c) < FEWEST) {
        return "needs vectors of four input channels at least";
    }
    const aic_arithmetic a = arithmetic_of(c, target);
    return group_of(c, target, &a, 1).rows > 0 ? NULL : "needs padding that only a few pixels of a row see";
}

static aic_wish propose(const aic_contraction *c, const aic_target *target, const aic_plan_geometry *g)
{
    (void)target;
    const group packed = {packed_rows(c, &g->arithmetic), 1, false};
    const aic_depth_key key = key_of(c, &g->arithmetic, &packed);
    return (aic_wish){.step_kpacks = 1, .merged = 1, .fold = 1, .steps = aic_depth_steps(&key)};
}

static aic_status check(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s)
{
    const int64_t channels = lanes_of(c, target) * s->vectors;
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

static int64_t unroll_of(const aic_contraction *c, const aic_target *target, int64_t pixels, int64_t vectors)
{
    (void)c;
    (void)target;
    (void)pixels;
    (void)vectors;
    return 1;
}

/* ---- a tile's cost ---- */

static double cost_of(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                      int64_t cols)
{
    (void)cols;
    return groups_of(c, target, &t->geometry.arithmetic, rows).cost * t->geometry.vectors + TILE_COST;
}

static double bound_of(const aic_contraction *c, const aic_target *target)
{
    const aic_arithmetic a = arithmetic_of(c, target);
    const double lanes = (double)target->vector_bits / a.sum_bits, turns = (double)aic_depth_turns(a.product);
    return (double)(c->down.taps * c->across.taps) / turns * (double)(c->down.out * c->across.out) *
           (double)aic_outputs_of(c) / lanes * product_cost(c, target);
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
    const aic_arithmetic *a = &t->geometry.arithmetic;
    const groups g = groups_of(c, target, a, rows);
    const steps s = cut(c, target, a, &g.most);
    const bool staged = t->staging.pitch != 0;
    aic_depth_key key = key_of(c, a, &g.most);
    aic_use use;
    (void)leave;
    key.after = g.after;
    key.lanes = t->geometry.lanes;
    key.columns = s.columns;
    key.rest = s.rest;
    key.left = c->across.pad;
    key.right = right_of(c);
    const int64_t middle = s.whole - (key.left > 0 || key.carries || s.whole + s.rest == 1);
    key.middle = middle > 0;
    key.together = taps_together(c, target);
    key.accumulate = !t->geometry.accumulate ? AIC_TILE_FROM_ZERO : c->wraps ? AIC_TILE_WRAPS : AIC_TILE_CLAMPS;
    key.outer = key.left > 0 || key.right > 0;
    aic_use_begin(&use, program, &aic_part_depth_tile, &key);
    if (key.middle) {
        aic_use_trips(&use, middle, "middle");
    }
    if (key.outer) {
        aic_use_number(&use, t->staging.band_offset + t->band.residue_bytes, "padding.at");
    }
    for (int64_t row = 1; row < aic_depth_reach(&key); row++) {
        aic_use_number(&use, row * c->down.dilation * AIC_DEPTH_POINTER, "row.%lld", (long long)row);
    }
    for (int64_t row = 1; row < key.rows; row++) {
        aic_use_number(&use, row * cols * AIC_ROW_BYTES, "out.%lld", (long long)row);
    }
    aic_use_trips(&use, rows / key.rows, "groups");
    aic_use_number(&use, key.rows * cols * AIC_ROW_BYTES, "group.out");
    aic_use_number(&use, key.rows * c->down.stride * AIC_DEPTH_POINTER, "group.band");
    if (aic_depth_blocks(&key) > 1) {
        aic_use_number(&use, staged ? t->staging.pitch : c->block_rows * AIC_ROW_BYTES, "out.block");
        aic_use_number(&use, t->panel.bytes / aic_depth_blocks(&key), "block.panel");
    }
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
    aic_use_begin(&use, program, &aic_part_depth_image, &key);
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
    const group packed = {packed_rows(c, &t->geometry.arithmetic), 0, false};
    aic_depth_key key = key_of(c, &t->geometry.arithmetic, &packed);
    aic_use use;
    key.across = key.dilation = key.times = 0;
    key.rows = aic_depth_sets(&key);
    key.down = key.rows > 1 ? aic_depth_begin(&key, 1) : 0;
    aic_use_begin(&use, program, &aic_part_depth_weights, &key);
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
