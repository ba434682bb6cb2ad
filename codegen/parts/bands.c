/* The loops around the tiles of a contraction; see bands.h. */
#include "codegen/llvm/notes.h"
#include "codegen/parts.h"
#include "codegen/parts/bands_taps.h"
#include "codegen/parts/deferred.h"

#include <string.h>

enum { OUT, IMAGE, WEIGHT };

typedef struct tile_call {
    int size;           /* its role */
    LLVMValueRef pixel; /* number of its first pixel in the output; unless staged its bytes from the first one on */
    LLVMValueRef band;  /* address of that pixel in the band */
} tile_call;

typedef struct frame {
    aic_emit *e;
    const aic_bands_key *key;
    LLVMValueRef operand[AIC_PARAMS_MAX];
    LLVMValueRef table, taps, staging, band, deferred; /* taps: a worker's memory, which begins with the taps */
    LLVMValueRef first_row, last_row;                  /* of the current band, the end excluded */
    LLVMValueRef first_strip, last_strip;              /* strips that this call computes */
    LLVMValueRef image;                                /* the operand, or the first channel of a slice in it */
    LLVMValueRef strip;                                /* number of the current strip, or panel unless staged */
    LLVMValueRef weights;                              /* its first panel */
    LLVMValueRef column;                               /* staged: its first column */
    LLVMValueRef strip_out; /* unless staged: the panel's first column of pixel 0 in the result */
    int kind;               /* of the current strip: 0 of the full width, 1 the last one */
    tile_call at;           /* the current tile */
    LLVMValueRef block;     /* the current block of channels */
    aic_band_taps told;     /* what tiles are told of taps */
} frame;

/* What a loop does with each of its items, which is then the current one. */
typedef void (*visit)(frame *f);

/* A number of the smaller or the larger size, "NAME.S". */
static LLVMValueRef sized(const frame *f, const char *name, int size)
{
    return aic_number(f->e, "%s.%d", name, size);
}

/* The same in a loop over tiles. */
static LLVMValueRef inner_number(const frame *f, const char *name, int size)
{
    return aic_inner_number(f->e, "%s.%d", name, size);
}

static LLVMValueRef sized_trips(const frame *f, const char *name, int size)
{
    return aic_trips(f->e, "%s.%d", name, size);
}

static LLVMValueRef difference(const frame *f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildNSWSub(f->e->builder, a, b, "");
}

/* ---- one tile ---- */

/* First output row of tile row `tile`: the larger tiles come first. */
static LLVMValueRef output_row(const frame *f, LLVMValueRef tile)
{
    aic_emit *e = f->e;
    LLVMValueRef row = aic_scaled(e, tile, "tile.rows");
    if (!f->key->small_rows) {
        return row;
    }
    LLVMValueRef smaller = aic_max(e, difference(f, tile, sized(f, "rows", 0)), aic_int(e, 0));
    return difference(f, row, aic_scaled(e, smaller, "rows.less"));
}

/* Address in the result of the first column of a panel narrower than a block of columns, for pixel 0. */
static LLVMValueRef narrow_panel(const frame *f, LLVMValueRef panel)
{
    aic_emit *e = f->e;
    LLVMValueRef panels = aic_number(e, "block.panels"), block = LLVMBuildUDiv(e->builder, panel, panels, "");
    return aic_at_index(e, aic_at_index(e, f->operand[OUT], block, "block.out"),
                        LLVMBuildURem(e->builder, panel, panels, ""), "panel.out");
}

static void call_tile(const frame *f, LLVMValueRef out, LLVMValueRef weights)
{
    aic_emit *e = f->e;
    LLVMValueRef band = f->at.band;
    if (f->key->blocks) {
        band = aic_at_index(e, band, f->block, "block.band");
        weights = aic_at_index(e, weights, f->block, "block.panel");
    }
    LLVMValueRef args[] = {out, band, weights, f->taps, f->block};
    aic_name(e, out, "tile.out");
    aic_name(e, band, "tile.band");
    aic_name(e, weights, "tile.panel");
    aic_call_role(e, args, 4, f->key->blocks, "tile.%d", f->at.size);
}

