/* The tile of the AMX micro-kernel, and a worker's tile registers, as uses of parts: keys and numbers. */
#include "codegen/contraction/amx.h"

/* A tile that is being used. */
typedef struct usage {
    const aic_contraction *c;
    const aic_tiling *t;
    int64_t rows, cols;
    amx_grid largest, grid; /* of the kernel's largest tile, and of this one */
} usage;

static usage usage_of(const aic_plan *plan, int64_t rows, int64_t cols)
{
    usage u = {.c = aic_contraction_of(plan), .t = aic_tiling_of(plan), .rows = rows, .cols = cols};
    u.largest = aic_amx_largest_grid(u.c, &u.t->geometry);
    u.grid = aic_amx_smaller_grid(&u.largest, rows, cols);
    return u;
}

static bool is_folded(const usage *u)
{
    return u->c->down.taps % u->t->wish.fold != 0;
}

static aic_amx_tile_key key_of(const usage *u)
{
    const aic_tiling *t = u->t;
    const int64_t fetched = aic_amx_step_kpacks(t) * t->panel.step_bytes / AIC_LINE_BYTES;
    return (aic_amx_tile_key){.integers = t->geometry.arithmetic.product == AIC_PRODUCT_QUAD,
                              .planes = t->geometry.arithmetic.planes,
                              .images = u->grid.rows * u->grid.across,
                              .vectors = t->geometry.vectors,
                              .most = u->largest.rows * u->largest.across,
                              .steps = t->geometry.unroll / AMX_STEP_KPACKS,
                              .fetched = aic_amx_fetches_ahead(t) ? fetched : 0,
                              .claimed = aic_amx_claimed_lines(t, u->grid.pixels),
                              .streams = !t->wish.halves && aic_amx_streams_panels(u->c, t),
                              .halves = t->wish.halves,
                              .start = !t->geometry.accumulate ? AIC_TILE_FROM_ZERO
                                       : u->c->wraps           ? AIC_TILE_WRAPS
                                                               : AIC_TILE_CLAMPS,
                              .blocks = t->geometry.blocks > 1,
                              .specials = t->wish.specials};
}

/* ---- numbers ---- */

/* Pixels from one of the tile's rows to the next where its sums are stored. */
static int64_t row_pixels(const usage *u)
{
    return u->t->staging.pitch > 0 ? aic_staged_row(&u->t->wish, u->cols) : u->c->across.out;
}

static void give_blocks(aic_use *use, const usage *u)
{
    const int64_t pitch = u->t->staging.pitch > 0 ? u->t->staging.pitch : u->c->block_rows * AMX_ROW_BYTES;
    for (unsigned v = 1; v < u->t->geometry.vectors; v++) {
        aic_use_number(use, v * pitch, "out.block.%u", v);
    }
}

static void give_panels(aic_use *use, const usage *u, int64_t kpacks)
{
    aic_use_trips(use, u->t->panel.taps, "taps");
    aic_use_trips(use, kpacks, "kpacks");
    aic_use_number(use, u->t->panel.start_bytes, "panel.start");
    aic_use_number(use, u->t->tile.out_col, "pixel.pitch");
    if (u->t->geometry.arithmetic.planes > 1) {
        aic_use_number(use, u->t->band.plane_bytes, "plane");
    }
}

/* Where the registers of pixels begin. Pixels that two of them share are stored twice, with the same values. */
static void give_registers(aic_use *use, const usage *u)
{
    for (int64_t i = 1; i < u->grid.rows * u->grid.across; i++) {
        const int64_t row = i / u->grid.across, col = aic_amx_first_pixel(&u->grid, i % u->grid.across);
        const int64_t band = row * u->t->tile.out_row + col * u->t->tile.out_col;
        aic_use_number(use, band, "image.%lld", (long long)i);
        aic_use_number(use, (row * row_pixels(u) + col) * AMX_ROW_BYTES, "out.%lld", (long long)i);
    }
}

/* ---- uses ---- */

