/* The micro-kernel of vector instructions. All sums of a tile are in registers; a k-pack of each pixel is broadcast and
 * multiplied by vectors of output channels. tile.c emits it, vector_cost.c predicts what it costs. */
#include "codegen/contraction/vector.h"
#include "codegen/family/family.h"
#include "frontend/core/diag.h"

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

double aic_vector_product_cost(const aic_target *target, aic_product product)
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
    return aic_vector_product_cost(target, arithmetic_of(c, target).product);
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
 * lose no more than that. Of 256 bits it is the better way. Where k-packs are merged, halves, too: they meet fewer
 * groups, and two broadcasts to one take no longer than one to 512 bits. */
static unsigned lanes_of_groups(const aic_contraction *c, const aic_target *target, unsigned all)
{
    enum { LEAST = 4 };
    const int64_t outputs = c->n / c->groups;
    const bool full = target->vector_bits == FULL_BITS;
    unsigned lanes = all;
    while (lanes > LEAST && outputs % lanes != 0) {
        lanes /= 2;
    }
    const bool fits = outputs >= lanes && outputs % lanes == 0;
    const bool spread = aic_groups_spread(c, all, aic_seen_of(c).c0 / arithmetic_of(c, target).kpack_channels);
    if (spread) {
        return fits && full && lanes == all / 2 ? lanes : all;
    }
    return fits ? lanes : full ? all / 2 : all;
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

/* Whether a multiply-add, one of floats, may put its sum in place of any operand. Where each vector of the image is
 * loaded for one of them and none is a memory operand, LLVM then finds its way without places on the stack only with
 * further registers (loose_registers()) and bodies of one k-pack (has_loose_bodies()). */
static bool moves_sums(const aic_contraction *c, const aic_target *target)
{
    return arithmetic_of(c, target).product == AIC_PRODUCT_FLOAT && (target->has & AIC_HAS_FMA) != 0;
}

/* Further vector registers where sums move: an eighth of all measured best for AVX2 and AVX-512. */
static int64_t loose_registers(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    const bool operand = (target->has & AIC_HAS_BROADCAST) != 0 && spread_registers(c, target) == 0;
    const bool once = vectors == 1 || spread_registers(c, target) > 0;
    return moves_sums(c, target) && once && !operand ? target->vector_registers / 8 : 0;
}

static aic_wish propose(const aic_contraction *c, const aic_target *target, const aic_plan_geometry *g)
{
    /* The three loop bodies of edges need registers in which sums may change places, or none do. Without FMA products
     * are in registers of their own, and sums went to the stack (SSE2: 0.85 to 1.19 of the time); so they did on AVX2
     * where each vector of the image is multiplied once (1.24). */
    static const double EDGES = 0.02;  /* they have three times the code and more loops */
    static const double SHARED = 0.07; /* what tiles without gain by doing the taps of a kernel row together */
    const aic_tile_image image = aic_tile_image_of(c, g);
    const bool shares = image == AIC_TILE_SAME || image == AIC_TILE_GROUP;
    const bool edges = shares && (target->has & AIC_HAS_FMA) != 0 && loose_registers(c, target, g->vectors) == 0;
    return (aic_wish){.step_kpacks = g->unroll,
                      .merged = 1,
                      .fold = 1,
                      .thins = true,
                      .skips = true,
                      .edges = edges ? (aic_rows_share(c, target, g) ? SHARED : EDGES) : 0,
                      .counts = true,
                      .starts_in_a_row = true,
                      .special_first = AIC_INFINITE_HALF,
                      .special_end = AIC_MAGNITUDE_16 + 1};
}

/* Vector registers that say which lanes are of which group, where there are no others for that. */
static int64_t merging_registers(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    const bool merges = (target->has & AIC_HAS_MASKS) == 0 && spread_kpacks(c, target) == 0;
    return merges ? vectors * aic_groups_merged(c, lanes_of(c, target), vectors) : 0;
}

int64_t aic_vector_registers(const aic_contraction *c, const aic_target *target, int64_t pixels, int64_t vectors)
{
    const int64_t spare = (multiply_cost(c, target) > 1 ? 1 : 0) + ((target->has & AIC_HAS_BROADCAST) != 0 ? 0 : 1);
    return pixels * vectors + vectors + 1 + spare + spread_registers(c, target) + loose_registers(c, target, vectors) +
           merging_registers(c, target, vectors);
}

/* Spreading may take all registers that a core has: one pixel then leaves some on the stack. */
static int64_t pixels_of(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    int64_t pixels = vectors == 1 && spread_registers(c, target) > 0 ? 1 : 0;
    while (aic_vector_registers(c, target, pixels + 1, vectors) <= target->vector_registers) {
        pixels++;
    }
    return pixels;
}

/* Vector operations of the longest loop body. Longer ones measured no faster and take longer to compile. */
enum { BODY_OPERATIONS = 32 };

/* Blocks of channels of pictures, which have three and one that is not used. */
enum { FEW_CHANNELS = 4 };

/* Whether a loop body has one k-pack, as those without weights are left out by bodies: of a picture mostly one of four,
 * which gives 1.25 of the speed, where none is 0.99 to 1.00; of int8 all that a last block of 32 channels lacks: 8
 * channels of C0 = 32 have 1.8 to 1.9 of the speed of bodies of four, 24 and 40 have 1.2, blocks that are full 1.00
 * on the mean (0.97 to 1.06). */
static bool leaves_out_single(const aic_contraction *c, aic_product product)
{
    return c->groups <= 1 && c->weight == AIC_WEIGHT_BLOCKS &&
           (product == AIC_PRODUCT_QUAD || (c->c0 == FEW_CHANNELS && c->sum == AIC_SUM_FAST));
}

/* Whether bodies of several k-packs put sums that move on the stack: those of one have 1.3 to 1.6 of their speed,
 * measured on AVX2. */
static bool has_loose_bodies(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    enum { FEW_REGISTERS = 16 };
    const int64_t panel = vectors * lanes_of(c, target);
    const bool once = vectors == 1 || (c->groups > 1 && c->n / c->groups % panel != 0);
    return moves_sums(c, target) && once && target->vector_registers <= FEW_REGISTERS;
}

static int64_t unroll_of(const aic_contraction *c, const aic_target *target, int64_t pixels, int64_t vectors)
{
    const aic_arithmetic a = arithmetic_of(c, target);
    const int64_t sums = pixels * vectors;
    int64_t channels = a.kpack_channels, unroll = aic_seen_of(c).c0 / channels;
    if (spread_kpacks(c, target) > 0) {
        return unroll;
    }
    if (leaves_out_single(c, a.product) || has_loose_bodies(c, target, vectors)) {
        return 1;
    }
    while (unroll > 1 && ((double)(unroll * sums) * multiply_cost(c, target) > BODY_OPERATIONS ||
                          unroll / 2 * channels >= aic_seen_of(c).channels)) {
        unroll /= 2;
    }
    return unroll;
}

/* The prefetch distance. A line from the third-level cache or memory takes several hundred cycles, a thousand under
 * load; computing with a vector of weights, a line or half of one, takes ten to twenty. */
enum { AHEAD_BYTES = 8192 };

static double bound_of(const aic_contraction *c, const aic_target *target)
{
    const aic_arithmetic a = arithmetic_of(c, target);
    double kpacks = aic_padding_share(c, a.sum) * (double)(c->down.taps * c->across.taps * aic_seen_of(c).channels) /
                    a.kpack_channels;
    const double lanes = (double)target->vector_bits / a.sum_bits;
    const double outputs = (double)aic_round_up(aic_outputs_of(c), lanes_of(c, target));
    /* other units do at most half of several operations */
    const double product = fmax(multiply_cost(c, target) / 2, 1);
    return kpacks * (double)(c->down.out * c->across.out) * outputs / lanes * product;
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
    .cost = aic_vector_cost,
    .call_cost = aic_vector_call_cost,
    .small_band = aic_vector_small_band,
    .table_from = 2,
    .rate = 1,
    .body_cost = 0.02,
    .sum_cost = 0.001,
    .ahead_cost = 0.02,
    .ahead = AHEAD_BYTES,
    .widens = true,
    .in_place = true,
    .bound = bound_of,
    .compose = aic_compose_vector_tile,
};
