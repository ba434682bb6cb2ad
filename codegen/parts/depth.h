/* The parts of depthwise contractions, in which every output channel sees one input channel: lanes are channels of
 * image, weights and results alike.
 *
 * The band has the padded image as it is, blocks of 32 bytes of channels: [row][column][channel]; as floats where
 * products are of doubles. Where products are of two rows (AIC_PRODUCT_ROWS) their elements lie in turns: [line of two
 * rows][column][channel][row]. What tiles load of it they extend in registers, each element once for all taps of a
 * kernel row that read it.
 *
 * A panel is [block of 16 channels][reduction step][channel]. Steps are taps, in order. Where products are of two rows,
 * a step has two taps, one below the other, and there are steps for tiles' rows that begin at the upper row of a line,
 * ceil(kh / 2) x kw, and, if the stride is odd, behind them others for those that begin at the lower one, ceil((kh + 1)
 * / 2) x kw, with a weight of 0 above the kernel's first row. What lies below its last row is 0, too.
 *
 *     void depth_tile(out, band, panel, taps)              the rows of a tile, in steps across; `taps` is not read
 *       steps, blocks              across, all but a shorter last one; of 16 channels: loops
 *       line.N                     where line N of the band is, N > 0
 *       out.1                      from the first row of results to the second; with two rows
 *       out.block                  from one block of channels to the next
 *
 *     void depth_image(band, image; first, rows)           `rows` rows, the first one being image row `first`
 *       line.pitch                 bytes of a line
 *       inside                     columns that lie in the image: a loop
 *       line.bytes                 of the columns of a line, left.bytes, right.bytes of those left and right of the
 *                                  image: loops; right.at where these are
 *       image.rows, image.row, image.last    rows of the image, bytes of one; the number of the last row
 *
 *     void depth_weights(packed, weight; first, last)      panels first .. last - 1
 *       panel.bytes, blocks        bytes of a panel; blocks of 16 channels of a panel, a loop
 *       panel.weights, tap.weights bytes of a panel's weights of a tap; from one tap to the next */
#ifndef AIC_PART_DEPTH_H
#define AIC_PART_DEPTH_H

#include "codegen/arithmetic.h"
#include "codegen/integer.h"
#include "codegen/program.h"

typedef struct aic_depth_key {
#define AIC_FIELD AIC_MEMBER
#include "codegen/parts/depth.def"
#undef AIC_FIELD
} aic_depth_key;

/* Bytes of the channels of a block; rows and columns of a kernel, rows of a tile, at most. */
enum { AIC_DEPTH_BLOCK = 32, AIC_DEPTH_SIDE = 7, AIC_DEPTH_ROWS = 2 };

/* Rows of the image in a line of the band, and taps of a reduction step. */
static inline int64_t aic_depth_turns(int64_t product)
{
    return product == AIC_PRODUCT_ROWS ? 2 : 1;
}

/* Lines of the band that so many rows of results read. */
static inline int64_t aic_depth_lines(const aic_depth_key *key, int64_t rows)
{
    return aic_parts((rows - 1) * key->down + key->kh, aic_depth_turns(key->product));
}

/* Reduction steps of one kernel column for tiles' rows that begin at row number `at` of a line. */
static inline int64_t aic_depth_steps_down(const aic_depth_key *key, int64_t at)
{
    return aic_parts(key->kh + at, aic_depth_turns(key->product));
}

/* The number of rows of a line at which rows of tiles begin: 1 or 2. */
static inline int64_t aic_depth_begins(const aic_depth_key *key)
{
    return key->product == AIC_PRODUCT_ROWS && key->down % 2 != 0 ? 2 : 1;
}

static inline int64_t aic_depth_steps(const aic_depth_key *key)
{
    const int64_t first = aic_depth_steps_down(key, 0);
    return key->kw * (aic_depth_begins(key) == 2 ? first + aic_depth_steps_down(key, 1) : first);
}

#endif
