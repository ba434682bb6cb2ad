/* The micro-kernel of AMX's tile registers: int8, bfloat16, and float16 as the sum of two bfloat16, its planes. Here is
 * what it takes, its geometry and its cost.
 *
 * float16: with x = x1 + x2 and w = w1 + w2, x*w = x1*w1 + x1*w2 + x2*w1 + x2*w2, all exact. Both planes of a number
 * have its sign, so that the magnitudes of the four products add up to that of x*w. An instruction adds up two chains
 * of at most 16 products from 0 and the sum of the two to a register of sums, each time rounding once: p additions for
 * p pairs of channels. With T instructions for each of the four products the error is at most (p + 4*T) * 2^-24 * S:
 * the first addition to a register is exact, and one to an old result may follow. accumulate=fast allows K * 2^-24 * S.
 */
#include "codegen/contraction/amx.h"
#include "codegen/integer.h"
#include "codegen/machine.h"
#include "frontend/core/diag.h"

#include <math.h>

enum { ROWS = AMX_ROWS, STEP_KPACKS = AMX_STEP_KPACKS, KPACK_BYTES = AMX_KPACK_BYTES };

/* Planes of an element; 0: of a type that tiles do not multiply. */
static unsigned planes_of(const aic_contraction *c)
{
    switch (c->dtype) {
    case AIC_INT8:
    case AIC_BFLOAT16:
        return 1;
    case AIC_FLOAT16:
        return AIC_PLANES_MAX;
    default:
        return 0;
    }
}

/* Figures of a core with AMX, even if the one that is otherwise supposed has none. */
static const aic_machine *core_of(const aic_plan_geometry *g)
{
    return g->machine->tiles ? g->machine : aic_machine_of(AIC_CORE_GOLDEN_COVE);
}

static int64_t kpack_channels(const aic_contraction *c)
{
    return KPACK_BYTES / (int64_t)aic_dtype_size(c->dtype);
}

/* Bytes are divided by what compilers know, channels by what they do not: this is asked for each tile. */
static int64_t pixel_kpacks(const aic_contraction *c)
{
    return aic_parts(c->channels * (int64_t)aic_dtype_size(c->dtype), KPACK_BYTES);
}

static int64_t steps_for(int64_t kpacks)
{
    return aic_parts(kpacks, STEP_KPACKS);
}

/* A step takes 16 k-packs, and the last step of a tap is partly empty where its k-packs are no multiple of that. The
 * channels of the taps of a kernel row follow each other in the band, so that the row taken as one tap may need fewer
 * steps. The k-packs that its last step reads behind the row are multiplied by weights of 0. The band has finite
 * numbers there, or notes special elements, and then vector instructions compute the tile. */
static bool merges(const aic_contraction *c)
{
    return c->across.taps > 1 && c->across.dilation == 1 &&
           steps_for(c->across.taps * pixel_kpacks(c)) < c->across.taps * steps_for(pixel_kpacks(c));
}

/* How many kernel rows one step has room for. Folded into one, they need a band whose pixels have the channels of so
 * many image rows side by side. What has several taps is a convolution, whose so few channels are its only block. */
static int64_t fold_of(const aic_contraction *c)
{
    enum { CHANNELS = 4 };
    if (c->channels != CHANNELS || c->down.dilation != 1 || !merges(c)) {
        return 1;
    }
    const int64_t most = STEP_KPACKS / (c->across.taps * pixel_kpacks(c));
    if (most < 2) {
        return 1;
    }
    const int64_t taps = aic_parts(c->down.taps, most);
    return aic_parts(c->down.taps, taps);
}

/* Steps of a tap, for each pair of planes. */
static int64_t steps_of(const aic_contraction *c)
{
    return steps_for(merges(c) ? fold_of(c) * c->across.taps * pixel_kpacks(c) : pixel_kpacks(c));
}

static int64_t taps_of(const aic_contraction *c)
{
    return merges(c) ? aic_parts(c->down.taps, fold_of(c)) : c->down.taps * c->across.taps;
}

int64_t aic_amx_step_kpacks(const aic_tiling *t)
{
    return t->wish.merged > 1 && t->panel.kpacks == STEP_KPACKS ? t->wish.merged * t->band.pixel_kpacks : STEP_KPACKS;
}

