/* The tile of the vector micro-kernel: output pixels times the output channels of one panel, all sums in registers.
 *
 * The reduction is a nest of four loops; LLVM removes those of one iteration:
 *
 *     channel blocks   only where the order is fixed (cube): c1 outermost
 *       tap blocks     as many taps as are added up before the sums are folded into the totals
 *         taps         offsets into the band come from a table
 *           k-packs    `unroll` of them straight-line
 *
 * Where tiles leave out taps, the loop over taps becomes two, over the kernel rows and the kernel columns of the tile's
 * ranges; or one over the taps of the rows, if no columns are left out. */
#include "codegen/contraction/microkernel.h"
#include "codegen/family/family.h"
#include "codegen/integer.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"

#include <stdio.h>

typedef struct tile {
    aic_emit *e;
    const aic_contraction *c;
    const aic_tiling *t;
    int64_t cols;
    unsigned pixels, sums;
    LLVMTypeRef sum_type, total_type, out_type, kpacks_type;
    LLVMValueRef out, band, panel, taps;
    aic_tap_range range; /* the taps that the tile does, if tiles leave out any */
    LLVMValueRef first;  /* address in the panel of the first tap of the current block of channels */
} tile;

/* ---- addresses ---- */

int64_t aic_tile_band_offset(const aic_tiling *t, int64_t cols, unsigned pixel)
{
    return (int64_t)pixel / cols * t->band.row_step * t->band.row_pitch +
           (int64_t)pixel % cols * t->band.col_step * t->band.pixel_pitch;
}

int64_t aic_tile_out_offset(const aic_contraction *c, const aic_tiling *t, int64_t cols, unsigned pixel,
                            unsigned vector)
{
    const int64_t row_bytes = AIC_BLOCK_COLUMNS * AIC_SUM_BYTES;
    int64_t channel = (int64_t)vector * t->geometry.lanes, pitch = t->staging.pitch, p = pixel;
    if (pitch == 0) {
        pitch = c->block_rows * row_bytes;
        p = (int64_t)pixel / cols * c->across.out + (int64_t)pixel % cols;
    }
    return channel / AIC_BLOCK_COLUMNS * pitch + p * row_bytes + channel % AIC_BLOCK_COLUMNS * AIC_SUM_BYTES;
}

static int64_t band_offset(const tile *k, unsigned pixel)
{
    return aic_tile_band_offset(k->t, k->cols, pixel);
}

static int64_t out_offset(const tile *k, unsigned pixel, unsigned vector)
{
    return aic_tile_out_offset(k->c, k->t, k->cols, pixel, vector);
}

/* Loads what sum number `i` starts from. If that is one value for each column, the first row of the strip has them. */
static LLVMValueRef load_out(const tile *k, unsigned i)
{
    const unsigned pixel = k->c->start_channel ? 0 : i / k->t->geometry.vectors;
    return aic_load(k->e, k->out_type, k->out, out_offset(k, pixel, i % k->t->geometry.vectors), 4);
}

/* ---- sums and totals ---- */

/* The total before the first product: the old output or zero, in the type totals have. */
static LLVMValueRef first_total(const tile *k, unsigned i)
{
    if (!k->t->geometry.accumulate) {
        return aic_zero(k->total_type);
    }
    LLVMValueRef old = load_out(k, i);
    return k->total_type == k->out_type ? old : LLVMBuildSExt(k->e->builder, old, k->total_type, "");
}

/* The start value of the kernel rows before `row` and the kernel columns before `column`. */
static LLVMValueRef load_start(const tile *k, unsigned vector, LLVMValueRef row, LLVMValueRef column)
{
    aic_emit *e = k->e;
    const unsigned bytes = k->t->geometry.lanes * (unsigned)sizeof(int32_t);
    const int64_t columns = k->t->panel.start_columns, pitch = k->t->geometry.panel_channels * (int64_t)sizeof(int32_t);
    LLVMValueRef number = columns == 1 ? row : aic_add(e, aic_mul(e, row, columns), column);
    LLVMValueRef at = aic_at(e, k->panel, aic_mul(e, number, pitch));
    return aic_load(e, k->sum_type, at, (int64_t)vector * bytes, bytes);
}

