/* Between the files of the micro-kernel of AMX's tile registers: how a tile of the result is spread over them.
 *
 * A register holds 16 rows of 64 bytes:
 *
 *     image    a row an output pixel, 64 bytes of its channels           (a band is packed so)
 *     weight   a row a k-pack, 4 bytes of channels, of 16 output channels  (a panel is packed so)
 *     sums     a row an output pixel, 16 output channels                 (results and the staging buffer are so)
 *
 * A tile of the result is some registers of pixels times some of output channels. All registers of pixels have as many
 * rows, the fewest that the widest tile needs. */
#ifndef AIC_CONTRACTION_AMX_H
#define AIC_CONTRACTION_AMX_H

#include "codegen/contraction/microkernel.h"

enum { AMX_REGISTERS = 8, AMX_ROWS = 16, AMX_ROW_BYTES = 64, AMX_STEP_KPACKS = 16, AMX_LANES = 16 };

typedef struct amx_grid {
    int64_t run;    /* where registers run on from row to row: pixels from one row to the next; 0: they do not */
    int64_t rows;   /* of pixels at one distance: those of the tile, or 1 */
    int64_t width;  /* pixels of one, with those between the rows that registers run over */
    int64_t across; /* registers that take a row */
    int64_t pixels; /* of a register */
} amx_grid;

/* K-packs that a register of weights has rows for: those of a step. */
int64_t aic_amx_step_kpacks(const aic_tiling *t);

/* The tile, and one that is no larger in registers of as many pixels. */
amx_grid aic_amx_grid_of(const aic_contraction *c, int64_t rows, int64_t cols, int64_t vectors);
amx_grid aic_amx_smaller_grid(const amx_grid *largest, int64_t rows, int64_t cols);

/* The first pixel of a row that its register number `index` has. The last register ends with the row, and computes
 * again what the one before it has, too. A row that is shorter than a register has its pixels and what lies behind. */
int64_t aic_amx_first_pixel(const amx_grid *g, int64_t index);

/* Which register is what, of all tiles of a kernel: sums from 0 on, then operands of the side that is held, then of the
 * one that passes by. */
typedef struct amx_registers {
    amx_grid g; /* of the largest tile */
    bool holds_images;
    unsigned held, passing; /* first registers of both */
} amx_registers;

amx_registers aic_amx_assign(const aic_contraction *c, const aic_tiling *t);

/* A tile that is being emitted: its parameters, as microkernel.h has them. */
typedef struct amx_tile {
    aic_emit *e;
    const aic_contraction *c;
    const aic_tiling *t;
    int64_t rows, cols;
    LLVMValueRef out, band, panel, taps, block; /* block: NULL where there are none */
} amx_tile;

/* amx_tile.c: begins its function. */
amx_tile aic_amx_begin_tile(aic_emit *e, const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols,
                            const char *name);

/* amx_tile.c: a tile. amx_special.c: the same by vector instructions, name(out, band, panel, taps), for operands that
 * have elements which tiles cannot multiply. */
LLVMValueRef aic_amx_emit_tile(aic_emit *e, const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols,
                               LLVMValueRef leave, const char *name);
LLVMValueRef aic_amx_emit_special(aic_emit *e, const aic_contraction *c, const aic_tiling *t, int64_t rows,
                                  int64_t cols, const char *name);

/* Whether the panels pass by a window that stays in the first-level cache: it is spared them. */
bool aic_amx_streams_panels(const aic_contraction *c, const aic_tiling *t);

/* Whether panels come from beyond the core's own caches for every tile, or for one of few: tiles fetch them ahead. */
bool aic_amx_fetches_ahead(const aic_tiling *t);

/* amx_tile.c: a worker's configuration, and its end. */
void aic_amx_enter(aic_emit *e, const aic_contraction *c, const aic_tiling *t);
void aic_amx_leave(aic_emit *e);

/* Where the sums of a tile's output channels go, by vector: bytes from one to the next, and of a row of pixels. */
int64_t aic_amx_vector_pitch(const aic_contraction *c, const aic_tiling *t);
int64_t aic_amx_row_pixels(const aic_contraction *c, const aic_tiling *t, int64_t cols);

#endif
