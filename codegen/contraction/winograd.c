/* The micro-kernel of Winograd's method (aic/winograd.def): for 3 x 3 kernels of stride 1 whose float sums may be
 * formed so. A tile consists of small tiles of m x m results, each computed by (m + 2)^2 products a channel in place of
 * 9 m^2.
 *
 *     packing weights    a panel has its weights by taps, as direct sums take them, and by points
 *     packing a band     rows of the image, then each window transformed to points: plan/transform.h
 *     a tile             for each point products of small tiles by output channels, which are tiles of the vector
 *                        micro-kernel of one tap; then their sums transformed to results, in the staging buffer
 *
 * What is not finite would spread: small tiles that read such an element are computed by direct sums, all of them where
 * a weight of the panel is one. parts/winograd.c emits it. */
#include "codegen/parts/winograd.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/parts/tile.h"
#include "frontend/core/diag.h"

#include <math.h>

enum { TAPS = 9, SMALL_TILES_MAX = 64 };

/* The prefetch distance. */
enum { AHEAD_BYTES = 8192 };

/* Windows are transformed a vector of a pixel's channels at a time. */
static const char *refuse(const aic_contraction *c, const aic_target *target)
{
    const int64_t lanes = target->vector_bits / 32;
    return !c->winograd               ? "needs a kernel of 3 x 3, stride and dilation 1, and accumulate=winograd"
           : c->channels % lanes != 0 ? "needs whole vectors of input channels"
                                      : NULL;
}

static aic_arithmetic arithmetic_of(const aic_contraction *c, const aic_target *target)
{
    return aic_microkernel_vector.arithmetic(c, target);
}

static aic_wish propose(const aic_contraction *c, const aic_target *target, const aic_plan_geometry *g)
{
    (void)c, (void)target;
    return (aic_wish){.step_kpacks = g->unroll,
                      .merged = 1,
                      .fold = 1,
                      .staged = true,
                      .special_first = AIC_INFINITE_HALF,
                      .special_end = AIC_MAGNITUDE_16 + 1};
}

/* ---- schedules ---- */

static bool is_whole(int64_t size, int64_t m, int64_t extent)
{
    return size % m == 0 || size == extent;
}

static aic_status check(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s)
{
    (void)target;
    const int64_t m = s->m == 0 ? 2 : s->m; /* 0: it was left out, and neither fits */
    if (c->pad_value != 0 && (m == 2 || m == 4) && (c->down.out % m != 0 || c->across.out % m != 0)) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule",
                        "m = %lld: small tiles reach beyond the padding, whose value is not 0", (long long)m);
    }
    if (s->m != 2 && s->m != 4) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "m = %lld is neither 2 nor 4", (long long)s->m);
    }
    const bool rows = is_whole(s->rows, s->m, c->down.out);
    if (!rows || !is_whole(s->cols, s->m, c->across.out)) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "%s = %lld is no multiple of m = %lld nor all of the output",
                        rows ? "cols" : "rows", (long long)(rows ? s->cols : s->rows), (long long)s->m);
    }
    const int64_t tiles = aic_parts(s->rows, s->m) * aic_parts(s->cols, s->m);
    if (tiles > SMALL_TILES_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "rows*cols is %lld small tiles, more than %d",
                        (long long)tiles, SMALL_TILES_MAX);
    }
    if (s->unroll < 1 || s->unroll > c->c0 || c->c0 % s->unroll != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "unroll = %lld does not divide %lld", (long long)s->unroll,
                        (long long)c->c0);
    }
    return AIC_OK;
}

static int64_t pixels_of(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    return aic_microkernel_vector.pixels(c, target, vectors);
}

static int64_t unroll_of(const aic_contraction *c, const aic_target *target, int64_t pixels, int64_t vectors)
{
    (void)pixels; /* of all products of a tile: one has as many sums as registers hold */
    (void)vectors;
    enum { VECTORS = 2 };
    return aic_microkernel_vector.unroll(c, target, (target->vector_registers - 4) / VECTORS, VECTORS);
}

/* How many small tiles a product has: as many as the registers hold, but all products about as many. */
static int64_t product_tiles(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t tiles)
{
    const int64_t most = pixels_of(c, target, t->geometry.vectors);
    return aic_parts(tiles, aic_parts(tiles, most));
}

/* ---- cost ---- */

