/* The micro-kernel of vector instructions. All sums of a tile are in registers; a k-pack of each pixel is broadcast and
 * multiplied by vectors of output channels. tile.c emits it. */
#include "codegen/contraction/microkernel.h"
#include "codegen/family/family.h"
#include "codegen/machine.h"
#include "frontend/core/diag.h"

#include <limits.h>
#include <math.h>

static const char *refuse(const aic_contraction *c, const aic_target *target)
{
    (void)c;
    (void)target;
    return NULL;
}

static aic_arithmetic arithmetic_of(const aic_contraction *c, const aic_target *target)
{
    static const aic_arithmetic PAIRS = {AIC_SUM_INT, AIC_PRODUCT_PAIR, 4, 2, 32, 0, 1};
    static const aic_arithmetic WIDE_PAIRS = {AIC_SUM_INT_WIDE, AIC_PRODUCT_PAIR, 4, 2, 32, 0, 1};
    static const aic_arithmetic WORDS = {AIC_SUM_INT, AIC_PRODUCT_WORD, 4, 1, 32, 0, 1};
    static const aic_arithmetic FLOATS = {AIC_SUM_FAST, AIC_PRODUCT_FLOAT, 4, 1, 32, 0, 1};
    static const aic_arithmetic DOUBLES = {AIC_SUM_CUBE, AIC_PRODUCT_FLOAT, 8, 1, 64, 0, 1};
    enum { QUAD = 4 }; /* channels of a product; a group may have fewer */
    const aic_dot *quads = &aic_family_of(target)->dot4;
    switch (c->sum) {
    case AIC_SUM_INT:
        if (c->groups > 1 && aic_seen_of(c).channels == 1) {
            return WORDS;
        }
        return quads->emit == NULL || aic_seen_of(c).c0 % QUAD != 0
                   ? PAIRS
                   : (aic_arithmetic){AIC_SUM_INT, AIC_PRODUCT_QUAD, 4, QUAD, 32, quads->image_offset, 1};
    case AIC_SUM_INT_WIDE:
        return WIDE_PAIRS; /* one channel has too few products; no offset: its start values are for whole sums, and
                              these start anew in each tap block */
    case AIC_SUM_FAST:
        /* Without FMA each product of float32 would be rounded and then its addition: twice, more than the error bound
         * of accumulate=fast allows. */
        return c->dtype == AIC_FLOAT32 && (target->has & AIC_HAS_FMA) == 0 ? DOUBLES : FLOATS;
    case AIC_SUM_CUBE:
        break;
    }
    return DOUBLES;
}

/* Vector operations of one multiply-accumulate step of a vector. */
static double product_cost(const aic_target *target, aic_product product)
{
    switch (product) {
    case AIC_PRODUCT_PAIR:
    case AIC_PRODUCT_ROWS:
    case AIC_PRODUCT_WORD:
        return aic_family_of(target)->dot2.operations;
    case AIC_PRODUCT_QUAD:
        return aic_family_of(target)->dot4.operations;
    case AIC_PRODUCT_FLOAT:
    case AIC_PRODUCT_BFLOAT:
        break;
    }
    return 1.0;
}

static double multiply_cost(const aic_contraction *c, const aic_target *target)
{
    return product_cost(target, arithmetic_of(c, target).product);
}

/* ---- tiles ---- */

/* A tile of more sums would spill registers. The limit also bounds code size and compile time. */
enum { TILE_SUMS_MAX = 64 };

static aic_status check(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s)
{
    const int64_t sums = s->rows * s->cols * s->vectors,
                  block_kpacks = aic_seen_of(c).c0 / arithmetic_of(c, target).kpack_channels;
    if (sums > TILE_SUMS_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "rows*cols*vectors = %lld is outside 1..%d", (long long)sums,
                        TILE_SUMS_MAX);
    }
    if (s->unroll < 1 || s->unroll > block_kpacks) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "unroll = %lld is outside 1..%lld", (long long)s->unroll,
                        (long long)block_kpacks);
    }
    if (block_kpacks % s->unroll != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "unroll = %lld does not divide %lld", (long long)s->unroll,
                        (long long)block_kpacks);
    }
    return AIC_OK;
}

enum { FULL_BITS = 512 };

