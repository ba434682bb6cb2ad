/* Packing the image: some image rows become a band [row][column][k-pack], their elements widened to channels of k-packs
 * and the padding filled in. */
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/own.h"
#include "codegen/parts/image.h"
#include "frontend/numeric/half.h"

#include <stdio.h>

typedef struct band_writer {
    aic_emit *e;
    const aic_contraction *c;
    const aic_plan_geometry *g;
    const aic_wish *wish;
    const aic_plan_band *b;
    LLVMValueRef image, notes; /* notes: address of the note of special elements; NULL: nothing is noted */
    /* The columns that are packed together. */
    int64_t columns; /* how many there are */
    int64_t first;   /* image column of the first one, counted from the left end of the padding */
    int64_t gap;     /* image columns from one to the next */
    int64_t left;    /* how many lie in the padding left of the image */
    int64_t inside;  /* how many lie in the image */
} band_writer;

/* Channels of one vector access to contiguous channels: a line of k-packs, or more if a line has few channels. */
static unsigned run_channels(const band_writer *w)
{
    enum { LEAST = 16 };
    const unsigned channels = AIC_LINE_BYTES / aic_channel_bytes(w->g);
    return channels > LEAST ? channels : LEAST;
}

/* An integer as the band has it: with the image's offset. */
static LLVMValueRef image_int(const band_writer *w, int64_t value)
{
    if (w->g->arithmetic.product == AIC_PRODUCT_QUAD) {
        value = (int8_t)(value + w->g->arithmetic.image_offset); /* the bits of the unsigned value */
    }
    return LLVMConstInt(aic_channel_type(w->e, w->g), (unsigned long long)value, true);
}

/* Widens `elements` of the image to k-packs and stores them, plane by plane. */
static void store_kpacks(const band_writer *w, LLVMValueRef target, LLVMValueRef elements)
{
    aic_emit *e = w->e;
    LLVMValueRef planes[AIC_PLANES_MAX];
    aic_widen(e, w->c, w->g, elements, planes);
    if (w->g->arithmetic.image_offset != 0) {
        const unsigned channels = LLVMGetVectorSize(LLVMTypeOf(planes[0]));
        planes[0] = LLVMBuildAdd(e->builder, planes[0], aic_splat(e, image_int(w, 0), channels), "");
    }
    for (unsigned p = 0; p < w->g->arithmetic.planes; p++) {
        aic_store(e, planes[p], target, p * w->b->plane_bytes, aic_channel_bytes(w->g));
    }
    if (w->notes != NULL) {
        aic_note_specials(e, w->wish, elements, w->notes, 1, 0);
    }
}

/* Loads `channels` contiguous channels. */
static LLVMValueRef load_elements(const band_writer *w, LLVMValueRef source, unsigned channels)
{
    return aic_load(w->e, aic_vector(aic_element_type(w->e, w->g), channels), source, 0, 1);
}

/* K-packs of padding that fill one wide store, plane by plane. */
static void padding(const band_writer *w, LLVMValueRef planes[AIC_PLANES_MAX])
{
    aic_emit *e = w->e;
    const aic_arithmetic *a = &w->g->arithmetic;
    const unsigned channels = AIC_LINE_BYTES / a->kpack_bytes * a->kpack_channels;
    const uint16_t half = aic_half_from_double(w->c->pad_value);
    switch (a->product) {
    case AIC_PRODUCT_PAIR:
    case AIC_PRODUCT_WORD:
    case AIC_PRODUCT_ROWS:
    case AIC_PRODUCT_QUAD:
        planes[0] = aic_splat(e, image_int(w, (int64_t)w->c->pad_value), channels);
        break;
    case AIC_PRODUCT_BFLOAT: /* bfloat16 images have none */
        aic_widen(e, w->c, w->g, aic_splat(e, LLVMConstInt(e->i16, half, false), channels), planes);
        break;
    case AIC_PRODUCT_FLOAT:
        planes[0] = aic_splat(e, LLVMConstReal(aic_channel_type(e, w->g), aic_half_to_double(half)), channels);
        break;
    }
}