/* The start value that makes up for the image's offset; for a range of taps, from prefix sums (pack_weight.c). */
static LLVMValueRef first_start(const tile *k, unsigned vector)
{
    LLVMBuilderRef b = k->e->builder;
    const aic_tap_range *r = &k->range;
    if (!aic_tiling_skips(k->t)) {
        return load_start(k, vector, aic_int(k->e, 0), NULL);
    }
    LLVMValueRef below = load_start(k, vector, r->end_row, r->end_column);
    LLVMValueRef above = load_start(k, vector, r->first_row, r->end_column);
    LLVMValueRef start = LLVMBuildSub(b, below, above, "");
    if (k->t->panel.padding.columns) {
        LLVMValueRef left = LLVMBuildSub(b, load_start(k, vector, r->end_row, r->first_column),
                                         load_start(k, vector, r->first_row, r->first_column), "");
        start = LLVMBuildSub(b, start, left, "");
    }
    return start;
}

static LLVMValueRef first_sum(const tile *k, LLVMValueRef total, unsigned i)
{
    if (k->t->geometry.arithmetic.image_offset != 0) {
        return first_start(k, i % k->t->geometry.vectors);
    }
    return k->t->geometry.arithmetic.sum == AIC_SUM_FAST ? total : aic_zero(k->sum_type);
}

/* Adds the sum of a block of taps to the total. AIC_SUM_INT may saturate here, as it has only one block. */
static LLVMValueRef fold(const tile *k, LLVMValueRef total, LLVMValueRef sum)
{
    LLVMBuilderRef b = k->e->builder;
    switch (k->t->geometry.arithmetic.sum) {
    case AIC_SUM_INT:
        return k->t->geometry.accumulate ? aic_add_saturated(k->e, total, sum) : sum;
    case AIC_SUM_INT_WIDE:
        return LLVMBuildAdd(b, total, LLVMBuildSExt(b, sum, k->total_type, ""), "");
    case AIC_SUM_CUBE:
        sum = LLVMBuildFAdd(b, LLVMBuildFPExt(b, total, k->sum_type, ""), sum, "");
        return LLVMBuildFPTrunc(b, sum, k->total_type, "");
    case AIC_SUM_FAST:
        break;
    }
    return sum;
}

static LLVMValueRef clamp_to_int32(const tile *k, LLVMValueRef total)
{
    aic_emit *e = k->e;
    LLVMValueRef limits[] = {aic_splat(e, aic_int(e, INT32_MIN), k->t->geometry.lanes),
                             aic_splat(e, aic_int(e, INT32_MAX), k->t->geometry.lanes)};
    LLVMTypeRef type = k->total_type;
    LLVMValueRef args[] = {total, limits[0]};
    LLVMValueRef raised = aic_emit_intrinsic(e, "llvm.smax", &type, 1, args, 2);
    LLVMValueRef more[] = {raised, limits[1]};
    return LLVMBuildTrunc(e->builder, aic_emit_intrinsic(e, "llvm.smin", &type, 1, more, 2), k->out_type, "");
}

static void store_totals(const tile *k, LLVMValueRef *totals)
{
    for (unsigned i = 0; i < k->sums; i++) {
        LLVMValueRef value =
            k->t->geometry.arithmetic.sum == AIC_SUM_INT_WIDE ? clamp_to_int32(k, totals[i]) : totals[i];
        aic_store(k->e, value, k->out, out_offset(k, i / k->t->geometry.vectors, i % k->t->geometry.vectors), 4);
    }
}

/* ---- the reduction ---- */

static LLVMValueRef multiply_add(const tile *k, LLVMValueRef sum, LLVMValueRef image, LLVMValueRef weight)
{
    switch (k->t->geometry.arithmetic.product) {
    case AIC_PRODUCT_PAIR:
        return aic_family_of(k->e->target)->dot2.emit(k->e, sum, image, weight);
    case AIC_PRODUCT_QUAD:
        return aic_family_of(k->e->target)->dot4.emit(k->e, sum, image, weight);
    case AIC_PRODUCT_FLOAT:
    case AIC_PRODUCT_BFLOAT: /* only in other micro-kernels */
        break;
    }
    return aic_fma(k->e, image, weight, sum);
}

/* Names the values that a loop carries: the sums, by pixel and vector, and the pointer into the panel. */
static void name_carried(const tile *k, const aic_loop *loop, const char *sum, const char *suffix)
{
    const unsigned vectors = k->t->geometry.vectors;
    for (unsigned i = 0; i < k->sums; i++) {
        aic_name_carried(k->e, loop, i, "%s.p%u.v%u%s", sum, i / vectors, i % vectors, suffix);
    }
    aic_name_carried(k->e, loop, k->sums, "panel.at%s", suffix);
}

