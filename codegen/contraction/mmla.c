/* The micro-kernel of instructions that multiply small int8 matrices: two pixels times two output channels, eight
 * channels in one instruction. The operands of an instruction are:
 *
 *     image    eight channels of one pixel in each half of a register; the halves are loaded separately
 *     weight   eight channels of two output channels      (the layout of a panel)
 *     sums     two output channels for each pixel: x0*w0, x0*w1, x1*w0, x1*w1
 *
 * All sums of a tile are in registers, two for each pair of pixels and vector of four output channels. If the number of
 * pixels is odd, the last one is paired with itself. */
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "codegen/own.h"
#include "codegen/parts/sums.h"
#include "frontend/core/diag.h"

#include <math.h>

enum { KPACK_CHANNELS = 8, KPACK_BYTES = 8, PAIR = 2, LANES = 4 };

static const char *refuse(const aic_contraction *c, const aic_target *target)
{
    if ((target->has & AIC_HAS_MATRIX_INT8) == 0) {
        return "needs products of matrices in vector registers, which this instruction set level lacks";
    }
    if (c->dtype != AIC_INT8) {
        return "multiplies int8 only";
    }
    if (c->groups > 1) {
        return "takes one group of channels";
    }
    if (c->c0 % KPACK_CHANNELS != 0) {
        return "takes eight channels of a block at a time";
    }
    return c->sum == AIC_SUM_INT ? NULL : "adds up in int32, which this many products may leave";
}

static aic_arithmetic arithmetic_of(const aic_contraction *c, const aic_target *target)
{
    (void)c;
    (void)target;
    return (aic_arithmetic){AIC_SUM_INT, AIC_PRODUCT_QUAD, KPACK_BYTES, KPACK_CHANNELS, 32, 0, 1};
}

/* ---- tiles ---- */

static int64_t pairs_of(int64_t pixels)
{
    return aic_parts(pixels, PAIR);
}

/* Vector registers of a tile: for sums, the weights of a k-pack, and two pairs of pixels, one being loaded. */
static int64_t registers_used(int64_t pixels, int64_t vectors)
{
    return pairs_of(pixels) * PAIR * vectors + PAIR * vectors + 2;
}

static aic_wish propose(const aic_contraction *c, const aic_target *target, const aic_plan_geometry *g)
{
    (void)c, (void)target;
    return (aic_wish){.step_kpacks = g->unroll, .merged = 1, .fold = 1};
}

static aic_status check(const aic_contraction *c, const aic_target *target, const aic_contraction_schedule *s)
{
    const int64_t used = registers_used(s->rows * s->cols, s->vectors), kpacks = c->c0 / KPACK_CHANNELS;
    if (used > target->vector_registers) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule",
                        "rows, cols, vectors = %lld, %lld, %lld need %lld registers of the %d that there are",
                        (long long)s->rows, (long long)s->cols, (long long)s->vectors, (long long)used,
                        target->vector_registers);
    }
    if (s->unroll < 1 || s->unroll > kpacks || kpacks % s->unroll != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "unroll = %lld does not divide %lld", (long long)s->unroll,
                        (long long)kpacks);
    }
    return AIC_OK;
}

static int64_t pixels_of(const aic_contraction *c, const aic_target *target, int64_t vectors)
{
    (void)c;
    int64_t pixels = 0;
    while (registers_used(pixels + PAIR, vectors) <= target->vector_registers) {
        pixels += PAIR;
    }
    return pixels;
}

/* The longest straight-line body, as that of vector.c. */
enum { BODY_OPERATIONS = 32 };

static int64_t unroll_of(const aic_contraction *c, const aic_target *target, int64_t pixels, int64_t vectors)
{
    (void)target;
    int64_t unroll = c->c0 / KPACK_CHANNELS;
    while (unroll > 1 && (unroll * pixels * vectors > BODY_OPERATIONS || unroll / 2 * KPACK_CHANNELS >= c->channels)) {
        unroll /= 2;
    }
    return unroll;
}

/* ---- cost: in vector operations, as that of vector_cost.c ---- */

static const double LATENCY = 8.0, LEVEL2_LOAD = 1.5, LEVEL3_LOAD = 4.0; /* of 16 bytes */
/* A pixel's half of a register takes a load and an insertion. */
static const double HALF_LOAD = 1.0, LOAD_COST = 0.02, LOOP_COST = 1.0, TAP_COST = 6.0, TILE_COST = 40.0;