/* Stores `bytes` bytes of padding, whole lines. */
static void fill_lines(const band_writer *w, LLVMValueRef target, LLVMValueRef value, int64_t bytes)
{
    aic_emit *e = w->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "pad: bytes of padding", aic_int(e, 0), aic_int(e, bytes), AIC_LINE_BYTES, NULL, 0);
    aic_store(e, value, aic_at(e, target, loop.index), 0, w->g->arithmetic.kpack_bytes);
    aic_loop_end(e, &loop);
}

/* Stores padding to `columns` columns of `pitch` bytes, which are whole lines; or to a row, as one column. */
static void fill_columns(const band_writer *w, LLVMValueRef target, int64_t columns, int64_t pitch)
{
    aic_emit *e = w->e;
    LLVMValueRef planes[AIC_PLANES_MAX] = {NULL};
    padding(w, planes);
    if (w->g->arithmetic.planes == 1 || w->c->pad_value == 0) { /* both planes of 0 are 0 */
        fill_lines(w, target, planes[0], columns * pitch);
        return;
    }
    aic_loop pixels;
    aic_loop_begin(e, &pixels, "pixel: columns of padding", aic_int(e, 0), aic_int(e, columns), 1, NULL, 0);
    target = aic_at(e, target, aic_mul(e, pixels.index, pitch));
    for (unsigned p = 0; p < w->g->arithmetic.planes; p++) {
        fill_lines(w, aic_at_const(e, target, p * w->b->plane_bytes), planes[p], w->b->plane_bytes);
    }
    aic_loop_end(e, &pixels);
}

/* Packs `count` channels that are contiguous in image and band. */
static void copy_run(const band_writer *w, LLVMValueRef target, LLVMValueRef source, int64_t count)
{
    aic_emit *e = w->e;
    const unsigned target_bytes = aic_channel_bytes(w->g), source_bytes = w->g->source_bytes, most = run_channels(w);
    int64_t step = count == w->c->c0 ? count : most, done = count / step * step;
    if (done > 0) {
        aic_loop loop;
        aic_loop_begin(e, &loop, "run: channels that are neighbours", aic_int(e, 0), aic_int(e, done), step, NULL, 0);
        store_kpacks(w, aic_at(e, target, aic_mul(e, loop.index, target_bytes)),
                     load_elements(w, aic_at(e, source, aic_mul(e, loop.index, source_bytes)), (unsigned)step));
        aic_loop_end(e, &loop);
    }
    while (done < count) {
        unsigned width = aic_access_width(count - done, most);
        store_kpacks(w, aic_at_const(e, target, done * target_bytes),
                     load_elements(w, aic_at_const(e, source, done * source_bytes), width));
        done += width;
    }
}

/* Clears `count` channels of a pixel, in every plane. */
static void clear_channels(const band_writer *w, LLVMValueRef target, int64_t count)
{
    aic_emit *e = w->e;
    LLVMValueRef zero = LLVMConstInt(e->i8, (unsigned)w->g->arithmetic.image_offset, false);
    for (unsigned p = 0; p < w->g->arithmetic.planes; p++) {
        aic_fill(e, aic_at_const(e, target, p * w->b->plane_bytes), zero, count * aic_channel_bytes(w->g));
    }
}

/* Clears `count` channels, from channel `first` on, of all pixels of a row that lie in the image. */
static void clear_pixels(const band_writer *w, LLVMValueRef target, int64_t first, int64_t count)
{
    aic_emit *e = w->e;
    aic_loop pixels;
    aic_loop_begin(e, &pixels, "pixel: pixels of the row that lie in the image", aic_int(e, 0), aic_int(e, w->inside),
                   1, NULL, 0);
    clear_channels(w,
                   aic_at_const(e, aic_at(e, target, aic_mul(e, pixels.index, w->b->pixel_pitch)),
                                first * aic_channel_bytes(w->g)),
                   count);
    aic_loop_end(e, &pixels);
}

