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
#include "codegen/machine.h"
#include "frontend/core/diag.h"
#include "frontend/numeric/half.h"

#include <math.h>

enum { ROWS = AMX_ROWS, ROW_BYTES = AMX_ROW_BYTES, STEP_KPACKS = AMX_STEP_KPACKS, KPACK_BYTES = 4 };

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

static int64_t kpack_channels(const aic_contraction *c)
{
    return KPACK_BYTES / (int64_t)aic_dtype_size(c->dtype);
}

static int64_t pixel_kpacks(const aic_contraction *c)
{
    return (c->channels + kpack_channels(c) - 1) / kpack_channels(c);
}

static int64_t steps_for(int64_t kpacks)
{
    return (kpacks + STEP_KPACKS - 1) / STEP_KPACKS;
}

/* The channels of the taps of a kernel row follow each other in the band: where a step is wider than a pixel or not as
 * wide as all its steps, a row of taps takes fewer steps together. What a step reads behind a row is multiplied by 0: a
 * band has finite numbers there, or is noted to have others, whose products are formed by vector instructions. */
static bool merges(const aic_contraction *c)
{
    return c->dilation_w == 1 && steps_for(c->kw * pixel_kpacks(c)) < c->kw * steps_for(pixel_kpacks(c));
}

/* A step that a kernel row does not fill takes further ones: the pixels of so many image rows lie side by side. */
static int64_t fold_of(const aic_contraction *c)
{
    enum { CHANNELS = 4 };
    const int64_t most = STEP_KPACKS / (c->kw * pixel_kpacks(c));
    if (!merges(c) || c->channels != CHANNELS || c->c0 != CHANNELS || c->image.pixel != CHANNELS ||
        c->dilation_h != 1 || most < 2) {
        return 1;
    }
    const int64_t taps = (c->kh + most - 1) / most;
    return (c->kh + taps - 1) / taps;
}

/* Products of registers that a tap takes, for each plane of either side. */
static int64_t steps_of(const aic_contraction *c)
{
    return steps_for(merges(c) ? fold_of(c) * c->kw * pixel_kpacks(c) : pixel_kpacks(c));
}

static int64_t taps_of(const aic_contraction *c)
{
    return merges(c) ? (c->kh + fold_of(c) - 1) / fold_of(c) : c->kh * c->kw;
}

int64_t aic_amx_step_kpacks(const aic_tiling *t)
{
    return t->merged > 1 && t->kpacks == STEP_KPACKS ? t->merged * t->pixel_kpacks : STEP_KPACKS;
}

static bool rounds_too_often(const aic_contraction *c)
{
    enum { PAIRS = AMX_STEP_KPACKS };
    const int64_t pixels = merges(c) ? fold_of(c) * c->kw : 1, own_pairs = pixels * ((c->channels + 1) / 2);
    const int64_t pairs = own_pairs < PAIRS ? own_pairs : PAIRS, planes = planes_of(c);
    return pairs + planes * planes * taps_of(c) * steps_of(c) >= c->kh * c->kw * c->channels;
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
    const double limit = 65504; /* of float16 */
    return fabs(c->pad_value) <= limit ? NULL : "pads with finite numbers only";
}

