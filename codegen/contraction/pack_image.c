/* Packing the image: some image rows become a band [row][column][k-pack], their elements widened to channels of k-packs
 * and the padding filled in. What the plan says of it, as uses of parts (parts/image.h). */
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/parts/image.h"

/* The packing of the columns of a residue. */
typedef struct writer {
    const aic_contraction *c;
    const aic_tiling *t;
    const aic_plan_geometry *g;
    const aic_wish *wish;
    const aic_plan_band *b;
    int64_t channel_bytes; /* of a channel in a k-pack */
    int64_t columns;       /* how many there are */
    int64_t first;         /* image column of the first one, counted from the left end of the padding: the residue */
    int64_t gap;           /* image columns from one to the next */
    int64_t left;          /* how many lie in the padding left of the image */
    int64_t inside;        /* how many lie in the image */
    bool notes;            /* halves that are not finite */
} writer;

/* Turns to a residue; counts the columns that lie left of the image and inside it. Column q shows image column
 * first + q*gap - pad_left. */
static writer writer_of(const aic_plan *plan, int64_t residue)
{
    const aic_tiling *t = aic_tiling_of(plan);
    writer w = {.c = aic_contraction_of(plan), .t = t, .g = &t->geometry, .wish = &t->wish, .b = &t->band};
    w.channel_bytes = w.g->arithmetic.kpack_bytes / w.g->arithmetic.kpack_channels;
    w.columns = w.wish->run > 0 ? w.wish->run : w.b->columns;
    w.first = residue;
    w.gap = w.b->col_residues * w.b->col_gap;
    const int64_t pad = w.c->across.pad - w.first;
    const int64_t left = aic_parts(pad, w.gap), end = aic_parts(pad + w.c->across.extent, w.gap);
    w.left = aic_least(left, w.columns);
    w.inside = aic_least(end, w.columns) - w.left;
    return w;
}

/* Whether the k-packs of two blocks of channels fill a line. */
static bool makes_pairs(const writer *w)
{
    return w->c->c0 * w->channel_bytes == AIC_LINE_BYTES / 2;
}

/* Whether some rows of the bands lie above the image or below it. */
static bool has_outer_rows(const writer *w)
{
    const aic_contraction *c = w->c;
    const int64_t rows = aic_round_up(c->down.out, w->wish->whole);
    const int64_t reach = w->wish->fold > 1 ? w->b->row_reach : (w->b->row_reach - 1) * w->b->gap + 1;
    return c->down.pad > 0 || (rows - 1) * c->down.stride - c->down.pad + reach > c->down.extent;
}

/* Whether a step reads behind a band row and multiplies that by 0, so that it has to be finite. */
static bool reads_behind(const writer *w)
{
    return w->g->arithmetic.product == AIC_PRODUCT_BFLOAT && w->wish->merged > 1;
}

/* Whether a row is packed by code that is compiled well. */
static bool is_hot(const writer *w)
{
    const int64_t outputs = aic_parts(w->g->outputs, aic_most(w->c->groups, 1)); /* that see a channel */
    return aic_pack_kind(w->c->down.taps * w->c->across.taps * outputs / w->t->kernel->rate) == AIC_EMIT_HOT;
}

/* Channels of a pixel that are contiguous in the image and packed in one pass; 0: there are several. */
static int64_t channels_at_once(const writer *w)
{
    const aic_contraction *c = w->c;
    const int64_t channels = w->g->channels, full = channels / c->c0;
    return c->image.block == c->c0 || full == 0 ? channels : full == 1 && channels == c->c0 ? c->c0 : 0;
}

/* Whether whole rows are contiguous in image and band. */
static bool runs(const writer *w)
{
    const int64_t once = channels_at_once(w);
    return w->wish->fold == 1 && w->b->pixel_pitch == once * w->channel_bytes && w->gap * w->c->image.pixel == once;
}

bool aic_pack_image_notes(const aic_plan *plan)
{
    const writer w = writer_of(plan, 0);
    return w.t->tile.notes && w.t->kernel->compose_image == NULL && w.b->col_residues == 1 && runs(&w) &&
           w.inside * channels_at_once(&w) >= aic_row_vector(w.channel_bytes) && is_hot(&w);
}

/* ---- a row ---- */

/* Where kernel rows are folded, pixels have the four channels of each of so many image rows. */
static void give_folded(const writer *w, aic_use *use)
{
    const int64_t line = AIC_LINE_BYTES / (w->c->c0 * w->channel_bytes);
    aic_use_number(use, w->inside, "inside");
    aic_use_number(use, w->inside / line * line, "whole");
}

/* Channels that are contiguous in image and band, of a pixel or of a whole row; a vector or more. Of them `first` lie
 * before a line of the band begins. */