static aic_routine use_special(aic_program *program, const usage *u)
{
    const aic_tiling *t = u->t;
    const int64_t used = t->wish.merged > 1 ? t->wish.merged * t->band.pixel_kpacks : t->panel.block_kpacks;
    const aic_amx_tile_key key = {.planes = t->geometry.arithmetic.planes,
                                  .vectors = t->geometry.vectors,
                                  .halves = t->wish.halves,
                                  .blocks = t->geometry.blocks > 1,
                                  .folded = is_folded(u)};
    aic_use use;
    aic_use_begin(&use, program, &aic_part_amx_special, &key);
    give_blocks(&use, u);
    give_panels(&use, u, used);
    aic_use_trips(&use, u->rows, "rows");
    aic_use_trips(&use, u->cols, "cols");
    aic_use_number(&use, t->tile.out_row, "row.pitch");
    aic_use_number(&use, row_pixels(u) * AMX_ROW_BYTES, "out.row");
    aic_use_number(&use, (t->panel.block_kpacks - used) * t->panel.step_bytes, "tap.rest");
    if (key.folded) {
        aic_use_number(&use, t->wish.fold, "fold");
        aic_use_number(&use, t->band.pixel_kpacks / t->wish.fold, "fold.kpacks");
        aic_use_number(&use, u->c->down.taps % t->wish.fold, "fold.rest");
        aic_use_number(&use, t->panel.taps - 1, "taps.last");
    }
    return aic_program_add(program, &use, "special_%lldx%lldx%lld", (long long)u->rows, (long long)u->cols,
                           (long long)t->geometry.panel_channels);
}

aic_routine aic_compose_amx_tile(aic_program *program, const aic_plan *plan, int64_t rows, int64_t cols,
                                 aic_routine leave)
{
    const usage u = usage_of(plan, rows, cols);
    const aic_tiling *t = u.t;
    aic_amx_tile_key key = key_of(&u);
    aic_use use;
    key.pauses = leave != 0;
    aic_use_begin(&use, program, &aic_part_amx_tile, &key);
    give_blocks(&use, &u);
    give_panels(&use, &u, t->panel.block_kpacks);
    give_registers(&use, &u);
    if (key.specials) {
        aic_use_call(&use, use_special(program, &u), "special");
        aic_use_number(&use, t->staging.notes_offset, "notes.at");
    }
    if (key.specials && key.blocks) {
        aic_use_number(&use, t->panel.block_bytes, "block.panel");
    }
    if (key.halves) {
        const int64_t last = t->panel.taps * t->panel.block_kpacks - AMX_STEP_KPACKS;
        aic_use_number(&use, t->staging.planes_offset, "planes.at");
        aic_use_number(&use, last * t->panel.step_bytes, "panel.last");
    }
    if (key.start != AIC_TILE_FROM_ZERO) {
        aic_use_number(&use, t->staging.strip_bytes, "sums.at");
        aic_use_trips(&use, (rows - 1) * row_pixels(&u) + cols, "pixels");
    }
    if (key.pauses) {
        aic_use_call(&use, leave, "leave");
        aic_use_number(&use, t->staging.deferred_offset, "deferred.at");
        aic_use_number(&use, t->staging.deferred_runs, "pause.runs");
        aic_use_number(&use, t->staging.deferred_rows, "pause.rows");
    }
    return aic_program_add(program, &use, "tile_%lldx%lldx%lld", (long long)rows, (long long)cols,
                           (long long)t->geometry.panel_channels);
}

aic_routine aic_compose_amx_state(aic_program *program, const aic_plan *plan, bool enters)
{
    const aic_tiling *t = aic_tiling_of(plan);
    const amx_grid largest = aic_amx_largest_grid(aic_contraction_of(plan), &t->geometry);
    const int64_t kpacks = aic_amx_step_kpacks(t);
    aic_amx_state_key key = {.planes = 0};
    aic_use use;
    if (enters) {
        key = (aic_amx_state_key){.planes = t->geometry.arithmetic.planes,
                                  .most = largest.rows * largest.across,
                                  .vectors = t->geometry.vectors};
    }
    aic_use_begin(&use, program, &aic_part_amx_state, &key);
    if (enters) {
        aic_use_number(&use, largest.pixels, "pixels");
        aic_use_number(&use, kpacks, "kpacks");
        aic_use_number(&use, kpacks * AMX_KPACK_BYTES, "image.bytes");
    }
    return aic_program_add(program, &use, enters ? "enter" : "release");
}