static const char *refuse(const aic_contraction *c, const aic_target *target)
{
    if (planes_of(c) == 0) {
        return "multiplies int8, bfloat16 and float16 only";
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

/* Planes 1: sums, all operands of the side that has fewer, and one of the other side at a time. Planes 2: both planes
 * of a side that has one register, and one of the other side at a time; else a plane of each side. */
static int64_t registers_used(const aic_contraction *c, int64_t images, int64_t vectors)
{
    const int64_t fewer = images < vectors ? images : vectors, sums = images * vectors;
    if (planes_of(c) == 1) {
        return sums + fewer + 1;
    }
    return fewer == 1 ? sums + AIC_PLANES_MAX + 1 : sums + images + vectors;
}

/* Pixels from an output row to the next in a band without gaps, in the part of one residue of the strides; 0: there
 * would be many planes, or pixels do not begin with a line. Of a 1x1 kernel these are the output's own. */
static int64_t row_distance(const aic_contraction *c)
{
    enum { PHASES_MAX = 3 };
    const int64_t reach_w = c->dilation_w * (c->kw - 1) + 1, step = reach_w == 1 ? 1 : c->stride_w;
    const int64_t columns = (c->ow - 1) * step + reach_w;
    return merges(c) || step > PHASES_MAX ? 0 : (columns + step - 1) / step;
}

/* Registers run on from row to row of a tile that is as wide as the output where nothing lies between the rows, or
 * where the rows are too many for registers of their own. */
static int64_t run_of(const aic_contraction *c, int64_t rows, int64_t cols, int64_t vectors)
{
    const int64_t distance = row_distance(c), across = (cols + ROWS - 1) / ROWS;
    const bool runs = distance == c->ow || registers_used(c, rows * across, vectors) > AMX_REGISTERS;
    return cols == c->ow && runs ? distance : 0;
}

static amx_grid grid_with(int64_t run, int64_t rows, int64_t cols)
{
    return run > 0 ? (amx_grid){.run = run, .rows = 1, .width = (rows - 1) * run + cols}
                   : (amx_grid){.rows = rows, .width = cols};
}

amx_grid aic_amx_grid_of(const aic_contraction *c, int64_t rows, int64_t cols, int64_t vectors)
{
    amx_grid g = grid_with(run_of(c, rows, cols, vectors), rows, cols);
    const aic_split tiles = aic_split_evenly(g.width, ROWS);
    g.across = tiles.large_count + tiles.small_count;
    g.pixels = tiles.large;
    return g;
}

amx_grid aic_amx_smaller_grid(const amx_grid *largest, int64_t rows, int64_t cols)
{
    amx_grid g = grid_with(largest->run, rows, cols);
    g.pixels = largest->pixels;
    g.across = (g.width + g.pixels - 1) / g.pixels;
    return g;
}

static amx_grid largest_grid(const aic_contraction *c, const aic_tiling *t)
{
    return aic_amx_grid_of(c, t->rows.large, t->cols.large, t->vectors);
}

static int64_t run(const aic_contraction *c, const aic_tiling *t)
{
    return largest_grid(c, t).run;
}

int64_t aic_amx_first_pixel(const amx_grid *g, int64_t index)
{
    const int64_t last = g->width > g->pixels ? g->width - g->pixels : 0;
    return index * g->pixels < last ? index * g->pixels : last;
}

amx_registers aic_amx_assign(const aic_contraction *c, const aic_tiling *t)
{
    amx_registers a = {.g = largest_grid(c, t)};
    const unsigned images = (unsigned)(a.g.rows * a.g.across), fewer = images < t->vectors ? images : t->vectors;
    a.holds_images = images < t->vectors || (t->arithmetic.planes > 1 && fewer > 1);
    a.held = images * t->vectors;
    a.passing = a.held + (t->arithmetic.planes > 1 && fewer == 1 ? AIC_PLANES_MAX : fewer);
    return a;
}

int64_t aic_amx_vector_pitch(const aic_contraction *c, const aic_tiling *t)
{
    return t->staging_pitch > 0 ? t->staging_pitch : c->block_rows * ROW_BYTES;
}

int64_t aic_amx_row_pixels(const aic_contraction *c, const aic_tiling *t, int64_t cols)
{
    return t->staging_pitch > 0 ? aic_tiling_staged_row(t, cols) : c->ow;
}

/* Whether a register of some tile has pixels that are not the output's: their sums must not reach the result. */
static bool has_surplus(const aic_contraction *c, const aic_tiling *t)
{
    const amx_grid g = largest_grid(c, t);
    const int64_t rows = t->rows.large - (t->rows.small_count > 0), cols = t->cols.large - (t->cols.small_count > 0);
    return g.run > c->ow || aic_amx_smaller_grid(&g, rows, cols).width < g.pixels;
}

/* Sums that start from an old result are exact numbers that are added to it and clamped. */
static bool staged(const aic_contraction *c, const aic_tiling *t)
{
    return t->accumulate || has_surplus(c, t);
}

static aic_status check(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s,
                        const aic_tiling *t)
{
    (void)target;
    (void)t;
    const int64_t steps = steps_of(c);
    const amx_grid g = aic_amx_grid_of(c, s->rows, s->cols, s->vectors);
    const int64_t used = registers_used(c, g.rows * g.across, s->vectors);
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

/* Two steps; one where there are few and rows leave the staging buffer in pauses between them. */
static int64_t unroll_of(const aic_contraction *c, const aic_target *target, int64_t sums)
{
    enum { FEW = 16 };
    (void)target;
    (void)sums;
    const bool few = c->has_epilogue && taps_of(c) * steps_of(c) <= FEW;
    return planes_of(c) == 1 && steps_of(c) % 2 == 0 && !few ? 2 * STEP_KPACKS : STEP_KPACKS;
}

/* One behind each loop body. */
static int64_t pauses(const aic_tiling *t)
{
    return t->taps * t->block_kpacks / t->unroll;
}

/* One register takes its pixels whatever it has too many of; sums that are added to old results are counted. */
static bool serves(const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols, int64_t fewer_rows,
                   int64_t fewer_cols)
{
    const amx_grid largest = largest_grid(c, t), g = aic_amx_smaller_grid(&largest, rows, cols);
    return !t->accumulate && g.rows == 1 && g.width <= g.pixels &&
           aic_amx_smaller_grid(&largest, fewer_rows, fewer_cols).rows == 1;
}

/* ---- cost ----
 *
 * In cycles of a core with tiles, as its maker gives them: a product takes as many as the first factor has rows, its
 * result is there LATENCY cycles later; the first-level cache delivers two rows a cycle. Products and loads go on at
 * the same time. What a tile computes with comes from the cache that holds it: the panel of a tile's output channels is
 * read by all tiles of a band before the next one, the part of the band that a tile sees, its window, by all taps; or
 * all panels are read by a tile before the next one, and its window by all of them. */

static const double OPERATIONS = 2; /* vector operations, the unit of costs, in a cycle */
static const double LATENCY = 36, STORE = 16, TAP = 3, TILE = 30;
static const double PACK_LINE = 2; /* cycles of a packed line, for each plane and each kernel row that are one; timed */
static const double NEAR_LINE = 0.5, LAST_LINE = 8; /* cycles of a line from the first and the third-level cache */
static const double CROSSING = 2;                   /* times as much more takes a row that two lines have */
static const double TOGETHER = 0.1; /* of products and loads: the share of all but the longest that does not overlap */

typedef struct caches {
    double l1, l2;       /* bytes of each that a kernel may count on */
    double line2, line3; /* cycles of a line from the second-level cache and from beyond */
} caches;

/* Of a core that has tiles, whatever other core is supposed. A quarter is left to results and what else there is. */
static caches caches_of(void)
{
    const aic_machine *facts = aic_machine_facts();
    const aic_machine *machine =
        facts == aic_machine_of(aic_machine_core()) ? aic_machine_of(AIC_CORE_GOLDEN_COVE) : facts;
    return (caches){.l1 = 0.75 * (double)machine->l1_bytes,
                    .l2 = 0.75 * (double)machine->l2_bytes,
                    .line2 = (double)AIC_LINE_BYTES / (double)machine->path_bytes,
                    .line3 = LAST_LINE};
}

static double band_bytes(const aic_tiling *t)
{
    return (double)(t->band_rows * t->row_pitch);
}

/* Cycles to load a line of what is as large as that all together. */
static double line_of(const caches *k, double bytes)
{
    return bytes <= k->l1 ? NEAR_LINE : bytes <= k->l2 ? k->line2 : k->line3;
}

bool aic_amx_streams_panels(const aic_contraction *c, const aic_tiling *t)
{
    const double window = (double)aic_tiling_window_bytes(c, t, t->rows.large, t->cols.large) / (double)t->blocks;
    return t->holds_window && (double)t->packed_bytes + window > caches_of().l1;
}

static double tiles_of_band(const aic_tiling *t)
{
    return (double)(t->band_tiles * (t->cols.large_count + t->cols.small_count));
}

bool aic_amx_fetches_ahead(const aic_tiling *t)
{
    const double few = 4;
    return (double)t->packed_bytes + band_bytes(t) > caches_of().l2 && (t->holds_window || tiles_of_band(t) <= few);
}

/* Cycles to load a line of a panel, on average over the tiles of a band. What was fetched ahead is in the second-level
 * cache. */
static double panel_line(const aic_tiling *t, const caches *k, double window)
{
    const double panel = (double)t->panel_bytes, all = (double)t->packed_bytes + band_bytes(t);
    const double tiles = tiles_of_band(t), first = aic_amx_fetches_ahead(t) ? k->line2 : line_of(k, all);
    if (t->holds_window) {
        return first;
    }
    const double again = panel + window <= k->l1 ? NEAR_LINE : panel + band_bytes(t) <= k->l2 ? k->line2 : k->line3;
    return (first + (tiles - 1) * again) / tiles;
}

/* Lines of the band that come into the first-level cache for a tile of `loads` loaded lines. A row of tiles follows the
 * one above it at once: where there is room, the rows of the band that both see are still there. Where there is none
 * for the window, each kernel row brings its rows anew, and where there is none for these, each tap does. A window
 * that is held comes once for all panels. */
static double fresh_lines(const aic_contraction *c, const aic_tiling *t, const caches *k, int64_t rows, int64_t cols,
                          double loads)
{
    const double window = (double)aic_tiling_window_bytes(c, t, rows, cols), panel = (double)t->panel_bytes;
    const double seen = (double)((rows - 1) * t->row_step + t->row_reach), of_tap = window / seen * (double)rows;
    double bytes = window;
    if (t->holds_window && window / (double)t->blocks <= k->l1) {
        bytes = window / (double)t->used_panels;
    } else if (cols == c->ow && panel + window <= k->l1) {
        bytes = window / seen * (double)(rows * t->row_step);
    } else if (window > k->l1) {
        bytes = of_tap <= k->l1 ? of_tap * (double)c->kh : loads * AIC_LINE_BYTES;
    }
    return fmin(bytes / AIC_LINE_BYTES, loads);
}

/* The share of loaded rows of pixels that cross a line: these begin anywhere that a pixel may begin. */
static double crossing(const aic_tiling *t)
{
    const int64_t bytes = aic_amx_step_kpacks(t) * KPACK_BYTES;
    int64_t grain = AIC_LINE_BYTES;
    while (t->pixel_pitch % grain != 0) {
        grain /= 2;
    }
    return (double)(bytes > grain ? bytes - grain : 0) / AIC_LINE_BYTES;
}

/* Cycles of the lines of a tile's pixels, `loads` of them. */
static double window_cycles(const aic_contraction *c, const aic_tiling *t, const caches *k, int64_t rows, int64_t cols,
                            double loads)
{
    const double panels = (double)(t->holds_window ? t->packed_bytes : t->panel_bytes);
    const double line = band_bytes(t) + panels <= k->l1                           ? NEAR_LINE
                        : band_bytes(t) + (t->holds_window ? panels : 0) <= k->l2 ? k->line2
                                                                                  : k->line3;
    return loads * NEAR_LINE * (1 + CROSSING * crossing(t)) +
           fresh_lines(c, t, k, rows, cols, loads) * (line - NEAR_LINE);
}

/* What goes on at the same time. */
static double overlap(double products, double loads, double ahead)
{
    const double longest = fmax(fmax(products, loads), ahead);
    return longest + TOGETHER * (products + loads + ahead - longest);
}

static double cost_of(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                      int64_t cols)
{
    (void)target;
    const caches k = caches_of();
    const amx_grid largest = largest_grid(c, t), g = aic_amx_smaller_grid(&largest, rows, cols);
    const double images = (double)(g.rows * g.across), vectors = t->vectors, height = (double)g.pixels;
    const double steps = (double)(t->taps * t->kpacks / STEP_KPACKS);
    const double window = (double)aic_tiling_window_bytes(c, t, rows, cols);
    const double planes = t->arithmetic.planes, times = planes * planes;
    const bool crossed = planes > 1 && fmin(images, vectors) > 1; /* a plane of the weights is loaded twice */
    const double products = steps * times * fmax(images * vectors * height, LATENCY + height);
    const double loads = window_cycles(c, t, &k, rows, cols, steps * planes * images * height) +
                         steps * vectors * (double)aic_amx_step_kpacks(t) *
                             (planes * panel_line(t, &k, window) + (crossed ? NEAR_LINE : 0));
    const double lines = aic_amx_fetches_ahead(t) ? (double)t->panel_bytes / AIC_LINE_BYTES : 0;
    const double first =
        t->holds_window ? 1 : 1 / tiles_of_band(t); /* the share of tiles that panels come from afar for */
    const double near = loads + lines * NEAR_LINE;
    const double inner = first * overlap(products, near, lines * k.line3) + (1 - first) * overlap(products, near, 0);
    const double again = images * vectors * (STORE + height * k.line2); /* sums of a further block of channels */
    return OPERATIONS * (inner + TAP * (double)(t->taps * t->blocks) + images * vectors * STORE + TILE +
                         (double)(t->blocks - 1) * (again + TILE));
}

/* Packing the bands. */
static double call_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    (void)c;
    (void)target;
    const double lines = (double)(t->bands * t->band_rows) * (double)t->row_pitch / AIC_LINE_BYTES;
    return OPERATIONS * lines * PACK_LINE * (double)(t->arithmetic.planes * t->fold);
}

/* As much as stays in the first-level cache beside a panel: with few taps it is better to read all weights again for
 * each such band than each band from the second-level cache for every panel. */
static int64_t small_band(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    (void)c;
    (void)target;
    const double rows = caches_of().l1 / 2 / (double)t->row_pitch - (double)(t->row_reach - t->row_step);
    const int64_t tiles = (int64_t)(rows / (double)(t->rows.large * t->row_step));
    return tiles > 1 ? tiles : 1;
}

/* The fewest blocks of channels of which one leaves a window that stays in the first-level cache. */
static int64_t blocks_of(const aic_contraction *c, const aic_tiling *t)
{
    const double window = (double)aic_tiling_window_bytes(c, t, t->rows.large, t->cols.large), l1 = caches_of().l1;
    for (int64_t blocks = 1; t->kpacks % (blocks * t->unroll) == 0; blocks *= 2) {
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
    return OPERATIONS * products * (double)(c->oh * c->ow) * (double)c->n / AMX_LANES;
}

const aic_microkernel aic_microkernel_amx = {
    .name = "amx",
    .refuse = refuse,
    .arithmetic = arithmetic_of,
    .step_kpacks = STEP_KPACKS,
    .merges = merges,
    .fold = fold_of,
    .run = run,
    .staged = staged,
    .pauses = pauses,
    .surplus = ROWS,
    .rate = 8,
    .body_cost = 0.02,
    .sum_cost = 0.001 / AMX_ROWS,
    .check = check,
    .pixels = pixels_of,
    .unroll = unroll_of,
    .cost = cost_of,
    .call_cost = call_cost,
    .small_band = small_band,
    .blocks = blocks_of,
    .bound = bound_of,
    .emit = aic_amx_emit_tile,
    .serves = serves,
    .needs = AIC_NEEDS_TILES,
    .enter = aic_amx_enter,
    .leave = aic_amx_leave,
};