/* Packs `count` channels of all pixels of a row that lie in the image, and clears `missing` channels behind them. */
static void copy_pixels(const band_writer *w, LLVMValueRef target, LLVMValueRef source, int64_t count, int64_t missing)
{
    aic_emit *e = w->e;
    const unsigned bytes = aic_channel_bytes(w->g);
    int64_t step = w->gap * w->c->image.pixel;
    if (w->b->pixel_pitch == count * bytes && step == count) {
        copy_run(w, target, source, w->inside * count);
        return;
    }
    aic_loop pixels;
    aic_loop_begin(e, &pixels, "pixel: pixels of the row that lie in the image", aic_int(e, 0), aic_int(e, w->inside),
                   1, NULL, 0);
    target = aic_at(e, target, aic_mul(e, pixels.index, w->b->pixel_pitch));
    copy_run(w, target, aic_at(e, source, aic_mul(e, pixels.index, step * w->g->source_bytes)), count);
    if (missing > 0) {
        clear_channels(w, aic_at_const(e, target, count * bytes), missing);
    }
    aic_loop_end(e, &pixels);
}

/* Whether the k-packs of two blocks of channels fill a line. */
static bool makes_pairs(const band_writer *w)
{
    return w->c->c0 * aic_channel_bytes(w->g) == AIC_LINE_BYTES / 2;
}

/* Packs two blocks of channels, a line, of all pixels of a row that lie in the image. */
static void copy_pairs(const band_writer *w, LLVMValueRef target, LLVMValueRef source)
{
    aic_emit *e = w->e;
    const aic_image_layout *image = &w->c->image;
    const unsigned channels = (unsigned)w->c->c0, bytes = w->g->source_bytes;
    aic_loop pixels;
    aic_loop_begin(e, &pixels, "pixel: pixels of the row that lie in the image", aic_int(e, 0), aic_int(e, w->inside),
                   1, NULL, 0);
    LLVMValueRef from = aic_at(e, source, aic_mul(e, pixels.index, w->gap * image->pixel * bytes));
    const LLVMValueRef blocks[] = {load_elements(w, from, channels),
                                   load_elements(w, aic_at_const(e, from, image->block * bytes), channels)};
    store_kpacks(w, aic_at(e, target, aic_mul(e, pixels.index, w->b->pixel_pitch)), aic_concat(e, blocks, 2));
    aic_loop_end(e, &pixels);
}

/* Address of the first element of image row h. */
static LLVMValueRef image_row(const band_writer *w, LLVMValueRef h)
{
    aic_emit *e = w->e;
    const aic_image_layout *image = &w->c->image;
    LLVMValueRef offset;
    if (image->fractal_rows >= w->c->down.extent) {
        offset = aic_mul(e, h, image->row_pitch);
    } else {
        LLVMValueRef rows = aic_int(e, image->fractal_rows);
        offset = aic_add(e, aic_mul(e, LLVMBuildUDiv(e->builder, h, rows, ""), image->fractal),
                         aic_mul(e, LLVMBuildURem(e->builder, h, rows, ""), image->row_pitch));
    }
    return aic_at(e, w->image, aic_mul(e, offset, w->g->source_bytes));
}

/* Packs the channel blocks `first` .. `end` - 1 of a band row's image columns, in pairs or one at a time. */
static void copy_blocks(const band_writer *w, LLVMValueRef target, LLVMValueRef source, int64_t first, int64_t end,
                        bool pairs)
{
    aic_emit *e = w->e;
    aic_loop blocks;
    aic_loop_begin(e, &blocks, "block: blocks of channels", aic_int(e, first), aic_int(e, end), pairs ? 2 : 1, NULL, 0);
    target = aic_at(e, target, aic_mul(e, blocks.index, w->c->c0 * aic_channel_bytes(w->g)));
    source = aic_at(e, source, aic_mul(e, blocks.index, w->c->image.block * w->g->source_bytes));
    if (pairs) {
        copy_pairs(w, target, source);
    } else {
        copy_pixels(w, target, source, w->c->c0, 0);
    }
    aic_loop_end(e, &blocks);
}