/* Shorter vectors where all lanes of one then lie in a group, so that its k-packs are broadcast: spreading them over
 * lanes of 512 bits takes one of few shuffle units, which leaves half to two thirds of the multiply-adds, and halves
 * lose no more than that. Of 256 bits it is the better way, but a k-pack for each lane never is. */
static unsigned lanes_of_groups(const aic_contraction *c, const aic_target *target, unsigned all)
{
    enum { LEAST = 4 };
    const int64_t outputs = c->n / c->groups;
    unsigned lanes = all;
    while (lanes > LEAST && outputs % lanes != 0) {
        lanes /= 2;
    }
    const bool halves = lanes < all && outputs >= lanes && outputs % lanes == 0;
    const bool spread = aic_groups_spread(c, all, aic_seen_of(c).c0 / arithmetic_of(c, target).kpack_channels);
    return halves && (!spread || (target->vector_bits == FULL_BITS && lanes == all / 2)) ? lanes : all;
}

/* Of 512 bits half a vector if that has room for all outputs: where multipliers have 256 bits they take two halves in
 * the time of one. */
static unsigned lanes_of(const aic_contraction *c, const aic_target *target)
{
    const unsigned all = (unsigned)target->vector_bits / arithmetic_of(c, target).sum_bits;
    if (c->groups > 1) {
        return lanes_of_groups(c, target, all);
    }
    return target->vector_bits == FULL_BITS && aic_outputs_of(c) <= all / 2 ? all / 2 : all;
}

/* K-packs of each group that tiles load together and spread over the lanes; 0: they do not. */
static int64_t spread_kpacks(const aic_contraction *c, const aic_target *target)
{
    const int64_t kpacks = aic_seen_of(c).c0 / arithmetic_of(c, target).kpack_channels;
    return aic_groups_spread(c, lanes_of(c, target), kpacks) ? kpacks : 0;
}

/* Vector registers where k-packs are spread: one for each of a group says which lanes take it. */
static int64_t spread_registers(const aic_contraction *c, const aic_target *target)
{
    const int64_t kpacks = spread_kpacks(c, target);
    return kpacks > 1 || c->n > c->groups ? kpacks : 0;
}

/* Further vector registers where each vector of the image is loaded for one multiply-add of floats. That may put its
 * sum in place of any operand, and LLVM finds its way without places on the stack only if it has more of them: an
 * eighth of all measured best for AVX2 and AVX-512. */
static int64_t loose_registers(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    const bool operand = (target->has & AIC_HAS_BROADCAST) != 0 && spread_registers(c, target) == 0;
    const bool once = vectors == 1 || spread_registers(c, target) > 0;
    const bool fuses = arithmetic_of(c, target).product == AIC_PRODUCT_FLOAT && (target->has & AIC_HAS_FMA) != 0;
    return fuses && once && !operand ? target->vector_registers / 8 : 0;
}

static aic_wish propose(const aic_contraction *c, const aic_target *target, const aic_plan_geometry *g)
{
    /* The three loop bodies of edges need registers in which sums may change places, or none do. Without FMA products
     * are in registers of their own, and sums went to the stack (SSE2: 0.85 to 1.19 of the time); so they did on AVX2
     * where each vector of the image is multiplied once (1.24). */
    const aic_tile_image image = aic_tile_image_of(c, g);
    const bool shares = image == AIC_TILE_SAME || image == AIC_TILE_GROUP;
    const bool edges = shares && (target->has & AIC_HAS_FMA) != 0 && loose_registers(c, target, g->vectors) == 0;
    return (aic_wish){.step_kpacks = g->unroll,
                      .merged = 1,
                      .fold = 1,
                      .thins = true,
                      .skips = true,
                      .edges = edges,
                      .counts = true,
                      .starts_in_a_row = true,
                      .special_first = AIC_INFINITE_HALF,
                      .special_end = AIC_MAGNITUDE_16 + 1};
}

/* Vector registers of a tile's inner loop: for the sums, the weights and a broadcast; one for the product if multiply
 * and add are separate instructions; and one more if a broadcast cannot be a memory operand of the multiplication. */
static int64_t registers_used(const aic_contraction *c, const aic_target *target, int64_t pixels, int64_t vectors)
{
    const int64_t spare = (multiply_cost(c, target) > 1 ? 1 : 0) + ((target->has & AIC_HAS_BROADCAST) != 0 ? 0 : 1);
    return pixels * vectors + vectors + 1 + spare + spread_registers(c, target) + loose_registers(c, target, vectors);
}

