/* What tiles of vector instructions cost; see vector.h. */
#include "codegen/contraction/vector.h"
#include "codegen/machine.h"

#include <limits.h>
#include <math.h>

/* The unit of cost is one multiply-add of a vector of the target. The facts about the core are in cycles, and are
 * multiplied by the number of multiply-adds that the core begins in a cycle. */
static const double LOOP_COST = 1.0, TAP_COST = 6.0, TILE_COST = 40.0;
/* A broadcast of a double to a register, for several multiplications. Otherwise the broadcast is a memory operand of
 * the only multiplication, and free. */
static const double SHARED_DOUBLE = 0.4;
/* A load where a broadcast is more than an instruction of its own, in loads with an embedded broadcast: without AVX;
 * and of floats where each vector of the image is multiplied once, as it was when such tiles had sums on the stack. */
static const double SEPARATE_BROADCAST = 1.8;
/* An operation of a product besides its multiplication, in multiplications, where other units do such operations, too.
 * Measured with vectors of 128 to 512 bits, 3 to 24 sums; why two vectors take less is not known. */
static const double ADDITION = 0.3, TWO_VECTORS_ADDITION = 0.25, TWO_VECTORS_SUMS = 8;
/* A prefetch, where products of several operations keep the units busy: measured. */
static const double FETCH = 0.5;
/* The store and load of a total for which there is no register; the conversion then is partly done by the load. */
static const double RESTING_TOTAL = 2.0;
/* The share of a tile's band lines that neither the previous tile left in the cache nor a prefetcher has fetched. */
static const double FRESH_PART = 0.5;

/* Cycles to pack a line into the first-level cache, without its write-back to the next level. Timed. */
static const double PACK_LINE = 3;

/* A core (machine.h), for vectors as wide as the geometry's. */
typedef struct core {
    double unit;                     /* multiply-adds of a vector of the target's width that begin in a cycle */
    double multiplies, loads, issue; /* vector multiply-adds, vector loads, and instructions that begin in a cycle */
    double asides;                   /* other operations of vectors, beside multiply-adds */
    double scalar_loads;             /* loads of less than a vector, which a broadcast and a prefetch are */
    double latency;                  /* multiply-adds that begin before the result of the first one is there */
    bool timed;                      /* aic_machine_is_timed() */
    bool halves;                     /* it is, and two vectors are as wide as the multipliers */
    bool pairs;                      /* a product is a multiplication and an addition that other units do, too; timed */
    double near_line, far_line;      /* cycles of a line from the second-level cache, and from beyond it */
    double far_image;                /* the same of the image and of results */
    double late_line;                /* further cycles of a line from beyond it that nothing has prefetched */
    double late_load;                /* cycles of each load while such lines come */
    double written_line;             /* cycles to write a line back to the second-level cache */
    double l1, l2;                   /* bytes that a loop may count on; the rest is left to other data */
    double together; /* the share of the time of the less busy units that does not overlap with the busiest one */
} core;

static core core_of(const aic_tiling *t, const aic_target *target)
{
    const aic_plan_geometry *g = &t->geometry;
    const aic_machine *m = g->machine;
    const double bits = g->lanes * g->arithmetic.sum_bits;
    const double multiplies = fmin((double)m->multiplies, (double)m->multiply_bits / bits);
    const bool several = aic_vector_product_cost(target, g->arithmetic.product) > 1;
    const bool timed = aic_machine_is_timed(m, target->vector_bits);
    /* Where units beside the multipliers do what a product needs besides a multiplication, or the arithmetic of
     * results, and that was not timed, both are counted as longer than they take. Lines are then counted as longer by
     * the same factor. */
    static const double COUNTED_LINE = 2;
    const bool counted = m->aside_bits > 0 && !timed && (several || t->staging.has_epilogue);
    const double line = counted ? COUNTED_LINE : 1;
    return (core){.unit = fmin((double)m->multiplies, (double)m->multiply_bits / target->vector_bits),
                  .multiplies = multiplies,
                  .asides = (double)m->aside_bits / bits,
                  .loads = fmin((double)m->loads, (double)m->load_bits / bits),
                  .issue = (double)m->issue,
                  .scalar_loads = (double)m->loads,
                  .latency = (double)m->latency * multiplies,
                  .timed = timed,
                  .halves = timed && target->vector_bits < m->multiply_bits,
                  .pairs = timed && several,
                  .near_line = line * (double)m->near_line,
                  .far_line = line * (double)m->far_line,
                  .far_image = (double)m->far_image,
                  .late_line = (double)m->late_line,
                  .late_load = (double)m->late_load / 100,
                  .written_line = (double)AIC_LINE_BYTES / (double)m->path_bytes,
                  .l1 = (double)m->l1_bytes * 3 / 4,
                  .l2 = (double)m->l2_bytes * 5 / 8,
                  .together = (double)m->together / 100};
}