static double cost_of(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                      int64_t cols)
{
    (void)c;
    (void)target;
    const aic_machine *machine = t->geometry.machine;
    const double pixels = (double)(pairs_of(rows * cols) * PAIR), weights = PAIR * (double)t->geometry.vectors;
    const double loads = pixels * HALF_LOAD + weights;
    double stream = 0;
    if (t->panel.bytes > machine->l1_bytes * 3 / 4) {
        stream = weights * (t->panel.bytes > machine->l2_bytes * 5 / 8 ? LEVEL3_LOAD : LEVEL2_LOAD);
    }
    const double products = fmax(pixels * (double)t->geometry.vectors, LATENCY);
    const double kpack =
        fmax(products, fmax(loads, stream)) + LOAD_COST * loads + LOOP_COST / (double)t->geometry.unroll;
    return kpack * (double)(t->panel.taps * t->panel.kpacks) + TAP_COST * (double)t->panel.taps + TILE_COST;
}

static double bound_of(const aic_contraction *c, const aic_target *target)
{
    (void)target;
    const double kpacks = (double)(c->down.taps * c->across.taps) * ceil((double)c->channels / KPACK_CHANNELS);
    return kpacks * (double)(c->down.out * c->across.out) * (double)aic_outputs_of(c) / LANES;
}

/* ---- emission ---- */

typedef struct tile {
    aic_emit *e;
    const aic_contraction *c;
    const aic_tiling *t;
    int64_t cols;
    unsigned pixels, sums;
    LLVMTypeRef sum_type, kpack_type, half_type;
    LLVMValueRef out, band, panel, taps;
} tile;

/* The number of the sum register for a pair of pixels, a vector, and one of the vector's pairs of output channels. */
static unsigned sum_of(const tile *k, unsigned pair, unsigned vector, unsigned part)
{
    return (pair * k->t->geometry.vectors + vector) * PAIR + part;
}

/* The second pixel of a pair; the first one where there is none. */
static unsigned second_of(const tile *k, unsigned pair)
{
    return pair * PAIR + 1 < k->pixels ? pair * PAIR + 1 : pair * PAIR;
}

/* Eight channels of both pixels of a pair. */
static LLVMValueRef load_pair(const tile *k, LLVMValueRef band, int64_t kpack, unsigned pair)
{
    aic_emit *e = k->e;
    const unsigned pixels[PAIR] = {pair * PAIR, second_of(k, pair)};
    LLVMValueRef both = LLVMGetUndef(k->half_type);
    for (unsigned i = 0; i < PAIR; i++) {
        const int64_t offset = aic_tile_band_offset(k->t, k->cols, pixels[i]) + kpack * KPACK_BYTES;
        LLVMValueRef half = aic_load(e, e->i64, band, offset, KPACK_BYTES);
        both = LLVMBuildInsertElement(e->builder, both, half, LLVMConstInt(e->i32, i, false), "");
    }
    return LLVMBuildBitCast(e->builder, both, k->kpack_type, "");
}

static void emit_kpack(const tile *k, LLVMValueRef *sums, LLVMValueRef band, LLVMValueRef panel, int64_t kpack)
{
    aic_emit *e = k->e;
    const unsigned parts = k->t->geometry.vectors * PAIR, bytes = PAIR * KPACK_BYTES;
    LLVMTypeRef types[] = {k->sum_type, k->kpack_type};
    LLVMValueRef weight[AIC_CARRIED_MAX]; /* no more than there are sums */
    for (unsigned i = 0; i < parts; i++) {
        weight[i] = aic_load(e, k->kpack_type, panel, (kpack * parts + i) * bytes, bytes);
    }
    for (unsigned p = 0; p * PAIR < k->pixels; p++) {
        LLVMValueRef image = load_pair(k, band, kpack, p);
        for (unsigned i = 0; i < parts; i++) {
            LLVMValueRef *sum = &sums[sum_of(k, p, 0, i)], args[] = {*sum, image, weight[i]};
            *sum = aic_emit_intrinsic(e, "llvm.aarch64.neon.smmla", types, 2, args, 3);
        }
    }
}

/* Adds the products of one tap. values[] are the sums and then the panel pointer. */
static void emit_tap(const tile *k, LLVMValueRef *values, LLVMValueRef tap)
{
    aic_emit *e = k->e;
    const int64_t unroll = k->t->geometry.unroll;
    LLVMValueRef entry = aic_at(e, k->taps, aic_mul(e, tap, sizeof(int64_t)));
    values[k->sums + 1] = aic_at(e, k->band, aic_load(e, e->i64, entry, 0, 8));
    aic_loop loop;
    aic_loop_begin(e, &loop, "kpack: k-packs of a tap", aic_int(e, 0), aic_int(e, k->t->panel.kpacks), unroll, values,
                   k->sums + 2);
    for (int64_t kpack = 0; kpack < unroll; kpack++) {
        emit_kpack(k, values, values[k->sums + 1], values[k->sums], kpack);
    }
    values[k->sums] = aic_at_const(e, values[k->sums], unroll * k->t->panel.step_bytes);
    values[k->sums + 1] = aic_at_const(e, values[k->sums + 1], unroll * KPACK_BYTES);
    aic_loop_end(e, &loop);
}