static void give_run(const writer *w, aic_use *use, aic_row_key *key, int64_t channels, int64_t first)
{
    const int64_t vector = aic_row_vector(w->channel_bytes);
    key->leads = first > 0;
    key->ends = key->leads || channels % vector != 0;
    key->c0 = 0; /* nothing depends on blocks */
    aic_use_number(use, (channels - first) / vector * vector, "run");
    if (key->leads) {
        aic_use_number(use, first, "run.first");
    }
    if (key->ends) {
        aic_use_number(use, channels - vector, "run.last");
    }
}

/* All channels of a pixel, and those that are missing behind them: less than a vector, as steps are no longer. */
static void give_counted(const writer *w, aic_use *use, aic_row_key *key)
{
    const int64_t vector = aic_row_vector(w->channel_bytes);
    give_run(w, use, key, w->g->channels, 0);
    if (key->missing > 0) {
        aic_use_number(use, (w->g->channels + key->missing - vector) * w->channel_bytes, "clear");
        key->missing = 1;
    }
    key->counts = true;
    key->rest = 0;
}

/* Image rows from one row of the band to the next; where a window has several rows, to the next of those. */
static int64_t rows_to_next(const writer *w)
{
    return (w->b->row_step == 1 ? w->b->row_gap : 1) * w->b->gap;
}

/* What remains of the channels of a pixel, `channels` of them in one pass. */
static void give_channels(const writer *w, aic_use *use, aic_row_key *key)
{
    const aic_contraction *c = w->c;
    const int64_t full = w->g->channels / c->c0, paired = makes_pairs(w) ? full / 2 * 2 : 0;
    const bool whole = c->image.block == c->c0; /* all channels of a pixel are contiguous */
    const int64_t vector = aic_row_vector(w->channel_bytes), bytes = w->channel_bytes, step = w->gap * c->image.pixel,
                  pitch = w->b->pixel_pitch;
    const int64_t once = channels_at_once(w);
    key->run = runs(w);
    if (key->run) {
        if (w->inside * once < vector) {
            key->tail = w->inside * once;
        } else {
            const int64_t before = aic_row_begins_inside(key) ? w->left * pitch % AIC_LINE_BYTES : 0;
            give_run(w, use, key, w->inside * once, before > 0 ? (AIC_LINE_BYTES - before) / bytes : 0);
        }
        return;
    }
    key->pairs = !whole && paired > 0;
    key->singles = !whole && paired < full;
    key->rest = whole ? w->g->channels : w->g->channels % c->c0;
    if (key->rest > 0 || w->g->arithmetic.product == AIC_PRODUCT_BFLOAT) { /* their weights are 0, times any integer */
        key->missing = w->b->pixel_kpacks * w->g->arithmetic.kpack_channels - w->g->channels;
    }
    if (whole && key->rest >= vector && key->rest != c->c0) {
        give_counted(w, use, key);
    }
    key->one = w->inside == 1;
    if (!key->one) {
        aic_use_trips(use, w->inside, "inside");
        aic_use_number(use, pitch, "pixel.pitch");
        aic_use_number(use, step * w->g->source_bytes, "image.step");
        if (key->pairs || key->singles) {
            aic_use_number(use, rows_to_next(w) * c->image.row_pitch * w->g->source_bytes, "row.next");
        }
    }
    aic_use_number(use, c->image.block * w->g->source_bytes, "image.block");
    if (key->pairs) {
        aic_use_trips(use, paired, "paired");
        if (!key->one) {
            aic_use_number(use, w->inside / AIC_ROW_TOGETHER * AIC_ROW_TOGETHER, "even");
        }
    }
    if (key->singles) {
        aic_use_trips(use, full, "blocks");
    }
    aic_use_number(use, whole ? 0 : full * c->c0 * bytes, "rest.at");
    aic_use_number(use, whole ? 0 : full * c->image.block * w->g->source_bytes, "rest.from");
}

/* So many columns of padding: their bytes and, where planes are filled one by one, their number. */
static void give_padding(const writer *w, aic_use *use, const aic_row_key *key, const char *bytes, const char *columns,
                         int64_t count)
{
    aic_use_number(use, count * w->b->pixel_pitch, "%s", bytes);
    if (aic_row_pads_planes(key)) {
        aic_use_number(use, count, "%s", columns);
    }
}

