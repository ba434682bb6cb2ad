/* The layouts of transdata (data layouts): what they hold, how large they are, and where
 * elements lie.
 *
 * A tensor is a matrix [R,C], feature maps [N,C,H,W] or weights [O,I,H,W]; sizes and indices of elements are given in
 * that order, whatever the layout. Blocks have 32 bytes (C0 elements) on one side and 16 elements on the other. */
#pragma once

#include <aic/spec.h>

#define AIC_TENSOR_RANK_MAX 4

/* What a formula needs of the tensor. */
typedef struct aic_tensor {
    int64_t size[AIC_TENSOR_RANK_MAX]; /* in the tensor's order; 1 past its rank */
    int64_t c0;                        /* elements in 32 bytes */
    int64_t word;                      /* elements in 4 bytes */
} aic_tensor;

/* How long a block is. */
typedef enum aic_layout_block {
    AIC_BLOCK_SIXTEEN, /* 16 elements */
    AIC_BLOCK_ROW,     /* 32 bytes: C0 */
    AIC_BLOCK_WORD,    /* 4 bytes */
} aic_layout_block;

typedef struct aic_layout_info {
    const char *tensor; /* "RC", "NCHW" or "OIHW": what it holds */
    const char *axes;  /* the same letters from the outer axis to the inner one, a small one for the index in a block */
    bool padded;       /* cells that hold no element are written as 0; else they keep their value */
    size_t word_bytes; /* it packs neighbouring batches, of elements of this size, into 4-byte words; 0: it does not */
    /* How long the blocks are, of at most two letters. */
    struct {
        char letter; /* 0: none */
        aic_layout_block length;
    } blocked[2];
} aic_layout_info;

/* NULL for values that are no layout. */
const aic_layout_info *aic_layout_get(aic_layout layout);

/* The dimensions of the tensor in it, outer to inner; returns the rank. */
int32_t aic_layout_dims(aic_layout layout, const aic_tensor *t, int64_t dims[AIC_RANK_MAX]);

/* Where elements lie along one dimension of the tensor: index i adds i / block * outer + i % block * inner cells.
 * Without blocks block is 1. */
typedef struct aic_layout_stride {
    int64_t block, outer, inner;
} aic_layout_stride;

/* The strides in the tensor's order. The layout holds this tensor. */
void aic_layout_strides(aic_layout layout, const aic_tensor *t, aic_layout_stride strides[AIC_TENSOR_RANK_MAX]);

/* The indices of the element in a cell, in the tensor's order; beyond the tensor's sizes where the cell holds none. */
void aic_layout_indices(aic_layout layout, const aic_tensor *t, int64_t cell, int64_t at[AIC_TENSOR_RANK_MAX]);

/* Whether elements of this type can be laid out so; the type has 1, 2 or 4 bytes. */
bool aic_layout_takes(aic_layout layout, aic_dtype dtype);

/* Whether transdata leads from one to the other: both hold the same tensor; words of batches come from and go to NCHW
 * only. Both are layouts. */
bool aic_layout_pair(aic_layout src, aic_layout dst);

/* In which order transdata's `shape` has the tensor's letters: that of the first of src and dst that has no blocks,
 * else the tensor's own. */
const char *aic_layout_shape_letters(aic_layout src, aic_layout dst);

/* The tensor of a (valid) descriptor. */
aic_tensor aic_transdata_tensor(const aic_transdata_desc *desc);
