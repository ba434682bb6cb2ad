/* The parts that pack image rows into a band. Where rows and columns of one residue modulo the strides lie together
 * (aic_wish.run), a row of the band is one for each residue of columns.
 *
 *     void rows(band, image; first, rows)     `rows` band rows, band row 0 shows image row `first`, which may be < 0
 *       row.pitch                  from one row of the band to the next, of those that have the same residue
 *       row.residues, row.residue  how many residues rows have; bytes from those of one to those of the next; with
 *                                  row_residues
 *       residue.R                  bytes to the row of column residue R; R > 0
 *       row.gap                    image rows from one band row to the next; with gap
 *       row.step, row.skip         band rows of a window, image rows between two windows; with windows
 *       notes.before               bytes from the note of special elements to the band; with notes
 *       roles `row.R`              pack rows of column residue R: one, or all where they are together
 *
 *     void row(row, image; h, rows)
 *     void row(row, image, note; h, rows)
 *       so many band rows, the first one from image row h, which may lie outside of the image; with fold, each from as
 *       many image rows. With special elements there is the note. It takes the place of `rows` where that would do no
 *       more than call it
 *       row.pitch, row.gap         from one row of the band to the next, in bytes, in image rows
 *       plane                      bytes to the second plane
 *       row.bytes                  of padding where the row is outside, or where the image overwrites it; with sides
 *                                  or padded
 *       left.bytes                 of the padding left of the image; with sides or padded
 *       right.bytes, right.at      the same on the right, and where it begins, with sides; of whole lines, of which
 *                                  the image overwrites what is its own, where edges are padded
 *       row.columns, left.columns, right.columns, pad.pitch
 *                                  the same in columns, and from one to the next; where padding differs by planes
 *       image.rows                 of the image
 *       image.row, image.first     bytes of an image row; before the first column that is packed
 *       fractal                    bytes of a fractal; with fractal
 *       inside                     columns that lie in the image: a loop; unless one
 *       whole                      those of them that are packed a line at a time; with fold
 *       pixel.pitch, image.step    bytes of a band pixel; from one image column to the next; unless one
 *       paired, blocks             blocks of channels in pairs, in all: loops; with pairs, singles
 *       row.next                   bytes of the image from a row of the band to the next; with pairs or singles, unless
 *                                  one
 *       image.block                bytes from one block of channels to the next
 *       even                       columns that are packed four at a time; with pairs, unless one
 *       rest.at, rest.from         where the rest is in a band pixel, in the image
 *       run                        channels of a row, or of a pixel, in whole vectors: a loop; with run or counts
 *       run.first                  channels before those; with leads
 *       run.last                   channels before the last vector, which overlaps the one before; with ends
 *       clear                      bytes before a vector that ends where a band pixel does; with counts and missing */
#pragma once

#include "codegen/parts/keys.h"
#include "codegen/program.h"

/* Whether rows follow each other as image rows do that are `row.gap` apart: one call packs them. */
static inline bool aic_rows_are_together(const aic_rows_key *key)
{
    return !key->windows && !key->row_residues && key->residues == 1;
}

/* Pixels of pairs of blocks that are packed in a loop body. */
enum { AIC_ROW_TOGETHER = 4 };

/* Whether what lies in the image may not begin where the row does. */
static inline bool aic_row_begins_inside(const aic_row_key *key)
{
    return key->padded || key->sides;
}

/* Whether only the lines at the edges of a row are filled with padding first where it lies in the image. */
static inline bool aic_row_pads_edges(const aic_row_key *key)
{
    return key->padded && key->planes == 1 && key->fold == 1;
}

/* Whether padding is another number in each plane; 0 is 0 in all. */
static inline bool aic_row_pads_planes(const aic_row_key *key)
{
    return key->planes > 1 && key->pad != 0;
}

/* Channels of a vector access to contiguous channels of so many bytes in a k-pack: a line of k-packs, or more if a line
 * has few channels. */
static inline int64_t aic_row_vector(int64_t channel_bytes)
{
    return 64 / channel_bytes > 16 ? 64 / channel_bytes : 16;
}
