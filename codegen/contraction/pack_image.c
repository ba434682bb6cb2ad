/* Packing the image by parts; see pack_image.h. */
#include "codegen/contraction/pack_image.h"
#include "codegen/integer.h"
#include "codegen/own.h"
#include "codegen/parts/image.h"

bool aic_makes_pairs(const aic_band_writer *w)
{
    return w->c->c0 * aic_channel_bytes(w->g) == AIC_LINE_BYTES / 2;
}

void aic_find_columns(aic_band_writer *w)
{
    const int64_t pad = w->c->across.pad - w->first, step = w->gap, columns = w->columns;
    const int64_t left = aic_parts(pad, step), end = aic_parts(pad + w->c->across.extent, step);
    w->left = left < columns ? left : columns;
    w->inside = (end < columns ? end : columns) - w->left;
}

bool aic_has_outer_rows(const aic_band_writer *w)
{
    const aic_contraction *c = w->c;
    const int64_t rows = aic_round_up(c->down.out, w->wish->whole);
    return c->down.pad > 0 || (rows - 1) * c->down.stride - c->down.pad + w->b->row_reach > c->down.extent;
}

aic_band_writer aic_band_writer_of(const aic_plan *plan)
{
    const aic_tiling *t = aic_tiling_of(plan);
    aic_band_writer w = {.c = aic_contraction_of(plan), .g = &t->geometry, .wish = &t->wish, .b = &t->band};
    w.columns = t->band.columns;
    w.gap = t->band.col_gap;
    aic_find_columns(&w);
    return w;
}

bool aic_is_row_hot(const aic_plan *plan)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    const int64_t outputs = aic_parts(t->geometry.outputs, aic_most(c->groups, 1)); /* that see a channel */
    return aic_pack_kind(c->down.taps * c->across.taps * outputs / t->kernel->rate) == AIC_EMIT_HOT;
}

/* Turns to the columns of a residue. */
static void take_residue(aic_band_writer *w, int64_t residue)
{
    w->columns = w->wish->run > 0 ? w->wish->run : w->b->columns;
    w->first = residue;
    w->gap = w->b->col_residues * w->b->col_gap;
    aic_find_columns(w);
}

/* Whether the packing is a part: kernel rows are not folded, nothing is noted, elements have one plane, and the image
 * is in every row. */
static bool is_part(const aic_band_writer *w)
{
    bool inside = true;
    for (int64_t residue = 0; residue < w->b->col_residues; residue++) {
        aic_band_writer of = *w;
        take_residue(&of, residue);
        inside = inside && of.inside > 0;
    }
    return inside && w->wish->fold == 1 && w->g->arithmetic.product != AIC_PRODUCT_BFLOAT && !w->wish->specials &&
           (w->wish->run == 0 || w->b->pixel_pitch % AIC_LINE_BYTES == 0);
}

/* What remains of the channels of a pixel, `channels` of them in one pass. */
static void give_channels(const aic_band_writer *w, aic_use *use, aic_row_key *key)
{
    const aic_contraction *c = w->c;
    const int64_t full = w->g->channels / c->c0, paired = aic_makes_pairs(w) ? full / 2 * 2 : 0;
    const bool whole = c->image.block == c->c0; /* all channels of a pixel are contiguous */
    const int64_t bytes = aic_channel_bytes(w->g), step = w->gap * c->image.pixel, pitch = w->b->pixel_pitch;
    const int64_t once = whole || full == 0 ? w->g->channels : full == 1 && w->g->channels == c->c0 ? c->c0 : 0;
    key->run = once > 0 && pitch == once * bytes && step == once;
    if (key->run) {
        const int64_t vector = aic_row_vector(bytes);
        key->tail = w->inside * once % vector;
        aic_use_trips(use, w->inside * once / vector * vector, "run");
        return;
    }
    key->pairs = !whole && paired > 0;
    key->together = !key->pairs ? 0 : w->inside % 4 == 0 ? 4 : w->inside % 2 == 0 ? 2 : 1;
    key->singles = !whole && paired < full;
    key->rest = whole ? w->g->channels : w->g->channels % c->c0;
    key->missing = key->rest > 0 ? w->b->pixel_kpacks * w->g->arithmetic.kpack_channels - w->g->channels : 0;
    aic_use_trips(use, w->inside, "inside");
    aic_use_number(use, pitch, "pixel.pitch");
    aic_use_number(use, step * w->g->source_bytes, "image.step");
    aic_use_number(use, c->image.block * w->g->source_bytes, "image.block");
    if (key->pairs) {
        aic_use_trips(use, paired, "paired");
    }
    if (key->singles) {
        aic_use_trips(use, full, "blocks");
    }
    aic_use_number(use, whole ? 0 : full * c->c0 * bytes, "rest.at");
    aic_use_number(use, whole ? 0 : full * c->image.block * w->g->source_bytes, "rest.from");
}

