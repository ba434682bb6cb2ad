/* What `explain` prints of a contraction: its loops, and the bytes that they move between memory levels. */
#include "codegen/explain.h"
#include "codegen/contraction/bands.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"

/* ---- traffic ---- */

/* Bytes that instructions load of image and weights, and bytes of the tiles' windows, added up over all tiles. Of small
 * tiles they are those of the points, whose products are of one tap. */
typedef struct tile_sums {
    double image, weights, windows;
} tile_sums;

static tile_sums sum_small_tiles(const aic_tiling *t)
{
    tile_sums sums = {0};
    const double points = (double)(t->transform.points * t->panel.kpacks * t->geometry.arithmetic.kpack_bytes);
    for (int i = 0; i < AIC_TILE_SIZES; i++) {
        const aic_tile_size s = aic_tile_size_of(&t->geometry, i);
        const double tiles = (double)(s.count * t->panel.used);
        const int64_t small = aic_small_tiles(&t->geometry, s.rows) * aic_small_tiles(&t->geometry, s.cols);
        sums.image += tiles * (double)small * points;
        sums.weights += tiles * (double)t->geometry.panel_channels * points;
        sums.windows += tiles * (double)t->transform.group_bytes;
    }
    return sums;
}

static tile_sums sum_tiles(const aic_contraction *c, const aic_tiling *t)
{
    if (t->transform.m > 0) {
        return sum_small_tiles(t);
    }
    tile_sums sums = {0};
    const double all =
        (double)(t->panel.taps * t->panel.kpacks * t->geometry.arithmetic.kpack_bytes * t->geometry.arithmetic.planes);
    for (int i = 0; i < AIC_TILE_SIZES; i++) {
        const aic_tile_size s = aic_tile_size_of(&t->geometry, i);
        const double tiles = (double)(s.count * t->panel.used),
                     steps = all * aic_padding_done(&t->panel.padding, &t->geometry, s.rows, s.cols);
        sums.image += tiles * (double)(s.rows * s.cols) * steps;
        sums.weights += tiles * (double)t->geometry.panel_channels * steps;
        sums.windows += s.count == 0 ? 0 : tiles * (double)aic_band_window(c, &t->band, s.rows, s.cols);
    }
    return sums;
}

/* Weights: a panel stays in a cache for all tiles of a band, all panels stay for all bands. */
static aic_stream weight_stream(const aic_tiling *t, const tile_sums *sums)
{
    aic_stream stream = {.scopes = 0};
    const double panels = (double)(t->panel.used * t->panel.bytes);
    aic_stream_scope(&stream, 0, sums->weights);
    aic_stream_scope(&stream, (double)t->panel.bytes, (double)t->band.count * panels);
    aic_stream_scope(&stream, panels, panels);
    return stream;
}

/* Image: a tile's window stays in a cache for all taps, a band for all panels. All bands use the same memory. */
static aic_stream band_stream(const aic_contraction *c, const aic_tiling *t, const tile_sums *sums)
{
    aic_stream stream = {.scopes = 0};
    aic_stream_scope(&stream, 0, sums->image);
    aic_stream_scope(&stream, (double)aic_band_window(c, &t->band, t->geometry.rows.large, t->geometry.cols.large),
                     sums->windows);
    if (t->geometry.in_place) {
        const double band = (double)aic_band_bytes(&t->geometry, &t->band, t->band.rows, 1);
        aic_stream_scope(&stream, band, (double)t->band.count * band);
        return stream;
    }
    aic_stream_scope(&stream, (double)t->band.bytes, (double)t->band.bytes);
    return stream;
}

/* Packing: each band reads the image rows that it needs, and is written. */
static aic_stream image_stream(const aic_contraction *c, const aic_tiling *t)
{
    aic_stream stream = {.scopes = 0};
    if (t->geometry.in_place) {
        return stream;
    }
    const double row = (double)(c->across.extent * c->channels) * t->geometry.source_bytes,
                 image = row * (double)c->down.extent;
    const double rows = (double)(t->band.count * t->band.rows) * row;
    aic_stream_scope(&stream, 0, rows + (double)(t->band.count * t->geometry.slices * t->band.bytes));
    aic_stream_scope(&stream, AIC_LINE_BYTES, rows);
    aic_stream_scope(&stream, image, image < rows ? image : rows);
    return stream;
}