/* Whether the error bound at the top of this file exceeds that of accumulate=fast. */
static bool rounds_too_often(const aic_contraction *c)
{
    enum { PAIRS = AMX_STEP_KPACKS };
    const int64_t pixels = merges(c) ? fold_of(c) * c->across.taps : 1, own_pairs = pixels * ((c->channels + 1) / 2);
    const int64_t pairs = own_pairs < PAIRS ? own_pairs : PAIRS, planes = planes_of(c);
    return pairs + planes * planes * taps_of(c) * steps_of(c) >= c->down.taps * c->across.taps * c->channels;
}

static const char *refuse_int(const aic_contraction *c, const aic_target *target)
{
    if ((target->has & AIC_HAS_TILES_INT8) == 0) {
        return "needs tile registers, which this instruction set level lacks";
    }
    return c->sum == AIC_SUM_INT ? NULL : "adds up in int32, which this many products may leave";
}

static const char *refuse_float(const aic_contraction *c, const aic_target *target)
{
    if ((target->has & AIC_HAS_TILES_BF16) == 0) {
        return "needs tile registers, which this instruction set level lacks";
    }
    if (c->sum != AIC_SUM_FAST) {
        return "adds up floats in an order of its own, which is accumulate=fast";
    }
    if (rounds_too_often(c)) {
        return "rounds as often as accumulate=fast allows, where products are few";
    }
    return NULL;
}

static const char *refuse(const aic_contraction *c, const aic_target *target)
{
    if (planes_of(c) == 0) {
        return "multiplies int8, bfloat16 and float16 only";
    }
    if (c->groups > 1) {
        return "takes one group of channels";
    }
    return c->dtype == AIC_INT8 ? refuse_int(c, target) : refuse_float(c, target);
}

static aic_arithmetic arithmetic_of(const aic_contraction *c, const aic_target *target)
{
    (void)target;
    const bool is_int = c->dtype == AIC_INT8;
    return (aic_arithmetic){.sum = is_int ? AIC_SUM_INT : AIC_SUM_FAST,
                            .product = is_int ? AIC_PRODUCT_QUAD : AIC_PRODUCT_BFLOAT,
                            .kpack_bytes = KPACK_BYTES,
                            .kpack_channels = (unsigned)kpack_channels(c),
                            .sum_bits = 32,
                            .planes = planes_of(c)};
}

/* ---- registers ---- */

/* Tile registers of `images` registers of pixels times `vectors` of output channels, for the sums and the operands.
 * With one plane all operands of the side that has fewer are held and the others pass one at a time. With two planes
 * both planes of a side of one register are held and the others pass one at a time; if neither side has one register,
 * one plane of each side is held. */
static int64_t registers_used(const aic_contraction *c, int64_t images, int64_t vectors)
{
    const int64_t fewer = images < vectors ? images : vectors, sums = images * vectors;
    if (planes_of(c) == 1) {
        return sums + fewer + 1;
    }
    return fewer == 1 ? sums + AIC_PLANES_MAX + 1 : sums + images + vectors;
}

/* Pixels from one output row to the next in a band without gaps between its rows, in the part for one residue of the
 * strides; for a 1x1 kernel the output's own columns. 0: the taps of a kernel row are merged, or the stride would cut
 * the band into too many parts. */
static int64_t row_distance(const aic_contraction *c)
{
    enum { PHASES_MAX = 3 };
    const int64_t reach_w = c->across.dilation * (c->across.taps - 1) + 1, step = reach_w == 1 ? 1 : c->across.stride;
    const int64_t columns = (c->across.out - 1) * step + reach_w;
    return merges(c) || step > PHASES_MAX ? 0 : aic_parts(columns, step);
}

/* aic_wish.run of such a tile. Registers run across output rows only in tiles as wide as the output: if no
 * pixels lie between the rows, or if there are not enough registers to give each row its own. */
static int64_t run_of(const aic_contraction *c, int64_t rows, int64_t cols, int64_t vectors)
{
    const int64_t distance = row_distance(c), across = aic_parts(cols, ROWS);
    const bool runs = distance == c->across.out || registers_used(c, rows * across, vectors) > AMX_REGISTERS;
    return cols == c->across.out && runs ? distance : 0;
}