/* Instructions around the products of a point; cycles to pack a line of the image; how much longer a line from beyond
 * the second-level cache takes that was not fetched ahead; the share of the shorter one of products and memory that the
 * longer one does not hide. Fitted to schedules timed on Zen 3. On golden-cove they choose among m = 2, m = 4 and
 * direct sums what is within 6 % of the best of seven layers, but times are up to 2.2 times those predicted. */
static const double CALL_COST = 24, PACK_LINE = 4, LATE = 2.5, SHOWN = 0.25;

/* Vector instructions of a transform, of a window or to a small tile's results, for a vector of channels. */
static double transform_instructions(int64_t m, int64_t stores)
{
    const double side = (double)(m + 2);
    return side * side * (m == 4 ? 9 : 5) + (double)stores;
}

static double multiplies_of(const aic_tiling *t, const aic_target *target)
{
    const aic_machine *machine = t->geometry.machine;
    return fmin((double)machine->multiplies, (double)machine->multiply_bits / target->vector_bits);
}

/* Cycles of a product of `tiles` small tiles by a panel at one point. Weights of a point that are more than the
 * first-level cache holds come anew for each product. */
static double product_cycles(const aic_target *target, const aic_tiling *t, double tiles)
{
    const aic_machine *machine = t->geometry.machine;
    const double vectors = t->geometry.vectors, multiplies = multiplies_of(t, target);
    const double separate = (target->has & AIC_HAS_BROADCAST) != 0 ? 1 : 1.2;
    const double loads = fmin((double)machine->loads, (double)machine->load_bits / target->vector_bits);
    const double cycles = fmax(fmax(tiles * vectors, (double)machine->latency * multiplies) / multiplies,
                               (tiles * separate + vectors) / loads);
    const double plane = (double)(t->panel.kpacks * t->panel.step_bytes), room = (double)machine->l1_bytes * 5 / 8;
    const double lines = plane <= room ? 0 : (double)t->panel.step_bytes / AIC_LINE_BYTES * (double)machine->near_line;
    return (fmax(cycles, lines) + SHOWN * fmin(cycles, lines)) * (double)t->panel.kpacks +
           (CALL_COST + 2 * tiles * vectors) / (double)machine->issue;
}

/* The share of so many bytes, read over and over, that the second-level cache does not hold. */
static double beyond_cache(const aic_machine *machine, double bytes)
{
    const double room = (double)machine->l2_bytes * 5 / 8;
    return bytes <= room ? 0 : 1 - room / bytes;
}

static double between(double share, double near, double far)
{
    return near + share * (far - near);
}

/* Lines of groups and windows count as those of weights (far_line, not far_image), by which schedules for Zen 4 were
 * timed: figures.md.
 *
 * Cycles for a tile to read a panel's weights by points, and its group. The first tile of a band brings the weights,
 * from the second-level cache as far as that holds those of all panels. Others find them there as far as it holds those
 * of one panel and the groups of the band, and so do all panels find the groups, which nothing fetches ahead. */
static double stream_cycles(const aic_tiling *t, double tiles)
{
    const aic_machine *machine = t->geometry.machine;
    const aic_plan_transform *f = &t->transform;
    const double near = (double)machine->near_line, far = (double)machine->far_line;
    const double bytes = (double)(f->points * t->panel.kpacks * t->panel.step_bytes);
    const double beyond = t->tile.ahead > 0 ? far : far * LATE;
    const double missed = beyond_cache(machine, bytes + (double)f->groups_bytes);
    const double first = between(beyond_cache(machine, (double)t->panel.packed_bytes), near, beyond);
    const double again = between(missed, near, beyond);
    const double in_band = (double)(t->geometry.band_tiles * aic_split_count(&t->geometry.cols));
    const double groups = (double)f->points * tiles * (double)(t->panel.kpacks * t->geometry.arithmetic.kpack_bytes);
    return (bytes * (first + (in_band - 1) * again) / in_band + groups * between(missed, near, far * LATE)) /
           AIC_LINE_BYTES;
}