/* Packs the image columns of one band row from image row h. */
static void copy_columns(const band_writer *w, LLVMValueRef row, LLVMValueRef h)
{
    aic_emit *e = w->e;
    const aic_contraction *c = w->c;
    const int64_t first = w->left * w->gap + w->first - c->across.pad, channel = aic_channel_bytes(w->g);
    const int64_t full = w->g->channels / c->c0, rest = w->g->channels % c->c0,
                  paired = makes_pairs(w) ? full / 2 * 2 : 0;
    const int64_t missing = w->b->pixel_kpacks * w->g->arithmetic.kpack_channels - w->g->channels;
    LLVMValueRef source = aic_at_const(e, image_row(w, h), first * c->image.pixel * w->g->source_bytes);
    LLVMValueRef target = aic_at_const(e, row, w->left * w->b->pixel_pitch);
    if (c->image.block == c->c0) { /* all channels of a pixel are contiguous */
        copy_pixels(w, target, source, w->g->channels, missing);
        return;
    }
    if (paired > 0) {
        copy_blocks(w, target, source, 0, paired, true);
    }
    if (paired < full) {
        copy_blocks(w, target, source, paired, full, false);
    }
    if (rest > 0) {
        copy_pixels(w, aic_at_const(e, target, full * c->c0 * channel),
                    aic_at_const(e, source, full * c->image.block * w->g->source_bytes), rest, missing);
    } else if (missing > 0 && w->g->arithmetic.product == AIC_PRODUCT_BFLOAT) {
        /* Their weights are 0, times anything where that is an integer. */
        clear_pixels(w, target, w->g->channels, missing);
    }
}

/* Counts the columns that lie left of the image and inside it. Column q shows image column first + q*gap - pad_left. */
static void find_columns(band_writer *w)
{
    const int64_t pad = w->c->across.pad - w->first, step = w->gap, columns = w->columns;
    const int64_t left = aic_parts(pad, step), end = aic_parts(pad + w->c->across.extent, step);
    w->left = left < columns ? left : columns;
    w->inside = (end < columns ? end : columns) - w->left;
}

/* Whether some rows of the bands lie above the image or below it. */
static bool has_outer_rows(const band_writer *w)
{
    const aic_contraction *c = w->c;
    const int64_t rows = aic_round_up(c->down.out, w->wish->whole);
    return c->down.pad > 0 || (rows - 1) * c->down.stride - c->down.pad + w->b->row_reach > c->down.extent;
}

/* Stores the padding left and right of the image to a row whose columns are whole lines. */
static void fill_borders(const band_writer *w, LLVMValueRef row)
{
    const int64_t pitch = w->b->pixel_pitch, right = w->columns - w->left - w->inside;
    if (w->left > 0) {
        fill_columns(w, row, w->left, pitch);
    }
    if (right > 0) {
        fill_columns(w, aic_at_const(w->e, row, (w->left + w->inside) * pitch), right, pitch);
    }
}

/* Whether a step reads behind a band row and multiplies that by 0, so that it has to be finite. */
static bool reads_behind(const band_writer *w)
{
    return w->g->arithmetic.product == AIC_PRODUCT_BFLOAT && w->wish->merged > 1;
}

/* Packs one band row from image row h, which may lie outside the image. If columns are no whole lines, the whole row is
 * filled with padding first and the image overwrites its part, so that borders need no code of their own. */
static void emit_row(const band_writer *w, LLVMValueRef row, LLVMValueRef h)
{
    aic_emit *e = w->e;
    LLVMValueRef in_image = LLVMBuildICmp(e->builder, LLVMIntULT, h, aic_int(e, w->c->down.extent), "");
    const bool lines = w->b->pixel_pitch % AIC_LINE_BYTES == 0;
    aic_branch branch;
    if (!lines && (has_outer_rows(w) || w->inside < w->columns || reads_behind(w))) {
        fill_columns(w, row, 1, w->b->row_pitch);
    } else if (has_outer_rows(w)) {
        aic_branch_begin(e, &branch, LLVMBuildNot(e->builder, in_image, ""));
        fill_columns(w, row, w->columns, w->b->pixel_pitch);
        aic_branch_end(e, &branch);
    }
    aic_branch_begin(e, &branch, in_image);
    if (lines) {
        fill_borders(w, row);
    }
    if (w->inside > 0) {
        copy_columns(w, row, h);
    }
    aic_branch_end(e, &branch);
}

/* Where kernel rows are folded, a band pixel has a part for each of `fold` image rows. Bytes of a part in one plane:
 * the four channels of an image pixel. */
static unsigned part_bytes(const band_writer *w)
{
    return (unsigned)(w->b->pixel_pitch / w->wish->fold);
}

/* Stores a line of parts to every fold-th part from `target` on, that is to `fold` lines of the band, whose other parts
 * belong to other image rows and are kept. */
