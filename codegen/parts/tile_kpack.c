/* One k-pack of a tile: what it loads of image and weights, and what it adds to the sums; see tile_kpack.h. */
#include "codegen/parts/tile_kpack.h"
#include "codegen/arithmetic.h"
#include "codegen/integer.h"
#include "codegen/kpacks.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "codegen/parts.h"
#include "codegen/parts/sums.h"

#include <stdio.h>

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
static void fetch_ahead(const aic_tile *k, LLVMValueRef panel, int64_t kpack)
{
    const int64_t step = k->step_bytes, lines = aic_parts(kpack * step, AIC_LINE_BYTES);
    for (int64_t at = lines * AIC_LINE_BYTES; k->key->ahead > 0 && at < (kpack + 1) * step; at += AIC_LINE_BYTES) {
        aic_fetch_to_read(k->e, panel, k->key->ahead + at);
    }
}

/* Where in a pixel of the band the first k-pack lies that an output channel of the panel sees. */
static LLVMValueRef group_offset(const aic_tile *k, unsigned channel)
{
    aic_emit *e = k->e;
    const int64_t at = (int64_t)(channel * sizeof(int32_t));
    LLVMValueRef head = aic_behind(e, k->panel, "groups.at");
    return LLVMBuildZExt(e->builder, aic_load(e, e->i32, head, at, sizeof(int32_t)), e->i64, "");
}

/* The groups that the lanes of a vector see behind the first one. Some vectors meet one less than others: then what
 * lies behind the last one is loaded, for no lane, also at the end of a band, behind which there is room for that. */
static void load_next_groups(aic_tile *k, unsigned vector)
{
    aic_emit *e = k->e;
    const unsigned merges = (unsigned)k->key->group_merges;
    LLVMValueRef pitch = aic_number(e, "group.pitch"), at = k->seen[vector];
    LLVMValueRef head = aic_behind(e, k->panel, "groups.at");
    LLVMValueRef lanes = aic_load(e, aic_vector(e->i32, k->lanes), head, (int64_t)(vector * k->lanes * sizeof(int32_t)),
                                  sizeof(int32_t));
    for (unsigned i = vector * merges; i < (vector + 1) * merges; i++) {
        at = aic_add(e, at, pitch);
        LLVMValueRef first = aic_splat(e, LLVMBuildTrunc(e->builder, at, e->i32, ""), k->lanes);
        k->next_lanes[i] = LLVMBuildICmp(e->builder, LLVMIntSGE, lanes, first, "");
        k->next_seen[i] = at;
    }
}

void aic_tile_load_seen(aic_tile *k)
{
    const aic_tile_image image = (aic_tile_image)k->key->image;
    const bool vectors = image == AIC_TILE_VECTORS || image == AIC_TILE_SPREAD || image == AIC_TILE_MERGED;
    if (image == AIC_TILE_GROUP) {
        k->band = aic_at(k->e, k->band, group_offset(k, 0));
    }
    aic_limit("groups that are merged", image == AIC_TILE_MERGED ? k->vectors * k->key->group_merges : 0,
              AIC_TILE_MERGES);
    for (unsigned v = 0; v < k->vectors && vectors; v++) {
        k->seen[v] = group_offset(k, v * k->lanes);
        if (image == AIC_TILE_MERGED) {
            load_next_groups(k, v);
        }
    }
}

/* K-packs of whole groups, of which lane i takes number `kpack` of its group; a group's lanes are neighbours. */
static LLVMValueRef spread_kpacks(const aic_tile *k, LLVMValueRef pixel, LLVMTypeRef scalar, int64_t kpack)
{
    aic_emit *e = k->e;
    const unsigned outputs = (unsigned)k->key->group_lanes, kpacks = (unsigned)k->key->group_kpacks;
    LLVMTypeRef type = aic_vector(scalar, k->lanes / outputs * kpacks);
    LLVMValueRef groups = aic_load(e, type, pixel, 0, (unsigned)k->key->kpack_bytes);
    unsigned from[AIC_LINE_BYTES];
    aic_limit("lanes of a vector", k->lanes, sizeof from / sizeof *from);
    if (outputs == 1 && kpacks == 1) {
        return groups;
    }
    /* Else LLVM loads the groups of all pixels once for all k-packs, for which there are no registers. */
    LLVMSetVolatile(groups, kpack > 0);
    for (unsigned i = 0; i < k->lanes; i++) {
        from[i] = i / outputs * kpacks + (unsigned)kpack;
    }
    return aic_shuffle(e, groups, LLVMGetUndef(type), from, k->lanes);
}

