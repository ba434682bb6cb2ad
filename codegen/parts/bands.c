/* The loops around the tiles of a contraction; see bands.h. */
#include "codegen/parts/bands.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/deferred.h"

#include <string.h>

enum { OUT, IMAGE, WEIGHT };
enum { ROW_BYTES = 64, SUM_BYTES = 4, WORD_BYTES = 8 };

typedef struct tile_call {
    int size;           /* its role */
    LLVMValueRef pixel; /* number of its first pixel in the output */
    LLVMValueRef band;  /* address of that pixel in the band */
} tile_call;

typedef struct frame {
    aic_emit *e;
    const aic_bands_key *key;
    LLVMValueRef operand[AIC_PARAMS_MAX];
    LLVMValueRef table, taps, staging, band, deferred;
    LLVMValueRef first_tile, last_tile, first_row; /* of the current band: tile rows, the end excluded; output row */
    LLVMValueRef first_strip, last_strip;          /* strips that this call computes */
    LLVMValueRef image;                            /* the operand, or the first channel of a slice in it */
    LLVMValueRef panel;                            /* number of the current strip's first panel */
    LLVMValueRef strip_out; /* unless staged: the panel's first column of pixel 0 in the result */
    int kind;               /* of the current strip: 0 of the full width, 1 the last one */
    tile_call at;           /* the current tile */
    LLVMValueRef block;     /* the current block of channels */
    LLVMValueRef count;     /* k-packs of every tap that have weights */
} frame;

/* What a loop does with each of its items, which is then the current one. */
typedef void (*visit)(frame *f);

static LLVMValueRef number(const frame *f, const char *name)
{
    return aic_number(f->e, "%s", name);
}

/* A number of the smaller or the larger size, "NAME.S". */
static LLVMValueRef sized(const frame *f, const char *name, int size)
{
    return aic_number(f->e, "%s.%d", name, size);
}

static LLVMValueRef sized_trips(const frame *f, const char *name, int size)
{
    char text[AIC_NUMBER_NAME_MAX];
    (void)snprintf(text, sizeof text, "%s.%d", name, size);
    return aic_trips(f->e, text);
}

static LLVMValueRef difference(const frame *f, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildNSWSub(f->e->builder, a, b, "");
}

/* `index` times a number. */
static LLVMValueRef scaled(const frame *f, LLVMValueRef index, const char *name)
{
    return aic_times(f->e, index, number(f, name));
}

/* The address of an element of an array with this pitch. */
static LLVMValueRef at(const frame *f, LLVMValueRef base, LLVMValueRef index, const char *pitch)
{
    return aic_at(f->e, base, scaled(f, index, pitch));
}

/* ---- the table of taps ---- */

/* The offset of band row or column number `distance`, which may be that of a residue. */
static LLVMValueRef tap_offset(const frame *f, LLVMValueRef distance, bool residues, const char *count,
                               const char *bytes, const char *pitch)
{
    aic_emit *e = f->e;
    if (!residues) {
        return scaled(f, distance, pitch);
    }
    LLVMValueRef by = number(f, count);
    return aic_add(e, scaled(f, LLVMBuildURem(e->builder, distance, by, ""), bytes),
                   scaled(f, LLVMBuildUDiv(e->builder, distance, by, ""), pitch));
}

/* Fills the table of tap offsets, table[kh][kw]. It is filled at run time: as constant data it would need a relocation
 * and, for large kernels, half a megabyte. */
static void emit_tap_table(const frame *f)
{
    aic_emit *e = f->e;
    const aic_bands_key *key = f->key;
    LLVMValueRef table = aic_at(e, f->taps, number(f, "taps.at"));
    aic_loop down, across;
    aic_loop_begin(e, &down, "kh: kernel rows", aic_int(e, 0), aic_trips(e, "kh"), 1, NULL, 0);
    LLVMValueRef row =
        tap_offset(f, scaled(f, down.index, "kh.step"), key->row_residues, "row.residues", "row.residue", "row.pitch");
    aic_loop_begin(e, &across, "kw: kernel columns", aic_int(e, 0), aic_trips(e, "kw"), 1, NULL, 0);
    LLVMValueRef column = tap_offset(f, scaled(f, across.index, "kw.step"), key->col_residues, "col.residues",
                                     "col.residue", "pixel.pitch");
    LLVMValueRef index = aic_add(e, aic_times(e, down.index, aic_trips(e, "kw")), across.index);
    aic_store(e, aic_add(e, row, column), aic_at(e, table, aic_mul(e, index, WORD_BYTES)), 0, WORD_BYTES);
    aic_loop_end(e, &across);
    aic_loop_end(e, &down);
}

