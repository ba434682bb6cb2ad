/* Shared by the files of the AMX micro-kernel: how a tile of the result is spread over tile registers.
 *
 * A tile register holds up to 16 rows of 64 bytes. What a row is depends on the operand:
 *
 *     image    one output pixel: 64 bytes of its channels                   (the layout of a band)
 *     weight   one k-pack, 4 bytes of channels, for 16 output channels      (the layout of a panel)
 *     sums     one output pixel: sums of 16 output channels                 (the layout of results and staging buffer)
 *
 * A tile of the result is a grid of registers, some of pixels times some of output channels. All registers of pixels
 * have the same number of rows, the smallest that suffices for the widest tile. */
#ifndef AIC_CONTRACTION_AMX_H
#define AIC_CONTRACTION_AMX_H

#include "codegen/contraction/microkernel.h"

enum { AMX_REGISTERS = 8, AMX_ROWS = 16, AMX_ROW_BYTES = 64, AMX_STEP_KPACKS = 16, AMX_LANES = 16 };

/* How the pixels of a tile are divided into registers. The rows of a grid are the tile's rows; or, where registers run
 * across output rows as if they were one long row (aic_wish.run), the grid has that one row. */
typedef struct amx_grid {
    int64_t run;    /* band pixels from the start of one output row to that of the next; 0: the tile's rows are rows */
    int64_t rows;   /* of the grid */
    int64_t width;  /* pixels of a row; with `run` they include those between the tile's rows */
    int64_t across; /* registers of a row */
    int64_t pixels; /* of a register */
} amx_grid;

/* K-packs of a step, and so rows of a register of weights. */
int64_t aic_amx_step_kpacks(const aic_tiling *t);

/* The grid of a tile of rows x cols that is no larger than the largest one, with registers of as many pixels. */
amx_grid aic_amx_smaller_grid(const amx_grid *largest, int64_t rows, int64_t cols);

/* The first pixel, within a row of the grid, of the row's register number `index`. The last register ends where the row
 * ends and so may overlap the one before it. If a row is shorter than a register, the register also takes what lies
 * behind the row. */
int64_t aic_amx_first_pixel(const amx_grid *g, int64_t index);

/* The use of registers, the same in all tiles of a kernel: sums from register 0 on, then operands of the held side,
 * which stay for a step, then those of the passing side, which are loaded one after the other. */
typedef struct amx_registers {
    amx_grid g;             /* of the largest tile */
    bool holds_images;      /* the held side is the image; false: the weights */
    unsigned held, passing; /* first register of either side */
} amx_registers;

amx_registers aic_amx_assign(const aic_contraction *c, const aic_tiling *t);

/* A tile that is being emitted, with the parameters of its function (aic_microkernel.emit). */
typedef struct amx_tile {
    aic_emit *e;
    const aic_contraction *c;
    const aic_tiling *t;
    int64_t rows, cols;
    LLVMValueRef out, band, panel, taps, block; /* block: NULL where there are none */
} amx_tile;

/* amx_special.c: begins the function of a tile. */
amx_tile aic_amx_begin_tile(aic_emit *e, const aic_contraction *c, const aic_tiling *t, int64_t rows, int64_t cols,
                            const char *name);

/* amx_special.c: emits a function that computes the same as a tile by vector instructions; it is called where band or
 * panel have special elements. */
LLVMValueRef aic_amx_emit_special(aic_emit *e, const aic_contraction *c, const aic_tiling *t, int64_t rows,
                                  int64_t cols, const char *name);

/* amx_special.c: the float16 number `half` of each k-pack of a vector, as floats. */
LLVMValueRef aic_amx_half(aic_emit *e, LLVMValueRef kpacks, unsigned half);

/* Whether tiles load panels by non-temporal loads: a window is held in the first-level cache, which has no room for all
 * panels beside it, and the panels must not evict it. */
bool aic_amx_streams_panels(const aic_contraction *c, const aic_tiling *t);

/* Whether tiles prefetch panels: these come from beyond the core's own caches, either for every tile or for one tile in
 * only a few. */
bool aic_amx_fetches_ahead(const aic_tiling *t);

/* Where a tile's sums are stored: bytes from one vector of output channels to the next; pixels from one of the tile's
 * rows to the next. */
static inline int64_t aic_amx_vector_pitch(const aic_contraction *c, const aic_tiling *t)
{
    return t->staging.pitch > 0 ? t->staging.pitch : c->block_rows * AMX_ROW_BYTES;
}

static inline int64_t aic_amx_row_pixels(const aic_contraction *c, const aic_tiling *t, int64_t cols)
{
    return t->staging.pitch > 0 ? aic_staged_row(&t->wish, cols) : c->across.out;
}

#endif
