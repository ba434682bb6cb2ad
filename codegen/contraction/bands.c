/* The bodies of a contraction: which parts they are made of. parts/bands.h says what the loops around the tiles are. */
#include "codegen/contraction/bands.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/parts/bands.h"

_Static_assert((int)AIC_BANDS_INPUTS == (int)AIC_EPILOGUE_STEPS, "the loops know the operands of all steps");
_Static_assert((int)AIC_BANDS_TILES == (int)AIC_TILE_SIZES, "the loops know tiles of all sizes");

typedef struct frame {
    aic_program *program;
    const aic_plan *plan;
    const aic_contraction *c;
    const aic_tiling *t;
    aic_routine tile[AIC_TILE_SIZES]; /* functions by size, 0 where no tile has it */
    aic_strips strips;
    aic_routine leave;  /* the function that stores rows of a deferred tile; 0: tiles are not deferred */
    aic_routine finite; /* that which looks for halves that are not finite; 0: tiles do not care, or it is `noted` */
    bool noted;         /* packing the image notes whether there are some */
} frame;

/* The function of a larger tile that can also compute one of the size number `size`; 0: none can. Sizes before it have
 * no fewer rows. */
static aic_routine larger_tile(const frame *f, int size)
{
    const aic_tile_size own = aic_tile_size_of(&f->t->geometry, size);
    for (int i = 0; i < size && f->t->kernel->serves != NULL; i++) {
        const aic_tile_size s = aic_tile_size_of(&f->t->geometry, i);
        if (f->tile[i] != 0 && s.cols >= own.cols && f->t->kernel->serves(f->c, f->t, s.rows, s.cols)) {
            return f->tile[i];
        }
    }
    return 0;
}

static void compose_tiles(frame *f)
{
    for (int i = 0; i < AIC_TILE_SIZES; i++) {
        const aic_tile_size s = aic_tile_size_of(&f->t->geometry, i);
        f->tile[i] = s.count > 0 ? larger_tile(f, i) : 0;
        if (s.count > 0 && f->tile[i] == 0) {
            f->tile[i] = f->t->kernel->compose(f->program, f->plan, s.rows, s.cols, f->leave);
        }
    }
}

/* K-packs of every tap that tiles compute in any case and do not count: those of blocks that are apart. */
static int64_t not_counted(const aic_tiling *t)
{
    return t->geometry.in_place || t->geometry.arithmetic.sum == AIC_SUM_CUBE ? t->panel.counted_from : 0;
}

static aic_routine compose_finite(const frame *f)
{
    const aic_finite_key key = {.block = f->c->c0};
    aic_use use;
    aic_use_begin(&use, f->program, &aic_part_finite, &key);
    aic_use_number(&use, f->t->panel.kpacks - not_counted(f->t), "all");
    return aic_program_add(f->program, &use, "finite");
}

/* The kind of strips whose tiles are deferred: those of the full width, or, if there are none, the narrower one. */
static int deferred_kind(const frame *f)
{
    return f->strips.count[0] > 0 ? 0 : 1;
}

/* Whether every strip is one panel, and the pixels of every tile are one run. */
static bool leaves_at_once(const frame *f)
{
    const int64_t *columns = f->strips.columns;
    int64_t most = aic_parts(columns[0] > columns[1] ? columns[0] : columns[1], f->t->geometry.panel_channels);
    for (int i = 0; i < AIC_TILE_SIZES; i++) {
        const aic_tile_size s = aic_tile_size_of(&f->t->geometry, i);
        const int64_t runs = s.count > 0 ? aic_staged_runs(f->c, &f->t->wish, s.rows, s.cols) : 1;
        most = runs > most ? runs : most;
    }
    return most == 1;
}

/* Whether tiles read the table of taps. */
static bool reads_table(const aic_tiling *t)
{
    return t->kernel->table_from > 0 && t->panel.taps >= t->kernel->table_from;
}

/* Whether a call takes so short that what the loops do around tiles, if they are compiled fast, is percents of it. */
static bool is_short(const aic_plan *plan)
{
    enum { SURPLUS = 1200 };
    return aic_plan_is_within(plan, SURPLUS);
}

