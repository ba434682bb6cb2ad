/* The part that computes a tile of a contraction by vector instructions: output pixels times the output channels of one
 * panel, all sums in registers.
 *
 *     void tile(out, band, panel, taps)
 *
 * Its numbers, offsets and sizes in bytes:
 *
 *     kpacks                     k-packs of a tap in a block of channels, a loop; unless one_kpack, or counts and
 *                                one_block
 *     taps, blocks               of the kernel; of channels: loops, unless one_tap, one_block
 *     pixel.P                    from the first pixel to pixel P in the band, P > 0
 *     out.P                      the same in the result, or where tiles store it
 *     out.block.B                from the first to block B of 16 output channels, B > 0
 *     block.pitch, block.panel   from one block of channels to the next, in the band, or the image, and in a panel
 *     tap.panel                  from one tap to the next in a panel, in a block of channels
 *     panel.start                of a panel's head, if it has one
 *     wide.at                    from taps to where the tile widens the image; if it does
 *     groups.at                  from a panel to where its head says what lanes see; unless all see the same
 *     group.pitch                from what a group sees in a pixel to what the next one does; where k-packs of several
 *                                are merged
 *     column.C                   from a pixel to column C > 0 behind it in the band; this and the next two: where the
 *                                taps of a kernel row are done together
 *     row.panel                  from one kernel row to the next in a panel
 *     tap.panel.T                from the first tap of a kernel row to tap T > 0 of it in a panel
 *     kh, kw, start.columns      kernel rows and columns, columns of prefix sums; where taps are left out */
#pragma once

#include "codegen/parts/keys.h"
#include "codegen/program.h"

/* What sums start from: 0, or what is at out, to which integers are added with a clamp or modulo 2^32. */
typedef enum aic_tile_start { AIC_TILE_FROM_ZERO, AIC_TILE_CLAMPS, AIC_TILE_WRAPS } aic_tile_start;

/* Which k-packs of a pixel the lanes of a vector multiply. With groups the head of a panel says for every output
 * channel where in a pixel those begin that it sees, an int32 each. */
typedef enum aic_tile_image {
    AIC_TILE_SAME,    /* one for all lanes of a panel, whose output channels see all channels */
    AIC_TILE_GROUP,   /* one for all lanes of a panel, which lies in one group */
    AIC_TILE_VECTORS, /* one for all lanes of a vector, which lies in one group */
    AIC_TILE_SPREAD, /* several whole groups in a vector, whose k-packs are loaded together and spread over the lanes */
    AIC_TILE_MERGED, /* one for each group that a vector has lanes of, broadcast to these */
    AIC_TILE_LANES,  /* one for each lane, loaded apart */
} aic_tile_image;

/* The most k-packs that are merged into those of the first groups of a tile's vectors: x86 has as many registers for
 * masks. */
enum { AIC_TILE_MERGES = 7 };

/* The most taps that are done together. */
enum { AIC_TILE_TOGETHER = 7 };

/* Words before the table of taps that say which taps the tile does, where it leaves out some: kernel rows and columns,
 * ends excluded; with edges the first kernel column that pixels of the tile's first column do, and the end of those
 * that pixels of its last column do. */
enum {
    AIC_TILE_FIRST_ROW,
    AIC_TILE_END_ROW,
    AIC_TILE_FIRST_COLUMN,
    AIC_TILE_END_COLUMN,
    AIC_TILE_LEFT,
    AIC_TILE_RIGHT,
    AIC_TILE_RANGE_WORDS,
};

/* Where taps of a kernel row are done together: columns of the band from the first that a row of the tile sees to the
 * last; the pixel of the row that sees a column by a tap, -1: none does. */
static inline int64_t aic_tile_reach(const aic_tile_key *key)
{
    return (key->row_pixels - 1) * key->pixel_step + (key->row_taps - 1) * key->tap_step;
}

static inline int64_t aic_tile_pixel_of(const aic_tile_key *key, int64_t column, int64_t tap)
{
    const int64_t behind = column - tap * key->tap_step;
    return behind >= 0 && behind % key->pixel_step == 0 && behind / key->pixel_step < key->row_pixels
               ? behind / key->pixel_step
               : -1;
}

/* Whether the tile leaves out taps. */
static inline bool aic_tile_skips(const aic_tile_key *key)
{
    return key->skips_rows || key->skips_columns;
}

/* Whether what follows the weights of a tap may not lie behind the last k-pack that is computed. */
static inline bool aic_tile_jumps(const aic_tile_key *key)
{
    return key->counts && !(key->one_tap && key->one_block);
}

/* Whether blocks of channels are apart, and nothing is folded between them. */
static inline bool aic_tile_is_apart(const aic_tile_key *key)
{
    return key->in_place && !key->one_block;
}

/* Blocks of 16 output channels in a tile. */
static inline int64_t aic_tile_out_blocks(const aic_tile_key *key)
{
    const int64_t channels = key->lanes * key->vectors;
    return channels < 16 ? 1 : channels / 16;
}