/* The operands of the epilogue that have a word for each sum. */
static unsigned inputs_of(const aic_epilogue *p)
{
    unsigned count = 0;
    for (unsigned i = 0; i < p->steps; i++) {
        count += aic_step_reads(&p->step[i]) && p->step[i].row != 0;
    }
    return count;
}

/* Results: sums are stored, and loaded first if they start from old ones; with a staging buffer twice. */
static aic_stream result_stream(const aic_contraction *c, const aic_tiling *t)
{
    aic_stream stream = {.scopes = 0};
    const double pixels = (double)(c->down.out * c->across.out),
                 sums = pixels * (double)t->geometry.outputs * AIC_SUM_BYTES;
    const double stored =
        t->staging.has_epilogue
            ? pixels * (double)(t->geometry.outputs * (int64_t)aic_dtype_size(t->staging.epilogue->target))
            : sums;
    const double old = t->geometry.accumulate && !c->start_channel ? sums : 0;
    const double read = old + (double)inputs_of(t->staging.epilogue) * sums;
    aic_stream_scope(&stream, 0, stored + read + (t->staging.pitch > 0 ? 2 * sums + old : 0));
    aic_stream_scope(&stream, (double)t->staging.strip_bytes, stored + read);
    return stream;
}

void aic_contraction_traffic(const aic_plan *plan, double bytes[AIC_TRAFFIC_LEVELS])
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    const tile_sums sums = sum_tiles(c, t);
    const aic_stream streams[] = {weight_stream(t, &sums), band_stream(c, t, &sums), image_stream(c, t),
                                  result_stream(c, t)};
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        aic_stream_count(&streams[i], plan->problem.machine, bytes);
    }
}

/* ---- loops ---- */

/* Prints the loops of one tile of small ones. */
static void put_small_tiles(FILE *out, int depth, const aic_tiling *t)
{
    const aic_plan_geometry *g = &t->geometry;
    const long long tiles = (long long)t->transform.tiles, m = (long long)t->transform.m;
    aic_nest_line(out, depth, "point", t->transform.points,
                  "%lld small tiles of %lld x %lld results, by Winograd's method", tiles, m, m);
    aic_nest_line(out, depth + 1, "k-pack", aic_parts(t->panel.kpacks, g->unroll),
                  "%lld k-packs of %u channels a time: %lld products of vectors of %u lanes", (long long)g->unroll,
                  g->arithmetic.kpack_channels, tiles * g->vectors * (long long)g->unroll, g->lanes);
}

/* Which k-packs tiles leave out. */
static const char *left_out(const aic_contraction *c, const aic_tiling *t)
{
    if (!t->tile.counts) {
        return "";
    }
    return c->dtype == AIC_INT8 ? "; the last ones are left out if packing finds their weights to be 0"
                                : "; the last ones are left out if packing finds their weights to be 0, in bands whose "
                                  "image is finite there";
}

