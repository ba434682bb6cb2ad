/* A tile of a contraction as a use of a part: its key and its numbers. */
#include "codegen/contraction/microkernel.h"
#include "codegen/contraction/tiling.h"
#include "codegen/parts/tile.h"

int64_t aic_tile_band_offset(const aic_tiling *t, int64_t cols, unsigned pixel)
{
    return (int64_t)pixel / cols * t->band.row_step * t->band.row_pitch +
           (int64_t)pixel % cols * t->band.col_step * t->band.pixel_pitch;
}

int64_t aic_tile_out_offset(const aic_contraction *c, const aic_tiling *t, int64_t cols, unsigned pixel,
                            unsigned vector)
{
    const int64_t row_bytes = AIC_BLOCK_COLUMNS * AIC_SUM_BYTES;
    int64_t channel = (int64_t)vector * t->geometry.lanes, pitch = t->staging.pitch, p = pixel;
    if (pitch == 0) {
        pitch = c->block_rows * row_bytes;
        p = (int64_t)pixel / cols * c->across.out + (int64_t)pixel % cols;
    }
    return channel / AIC_BLOCK_COLUMNS * pitch + p * row_bytes + channel % AIC_BLOCK_COLUMNS * AIC_SUM_BYTES;
}

/* Blocks of channels whose sums are formed one after the other, or which are apart. */
static int64_t blocks_of(const aic_contraction *c, const aic_tiling *t)
{
    return t->geometry.in_place || t->geometry.arithmetic.sum == AIC_SUM_CUBE ? aic_seen_of(c).c1 : 1;
}

bool aic_groups_spread(const aic_contraction *c, int64_t lanes, int64_t kpacks)
{
    enum { LOADS = 4 }; /* of vectors for one that is spread */
    const int64_t outputs = c->groups > 1 ? c->n / c->groups : 0;
    return outputs > 0 && outputs < lanes && lanes % outputs == 0 && kpacks <= LOADS * outputs &&
           aic_seen_of(c).c1 == 1;
}

int64_t aic_groups_merged(const aic_contraction *c, int64_t lanes, int64_t vectors)
{
    const int64_t outputs = c->groups > 1 ? c->n / c->groups : lanes;
    const int64_t step = aic_least(lanes, outputs & -outputs); /* where vectors begin in groups */
    const int64_t merges = aic_parts(lanes - step, outputs);
    return 2 * (merges + 1) <= lanes && merges * vectors <= AIC_TILE_MERGES ? merges : 0;
}

aic_tile_image aic_tile_image_of(const aic_contraction *c, const aic_plan_geometry *g)
{
    if (c->groups <= 1) {
        return AIC_TILE_SAME;
    }
    const int64_t outputs = c->n / c->groups, kpacks = aic_seen_of(c).channels / g->arithmetic.kpack_channels;
    if (outputs % g->lanes == 0) {
        return outputs % g->panel_channels == 0 ? AIC_TILE_GROUP : AIC_TILE_VECTORS;
    }
    if (kpacks == g->unroll && aic_groups_spread(c, g->lanes, kpacks)) {
        return AIC_TILE_SPREAD;
    }
    return aic_groups_merged(c, g->lanes, g->vectors) > 0 ? AIC_TILE_MERGED : AIC_TILE_LANES;
}

bool aic_rows_share(const aic_contraction *c, const aic_target *target, const aic_plan_geometry *g)
{
    const bool halves = 2 * g->lanes * g->arithmetic.sum_bits <= (unsigned)target->vector_bits;
    return halves && g->vectors == 1 && g->arithmetic.sum == AIC_SUM_FAST &&
           aic_tile_image_of(c, g) == AIC_TILE_GROUP && c->across.taps > c->across.stride && c->across.taps > 1 &&
           c->across.taps <= AIC_TILE_TOGETHER;
}

int64_t aic_tile_row_taps(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t pixels)
{
    /* A column; where it is no operand of a multiplication, registers in which sums may change places, too (vector.c).
     */
    const int64_t taps = c->across.taps, registers = target->vector_registers,
                  others = (target->has & AIC_HAS_BROADCAST) != 0 ? 1 : 2 + registers / 8;
    const bool shares = aic_rows_share(c, target, &t->geometry) && !t->panel.padding.columns;
    return shares && pixels + taps + others <= registers ? taps : 0;
}

/* The only place that knows which fields of a tiling are structure. */
static aic_tile_key key_of(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                           int64_t cols)
{
    const aic_arithmetic *a = &t->geometry.arithmetic;
    const aic_tile_image image = aic_tile_image_of(c, &t->geometry);
    const int64_t merges = aic_groups_merged(c, t->geometry.lanes, t->geometry.vectors);
    const int64_t row_taps = aic_tile_row_taps(c, target, t, rows * cols);
    return (aic_tile_key){.image = image,
                          .group_lanes = image == AIC_TILE_SPREAD ? c->n / c->groups : 0,
                          .group_kpacks = image == AIC_TILE_SPREAD ? t->band.seen_kpacks : 0,
                          .group_merges = image == AIC_TILE_MERGED ? merges : 0,
                          .row_taps = row_taps,
                          .row_pixels = row_taps > 0 ? cols : 0,
                          .pixel_step = row_taps > 0 ? t->band.col_step : 0,
                          .tap_step = row_taps > 0 ? t->band.tap_step : 0,
                          .sum = a->sum,
                          .product = a->product,
                          .kpack_bytes = a->kpack_bytes,
                          .widens = aic_is_narrow(&t->geometry) ? c->dtype : AIC_DTYPE_NONE,
                          .kpack_channels = a->kpack_channels,
                          .image_offset = a->image_offset,
                          .lanes = t->geometry.lanes,
                          .vectors = t->geometry.vectors,
                          .pixels = rows * cols,
                          .unroll = t->geometry.unroll,
                          .ahead = t->tile.ahead,
                          .accumulate = !t->geometry.accumulate ? AIC_TILE_FROM_ZERO
                                        : c->wraps              ? AIC_TILE_WRAPS
                                                                : AIC_TILE_CLAMPS,
                          .start_row = t->geometry.accumulate && c->start_channel,
                          .skips_rows = t->panel.padding.rows,
                          .skips_columns = t->panel.padding.columns,
                          .edges = t->panel.padding.edges && cols > 1 ? cols : 0,
                          .notes_weights = aic_tiling_skips(t) && t->panel.notes,
                          .has_head = t->panel.start_bytes != 0,
                          .counts = t->tile.counts,
                          .one_kpack = t->panel.kpacks / blocks_of(c, t) == t->geometry.unroll,
                          .one_tap = t->panel.taps == 1,
                          .one_block = blocks_of(c, t) == 1,
                          .block_taps = t->tile.block_taps >= t->panel.taps ? 0 : t->tile.block_taps,
                          .in_place = t->geometry.in_place,
                          .widens_image = aic_widens_image(&t->geometry)};
}