static double cost_of(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                      int64_t cols)
{
    const aic_plan_transform *f = &t->transform;
    const double issue = (double)t->geometry.machine->issue;
    const int64_t tiles = aic_parts(rows, f->m) * aic_parts(cols, f->m), one = product_tiles(c, target, t, tiles);
    const double products =
        (double)f->points * ((double)(tiles / one) * product_cycles(target, t, (double)one) +
                             (tiles % one > 0 ? product_cycles(target, t, (double)(tiles % one)) : 0));
    const double stream = stream_cycles(t, (double)tiles);
    const double results = (double)tiles * t->geometry.vectors * transform_instructions(f->m, f->m * f->m) / issue;
    return multiplies_of(t, target) * (fmax(products, stream) + SHOWN * fmin(products, stream) + results);
}

/* Packs the bands and transforms them; workers that share a band do it each. */
static double call_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    const aic_machine *machine = t->geometry.machine;
    const aic_plan_transform *f = &t->transform;
    const double lines = (double)(t->band.count * t->band.rows) * (double)t->band.row_pitch / AIC_LINE_BYTES;
    const double windows =
        (double)(aic_small_tiles(&t->geometry, c->down.out) * aic_small_tiles(&t->geometry, c->across.out));
    const double vectors = (double)c->channels / t->geometry.lanes;
    const double written = windows * (double)(f->points * f->tile_pitch) / AIC_LINE_BYTES;
    const double line = between(beyond_cache(machine, (double)f->groups_bytes),
                                (double)AIC_LINE_BYTES / (double)machine->path_bytes, 2 * (double)machine->far_line);
    const double cycles =
        windows * vectors * transform_instructions(f->m, f->points) / (double)machine->issue + written * line;
    return multiplies_of(t, target) * (lines * PACK_LINE + cycles);
}

static double bound_of(const aic_contraction *c, const aic_target *target)
{
    const double lanes = (double)target->vector_bits / 32;
    return (double)(aic_parts(c->down.out, 4) * aic_parts(c->across.out, 4) * 36 * c->channels * aic_outputs_of(c)) /
           lanes;
}

/* ---- parts ---- */

static aic_winograd_key key_of(const aic_tiling *t)
{
    return (aic_winograd_key){.m = t->transform.m, .lanes = t->geometry.lanes};
}

/* The product of so many small tiles at a point, or of `m` pixels of the band: a vector tile. */
static aic_tile_key product_key(const aic_tiling *t, int64_t pixels)
{
    const aic_arithmetic *a = &t->geometry.arithmetic;
    return (aic_tile_key){.sum = a->sum,
                          .product = a->product,
                          .kpack_bytes = a->kpack_bytes,
                          .kpack_channels = a->kpack_channels,
                          .lanes = t->geometry.lanes,
                          .vectors = t->geometry.vectors,
                          .pixels = pixels,
                          .unroll = t->geometry.unroll,
                          .ahead = t->tile.ahead,
                          .accumulate = AIC_TILE_FROM_ZERO,
                          .one_kpack = t->panel.kpacks == t->geometry.unroll,
                          .one_tap = true,
                          .one_block = true};
}

static aic_routine use_product(aic_program *program, const aic_tiling *t, const aic_tile_key *key, int64_t pitch,
                               int64_t block, const char *name)
{
    aic_use use;
    aic_use_begin(&use, program, &aic_part_tile, key);
    for (unsigned pixel = 1; pixel < key->pixels; pixel++) {
        aic_use_number(&use, pixel * pitch, "pixel.%u", pixel);
        aic_use_number(&use, pixel * (int64_t)(AIC_BLOCK_COLUMNS * AIC_SUM_BYTES), "out.%u", pixel);
    }
    for (int64_t i = 1; i < aic_tile_out_blocks(key); i++) {
        aic_use_number(&use, i * block, "out.block.%lld", (long long)i);
    }
    if (!key->one_kpack) {
        aic_use_trips(&use, t->panel.kpacks, "kpacks");
    }
    if (!key->one_tap) {
        aic_use_trips(&use, t->panel.taps, "taps");
    }
    aic_use_number(&use, t->panel.kpacks * key->kpack_bytes, "block.pitch");
    return aic_program_add(program, &use, "%s_%lldx%lld", name, (long long)key->pixels,
                           (long long)t->geometry.panel_channels);
}

/* Direct sums of one row of a small tile. */
static aic_routine use_direct(aic_program *program, const aic_tiling *t)
{
    aic_tile_key key = product_key(t, t->transform.m);
    key.accumulate = t->geometry.accumulate ? AIC_TILE_CLAMPS : AIC_TILE_FROM_ZERO;
    key.one_tap = false;
    return use_product(program, t, &key, t->band.pixel_pitch, t->staging.pitch, "direct");
}