static void mix_line(const band_writer *w, LLVMValueRef target, LLVMValueRef line)
{
    enum { PARTS_MAX = AIC_LINE_BYTES / 4 };
    aic_emit *e = w->e;
    const unsigned fold = (unsigned)w->wish->fold, parts = AIC_LINE_BYTES / part_bytes(w);
    LLVMTypeRef type = aic_vector(LLVMIntTypeInContext(e->context, 8 * part_bytes(w)), parts);
    line = LLVMBuildBitCast(e->builder, line, type, "");
    for (unsigned v = 0; v < fold; v++) {
        LLVMValueRef lane[PARTS_MAX], others = aic_load(e, type, target, v * AIC_LINE_BYTES, part_bytes(w));
        for (unsigned i = 0; i < parts; i++) {
            const unsigned part = v * parts + i;
            lane[i] = LLVMConstInt(e->i32, part % fold == 0 ? parts + part / fold : i, false);
        }
        LLVMValueRef order = LLVMConstVector(lane, parts);
        aic_store(e, LLVMBuildShuffleVector(e->builder, others, line, order, ""), target, v * AIC_LINE_BYTES,
                  part_bytes(w));
    }
}

/* Packs a line of image pixels from `source` to every fold-th part from `target` on, in every plane. */
static void mix_pixels(const band_writer *w, LLVMValueRef target, LLVMValueRef source)
{
    aic_emit *e = w->e;
    LLVMValueRef planes[AIC_PLANES_MAX];
    LLVMValueRef elements = load_elements(w, source, AIC_LINE_BYTES / w->g->source_bytes);
    aic_widen(e, w->c, w->g, elements, planes);
    for (unsigned p = 0; p < w->g->arithmetic.planes; p++) {
        mix_line(w, aic_at_const(e, target, p * w->b->plane_bytes), planes[p]);
    }
    if (w->notes != NULL) {
        aic_note_specials(e, w->wish, elements, w->notes, 1, 0);
    }
}

/* Packs those pixels of a band row that lie in the image to every fold-th part from `target` on. */
static void interleave_row(const band_writer *w, LLVMValueRef target, LLVMValueRef source)
{
    aic_emit *e = w->e;
    const int64_t bytes = part_bytes(w), line = AIC_LINE_BYTES / bytes, whole = w->inside / line * line;
    aic_loop loop;
    if (whole > 0) {
        aic_loop_begin(e, &loop, "pixels: lines of pixels", aic_int(e, 0), aic_int(e, whole), line, NULL, 0);
        mix_pixels(w, aic_at(e, target, aic_mul(e, loop.index, w->b->pixel_pitch)),
                   aic_at(e, source, aic_mul(e, loop.index, bytes)));
        aic_loop_end(e, &loop);
    }
    if (whole < w->inside) {
        aic_loop_begin(e, &loop, "pixel: pixels that are left", aic_int(e, whole), aic_int(e, w->inside), 1, NULL, 0);
        LLVMValueRef pixel = load_elements(w, aic_at(e, source, aic_mul(e, loop.index, bytes)), (unsigned)w->c->c0);
        store_kpacks(w, aic_at(e, target, aic_mul(e, loop.index, w->b->pixel_pitch)), pixel);
        aic_loop_end(e, &loop);
    }
}

/* Packs one band row from `fold` image rows, h being the first one: padding, then the rows that lie in the image. */
static void emit_folded_row(const band_writer *w, LLVMValueRef row, LLVMValueRef h)
{
    aic_emit *e = w->e;
    const int64_t first = w->left * w->gap + w->first - w->c->across.pad;
    fill_columns(w, row, 1, w->b->row_pitch);
    for (int64_t f = 0; f < w->wish->fold && w->inside > 0; f++) {
        aic_branch branch;
        LLVMValueRef own = aic_add(e, h, aic_int(e, f));
        aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntULT, own, aic_int(e, w->c->down.extent), ""));
        interleave_row(w, aic_at_const(e, row, w->left * w->b->pixel_pitch + f * part_bytes(w)),
                       aic_at_const(e, image_row(w, own), first * part_bytes(w)));
        aic_branch_end(e, &branch);
    }
}