/* ---- k-packs and taps that tiles leave out ---- */

/* How many k-packs of every tap have weights: the most that a panel has. */
static LLVMValueRef find_count(const frame *f)
{
    aic_emit *e = f->e;
    aic_loop panels;
    LLVMValueRef counts = aic_at(e, f->operand[WEIGHT], number(f, "counts.at")), most = aic_int(e, 1);
    aic_loop_begin(e, &panels, "count: counts of k-packs", aic_int(e, 0), aic_trips(e, "counts"), 1, &most, 1);
    LLVMValueRef count = aic_load(e, e->i64, aic_at(e, counts, aic_mul(e, panels.index, WORD_BYTES)), 0, WORD_BYTES);
    most = aic_max(e, most, count);
    aic_loop_end(e, &panels);
    return most;
}

/* Where tiles read how many of them they compute. */
static LLVMValueRef count_at(const frame *f)
{
    return aic_at(f->e, f->taps, number(f, "count.at"));
}

static void store_count(const frame *f)
{
    aic_store(f->e, difference(f, f->count, number(f, "count.less")), count_at(f), 0, WORD_BYTES);
}

/* The same of the current band, or all, if packing has noted halves that are not finite. */
static void store_noted_count(const frame *f)
{
    aic_emit *e = f->e;
    LLVMValueRef note = aic_load(e, e->i32, aic_at(e, f->taps, number(f, "note.at")), 0, SUM_BYTES);
    LLVMValueRef is_noted = LLVMBuildICmp(e->builder, LLVMIntNE, note, LLVMConstNull(e->i32), "");
    LLVMValueRef count = LLVMBuildSelect(e->builder, is_noted, number(f, "count.all"), f->count, "");
    aic_store(e, difference(f, count, number(f, "count.less")), count_at(f), 0, WORD_BYTES);
}

/* Stores how many k-packs tiles of the current band compute: all, if there are some without weights and the image has
 * an element in its last block of channels that makes NaN of a weight of 0. The band has `height` output rows and
 * begins at image row `top`. */
static void store_band_count(const frame *f, LLVMValueRef height, LLVMValueRef top)
{
    aic_emit *e = f->e;
    aic_branch branch;
    LLVMValueRef all = number(f, "count.all"), zero = aic_int(e, 0), bytes = number(f, "image.row");
    store_count(f);
    aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntSLT, f->count, all, ""));
    LLVMValueRef rows =
        aic_add(e, scaled(f, aic_add(e, height, aic_int(e, -1)), "down.stride"), number(f, "count.reach"));
    LLVMValueRef first = aic_max(e, top, zero), last = aic_min(e, aic_add(e, top, rows), number(f, "image.rows"));
    LLVMValueRef from = aic_at(e, f->operand[IMAGE], aic_add(e, number(f, "image.last"), aic_times(e, first, bytes)));
    LLVMValueRef size = aic_times(e, aic_max(e, difference(f, last, first), zero), bytes);
    aic_emit_call(e, aic_callee(e, "finite", 2, 1), (LLVMValueRef[]){from, count_at(f), size}, 3);
    aic_branch_end(e, &branch);
}

/* a divided by the dilation, rounded up; a is not negative. */
static LLVMValueRef divide_up(const frame *f, LLVMValueRef a, bool dilated, LLVMValueRef dilation)
{
    aic_emit *e = f->e;
    LLVMValueRef more = dilated ? aic_add(e, aic_add(e, a, dilation), aic_int(e, -1)) : a;
    return dilated ? LLVMBuildUDiv(e->builder, more, dilation, "") : a;
}

/* Stores the two words of the range of taps in a direction that tiles of a size do, `first` being their first output
 * row or column. */
