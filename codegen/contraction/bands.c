/* The bodies of a contraction: loops around the tiles of a micro-kernel.
 *
 *     columns   the epilogue's column parameters, where it has any
 *     bands     for band: pack its image rows
 *                 for panel of output channels
 *                   for tile row of the band, for tile column: call the tile's function
 *
 * If the schedule holds a tile's window, the loops are interchanged: for each tile a loop over blocks of channels, and
 * in it the loop over panels.
 *
 * With an epilogue all panels of a strip are computed before the tile is stored from the staging buffer: at once, or,
 * if the micro-kernel has pauses for that, between the products of the next tile, which fills a second buffer
 * (deferred.c).
 *
 * An item of the phase "bands" is a part of the output channels of a band: item = band * parts + part. A worker that
 * does several parts of a band packs its image once. */
#include "codegen/contraction/bands.h"
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"

#include <stdio.h>

enum { OUT = AIC_CONTRACTION_OUT, IMAGE = AIC_CONTRACTION_IMAGE, WEIGHT = AIC_CONTRACTION_WEIGHT };

typedef struct tile_call {
    LLVMValueRef tile;  /* its function */
    LLVMValueRef pixel; /* number of its first pixel in the output */
    LLVMValueRef band;  /* address of that pixel in the band */
    int64_t rows, cols;
} tile_call;

typedef struct operands {
    LLVMValueRef out, image, weight;
    LLVMValueRef start;                     /* the operand from which sums start */
    LLVMValueRef input[AIC_EPILOGUE_STEPS]; /* operands of the epilogue's steps */
    unsigned inputs;
} operands;

/* Of the current band, the ends excluded. */
typedef struct band_part {
    LLVMValueRef first_tile, last_tile;   /* tile rows */
    LLVMValueRef first_row;               /* output row */
    LLVMValueRef first_strip, last_strip; /* strips that this call computes */
} band_part;

typedef struct frame {
    aic_emit *e;
    const aic_contraction *c;
    const aic_tiling *t;
    LLVMValueRef tile[AIC_TILE_SIZES]; /* functions by size, NULL where no tile has it */
    LLVMValueRef pack_image;
    aic_strips strips;
    operands of;
    LLVMValueRef taps, table, staging, band;
    band_part now;
    LLVMValueRef panel;     /* number of the current strip's first panel */
    LLVMValueRef strip_out; /* without a staging buffer: the panel's first column of pixel 0 in the result */
    int part;               /* which of the two kinds of strips is current: the index of aic_strips */
    tile_call at;           /* the current tile */
    LLVMValueRef block;     /* the current block of channels */
    LLVMValueRef leave;     /* the function that stores rows of a deferred tile; NULL: tiles are not deferred */
    LLVMValueRef deferred;  /* the note of a deferred tile */
} frame;

/* What a loop does with each of its items, which is then the current one. */
typedef void (*visit)(frame *f);

static int64_t tile_size(const aic_split *split, int smaller)
{
    return split->large - smaller;
}

static int64_t tile_count(const aic_split *split, int smaller)
{
    return smaller ? split->small_count : split->large_count;
}

/* The function of a larger tile that can also compute one of the size number `size`; NULL: none can. */
static LLVMValueRef larger_tile(const frame *f, int size)
{
    const aic_tile_size own = aic_tile_size_of(&f->t->geometry, size);
    for (int i = 0; i < size && f->t->kernel->serves != NULL; i++) {
        const aic_tile_size s = aic_tile_size_of(&f->t->geometry, i);
        if (f->tile[i] != NULL && s.rows >= own.rows && s.cols >= own.cols &&
            f->t->kernel->serves(f->c, f->t, s.rows, s.cols, own.rows, own.cols)) {
            return f->tile[i];
        }
    }
    return NULL;
}

static void emit_tiles(frame *f, const char *symbol)
{
    for (int i = 0; i < AIC_TILE_SIZES; i++) {
        const aic_tile_size s = aic_tile_size_of(&f->t->geometry, i);
        f->tile[i] = s.count > 0 ? larger_tile(f, i) : NULL;
        if (s.count > 0 && f->tile[i] == NULL) {
            char name[160];
            snprintf(name, sizeof name, "%s_tile_%lldx%lldx%lld", symbol, (long long)s.rows, (long long)s.cols,
                     (long long)f->t->geometry.panel_channels);
            f->tile[i] = f->t->kernel->emitter.emit(f->e, f->c, f->t, s.rows, s.cols, f->leave, name);
        }
    }
}

