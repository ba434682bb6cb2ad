/* Contractions: conv2d (and any operator that is one) as a sum over taps and channels, and how it is cut into tiles.
 *
 *     out[n][row][col] = start + sum over channel blocks, taps, channels of image(...) * weight(...)
 *
 * Two packed forms, both made of k-packs: the channels that one multiply-accumulate instruction takes from each operand
 * and lane (a pair of int16, four int8, a float or a double):
 *
 *     band    the padded image of some output rows: [row][column][k-pack], pixels and rows at fixed pitches.
 *             Padding is data here, so the inner loops know no border.
 *     panel   the weights of a tile's output channels: [reduction step][output channel], in the order in which
 *             the reduction runs; before them the sums' start values, where the image is offset.
 *
 * An element of two planes (a float16 as the sum of two bfloat16) has a k-pack in each plane. A pixel of a band is then
 * [plane][k-pack], or, where the taps of a kernel row are merged into one, a row of the band is
 * [plane][column][k-pack]; a panel is [reduction step][plane][output channel].
 *
 * Instructions that multiply bfloat16 give wrong results for some operands, called special elements here. Packing notes
 * in an int32 before the band, and at the head of each panel, whether there are any. */
#pragma once

#include "codegen/arithmetic.h"
#include "codegen/epilogue/epilogue.h"
#include "codegen/shape.h"

enum { AIC_CUBE_BYTES = 32 }; /* of the channels in a block of CUBE */

/* Where the image's elements lie, in elements: channel c of pixel (row, col) at
 *
 *     c/c0*block + row/fractal_rows*fractal + row%fractal_rows*row_pitch + col*pixel + c%c0
 *
 * A row is as long as its pixels: row_pitch = columns of the image * pixel. */
typedef struct aic_image_layout {
    int64_t block, fractal_rows, fractal, row_pitch, pixel;
} aic_image_layout;

/* The most products of two int8 that int32 can add up in any order: none is beyond (-128)*(-128) = 2^14 in magnitude,
 * and 131071 * 2^14 = 2^31 - 2^14. Longer sums are AIC_SUM_INT_WIDE, whose blocks of taps are no longer than this; the
 * channels of one tap are at most 4096. */
enum { AIC_INT32_PRODUCTS = INT32_MAX / (128 * 128) };
_Static_assert(AIC_INT32_PRODUCTS == 131071, "the documents have the same number");

/* How the weight is stored. */
typedef enum aic_weight_layout {
    AIC_WEIGHT_BLOCKS, /* [c1, kh, kw, weight_n, c0] */
    AIC_WEIGHT_ROWS,   /* [channels, n], 1x1 kernels only */
} aic_weight_layout;

/* A contraction in one direction, down or across: image pixels, taps of the kernel, output pixels. */
typedef struct aic_line {
    int64_t extent, taps, stride, dilation;
    int64_t pad; /* above, or left of, the image */
    int64_t out;
} aic_line;

typedef struct aic_contraction {
    aic_sum sum;
    aic_dtype dtype;  /* of image and weight */
    int64_t c1, c0;   /* c1 blocks of c0 channels */
    int64_t channels; /* channels in use: the last block may be partly unused, and unused k-packs are never read */
    int64_t groups;   /* input and output channels are cut into so many equal groups, an output sees its own; 0 as 1 */
    aic_image_layout image;
    aic_line down, across; /* the result is [n/16, block_rows, 16], pixel p = row*across.out + col */
    int64_t n;             /* output channels */
    aic_weight_layout weight;
    int64_t weight_n; /* output channels in the weight's blocks, at least n, a multiple of 16 */
    int64_t block_rows;
    double pad_value;
    bool winograd;          /* float sums of a 3 x 3 kernel may be formed by Winograd's method */
    bool wraps;             /* integer sums count modulo 2^32; else what does not fit is clamped, once */
    bool accumulate;        /* sums start from the start operand instead of from 0 */
    unsigned start_operand; /* number of that operand, laid out like the result; 0: it is the old output */
    bool start_channel;     /* the start operand has one value for each output channel, not one for each result; chains
                             * alone have such, and so an epilogue */
    /* The sums pass through an epilogue, strip by strip, instead of being stored as they are: it gives them the
     * operator's own layout and overflow mode (mmad), or applies a fused consumer. A consumer replaces the producer's
     * epilogue but keeps its steps, which turn the sums into what the producer would have stored, and adds those of
     * the stages between. Where sums start from the old output the epilogue does not convert them. */
    bool has_epilogue;
    aic_epilogue epilogue;
    aic_epilogue staged; /* what follows from it for tiles with a staging buffer (aic_staged_epilogue()); of plans */
} aic_contraction;

/* Numbers of the operands of a contraction. Chains with an l1out have it next; operands of the epilogue follow. */
enum { AIC_CONTRACTION_OUT, AIC_CONTRACTION_IMAGE, AIC_CONTRACTION_WEIGHT, AIC_CONTRACTION_L1OUT };

/* The channels that an output channel sees, in the blocks that the weight has: those of its group. */
typedef struct aic_seen {
    int64_t c1, c0, channels;
} aic_seen;

static inline aic_seen aic_seen_of(const aic_contraction *c)
{
    if (c->groups <= 1) {
        return (aic_seen){c->c1, c->c0, c->channels};
    }
    const int64_t channels = c->channels / c->groups, c0 = channels < c->c0 ? channels : c->c0;
    return (aic_seen){channels / c0, c0, channels};
}

typedef struct aic_contraction_schedule {
#define AIC_FIELD AIC_MEMBER
#include "codegen/contraction/schedule.def"
#undef AIC_FIELD
} aic_contraction_schedule;

/* The work of a plan whose shape is a contraction. */
static inline const aic_contraction *aic_contraction_of(const aic_plan *plan)
{
    return (const aic_contraction *)(const void *)plan->work.part;
}

/* Starts the description of a contraction, all zeros. */
aic_contraction *aic_contraction_begin(aic_work *work);

/* The description, for a later stage of a chain to change: sums that started from the old output now start from l1out,
 * and there is an epilogue, which stores the accumulators. Chains begin with contractions, of which none is empty. */
aic_contraction *aic_contraction_change(aic_work *work);

/* Replaces the epilogue by another one, whose steps are appended to those of the old one. */
void aic_contraction_end(aic_contraction *c, const aic_epilogue *epilogue);

extern const aic_shape aic_shape_contraction;
