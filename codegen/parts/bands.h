/* The loops around the tiles of a contraction: the phase "bands"; and what they call besides tiles, packing and stores.
 *
 *     void bands(operands..., shared, private; first, last)
 *
 * An item is a part of the output channels of a band: item = band * parts + part. A worker that does several parts of a
 * band packs its image once. Slices, which do not see the same channels, have their bands one after the other, as these
 * lie in the image and in the result: item = slice * bands + band. shared is the epilogue's table of column parameters;
 * private begins with the ranges of the taps that a tile does, if tiles leave out some, and how many k-packs of every
 * tap it does, if it leaves out some, then the table of the taps' offsets.
 *
 *     for band: pack its image rows, then
 *         for panel, or strip of panels, of output channels
 *           for tile row of the band, for tile column: call the tile's function
 *       or, window: the loops over tiles outside, with several blocks of channels between
 *
 * Numbers; sizes, offsets and pitches in bytes. S is 0 for the larger tiles or strips and 1 for the smaller ones, T the
 * size of a tile: 2 * (fewer rows) + (fewer columns). G is `rows` or `cols`. Pixels of the output are counted in bytes
 * of the result, unless staged.
 *
 *     G.band.S, G.pixels.S       from a tile to the next in the band, in pixels; cols: unless one_col
 *     tile.G.S                   the same in rows, columns; where tiles leave out taps in this direction
 *     cols.end.S                 pixels of a row up to the end of the tiles of a size; unless one_col
 *     rows.end                   pixels of all larger tiles; with small_rows
 *     tile.rows                  rows of the larger tiles
 *     rows.0, rows.less          their tile rows; rows by which the smaller tiles are smaller; with small_rows
 *     tile.count                 tile rows in all
 *     band.tiles                 tile rows of a band
 *     out.cols                   pixels of a row of the output
 *     out.row                    of the image, from one output row to the next; with in_place
 *     row.step, row.reach        band rows from one output row to the next; that one output row needs; unless in_place
 *     down.stride, down.pad      of image rows; unless in_place, or with finite
 *     kh, kw                     taps of the kernel, as the table has them: loops; this and the next six with table
 *     kh.step, kw.step           band rows, columns from one to the next
 *     row.pitch, pixel.pitch     of a band; with residues: of one of them
 *     row.residues, row.residue  residues; bytes from one to the next; with row_residues
 *     col.residues, col.residue  the same; with col_residues
 *     taps.at, staging.at, band.at, deferred.at      offsets in the worker's memory; the first one with table, band.at
 *                                unless in_place, the last one with defers
 *     panel.pitch                from one panel to the next; unless at_once
 *     counts.at, counts          from the first panel to the counts of k-packs; how many, a loop; with counts
 *     count.at, count.less       offset of what tiles read of them in the worker's memory; what it is less; the same
 *     count.all                  all k-packs; with finite or noted
 *     note.at                    offset of packing's note in the worker's memory; with noted
 *     count.reach                image rows that one output row needs; with finite
 *     image.last                 from the image to its last block of channels; with finite
 *     image.row, image.rows      bytes of a row; rows; with finite
 *     strips                     panels or strips that tiles compute
 *     parts                      of a band; unless slices or one_part
 *     part.strips                strips of a part; unless one_part
 *     bands                      of each slice; with slices
 *     slice.image                from the channels of a part to those of the next one in the image; with slices
 *     blocks, blocks.last        of channels, a loop; the last one; with blocks
 *     block.band, block.panel    from one block of channels to the next
 *     panel.out                  from one panel to the next in the result; unless staged
 *     block.panels, block.out    panels of a block of columns; from one block to the next; with narrow
 *   with staged:
 *     strips.S                   strips of a kind
 *     strip.pitch, strip.columns     from one to the next: bytes of its panels; columns
 *     panels.S, panel.row        panels of a strip, a loop; from one to the next in the buffer; unless at_once
 *     buffer.bytes               of the staging buffer
 *     run.T                      pixels of a run of a tile
 *     runs.T, run.pitch.T        runs, a loop; from one to the next; unless at_once
 *     run.skip.T, run.gap.T      from the end of a run to the next in the buffer, and pixels in the result; with defers
 *   where tiles leave out taps, for rows D = down and columns D = across:
 *     D.stride, D.pad, D.taps    of the contraction; down.stride and down.pad once
 *     D.between, D.share         pixels between two taps; 1 / dilation in units of 2^-AIC_BANDS_SHARE_BITS, rounded up
 *     D.last                     the last tap
 *     D.end                      extent and padding before it
 *     D.reach.S                  image rows from the first to the last pixel of a tile
 *
 *   roles `tile.T`, void (out, band, panel, taps; [block]); `image`, void (band, image; first, rows), unless in_place;
 *   `load.S`, void (staging, old; row, count, column); `store.S`, void (target, staging, table, inputs...; row, count,
 *   column); `leave`, void (note; runs, most); `finite`, the part, with finite
 *
 *     void finite(from, count; bytes)
 *       sets `count` to the number `all` if any of the halves in `bytes` bytes from `from` on is infinite or NaN */
#pragma once

#include "codegen/parts/keys.h"
#include "codegen/program.h"

enum { AIC_BANDS_INPUTS = 6, AIC_BANDS_TILES = 4 }; /* entries of the key's `input`; sizes of tiles */

/* A share rounded up is too large by less than 2^-24, and gives the same quotients as a division up to 2^24 divided by
 * the dilation: 65793 pixels, of which images have 4096 and padding 255. */
enum { AIC_BANDS_SHARE_BITS = 24 };