/* ---- the staging buffer ---- */

static aic_staged staged_tile(const frame *f, LLVMValueRef staging)
{
    return (aic_staged){.staging = staging,
                        .pixel = f->at.pixel,
                        .column = f->column,
                        .runs = f->key->at_once ? aic_int(f->e, 1) : sized_trips(f, "runs", f->at.size),
                        .count = inner_number(f, "run", f->at.size),
                        .pitch = f->key->at_once ? aic_int(f->e, 0) : sized(f, "run.pitch", f->at.size),
                        .distance = f->key->at_once ? aic_int(f->e, 0) : aic_number(f->e, "out.cols")};
}

/* Adds a number to what a loop carries, an address or an integer, at the end of an iteration. */
static void step_at(const frame *f, aic_loop *loop, unsigned i, LLVMValueRef step)
{
    loop->carried[i] = aic_at(f->e, aic_loop_carried(f->e, loop, i), step);
}

static void step_by(const frame *f, aic_loop *loop, unsigned i, LLVMValueRef step)
{
    loop->carried[i] = aic_add(f->e, aic_loop_carried(f->e, loop, i), step);
}

/* A loop over the runs of a tile: a run's address in the buffer and its first row in the result. */
typedef struct run_loop {
    aic_loop loop;
    LLVMValueRef at[2];
} run_loop;

enum { RUN_STAGING, RUN_ROW };

static void begin_run(const frame *f, run_loop *run, const aic_staged *tile)
{
    run->at[RUN_STAGING] = tile->staging;
    run->at[RUN_ROW] = tile->pixel;
    aic_loop_begin(f->e, &run->loop, "run: runs of pixels that are neighbours in the result", aic_int(f->e, 0),
                   tile->runs, 1, run->at, 2);
}

static void end_run(const frame *f, run_loop *run, const aic_staged *tile)
{
    step_at(f, &run->loop, RUN_STAGING, tile->pitch);
    step_by(f, &run->loop, RUN_ROW, tile->distance);
    aic_loop_end(f->e, &run->loop);
}

/* Fills a tile's buffer, or the first row of it, with what sums start from. */
static void load_tile(const frame *f, LLVMValueRef staging)
{
    aic_emit *e = f->e;
    run_loop run;
    aic_staged tile = staged_tile(f, staging);
    if (f->key->start_row) {
        tile.runs = tile.count = aic_int(e, 1);
    }
    begin_run(f, &run, &tile);
    LLVMValueRef args[] = {run.at[RUN_STAGING], f->operand[f->key->start], run.at[RUN_ROW], tile.count, tile.column};
    aic_call_role(e, args, 2, 3, "load.%d", f->kind);
    end_run(f, &run, &tile);
}

/* Stores a tile through the epilogue. */
static void store_tile(const frame *f, const aic_staged *tile)
{
    aic_emit *e = f->e;
    run_loop run;
    LLVMValueRef args[3 + AIC_BANDS_INPUTS + 3];
    unsigned count = 3;
    begin_run(f, &run, tile);
    args[0] = f->operand[OUT];
    args[1] = run.at[RUN_STAGING];
    args[2] = f->table;
    for (int64_t i = 0; i < f->key->inputs; i++) {
        args[count++] = f->operand[f->key->input[i]];
    }
    args[count] = run.at[RUN_ROW];
    args[count + 1] = tile->count;
    args[count + 2] = tile->column;
    aic_call_role(e, args, count, 3, "store.%d", f->kind);
    end_run(f, &run, tile);
}

/* Stores what remains of the deferred tile. */
static void store_last(const frame *f)
{
    if (f->key->defers) {
        aic_note_finish(f->e, f->deferred, aic_callee(f->e, "leave", 1, 2));
    }
}

/* Whether tiles of the current kind of strips are deferred: those of the full width, or, if there are none, the
 * narrower one. */
static bool is_deferred(const frame *f)
{
    return f->key->defers && f->kind == (f->key->whole ? 0 : 1);
}