/* Cache lines of a panel for one k-pack. */
static double lines_of(const aic_tiling *t)
{
    return (double)t->panel.step_bytes / AIC_LINE_BYTES;
}

/* Cycles that one k-pack of a tile takes in each part of a core: multiply units, the units beside them as far as these
 * are busy for more than half of that time, load ports, instruction issue. */
typedef struct pace {
    double products, asides, loads, instructions;
    double accesses; /* how many loads there are */
} pace;

/* Columns of the band that the taps of a kernel row see for a row of the larger tiles. */
static double row_columns(const aic_tiling *t, int64_t taps)
{
    const int64_t pixels = t->geometry.cols.large;
    const int64_t reach = (pixels - 1) * t->band.col_step + (taps - 1) * t->band.tap_step + 1;
    return (double)aic_least(reach, pixels * taps);
}

/* Vectors of the image that a k-pack of a tile loads, or broadcasts, and the instructions that this takes. */
static double image_loads(const aic_contraction *c, const aic_target *target, const aic_tiling *t, double pixels,
                          bool alone, double *instructions)
{
    const double all = pixels * t->geometry.vectors, lanes = t->geometry.lanes;
    const double merged = 1 + (double)aic_groups_merged(c, t->geometry.lanes, t->geometry.vectors);
    const aic_tile_image image = aic_tile_image_of(c, &t->geometry);
    const bool own = image == AIC_TILE_SPREAD && c->n == c->groups && t->band.seen_kpacks == 1;
    switch (image) {
    case AIC_TILE_SAME:
    case AIC_TILE_GROUP: {
        const int64_t taps = aic_tile_row_taps(c, target, t, (int64_t)pixels);
        const double columns = taps > 0 ? row_columns(t, taps) / (double)(taps * t->geometry.cols.large) : 1;
        *instructions = alone && taps == 0 ? 0 : columns * pixels;
        return columns * pixels;
    }
    case AIC_TILE_VECTORS:
        *instructions = all;
        return all;
    case AIC_TILE_SPREAD:
        *instructions = own ? 0 : all; /* a memory operand of the multiplication, or loaded and shuffled */
        return all;
    case AIC_TILE_MERGED:
        *instructions = (merged + ((target->has & AIC_HAS_BROADCAST) != 0 ? 0 : merged - 1)) * all;
        return merged * all;
    case AIC_TILE_LANES:
        break;
    }
    *instructions = 2 * lanes * all; /* an offset is loaded, and a k-pack into its lane */
    return 2 * lanes * all;
}

/* Instructions that widen a vector of weights; each takes a slot of a multiply-add. */
static double widening(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    enum { PORTABLE_HALF = 10 }; /* without an instruction that converts float16 */
    if (!aic_is_narrow(&t->geometry)) {
        return 0;
    }
    const bool doubles = t->geometry.arithmetic.sum == AIC_SUM_CUBE;
    const bool portable = c->dtype == AIC_FLOAT16 && (target->has & AIC_HAS_HALF) == 0;
    const int floats = portable ? PORTABLE_HALF : c->dtype == AIC_FLOAT32 ? 0 : 2;
    return c->dtype == AIC_INT8 ? 1 : floats + (doubles ? 2 : 0);
}