/* The offset of a row of the band. */
static LLVMValueRef row_offset(const band_writer *w, LLVMValueRef row)
{
    aic_emit *e = w->e;
    const aic_plan_band *b = w->b;
    const int64_t pitch = b->row_pitch / b->col_residues;
    LLVMValueRef residues = aic_int(e, b->row_residues);
    if (b->row_residues == 1) {
        return aic_mul(e, row, pitch);
    }
    return aic_add(e, aic_mul(e, LLVMBuildURem(e->builder, row, residues, ""), b->col_residues * b->residue_bytes),
                   aic_mul(e, LLVMBuildUDiv(e->builder, row, residues, ""), pitch));
}

/* Packs a row of the band, for each column residue, from image row h, or from h and the rows folded with it. */
static void emit_residues(band_writer *w, LLVMValueRef row, LLVMValueRef h)
{
    const aic_plan_band *b = w->b;
    for (int64_t residue = 0; residue < b->col_residues; residue++) {
        w->columns = w->wish->run > 0 ? w->wish->run : b->columns;
        w->first = residue;
        w->gap = b->col_residues * b->col_gap;
        find_columns(w);
        (w->wish->fold > 1 ? emit_folded_row : emit_row)(w, aic_at_const(w->e, row, residue * b->residue_bytes), h);
    }
}

/* ---- as parts ---- */

/* Whether the packing is a part: neither rows nor taps are folded, nothing is noted, elements have one plane. */
static bool is_part(const band_writer *w)
{
    return w->wish->run == 0 && w->wish->fold == 1 && w->g->arithmetic.product != AIC_PRODUCT_BFLOAT &&
           !w->wish->specials;
}

/* What remains of the channels of a pixel, `channels` of them in one pass. */
static void give_channels(const band_writer *w, aic_use *use, aic_row_key *key)
{
    const aic_contraction *c = w->c;
    const int64_t full = w->g->channels / c->c0, paired = makes_pairs(w) ? full / 2 * 2 : 0;
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
static void give_columns(const band_writer *w, aic_use *use, const aic_row_key *key)
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
    aic_use_number(use, (w->left * w->gap - c->across.pad) * c->image.pixel * w->g->source_bytes, "image.first");
    if (key->fractal) {
        aic_use_number(use, c->image.fractal_rows, "fractal.rows");
        aic_use_number(use, c->image.fractal * w->g->source_bytes, "fractal");
    }
}

static aic_routine use_row(aic_program *program, const band_writer *w, bool fast)
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
                       .outer = has_outer_rows(w),
                       .left = w->left > 0,
                       .right = w->left + w->inside < w->columns,
                       .fractal = c->image.fractal_rows < c->down.extent,
                       .fast = fast};
    aic_use_begin(&use, &aic_part_row, &key, 2, 1);
    give_channels(w, &use, &key);
    give_columns(w, &use, &key);
    return aic_program_add(program, &use, "row");
}

static aic_routine use_rows(aic_program *program, const band_writer *w, bool fast)
{
    const aic_plan_band *b = w->b;
    const aic_rows_key key = {.gap = b->gap != 1, .windows = b->row_step != b->row_gap};
    aic_use use;
    aic_use_begin(&use, &aic_part_rows, &key, 2, 2);
    aic_use_number(&use, b->row_pitch, "row.pitch");
    aic_use_number(&use, b->gap, "row.gap");
    aic_use_number(&use, b->row_step, "row.step");
    aic_use_number(&use, b->row_gap - b->row_step, "row.skip");
    aic_use_call(&use, use_row(program, w, fast), "row");
    return aic_program_add(program, &use, "image");
}

/* ---- all of it ---- */

/* Emits emit_residues() as a function of its own, so that only it is optimized: optimizing the loop around it, too,
 * would double the compile time for nothing. */
static LLVMValueRef emit_row_function(const band_writer *writer, const char *symbol)
{
    static const char *const PARAMS[] = {"row", "image", "notes", "h"}, *const WITHOUT[] = {"row", "image", "h"};
    aic_emit *e = writer->e;
    band_writer w = *writer;
    char name[160];
    const unsigned pointers = w.wish->specials ? 3 : 2;
    (void)snprintf(name, sizeof name, "%s_row", symbol);
    aic_emit_function(e, name, AIC_EMIT_HOT, pointers == 3 ? PARAMS : WITHOUT, pointers, 1);
    aic_note_function(e, "packs a row of the band, `h` the image row at its top");
    LLVMValueRef function = e->function;
    w.image = aic_emit_param(e, 1);
    w.notes = pointers == 3 ? aic_emit_param(e, 2) : NULL;
    emit_residues(&w, aic_emit_param(e, 0), aic_emit_param(e, pointers));
    aic_emit_function_end(e);
    return function;
}