/* The offset of the current tile's staging buffer. With blocks of channels each strip has a buffer of its own, as its
 * sums are not complete before the last block. */
static LLVMValueRef buffer_offset(const frame *f)
{
    if (f->key->blocks) {
        return aic_scaled(f->e, f->strip, "buffer.bytes");
    }
    return f->key->defers ? aic_note_word(f->e, f->deferred, AIC_NOTE_FREE) : aic_int(f->e, 0);
}

/* Stores the current tile from its buffer; or stores what remains of the deferred tile and defers the current one. */
static void leave_buffer(const frame *f, const aic_staged *tile, LLVMValueRef offset)
{
    if (!is_deferred(f)) {
        store_tile(f, tile);
        return;
    }
    store_last(f);
    aic_note_tile(f->e, f->deferred, tile, difference(f, aic_number(f->e, "buffer.bytes"), offset));
    aic_note_set(f->e, f->deferred, AIC_NOTE_SKIP, sized(f, "run.skip", f->at.size));
    aic_note_set(f->e, f->deferred, AIC_NOTE_GAP, sized(f, "run.gap", f->at.size));
}

/* Computes the current tile for all panels of the current strip, by the staging buffer. */
static void emit_strip(const frame *f)
{
    aic_emit *e = f->e;
    LLVMValueRef offset = buffer_offset(f), staging = aic_at(e, f->staging, offset);
    if (f->kind == 0 ? f->key->loads_whole : f->key->loads_last) {
        load_tile(f, staging);
    }
    aic_loop loop;
    LLVMValueRef panel[] = {staging, f->weights};
    LLVMValueRef panels = f->key->at_once ? aic_int(e, 1) : sized_trips(f, "panels", f->kind);
    aic_loop_begin(e, &loop, "panel: panels of a strip", aic_int(e, 0), panels, 1, panel, 2);
    call_tile(f, panel[0], panel[1]);
    if (!f->key->at_once) {
        step_at(f, &loop, 0, aic_number(e, "panel.row"));
        step_at(f, &loop, 1, aic_number(e, "panel.pitch"));
    }
    aic_loop_end(e, &loop);
    const aic_staged tile = staged_tile(f, staging);
    if (!f->key->blocks) {
        leave_buffer(f, &tile, offset);
        return;
    }
    aic_branch branch;
    aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntEQ, f->block, aic_number(e, "blocks.last"), ""));
    leave_buffer(f, &tile, offset);
    aic_branch_end(e, &branch);
}

/* ---- loops ---- */

/* Computes the current tile for the current strip. */
static void emit_here(frame *f)
{
    if (f->key->staged) {
        emit_strip(f);
        return;
    }
    call_tile(f, aic_at(f->e, f->strip_out, f->at.pixel), f->weights);
}

/* What loops over tiles carry besides the number of a tile's first pixel: its place in the band; and, of loops that
 * store the range of taps that tiles do, its first row or column. */
enum { NEXT_BAND, NEXT_PLACE, NEXT_VALUES };

/* Adds a tile's extent, for size S the numbers "DIRECTION.band.S" and so on. */
static void step_over(const frame *f, aic_loop *loop, const char *direction, int size, bool places)
{
    step_at(f, loop, NEXT_BAND, aic_inner_number(f->e, "%s.band.%d", direction, size));
    if (places) {
        step_by(f, loop, NEXT_PLACE, aic_inner_number(f->e, "tile.%s.%d", direction, size));
    }
}

/* Visits the tiles of a tile row. Its first pixel is number `pixel` of the output and lies at `band` in the band. */
static void emit_tile_row(frame *f, int smaller, LLVMValueRef pixel, LLVMValueRef band, visit inner)
{
    aic_emit *e = f->e;
    const bool places = f->key->skips_columns;
    LLVMValueRef next[NEXT_VALUES] = {band, aic_int(e, 0)}, first = pixel;
    if (f->key->one_col) {
        f->at = (tile_call){2 * smaller, pixel, band};
        aic_store_column_range(&f->told, next[NEXT_PLACE], 0);
        inner(f);
        return;
    }
    for (int s = 0; s <= f->key->small_cols; s++) {
        aic_loop loop;
        LLVMValueRef end = aic_add(e, pixel, sized(f, "cols.end", s));
        aic_loop_begin_by(e, &loop, "col: tiles across the output", first, end, inner_number(f, "cols.pixels", s), true,
                          next, places ? NEXT_VALUES : NEXT_PLACE);
        f->at = (tile_call){2 * smaller + s, loop.index, next[NEXT_BAND]};
        aic_store_column_range(&f->told, next[NEXT_PLACE], s);
        inner(f);
        step_over(f, &loop, "cols", s, places);
        aic_loop_end(e, &loop);
        first = end;
    }
}

