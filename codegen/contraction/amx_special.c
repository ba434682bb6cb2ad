/* What the AMX micro-kernel does with floats by vector instructions: it computes tiles, from the same band and panel,
 * for operands with special elements: AMX does not multiply these as IEEE 754 requires. Infinity and NaN have no second
 * plane, and infinity times the second plane of another number, which may be 0, would be NaN; and AMX treats subnormal
 * numbers as 0. Special elements are rare, so this code is not tuned for speed. */
#include "codegen/contraction/amx.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"

#include <stdio.h>

/* ---- the tile ---- */

enum { HALVES = 2 }; /* bfloat16 of a k-pack */

typedef struct tile {
    aic_emit *e;
    const aic_tiling *t;
    amx_tile of;
    LLVMTypeRef words, floats;
} tile;

/* The bfloat16 number `half` of each 32-bit element, as floats. */
static LLVMValueRef half_of(const tile *k, LLVMValueRef kpacks, unsigned half)
{
    LLVMBuilderRef b = k->e->builder;
    LLVMTypeRef type = LLVMTypeOf(kpacks);
    LLVMValueRef bits = half == 0 ? LLVMBuildShl(b, kpacks, aic_const_int(type, 16), "")
                                  : LLVMBuildAnd(b, kpacks, aic_const_int(type, (int32_t)0xffff0000u), "");
    return LLVMBuildBitCast(b, bits, type == k->words ? k->floats : k->e->f32, "");
}

/* Replaces NaN by 0: the second plane of a number that is not finite is NaN, and its first plane is the number. */
static LLVMValueRef finite_or_zero(const tile *k, LLVMValueRef plane)
{
    LLVMValueRef number = LLVMBuildFCmp(k->e->builder, LLVMRealORD, plane, plane, "");
    return LLVMBuildSelect(k->e->builder, number, plane, LLVMConstNull(LLVMTypeOf(plane)), "");
}

LLVMValueRef aic_amx_half(aic_emit *e, LLVMValueRef kpacks, unsigned half)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef bits = half == 0 ? kpacks : LLVMBuildLShr(b, kpacks, aic_const_int(LLVMTypeOf(kpacks), 16), "");
    return aic_half_to_float(e, LLVMBuildTrunc(b, bits, aic_vector(e->i16, AMX_LANES), ""));
}

/* Loads an element, the sum of its planes, which lie `pitch` bytes apart. */
static LLVMValueRef element(const tile *k, LLVMTypeRef type, LLVMValueRef pointer, int64_t offset, int64_t pitch,
                            unsigned half)
{
    LLVMValueRef sum = NULL;
    for (unsigned p = 0; p < k->t->geometry.arithmetic.planes; p++) {
        LLVMValueRef kpacks = aic_load(k->e, type, pointer, offset + p * pitch, k->t->geometry.arithmetic.kpack_bytes);
        LLVMValueRef plane = half_of(k, kpacks, half);
        sum = sum == NULL ? plane : LLVMBuildFAdd(k->e->builder, sum, finite_or_zero(k, plane), "");
    }
    return sum;
}

/* A k-pack's element `half` of a vector of output channels. */
static LLVMValueRef weight(const tile *k, LLVMValueRef panel, unsigned vector, unsigned half)
{
    aic_emit *e = k->e;
    const int64_t offset = (int64_t)vector * AMX_ROW_BYTES;
    if (!k->t->wish.halves) {
        return element(k, k->words, panel, offset,
                       k->t->geometry.panel_channels * k->t->geometry.arithmetic.kpack_bytes, half);
    }
    return aic_amx_half(e, aic_load(e, k->words, panel, offset, k->t->geometry.arithmetic.kpack_bytes), half);
}

/* Where kernel rows are folded, the last tap may have k-packs of no kernel row: whether this k-pack is one of these,
 * for which no product is formed. NULL: there are none. */
static LLVMValueRef lacks_row(const tile *k, LLVMValueRef tap, LLVMValueRef kpack)
{
    aic_emit *e = k->e;
    LLVMBuilderRef b = e->builder;
    const int64_t fold = k->t->wish.fold, rest = k->of.c->down.taps % fold;
    if (rest == 0) {
        return NULL;
    }
    LLVMValueRef of_row = LLVMBuildUDiv(b, kpack, aic_int(e, k->t->band.pixel_kpacks / fold), "");
    LLVMValueRef row = LLVMBuildURem(b, of_row, aic_int(e, fold), "");
    LLVMValueRef last = LLVMBuildICmp(b, LLVMIntEQ, tap, aic_int(e, k->t->panel.taps - 1), "");
    return LLVMBuildAnd(b, last, LLVMBuildICmp(b, LLVMIntSGE, row, aic_int(e, rest), ""), "");
}

/* The products of a pixel's k-pack with the k-packs of all output channels; zeros if `lacks` is true. */
static void emit_kpack(const tile *k, LLVMValueRef *sums, LLVMValueRef band, LLVMValueRef panel, LLVMValueRef lacks)
{
    aic_emit *e = k->e;
    for (unsigned half = 0; half < HALVES; half++) {
        LLVMValueRef value = element(k, e->i32, band, 0, k->t->band.plane_bytes, half);
        if (lacks != NULL) {
            value = LLVMBuildSelect(e->builder, lacks, LLVMConstNull(e->f32), value, "");
        }
        LLVMValueRef x = aic_splat(e, value, AMX_LANES);
        for (unsigned v = 0; v < k->t->geometry.vectors; v++) {
            LLVMValueRef w = weight(k, panel, v, half);
            sums[v] = aic_fma(e, x, w, sums[v]);
        }
    }
}