/* Spreading may take all registers that a core has: one pixel then leaves some on the stack. */
static int64_t pixels_of(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    int64_t pixels = vectors == 1 && spread_registers(c, target) > 0 ? 1 : 0;
    while (registers_used(c, target, pixels + 1, vectors) <= target->vector_registers) {
        pixels++;
    }
    return pixels;
}

/* Vector operations of the longest loop body. Longer ones measured no faster and take longer to compile. */
enum { BODY_OPERATIONS = 32 };

/* Blocks of channels of pictures, which have three and one that is not used. */
enum { FEW_CHANNELS = 4 };

static int64_t unroll_of(const aic_contraction *c, const aic_target *target, int64_t sums)
{
    int64_t channels = arithmetic_of(c, target).kpack_channels, unroll = aic_seen_of(c).c0 / channels;
    if (spread_kpacks(c, target) > 0) {
        return unroll;
    }
    if (c->groups <= 1 && c->c0 == FEW_CHANNELS && c->sum == AIC_SUM_FAST) {
        return 1; /* mostly one of them has no weights and is left out: 1.25 of the speed, where none is 0.99 to 1.00 */
    }
    while (unroll > 1 && ((double)(unroll * sums) * multiply_cost(c, target) > BODY_OPERATIONS ||
                          unroll / 2 * channels >= aic_seen_of(c).channels)) {
        unroll /= 2;
    }
    return unroll;
}

/* ---- cost ---- */

/* The unit of cost is one multiply-add of a vector of the target. The facts about the core are in cycles, and are
 * multiplied by the number of multiply-adds that the core begins in a cycle. */
static const double LOOP_COST = 1.0, TAP_COST = 6.0, TILE_COST = 40.0;
/* A broadcast of a double to a register, for several multiplications. Otherwise the broadcast is a memory operand of
 * the only multiplication, and free. */
static const double SHARED_DOUBLE = 0.4;
/* A load on targets where a broadcast is an instruction of its own, in loads with an embedded broadcast. */
static const double SEPARATE_BROADCAST = 1.8;
/* The store and load of a total for which there is no register; the conversion then is partly done by the load. */
static const double RESTING_TOTAL = 2.0;
/* The share of a tile's band lines that neither the previous tile left in the cache nor a prefetcher has fetched. */
static const double FRESH_PART = 0.5;

/* Cycles to pack a line into the first-level cache, without its write-back to the next level. Timed. */
static const double PACK_LINE = 3;

/* The prefetch distance. A line from the third-level cache or memory takes several hundred cycles, a thousand under
 * load; computing with a vector of weights, a line or half of one, takes ten to twenty. */
enum { AHEAD_BYTES = 8192 };