/* Names of what a k-pack beyond the first one of a loop body computes end with its number. */
typedef struct kpack_suffix {
    char text[24];
} kpack_suffix;

static kpack_suffix suffix_of(const aic_emit *e, int64_t kpack)
{
    kpack_suffix suffix = {""};
    if (kpack > 0 && e->notes != NULL) {
        snprintf(suffix.text, sizeof suffix.text, ".u%lld", (long long)kpack);
    }
    return suffix;
}

/* Prefetches, while a loop body reads the lines of a k-pack, as many lines `ahead` bytes further on, in this panel or
 * in the next one, into the second-level cache. Behind the last panel this is useless but harmless. */
static void fetch_ahead(const tile *k, LLVMValueRef panel, int64_t kpack)
{
    enum { READ = 0, LEVEL_2 = 2, DATA = 1 };
    aic_emit *e = k->e;
    const int64_t step = k->t->panel.step_bytes, lines = aic_parts(kpack * step, AIC_LINE_BYTES);
    for (int64_t at = lines * AIC_LINE_BYTES; k->t->tile.ahead > 0 && at < (kpack + 1) * step; at += AIC_LINE_BYTES) {
        LLVMValueRef args[] = {aic_at_const(e, panel, k->t->tile.ahead + at), aic_const_int(e->i32, READ),
                               aic_const_int(e->i32, LEVEL_2), aic_const_int(e->i32, DATA)};
        aic_emit_intrinsic(e, "llvm.prefetch", &e->ptr, 1, args, 4);
    }
}

/* One k-pack of every pixel times one k-pack of every output channel. */
static void emit_kpack(const tile *k, LLVMValueRef *sums, LLVMValueRef band, LLVMValueRef panel, int64_t kpack)
{
    aic_emit *e = k->e;
    unsigned bytes = k->t->geometry.arithmetic.kpack_bytes, vectors = k->t->geometry.vectors,
             lanes = k->t->geometry.lanes;
    LLVMTypeRef scalar = LLVMGetElementType(k->sum_type);
    LLVMValueRef weight[AIC_CARRIED_MAX]; /* no more than there are sums */
    const kpack_suffix suffix = suffix_of(e, kpack);
    for (unsigned v = 0; v < vectors; v++) {
        weight[v] = aic_load(e, k->kpacks_type, panel, (kpack * vectors + v) * lanes * bytes, lanes * bytes);
        aic_name(e, weight[v], "w.v%u%s", v, suffix.text);
    }
    fetch_ahead(k, panel, kpack);
    for (unsigned p = 0; p < k->pixels; p++) {
        LLVMValueRef value = aic_load(e, scalar, band, band_offset(k, p) + kpack * bytes, bytes);
        LLVMValueRef image = LLVMBuildBitCast(e->builder, aic_splat(e, value, lanes), k->kpacks_type, "");
        aic_name(e, value, "x.p%u%s.kpack", p, suffix.text);
        aic_name(e, image, "x.p%u%s", p, suffix.text);
        for (unsigned v = 0; v < vectors; v++) {
            sums[p * vectors + v] = multiply_add(k, sums[p * vectors + v], image, weight[v]);
            aic_name(e, sums[p * vectors + v], "acc.p%u.v%u.%s", p, v,
                     kpack + 1 == k->t->geometry.unroll ? "next" : "sum");
        }
    }
}

/* Adds the products of `kpacks` k-packs of one tap. values[] are the sums and then the panel pointer. */
static void emit_tap(const tile *k, LLVMValueRef *values, LLVMValueRef channel_offset, LLVMValueRef tap, int64_t kpacks)
{
    aic_emit *e = k->e;
    LLVMValueRef carried[AIC_CARRIED_MAX];
    unsigned count = k->sums + 2;
    LLVMValueRef entry = aic_at(e, k->taps, aic_mul(e, tap, sizeof(int64_t)));
    LLVMValueRef offset = aic_load(e, e->i64, entry, k->t->tile.range_bytes, 8);
    offset = aic_add(e, offset, channel_offset);
    for (unsigned i = 0; i <= k->sums; i++) {
        carried[i] = values[i];
    }
    carried[k->sums + 1] = aic_at(e, k->band, offset);
    aic_name(e, offset, "tap.offset");
    aic_loop loop;
    aic_loop_begin(e, &loop, "kpack: k-packs of a tap", aic_int(e, 0), aic_int(e, kpacks), k->t->geometry.unroll,
                   carried, count);
    name_carried(k, &loop, "acc", "");
    aic_name_carried(e, &loop, k->sums + 1, "band.at");
    for (int64_t u = 0; u < k->t->geometry.unroll; u++) {
        emit_kpack(k, carried, carried[k->sums + 1], carried[k->sums], u);
    }
    int64_t bytes = k->t->geometry.unroll * k->t->geometry.arithmetic.kpack_bytes;
    carried[k->sums] = aic_at_const(e, carried[k->sums], bytes * k->t->geometry.panel_channels);
    carried[k->sums + 1] = aic_at_const(e, carried[k->sums + 1], bytes);
    aic_loop_end(e, &loop);
    for (unsigned i = 0; i <= k->sums; i++) {
        values[i] = carried[i];
    }
}