/* Whether loads of the image are broadcasts, which load less than a vector. */
static bool broadcasts(const aic_contraction *c, const aic_tiling *t)
{
    const aic_tile_image image = aic_tile_image_of(c, &t->geometry);
    return image == AIC_TILE_SAME || image == AIC_TILE_GROUP;
}

/* Whether a broadcast is the operand of an instruction that makes the image unsigned, which is one for a pixel. */
static bool has_offsets(const aic_tiling *t)
{
    return t->geometry.in_place && t->geometry.arithmetic.image_offset != 0;
}

/* Where each multiply-add waits for an operation beside it, a tile with fewer sums than begin in four latencies loses
 * so many multiply-adds a k-pack for each sum that is missing: measured, 2 to 28 sums. */
static const double WAITING = 0.12;
/* The same where the image's offset takes the last register: measured. */
static const double SPILL = 2;

/* Multiply-adds for each k-pack that do not begin because the tile widens the image. Measured with 4 to 28 sums, where
 * other units than the multipliers convert; why tiles of two vectors of 512 bits lose twice as many is not known. */
static double widened_image(const aic_tiling *t, const core *k, double pixels)
{
    static const double START = 4, ASIDE = 0.5, BY_MULTIPLIERS = 2, TWO_VECTORS = 2;
    const double pixel = k->asides > 0 ? ASIDE : BY_MULTIPLIERS;
    const double lost = (START + pixels * pixel) * (t->geometry.vectors == 2 && !k->halves ? TWO_VECTORS : 1);
    return aic_widens_image(&t->geometry) ? lost / AIC_BLOCK_COLUMNS : 0;
}

/* Multiplications that one of a product, with what is besides, takes the time of. */
static double product_time(const aic_target *target, const aic_tiling *t, const core *k, double sums)
{
    const double operations = aic_vector_product_cost(target, t->geometry.arithmetic.product);
    const bool two = t->geometry.vectors == 2 && sums >= TWO_VECTORS_SUMS;
    return k->pairs ? 1 + (two ? TWO_VECTORS_ADDITION : ADDITION) : operations;
}

static pace pace_of(const aic_contraction *c, const aic_target *target, const aic_tiling *t, const core *k,
                    double pixels)
{
    const double vectors = t->geometry.vectors, sums = pixels * vectors;
    const bool embeds = (target->has & AIC_HAS_BROADCAST) != 0;
    const bool alone = embeds && t->geometry.vectors == 1 && t->geometry.arithmetic.product == AIC_PRODUCT_FLOAT;
    const bool shares_doubles = embeds && t->geometry.vectors > 1 && t->geometry.arithmetic.sum == AIC_SUM_CUBE;
    const double operations = aic_vector_product_cost(target, t->geometry.arithmetic.product);
    const double product = product_time(target, t, k, sums);
    const double waits = has_offsets(t) && t->geometry.vectors == 1 ? WAITING * fmax(4 * k->latency - sums, 0) : 0;
    /* additions of integers, which alone wait for the sum before, take a cycle */
    double products = (k->pairs ? fmax(sums * product, k->multiplies) : fmax(sums, k->latency) * product) +
                      (shares_doubles ? SHARED_DOUBLE * pixels : 0) + waits;
    const double widened = vectors * widening(c, target, t);
    products += widened;
    double others;
    const double image = image_loads(c, target, t, pixels, alone, &others);
    const bool once = t->geometry.vectors == 1 || !broadcasts(c, t);
    const bool places = once && t->geometry.arithmetic.product == AIC_PRODUCT_FLOAT;
    const double loads = (image / (broadcasts(c, t) ? k->scalar_loads : k->loads) + vectors / k->loads) *
                         (embeds || (k->timed && !places) ? 1 : SEPARATE_BROADCAST);
    double instructions = sums * operations + vectors + others + widened;
    const double fetches = t->tile.ahead == 0 ? 0 : fmax(lines_of(t), 1 / (double)t->geometry.unroll);
    instructions += fetches;
    products += k->pairs ? FETCH * fetches : 0;
    const double busy = loads + fetches / k->scalar_loads;
    const double offsets = has_offsets(t) ? pixels : 0;
    products +=
        offsets > 0 && aic_vector_registers(c, target, (int64_t)pixels, t->geometry.vectors) >= target->vector_registers
            ? SPILL
            : 0;
    products += widened_image(t, k, pixels) + (k->asides > 0 ? 0 : offsets);
    return (pace){.products = products / k->multiplies,
                  .asides = k->asides > 0 ? fmax(2 * offsets / k->asides - products / k->multiplies, 0) : 0,
                  .loads = busy,
                  .instructions = instructions / k->issue,
                  .accesses = image + vectors};
}

