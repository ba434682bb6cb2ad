/* The parts of Winograd's method (aic/winograd.def), which computes m x m results of a 3 x 3 kernel, a small tile, by
 * (m + 2)^2 products for each channel, its points. A group is the small tiles of one tile of the contraction:
 *
 *     [head][point][small tile][channel]      floats; the head: a word 0, the address of the group's first pixel in the
 *                                             band, and for each small tile a word that is not 0 if its window has
 *                                             elements that are not finite
 *
 * Sums of products lie in the worker's memory, [point][block of 16 output channels][small tile][16].
 *
 *     void winograd_image(groups, image; first, rows)      packs the band (role `rows`) and transforms it, window by
 *                                                          window (role `input`)
 *       raw.at                     from the groups to the band
 *       group.row, group.bytes     from one row of groups, one group to the next
 *       group.head                 bytes of a head
 *       down, across.S             small tiles of a group; S = 1: of the last groups across. across.S is a loop
 *       groups.S                   groups across, a loop
 *       raw.down, raw.across       bytes of the band from one group to the next
 *       tile.pitch                 bytes of a small tile at a point
 *       raw.row, raw.col           bytes of the band from one small tile to the next
 *
 *     void winograd_input(at, raw, note)                   one window, from the band to the points of its small tile
 *       channels                   bytes of a pixel, a loop
 *       pixel.P, point.P           where pixel P of the window is in the band; where point P is
 *
 *     void winograd_tile(out, group, panel, taps)          products (roles `product`, `rest`) and results (role
 *                                                          `output`, or, where something is not finite, `direct`)
 *       sums.at, planes.at, panel.start      the sums behind the taps; in a panel: weights by points, and by taps
 *       group.head
 *       points, blocks             loops: points; products of several small tiles
 *       sums.point, point.pitch, plane.bytes           from point to point: sums, group, weights
 *       block.sums, block.tiles    from product to product: sums, group
 *       rest.sums, rest.tiles      where the last product is; with rest
 *       down, across               small tiles of the group, loops
 *       out.row, raw.row           bytes of a row of pixels in the staging buffer, in the band
 *       raw.pixel                  of a pixel in the band
 *
 *     void winograd_output(out, sums)                      one small tile, from its sums to the staging buffer
 *       steps                      blocks of 16 output channels, a loop; 1 if a panel has no whole ones
 *       sums.step, out.step        from one to the next: sums, results
 *       point.P, block.B           where the sums of point P are, of block B of a step
 *       out.R, out.block.B         where row R of the results is, block B of a step
 *
 *     void winograd_weights(panel)                         weights by points from those by taps, which it has
 *       steps                      bytes of the weights of a tap, a loop
 *       tap.T, plane.P             where those of tap T, of point P are in the panel */
#pragma once

#include "codegen/parts/keys.h"
#include "codegen/program.h"

enum { AIC_WINOGRAD_SIDE = 6 }; /* points on a side, at most */

/* Words of a group's head. */
enum { AIC_GROUP_TAP, AIC_GROUP_BAND, AIC_GROUP_NOTES };