/* Where the image lies in the row. */
static void give_columns(const writer *w, aic_use *use, const aic_row_key *key)
{
    const aic_contraction *c = w->c;
    const int64_t first = w->left * w->gap + w->first - c->across.pad;
    if (key->padded) { /* as one column */
        aic_use_number(use, w->b->row_pitch / w->b->col_residues, "row.bytes");
    } else if (key->sides) {
        give_padding(w, use, key, "row.bytes", "row.columns", w->columns);
    }
    if (aic_row_pads_planes(key)) {
        aic_use_number(use, w->b->pixel_pitch, "pad.pitch");
    }
    if (aic_row_pads_planes(key) && key->padded) {
        aic_use_number(use, 1, "row.columns");
    }
    if (aic_row_begins_inside(key)) {
        give_padding(w, use, key, "left.bytes", "left.columns", w->left);
    }
    const int64_t end = (w->left + w->inside) * w->b->pixel_pitch, line = end / AIC_LINE_BYTES * AIC_LINE_BYTES;
    if (key->sides) {
        give_padding(w, use, key, "right.bytes", "right.columns", w->columns - w->left - w->inside);
        aic_use_number(use, end, "right.at");
    } else if (aic_row_pads_edges(key)) {
        aic_use_number(use, w->b->row_pitch / w->b->col_residues - line, "right.bytes");
        aic_use_number(use, line, "right.at");
    }
    if (key->planes > 1) {
        aic_use_trips(use, w->b->plane_bytes, "plane");
    }
    aic_use_number(use, c->down.extent, "image.rows");
    aic_use_number(use, c->image.row_pitch * w->g->source_bytes, "image.row");
    aic_use_number(use, w->inside > 0 ? first * c->image.pixel * w->g->source_bytes : 0, "image.first");
    if (key->fractal) {
        aic_use_number(use, c->image.fractal * w->g->source_bytes, "fractal");
    }
}

static aic_row_key key_of(const writer *w)
{
    const aic_contraction *c = w->c;
    const aic_arithmetic *a = &w->g->arithmetic;
    const bool left = w->left > 0, right = w->left + w->inside < w->columns, outer = has_outer_rows(w);
    const bool lines = w->b->pixel_pitch % AIC_LINE_BYTES == 0; /* not where rows are folded: into less */
    const bool sides = outer || left || right;
    const bool padded = !lines && (sides || reads_behind(w) || w->wish->fold > 1);
    const bool notes = w->wish->specials || w->notes;
    return (aic_row_key){.dtype = c->dtype,
                         .sum = a->sum,
                         .product = a->product,
                         .kpack_bytes = a->kpack_bytes,
                         .kpack_channels = a->kpack_channels,
                         .image_offset = a->image_offset,
                         .planes = a->planes,
                         .special_first = notes ? w->wish->special_first : 0,
                         .special_end = notes ? w->wish->special_end : 0,
                         .pad = padded || sides ? c->pad_value : 0,
                         .c0 = c->c0,
                         .fold = w->wish->fold,
                         .padded = padded,
                         .sides = lines && sides,
                         .fractal = c->image.fractal_rows < c->down.extent ? c->image.fractal_rows : 0,
                         .fast = !is_hot(w)};
}

static aic_routine use_row(aic_program *program, const writer *w)
{
    aic_row_key key = key_of(w);
    aic_use use;
    aic_use_begin(&use, program, &aic_part_row, &key);
    if (w->wish->fold > 1) {
        give_folded(w, &use);
    } else if (w->inside > 0) {
        give_channels(w, &use, &key);
    }
    give_columns(w, &use, &key);
    aic_use_number(&use, w->b->row_pitch / w->b->col_residues, "row.pitch");
    aic_use_number(&use, w->b->gap, "row.gap");
    return aic_program_add(program, &use, w->first > 0 ? "row_%lld" : "row", (long long)w->first);
}

/* ---- all rows ---- */

aic_routine aic_compose_pack_image(aic_program *program, const aic_plan *plan)
{
    const bool notes = aic_pack_image_notes(plan);
    writer w = writer_of(plan, 0);
    w.notes = notes;
    const aic_plan_band *b = w.b;
    const aic_plan_staging *s = &w.t->staging;
    const aic_rows_key key = {.gap = b->gap != 1,
                              .windows = b->row_step != b->row_gap,
                              .row_residues = b->row_residues > 1,
                              .residues = b->col_residues,
                              .notes = w.wish->specials || w.notes,
                              .behind = reads_behind(&w)};
    if (aic_rows_are_together(&key) && !key.notes && !key.behind) {
        return use_row(program, &w);
    }
    aic_use use;
    aic_use_begin(&use, program, &aic_part_rows, &key);
    aic_use_number(&use, b->row_pitch / b->col_residues, "row.pitch");
    if (key.row_residues) {
        aic_use_number(&use, b->row_residues, "row.residues");
        aic_use_number(&use, b->col_residues * b->residue_bytes, "row.residue");
    }
    if (key.notes) {
        aic_use_number(&use, s->band_offset - s->notes_offset, "notes.before");
    }
    aic_use_number(&use, b->gap, "row.gap");
    aic_use_number(&use, b->row_step, "row.step");
    aic_use_number(&use, (b->row_gap - b->row_step) * b->gap, "row.skip");
    for (int64_t residue = 0; residue < b->col_residues; residue++) {
        writer of = writer_of(plan, residue);
        of.notes = notes;
        if (residue > 0) {
            aic_use_number(&use, residue * b->residue_bytes, "residue.%lld", (long long)residue);
        }
        aic_use_call(&use, use_row(program, &of), "row.%lld", (long long)residue);
    }
    return aic_program_add(program, &use, "image");
}