/* The part of a pixel of the band that a panel sees: the channels of its groups, in whole lines. */
static double seen_part(const aic_contraction *c, const aic_tiling *t)
{
    if (c->groups <= 1) {
        return 1;
    }
    const int64_t groups = aic_parts(t->geometry.panel_channels * c->groups, c->n);
    const int64_t pixel = t->band.pixel_pitch, seen = pixel * groups * t->geometry.slices / c->groups;
    return fmin(1, (double)aic_round_up(seen, AIC_LINE_BYTES) / (double)pixel);
}

/* Bytes of the first-level cache that so many rows of a band take. */
static int64_t band_bytes(const aic_tiling *t, int64_t rows)
{
    const aic_machine *machine = t->geometry.machine;
    return aic_band_bytes(&t->geometry, &t->band, rows, machine->l1_bytes / machine->l1_ways);
}

/* Cycles for each k-pack to bring a tile's band lines into the first-level cache. If that has room for the tile's whole
 * window, its lines come once; if not, the band rows of each kernel row come anew. */
static double image_cycles(const aic_contraction *c, const aic_tiling *t, const core *k, int64_t rows, int64_t cols)
{
    const double band = (double)band_bytes(t, t->band.rows), panel = (double)t->panel.bytes;
    if (band + panel <= k->l1) {
        return 0;
    }
    const double part = seen_part(c, t), window = part * (double)aic_band_window(c, &t->band, rows, cols);
    const double seen = (double)((rows - 1) * t->band.row_step + t->band.row_reach);
    const double tiles = (double)(t->geometry.band_tiles * aic_split_count(&t->geometry.cols));
    const double bytes = part < 1 && part * band + panel <= k->l1 ? part * band / tiles
                         : window <= k->l1                        ? window
                                                                  : window / seen * (double)(rows * c->down.taps);
    const double line = band <= k->l2 ? k->near_line : k->far_image;
    return FRESH_PART * line * bytes / AIC_LINE_BYTES / (double)(t->panel.taps * t->panel.kpacks);
}

/* Cycles of a k-pack whose lines take `stream` cycles to arrive. The busiest part of the core decides; the work of the
 * others is not hidden completely. */
static double combine(const core *k, const pace *p, double stream)
{
    const double vectors = fmax(p->products, p->asides);
    const double most = fmax(fmax(vectors, p->loads), fmax(p->instructions, stream));
    return most + k->together * (vectors + p->loads + p->instructions + stream - most);
}

/* Cycles for each k-pack that the core waits for weights which nothing has prefetched, where a k-pack takes `cycles`
 * otherwise. If a line has few instructions, out-of-order execution reaches the loads of the following lines early
 * enough: with four or fewer it never waits, with twelve or more it waits for each line. Or the loads that can be under
 * way are the limit: while one line comes, no more of them begin. */
static double late_cycles(const aic_tiling *t, const core *k, const pace *p, double cycles)
{
    const double alone = 4, all = 12, lines = lines_of(t);
    const double part = (p->instructions * k->issue / lines - alone) / (all - alone);
    const double late = k->late_line * lines * fmin(fmax(part, 0), 1);
    return t->tile.ahead > 0 ? 0 : fmax(late, k->late_load * p->accesses - cycles);
}

/* Cycles of a k-pack, on average over the tiles of a band. The first tile brings the panel into the caches, the others
 * read it `again` from where it has stayed. The weights of a previous call are supposed to be in a cache only if the
 * first-level one holds all of them; those of the previous band, if the second-level one does. */