/* What sums start from: 0 or, after the first block of channels, the sums that the previous block stored at `out`. */
static LLVMValueRef first_sum(const tile *k, LLVMValueRef out, unsigned vector)
{
    aic_emit *e = k->e;
    LLVMValueRef zero = aic_zero(k->floats);
    if (k->of.block == NULL) {
        return zero;
    }
    LLVMValueRef left = aic_load(e, k->floats, out, vector * aic_amx_vector_pitch(k->of.c, k->t), AIC_SUM_BYTES);
    LLVMValueRef first = LLVMBuildICmp(e->builder, LLVMIntEQ, k->of.block, aic_int(e, 0), "first_block");
    return LLVMBuildSelect(e->builder, first, zero, left, "");
}

/* Computes the sums of one pixel and stores them at `out`. */
static void emit_pixel(const tile *k, LLVMValueRef out, LLVMValueRef pixel, LLVMValueRef panel)
{
    aic_emit *e = k->e;
    const unsigned vectors = k->t->geometry.vectors;
    const int64_t used = k->t->wish.merged > 1 ? k->t->wish.merged * k->t->band.pixel_kpacks
                                               : k->t->panel.block_kpacks; /* others are of no tap */
    aic_loop taps, kpacks;
    LLVMValueRef carried[AIC_CARRIED_MAX];
    aic_limit("sums and pointers of a pixel", vectors + 2, AIC_CARRIED_MAX);
    for (unsigned v = 0; v < vectors; v++) {
        carried[v] = first_sum(k, out, v);
    }
    carried[vectors] = aic_at_const(e, panel, k->t->panel.start_bytes);
    aic_loop_begin(e, &taps, "tap: taps of the kernel", aic_int(e, 0), aic_int(e, k->t->panel.taps), 1, carried,
                   vectors + 1);
    LLVMValueRef entry = aic_at(e, k->of.taps, aic_mul(e, taps.index, sizeof(int64_t)));
    carried[vectors + 1] = aic_at(e, pixel, aic_load(e, e->i64, entry, 0, sizeof(int64_t)));
    aic_loop_begin(e, &kpacks, "kpack: k-packs of a tap", aic_int(e, 0), aic_int(e, used), 1, carried, vectors + 2);
    emit_kpack(k, carried, carried[vectors + 1], carried[vectors], lacks_row(k, taps.index, kpacks.index));
    carried[vectors] = aic_at_const(e, carried[vectors], k->t->panel.step_bytes);
    carried[vectors + 1] = aic_at_const(e, carried[vectors + 1], k->t->geometry.arithmetic.kpack_bytes);
    aic_loop_end(e, &kpacks);
    carried[vectors] = aic_at_const(e, carried[vectors], (k->t->panel.block_kpacks - used) * k->t->panel.step_bytes);
    aic_loop_end(e, &taps);
    for (unsigned v = 0; v < vectors; v++) {
        aic_store(e, carried[v], out, v * aic_amx_vector_pitch(k->of.c, k->t), AIC_SUM_BYTES);
    }
}

amx_tile aic_amx_begin_tile(aic_emit *e, const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols,
                            const char *name)
{
    static const char *const PARAMS[] = {"out", "band", "panel", "taps", "block"};
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 4, t->geometry.blocks > 1 ? 1 : 0);
    return (amx_tile){.e = e,
                      .c = c,
                      .t = t,
                      .rows = rows,
                      .cols = cols,
                      .out = aic_emit_param(e, 0),
                      .band = aic_emit_param(e, 1),
                      .panel = aic_emit_param(e, 2),
                      .taps = aic_emit_param(e, 3),
                      .block = t->geometry.blocks > 1 ? aic_emit_param(e, 4) : NULL};
}

LLVMValueRef aic_amx_emit_special(aic_emit *e, const aic_contraction *c, const aic_tiling *t, int64_t rows,
                                  int64_t cols, const char *name)
{
    char special[200];
    snprintf(special, sizeof special, "%s_special", name);
    const tile k = {.e = e,
                    .t = t,
                    .of = aic_amx_begin_tile(e, c, t, rows, cols, special),
                    .words = aic_vector(e->i32, AMX_LANES),
                    .floats = aic_vector(e->f32, AMX_LANES)};
    aic_note_function(e,
                      "the same tile by vector instructions, where operands have numbers that tiles do not multiply");
    LLVMValueRef function = e->function;
    aic_loop down, across;
    aic_loop_begin(e, &down, "row: rows of the tile", aic_int(e, 0), aic_int(e, rows), 1, NULL, 0);
    aic_loop_begin(e, &across, "col: columns of the tile", aic_int(e, 0), aic_int(e, cols), 1, NULL, 0);
    LLVMValueRef row = aic_at(e, k.of.band, aic_mul(e, down.index, t->tile.out_row));
    LLVMValueRef pixel = aic_at(e, row, aic_mul(e, across.index, t->tile.out_col));
    LLVMValueRef number = aic_add(e, aic_mul(e, down.index, aic_amx_row_pixels(c, t, cols)), across.index);
    LLVMValueRef out = aic_at(e, k.of.out, aic_mul(e, number, AMX_ROW_BYTES));
    emit_pixel(&k, out, pixel, k.of.panel);
    aic_loop_end(e, &across);
    aic_loop_end(e, &down);
    aic_emit_function_end(e);
    return function;
}