static void emit_reduction(const tile *k, LLVMValueRef *values)
{
    aic_emit *e = k->e;
    aic_loop loop;
    for (unsigned i = 0; i < k->sums; i++) {
        values[i] = aic_zero(k->sum_type);
    }
    values[k->sums] = k->panel;
    aic_loop_begin(e, &loop, "tap: taps of the kernel", aic_int(e, 0), aic_int(e, k->t->panel.taps), 1, values,
                   k->sums + 1);
    emit_tap(k, values, loop.index);
    aic_loop_end(e, &loop);
}

/* Stores the sums of a pixel and a vector, which are in two registers: their lower halves belong to the first pixel of
 * a pair, their upper halves to the second. If sums start from an old result, they are added to it with saturation. */
static void store_pixel(const tile *k, LLVMValueRef *sums, unsigned pixel, unsigned vector)
{
    aic_emit *e = k->e;
    const unsigned first = pixel % PAIR * PAIR, at = sum_of(k, pixel / PAIR, vector, 0);
    const unsigned from[LANES] = {first, first + 1, LANES + first, LANES + first + 1};
    const LLVMValueRef both[] = {sums[at], sums[at + 1]};
    LLVMValueRef sum = aic_permute(e, aic_concat(e, both, 2), from, LANES);
    const int64_t offset = aic_tile_out_offset(k->c, k->t, k->cols, pixel, vector);
    if (k->t->geometry.accumulate) {
        LLVMValueRef old = aic_load(e, k->sum_type, k->out, offset, AIC_SUM_BYTES);
        sum = aic_sum_fold(e, AIC_SUM_INT, k->c->wraps ? AIC_TILE_WRAPS : AIC_TILE_CLAMPS, old, sum);
    }
    aic_store(e, sum, k->out, offset, AIC_SUM_BYTES);
}

LLVMValueRef aic_emit_own_mmla_tile(aic_emit *e, const aic_plan *plan, const int64_t *argument, const char *name)
{
    static const char *const PARAMS[] = {"out", "band", "panel", "taps"};
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    const int64_t rows = argument[0], cols = argument[1];
    LLVMValueRef values[AIC_CARRIED_MAX];
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 4, 0);
    aic_note_function(e, "tile of %lld x %lld pixels x %lld output channels by products of matrices", (long long)rows,
                      (long long)cols, (long long)t->geometry.panel_channels);
    tile k = {.e = e, .c = c, .t = t, .cols = cols, .pixels = (unsigned)(rows * cols)};
    k.sums = (unsigned)pairs_of(rows * cols) * PAIR * t->geometry.vectors;
    aic_limit("sums and pointers of a tile", k.sums + 2, AIC_CARRIED_MAX);
    k.sum_type = aic_vector(e->i32, LANES);
    k.kpack_type = aic_vector(e->i8, PAIR * KPACK_BYTES);
    k.half_type = aic_vector(e->i64, PAIR);
    k.out = aic_emit_param(e, 0);
    k.band = aic_emit_param(e, 1);
    k.panel = aic_emit_param(e, 2);
    k.taps = aic_emit_param(e, 3);
    emit_reduction(&k, values);
    for (unsigned p = 0; p < k.pixels; p++) {
        for (unsigned v = 0; v < t->geometry.vectors; v++) {
            store_pixel(&k, values, p, v);
        }
    }
    return aic_emit_function_end(e);
}

static aic_routine compose_tile(aic_program *program, const aic_plan *plan, int64_t rows, int64_t cols,
                                aic_routine leave)
{
    aic_own_key key = {.code = AIC_OWN_mmla_tile, .plan = plan, .argument = {rows, cols}};
    aic_use use;
    (void)leave;
    aic_use_begin(&use, program, &aic_part_own, &key);
    return aic_program_add(program, &use, "tile_%lldx%lldx%lld", (long long)rows, (long long)cols,
                           (long long)aic_tiling_of(plan)->geometry.panel_channels);
}

const aic_microkernel aic_microkernel_mmla = {
    .name = "mmla",
    .refuse = refuse,
    .arithmetic = arithmetic_of,
    .propose = propose,
    .step_kpacks = 1,
    .check = check,
    .pixels = pixels_of,
    .unroll = unroll_of,
    .cost = cost_of,
    .table_from = 1,
    .rate = 2,
    .body_cost = 0.08,
    .sum_cost = 0.001,
    .bound = bound_of,
    .compose = compose_tile,
};