/* Where the image lies in the row. */
static void give_columns(const aic_band_writer *w, aic_use *use, const aic_row_key *key)
{
    const aic_contraction *c = w->c;
    const int64_t pitch = w->b->pixel_pitch, right = w->columns - w->left - w->inside;
    aic_use_trips(use, key->lines ? w->columns * pitch : w->b->row_pitch, "row.bytes");
    if (key->left) {
        aic_use_trips(use, w->left * pitch, "left.bytes");
    }
    if (key->right) {
        aic_use_trips(use, right * pitch, "right.bytes");
        aic_use_number(use, (w->left + w->inside) * pitch, "right.at");
    }
    aic_use_number(use, c->down.extent, "image.rows");
    aic_use_number(use, c->image.row_pitch * w->g->source_bytes, "image.row");
    aic_use_number(use, (w->left * w->gap + w->first - c->across.pad) * c->image.pixel * w->g->source_bytes,
                   "image.first");
    if (key->fractal) {
        aic_use_number(use, c->image.fractal_rows, "fractal.rows");
        aic_use_number(use, c->image.fractal * w->g->source_bytes, "fractal");
    }
}

/* A row of the residue that the writer has turned to. */
static aic_routine use_row(aic_program *program, const aic_band_writer *w, bool fast)
{
    const aic_contraction *c = w->c;
    const aic_arithmetic *a = &w->g->arithmetic;
    aic_use use;
    aic_row_key key = {.dtype = c->dtype,
                       .sum = a->sum,
                       .product = a->product,
                       .kpack_bytes = a->kpack_bytes,
                       .kpack_channels = a->kpack_channels,
                       .image_offset = a->image_offset,
                       .pad = c->pad_value,
                       .c0 = c->c0,
                       .lines = w->b->pixel_pitch % AIC_LINE_BYTES == 0,
                       .outer = aic_has_outer_rows(w),
                       .left = w->left > 0,
                       .right = w->left + w->inside < w->columns,
                       .fractal = c->image.fractal_rows < c->down.extent,
                       .fast = fast};
    aic_use_begin(&use, &aic_part_row, &key, 2, 1);
    give_channels(w, &use, &key);
    give_columns(w, &use, &key);
    return aic_program_add(program, &use, w->first > 0 ? "row_%lld" : "row", (long long)w->first);
}

static aic_routine use_rows(aic_program *program, const aic_band_writer *w, bool fast)
{
    const aic_plan_band *b = w->b;
    const aic_rows_key key = {.gap = b->gap != 1,
                              .windows = b->row_step != b->row_gap,
                              .row_residues = b->row_residues > 1,
                              .residues = b->col_residues};
    aic_use use;
    aic_use_begin(&use, &aic_part_rows, &key, 2, 2);
    aic_use_number(&use, b->row_pitch / b->col_residues, "row.pitch");
    if (key.row_residues) {
        aic_use_number(&use, b->row_residues, "row.residues");
        aic_use_number(&use, b->col_residues * b->residue_bytes, "row.residue");
    }
    aic_use_number(&use, b->gap, "row.gap");
    aic_use_number(&use, b->row_step, "row.step");
    aic_use_number(&use, b->row_gap - b->row_step, "row.skip");
    for (int64_t residue = 0; residue < b->col_residues; residue++) {
        aic_band_writer of = *w;
        take_residue(&of, residue);
        if (residue > 0) {
            aic_use_number(&use, residue * b->residue_bytes, "residue.%lld", (long long)residue);
        }
        aic_use_call(&use, use_row(program, &of, fast), "row.%lld", (long long)residue);
    }
    return aic_program_add(program, &use, "image");
}

aic_routine aic_compose_pack_image(aic_program *program, const aic_plan *plan)
{
    const aic_band_writer w = aic_band_writer_of(plan);
    if (is_part(&w)) {
        return use_rows(program, &w, !aic_is_row_hot(plan));
    }
    aic_own_key key = {.code = AIC_OWN_image, .plan = plan};
    aic_use use;
    aic_own_begin(&use, &key, 2, 2);
    return aic_program_add(program, &use, "image");
}
