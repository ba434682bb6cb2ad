/* The micro-kernel of vector instructions: all sums of a tile in registers; a cell of every pixel is broadcast and
 * multiplied by a vector of output channels. tile.c emits it. */
#include "codegen/contraction/microkernel.h"
#include "codegen/family/family.h"
#include "codegen/machine.h"
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
    static const aic_arithmetic FLOATS = {AIC_SUM_FAST, AIC_PRODUCT_FLOAT, 4, 1, 32, 0, 1};
    static const aic_arithmetic DOUBLES = {AIC_SUM_CUBE, AIC_PRODUCT_FLOAT, 8, 1, 64, 0, 1};
    const aic_dot *quads = &aic_family_of(target)->dot4;
    switch (c->sum) {
    case AIC_SUM_INT:
        return quads->emit == NULL ? PAIRS
                                   : (aic_arithmetic){AIC_SUM_INT, AIC_PRODUCT_QUAD, 4, 4, 32, quads->image_offset, 1};
    case AIC_SUM_INT_WIDE:
        return WIDE_PAIRS; /* sums start anew with every group of taps, which start values could not follow */
    case AIC_SUM_FAST:
        /* Products of float32 are not exact in float32: without FMA each would be rounded twice, which the bound of
         * fast has no room for. */
        return c->dtype == AIC_FLOAT32 && (target->has & AIC_HAS_FMA) == 0 ? DOUBLES : FLOATS;
    case AIC_SUM_CUBE:
        break;
    }
    return DOUBLES;
}

/* Vector operations of one multiply-accumulate of a vector. */
static double multiply_cost(const aic_contraction *c, const aic_target *target)
{
    switch (arithmetic_of(c, target).product) {
    case AIC_PRODUCT_PAIR:
        return aic_family_of(target)->dot2.operations;
    case AIC_PRODUCT_QUAD:
        return aic_family_of(target)->dot4.operations;
    case AIC_PRODUCT_FLOAT:
    case AIC_PRODUCT_BFLOAT:
        break;
    }
    return 1.0;
}

/* ---- tiles ---- */

/* A tile beyond this many sums would only spill; code size and compile time stay bounded. */
enum { TILE_SUMS_MAX = 64 };

static aic_status check(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s,
                        const aic_tiling *t)
{
    (void)target;
    const int64_t sums = s->rows * s->cols * s->vectors, block_cells = c->c0 / t->arithmetic.cell_channels;
    if (sums > TILE_SUMS_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "rows*cols*vectors = %lld is outside 1..%d", (long long)sums,
                        TILE_SUMS_MAX);
    }
    if (s->unroll < 1 || s->unroll > block_cells) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "unroll = %lld is outside 1..%lld", (long long)s->unroll,
                        (long long)block_cells);
    }
    if (block_cells % s->unroll != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "unroll = %lld does not divide %lld", (long long)s->unroll,
                        (long long)block_cells);
    }
    return AIC_OK;
}

/* Vector registers that a tile keeps busy in its inner loop: sums, weights, a broadcast; the product on its way to
 * the sum where that is not one instruction; and one more where a broadcast cannot be part of the multiplication. */
static int64_t registers_used(const aic_contraction *c, const aic_target *target, int64_t pixels, int64_t vectors)
{
    int64_t spare = (multiply_cost(c, target) > 1 ? 1 : 0) + ((target->has & AIC_HAS_BROADCAST) != 0 ? 0 : 1);
    return pixels * vectors + vectors + 1 + spare;
}

static int64_t pixels_of(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    int64_t pixels = 0;
    while (registers_used(c, target, pixels + 1, vectors) <= target->vector_registers) {
        pixels++;
    }
    return pixels;
}

/* The longest straight-line body: unrolling further measured no faster and compiles slower. */
enum { BODY_OPERATIONS = 32 };

