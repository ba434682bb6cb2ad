/* What the loops around the tiles of a contraction tell tiles of taps and k-packs, at the begin of a worker's memory:
 * the table of the taps' offsets, and what tiles leave out. Part of bands.c. */
#pragma once

#include "codegen/llvm/emit.h"
#include "codegen/parts/bands.h"

typedef struct aic_band_taps {
    aic_emit *e;
    const aic_bands_key *key;
    LLVMValueRef taps;          /* where tiles read it */
    LLVMValueRef weight, image; /* operands */
    LLVMValueRef count;         /* k-packs of every tap that have weights; with counts */
} aic_band_taps;

/* Fills the table of tap offsets, table[kh][kw]. It is filled at run time: as constant data it would need a relocation
 * and, for large kernels, half a megabyte. */
void aic_emit_tap_table(const aic_band_taps *t);

/* Finds and stores how many k-packs of every tap have weights: the most that a panel has. */
void aic_find_tap_count(aic_band_taps *t);

/* Stores how many k-packs tiles of the current band compute: all, if packing has noted halves that are not finite. */
void aic_store_noted_count(const aic_band_taps *t);

/* The same where packing notes none: all, if there are some without weights and the image has
 * an element in its last block of channels that makes NaN of a weight of 0. The band has `height` output rows and
 * begins at image row `top`. */
void aic_store_band_count(const aic_band_taps *t, LLVMValueRef height, LLVMValueRef top);

/* Stores the range of taps in a direction that tiles of a size do, if they leave out some, `first` being their first
 * output row or column. */
void aic_store_row_range(const aic_band_taps *t, LLVMValueRef first, int size);
void aic_store_column_range(const aic_band_taps *t, LLVMValueRef first, int size);