/* A range of loop indices, last excluded. */
typedef struct range {
    LLVMValueRef first, last;
} range;

/* The indices of a range that belong to one of two kinds, of which the first has those below `limit`; whether there is
 * another kind before it, and behind it. */
static range section(const frame *f, range all, LLVMValueRef limit, bool before, bool behind)
{
    return (range){before ? aic_max(f->e, all.first, limit) : all.first,
                   behind ? aic_min(f->e, all.last, limit) : all.last};
}

/* Visits all tiles of the current band. */
static void emit_tiles_of_band(frame *f, visit inner)
{
    aic_emit *e = f->e;
    const bool places = f->key->skips_rows;
    LLVMValueRef next[NEXT_VALUES] = {f->band, f->first_row};
    const range pixels = {aic_scaled(e, f->first_row, "out.cols"), aic_scaled(e, f->last_row, "out.cols")};
    for (int r = 0; r <= f->key->small_rows; r++) {
        aic_loop loop;
        const range some = f->key->small_rows ? section(f, pixels, aic_number(e, "rows.end"), r > 0, r == 0) : pixels;
        aic_loop_begin_by(e, &loop, "tile: rows of tiles of the band", some.first, some.last,
                          inner_number(f, "rows.pixels", r), false, next, places ? NEXT_VALUES : NEXT_PLACE);
        aic_store_row_range(&f->told, next[NEXT_PLACE], r);
        emit_tile_row(f, r, loop.index, next[NEXT_BAND], inner);
        step_over(f, &loop, "rows", r, places);
        aic_loop_end(e, &loop);
    }
}

/* Visits the panels that are computed, which tiles store to the result. */
static void emit_panels(frame *f, visit inner)
{
    aic_emit *e = f->e;
    aic_loop loop;
    const bool narrow = f->key->narrow;
    LLVMValueRef next[] = {aic_at_index(e, f->operand[WEIGHT], f->first_strip, "panel.pitch"),
                           narrow ? NULL : aic_at_index(e, f->operand[OUT], f->first_strip, "panel.out")};
    aic_loop_begin(e, &loop, "panel: panels of output channels", f->first_strip, f->last_strip, 1, next,
                   narrow ? 1 : 2);
    f->strip = loop.index;
    f->weights = next[0];
    f->strip_out = narrow ? narrow_panel(f, loop.index) : next[1];
    inner(f);
    step_at(f, &loop, 0, aic_number(e, "panel.pitch"));
    if (!narrow) {
        step_at(f, &loop, 1, aic_number(e, "panel.out"));
    }
    aic_loop_end(e, &loop);
}

/* Visits the strips that are computed. */
static void emit_strips(frame *f, visit inner)
{
    aic_emit *e = f->e;
    LLVMValueRef next[] = {aic_at_index(e, f->operand[WEIGHT], f->first_strip, "strip.pitch"),
                           aic_scaled(e, f->first_strip, "strip.columns")};
    for (f->kind = f->key->whole ? 0 : 1; f->kind <= f->key->last; f->kind++) {
        aic_loop loop;
        const range some = section(f, (range){f->first_strip, f->last_strip}, sized(f, "strips", 0),
                                   f->kind > 0 && f->key->whole, f->kind < f->key->last);
        aic_loop_begin(e, &loop, "strip: strips of output channels", some.first, some.last, 1, next, 2);
        f->strip = loop.index;
        f->weights = next[0];
        f->column = next[1];
        inner(f);
        step_at(f, &loop, 0, aic_number(e, "strip.pitch"));
        step_by(f, &loop, 1, aic_number(e, "strip.columns"));
        aic_loop_end(e, &loop);
    }
}