static amx_grid grid_with(int64_t run, int64_t rows, int64_t cols)
{
    return run > 0 ? (amx_grid){.run = run, .rows = 1, .width = (rows - 1) * run + cols}
                   : (amx_grid){.rows = rows, .width = cols};
}

/* The grid of a tile with this run whose registers have as few pixels as suffice. */
static amx_grid grid_of_run(int64_t run, int64_t rows, int64_t cols)
{
    amx_grid g = grid_with(run, rows, cols);
    const aic_split tiles = aic_split_evenly(g.width, ROWS);
    g.across = aic_split_count(&tiles);
    g.pixels = tiles.large;
    return g;
}

static amx_grid grid_of(const aic_contraction *c, int64_t rows, int64_t cols, int64_t vectors)
{
    return grid_of_run(run_of(c, rows, cols, vectors), rows, cols);
}

amx_grid aic_amx_smaller_grid(const amx_grid *largest, int64_t rows, int64_t cols)
{
    amx_grid g = grid_with(largest->run, rows, cols);
    g.pixels = largest->pixels;
    g.across = aic_parts(g.width, g.pixels);
    return g;
}

amx_grid aic_amx_largest_grid(const aic_contraction *c, const aic_plan_geometry *g)
{
    return grid_of(c, g->rows.large, g->cols.large, g->vectors);
}

int64_t aic_amx_first_pixel(const amx_grid *g, int64_t index)
{
    const int64_t last = g->width > g->pixels ? g->width - g->pixels : 0;
    return index * g->pixels < last ? index * g->pixels : last;
}

/* Whether registers of some tile have pixels that the output has not, whose sums must not be stored to the result. */
static bool has_surplus(const aic_contraction *c, const aic_plan_geometry *g, const amx_grid *largest)
{
    const int64_t rows = aic_split_least(&g->rows), cols = aic_split_least(&g->cols);
    return largest->run > c->across.out || aic_amx_smaller_grid(largest, rows, cols).width < largest->pixels;
}

/* What tiles cannot multiply, the bits without the sign: a float16 that is not finite; a bfloat16 that is not 0 but
 * below 2^-56. Products of larger ones, and their sums, are multiples of 2^-126 = 2^(-56-7) * 2^(-56-7) and so never
 * subnormal, which AMX would treat as 0. */
static void find_specials(const aic_contraction *c, aic_wish *wish)
{
    enum { SMALL_BFLOAT = (127 - 56) << 7 };
    const bool half = c->dtype == AIC_FLOAT16;
    wish->specials = c->dtype != AIC_INT8;
    wish->special_first = half ? AIC_INFINITE_HALF : 1;
    wish->special_end = half ? AIC_MAGNITUDE_16 + 1 : SMALL_BFLOAT;
}

/* Whether panels have float16 as they are: both planes of all weights would leave no room in the second-level cache,
 * from beyond which bytes come slowly, and each is multiplied by so many pixels that its split goes on meanwhile. */
static bool halves_pay(const aic_contraction *c, const aic_plan_geometry *g, const amx_grid *largest)
{
    enum { FEWEST = 3 };
    const int64_t bytes = c->n * taps_of(c) * steps_of(c) * AMX_ROW_BYTES * planes_of(c);
    return planes_of(c) > 1 && !merges(c) && g->vectors == 1 && largest->rows * largest->across >= FEWEST &&
           (double)bytes > 0.75 * (double)core_of(g)->l2_bytes;
}

/* Tiles whose sums start from an old result need a staging buffer, too: their sums are formed from 0, exactly, and then
 * added to the old result and clamped (parts/amx_tile.c). */
static aic_wish propose(const aic_contraction *c, const aic_target *target, const aic_plan_geometry *g)
{
    (void)target;
    const amx_grid largest = aic_amx_largest_grid(c, g);
    aic_wish wish = {.step_kpacks = STEP_KPACKS,
                     .merged = merges(c) ? c->across.taps : 1,
                     .fold = fold_of(c),
                     .run = largest.run,
                     .surplus = ROWS,
                     .staged = g->accumulate || has_surplus(c, g, &largest),
                     .halves = halves_pay(c, g, &largest),
                     .sums_apart = true,
                     .pauses = true};
    find_specials(c, &wish);
    return wish;
}

