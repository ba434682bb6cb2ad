/* A tile's walk through band and panel. */
#pragma once

#include "codegen/contraction/plan/panel.h"

typedef struct aic_plan_tile {
    bool holds_window;  /* for each tile a loop over panels; false: for each panel a loop over tiles */
    int64_t ahead;      /* distance in bytes at which a tile prefetches its panel, and the next one; 0: it does not */
    int64_t block_taps; /* taps that are added up before the sums are folded into the totals */
    int64_t out_row, out_col; /* bytes of a band from one output row, one output pixel to the next */
    int64_t range_bytes;  /* before the table of taps: of the current tile's tap ranges and of the count of k-packs */
    bool counts;          /* the last word of these says how many k-packs of every tap have weights other than 0 */
    int64_t count_offset; /* of this word */
    bool notes;           /* there is room for a note of packing whether the image is finite, of which that depends */
} aic_plan_tile;

aic_plan_tile aic_plan_tile_make(const aic_contraction *c, const aic_plan_geometry *g, const aic_plan_band *b,
                                 const aic_plan_panel *p, const aic_contraction_schedule *schedule);