static aic_bands_key key_of(const frame *f)
{
    const aic_contraction *c = f->c;
    const aic_tiling *t = f->t;
    const aic_strips *s = &f->strips;
    const bool staged = t->staging.pitch > 0;
    unsigned input[AIC_EPILOGUE_STEPS];
    const bool fast = !is_short(f->plan);
    aic_bands_key key = {.fast = fast,
                         .operands = (int64_t)f->plan->operands,
                         .table = reads_table(t),
                         .one_part = !fast && t->division.parts == 1 && t->geometry.slices == 1,
                         .small_rows = t->geometry.rows.small_count > 0,
                         .small_cols = t->geometry.cols.small_count > 0,
                         .one_col = aic_split_count(&t->geometry.cols) == 1,
                         .window = t->tile.holds_window,
                         .slices = t->division.parts > 1 && t->geometry.slices > 1,
                         .blocks = t->geometry.blocks > 1,
                         .narrow = !staged && t->geometry.panel_channels < AIC_BLOCK_COLUMNS,
                         .skips_rows = t->panel.padding.rows,
                         .skips_columns = t->panel.padding.columns,
                         .edges = t->panel.padding.edges,
                         .row_residues = t->band.row_residues > 1,
                         .col_residues = t->band.col_residues > 1,
                         .staged = staged,
                         .defers = f->leave != 0,
                         .counts = t->tile.counts,
                         .finite = f->finite != 0,
                         .noted = f->noted,
                         .in_place = t->geometry.in_place};
    if (staged) {
        key.inputs = aic_epilogue_inputs(t->staging.epilogue, input);
        key.whole = s->count[0] > 0;
        key.last = s->count[1] > 0;
        key.loads_whole = s->load[0] != 0;
        key.loads_last = s->load[1] != 0;
        key.start = key.loads_whole || key.loads_last ? c->start_operand : 0;
        key.at_once = leaves_at_once(f);
        key.start_row = (key.loads_whole || key.loads_last) && c->start_channel && t->wish.starts_in_a_row;
    }
    for (int64_t i = 0; i < key.inputs; i++) {
        key.input[i] = input[i];
    }
    return key;
}

/* ---- numbers ---- */

/* What pixels of the output are counted in: bytes of the result where tiles store to it. */
static int64_t pixel_unit(const aic_bands_key *key)
{
    return key->staged ? 1 : AIC_ROW_BYTES;
}

/* What loops over tiles step by in a direction: the extent of a tile of either size in the band and in the output, and
 * in rows or columns where loops count these. */
static void give_steps(aic_use *use, const char *direction, const aic_split *split, int64_t band, int64_t pixels,
                       bool places)
{
    for (int s = 0; s < (split->small_count > 0 ? 2 : 1); s++) {
        const int64_t size = s == 0 ? split->large : split->small;
        aic_use_number(use, size * band, "%s.band.%d", direction, s);
        aic_use_number(use, size * pixels, "%s.pixels.%d", direction, s);
        if (places) {
            aic_use_number(use, size, "tile.%s.%d", direction, s);
        }
    }
}

/* How the output is cut into tiles, and where these lie. */
static void give_tiles(aic_use *use, const aic_bands_key *key, const aic_contraction *c, const aic_tiling *t)
{
    const aic_split *rows = &t->geometry.rows, *cols = &t->geometry.cols;
    const int64_t unit = pixel_unit(key);
    give_steps(use, "rows", rows, t->tile.out_row, c->across.out * unit, key->skips_rows);
    if (!key->one_col) {
        give_steps(use, "cols", cols, t->tile.out_col, unit, key->skips_columns);
        aic_use_number(use, cols->large_count * cols->large * unit, "cols.end.0");
    }
    aic_use_number(use, rows->large, "tile.rows");
    if (rows->small_count > 0) {
        aic_use_number(use, rows->large_count, "rows.0");
        aic_use_number(use, rows->large - rows->small, "rows.less");
        aic_use_number(use, rows->large_count * rows->large * c->across.out * unit, "rows.end");
    }
    if (cols->small_count > 0) {
        aic_use_number(use, c->across.out * unit, "cols.end.1");
    }
    aic_use_number(use, aic_split_count(rows), "tile.count");
    aic_use_number(use, t->geometry.band_tiles, "band.tiles");
    aic_use_number(use, c->across.out * unit, "out.cols");
    if (key->in_place) {
        aic_use_number(use, t->tile.out_row, "out.row");
    } else {
        aic_use_number(use, t->staging.band_offset, "band.at");
        aic_use_number(use, t->band.row_step, "row.step");
        aic_use_number(use, t->band.row_reach, "row.reach");
    }
    if (!key->in_place || key->finite) {
        aic_use_number(use, c->down.stride, "down.stride");
        aic_use_number(use, c->down.pad, "down.pad");
    }
}

