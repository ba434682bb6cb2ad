/* Shared by the files of the AMX micro-kernel: how a tile of the result is spread over tile registers (parts/amx.h). */
#pragma once

#include "codegen/contraction/microkernel.h"
#include "codegen/parts/amx.h"

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

/* The grid of the largest tile. */
amx_grid aic_amx_largest_grid(const aic_contraction *c, const aic_plan_geometry *g);

/* Whether tiles load panels by non-temporal loads: a window is held in the first-level cache, which has no room for all
 * panels beside it, and the panels must not evict it. */
bool aic_amx_streams_panels(const aic_contraction *c, const aic_tiling *t);

/* Whether tiles prefetch panels: these come from beyond the core's own caches, either for every tile or for one tile in
 * only a few. */
bool aic_amx_fetches_ahead(const aic_tiling *t);

/* Lines of each register of results, of so many pixels, that a loop body fetches. It pays where the sums of one tap go
 * straight to the result: there are few products for each store, and pixels of a small band are packed behind stores.
 * With more loop bodies than lines the stores do not matter. */
int64_t aic_amx_claimed_lines(const aic_tiling *t, int64_t pixels);

/* amx_use.c: hooks of the micro-kernel. */
aic_routine aic_compose_amx_tile(aic_program *program, const aic_plan *plan, int64_t rows, int64_t cols,
                                 aic_routine leave);
aic_routine aic_compose_amx_state(aic_program *program, const aic_plan *plan, bool enters);