/* Tile registers of a tile. */
static int64_t registers_of(const aic_contraction *c, int64_t rows, int64_t cols, int64_t vectors)
{
    const amx_grid g = grid_of(c, rows, cols, vectors);
    return registers_used(c, g.rows * g.across, vectors);
}

static bool fits(const aic_contraction *c, int64_t rows, int64_t cols, int64_t vectors)
{
    return registers_of(c, rows, cols, vectors) <= AMX_REGISTERS;
}

static aic_status check(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s)
{
    (void)target;
    const int64_t steps = steps_of(c), used = registers_of(c, s->rows, s->cols, s->vectors);
    if (used > AMX_REGISTERS) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule",
                        "rows, cols, vectors = %lld, %lld, %lld need %lld tile registers of the %d that there are",
                        (long long)s->rows, (long long)s->cols, (long long)s->vectors, (long long)used, AMX_REGISTERS);
    }
    if (s->unroll < STEP_KPACKS || s->unroll % STEP_KPACKS != 0 || steps % (s->unroll / STEP_KPACKS) != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "unroll = %lld is not %d times a divisor of %lld",
                        (long long)s->unroll, STEP_KPACKS, (long long)steps);
    }
    return AIC_OK;
}

static int64_t pixels_of(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    (void)target;
    int64_t images = 0;
    while (registers_used(c, images + 1, vectors) <= AMX_REGISTERS) {
        images++;
    }
    return images * ROWS;
}

/* Two steps in a loop body; one, if steps are few and rows leave the staging buffer in the pauses between bodies. */
static int64_t unroll_of(const aic_contraction *c, const aic_target *target, int64_t pixels, int64_t vectors)
{
    enum { FEW = 16 };
    (void)target;
    (void)pixels;
    (void)vectors;
    const bool few = c->has_epilogue && taps_of(c) * steps_of(c) <= FEW;
    return planes_of(c) == 1 && steps_of(c) % 2 == 0 && !few ? 2 * STEP_KPACKS : STEP_KPACKS;
}

/* Tiles whose rows fit one register run the same instructions, which compute surplus pixels for the smaller ones. Not
 * where sums are added to old results, as that code counts the pixels. */
static bool serves(const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols)
{
    const amx_grid largest = aic_amx_largest_grid(c, &t->geometry), g = aic_amx_smaller_grid(&largest, rows, cols);
    return !t->geometry.accumulate && g.rows == 1 && g.width <= g.pixels;
}

/* ---- cost ----
 *
 * The model counts cycles of a core with AMX. All figures were measured on Emerald Rapids, with loops written by hand
 * or by fitting schedules of ResNet-50's layers. A product of registers takes 16 cycles, or fewer with few pixels if
 * the product before had the same weights; one that adds to the sums of the product before does not wait for it.
 * Products and loads overlap.
 *
 * Each operand comes from the smallest cache that holds it between two uses. If a panel is held, all tiles of a band
 * read it before the next panel, and all taps read a tile's window (the part of the band that the tile sees). If a
 * window is held, all panels read it before the next tile. */

static const double OPERATIONS = 2; /* vector operations, the unit of costs, in a cycle */
static const double STORE = 16, TAP = 3, TILE = 30, BAND = 20;
static const double ALONE = 17;    /* cycles of a product where each has weights of its own */
static const double COPY_LINE = 2; /* cycles of a line of results that a staging buffer delays */
static const double NEAR_LINE = 0.5, NEXT_LINE = 1.1,
                    LAST_LINE = 8; /* cycles of a line from the first-level, second-level and third-level cache */
static const double NEXT_PIXELS =
    2; /* of a line of pixels from the second-level cache: they are no stream, as panels are */
static const double PACK_LINE = 3; /* cycles to read and pack a line, for each plane and each folded kernel row ... */
static const double AWAY = 3;      /* ... and further ones if the band does not stay in the first-level cache */
static const double BURST = 1.4, BURST_LINES = 48; /* cycles of a tile's results that the stores before them delay,
                                                      unless they are fetched: of each line beyond so many */
