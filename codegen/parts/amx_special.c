/* What the AMX micro-kernel does with floats by vector instructions: it computes tiles, from the same band and panel,
 * for operands with special elements: AMX does not multiply these as IEEE 754 requires. Infinity and NaN have no second
 * plane, and infinity times the second plane of another number, which may be 0, would be NaN; and AMX treats subnormal
 * numbers as 0. Special elements are rare, so this code is not tuned for speed. */
#include "codegen/kpacks.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/amx.h"

/* ---- the tile ---- */

enum { HALVES = 2 }; /* bfloat16 of a k-pack */

typedef struct tile {
    aic_emit *e;
    const aic_amx_tile_key *key;
    int64_t step_bytes; /* of a k-pack in a panel, all planes */
    LLVMTypeRef words, floats;
    LLVMValueRef panel, taps, block; /* block: NULL where there are no blocks of channels */
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

/* Loads an element, the sum of its planes, of which the second is at `behind`. */
static LLVMValueRef element(const tile *k, LLVMTypeRef type, LLVMValueRef pointer, LLVMValueRef behind, unsigned half)
{
    LLVMValueRef sum = half_of(k, aic_load(k->e, type, pointer, 0, AMX_KPACK_BYTES), half);
    if (k->key->planes > 1) {
        LLVMValueRef plane = half_of(k, aic_load(k->e, type, behind, 0, AMX_KPACK_BYTES), half);
        sum = LLVMBuildFAdd(k->e->builder, sum, finite_or_zero(k, plane), "");
    }
    return sum;
}

/* A k-pack's element `half` of a vector of output channels. */
static LLVMValueRef weight(const tile *k, LLVMValueRef panel, int64_t vector, unsigned half)
{
    aic_emit *e = k->e;
    LLVMValueRef at = aic_at_const(e, panel, vector * AMX_ROW_BYTES);
    return k->key->halves ? aic_kpack_half(e, aic_load(e, k->words, at, 0, AMX_KPACK_BYTES), half)
                          : element(k, k->words, at, aic_at_const(e, at, k->key->vectors * AMX_ROW_BYTES), half);
}

/* Where kernel rows are folded, the last tap may have k-packs of no kernel row: whether this k-pack is one of these,
 * for which no product is formed. NULL: there are none. */
static LLVMValueRef lacks_row(const tile *k, LLVMValueRef tap, LLVMValueRef kpack)
{
    aic_emit *e = k->e;
    LLVMBuilderRef b = e->builder;
    if (!k->key->folded) {
        return NULL;
    }
    LLVMValueRef of_row = LLVMBuildUDiv(b, kpack, aic_number(e, "fold.kpacks"), "");
    LLVMValueRef row = LLVMBuildURem(b, of_row, aic_number(e, "fold"), "");
    LLVMValueRef last = LLVMBuildICmp(b, LLVMIntEQ, tap, aic_number(e, "taps.last"), "");
    return LLVMBuildAnd(b, last, LLVMBuildICmp(b, LLVMIntSGE, row, aic_number(e, "fold.rest"), ""), "");
}

/* The products of a pixel's k-pack with the k-packs of all output channels; zeros if `lacks` is true. */
static void emit_kpack(const tile *k, LLVMValueRef *sums, LLVMValueRef band, LLVMValueRef panel, LLVMValueRef lacks)
{
    aic_emit *e = k->e;
    LLVMValueRef behind = k->key->planes > 1 ? aic_behind(e, band, "plane") : NULL;
    for (unsigned half = 0; half < HALVES; half++) {
        LLVMValueRef value = element(k, e->i32, band, behind, half);
        if (lacks != NULL) {
            value = LLVMBuildSelect(e->builder, lacks, LLVMConstNull(e->f32), value, "");
        }
        LLVMValueRef x = aic_splat(e, value, AMX_LANES);
        for (unsigned v = 0; v < k->key->vectors; v++) {
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
    if (k->block == NULL) {
        return zero;
    }
    LLVMValueRef left = aic_load(e, k->floats, aic_at_nth(e, out, "out.block", vector), 0, sizeof(float));
    LLVMValueRef first = LLVMBuildICmp(e->builder, LLVMIntEQ, k->block, aic_int(e, 0), "first_block");
    return LLVMBuildSelect(e->builder, first, zero, left, "");
}

/* Computes the sums of one pixel and stores them at `out`. */
static void emit_pixel(const tile *k, LLVMValueRef out, LLVMValueRef pixel)
{
    aic_emit *e = k->e;
    const unsigned vectors = (unsigned)k->key->vectors;
    aic_loop taps, kpacks;
    LLVMValueRef carried[AIC_CARRIED_MAX];
    aic_limit("sums and pointers of a pixel", vectors + 2, AIC_CARRIED_MAX);
    for (unsigned v = 0; v < vectors; v++) {
        carried[v] = first_sum(k, out, v);
    }
    carried[vectors] = aic_behind(e, k->panel, "panel.start");
    aic_loop_begin(e, &taps, "tap: taps of the kernel", aic_int(e, 0), aic_trips(e, "taps"), 1, carried, vectors + 1);
    LLVMValueRef entry = aic_at(e, k->taps, aic_mul(e, taps.index, sizeof(int64_t)));
    carried[vectors + 1] = aic_at(e, pixel, aic_load(e, e->i64, entry, 0, sizeof(int64_t)));
    aic_loop_begin(e, &kpacks, "kpack: k-packs of a tap", aic_int(e, 0), aic_trips(e, "kpacks"), 1, carried,
                   vectors + 2);
    emit_kpack(k, carried, carried[vectors + 1], carried[vectors], lacks_row(k, taps.index, kpacks.index));
    carried[vectors] = aic_at_const(e, carried[vectors], k->step_bytes);
    carried[vectors + 1] = aic_at_const(e, carried[vectors + 1], AMX_KPACK_BYTES);
    aic_loop_end(e, &kpacks);
    carried[vectors] = aic_behind(e, carried[vectors], "tap.rest");
    aic_loop_end(e, &taps);
    for (unsigned v = 0; v < vectors; v++) {
        aic_store(e, carried[v], aic_at_nth(e, out, "out.block", v), 0, sizeof(float));
    }
}

LLVMValueRef aic_emit_part_amx_special(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"out", "band", "panel", "taps", "block"};
    const aic_amx_tile_key *key = of;
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 4, key->blocks ? 1 : 0);
    aic_note_function(e,
                      "the same tile by vector instructions, where operands have numbers that tiles do not multiply");
    const tile k = {.e = e,
                    .key = key,
                    .step_bytes = key->vectors * (key->halves ? 1 : key->planes) * AMX_ROW_BYTES,
                    .words = aic_vector(e->i32, AMX_LANES),
                    .floats = aic_vector(e->f32, AMX_LANES),
                    .panel = aic_emit_param(e, 2),
                    .taps = aic_emit_param(e, 3),
                    .block = key->blocks ? aic_emit_param(e, 4) : NULL};
    aic_loop down, across;
    aic_loop_over(e, &down, "row: rows of the tile", aic_trips(e, "rows"));
    aic_loop_over(e, &across, "col: columns of the tile", aic_trips(e, "cols"));
    LLVMValueRef row = aic_at(e, aic_emit_param(e, 1), aic_scaled(e, down.index, "row.pitch"));
    LLVMValueRef pixel = aic_at_index(e, row, across.index, "pixel.pitch");
    LLVMValueRef out = aic_at(e, aic_emit_param(e, 0), aic_scaled(e, down.index, "out.row"));
    emit_pixel(&k, aic_at(e, out, aic_mul(e, across.index, AMX_ROW_BYTES)), pixel);
    aic_loop_end(e, &across);
    aic_loop_end(e, &down);
    return aic_emit_function_end(e);
}