/* The layout of a band down or across: number of residues, bytes from the part of one residue to the next, and bytes
 * from one row or column to the next within a part. */
typedef struct direction {
    int64_t residues, residue_bytes, pitch;
} direction;

/* The offset of band row or column number `distance`. */
static LLVMValueRef tap_offset(const frame *f, LLVMValueRef distance, const direction *d)
{
    aic_emit *e = f->e;
    LLVMValueRef residues = aic_int(e, d->residues);
    if (d->residues == 1) {
        return aic_mul(e, distance, d->pitch);
    }
    return aic_add(e, aic_mul(e, LLVMBuildURem(e->builder, distance, residues, ""), d->residue_bytes),
                   aic_mul(e, LLVMBuildUDiv(e->builder, distance, residues, ""), d->pitch));
}

/* Fills the table of tap offsets, table[kh*Kw + kw], Kw being the kernel's width, or 1 where taps are merged. The table
 * is filled at run time: as constant data it would need a relocation and, for large kernels, half a megabyte. */
static void emit_tap_table(const frame *f)
{
    aic_emit *e = f->e;
    const aic_contraction *c = f->c;
    const aic_tiling *t = f->t;
    const int64_t kw = c->across.taps / t->wish.merged, kh = aic_parts(c->down.taps, t->wish.fold);
    const direction vertical = {t->band.row_residues, t->band.col_residues * t->band.residue_bytes,
                                t->band.row_pitch / t->band.col_residues},
                    horizontal = {t->band.col_residues, t->band.residue_bytes, t->band.pixel_pitch};
    LLVMValueRef table = aic_at_const(e, f->taps, t->tile.range_bytes);
    aic_loop down, across;
    aic_loop_begin(e, &down, "kh: kernel rows", aic_int(e, 0), aic_int(e, kh), 1, NULL, 0);
    LLVMValueRef row = tap_offset(f, aic_mul(e, down.index, t->band.fold_step), &vertical);
    aic_loop_begin(e, &across, "kw: kernel columns", aic_int(e, 0), aic_int(e, kw), 1, NULL, 0);
    LLVMValueRef offset = aic_add(e, row, tap_offset(f, aic_mul(e, across.index, c->across.dilation), &horizontal));
    LLVMValueRef index = aic_add(e, aic_mul(e, down.index, kw), across.index);
    aic_store(e, offset, aic_at(e, table, aic_mul(e, index, sizeof(int64_t))), 0, 8);
    aic_loop_end(e, &across);
    aic_loop_end(e, &down);
}

/* First output row of tile row `tile`: the larger tiles come first. */
static LLVMValueRef output_row(const frame *f, LLVMValueRef tile)
{
    aic_emit *e = f->e;
    LLVMValueRef row = aic_mul(e, tile, f->t->geometry.rows.large);
    if (f->t->geometry.rows.small_count == 0) {
        return row;
    }
    LLVMValueRef past = LLVMBuildNSWSub(e->builder, tile, aic_int(e, f->t->geometry.rows.large_count), "");
    return LLVMBuildNSWSub(e->builder, row, aic_max(e, past, aic_int(e, 0)), "");
}

/* Address in the result of the first column of panel `number`, for pixel 0. */
static LLVMValueRef output_panel(const frame *f, LLVMValueRef number)
{
    aic_emit *e = f->e;
    int64_t block_bytes = f->c->block_rows * 16 * 4, channels = f->t->geometry.panel_channels;
    if (channels >= 16) {
        return aic_at(e, f->of.out, aic_mul(e, number, channels / 16 * block_bytes));
    }
    LLVMValueRef block = LLVMBuildUDiv(e->builder, number, aic_int(e, 16 / channels), "");
    LLVMValueRef within = LLVMBuildURem(e->builder, number, aic_int(e, 16 / channels), "");
    return aic_at(e, aic_at(e, f->of.out, aic_mul(e, block, block_bytes)), aic_mul(e, within, channels * 4));
}