static void emit_tiles_of_strip(frame *f)
{
    emit_tiles_of_band(f, emit_here);
}

static void emit_all_strips(frame *f, visit inner)
{
    if (f->key->staged) {
        emit_strips(f, inner);
    } else {
        emit_panels(f, inner);
    }
}

/* With blocks of channels, deferred tiles are stored before the next tile begins, as that reuses all buffers. */
static void emit_strips_of_tile(frame *f)
{
    if (!f->key->blocks) {
        emit_all_strips(f, emit_here);
        return;
    }
    aic_loop loop;
    aic_loop_over(f->e, &loop, "block: blocks of channels", aic_trips(f->e, "blocks"));
    f->block = loop.index;
    emit_all_strips(f, emit_here);
    aic_loop_end(f->e, &loop);
    store_last(f);
}

/* Packs the image rows that the current band needs, unless tiles read them where they lie, and tells tiles whether they
 * can leave out k-packs without weights. */
static void emit_packing(const frame *f)
{
    aic_emit *e = f->e;
    LLVMValueRef height = difference(f, f->last_row, f->first_row);
    LLVMValueRef top = difference(f, aic_scaled(e, f->first_row, "down.stride"), aic_number(e, "down.pad"));
    aic_name(e, top, "band.top");
    if (!f->key->in_place) {
        LLVMValueRef above = aic_scaled(e, aic_add(e, height, aic_int(e, -1)), "row.step");
        LLVMValueRef args[] = {f->band, f->image, top, aic_add(e, above, aic_number(e, "row.reach"))};
        aic_call_role(e, args, 2, 2, "image");
    }
    if (f->key->finite) {
        aic_store_band_count(&f->told, height, top);
    } else if (f->key->noted) {
        aic_store_noted_count(&f->told);
    }
}

static void emit_band(frame *f, LLVMValueRef band)
{
    aic_emit *e = f->e;
    LLVMValueRef tile = aic_scaled(e, band, "band.tiles");
    LLVMValueRef end = aic_min(e, aic_add(e, tile, aic_number(e, "band.tiles")), aic_number(e, "tile.count"));
    f->first_row = output_row(f, tile);
    f->last_row = output_row(f, end);
    aic_name(e, f->first_row, "band.row");
    if (f->key->in_place) {
        f->band = aic_at_index(e, f->image, f->first_row, "out.row");
    }
    if (!f->key->in_place || f->key->finite) {
        emit_packing(f);
    }
    if (f->key->window) {
        emit_tiles_of_band(f, emit_strips_of_tile);
    } else {
        emit_all_strips(f, emit_tiles_of_strip);
    }
}

/* Computes the work items first .. last-1, each a part of a band whose channels are packed for itself: all bands of a
 * slice, then those of the next one. */
static void emit_slices(frame *f, LLVMValueRef first, LLVMValueRef last)
{
    aic_emit *e = f->e;
    aic_loop loop;
    LLVMValueRef bands = aic_number(e, "bands");
    aic_loop_begin(e, &loop, "slice: slices of the channels of bands", first, last, 1, NULL, 0);
    LLVMValueRef part = LLVMBuildUDiv(e->builder, loop.index, bands, "");
    f->image = aic_at_index(e, f->operand[IMAGE], part, "slice.image");
    f->first_strip = aic_scaled(e, part, "part.strips");
    f->last_strip = aic_min(e, aic_add(e, f->first_strip, aic_number(e, "part.strips")), aic_number(e, "strips"));
    emit_band(f, LLVMBuildURem(e->builder, loop.index, bands, ""));
    aic_loop_end(e, &loop);
}

/* Computes the work items first .. last-1, each a part of a band: a loop over their bands, each with the strips of its
 * parts. */