static aic_routine use_output(aic_program *program, const aic_tiling *t, int64_t cols)
{
    const aic_plan_transform *f = &t->transform;
    const int64_t row = aic_staged_row(&t->wish, cols) * AIC_ROW_BYTES;
    const int64_t blocks = aic_parts(t->geometry.panel_channels, AIC_BLOCK_COLUMNS);
    const int64_t steps = t->geometry.panel_channels % AIC_BLOCK_COLUMNS == 0 ? blocks : 1, step = blocks / steps;
    aic_winograd_key key = key_of(t);
    aic_use use;
    key.vectors = t->geometry.vectors / steps;
    key.adds = t->geometry.accumulate;
    aic_use_begin(&use, program, &aic_part_winograd_output, &key);
    for (int64_t i = 1; i < f->points; i++) {
        aic_use_number(&use, i * f->point_bytes, "point.%lld", (long long)i);
    }
    for (int64_t i = 1; i < f->m; i++) {
        aic_use_number(&use, i * row, "out.%lld", (long long)i);
    }
    for (int64_t i = 1; i < step; i++) {
        aic_use_number(&use, i * f->block_bytes, "block.%lld", (long long)i);
        aic_use_number(&use, i * t->staging.pitch, "out.block.%lld", (long long)i);
    }
    aic_use_trips(&use, steps, "steps");
    aic_use_number(&use, step * f->block_bytes, "sums.step");
    aic_use_number(&use, step * t->staging.pitch, "out.step");
    return aic_program_add(program, &use, "results");
}

static void give_tile(aic_use *use, const aic_tiling *t, int64_t rows, int64_t cols, int64_t one)
{
    const aic_plan_transform *f = &t->transform;
    const int64_t down = aic_parts(rows, f->m), across = aic_parts(cols, f->m), blocks = down * across / one;
    aic_use_number(use, f->sums_offset, "sums.at");
    aic_use_number(use, t->panel.planes_offset, "planes.at");
    aic_use_number(use, t->panel.start_bytes, "panel.start");
    aic_use_number(use, f->head_bytes, "group.head");
    aic_use_trips(use, f->points, "points");
    aic_use_trips(use, blocks, "blocks");
    aic_use_number(use, f->point_bytes, "sums.point");
    aic_use_number(use, f->point_pitch, "point.pitch");
    aic_use_number(use, t->panel.kpacks * t->panel.step_bytes, "plane.bytes");
    aic_use_number(use, one * AIC_ROW_BYTES, "block.sums");
    aic_use_number(use, one * f->tile_pitch, "block.tiles");
    if (down * across % one != 0) {
        aic_use_number(use, blocks * one * AIC_ROW_BYTES, "rest.sums");
        aic_use_number(use, blocks * one * f->tile_pitch, "rest.tiles");
    }
    aic_use_trips(use, down, "down");
    aic_use_trips(use, across, "across");
    aic_use_number(use, aic_staged_row(&t->wish, cols) * AIC_ROW_BYTES, "out.row");
    aic_use_number(use, t->band.row_pitch, "raw.row");
    aic_use_number(use, t->band.pixel_pitch, "raw.pixel");
}

static aic_routine compose_tile(aic_program *program, const aic_plan *plan, int64_t rows, int64_t cols,
                                aic_routine leave)
{
    const aic_tiling *t = aic_tiling_of(plan);
    const aic_plan_transform *f = &t->transform;
    const int64_t tiles = aic_parts(rows, f->m) * aic_parts(cols, f->m);
    const int64_t one = product_tiles(aic_contraction_of(plan), plan->problem.target, t, tiles);
    const aic_tile_key whole = product_key(t, one), rest = product_key(t, tiles % one);
    aic_winograd_key key = key_of(t);
    aic_use use;
    (void)leave;
    key.rest = tiles % one != 0;
    aic_use_begin(&use, program, &aic_part_winograd_tile, &key);
    give_tile(&use, t, rows, cols, one);
    aic_use_call(&use, use_product(program, t, &whole, f->tile_pitch, f->block_bytes, "product"), "product");
    if (key.rest) {
        aic_use_call(&use, use_product(program, t, &rest, f->tile_pitch, f->block_bytes, "product"), "rest");
    }
    aic_use_call(&use, use_output(program, t, cols), "output");
    aic_use_call(&use, use_direct(program, t), "direct");
    return aic_program_add(program, &use, "tile_%lldx%lldx%lld", (long long)rows, (long long)cols,
                           (long long)t->geometry.panel_channels);
}

