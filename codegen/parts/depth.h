/* The parts of depthwise contractions, in which every output channel sees one input channel: lanes are channels of
 * image, weights and results alike, but where several outputs see the same input channel, which is then repeated.
 *
 * Tiles are whole rows of the output and read the image where it lies. The band has a pointer for each row of the
 * padded image, to its first column in the image; those above and below it point to a row of padding behind the
 * pointers, whose first pixel stands for what is left and right of the image, too.
 *
 * Where an instruction multiplies several elements, these are of one channel in as many rows, one below the other, a
 * line: two as int16 (AIC_PRODUCT_ROWS), or four bytes (AIC_PRODUCT_QUAD). A tile puts them together in registers, each
 * once for all taps of a kernel row and all rows of the tile that read it. The lines are those of a tile, from its
 * first row of the image on.
 *
 * A panel is [block of 16 channels][reduction step][channel]. Steps are taps, in order. Of lines they are the taps of a
 * line, one below the other, and there is a set of steps, ceil((kh + at) / elements) x kw, for each number `at` of a
 * row of a line at which rows of a tile begin, with weights of 0 above the kernel's first row and below its last. The
 * step before all others is what sums start from, where the image is offset (`starts`).
 *
 *     void depth_tile(out, band, panel, private)           the rows of a tile, some together, in steps across
 *       groups                     of rows, a loop; fewer rows may follow
 *       group.out, group.band      from one to the next in the result, in the band
 *       middle                     steps but for the first and last one, a loop
 *       padding.at                 where a pixel of padding is in a worker's memory
 *       out.R                      from the first row of results to row R; with several rows together
 *       out.block, block.panel     from one block of 16 channels to the next in the result, in the panel; with several
 *       row.R                      from the pointer to the first row that the kernel sees to that of row R
 *
 *     void depth_image(band, image; first, rows)           pointers to `rows` rows, image row `first` being the first
 *       image.rows, image.row      rows of the image, bytes of one
 *       padding.at, padding.bytes  where the row of padding is in the band, a loop over its bytes; with `outer`
 *
 *     void depth_weights(packed, weight; first, last)      panels first .. last - 1
 *       panel.bytes, blocks        bytes of a panel; blocks of 16 channels of a panel, a loop
 *       panel.weights, tap.weights bytes of a panel's weights of a tap; from one tap to the next */
#pragma once

#include "codegen/arithmetic.h"
#include "codegen/integer.h"
#include "codegen/parts/keys.h"
#include "codegen/program.h"

/* Bytes of the channels of a block; of a pointer; rows and columns of a kernel, rows and vectors that a tile computes
 * together, at most. */
enum { AIC_DEPTH_BLOCK = 32, AIC_DEPTH_POINTER = 8, AIC_DEPTH_SIDE = 7, AIC_DEPTH_ROWS = 4, AIC_DEPTH_VECTORS = 2 };

/* Rows of the image in a line, and taps of a reduction step. */
static inline int64_t aic_depth_turns(int64_t product)
{
    return product == AIC_PRODUCT_QUAD ? 4 : product == AIC_PRODUCT_ROWS ? 2 : 1;
}

/* Rows of the image that rows of a tile read together, those between dilated taps left out; lines of them. */
static inline int64_t aic_depth_reach(const aic_depth_key *key)
{
    return (key->rows - 1) * key->down + key->kh;
}

static inline int64_t aic_depth_lines(const aic_depth_key *key)
{
    return aic_parts(aic_depth_reach(key), aic_depth_turns(key->product));
}

/* Blocks of 16 output channels of a panel: those that see a block of the image's channels. */
static inline int64_t aic_depth_blocks(const aic_depth_key *key)
{
    return AIC_DEPTH_BLOCK / (int64_t)aic_dtype_size((aic_dtype)key->dtype) * key->times / AIC_BLOCK_COLUMNS;
}

/* The number of the row of a line at which one of the rows begins that are computed together. */
static inline int64_t aic_depth_begin(const aic_depth_key *key, int64_t row)
{
    return row * key->down % aic_depth_turns(key->product);
}

/* Pixels that a step across has begun and not finished when it has added its last column. */
static inline int64_t aic_depth_open(const aic_depth_key *key)
{
    return key->carries ? (key->kw - 1) * key->dilation / key->across : 0;
}

/* Steps down of one kernel column for such a row. */
static inline int64_t aic_depth_steps_down(const aic_depth_key *key, int64_t row)
{
    return aic_parts(key->kh + aic_depth_begin(key, row), aic_depth_turns(key->product));
}

/* How many of these rows have steps of their own, the first ones: rows that begin alike share them. */
static inline int64_t aic_depth_sets(const aic_depth_key *key)
{
    return key->rows > 1 && aic_depth_begin(key, 1) != 0 ? 2 : 1;
}

/* Steps of the rows before this one; of them all. */
static inline int64_t aic_depth_steps_before(const aic_depth_key *key, int64_t row)
{
    return row > 0 && aic_depth_begin(key, 1) != 0 ? key->kw * aic_depth_steps_down(key, 0) : 0;
}

static inline int64_t aic_depth_steps(const aic_depth_key *key)
{
    const int64_t last = aic_depth_sets(key) - 1;
    return aic_depth_steps_before(key, last) + key->kw * aic_depth_steps_down(key, last);
}