/* The table of taps; and what of it tiles do. */
static void give_taps(aic_use *use, const aic_bands_key *key, const aic_contraction *c, const aic_tiling *t)
{
    const aic_plan_band *b = &t->band;
    aic_use_number(use, t->tile.range_bytes, "taps.at");
    aic_use_trips(use, aic_parts(c->down.taps, t->wish.fold), "kh");
    aic_use_trips(use, c->across.taps / t->wish.merged, "kw");
    aic_use_number(use, b->fold_step, "kh.step");
    aic_use_number(use, b->tap_step, "kw.step");
    aic_use_number(use, b->row_pitch / b->col_residues, "row.pitch");
    aic_use_number(use, b->pixel_pitch, "pixel.pitch");
    if (key->row_residues) {
        aic_use_number(use, b->row_residues, "row.residues");
        aic_use_number(use, b->col_residues * b->residue_bytes, "row.residue");
    }
    if (key->col_residues) {
        aic_use_number(use, b->col_residues, "col.residues");
        aic_use_number(use, b->residue_bytes, "col.residue");
    }
}

/* A direction in which tiles leave out taps. */
static void give_range(aic_use *use, const char *direction, const aic_line *l, const aic_split *split)
{
    aic_use_number(use, l->taps, "%s.taps", direction);
    aic_use_number(use, l->taps - 1, "%s.last", direction);
    aic_use_number(use, l->dilation - 1, "%s.between", direction);
    aic_use_number(use, aic_parts(1 << AIC_BANDS_SHARE_BITS, l->dilation), "%s.share", direction);
    aic_use_number(use, l->extent + l->pad, "%s.end", direction);
    for (int s = 0; s < (split->small_count > 0 ? 2 : 1); s++) {
        aic_use_number(use, (split->large - s - 1) * l->stride, "%s.reach.%d", direction, s);
    }
}

static void give_ranges(aic_use *use, const aic_bands_key *key, const aic_contraction *c, const aic_tiling *t)
{
    if (key->skips_rows) {
        give_range(use, "down", &c->down, &t->geometry.rows);
    }
    if (key->skips_columns) {
        aic_use_number(use, c->across.stride, "across.stride");
        aic_use_number(use, c->across.pad, "across.pad");
        give_range(use, "across", &c->across, &t->geometry.cols);
    }
}

/* A worker's memory; panels and how a band is divided. */
static void give_panels(aic_use *use, const aic_bands_key *key, const aic_contraction *c, const aic_tiling *t)
{
    const int64_t block = c->block_rows * AIC_ROW_BYTES, channels = t->geometry.panel_channels;
    if (!key->staged || !key->at_once) {
        aic_use_number(use, t->panel.block_panel_bytes, "panel.pitch");
    }
    aic_use_number(use, t->staging.strips, "strips");
    if (key->counts) {
        aic_use_number(use, t->panel.packed_bytes, "counts.at");
        aic_use_trips(use, t->panel.used, "counts");
        aic_use_number(use, t->tile.count_offset, "count.at");
        aic_use_number(use, not_counted(t), "count.less");
    }
    if (key->finite || key->noted) {
        aic_use_number(use, t->panel.kpacks, "count.all");
    }
    if (key->noted) {
        aic_use_number(use, t->staging.notes_offset, "note.at");
    }
    if (key->finite) {
        const int64_t bytes = t->geometry.source_bytes;
        aic_use_number(use, (c->down.taps - 1) * c->down.dilation + 1, "count.reach");
        aic_use_number(use, (c->c1 - 1) * c->image.block * bytes, "image.last");
        aic_use_number(use, c->image.row_pitch * bytes, "image.row");
        aic_use_number(use, c->down.extent, "image.rows");
    }
    if (!key->one_part) {
        aic_use_number(use, t->division.part_strips, "part.strips");
    }
    if (key->slices) {
        aic_use_number(use, t->band.count, "bands");
        aic_use_number(use, t->geometry.channels / c->c0 * c->image.block * t->geometry.source_bytes, "slice.image");
    } else if (!key->one_part) {
        aic_use_number(use, t->division.parts, "parts");
    }
    if (key->blocks) {
        aic_use_trips(use, t->geometry.blocks, "blocks");
        aic_use_number(use, t->geometry.blocks - 1, "blocks.last");
        aic_use_number(use, t->panel.block_kpacks * t->geometry.arithmetic.kpack_bytes, "block.band");
        aic_use_number(use, t->panel.block_bytes, "block.panel");
    }
    if (key->narrow) {
        aic_use_number(use, AIC_BLOCK_COLUMNS / channels, "block.panels");
        aic_use_number(use, block, "block.out");
        aic_use_number(use, channels * AIC_SUM_BYTES, "panel.out");
    } else if (!key->staged) {
        aic_use_number(use, channels / AIC_BLOCK_COLUMNS * block, "panel.out");
    }
}

