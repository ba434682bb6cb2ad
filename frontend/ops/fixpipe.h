/* What the parts of fixpipe's frontend and its generator share: the table of modes (AscendC Fixpipe), where
 * dst's elements lie, the legal scales. */
#pragma once

#include "frontend/core/op.h"

/* Where a mode's quantisation word comes from. */
typedef enum aic_fixpipe_scale {
    AIC_FIXPIPE_UNSCALED,
    AIC_FIXPIPE_SCALAR, /* deqScalar */
    AIC_FIXPIPE_VECTOR  /* cbufWorkspace, one word a column */
} aic_fixpipe_scale;

/* UNSCALED for values that are no mode. */
aic_fixpipe_scale aic_fixpipe_scale_of(aic_quant_pre mode);

/* The strides of dst, in elements, of a valid descriptor: element (j, n) of matrix i lies at
 *
 *     i*matrix + (n/width)*block + j*row + n%width
 *
 * but for the last 16 columns when tail is 16: they lie `tail` apart from row to row. */
typedef struct aic_fixpipe_strides {
    int64_t matrices; /* 1 for ndNum = 0, which touches nothing, and for NZ */
    int64_t width;    /* nSize in ROW_MAJOR: one block of all columns */
    int64_t block, row, matrix;
    int64_t tail; /* row of the last block: 16 for an odd last block of int8 and uint8, else `row` */
} aic_fixpipe_strides;

/* Whether there are several matrices. In the format NZ ndNum has no effect, except that nothing is done for 0. */
static inline bool aic_fixpipe_has_matrices(const aic_fixpipe_desc *desc)
{
    return desc->format == AIC_FORMAT_ROW_MAJOR && desc->ndNum > 1;
}

/* Whether an odd last block of 16 columns is stored as one of 32, zeros in its last 16; of any descriptor. */
bool aic_fixpipe_fills(const aic_fixpipe_desc *desc);

aic_fixpipe_strides aic_fixpipe_strides_of(const aic_fixpipe_desc *desc);

/* Elements of dst, from the first to the last that is written. */
int64_t aic_fixpipe_dst_extent(const aic_fixpipe_desc *desc, const aic_fixpipe_strides *to);

/* deqScalar of a descriptor whose word code gets by an address, in the place of cbufWorkspace: this bit, which counts
 * in no word, and from bit 1 on what kind of word it is, bits of aic_fixpipe_word. There is code for each kind. */
#define AIC_FIXPIPE_WORD_BY_ADDRESS (UINT64_C(1) << 63)

typedef enum aic_fixpipe_word {
    AIC_FIXPIPE_WORD_PLAIN = 0,    /* int8 of a product that cannot overflow int32, clamped to its range or to 0..127 */
    AIC_FIXPIPE_WORD_OFFSET = 1,   /* int8 with an offset that is an int8, too */
    AIC_FIXPIPE_WORD_UNSIGNED = 2, /* uint8 with an offset from 0 on */
    AIC_FIXPIPE_WORD_SHIFTS = 4,   /* of int32, with products that reach every result all the same */
    AIC_FIXPIPE_WORD_LIMITED = 8,  /* anything but what LARGE means */
    AIC_FIXPIPE_WORD_LARGE = 16    /* products of int32 may overflow */
} aic_fixpipe_word;

enum { AIC_FIXPIPE_WORD_KINDS = 31 };

static inline uint64_t aic_fixpipe_mark(unsigned kinds)
{
    return AIC_FIXPIPE_WORD_BY_ADDRESS | (uint64_t)kinds << 1;
}

static inline unsigned aic_fixpipe_marked(uint64_t mark)
{
    return (unsigned)(mark >> 1) & AIC_FIXPIPE_WORD_KINDS;
}

/* Entries of aic_op_fixpipe; see aic_op_info for what each does. */
void aic_fixpipe_coordinates(const void *desc, const aic_semantics *semantics, int operand,
                             aic_coordinates *coordinates);
void aic_fixpipe_canonicalise(void *desc, const aic_semantics *semantics);
size_t aic_fixpipe_take_word(void *desc, bool alone, uint64_t *word);
void aic_fixpipe_random(uint64_t *state, void *desc);
void aic_fixpipe_random_fused(uint64_t *state, const aic_accumulator *from, void *descriptor);