static void emit_tile_call(const frame *f, LLVMValueRef tile, LLVMValueRef out, LLVMValueRef band, LLVMValueRef number)
{
    aic_emit *e = f->e;
    LLVMValueRef panel = aic_at(e, f->of.weight, aic_mul(e, number, f->t->panel.block_panel_bytes));
    const aic_tiling *t = f->t;
    if (t->geometry.blocks > 1) {
        band = aic_at(e, band, aic_mul(e, f->block, t->panel.block_kpacks * t->geometry.arithmetic.kpack_bytes));
        panel = aic_at(e, panel, aic_mul(e, f->block, t->panel.block_bytes));
    }
    LLVMValueRef args[] = {out, band, panel, f->taps, f->block};
    aic_name(e, out, "tile.out");
    aic_name(e, band, "tile.band");
    aic_name(e, panel, "tile.panel");
    aic_emit_call(e, tile, args, t->geometry.blocks > 1 ? 5 : 4);
}

static aic_staged staged_tile(const frame *f, LLVMValueRef staging, int64_t rows, int64_t cols)
{
    const int64_t runs = aic_staged_runs(f->c, &f->t->wish, rows, cols);
    return (aic_staged){.staging = staging,
                        .pixel = f->at.pixel,
                        .column = aic_mul(f->e, f->panel, f->t->geometry.panel_channels),
                        .runs = runs,
                        .count = rows * cols / runs,
                        .pitch = aic_staged_row(&f->t->wish, cols) * AIC_BLOCK_COLUMNS * AIC_SUM_BYTES,
                        .distance = f->c->across.out};
}

/* Moves a tile run by run: from the start operand to the staging buffer (load), or through the epilogue. */
static void move_staged(const frame *f, LLVMValueRef function, bool load, const aic_staged *tile)
{
    aic_emit *e = f->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "run: runs of pixels that are neighbours in the result", aic_int(e, 0),
                   aic_int(e, tile->runs), 1, NULL, 0);
    LLVMValueRef staging = aic_at(e, tile->staging, aic_mul(e, loop.index, tile->pitch));
    LLVMValueRef row = aic_add(e, tile->pixel, aic_mul(e, loop.index, tile->distance)), count = aic_int(e, tile->count);
    if (load) {
        LLVMValueRef args[] = {staging, f->of.start, row, count, tile->column};
        aic_emit_call(e, function, args, sizeof args / sizeof args[0]);
    } else {
        LLVMValueRef args[3 + AIC_EPILOGUE_STEPS + 3] = {f->of.out, staging, f->table};
        unsigned count_args = 3;
        for (unsigned i = 0; i < f->of.inputs; i++) {
            args[count_args++] = f->of.input[i];
        }
        args[count_args++] = row;
        args[count_args++] = count;
        args[count_args++] = tile->column;
        aic_emit_call(e, function, args, count_args);
    }
    aic_loop_end(e, &loop);
}

/* The kind of strips whose tiles are deferred: those of the full width, or, if there are none, the narrower one. */
static int deferred_part(const frame *f)
{
    return f->strips.count[0] > 0 ? 0 : 1;
}

/* Stores what remains of the deferred tile. */
static void store_last(const frame *f)
{
    if (f->leave != NULL) {
        aic_deferred_finish(f->e, f->deferred, f->leave);
    }
}

/* The offset of the current tile's staging buffer. With blocks of channels each strip has a buffer of its own, as its
 * sums are not complete before the last block. */
static LLVMValueRef buffer_offset(const frame *f)
{
    const aic_tiling *t = f->t;
    if (t->geometry.blocks > 1) {
        LLVMValueRef panels = aic_int(f->e, t->staging.strip_columns / t->geometry.panel_channels);
        LLVMValueRef strip = LLVMBuildUDiv(f->e->builder, f->panel, panels, "");
        return aic_mul(f->e, strip, t->staging.buffer_bytes);
    }
    return f->leave == NULL ? aic_int(f->e, 0) : aic_deferred_free(f->e, f->deferred);
}

/* Stores the current tile from its buffer; or stores what remains of the deferred tile and defers the current one. */
static void leave_buffer(const frame *f, const aic_staged *tile, LLVMValueRef offset)
{
    if (f->leave == NULL || f->part != deferred_part(f)) {
        move_staged(f, f->strips.store[f->part], false, tile);
        return;
    }
    aic_deferred_finish(f->e, f->deferred, f->leave);
    LLVMValueRef last = aic_int(f->e, f->t->staging.buffer_bytes);
    aic_deferred_note(f->e, f->deferred, tile, LLVMBuildNSWSub(f->e->builder, last, offset, ""));
}