/* A k-pack of one pixel for every lane of a vector, from where each output channel sees it. */
static LLVMValueRef load_lanes(const aic_tile *k, LLVMValueRef pixel, LLVMTypeRef scalar, int64_t offset,
                               unsigned vector)
{
    aic_emit *e = k->e;
    LLVMValueRef lanes = LLVMGetUndef(k->sum_type);
    for (unsigned i = 0; i < k->lanes; i++) {
        LLVMValueRef at = aic_at(e, pixel, group_offset(k, vector * k->lanes + i));
        LLVMValueRef value = aic_load(e, scalar, at, offset, (unsigned)k->key->kpack_bytes);
        lanes = LLVMBuildInsertElement(e->builder, lanes, value, LLVMConstInt(e->i32, i, false), "");
    }
    return lanes;
}

/* A k-pack of a pixel, `offset` bytes behind the first one that lanes see: broadcast, and where lanes are of further
 * groups that of each of these in its place. */
static LLVMValueRef load_merged(const aic_tile *k, LLVMValueRef pixel, LLVMTypeRef scalar, int64_t offset,
                                unsigned vector)
{
    aic_emit *e = k->e;
    const unsigned merges = (unsigned)k->key->group_merges, bytes = (unsigned)k->key->kpack_bytes;
    LLVMValueRef first = aic_load(e, scalar, aic_at(e, pixel, k->seen[vector]), offset, bytes);
    LLVMValueRef lanes = aic_splat(e, first, k->lanes);
    for (unsigned i = vector * merges; i < (vector + 1) * merges; i++) {
        LLVMValueRef next = aic_load(e, scalar, aic_at(e, pixel, k->next_seen[i]), offset, bytes);
        lanes = LLVMBuildSelect(e->builder, k->next_lanes[i], aic_splat(e, next, k->lanes), lanes, "");
    }
    return lanes;
}

/* K-pack number `kpack` of pixel `p`, as the lanes of a vector multiply it. */
static LLVMValueRef load_image(const aic_tile *k, LLVMValueRef band, unsigned p, unsigned vector, int64_t kpack,
                               const char *suffix)
{
    aic_emit *e = k->e;
    const unsigned bytes = (unsigned)k->key->kpack_bytes, align = k->key->in_place ? 1 : bytes;
    LLVMTypeRef scalar = LLVMGetElementType(k->sum_type);
    LLVMValueRef value = NULL, pixel = k->key->widens_image
                                           ? aic_at_const(e, band, (int64_t)p * AIC_BLOCK_COLUMNS * bytes)
                                           : aic_at_nth(e, band, "pixel", p);
    const aic_tile_image image = (aic_tile_image)k->key->image;
    if (image == AIC_TILE_VECTORS || image == AIC_TILE_SPREAD) {
        pixel = aic_at(e, pixel, k->seen[vector]);
    }
    if (image == AIC_TILE_SPREAD) {
        value = spread_kpacks(k, pixel, scalar, kpack);
    } else if (image == AIC_TILE_MERGED) {
        value = load_merged(k, pixel, scalar, kpack * bytes, vector);
    } else if (image == AIC_TILE_LANES) {
        value = load_lanes(k, pixel, scalar, kpack * bytes, vector);
    } else {
        LLVMValueRef one = aic_load(e, scalar, pixel, kpack * bytes, align);
        aic_name(e, one, "x.p%u%s.kpack", p, suffix);
        value = aic_splat(e, one, k->lanes);
        value = k->offset == NULL ? value : LLVMBuildXor(e->builder, value, k->offset, "");
    }
    value = LLVMBuildBitCast(e->builder, value, k->kpacks_type, "");
    aic_name(e, value, "x.p%u%s", p, suffix);
    return value;
}

