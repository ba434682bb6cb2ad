/* The predicted cost of a contraction, in vector operations: that of its tiles, and what a call takes besides. */
#include "codegen/contraction/bands.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/contraction/vector.h"

/* The cost of a tile of rows x cols pixels apart from its products: its share of storing the tiles of a strip from the
 * staging buffer, run by run. */
static double staging_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                           int64_t cols)
{
    if (!t->staging.has_epilogue) {
        return 0;
    }
    const int64_t runs = aic_staged_runs(c, &t->wish, rows, cols), count = rows * cols / runs,
                  columns = aic_least(t->staging.strip_columns, t->geometry.outputs);
    const bool busy = aic_vector_product_cost(target, t->geometry.arithmetic.product) > 1;
    const double run =
        t->staging.defers
            ? aic_epilogue_cost_beside(t->staging.epilogue, target, columns, count, t->staging.deferred_rows)
            : aic_epilogue_cost(t->staging.epilogue, t->geometry.machine, target, columns, count, busy);
    return (double)(runs * t->staging.strips) / (double)t->panel.used * run;
}

/* The cost of a tile. If tiles are deferred, storing overlaps with products: the longer of both counts, and a share of
 * the shorter, the smaller the more pauses there are. The share is an assumption, not measured: in a model of a core
 * with a window of 512 operations the shorter is hidden completely with eight pauses. */
static double tile_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                        int64_t cols)
{
    static const double SHARE = 0.25;
    const double products = t->kernel->cost(c, target, t, rows, cols);
    const double stores = staging_cost(c, target, t, rows, cols);
    const double lost = t->staging.defers ? SHARE / (double)t->staging.pauses : 1;
    return products > stores ? products + lost * stores : stores + lost * products;
}

/* The cost of all tiles. */
static double tiles_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    double total = 0;
    int bodies = t->staging.has_epilogue && t->geometry.outputs % t->staging.strip_columns != 0
                     ? 1
                     : 0; /* the narrower strip has code of its own */
    for (int i = 0; i < AIC_TILE_SIZES; i++) {
        const aic_tile_size s = aic_tile_size_of(&t->geometry, i);
        if (s.count > 0) {
            bodies++;
            total += (double)s.count * tile_cost(c, target, t, s.rows, s.cols);
        }
    }
    const double sums = (double)(t->geometry.rows.large * t->geometry.cols.large * t->geometry.vectors);
    const double code = t->kernel->body_cost * (bodies - 1) + t->kernel->sum_cost * sums +
                        (t->tile.ahead > 0 ? t->kernel->ahead_cost : 0);
    return total * (double)t->panel.used * (1.0 + code);
}

double aic_contraction_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    const double call = t->kernel->call_cost != NULL ? t->kernel->call_cost(c, target, t) : 0;
    return tiles_cost(c, target, t) + call;
}

/* Costs rise with the bytes of band and panels, which decide in which cache they are, with prefetches, and with the
 * pauses of a tile: here there are none of the former, and no end of the latter, in which all rows leave at once. Terms
 * of several tiles of a band are weighted, so that rounding may put the sum below what the best of them gives. */
double aic_contraction_least(const aic_contraction *c, const aic_target *target, const aic_tiling *t)
{
    static const double ROUNDING = 1e-9;
    if (t->kernel->small_tiles) {
        return 0; /* what lines cost depends on more */
    }
    aic_tiling near = *t;
    near.band.rows = near.band.row_pitch = near.band.pixel_pitch = near.band.row_planes = 0;
    near.panel.bytes = near.panel.packed_bytes = 0;
    near.tile.ahead = 0;
    near.tile.holds_window = false;
    near.staging.pauses = INT64_MAX;
    near.staging.deferred_rows = aic_most(t->geometry.rows.large * t->geometry.cols.large, 1);
    return tiles_cost(c, target, &near) * (1 - ROUNDING);
}