static void emit_parts(frame *f, LLVMValueRef first, LLVMValueRef last)
{
    aic_emit *e = f->e;
    aic_loop loop;
    LLVMValueRef strips = aic_number(e, "strips"), parts = aic_number(e, "parts");
    LLVMValueRef up = aic_add(e, aic_add(e, last, parts), aic_int(e, -1));
    LLVMValueRef first_band = LLVMBuildUDiv(e->builder, first, parts, "");
    LLVMValueRef last_band = LLVMBuildUDiv(e->builder, up, parts, "");
    aic_loop_begin(e, &loop, "band: bands of the image", first_band, last_band, 1, NULL, 0);
    LLVMValueRef before = aic_times(e, loop.index, parts);
    f->first_strip = aic_scaled(e, aic_max(e, difference(f, first, before), aic_int(e, 0)), "part.strips");
    f->last_strip = aic_min(e, aic_scaled(e, difference(f, last, before), "part.strips"), strips);
    emit_band(f, loop.index);
    aic_loop_end(e, &loop);
}

/* Computes the bands first .. last-1. */
static void emit_bands(frame *f, LLVMValueRef first, LLVMValueRef last)
{
    aic_loop loop;
    f->first_strip = aic_int(f->e, 0);
    f->last_strip = aic_number(f->e, "strips");
    aic_loop_begin(f->e, &loop, "band: bands of the image", first, last, 1, NULL, 0);
    emit_band(f, loop.index);
    aic_loop_end(f->e, &loop);
}

static void emit_items(frame *f, LLVMValueRef first, LLVMValueRef last)
{
    f->image = f->operand[IMAGE];
    (f->key->slices ? emit_slices : f->key->one_part ? emit_bands : emit_parts)(f, first, last);
}

/* ---- the part ---- */

/* The start of the deferred tile's note: no tile, and what all tiles share. */
static void begin_deferred(frame *f)
{
    aic_emit *e = f->e;
    f->deferred = aic_behind(e, f->taps, "deferred.at");
    aic_name(e, f->deferred, "deferred");
    aic_note_set(e, f->deferred, AIC_NOTE_FREE, aic_int(e, 0));
    aic_note_set(e, f->deferred, AIC_NOTE_RUNS, aic_int(e, 0));
    aic_note_set(e, f->deferred, AIC_NOTE_TARGET, f->operand[OUT]);
    aic_note_set(e, f->deferred, AIC_NOTE_TABLE, f->table);
    for (int64_t i = 0; i < f->key->inputs; i++) {
        aic_note_set(e, f->deferred, AIC_NOTE_INPUTS + (int)i, f->operand[f->key->input[i]]);
    }
}

LLVMValueRef aic_emit_part_bands(aic_emit *e, const void *of, const char *name)
{
    frame f = {.e = e, .key = of};
    const unsigned operands = (unsigned)f.key->operands;
    aic_emit_body(e, f.key->fast ? AIC_EMIT_FRAME : AIC_EMIT_HOT, name, operands);
    aic_note_function(e, "phase: bands of the image, packed, then tile by tile");
    for (unsigned i = 0; i < operands; i++) {
        f.operand[i] = aic_emit_param(e, i);
    }
    f.table = aic_emit_param(e, operands);
    f.taps = aic_emit_param(e, operands + 1);
    if (f.key->staged) {
        f.staging = aic_behind(e, f.taps, "staging.at");
        aic_name(e, f.staging, "staging");
    }
    aic_name(e, f.taps, "taps");
    if (!f.key->in_place) {
        f.band = aic_behind(e, f.taps, "band.at");
        aic_name(e, f.band, "band.memory");
    }
    if (f.key->defers) {
        begin_deferred(&f);
    }
    f.told =
        (aic_band_taps){.e = e, .key = f.key, .taps = f.taps, .weight = f.operand[WEIGHT], .image = f.operand[IMAGE]};
    if (f.key->table) {
        aic_emit_tap_table(&f.told);
    }
    if (f.key->counts) {
        aic_find_tap_count(&f.told);
    }
    emit_items(&f, aic_emit_param(e, operands + 2), aic_emit_param(e, operands + 3));
    store_last(&f);
    return aic_emit_function_end(e);
}