/* Emits the loop over band rows. `function` packs a row; NULL: the loop contains that code. */
static void emit_band_rows(band_writer *w, LLVMValueRef function)
{
    aic_emit *e = w->e;
    const aic_plan_band *b = w->b;
    aic_loop loop;
    aic_loop_begin(e, &loop, "row: rows of the band", aic_int(e, 0), aic_emit_param(e, 3), 1, NULL, 0);
    LLVMValueRef row = aic_at(e, aic_emit_param(e, 0), row_offset(w, loop.index));
    LLVMValueRef h = aic_add(e, aic_emit_param(e, 2), aic_mul(e, loop.index, b->gap));
    if (b->row_step != b->row_gap) { /* rows between two windows are left out */
        LLVMValueRef window = LLVMBuildUDiv(e->builder, loop.index, aic_int(e, b->row_step), "");
        h = aic_add(e, h, aic_mul(e, window, b->row_gap - b->row_step));
    }
    if (function == NULL) {
        emit_residues(w, row, h);
    } else if (w->notes == NULL) {
        aic_emit_call(e, function, (LLVMValueRef[]){row, w->image, h}, 3);
    } else {
        aic_emit_call(e, function, (LLVMValueRef[]){row, w->image, w->notes, h}, 4);
    }
    aic_loop_end(e, &loop);
}

/* What follows from the plan. */
static band_writer writer_of(const aic_plan *plan)
{
    const aic_tiling *t = aic_tiling_of(plan);
    band_writer w = {.c = aic_contraction_of(plan), .g = &t->geometry, .wish = &t->wish, .b = &t->band};
    w.columns = t->band.columns;
    w.gap = t->band.col_gap;
    find_columns(&w);
    return w;
}

/* Whether a row is packed by code that is compiled well. */
static bool is_worth_it(const aic_plan *plan)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    const int64_t outputs = aic_parts(t->geometry.outputs, aic_most(c->groups, 1)); /* that see a channel */
    return aic_pack_kind(c->down.taps * c->across.taps * outputs / t->kernel->rate) == AIC_EMIT_HOT;
}

LLVMValueRef aic_emit_own_image(aic_emit *e, const aic_plan *plan, const int64_t *argument, const char *name)
{
    static const char *const PARAMS[] = {"band", "image", "first", "rows"};
    const aic_tiling *t = aic_tiling_of(plan);
    band_writer w = writer_of(plan);
    (void)argument;
    w.e = e;
    LLVMValueRef row = is_worth_it(plan) ? emit_row_function(&w, name) : NULL;
    aic_emit_function(e, name, AIC_EMIT_FRAME, PARAMS, 2, 2);
    aic_note_function(e, "packs rows of the image into a band, image row `first` at the top");
    LLVMValueRef function = e->function;
    w.image = aic_emit_param(e, 1);
    if (t->wish.specials) {
        w.notes = aic_at_const(e, aic_emit_param(e, 0), t->staging.notes_offset - t->staging.band_offset);
        aic_store(e, LLVMConstNull(e->i32), w.notes, 0, sizeof(int32_t));
    }
    emit_band_rows(&w, row);
    if (reads_behind(&w)) {
        LLVMValueRef end = aic_at(e, aic_emit_param(e, 0), aic_mul(e, aic_emit_param(e, 3), t->band.row_pitch));
        aic_fill(e, end, LLVMConstNull(e->i32), AIC_LINE_BYTES);
    }
    aic_emit_function_end(e);
    return function;
}

aic_routine aic_compose_pack_image(aic_program *program, const aic_plan *plan)
{
    const band_writer w = writer_of(plan);
    if (is_part(&w) && w.inside > 0) {
        return use_rows(program, &w, !is_worth_it(plan));
    }
    aic_own_key key = {.code = AIC_OWN_image, .plan = plan};
    aic_use use;
    aic_own_begin(&use, &key, 2, 2);
    return aic_program_add(program, &use, "image");
}