/* A core (machine.h), for vectors as wide as the geometry's. */
typedef struct core {
    double unit;                     /* multiply-adds of a vector of the target's width that begin in a cycle */
    double multiplies, loads, issue; /* vector multiply-adds, vector loads, and instructions that begin in a cycle */
    double asides;                   /* other operations of vectors, beside multiply-adds */
    double scalar_loads;             /* loads of less than a vector, which a broadcast and a prefetch are */
    double latency;                  /* multiply-adds that begin before the result of the first one is there */
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
    /* Where units beside the multipliers do what a product needs besides a multiplication, or the arithmetic of
     * results, both are counted as longer than they take. Lines are then counted as longer by the same factor. */
    static const double COUNTED_LINE = 2;
    const bool counted = product_cost(target, g->arithmetic.product) > 1 || t->staging.has_epilogue;
    const double line = m->aside_bits > 0 && counted ? COUNTED_LINE : 1;
    return (core){.unit = fmin((double)m->multiplies, (double)m->multiply_bits / target->vector_bits),
                  .multiplies = multiplies,
                  .asides = (double)m->aside_bits / bits,
                  .loads = fmin((double)m->loads, (double)m->load_bits / bits),
                  .issue = (double)m->issue,
                  .scalar_loads = (double)m->loads,
                  .latency = (double)m->latency * multiplies,
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

/* Vectors of the image that a k-pack of a tile loads, or broadcasts, and the instructions that this takes. */
static double image_loads(const aic_contraction *c, const aic_tiling *t, double pixels, bool alone,
                          double *instructions)
{
    const double all = pixels * t->geometry.vectors, lanes = t->geometry.lanes;
    const aic_tile_image image = aic_tile_image_of(c, &t->geometry);
    const bool own = image == AIC_TILE_SPREAD && c->n == c->groups && t->band.seen_kpacks == 1;
    switch (image) {
    case AIC_TILE_SAME:
    case AIC_TILE_GROUP:
        *instructions = alone ? 0 : pixels;
        return pixels;
    case AIC_TILE_VECTORS:
        *instructions = all;
        return all;
    case AIC_TILE_SPREAD:
        *instructions = own ? 0 : all; /* a memory operand of the multiplication, or loaded and shuffled */
        return all;
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
 * other units than the multipliers convert; why tiles of two vectors lose twice as many is not known. */
static double widened_image(const aic_tiling *t, const core *k, double pixels)
{
    static const double START = 4, ASIDE = 0.5, BY_MULTIPLIERS = 2, TWO_VECTORS = 2;
    const double pixel = k->asides > 0 ? ASIDE : BY_MULTIPLIERS;
    const double lost = (START + pixels * pixel) * (t->geometry.vectors == 2 ? TWO_VECTORS : 1);
    return aic_widens_image(&t->geometry) ? lost / AIC_BLOCK_COLUMNS : 0;
}

static pace pace_of(const aic_contraction *c, const aic_target *target, const aic_tiling *t, const core *k,
                    double pixels)
{
    const double vectors = t->geometry.vectors, sums = pixels * vectors;
    const bool embeds = (target->has & AIC_HAS_BROADCAST) != 0;
    const bool alone = embeds && t->geometry.vectors == 1 && t->geometry.arithmetic.product == AIC_PRODUCT_FLOAT;
    const bool shares_doubles = embeds && t->geometry.vectors > 1 && t->geometry.arithmetic.sum == AIC_SUM_CUBE;
    const double operations = product_cost(target, t->geometry.arithmetic.product);
    const double waits = has_offsets(t) && t->geometry.vectors == 1 ? WAITING * fmax(4 * k->latency - sums, 0) : 0;
    double products = fmax(sums, k->latency) * operations + (shares_doubles ? SHARED_DOUBLE * pixels : 0) + waits;
    const double widened = vectors * widening(c, target, t);
    products += widened;
    double others;
    const double image = image_loads(c, t, pixels, alone, &others);
    const double loads = (image / (broadcasts(c, t) ? k->scalar_loads : k->loads) + vectors / k->loads) *
                         (embeds ? 1 : SEPARATE_BROADCAST);
    double instructions = sums * operations + vectors + others + widened;
    const double fetches = t->tile.ahead == 0 ? 0 : fmax(lines_of(t), 1 / (double)t->geometry.unroll);
    instructions += fetches;
    const double busy = loads + fetches / k->scalar_loads;
    const double offsets = has_offsets(t) ? pixels : 0;
    products +=
        offsets > 0 && registers_used(c, target, (int64_t)pixels, t->geometry.vectors) >= target->vector_registers
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

/* Folding the sums of a block into the totals: two conversions and an addition each. Totals for which there are no
 * registers are kept in memory. */
static double fold_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t pixels)
{
    if (t->geometry.arithmetic.sum != AIC_SUM_CUBE) {
        return 0;
    }
    const double conversion = (double)t->geometry.machine->conversion;
    const int64_t vectors = t->geometry.vectors, totals = pixels * vectors;
    const int64_t missing = registers_used(c, target, pixels, vectors) + totals - target->vector_registers;
    const double resting = fmax(RESTING_TOTAL - conversion / 2, 0);
    return (1 + 2 * conversion) * (double)totals + resting * (double)(missing > 0 ? missing : 0);
}

/* Whether a tile reads the image where it lies and stores to the result: mostly it has few products. Its costs were
 * measured (2 to 28 sums): loops have none, and the more sums are stored at the end, the longer the next tile waits. */
static bool is_bare(const aic_tiling *t)
{
    return t->geometry.in_place && t->staging.pitch == 0;
}

/* Whether it was measured what tiles take that store their sums to the result, on levels whose vectors are as wide as
 * the multipliers: loops take nothing, nor do a few stores. */
static bool is_timed(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    const aic_machine *m = t->geometry.machine;
    const aic_tile_image image = aic_tile_image_of(c, &t->geometry);
    return m->late_store > 0 && m->multiply_bits == target->vector_bits && t->staging.pitch == 0 &&
           t->geometry.arithmetic.sum_bits == CHAR_BIT * AIC_SUM_BYTES && image != AIC_TILE_SPREAD &&
           image != AIC_TILE_LANES;
}

/* What a tile costs besides its products. */
static double tile_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t, const core *k,
                        int64_t pixels)
{
    static const double BARE_LEAST = 2.0, BARE_STORE = 3.0, BARE_BESIDE = 9.0, LEAST = 3.0;
    const aic_machine *m = t->geometry.machine;
    const double sums = (double)(pixels * t->geometry.vectors);
    if (is_bare(t)) {
        return BARE_LEAST + BARE_STORE * fmax(sums - BARE_BESIDE, 0);
    }
    const double stores = sums * t->geometry.lanes * t->geometry.arithmetic.sum_bits / (double)m->multiply_bits;
    return is_timed(c, target, t)
               ? k->unit * (LEAST + (double)m->late_store / 100 * fmax(stores - (double)m->beside_stores, 0))
               : TILE_COST;
}

/* What a k-pack of a loop body costs besides the same. */
static double loop_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t, const core *k,
                        int64_t pixels)
{
    /* Where fewer multiply-adds than those of two latencies can be under way, they come late now and then. */
    static const double MISSING = 0.05;
    if (is_bare(t) && !aic_widens_image(&t->geometry)) {
        return 0;
    }
    return is_timed(c, target, t) ? MISSING * fmax(2 * k->latency - (double)(pixels * t->geometry.vectors), 0)
                                  : LOOP_COST / (double)t->geometry.unroll;
}

/* What a tap costs besides the same. */
static double tap_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    return is_timed(c, target, t) && !is_bare(t) ? 0 : TAP_COST;
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

static double cost_of(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                      int64_t cols)
{
    const core k = core_of(t, target);
    const double kpack = k.unit * kpack_cycles(c, target, t, &k, rows, cols) + loop_cost(c, target, t, &k, rows * cols);
    const double taps = aic_padding_done(&t->panel.padding, &t->geometry, rows, cols) * (double)t->panel.taps,
                 blocks = t->geometry.arithmetic.sum == AIC_SUM_CUBE ? taps * (double)aic_seen_of(c).c1 : 1;
    return kpack * taps * (double)t->panel.kpacks + fold_cost(c, target, t, rows * cols) * blocks +
           tap_cost(c, target, t) * taps + tile_cost(c, target, t, &k, rows * cols) + store_cost(c, t, &k, rows * cols);
}

/* A call packs the bands, unless tiles read the image where it lies; rows that neighbouring bands share are packed
 * twice. */
static double call_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
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
static int64_t small_band(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    const core k = core_of(t, target);
    int64_t tiles = 0;
    while (tiles < t->geometry.band_tiles && stays(c, t, &k, tiles + 1)) {
        tiles++;
    }
    return tiles;
}

static double bound_of(const aic_contraction *c, const aic_target *target)
{
    const aic_arithmetic a = arithmetic_of(c, target);
    double kpacks = aic_padding_share(c, a.sum) * (double)(c->down.taps * c->across.taps * aic_seen_of(c).channels) /
                    a.kpack_channels;
    const double lanes = (double)target->vector_bits / a.sum_bits;
    const double outputs = (double)aic_round_up(aic_outputs_of(c), lanes_of(c, target));
    return kpacks * (double)(c->down.out * c->across.out) * outputs / lanes * multiply_cost(c, target);
}

const aic_microkernel aic_microkernel_vector = {
    .name = "vector",
    .refuse = refuse,
    .arithmetic = arithmetic_of,
    .lanes = lanes_of,
    .propose = propose,
    .step_kpacks = 1,
    .check = check,
    .pixels = pixels_of,
    .unroll = unroll_of,
    .cost = cost_of,
    .call_cost = call_cost,
    .small_band = small_band,
    .table_from = 2,
    .rate = 1,
    .body_cost = 0.04,
    .sum_cost = 0.001,
    .ahead_cost = 0.02,
    .ahead = AHEAD_BYTES,
    .widens = true,
    .in_place = true,
    .bound = bound_of,
    .compose = aic_compose_vector_tile,
};
