/* From tiles and band to groups of small tiles. */
#include "codegen/contraction/plan/transform.h"
#include "codegen/parts/winograd.h"

/* Small tiles lie apart as band pixels do, so that those of a product fall into different sets of a cache. A group is a
 * multiple of so many lines that its pitch is one of a pixel's, down and across, times those of a tile. */
aic_plan_transform aic_plan_transform_make(const aic_plan_geometry *g, const aic_plan_band *b, aic_plan_tile *t,
                                           aic_plan_staging *s)
{
    if (g->m == 0) {
        return (aic_plan_transform){.m = 0};
    }
    const int64_t side = g->m + 2, groups = aic_split_count(&g->cols);
    aic_plan_transform f = {.m = g->m,
                            .points = side * side,
                            .down = aic_small_tiles(g, g->rows.large),
                            .across = aic_small_tiles(g, g->cols.large),
                            .tile_pitch = b->pixel_pitch};
    f.tiles = f.down * f.across;
    f.point_pitch = f.tiles * f.tile_pitch;
    f.head_bytes = aic_round_up((AIC_GROUP_NOTES + f.tiles) * (int64_t)sizeof(int64_t), AIC_LINE_BYTES);
    f.group_bytes = aic_round_up(f.head_bytes + f.points * f.point_pitch, AIC_LINE_BYTES * f.tiles);
    f.groups_bytes = aic_least(g->band_tiles, aic_split_count(&g->rows)) * groups * f.group_bytes;
    f.block_bytes = f.tiles * AIC_ROW_BYTES;
    f.point_bytes = s->strip_columns / AIC_BLOCK_COLUMNS * f.block_bytes;
    f.sums_offset = s->private_bytes + f.groups_bytes;
    s->private_bytes = f.sums_offset + f.points * f.point_bytes;
    t->out_row = groups * f.group_bytes / (g->m * f.down);
    t->out_col = f.group_bytes / (g->m * f.across);
    return f;
}
