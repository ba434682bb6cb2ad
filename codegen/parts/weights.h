/* The parts that pack weights into panels.
 *
 *     void panels(packed, weight; first, last)    items first .. last - 1 of the output channels
 *       items, panels, item.pitch  in all; bytes from one item to the next
 *       panel.pitch, panel.bytes   from one panel to the next: in one block of channels, of all blocks
 *       panel.P, panel.start       from the first panel of an item to panel P; bytes of a head
 *       head, panel.clear, kpacks.clear             bytes that are cleared: loops
 *       full.panels, blocks, block.pitch            panels with output channels; blocks of channels; bytes of one
 *       panel.taps, tap.bytes, kpacks.used          of a panel; of a tap; bytes of the k-packs of a tap with channels
 *       whole.count, all           items, of weights in blocks blocks of channels, that are whole, and in all: loops
 *       source.item                bytes of an item's elements, of one tap
 *     of weights in blocks, [c1, taps, n, c0]:
 *       taps, source.tap           of the kernel, a loop; bytes of a tap of a block of channels
 *       item.channels, columns     output channels of an item, in all
 *       step.bytes, c0.kpacks, tap.kpacks           of a reduction step; k-packs of a channel block, of a tap
 *       block.kpacks, block.steps  k-packs of a tap in a block of channels; steps from one to the next; with blocks
 *       merged, pixel.kpacks, fold, fold.kpacks     taps that are one, kernel rows that are; k-packs of each
 *     with groups:
 *       panel.channels             output channels of a panel: a loop
 *       outputs, group.outputs     output channels of the input channels that a band has; of a group
 *       group.bytes                of the k-packs of a group in a pixel of the band
 *       groups.at                  from a panel to where its head says what output channels see: an int32 each, where
 *                                  the k-packs of its group begin in a pixel of the band, in bytes
 *       counts.at                  from the first panel to the counts of k-packs with weights; with counts
 *       count.first, count.tap     from a panel to the first k-pack of the last block of channels; there from one
 *                                  tap to the next; with counts
 *       count.from, count.least    k-packs of a tap before those; how many are counted at least; with counts
 *       count.kpacks, step         k-packs of the last block of channels; bytes of a step: loops; with counts
 *     roles `whole`, `rest`, `starts`
 *
 *     void weights(row, source, panel; count)
 *       packs `count` output channels of one block of channels and one tap; `row` is where the first one's first
 *       k-pack goes
 *       panel.P                    from the first panel to panel P of the output channels that are packed together
 *
 *     void weights_rows(row, source, panel)       packs an item of weights in rows, [channels, n], to `row`
 *       panel.P                    as above
 *       row.R, rows                bytes from the first row of a k-pack to row R, to the next k-pack
 *       kpacks                     that have all their rows: a loop
 *       rest.source, rest.at       bytes to a last k-pack that lacks rows, in the weight and in the panel
 *       last.columns               how many the last ones are; with masks
 *       block.kpacks, block.steps  k-packs in a block of channels; steps from one to the next; with blocks
 *
 *     void starts(panel)                          start values of a panel, which make up for the offset of the image
 *       panel.start                bytes of a panel's head
 *       steps                      of the reduction, where it is parted of one tap: a loop
 *       kh, kw, start.columns      kernel rows, columns, columns of prefix sums: loops, where it is parted
 *       start.row, start.all       bytes of a row of prefix sums; where the last of them is */
#pragma once

#include "codegen/parts/keys.h"
#include "codegen/program.h"

/* Columns that a mask loads at a time, of panels with so many output channels or at the end of so many columns: those
 * of a block, but half of them where panels end with half a block; 1: there are no such panels. */
static inline int64_t aic_weights_least(int64_t columns)
{
    enum { WHOLE = 16, HALF = 8 };
    return columns % WHOLE == 0 ? WHOLE : columns % HALF == 0 ? HALF : 1;
}