static const double CROSSING = 2;    /* further cycles of a row that crosses a line, in units of NEAR_LINE */
static const double SPLIT_LINE = 10; /* cycles to split a line of float16 weights; timed */
static const double TOGETHER = 0.1; /* the share of everything but the longest activity that does not overlap with it */

typedef struct caches {
    double l1, l2; /* bytes of the first-level and the second-level cache that a kernel may count on */
} caches;

/* A part of each cache is left to results and everything else. */
static caches caches_of(const aic_tiling *t)
{
    const aic_machine *machine = core_of(&t->geometry);
    return (caches){.l1 = 0.85 * (double)machine->l1_bytes, .l2 = 0.75 * (double)machine->l2_bytes};
}

/* Of the first-level cache, what passes between two uses of a line that stays there. */
static double near_bytes(const aic_tiling *t)
{
    return 0.75 * (double)core_of(&t->geometry)->l1_bytes;
}

static double band_bytes(const aic_tiling *t)
{
    return (double)(t->band.rows * t->band.row_pitch);
}

/* Cycles to load a line of data that are `bytes` bytes in all. */
static double line_of(const caches *k, double bytes)
{
    return bytes <= k->l1 ? NEAR_LINE : bytes <= k->l2 ? NEXT_LINE : LAST_LINE;
}

bool aic_amx_streams_panels(const aic_contraction *c, const aic_tiling *t)
{
    const double window = (double)aic_band_window(c, &t->band, t->geometry.rows.large, t->geometry.cols.large) /
                          (double)t->geometry.blocks;
    return t->tile.holds_window && (double)t->panel.packed_bytes + window > caches_of(t).l1;
}

static double tiles_of_band(const aic_tiling *t)
{
    return (double)(t->geometry.band_tiles * (aic_split_count(&t->geometry.cols)));
}

bool aic_amx_fetches_ahead(const aic_tiling *t)
{
    const double few = 4;
    return (double)t->panel.packed_bytes + band_bytes(t) > caches_of(t).l2 &&
           (t->tile.holds_window || tiles_of_band(t) <= few);
}

int64_t aic_amx_claimed_lines(const aic_tiling *t, int64_t pixels)
{
    const int64_t bodies = t->panel.taps * t->panel.kpacks / t->geometry.unroll;
    const bool direct = t->staging.pitch == 0 && t->geometry.blocks == 1 && t->geometry.arithmetic.planes == 1;
    return direct && t->panel.taps == 1 && bodies <= pixels ? aic_parts(pixels, bodies) : 0;
}

/* Cycles to load a line of a panel, on average over the tiles of a band. Prefetched lines come from the second-level
 * cache. */
static double panel_line(const aic_tiling *t, const caches *k, double window)
{
    const double panel = (double)t->panel.bytes, all = (double)t->panel.packed_bytes + band_bytes(t);
    const double tiles = tiles_of_band(t), first = aic_amx_fetches_ahead(t) ? NEXT_LINE : line_of(k, all);
    if (t->tile.holds_window) {
        return first;
    }
    const double again = panel + window <= k->l1 ? NEAR_LINE : panel + band_bytes(t) <= k->l2 ? NEXT_LINE : LAST_LINE;
    return (first + (tiles - 1) * again) / tiles;
}

/* Lines of the band that a tile brings into the first-level cache, of `loads` that it loads.
 *
 * A held window comes once for all panels. Otherwise, if the cache has room for window and panel and tiles are as wide
 * as the output, it still has the band rows that the tile above has read. If it has no room for the window, each kernel
 * row brings its band rows anew, and if it has no room for these, each tap brings its pixels anew. */
static double fresh_lines(const aic_contraction *c, const aic_tiling *t, const caches *k, int64_t rows, int64_t cols,
                          double loads)
{
    const double window = (double)aic_band_window(c, &t->band, rows, cols), panel = (double)t->panel.bytes;
    const double seen = (double)((rows - 1) * t->band.row_step + t->band.row_reach),
                 of_tap = window / seen * (double)rows;
    double bytes = window;
    if (t->tile.holds_window && window / (double)t->geometry.blocks <= k->l1) {
        bytes = window / (double)t->panel.used;
    } else if (cols == c->across.out && panel + window <= k->l1) {
        bytes = window / seen * (double)(rows * t->band.row_step);
    } else if (window > k->l1) {
        bytes = of_tap <= k->l1 ? of_tap * (double)c->down.taps : loads * AIC_LINE_BYTES;
    }
    return fmin(bytes / AIC_LINE_BYTES, loads);
}