/* Computes the current tile for all panels of the current strip, by the staging buffer. */
static void emit_strip(const frame *f)
{
    aic_emit *e = f->e;
    const tile_call *at = &f->at;
    const aic_strips *strips = &f->strips;
    const int64_t channels = f->t->geometry.panel_channels, panels = aic_parts(strips->columns[f->part], channels);
    LLVMValueRef offset = buffer_offset(f), staging = aic_at(e, f->staging, offset);
    if (strips->load[f->part] != NULL) {
        const bool one = f->c->start_channel && f->t->wish.starts_in_a_row;
        const aic_staged old = staged_tile(f, staging, one ? 1 : at->rows, one ? 1 : at->cols);
        move_staged(f, strips->load[f->part], true, &old);
    }
    aic_loop loop;
    aic_loop_begin(e, &loop, "panel: panels of a strip", aic_int(e, 0), aic_int(e, panels), 1, NULL, 0);
    LLVMValueRef out = aic_at(e, staging, aic_mul(e, loop.index, channels * AIC_SUM_BYTES));
    emit_tile_call(f, at->tile, out, at->band, aic_add(e, f->panel, loop.index));
    aic_loop_end(e, &loop);
    const aic_staged tile = staged_tile(f, staging, at->rows, at->cols);
    if (f->t->geometry.blocks == 1) {
        leave_buffer(f, &tile, offset);
        return;
    }
    aic_branch branch;
    aic_branch_begin(e, &branch,
                     LLVMBuildICmp(e->builder, LLVMIntEQ, f->block, aic_int(e, f->t->geometry.blocks - 1), ""));
    leave_buffer(f, &tile, offset);
    aic_branch_end(e, &branch);
}

/* Computes the current tile for the current strip. */
static void emit_here(frame *f)
{
    if (f->t->staging.pitch > 0) {
        emit_strip(f);
        return;
    }
    LLVMValueRef pixel = aic_mul(f->e, f->at.pixel, AIC_BLOCK_COLUMNS * AIC_SUM_BYTES);
    emit_tile_call(f, f->at.tile, aic_at(f->e, f->strip_out, pixel), f->at.band, f->panel);
}

/* Visits the tiles of a tile row. Its first pixel is number `first` of the output and lies at `band` in the band. */
static void emit_tile_row(frame *f, int smaller_rows, LLVMValueRef first, LLVMValueRef band, visit inner)
{
    aic_emit *e = f->e;
    const aic_tiling *t = f->t;
    int64_t done = 0;
    for (int s = 0; s < 2; s++) {
        int64_t width = tile_size(&t->geometry.cols, s), count = tile_count(&t->geometry.cols, s);
        if (count == 0) {
            continue;
        }
        aic_loop loop;
        aic_loop_begin(e, &loop, "col: tiles across the output", aic_int(e, 0), aic_int(e, count), 1, NULL, 0);
        LLVMValueRef col = aic_add(e, aic_mul(e, loop.index, width), aic_int(e, done));
        f->at = (tile_call){.tile = f->tile[2 * smaller_rows + s],
                            .pixel = aic_add(e, first, col),
                            .band = aic_at(e, band, aic_mul(e, col, t->tile.out_col)),
                            .rows = tile_size(&t->geometry.rows, smaller_rows),
                            .cols = width};
        aic_emit_column_range(e, f->c, &t->panel.padding, f->taps, col, width);
        inner(f);
        aic_loop_end(e, &loop);
        done += width * count;
    }
}

/* A range of loop indices, last excluded. */
typedef struct range {
    LLVMValueRef first, last;
} range;

/* Begins a loop over the indices that are both in `all`, a subrange of 0 .. total-1, and in start .. end-1. */
static void begin_section(const frame *f, aic_loop *loop, const char *name, range all, int64_t start, int64_t end,
                          int64_t total)
{
    aic_emit *e = f->e;
    LLVMValueRef first = start == 0 ? all.first : aic_max(e, all.first, aic_int(e, start));
    LLVMValueRef last = end == total ? all.last : aic_min(e, all.last, aic_int(e, end));
    aic_loop_begin(e, loop, name, first, last, 1, NULL, 0);
}