/* Where pixels and blocks of channels lie. */
static void give_offsets(aic_use *use, const aic_tile_key *key, const aic_contraction *c, const aic_tiling *t,
                         int64_t cols)
{
    for (unsigned pixel = 1; pixel < key->pixels; pixel++) {
        aic_use_number(use, aic_tile_band_offset(t, cols, pixel), "pixel.%u", pixel);
        aic_use_number(use, aic_tile_out_offset(c, t, cols, pixel, 0), "out.%u", pixel);
    }
    for (unsigned vector = 1; vector < key->vectors; vector++) {
        const unsigned channel = vector * t->geometry.lanes;
        if (channel % AIC_BLOCK_COLUMNS == 0) {
            aic_use_number(use, aic_tile_out_offset(c, t, cols, 0, vector), "out.block.%u",
                           channel / AIC_BLOCK_COLUMNS);
        }
    }
}

/* Where what the taps of a kernel row need lies: weights, from one tap to the next `tap_bytes`, and columns of the
 * band. */
static void give_row(aic_use *use, const aic_tile_key *key, const aic_contraction *c, const aic_tiling *t,
                     int64_t tap_bytes)
{
    aic_use_trips(use, c->down.taps, "rows");
    aic_use_number(use, key->row_taps * tap_bytes, "row.panel");
    for (int64_t tap = 1; tap < key->row_taps; tap++) {
        aic_use_number(use, tap * tap_bytes, "tap.panel.%lld", (long long)tap);
    }
    for (int64_t column = 1; column <= aic_tile_reach(key); column++) {
        bool seen = false;
        for (int64_t tap = 0; tap < key->row_taps; tap++) {
            seen = seen || aic_tile_pixel_of(key, column, tap) >= 0;
        }
        if (seen) {
            aic_use_number(use, column * t->band.pixel_pitch, "column.%lld", (long long)column);
        }
    }
}

static void give_counts(aic_use *use, const aic_tile_key *key, const aic_contraction *c, const aic_tiling *t)
{
    const int64_t blocks = blocks_of(c, t), kpacks = t->panel.kpacks / blocks;
    if (!key->one_kpack && !(key->counts && key->one_block)) {
        aic_use_trips(use, kpacks, "kpacks");
    }
    if (!key->one_tap) {
        aic_use_trips(use, t->panel.taps, "taps");
    }
    if (!key->one_block) {
        aic_use_trips(use, blocks, "blocks");
    }
    aic_use_number(use, key->in_place ? t->band.plane_bytes : kpacks * t->geometry.arithmetic.kpack_bytes,
                   "block.pitch");
    if (key->has_head) {
        aic_use_number(use, t->panel.start_bytes, "panel.start");
    }
    if (key->widens_image) {
        aic_use_number(use, t->staging.band_offset, "wide.at");
    }
    if (key->image != AIC_TILE_SAME) {
        aic_use_number(use, t->panel.groups_at, "groups.at");
    }
    if (key->image == AIC_TILE_MERGED) {
        aic_use_number(use, t->band.seen_kpacks * t->geometry.arithmetic.kpack_bytes, "group.pitch");
    }
    if (key->row_taps > 0) {
        give_row(use, key, c, t, kpacks * t->panel.step_bytes);
    }
    if (aic_tile_skips(key) || aic_tile_jumps(key)) {
        aic_use_number(use, kpacks * t->panel.step_bytes, "tap.panel");
    }
    if (aic_tile_skips(key)) {
        aic_use_number(use, t->panel.taps * kpacks * t->panel.step_bytes, "block.panel");
        aic_use_number(use, c->down.taps, "kh");
        aic_use_number(use, c->across.taps, "kw");
        aic_use_number(use, c->across.taps + 1, "start.columns");
    }
}

aic_routine aic_compose_vector_tile(aic_program *program, const aic_plan *plan, int64_t rows, int64_t cols,
                                    aic_routine leave)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    const aic_tile_key key = key_of(c, plan->problem.target, t, rows, cols);
    aic_use use;
    (void)leave;
    aic_use_begin(&use, program, &aic_part_tile, &key);
    give_offsets(&use, &key, c, t, cols);
    give_counts(&use, &key, c, t);
    return aic_program_add(program, &use, "tile_%lldx%lldx%lld", (long long)rows, (long long)cols,
                           (long long)t->geometry.panel_channels);
}