static void store_range(const frame *f, const char *direction, bool dilated, int size, LLVMValueRef first, int word)
{
    aic_emit *e = f->e;
    LLVMValueRef zero = aic_int(e, 0), one = aic_int(e, 1), dilation = aic_number(e, "%s.dilation", direction);
    LLVMValueRef step = aic_times(e, first, aic_number(e, "%s.stride", direction));
    LLVMValueRef reach = aic_number(e, "%s.reach.%d", direction, size), taps = aic_number(e, "%s.taps", direction);
    LLVMValueRef before = difference(f, difference(f, aic_number(e, "%s.pad", direction), step), reach);
    LLVMValueRef inside = difference(f, aic_number(e, "%s.end", direction), step);
    LLVMValueRef from =
        aic_min(e, divide_up(f, aic_max(e, before, zero), dilated, dilation), aic_number(e, "%s.last", direction));
    LLVMValueRef end = divide_up(f, aic_max(e, inside, zero), dilated, dilation);
    end = aic_min(e, aic_max(e, end, aic_add(e, from, one)), taps);
    aic_store(e, from, f->taps, word * (int64_t)WORD_BYTES, WORD_BYTES);
    aic_store(e, end, f->taps, (word + 1) * (int64_t)WORD_BYTES, WORD_BYTES);
}

static void store_row_range(const frame *f, LLVMValueRef first, int size)
{
    if (f->key->skips_rows) {
        store_range(f, "down", f->key->dilated_rows, size, first, 0);
    }
}

static void store_column_range(const frame *f, LLVMValueRef first, int size)
{
    if (f->key->skips_columns) {
        store_range(f, "across", f->key->dilated_columns, size, first, 2);
    }
}

/* ---- one tile ---- */

/* First output row of tile row `tile`: the larger tiles come first. */
static LLVMValueRef output_row(const frame *f, LLVMValueRef tile)
{
    aic_emit *e = f->e;
    LLVMValueRef row = scaled(f, tile, "tile.rows");
    if (!f->key->small_rows) {
        return row;
    }
    LLVMValueRef smaller = aic_max(e, difference(f, tile, sized(f, "rows", 0)), aic_int(e, 0));
    return difference(f, row, scaled(f, smaller, "rows.less"));
}

/* Address in the result of the first column of panel `panel`, for pixel 0. */
static LLVMValueRef output_panel(const frame *f, LLVMValueRef panel)
{
    aic_emit *e = f->e;
    if (!f->key->narrow) {
        return at(f, f->operand[OUT], panel, "panel.out");
    }
    LLVMValueRef panels = number(f, "block.panels"), block = LLVMBuildUDiv(e->builder, panel, panels, "");
    return at(f, at(f, f->operand[OUT], block, "block.out"), LLVMBuildURem(e->builder, panel, panels, ""), "panel.out");
}

static void call_tile(const frame *f, LLVMValueRef out, LLVMValueRef panel)
{
    aic_emit *e = f->e;
    char role[AIC_ROLE_NAME_MAX];
    LLVMValueRef weights = at(f, f->operand[WEIGHT], panel, "panel.pitch"), band = f->at.band;
    if (f->key->blocks) {
        band = at(f, band, f->block, "block.band");
        weights = at(f, weights, f->block, "block.panel");
    }
    LLVMValueRef args[] = {out, band, weights, f->taps, f->block};
    aic_name(e, out, "tile.out");
    aic_name(e, band, "tile.band");
    aic_name(e, weights, "tile.panel");
    (void)snprintf(role, sizeof role, "tile.%d", f->at.size);
    aic_emit_call(e, aic_callee(e, role, 4, f->key->blocks), args, 4 + f->key->blocks);
}

/* ---- the staging buffer ---- */

static aic_staged staged_tile(const frame *f, LLVMValueRef staging)
{
    return (aic_staged){.staging = staging,
                        .pixel = f->at.pixel,
                        .column = scaled(f, f->panel, "panel.channels"),
                        .runs = sized_trips(f, "runs", f->at.size),
                        .count = sized(f, "run", f->at.size),
                        .pitch = sized(f, "run.pitch", f->at.size),
                        .distance = number(f, "out.cols")};
}