static int64_t unroll_of(const aic_contraction *c, const aic_target *target, int64_t sums)
{
    int64_t channels = arithmetic_of(c, target).cell_channels, unroll = c->c0 / channels;
    while (unroll > 1 && ((double)(unroll * sums) * multiply_cost(c, target) > BODY_OPERATIONS ||
                          unroll / 2 * channels >= c->channels)) {
        unroll /= 2;
    }
    return unroll;
}

/* ---- cost ---- */

/* Costs are in vector operations, of which a core does about two a cycle, like loads from its first-level cache. */
static const double LEVEL2_LOAD = 5.0, LEVEL3_LOAD = 16.0; /* a vector of weights from that level */
static const double LATENCY = 8.0;                         /* operations in flight that hide an FMA's latency */
static const double LOAD_COST = 0.02, LOOP_COST = 1.0, TAP_COST = 6.0, TILE_COST = 40.0;
/* A broadcast double that several multiplications share, where one that is not shared comes with its multiplication. */
static const double SHARED_DOUBLE = 0.4;
/* A load where a broadcast takes an instruction of its own instead of coming with its multiplication. */
static const double SEPARATE_BROADCAST = 1.8;

/* Folding the sums of a block into the totals. Totals, half as wide as sums, rest in memory when registers are short.
 */
static double fold_cost(const aic_contraction *c, const aic_target *target, int64_t pixels, int64_t vectors)
{
    if (arithmetic_of(c, target).sum != AIC_SUM_CUBE) {
        return 0;
    }
    int64_t totals = pixels * vectors;
    int64_t missing = registers_used(c, target, pixels, vectors) + totals - target->vector_registers;
    return (double)totals + 2.0 * (double)(missing > 0 ? missing : 0);
}

static double cost_of(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                      int64_t cols)
{
    const aic_machine *machine = aic_machine_facts();
    const int64_t pixels = rows * cols;
    double products = (double)pixels * t->vectors, vectors = t->vectors;
    double compute = fmax(products, LATENCY) * multiply_cost(c, target);
    double loads = (double)pixels + vectors, stream = 0;
    if ((target->has & AIC_HAS_BROADCAST) == 0) {
        loads *= SEPARATE_BROADCAST;
    } else if (t->arithmetic.sum == AIC_SUM_CUBE && t->vectors > 1) {
        compute += SHARED_DOUBLE * (double)pixels;
    }
    /* A panel shares the caches with a tile's image and results. */
    if (t->panel_bytes > machine->l1_bytes * 3 / 4) {
        stream = vectors * (t->panel_bytes > machine->l2_bytes * 5 / 8 ? LEVEL3_LOAD : LEVEL2_LOAD);
    }
    double cell = fmax(compute, fmax(loads, stream)) + LOAD_COST * loads + LOOP_COST / (double)t->unroll;
    double blocks = (double)(t->arithmetic.sum == AIC_SUM_CUBE ? t->taps * c->c1 : 1);
    return cell * (double)(t->taps * t->cells) + fold_cost(c, target, pixels, t->vectors) * blocks +
           TAP_COST * (double)t->taps + TILE_COST;
}

static double bound_of(const aic_contraction *c, const aic_target *target)
{
    const aic_arithmetic a = arithmetic_of(c, target);
    double cells = (double)(c->kh * c->kw * c->channels) / a.cell_channels;
    double lanes = (double)target->vector_bits / a.sum_bits;
    return cells * (double)(c->oh * c->ow) * (double)c->n / lanes * multiply_cost(c, target);
}

const aic_microkernel aic_microkernel_vector = {
    .name = "vector",
    .refuse = refuse,
    .arithmetic = arithmetic_of,
    .step_cells = 1,
    .check = check,
    .pixels = pixels_of,
    .unroll = unroll_of,
    .cost = cost_of,
    .rate = 1,
    .body_cost = 0.08,
    .sum_cost = 0.001,
    .bound = bound_of,
    .emit = aic_emit_vector_tile,
};