static aic_routine use_input(aic_program *program, const aic_contraction *c, const aic_tiling *t)
{
    const aic_plan_transform *f = &t->transform;
    const aic_winograd_key key = key_of(t);
    const int64_t side = f->m + 2;
    aic_use use;
    aic_use_begin(&use, program, &aic_part_winograd_input, &key);
    aic_use_trips(&use, c->channels * t->geometry.arithmetic.kpack_bytes, "channels");
    for (int64_t i = 1; i < f->points; i++) {
        aic_use_number(&use, i / side * t->band.row_pitch + i % side * t->band.pixel_pitch, "pixel.%lld", (long long)i);
        aic_use_number(&use, i * f->point_pitch, "point.%lld", (long long)i);
    }
    return aic_program_add(program, &use, "window");
}

aic_routine aic_compose_winograd_image(aic_program *program, const aic_plan *plan, aic_routine packed)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    const aic_plan_transform *f = &t->transform;
    const aic_split *cols = &t->geometry.cols;
    aic_winograd_key key = key_of(t);
    aic_use use;
    key.lanes = 0;
    key.small_cols = cols->small_count > 0;
    aic_use_begin(&use, program, &aic_part_winograd_image, &key);
    aic_use_number(&use, f->groups_bytes, "raw.at");
    aic_use_number(&use, aic_split_count(cols) * f->group_bytes, "group.row");
    aic_use_number(&use, f->group_bytes, "group.bytes");
    aic_use_number(&use, f->head_bytes, "group.head");
    aic_use_number(&use, f->down, "down");
    aic_use_trips(&use, f->across, "across.0");
    aic_use_trips(&use, cols->large_count, "groups.0");
    if (key.small_cols) {
        aic_use_trips(&use, aic_small_tiles(&t->geometry, cols->small), "across.1");
        aic_use_trips(&use, cols->small_count, "groups.1");
    }
    aic_use_number(&use, f->down * f->m * t->band.row_pitch, "raw.down");
    aic_use_number(&use, f->across * f->m * t->band.pixel_pitch, "raw.across");
    aic_use_number(&use, f->tile_pitch, "tile.pitch");
    aic_use_number(&use, f->m * t->band.row_pitch, "raw.row");
    aic_use_number(&use, f->m * t->band.pixel_pitch, "raw.col");
    aic_use_call(&use, packed, "rows");
    aic_use_call(&use, use_input(program, c, t), "input");
    return aic_program_add(program, &use, "groups");
}

aic_routine aic_compose_winograd_weights(aic_program *program, const aic_plan *plan)
{
    const aic_tiling *t = aic_tiling_of(plan);
    const aic_winograd_key key = key_of(t);
    const int64_t bytes = t->panel.kpacks * t->panel.step_bytes;
    aic_use use;
    aic_use_begin(&use, program, &aic_part_winograd_weights, &key);
    aic_use_trips(&use, bytes, "steps");
    for (int64_t i = 0; i < TAPS; i++) {
        aic_use_number(&use, t->panel.start_bytes + i * bytes, "tap.%lld", (long long)i);
    }
    for (int64_t i = 0; i < t->transform.points; i++) {
        aic_use_number(&use, t->panel.planes_offset + i * bytes, "plane.%lld", (long long)i);
    }
    return aic_program_add(program, &use, "weights_points");
}

const aic_microkernel aic_microkernel_winograd = {
    .name = "winograd",
    .refuse = refuse,
    .arithmetic = arithmetic_of,
    .propose = propose,
    .small_tiles = true,
    .step_kpacks = 1,
    .check = check,
    .pixels = pixels_of,
    .unroll = unroll_of,
    .cost = cost_of,
    .call_cost = call_cost,
    .table_from = 2,
    .rate = 1,
    .ahead = AHEAD_BYTES,
    .body_cost = 0.01,
    .sum_cost = 0,
    .bound = bound_of,
    .compose = compose_tile,
};