/* The share of register rows, each the channels of a pixel, that cross a cache line, pixels beginning at any multiple
 * of the largest power of two that divides the pixel pitch. */
static double crossing(const aic_tiling *t)
{
    const int64_t bytes = aic_amx_step_kpacks(t) * KPACK_BYTES;
    int64_t grain = AIC_LINE_BYTES;
    while (t->band.pixel_pitch % grain != 0) {
        grain /= 2;
    }
    return (double)(bytes > grain ? bytes - grain : 0) / AIC_LINE_BYTES;
}

/* Cycles of a tile's loads of pixels, `loads` register rows. */
static double window_cycles(const aic_contraction *c, const aic_tiling *t, const caches *k, int64_t rows, int64_t cols,
                            double loads)
{
    const double panels = (double)(t->tile.holds_window ? t->panel.packed_bytes : t->panel.bytes);
    const double line = band_bytes(t) + panels <= k->l1                                ? NEAR_LINE
                        : band_bytes(t) + (t->tile.holds_window ? panels : 0) <= k->l2 ? NEXT_PIXELS
                                                                                       : LAST_LINE;
    return loads * NEAR_LINE * (1 + CROSSING * crossing(t)) +
           fresh_lines(c, t, k, rows, cols, loads) * (line - NEAR_LINE);
}

/* Cycles of a product of `height` pixels with the weights of the product before; with other weights they are ROWS. */
static double again_cycles(double height)
{
    return 4 + 0.75 * height;
}

/* Cycles of products, loads and prefetches that go on at the same time. */
static double overlap(double products, double loads, double ahead)
{
    const double longest = fmax(fmax(products, loads), ahead);
    return longest + TOGETHER * (products + loads + ahead - longest);
}

static double cost_of(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                      int64_t cols)
{
    (void)target;
    const caches k = caches_of(t);
    const amx_grid largest = grid_of_run(t->wish.run, t->geometry.rows.large, t->geometry.cols.large),
                   g = aic_amx_smaller_grid(&largest, rows, cols);
    const double images = (double)(g.rows * g.across), vectors = t->geometry.vectors, height = (double)g.pixels;
    const double steps = (double)(t->panel.taps * t->panel.kpacks / STEP_KPACKS);
    const double window = (double)aic_band_window(c, &t->band, rows, cols);
    const double planes = t->geometry.arithmetic.planes, times = planes * planes;
    const bool crossed =
        planes > 1 && fmin(images, vectors) > 1; /* parts/amx_tile.c loads a plane of the passing side twice */
    const double lines_of_weights = steps * vectors * (double)aic_amx_step_kpacks(t);
    const double split = t->wish.halves ? lines_of_weights * SPLIT_LINE : 0;
    const double products =
        fmax(steps * times * vectors * (images > 1 ? ROWS + (images - 1) * again_cycles(height) : ALONE), split);
    const double loads = window_cycles(c, t, &k, rows, cols, steps * planes * images * height) +
                         lines_of_weights * (aic_panel_planes(&t->geometry, &t->wish) * panel_line(t, &k, window) +
                                             (crossed ? NEAR_LINE : 0) + (t->wish.halves ? planes * NEAR_LINE : 0));
    const double lines = aic_amx_fetches_ahead(t) ? (double)t->panel.bytes / AIC_LINE_BYTES : 0;
    const double first =
        t->tile.holds_window ? 1 : 1 / tiles_of_band(t); /* the share of tiles that wait for panels from a far cache */
    const double near = loads + lines * NEAR_LINE;
    const double inner = first * overlap(products, near, lines * LAST_LINE) + (1 - first) * overlap(products, near, 0);
    const double begin = t->wish.halves ? STEP_KPACKS * vectors * SPLIT_LINE : 0; /* the first step's weights */
    const double again =
        images * vectors * (STORE + height * NEXT_LINE); /* store and reload the sums for a further block */
    const double results = images * vectors * height;
    const double burst = aic_amx_claimed_lines(t, g.pixels) > 0 ? 0
                         : t->staging.pitch == 0                ? BURST * fmax(results - BURST_LINES, 0)
                         : c->has_epilogue                      ? 0
                                                                : COPY_LINE * results;
    return OPERATIONS * (inner + TAP * (double)(t->panel.taps * t->geometry.blocks) + images * vectors * STORE + burst +
                         TILE + begin + (double)(t->geometry.blocks - 1) * (again + begin));
}

