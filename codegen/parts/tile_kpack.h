/* Within a tile: one k-pack of every pixel times one of every output channel. Part of tile.c. */
#pragma once

#include "codegen/llvm/emit.h"
#include "codegen/parts/tile.h"

/* The taps that a tile does, ends excluded. With edges pixels of its first column do those from kernel column `left`
 * on, pixels of its last column those before `right`, which is not less. */
typedef struct aic_tap_range {
    LLVMValueRef first_row, end_row, first_column, end_column, left, right;
} aic_tap_range;

/* Pixels by the column of the tile in which they are; with edges. */
typedef enum aic_tile_place { AIC_TILE_INNER, AIC_TILE_FIRST, AIC_TILE_LAST, AIC_TILE_PLACES } aic_tile_place;

/* A tile that is emitted. */
typedef struct aic_tile {
    aic_emit *e;
    const aic_tile_key *key;
    unsigned pixels, vectors, lanes, sums;
    unsigned weight_bytes; /* of one k-pack of an output channel in a panel */
    int64_t step_bytes;    /* of one k-pack in a panel */
    LLVMTypeRef sum_type, total_type, out_type, kpacks_type;
    LLVMValueRef out, band, panel, taps;
    LLVMValueRef count;  /* k-packs of a tap that are computed in the last block of channels; with counts */
    LLVMValueRef kpacks; /* the same in the current block */
    aic_tap_range range; /* if tiles leave out any */
    LLVMValueRef seen[AIC_CARRIED_MAX]; /* by vectors, where in a pixel that begins which the vector's lanes see */
    /* Of the groups behind the first one that the lanes of a vector see: where in a pixel that begins, and the lanes of
     * this group and those behind it; vector by vector. */
    LLVMValueRef next_seen[AIC_TILE_MERGES], next_lanes[AIC_TILE_MERGES];
    LLVMValueRef offset;     /* what is added to each k-pack of the image, by exclusive or; NULL: nothing */
    LLVMValueRef first;      /* address in the panel of the first tap of the current block of channels */
    aic_tile_place left_out; /* pixels that leave out the current tap; AIC_TILE_INNER: none do */
} aic_tile;

static inline aic_tile_place aic_tile_place_of(const aic_tile *k, unsigned pixel)
{
    const unsigned columns = (unsigned)k->key->edges, column = columns > 0 ? pixel % columns : 0;
    return columns == 0            ? AIC_TILE_INNER
           : column == 0           ? AIC_TILE_FIRST
           : column + 1 == columns ? AIC_TILE_LAST
                                   : AIC_TILE_INNER;
}

/* Whether a pixel leaves out the current tap. */
static inline bool aic_tile_leaves_out(const aic_tile *k, unsigned pixel)
{
    return k->left_out != AIC_TILE_INNER && aic_tile_place_of(k, pixel) == k->left_out;
}

/* What lanes see of a pixel, if that depends on the panel: loaded once, before the sums are formed. */
void aic_tile_load_seen(aic_tile *k);

/* Adds to the sums the products of number `kpack` of a loop body, for pixels that do the current tap; or for all taps
 * of a kernel row that are done together. */
void aic_tile_add_kpack(const aic_tile *k, LLVMValueRef *sums, LLVMValueRef band, LLVMValueRef panel, int64_t kpack);