/* The staging buffer, its strips and the runs of tiles in it. */
static void give_staging(aic_use *use, const frame *f, const aic_bands_key *key)
{
    const aic_tiling *t = f->t;
    const int64_t channels = t->geometry.panel_channels;
    aic_use_number(use, t->staging.offset, "staging.at");
    if (!key->at_once) {
        aic_use_number(use, channels * AIC_SUM_BYTES, "panel.row");
    }
    aic_use_number(use, t->staging.strip_columns, "strip.columns");
    aic_use_number(use, t->staging.strip_columns / channels * t->panel.block_panel_bytes, "strip.pitch");
    aic_use_number(use, t->staging.buffer_bytes, "buffer.bytes");
    aic_use_number(use, f->strips.count[0], "strips.0");
    if (key->defers) {
        aic_use_number(use, t->staging.deferred_offset, "deferred.at");
        aic_use_call(use, f->leave, "leave");
    }
    for (int s = 0; s < 2; s++) {
        if (f->strips.count[s] == 0) {
            continue;
        }
        if (!key->at_once) {
            aic_use_trips(use, aic_parts(f->strips.columns[s], channels), s == 0 ? "panels.0" : "panels.1");
        }
        aic_use_call(use, f->strips.store[s], "store.%d", s);
        if (f->strips.load[s] != 0) {
            aic_use_call(use, f->strips.load[s], "load.%d", s);
        }
    }
    static const char *const RUNS[AIC_TILE_SIZES] = {"runs.0", "runs.1", "runs.2", "runs.3"};
    for (int i = 0; i < AIC_TILE_SIZES; i++) {
        const aic_tile_size s = aic_tile_size_of(&t->geometry, i);
        if (s.count > 0) {
            const int64_t runs = aic_staged_runs(f->c, &t->wish, s.rows, s.cols), run = s.rows * s.cols / runs;
            const int64_t pitch = aic_staged_row(&t->wish, s.cols) * AIC_ROW_BYTES;
            aic_use_number(use, run, "run.%d", i);
            if (!key->at_once) {
                aic_use_trips(use, runs, RUNS[i]);
                aic_use_number(use, pitch, "run.pitch.%d", i);
            }
            if (key->defers) { /* behind the only run there is nothing */
                aic_use_number(use, runs > 1 ? pitch - run * AIC_ROW_BYTES : 0, "run.skip.%d", i);
                aic_use_number(use, runs > 1 ? f->c->across.out - run : 0, "run.gap.%d", i);
            }
        }
    }
}

/* ---- bodies ---- */

static aic_routine compose_bands(const frame *f, aic_routine image)
{
    const aic_bands_key key = key_of(f);
    aic_use use;
    aic_use_begin(&use, f->program, &aic_part_bands, &key);
    give_tiles(&use, &key, f->c, f->t);
    if (key.table) {
        give_taps(&use, &key, f->c, f->t);
    }
    give_ranges(&use, &key, f->c, f->t);
    give_panels(&use, &key, f->c, f->t);
    if (key.staged) {
        give_staging(&use, f, &key);
    }
    for (int i = 0; i < AIC_TILE_SIZES; i++) {
        if (f->tile[i] != 0) {
            aic_use_call(&use, f->tile[i], "tile.%d", i);
        }
    }
    if (f->finite != 0) {
        aic_use_call(&use, f->finite, "finite");
    }
    if (!key.in_place) {
        aic_use_call(&use, image, "image");
    }
    return aic_program_add(f->program, &use, "bands");
}

/* The routine that packs image rows into a band. */
static aic_routine compose_image(const frame *f)
{
    const aic_microkernel *kernel = f->t->kernel;
    const aic_routine packed =
        (kernel->compose_image != NULL ? kernel->compose_image : aic_compose_pack_image)(f->program, f->plan);
    return f->t->transform.m > 0 ? aic_compose_winograd_image(f->program, f->plan, packed) : packed;
}

void aic_compose_bands(aic_program *program, const aic_plan *plan, aic_bodies *bodies)
{
    frame f = {.program = program, .plan = plan, .c = aic_contraction_of(plan), .t = aic_tiling_of(plan)};
    if (f.t->staging.has_epilogue) {
        aic_compose_staging(program, plan, &f.strips);
    }
    if (f.t->staging.defers) {
        f.leave = aic_compose_deferred(program, plan, f.strips.store[deferred_kind(&f)]);
    }
    f.noted = aic_pack_image_notes(plan);
    if (f.t->tile.counts && f.c->dtype != AIC_INT8 && !f.noted) {
        f.finite = compose_finite(&f);
    }
    compose_tiles(&f);
    const aic_routine image = f.t->geometry.in_place ? 0 : compose_image(&f);
    unsigned phase = 0;
    if (f.strips.table != 0) {
        bodies->phase[phase++] = aic_compose_epilogue_phase(program, plan, f.t->staging.epilogue, f.strips.table);
    }
    bodies->phase[phase] = compose_bands(&f, image);
}