/* Prints the loops of one tile. */
static void put_tile(FILE *out, int depth, const aic_plan *plan)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    const int64_t pixels = t->geometry.rows.large * t->geometry.cols.large;
    const bool together =
        t->kernel == &aic_microkernel_vector && aic_tile_row_taps(c, plan->problem.target, t, pixels) > 0;
    const int64_t blocks = t->geometry.arithmetic.sum == AIC_SUM_CUBE ? aic_seen_of(c).c1 : 1,
                  kpacks = t->panel.kpacks / blocks;
    const long long sums = (long long)(t->geometry.rows.large * t->geometry.cols.large * t->geometry.vectors);
    if (blocks > 1) {
        aic_nest_line(out, depth++, "block of channels", blocks, "in the order that the document fixes");
    }
    if (t->geometry.blocks > 1) {
        aic_nest_line(out, depth++, "tap", t->panel.taps, "of one of %lld blocks of channels",
                      (long long)t->geometry.blocks);
    } else
        aic_nest_line(out, depth++, "tap", t->panel.taps, "%skernel of %lld x %lld%s%s",
                      t->wish.fold > 1     ? "several rows each of a "
                      : t->wish.merged > 1 ? "a row each of a "
                                           : "",
                      (long long)c->down.taps, (long long)c->across.taps, together ? ", those of a row together" : "",
                      t->panel.padding.edges
                          ? ", less rows and columns that are padding for the whole tile, or for a pixel at its edge"
                      : aic_tiling_skips(t) ? ", less rows and columns that are padding for the whole tile"
                                            : "");
    aic_nest_line(out, depth, "k-pack", aic_parts(kpacks, t->geometry.unroll),
                  "%lld k-packs of %u channels a time: %lld products of vectors of %u lanes%s",
                  (long long)t->geometry.unroll, t->geometry.arithmetic.kpack_channels,
                  sums * (long long)t->geometry.unroll, t->geometry.lanes, left_out(c, t));
}

void aic_contraction_nest(FILE *out, const aic_plan *plan)
{
    const aic_tiling *t = aic_tiling_of(plan);
    const int64_t slices = t->geometry.slices;
    const int d = slices > 1 ? 1 : 0;
    if (slices > 1) {
        aic_nest_line(out, 0, "slice", slices, "%lld channels of the image", (long long)t->geometry.channels);
    }
    if (t->geometry.in_place) {
        aic_nest_line(out, d, "band", t->band.count, "%lld rows of the image, where they lie", (long long)t->band.rows);
    } else {
        aic_nest_line(out, d, "band", t->band.count, "packs %lld rows of the image: %lld bytes",
                      (long long)t->band.rows, (long long)t->band.bytes);
    }
    if (t->staging.pitch > 0) {
        aic_nest_line(out, d + 1, "strip", t->staging.strips / slices, "%lld output channels",
                      (long long)t->staging.strip_columns);
    } else {
        aic_nest_line(out, d + 1, "panel", t->panel.used / slices, "%lld output channels, %lld bytes",
                      (long long)t->geometry.panel_channels, (long long)t->panel.bytes);
    }
    aic_nest_line(out, d + 2, "row of tiles",
                  t->geometry.band_tiles < aic_split_count(&t->geometry.rows) ? t->geometry.band_tiles
                                                                              : aic_split_count(&t->geometry.rows),
                  "%lld in all", (long long)aic_split_count(&t->geometry.rows));
    aic_nest_line(out, d + 3, "tile", aic_split_count(&t->geometry.cols),
                  "%lld x %lld pixels x %lld channels by micro-kernel %s: %lld sums", (long long)t->geometry.rows.large,
                  (long long)t->geometry.cols.large, (long long)t->geometry.panel_channels, t->kernel->name,
                  (long long)(t->geometry.rows.large * t->geometry.cols.large * t->geometry.vectors));
    const int64_t panels = aic_parts(t->staging.strip_columns, t->geometry.panel_channels);
    if (t->staging.defers) {
        aic_nest_line(out, d + 4, "panel of the strip", panels,
                      "%lld bytes, beside which the previous tile leaves through the epilogue, %lld rows at a time",
                      (long long)t->panel.bytes, (long long)t->staging.deferred_rows);
    } else if (t->staging.pitch > 0) {
        aic_nest_line(out, d + 4, "panel of the strip", panels, "%lld bytes, then the tile leaves through the epilogue",
                      (long long)t->panel.bytes);
    }
    if (t->transform.m > 0) {
        put_small_tiles(out, d + 5, t); /* they always have a staging buffer */
    } else {
        put_tile(out, d + (t->staging.pitch > 0 ? 5 : 4), plan);
    }
}