/* Emits what is done for a tap: emit_tap(), or emit_tap_block() if each tap is a block. */
typedef void (*tap_visit)(const tile *k, LLVMValueRef *values, LLVMValueRef channel_offset, LLVMValueRef tap,
                          int64_t kpacks);

/* Visits the taps `first` .. `end` - 1. Each one's address in the panel follows from its number. */
static void emit_taps(const tile *k, LLVMValueRef *values, LLVMValueRef channel_offset, LLVMValueRef first,
                      LLVMValueRef end, int64_t kpacks, tap_visit visit)
{
    aic_emit *e = k->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "tap: taps that are not all padding", first, end, 1, values, k->sums + 1);
    name_carried(k, &loop, "acc", ".tap");
    values[k->sums] = aic_at(e, k->first, aic_mul(e, loop.index, kpacks * k->t->panel.step_bytes));
    visit(k, values, channel_offset, loop.index, kpacks);
    aic_loop_end(e, &loop);
}

/* Visits the taps of the tile's ranges. values[] ends with the panel pointer. */
static void emit_range(const tile *k, LLVMValueRef *values, LLVMValueRef channel_offset, int64_t kpacks,
                       tap_visit visit)
{
    aic_emit *e = k->e;
    const aic_tap_range *r = &k->range;
    if (!k->t->panel.padding.columns) {
        emit_taps(k, values, channel_offset, aic_mul(e, r->first_row, k->c->across.taps),
                  aic_mul(e, r->end_row, k->c->across.taps), kpacks, visit);
        return;
    }
    aic_loop rows;
    aic_loop_begin(e, &rows, "row: kernel rows that are not all padding", r->first_row, r->end_row, 1, values,
                   k->sums + 1);
    name_carried(k, &rows, "acc", ".row");
    LLVMValueRef row = aic_mul(e, rows.index, k->c->across.taps);
    emit_taps(k, values, channel_offset, aic_add(e, row, r->first_column), aic_add(e, row, r->end_column), kpacks,
              visit);
    aic_loop_end(e, &rows);
}

/* Sums up a block of taps, or what remains of the kernel from tap `first` on, and folds the sums into the totals.
 * totals[] ends with the panel pointer. */
static void emit_tap_block(const tile *k, LLVMValueRef *totals, LLVMValueRef channel_offset, LLVMValueRef first,
                           int64_t kpacks)
{
    aic_emit *e = k->e;
    LLVMValueRef values[AIC_CARRIED_MAX];
    for (unsigned i = 0; i < k->sums; i++) {
        if (k->t->geometry.arithmetic.image_offset != 0 && i >= k->t->geometry.vectors) {
            values[i] = values[i - k->t->geometry.vectors]; /* every pixel's sums start from the panel's head */
            continue;
        }
        values[i] = first_sum(k, totals[i], i);
        aic_name(e, values[i], "acc.p%u.v%u.start", i / k->t->geometry.vectors, i % k->t->geometry.vectors);
    }
    values[k->sums] = totals[k->sums];
    if (k->t->tile.block_taps == 1) {
        emit_tap(k, values, channel_offset, first, kpacks);
    } else if (aic_tiling_skips(k->t)) {
        emit_range(k, values, channel_offset, kpacks, emit_tap);
    } else {
        LLVMValueRef end = aic_add(e, first, aic_int(e, k->t->tile.block_taps));
        aic_loop loop;
        aic_loop_begin(e, &loop, "tap: taps of the kernel", first, aic_min(e, end, aic_int(e, k->t->panel.taps)), 1,
                       values, k->sums + 1);
        name_carried(k, &loop, "acc", ".tap");
        emit_tap(k, values, channel_offset, loop.index, kpacks);
        aic_loop_end(e, &loop);
    }
    for (unsigned i = 0; i < k->sums; i++) {
        totals[i] = fold(k, totals[i], values[i]);
        aic_name(e, totals[i], "total.p%u.v%u.next", i / k->t->geometry.vectors, i % k->t->geometry.vectors);
    }
    totals[k->sums] = values[k->sums];
}