/* Visits all tiles of the current band. */
static void emit_tiles_of_band(frame *f, visit inner)
{
    aic_emit *e = f->e;
    const int64_t tiles = aic_split_count(&f->t->geometry.rows);
    int64_t start = 0;
    for (int r = 0; r < 2; r++) {
        int64_t count = tile_count(&f->t->geometry.rows, r);
        if (count == 0) {
            continue;
        }
        aic_loop loop;
        begin_section(f, &loop, "tile: rows of tiles of the band", (range){f->now.first_tile, f->now.last_tile}, start,
                      start + count, tiles);
        LLVMValueRef row = output_row(f, loop.index);
        LLVMValueRef below = LLVMBuildNSWSub(e->builder, row, f->now.first_row, "");
        aic_emit_row_range(e, f->c, &f->t->panel.padding, f->taps, row, tile_size(&f->t->geometry.rows, r));
        emit_tile_row(f, r, aic_mul(e, row, f->c->across.out),
                      aic_at(e, f->band, aic_mul(e, below, f->t->tile.out_row)), inner);
        aic_loop_end(e, &loop);
        start += count;
    }
}

/* Visits the strips of the current part. */
static void emit_strips(frame *f, visit inner)
{
    aic_emit *e = f->e;
    aic_loop loop;
    if (f->t->staging.pitch == 0) {
        aic_loop_begin(e, &loop, "panel: panels of output channels", f->now.first_strip, f->now.last_strip, 1, NULL, 0);
        f->panel = loop.index;
        f->strip_out = output_panel(f, loop.index);
        inner(f);
        aic_loop_end(e, &loop);
        return;
    }
    int64_t first = 0;
    for (f->part = 0; f->part < 2; f->part++) {
        int64_t end = first + f->strips.count[f->part];
        if (end > first) {
            begin_section(f, &loop, "strip: strips of output channels", (range){f->now.first_strip, f->now.last_strip},
                          first, end, f->t->staging.strips);
            f->panel = aic_mul(e, loop.index, f->t->staging.strip_columns / f->t->geometry.panel_channels);
            inner(f);
            aic_loop_end(e, &loop);
        }
        first = end;
    }
}

static void emit_tiles_of_strip(frame *f)
{
    emit_tiles_of_band(f, emit_here);
}

/* With blocks of channels, deferred tiles are stored before the next tile begins, as that reuses all buffers. */
static void emit_strips_of_tile(frame *f)
{
    if (f->t->geometry.blocks == 1) {
        emit_strips(f, emit_here);
        return;
    }
    aic_loop loop;
    aic_loop_begin(f->e, &loop, "block: blocks of channels", aic_int(f->e, 0), aic_int(f->e, f->t->geometry.blocks), 1,
                   NULL, 0);
    f->block = loop.index;
    emit_strips(f, emit_here);
    aic_loop_end(f->e, &loop);
    store_last(f);
}

static void emit_band(frame *f, LLVMValueRef band)
{
    aic_emit *e = f->e;
    const aic_tiling *t = f->t;
    int64_t tiles = aic_split_count(&t->geometry.rows);
    f->now.first_tile = aic_mul(e, band, t->geometry.band_tiles);
    f->now.last_tile = aic_min(e, aic_add(e, f->now.first_tile, aic_int(e, t->geometry.band_tiles)), aic_int(e, tiles));
    f->now.first_row = output_row(f, f->now.first_tile);
    LLVMValueRef height = LLVMBuildNSWSub(e->builder, output_row(f, f->now.last_tile), f->now.first_row, "");
    LLVMValueRef above = aic_mul(e, aic_add(e, height, aic_int(e, -1)), t->band.row_step);
    LLVMValueRef top = aic_add(e, aic_mul(e, f->now.first_row, f->c->down.stride), aic_int(e, -f->c->down.pad));
    aic_name(e, f->now.first_row, "band.row");
    aic_name(e, top, "band.top");
    LLVMValueRef args[] = {f->band, f->of.image, top, aic_add(e, above, aic_int(e, t->band.row_reach))};
    aic_emit_call(e, f->pack_image, args, 4);
    if (t->tile.holds_window) {
        emit_tiles_of_band(f, emit_strips_of_tile);
    } else {
        emit_strips(f, emit_tiles_of_strip);
    }
    store_last(f);
}

