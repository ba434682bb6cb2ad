/* The parts of the AMX micro-kernel: a tile of a contraction in tile registers.
 *
 * A tile register holds up to 16 rows of 64 bytes. What a row is depends on the operand:
 *
 *     image    one output pixel: 64 bytes of its channels                   (the layout of a band)
 *     weight   one k-pack, 4 bytes of channels, for 16 output channels      (the layout of a panel)
 *     sums     one output pixel: sums of 16 output channels                 (the layout of results and staging buffer)
 *
 * A tile of the result is a grid of registers, some of pixels times some of output channels. All registers of pixels
 * have the same number of rows, the smallest that suffices for the widest tile.
 *
 *     void amx_tile(out, band, panel, taps; block)       without blocks of channels there is no `block`
 *       image.I, out.I             from the tile's first pixel to that of register I, in the band and where sums go;
 *                                  I > 0
 *       out.block.V                the same to vector V of output channels; V > 0
 *       pixel.pitch, plane         bytes from one output pixel to the next in the band; from one plane to the next
 *       taps, kpacks               of the kernel; of a tap in a block of channels: loops
 *       panel.start                bytes of a panel's head
 *       planes.at, panel.last      where planes of weights are made in a worker's memory; from a panel's first step to
 *                                  its last one in a block of channels; with halves
 *       notes.at                   the note of a band's special elements in a worker's memory; with specials
 *       block.panel                bytes from one block of channels to the next; with specials and blocks
 *       sums.at, pixels            where sums are formed before they are added; how many are added: a loop; with start
 *       deferred.at, pause.runs, pause.rows
 *                                  the note of the deferred tile in a worker's memory; runs and rows of each that leave
 *                                  in a pause; with pauses
 *       roles `special`, which computes the same by vector instructions; `leave`, which stores rows
 *
 *     void amx_special(out, band, panel, taps; block)    the same tile by vector instructions
 *       rows, cols, taps, kpacks   of the tile, of the kernel; of a tap that count: loops
 *       row.pitch, pixel.pitch     bytes from one output row, output pixel to the next in the band
 *       out.row, out.block.V       bytes from one output row, one vector to the next where sums go
 *       plane, panel.start         as above
 *       tap.rest                   bytes of a tap in a panel behind the k-packs that count
 *       fold, fold.kpacks, fold.rest, taps.last
 *                                  kernel rows of a tap, k-packs of each, rows of the last tap, its number; with folded
 *
 *     void amx_state()             sets up the tile registers, or releases them
 *       pixels, kpacks, image.bytes    rows of a register of pixels, of weights; bytes of a pixel in a step */
#pragma once

#include "codegen/arithmetic.h"
#include "codegen/integer.h"
#include "codegen/parts/keys.h"
#include "codegen/program.h"

enum {
    AMX_REGISTERS = 8,
    AMX_ROWS = 16,
    AMX_ROW_BYTES = 64,
    AMX_STEP_KPACKS = 16,
    AMX_KPACK_BYTES = 4,
    AMX_LANES = 16
};

/* The use of registers, the same in all tiles of a kernel: sums from register 0 on, then operands of the held side,
 * which stay for a step, then those of the passing side, which are loaded one after the other. Where both sides are
 * equal, weights pass: a product of few pixels takes less time if the product before had the same weights. */
typedef struct aic_amx_registers {
    bool crosses;           /* one plane of each side is held at a time */
    bool holds_images;      /* the held side is the image; false: the weights */
    unsigned held, passing; /* first register of either side */
} aic_amx_registers;

/* `images` are the registers of pixels of the largest tile. */
static inline aic_amx_registers aic_amx_assign(int64_t planes, int64_t images, int64_t vectors)
{
    const int64_t fewer = aic_least(images, vectors), held = images * vectors;
    const bool crosses = planes > 1 && fewer > 1;
    return (aic_amx_registers){.crosses = crosses,
                               .holds_images = images <= vectors || crosses,
                               .held = (unsigned)held,
                               .passing = (unsigned)(held + (planes > 1 && fewer == 1 ? AIC_PLANES_MAX : fewer))};
}