static void emit_reduction(tile *k, LLVMValueRef *totals)
{
    aic_emit *e = k->e;
    int64_t blocks = k->t->geometry.arithmetic.sum == AIC_SUM_CUBE ? k->c->c1 : 1, kpacks = k->t->panel.kpacks / blocks;
    aic_loop channels, taps;
    aic_loop_begin(e, &channels, "block: blocks of channels", aic_int(e, 0), aic_int(e, blocks), 1, totals,
                   k->sums + 1);
    name_carried(k, &channels, "total", ".block");
    LLVMValueRef offset = aic_mul(e, channels.index, kpacks * k->t->geometry.arithmetic.kpack_bytes);
    if (aic_tiling_skips(k->t) && k->t->tile.block_taps == 1) {
        k->first = aic_at(e, aic_at_const(e, k->panel, k->t->panel.start_bytes),
                          aic_mul(e, channels.index, k->t->panel.taps * kpacks * k->t->panel.step_bytes));
        emit_range(k, totals, offset, kpacks, emit_tap_block);
        aic_loop_end(e, &channels);
        return;
    }
    k->first = totals[k->sums];
    aic_loop_begin(e, &taps, "taps: taps whose sums are folded together", aic_int(e, 0), aic_int(e, k->t->panel.taps),
                   k->t->tile.block_taps, totals, k->sums + 1);
    name_carried(k, &taps, "total", "");
    emit_tap_block(k, totals, offset, taps.index, kpacks);
    aic_loop_end(e, &taps);
    aic_loop_end(e, &channels);
}

static void set_types(tile *k)
{
    aic_emit *e = k->e;
    bool is_float = k->t->geometry.arithmetic.product == AIC_PRODUCT_FLOAT;
    unsigned channels = k->t->geometry.arithmetic.kpack_channels;
    LLVMTypeRef word = is_float ? e->f32 : e->i32;
    LLVMTypeRef sum = k->t->geometry.arithmetic.sum == AIC_SUM_CUBE ? e->f64 : word;
    LLVMTypeRef total = k->t->geometry.arithmetic.sum == AIC_SUM_INT_WIDE ? e->i64 : word;
    k->out_type = aic_vector(word, k->t->geometry.lanes);
    k->sum_type = aic_vector(sum, k->t->geometry.lanes);
    k->total_type = aic_vector(total, k->t->geometry.lanes);
    k->kpacks_type =
        is_float ? k->sum_type : aic_vector(channels == 2 ? e->i16 : e->i8, channels * k->t->geometry.lanes);
}

LLVMValueRef aic_emit_vector_tile(aic_emit *e, const aic_contraction *c, const aic_tiling *t, int64_t rows,
                                  int64_t cols, LLVMValueRef leave, const char *name)
{
    static const char *const PARAMS[] = {"out", "band", "panel", "taps"};
    (void)leave;
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 4, 0);
    aic_note_function(e, "tile of %lld x %lld pixels x %lld output channels: acc.pP.vV is the sum of pixel P, vector V",
                      (long long)rows, (long long)cols, (long long)t->geometry.panel_channels);
    LLVMValueRef function = e->function;
    tile k = {.e = e, .c = c, .t = t, .cols = cols, .pixels = (unsigned)(rows * cols)};
    k.sums = k.pixels * t->geometry.vectors;
    aic_limit("sums and pointers of a tile", k.sums + 2, AIC_CARRIED_MAX);
    k.out = aic_emit_param(e, 0);
    k.band = aic_emit_param(e, 1);
    k.panel = aic_emit_param(e, 2);
    k.taps = aic_emit_param(e, 3);
    set_types(&k);
    if (aic_tiling_skips(t)) {
        k.range = aic_emit_tap_range(e, c, &t->panel, k.taps, k.panel);
    }
    LLVMValueRef totals[AIC_CARRIED_MAX];
    for (unsigned i = 0; i < k.sums; i++) {
        totals[i] = first_total(&k, i);
    }
    totals[k.sums] = aic_at_const(e, k.panel, t->panel.start_bytes);
    emit_reduction(&k, totals);
    store_totals(&k, totals);
    aic_emit_function_end(e);
    return function;
}