/* Starts a loop over the runs of a tile; returns a run's address in the buffer and its first row in the result. */
static LLVMValueRef begin_run(const frame *f, aic_loop *loop, const aic_staged *tile, LLVMValueRef *row)
{
    aic_emit *e = f->e;
    aic_loop_begin(e, loop, "run: runs of pixels that are neighbours in the result", aic_int(e, 0), tile->runs, 1, NULL,
                   0);
    *row = aic_add(e, tile->pixel, aic_times(e, loop->index, tile->distance));
    return aic_at(e, tile->staging, aic_times(e, loop->index, tile->pitch));
}

/* Fills a tile's buffer, or the first row of it, with what sums start from. */
static void load_tile(const frame *f, LLVMValueRef staging)
{
    aic_emit *e = f->e;
    aic_loop loop;
    aic_staged tile = staged_tile(f, staging);
    char role[AIC_ROLE_NAME_MAX];
    (void)snprintf(role, sizeof role, "load.%d", f->kind);
    if (f->key->start_row) {
        tile.runs = tile.count = aic_int(e, 1);
    }
    LLVMValueRef row, run = begin_run(f, &loop, &tile, &row);
    LLVMValueRef args[] = {run, f->operand[f->key->start], row, tile.count, tile.column};
    aic_emit_call(e, aic_callee(e, role, 2, 3), args, 5);
    aic_loop_end(e, &loop);
}

/* Stores a tile through the epilogue. */
static void store_tile(const frame *f, const aic_staged *tile)
{
    aic_emit *e = f->e;
    aic_loop loop;
    char role[AIC_ROLE_NAME_MAX];
    LLVMValueRef args[3 + AIC_BANDS_INPUTS + 3], row;
    unsigned count = 3;
    args[0] = f->operand[OUT];
    args[1] = begin_run(f, &loop, tile, &row);
    args[2] = f->table;
    for (int64_t i = 0; i < f->key->inputs; i++) {
        args[count++] = f->operand[f->key->input[i]];
    }
    args[count] = row;
    args[count + 1] = tile->count;
    args[count + 2] = tile->column;
    (void)snprintf(role, sizeof role, "store.%d", f->kind);
    aic_emit_call(e, aic_callee(e, role, count, 3), args, count + 3);
    aic_loop_end(e, &loop);
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
        return scaled(f, LLVMBuildUDiv(f->e->builder, f->panel, number(f, "strip.panels"), ""), "buffer.bytes");
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
    aic_note_tile(f->e, f->deferred, tile, difference(f, number(f, "buffer.bytes"), offset));
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
    aic_loop_begin(e, &loop, "panel: panels of a strip", aic_int(e, 0), sized_trips(f, "panels", f->kind), 1, NULL, 0);
    LLVMValueRef column = aic_mul(e, scaled(f, loop.index, "panel.channels"), SUM_BYTES);
    call_tile(f, aic_at(e, staging, column), aic_add(e, f->panel, loop.index));
    aic_loop_end(e, &loop);
    const aic_staged tile = staged_tile(f, staging);
    if (!f->key->blocks) {
        leave_buffer(f, &tile, offset);
        return;
    }
    aic_branch branch;
    aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntEQ, f->block, number(f, "blocks.last"), ""));
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
    call_tile(f, aic_at(f->e, f->strip_out, aic_mul(f->e, f->at.pixel, ROW_BYTES)), f->panel);
}

/* Visits the tiles of a tile row. Its first pixel is number `first` of the output and lies at `band` in the band. */
static void emit_tile_row(frame *f, int smaller, LLVMValueRef first, LLVMValueRef band, visit inner)
{
    aic_emit *e = f->e;
    for (int s = 0; s <= f->key->small_cols; s++) {
        aic_loop loop;
        aic_loop_begin(e, &loop, "col: tiles across the output", aic_int(e, 0), sized_trips(f, "cols", s), 1, NULL, 0);
        LLVMValueRef col = aic_times(e, loop.index, sized(f, "tile.cols", s));
        col = s == 0 ? col : aic_add(e, col, number(f, "cols.done"));
        f->at = (tile_call){2 * smaller + s, aic_add(e, first, col), at(f, band, col, "out.col")};
        store_column_range(f, col, s);
        inner(f);
        aic_loop_end(e, &loop);
    }
}