/* Computes the work items first .. last-1: a loop over their bands, each with the strips of its parts. */
static void emit_items(frame *f, LLVMValueRef first, LLVMValueRef last)
{
    aic_emit *e = f->e;
    const int64_t parts = f->t->division.parts, size = f->t->division.part_strips;
    LLVMValueRef divisor = aic_int(e, parts), up = aic_int(e, parts - 1);
    LLVMValueRef end = LLVMBuildUDiv(e->builder, aic_add(e, last, up), divisor, "");
    aic_loop loop;
    aic_loop_begin(e, &loop, "band: bands of the image", LLVMBuildUDiv(e->builder, first, divisor, ""), end, 1, NULL,
                   0);
    LLVMValueRef before = aic_mul(e, loop.index, parts);
    LLVMValueRef from = aic_max(e, LLVMBuildNSWSub(e->builder, first, before, ""), aic_int(e, 0));
    LLVMValueRef to = LLVMBuildNSWSub(e->builder, last, before, "");
    f->now.first_strip = parts == 1 ? aic_int(e, 0) : aic_mul(e, from, size);
    f->now.last_strip = parts == 1 ? aic_int(e, f->t->staging.strips)
                                   : aic_min(e, aic_mul(e, to, size), aic_int(e, f->t->staging.strips));
    emit_band(f, loop.index);
    aic_loop_end(e, &loop);
}

/* ---- bodies ---- */

static LLVMValueRef emit_bands(frame *f, const aic_plan *plan, const char *symbol)
{
    aic_emit *e = f->e;
    aic_body body;
    aic_body_begin(e, plan, AIC_EMIT_FRAME, symbol, "bands", &body);
    f->of.out = body.operand[OUT];
    f->of.image = body.operand[IMAGE];
    f->of.weight = body.operand[WEIGHT];
    f->of.start = body.operand[f->c->start_operand];
    unsigned order[AIC_EPILOGUE_STEPS];
    f->of.inputs = aic_epilogue_inputs(&f->t->staging.epilogue, order);
    for (unsigned i = 0; i < f->of.inputs; i++) {
        f->of.input[i] = body.operand[order[i]];
    }
    f->table = body.shared;
    f->taps = body.private;
    f->staging = aic_at_const(e, body.private, f->t->staging.offset);
    f->band = aic_at_const(e, body.private, f->t->staging.band_offset);
    aic_name(e, f->taps, "taps");
    aic_name(e, f->staging, "staging");
    aic_name(e, f->band, "band.memory");
    aic_note_function(e, "phase: bands of the image, packed, then tile by tile");
    if (f->leave != NULL) {
        f->deferred = aic_at_const(e, body.private, f->t->staging.deferred_offset);
        aic_name(e, f->deferred, "deferred");
        aic_deferred_begin(e, f->deferred, f->of.out, f->table, f->of.input, f->of.inputs);
    }
    emit_tap_table(f);
    emit_items(f, body.first, body.last);
    aic_emit_function_end(e);
    return body.function;
}

void aic_emit_bands(aic_emit *e, const aic_plan *plan, const char *symbol, aic_bodies *bodies)
{
    char name[160];
    frame f = {.e = e, .c = aic_contraction_of(plan), .t = aic_tiling_of(plan)};
    if (f.t->staging.has_epilogue) {
        aic_emit_staging(e, f.c, f.t, symbol, &f.strips);
    }
    if (f.t->staging.defers) {
        snprintf(name, sizeof name, "%s_leave", symbol);
        f.leave = aic_emit_deferred(e, &f.t->staging, f.strips.store[deferred_part(&f)], name);
    }
    emit_tiles(&f, symbol);
    snprintf(name, sizeof name, "%s_image", symbol);
    f.pack_image = f.t->kernel->emitter.pack_image(e, f.c, f.t, name);
    unsigned phase = 0;
    if (f.strips.table != NULL) {
        bodies->phase[phase++] =
            aic_emit_epilogue_phase(e, plan, &f.t->staging.epilogue, f.strips.table, symbol, "columns");
    }
    bodies->phase[phase] = emit_bands(&f, plan, symbol);
}
