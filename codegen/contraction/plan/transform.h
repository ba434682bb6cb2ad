/* Groups: the windows of a band's small tiles, transformed by Winograd's method (parts/winograd.h has their layout). A
 * tile of the contraction is a group of small tiles of m x m results. */
#pragma once

#include "codegen/contraction/plan/staging.h"
#include "codegen/integer.h"

typedef struct aic_plan_transform {
    int64_t m; /* 0: there are no groups, and nothing else here counts */
    int64_t points;
    int64_t down, across, tiles; /* small tiles of the larger groups, in all */
    int64_t tile_pitch, point_pitch, head_bytes, group_bytes;
    int64_t groups_bytes; /* of a band's groups, which lie before the band */
    int64_t block_bytes;  /* of the sums of 16 output channels at a point */
    int64_t point_bytes;  /* of all sums at a point */
    int64_t sums_offset;  /* in the worker's memory */
} aic_plan_transform;

/* Small tiles that cover an extent, and what they cover. */
static inline int64_t aic_small_tiles(const aic_plan_geometry *g, int64_t extent)
{
    return aic_parts(extent, g->m);
}

/* Makes room in the worker's memory, and lets tiles walk through the groups. */
aic_plan_transform aic_plan_transform_make(const aic_plan_geometry *g, const aic_plan_band *b, aic_plan_tile *t,
                                           aic_plan_staging *s);