/* A range of loop indices, last excluded. */
typedef struct range {
    LLVMValueRef first, last;
} range;

/* Begins a loop over the indices of a range that belong to one of two kinds, of which the first has those below
 * `limit`; whether there is another kind before it, and behind it. */
static void begin_section(const frame *f, aic_loop *loop, const char *name, range all, LLVMValueRef limit, bool before,
                          bool behind)
{
    aic_emit *e = f->e;
    LLVMValueRef first = before ? aic_max(e, all.first, limit) : all.first;
    LLVMValueRef last = behind ? aic_min(e, all.last, limit) : all.last;
    aic_loop_begin(e, loop, name, first, last, 1, NULL, 0);
}

/* Visits all tiles of the current band. */
static void emit_tiles_of_band(frame *f, visit inner)
{
    aic_emit *e = f->e;
    for (int r = 0; r <= f->key->small_rows; r++) {
        aic_loop loop;
        begin_section(f, &loop, "tile: rows of tiles of the band", (range){f->first_tile, f->last_tile},
                      sized(f, "rows", 0), r > 0, r < f->key->small_rows);
        LLVMValueRef row = output_row(f, loop.index);
        store_row_range(f, row, r);
        emit_tile_row(f, r, scaled(f, row, "out.cols"), at(f, f->band, difference(f, row, f->first_row), "out.row"),
                      inner);
        aic_loop_end(e, &loop);
    }
}

/* Visits the strips that are computed. */
static void emit_strips(frame *f, visit inner)
{
    aic_emit *e = f->e;
    aic_loop loop;
    if (!f->key->staged) {
        aic_loop_begin(e, &loop, "panel: panels of output channels", f->first_strip, f->last_strip, 1, NULL, 0);
        f->panel = loop.index;
        f->strip_out = output_panel(f, loop.index);
        inner(f);
        aic_loop_end(e, &loop);
        return;
    }
    for (f->kind = f->key->whole ? 0 : 1; f->kind <= f->key->last; f->kind++) {
        begin_section(f, &loop, "strip: strips of output channels", (range){f->first_strip, f->last_strip},
                      sized(f, "strips", 0), f->kind > 0 && f->key->whole, f->kind < f->key->last);
        f->panel = scaled(f, loop.index, "strip.panels");
        inner(f);
        aic_loop_end(e, &loop);
    }
}

static void emit_tiles_of_strip(frame *f)
{
    emit_tiles_of_band(f, emit_here);
}

/* With blocks of channels, deferred tiles are stored before the next tile begins, as that reuses all buffers. */
static void emit_strips_of_tile(frame *f)
{
    if (!f->key->blocks) {
        emit_strips(f, emit_here);
        return;
    }
    aic_loop loop;
    aic_loop_begin(f->e, &loop, "block: blocks of channels", aic_int(f->e, 0), aic_trips(f->e, "blocks"), 1, NULL, 0);
    f->block = loop.index;
    emit_strips(f, emit_here);
    aic_loop_end(f->e, &loop);
    store_last(f);
}

/* Packs the image rows that the current band needs. */
static void emit_packing(const frame *f)
{
    aic_emit *e = f->e;
    LLVMValueRef height = difference(f, output_row(f, f->last_tile), f->first_row);
    LLVMValueRef above = scaled(f, aic_add(e, height, aic_int(e, -1)), "row.step");
    LLVMValueRef top = difference(f, scaled(f, f->first_row, "down.stride"), number(f, "down.pad"));
    aic_name(e, top, "band.top");
    LLVMValueRef args[] = {f->band, f->image, top, aic_add(e, above, number(f, "row.reach"))};
    aic_emit_call(e, aic_callee(e, "image", 2, 2), args, 4);
    if (f->key->finite) {
        store_band_count(f, height, top);
    } else if (f->key->noted) {
        store_noted_count(f);
    }
}