/* A vector of weights, `offset` bytes from the panel pointer on. */
static LLVMValueRef load_weights(const aic_tile *k, LLVMValueRef panel, int64_t offset)
{
    aic_emit *e = k->e;
    const aic_tile_key *key = k->key;
    const unsigned bytes = k->lanes * k->weight_bytes;
    if (key->widens == AIC_DTYPE_NONE) {
        return aic_load(e, k->kpacks_type, panel, offset, bytes);
    }
    const aic_arithmetic arithmetic = {.sum = (aic_sum)key->sum, .product = (aic_product)key->product, .planes = 1};
    const unsigned elements = k->lanes * (unsigned)key->kpack_channels;
    LLVMTypeRef type = aic_vector(LLVMIntTypeInContext(e->context, 8 * bytes / elements), elements);
    LLVMValueRef kpacks[AIC_PLANES_MAX];
    aic_to_kpacks(e, (aic_dtype)key->widens, &arithmetic, aic_load(e, type, panel, offset, bytes), kpacks);
    return kpacks[0];
}

/* Adds the products of a k-pack of column number `column` of the band with each tap of a row of the tile that sees it,
 * the first pixel of which has this number. */
static void add_column(const aic_tile *k, LLVMValueRef *sums, LLVMValueRef band, const LLVMValueRef *weight,
                       unsigned first, int64_t column, int64_t kpack)
{
    aic_emit *e = k->e;
    const aic_tile_key *key = k->key;
    LLVMValueRef image = NULL;
    for (int64_t tap = key->row_taps - 1; tap >= 0; tap--) {
        const int64_t pixel = aic_tile_pixel_of(key, column, tap);
        if (pixel < 0) {
            continue;
        }
        if (image == NULL) {
            LLVMValueRef at = aic_at_nth(e, aic_at_nth(e, band, "pixel", first), "column", column);
            LLVMValueRef one =
                aic_load(e, LLVMGetElementType(k->sum_type), at, kpack * key->kpack_bytes, (unsigned)key->kpack_bytes);
            image = LLVMBuildBitCast(e->builder, aic_splat(e, one, k->lanes), k->kpacks_type, "");
            aic_name(e, image, "x.p%u.c%lld", first, (long long)column);
        }
        LLVMValueRef *sum = &sums[first + pixel];
        *sum = aic_sum_add(e, (aic_product)key->product, *sum, image, weight[tap]);
    }
}

/* The same of a kernel row, whose taps are done together. */
static void add_row(const aic_tile *k, LLVMValueRef *sums, LLVMValueRef band, LLVMValueRef panel, int64_t kpack)
{
    const aic_tile_key *key = k->key;
    LLVMValueRef weight[AIC_TILE_TOGETHER];
    aic_limit("taps that are done together", (size_t)key->row_taps, AIC_TILE_TOGETHER);
    for (int64_t tap = 0; tap < key->row_taps; tap++) {
        LLVMValueRef at = aic_at_nth(k->e, panel, "tap.panel", tap);
        weight[tap] = load_weights(k, at, kpack * k->step_bytes);
        fetch_ahead(k, at, kpack);
    }
    for (unsigned first = 0; first < k->pixels; first += (unsigned)key->row_pixels) {
        for (int64_t column = 0; column <= aic_tile_reach(key); column++) {
            add_column(k, sums, band, weight, first, column, kpack);
        }
    }
}

void aic_tile_add_kpack(const aic_tile *k, LLVMValueRef *sums, LLVMValueRef band, LLVMValueRef panel, int64_t kpack)
{
    aic_emit *e = k->e;
    const unsigned vectors = k->vectors;
    const bool same = k->key->image == AIC_TILE_SAME || k->key->image == AIC_TILE_GROUP;
    LLVMValueRef weight[AIC_CARRIED_MAX]; /* no more than there are sums */
    const kpack_suffix suffix = suffix_of(e, kpack);
    if (k->key->row_taps > 0) {
        add_row(k, sums, band, panel, kpack);
        return;
    }
    for (unsigned v = 0; v < vectors; v++) {
        weight[v] = load_weights(k, panel, (kpack * vectors + v) * k->lanes * k->weight_bytes);
        aic_name(e, weight[v], "w.v%u%s", v, suffix.text);
    }
    fetch_ahead(k, panel, kpack);
    for (unsigned p = 0; p < k->pixels; p++) {
        LLVMValueRef image = NULL;
        for (unsigned v = 0; v < vectors && !aic_tile_leaves_out(k, p); v++) {
            image = v == 0 || !same ? load_image(k, band, p, v, kpack, suffix.text) : image;
            sums[p * vectors + v] =
                aic_sum_add(e, (aic_product)k->key->product, sums[p * vectors + v], image, weight[v]);
            aic_name(e, sums[p * vectors + v], "acc.p%u.v%u.%s", p, v, kpack + 1 == k->key->unroll ? "next" : "sum");
        }
    }
}