static double kpack_cycles(const aic_contraction *c, const aic_target *target, const aic_tiling *t, const core *k,
                           int64_t rows, int64_t cols)
{
    const pace p = pace_of(c, target, t, k, (double)(rows * cols));
    const double panel = (double)t->panel.bytes, all = (double)t->panel.packed_bytes;
    const double lines = lines_of(t), image = image_cycles(c, t, k, rows, cols);
    const double room = k->l1 - (double)aic_band_window(c, &t->band, rows, cols);
    const double first = all > k->l2 ? k->far_line : all > k->l1 ? k->near_line : 0;
    const double again = panel <= room ? 0 : panel <= k->l2 ? k->near_line : k->far_line;
    const double tiles = (double)(t->geometry.band_tiles * (aic_split_count(&t->geometry.cols)));
    const double fresh = combine(k, &p, lines * fmax(first, again) + image);
    const double late = all > k->l1 ? late_cycles(t, k, &p, fresh) / (all <= k->l2 ? (double)t->band.count : 1) : 0;
    return (late + fresh + (tiles - 1) * combine(k, &p, lines * again + image)) / tiles;
}

/* Whether a tile reads the image where it lies and stores to the result: mostly it has few products. Its costs were
 * measured (2 to 28 sums): loops have none, and the more sums are stored at the end, the longer the next tile waits. */
static bool is_bare(const aic_tiling *t)
{
    return t->geometry.in_place && t->staging.pitch == 0;
}

/* Whether it was measured what tiles take: loops take nothing, nor do a few stores, nor any to a staging buffer, which
 * go on beside the results that are stored from there. */
static bool is_timed(const aic_contraction *c, const core *k, const aic_tiling *t)
{
    const aic_tile_image image = aic_tile_image_of(c, &t->geometry);
    return k->timed && image != AIC_TILE_SPREAD && image != AIC_TILE_LANES;
}

/* Folding the sums of a block into the totals: two conversions and an addition each. As long as a core has the products
 * of a second block under way, half of that is hidden: measured with 512 bits, up to 8 sums. Totals for which there are
 * no registers are kept in memory; narrower vectors of them are stored in half of the time, beside products. */
static double fold_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t, const core *k,
                        int64_t pixels)
{
    static const double HIDDEN = 0.5, HIDES = 8, NARROW_TOTAL = 0.5;
    if (t->geometry.arithmetic.sum != AIC_SUM_CUBE) {
        return 0;
    }
    const double conversion = (double)t->geometry.machine->conversion;
    const int64_t vectors = t->geometry.vectors, totals = pixels * vectors;
    const int64_t missing = aic_vector_registers(c, target, pixels, vectors) + totals - target->vector_registers;
    const double resting = k->halves ? NARROW_TOTAL : fmax(RESTING_TOTAL - conversion / 2, 0);
    const double hidden = is_timed(c, k, t) && !k->halves && (double)totals <= HIDES ? HIDDEN : 0;
    return (1 + 2 * conversion - hidden) * (double)totals + resting * (double)(missing > 0 ? missing : 0);
}

/* What a tile costs besides its products. */
static double tile_cost(const aic_contraction *c, const aic_tiling *t, const core *k, int64_t pixels)
{
    static const double BARE_LEAST = 2.0, BARE_STORE = 3.0, BARE_BESIDE = 9.0, LEAST = 3.0;
    const aic_machine *m = t->geometry.machine;
    const double sums = (double)(pixels * t->geometry.vectors);
    if (is_bare(t)) {
        return BARE_LEAST + BARE_STORE * fmax((k->halves ? sums / 2 : sums) - BARE_BESIDE, 0);
    }
    if (!is_timed(c, k, t)) {
        return TILE_COST;
    }
    const double stores = sums * t->geometry.lanes * CHAR_BIT * AIC_SUM_BYTES / (double)m->multiply_bits;
    const double late = t->staging.pitch > 0 ? 0 : fmax(stores - (double)m->beside_stores, 0);
    return k->unit * (LEAST + (double)m->late_store / 100 * late);
}