static void emit_band(frame *f, LLVMValueRef band)
{
    aic_emit *e = f->e;
    f->first_tile = scaled(f, band, "band.tiles");
    f->last_tile = aic_min(e, aic_add(e, f->first_tile, number(f, "band.tiles")), number(f, "tile.count"));
    f->first_row = output_row(f, f->first_tile);
    aic_name(e, f->first_row, "band.row");
    if (f->key->in_place) {
        f->band = at(f, f->image, f->first_row, "out.row");
    } else {
        emit_packing(f);
    }
    if (f->key->window) {
        emit_tiles_of_band(f, emit_strips_of_tile);
    } else {
        emit_strips(f, emit_tiles_of_strip);
    }
}

/* Computes the work items first .. last-1, each a part of a band whose channels are packed for itself: all bands of a
 * slice, then those of the next one. */
static void emit_slices(frame *f, LLVMValueRef first, LLVMValueRef last)
{
    aic_emit *e = f->e;
    aic_loop loop;
    LLVMValueRef bands = number(f, "bands");
    aic_loop_begin(e, &loop, "slice: slices of the channels of bands", first, last, 1, NULL, 0);
    LLVMValueRef part = LLVMBuildUDiv(e->builder, loop.index, bands, "");
    f->image = at(f, f->operand[IMAGE], part, "slice.image");
    f->first_strip = scaled(f, part, "part.strips");
    f->last_strip = aic_min(e, aic_add(e, f->first_strip, number(f, "part.strips")), number(f, "strips"));
    emit_band(f, LLVMBuildURem(e->builder, loop.index, bands, ""));
    aic_loop_end(e, &loop);
}

/* Computes the work items first .. last-1: a loop over their bands, each with the strips of its parts. */
static void emit_items(frame *f, LLVMValueRef first, LLVMValueRef last)
{
    aic_emit *e = f->e;
    aic_loop loop;
    LLVMValueRef strips = number(f, "strips"), zero = aic_int(e, 0);
    f->image = f->operand[IMAGE];
    if (f->key->slices) {
        emit_slices(f, first, last);
        return;
    }
    if (!f->key->parts) {
        aic_loop_begin(e, &loop, "band: bands of the image", first, last, 1, NULL, 0);
        f->first_strip = zero;
        f->last_strip = strips;
        emit_band(f, loop.index);
        aic_loop_end(e, &loop);
        return;
    }
    LLVMValueRef parts = number(f, "parts"), up = aic_add(e, aic_add(e, last, parts), aic_int(e, -1));
    aic_loop_begin(e, &loop, "band: bands of the image", LLVMBuildUDiv(e->builder, first, parts, ""),
                   LLVMBuildUDiv(e->builder, up, parts, ""), 1, NULL, 0);
    LLVMValueRef before = aic_times(e, loop.index, parts);
    f->first_strip = scaled(f, aic_max(e, difference(f, first, before), zero), "part.strips");
    f->last_strip = aic_min(e, scaled(f, difference(f, last, before), "part.strips"), strips);
    emit_band(f, loop.index);
    aic_loop_end(e, &loop);
}

/* ---- the part ---- */

/* The start of the deferred tile's note: no tile, and what all tiles share. */
static void begin_deferred(frame *f)
{
    aic_emit *e = f->e;
    f->deferred = aic_at(e, f->taps, number(f, "deferred.at"));
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
    aic_emit_body(e, AIC_EMIT_FRAME, name, operands);
    aic_note_function(e, "phase: bands of the image, packed, then tile by tile");
    LLVMValueRef function = e->function;
    for (unsigned i = 0; i < operands; i++) {
        f.operand[i] = aic_emit_param(e, i);
    }
    f.table = aic_emit_param(e, operands);
    f.taps = aic_emit_param(e, operands + 1);
    if (f.key->staged) {
        f.staging = aic_at(e, f.taps, number(&f, "staging.at"));
        aic_name(e, f.staging, "staging");
    }
    aic_name(e, f.taps, "taps");
    if (!f.key->in_place) {
        f.band = aic_at(e, f.taps, number(&f, "band.at"));
        aic_name(e, f.band, "band.memory");
    }
    if (f.key->defers) {
        begin_deferred(&f);
    }
    emit_tap_table(&f);
    if (f.key->counts) {
        f.count = find_count(&f);
        store_count(&f);
    }
    emit_items(&f, aic_emit_param(e, operands + 2), aic_emit_param(e, operands + 3));
    store_last(&f);
    aic_emit_function_end(e);
    return function;
}