/* Bytes that pass before a line of a band of `tiles` tile rows is used again: the band's, those of the image that it is
 * packed from, of a panel and of its results. */
static double passing_bytes(const aic_contraction *c, const aic_tiling *t, double tiles)
{
    const aic_plan_geometry *g = &t->geometry;
    const double result = c->has_epilogue ? (double)aic_dtype_size(c->epilogue.target) : AIC_SUM_BYTES;
    const double pixels = (double)(g->rows.large * c->across.out), share = tiles / (double)g->band_tiles;
    return 2 * share * band_bytes(t) + (aic_amx_streams_panels(c, t) ? 0 : (double)t->panel.bytes) +
           tiles * pixels * (double)g->panel_channels * result;
}

/* A call packs the bands; rows that neighbouring bands share are packed twice. Where kernel rows are folded, packing
 * takes so long that it does not matter where the band is. */
static double call_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    (void)target;
    const double lines = (double)(t->band.count * t->band.rows) * (double)t->band.row_pitch / AIC_LINE_BYTES;
    const bool stays = t->wish.fold > 1 || passing_bytes(c, t, (double)t->geometry.band_tiles) <= near_bytes(t);
    const double line = PACK_LINE * (double)(t->geometry.arithmetic.planes * t->wish.fold) + (stays ? 0 : AWAY);
    return OPERATIONS * (lines * line + BAND * (double)t->band.count);
}

/* The highest band that stays in the first-level cache, or a tile row. */
static int64_t small_band(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    (void)target;
    int64_t tiles = t->geometry.band_tiles;
    while (tiles > 1 && passing_bytes(c, t, (double)tiles) > near_bytes(t)) {
        tiles /= 2;
    }
    return tiles;
}

/* The smallest number of channel blocks for which a tile's window of one block fits the first-level cache. Where tiles
 * split weights all channels in one pass are as fast or faster: timed. */
static int64_t blocks_of(const aic_contraction *c, const aic_tiling *t)
{
    const double window = (double)aic_band_window(c, &t->band, t->geometry.rows.large, t->geometry.cols.large),
                 l1 = caches_of(t).l1;
    for (int64_t blocks = 1; !t->wish.halves && t->panel.kpacks % (blocks * t->geometry.unroll) == 0; blocks *= 2) {
        if (window / (double)blocks <= l1) {
            return blocks;
        }
    }
    return 1;
}

static double bound_of(const aic_contraction *c, const aic_target *target)
{
    (void)target;
    const double products = (double)(planes_of(c) * planes_of(c) * taps_of(c) * steps_of(c));
    return OPERATIONS * products * (double)(c->down.out * c->across.out) * (double)aic_outputs_of(c) / AMX_LANES;
}

const aic_microkernel aic_microkernel_amx = {
    .name = "amx",
    .refuse = refuse,
    .arithmetic = arithmetic_of,
    .step_kpacks = STEP_KPACKS,
    .row_pixels = ROWS,
    .propose = propose,
    .wants_lean = true,
    .table_from = 1,
    .rate = 8,
    .body_cost = 0.02,
    .sum_cost = 0.001 / AMX_ROWS,
    .check = check,
    .fits = fits,
    .pixels = pixels_of,
    .unroll = unroll_of,
    .cost = cost_of,
    .call_cost = call_cost,
    .small_band = small_band,
    .blocks = blocks_of,
    .bound = bound_of,
    .serves = serves,
    .compose = aic_compose_amx_tile,
    .needs = AIC_NEEDS_TILES,
    .compose_state = aic_compose_amx_state,
};