/* What a k-pack of a loop body costs besides the same. */
static double loop_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t, const core *k,
                        int64_t pixels)
{
    /* Where fewer products than those of two latencies can be under way, they come late now and then: cycles, divided
     * by the operations of a product. */
    static const double MISSING = 0.05;
    if (is_bare(t) && !aic_widens_image(&t->geometry)) {
        return 0;
    }
    const double late = MISSING * k->unit / aic_vector_product_cost(target, t->geometry.arithmetic.product);
    return is_timed(c, k, t) ? late * fmax(2 * k->latency - (double)(pixels * t->geometry.vectors), 0)
                             : LOOP_COST / (double)t->geometry.unroll;
}

/* What a tap costs besides the same. */
static double tap_cost(const aic_contraction *c, const aic_tiling *t, const core *k)
{
    return is_timed(c, k, t) && !is_bare(t) ? 0 : TAP_COST;
}

/* Whether a band of so many tile rows stays in the first-level cache beside a panel and the results of that panel. */
static bool stays(const aic_contraction *c, const aic_tiling *t, const core *k, int64_t tiles)
{
    const int64_t height = tiles * t->geometry.rows.large, rows = (height - 1) * t->band.row_step + t->band.row_reach;
    const int64_t result =
        t->staging.has_epilogue ? (int64_t)aic_dtype_size(t->staging.epilogue->target) : AIC_SUM_BYTES;
    return (double)t->panel.bytes + seen_part(c, t) * (double)band_bytes(t, rows) +
               (double)(height * c->across.out * t->geometry.panel_channels * result) <=
           k->l1;
}

/* Storing results, which is much where groups have few products: a line that a narrow panel fills in part comes once
 * for each panel; where it is still in the first-level cache, for half of that. */
static double store_cost(const aic_contraction *c, const aic_tiling *t, const core *k, int64_t pixels)
{
    const double panel = (double)(t->geometry.panel_channels * AIC_SUM_BYTES) / AIC_LINE_BYTES;
    const double all = (double)(c->down.out * c->across.out * c->n * AIC_SUM_BYTES);
    if (c->groups <= 1 || t->staging.pitch > 0) {
        return 0;
    }
    const double lines = panel < 1 && stays(c, t, k, t->geometry.band_tiles) ? (1 + panel) / 2 : ceil(panel);
    return k->unit * (all > k->l2 ? k->far_image : k->near_line) * lines * (double)pixels;
}

double aic_vector_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                       int64_t cols)
{
    const core k = core_of(t, target);
    const double kpack = k.unit * kpack_cycles(c, target, t, &k, rows, cols) + loop_cost(c, target, t, &k, rows * cols);
    const double taps = aic_padding_done(&t->panel.padding, &t->geometry, rows, cols) * (double)t->panel.taps,
                 blocks = t->geometry.arithmetic.sum == AIC_SUM_CUBE ? taps * (double)aic_seen_of(c).c1 : 1;
    return kpack * taps * (double)t->panel.kpacks + fold_cost(c, target, t, &k, rows * cols) * blocks +
           tap_cost(c, t, &k) * taps + tile_cost(c, t, &k, rows * cols) + store_cost(c, t, &k, rows * cols);
}

/* A call packs the bands, unless tiles read the image where it lies; rows that neighbouring bands share are packed
 * twice. */
double aic_vector_call_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    if (t->geometry.in_place) {
        return 0;
    }
    const core k = core_of(t, target);
    const double lines =
        (double)(t->band.count * t->geometry.slices * t->band.rows) * (double)t->band.row_pitch / AIC_LINE_BYTES;
    return k.unit * lines * (PACK_LINE + (stays(c, t, &k, t->geometry.band_tiles) ? 0 : k.written_line));
}

/* The largest number of tile rows whose band stays in the first-level cache. */
int64_t aic_vector_small_band(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    const core k = core_of(t, target);
    int64_t tiles = 0;
    while (tiles < t->geometry.band_tiles && stays(c, t, &k, tiles + 1)) {
        tiles++;
    }
    return tiles;
}
