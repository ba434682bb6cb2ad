/* Packing the image: some of its rows become a band [row][column][cell], widened to cells and with the padding filled
 * in. */
#include "codegen/contraction/contraction.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "frontend/numeric/half.h"

typedef struct band_writer {
    aic_emit *e;
    const aic_contraction *c;
    const aic_tiling *t;
    LLVMValueRef image;
    int64_t left, inside; /* padding columns before the image, image columns */
} band_writer;

/* Channels of one vector access in runs of contiguous pixels. */
enum { RUN_CHANNELS = 16 };

/* An integer of the image as it stands in the band. */
static LLVMValueRef image_int(const band_writer *w, int64_t value)
{
    if (w->t->arithmetic.product == AIC_PRODUCT_QUAD) {
        value = (int8_t)(value + w->t->arithmetic.image_offset); /* the bits of the unsigned value */
    }
    return LLVMConstInt(aic_channel_type(w->e, w->t), (unsigned long long)value, true);
}

/* `channels` consecutive channels from source to target. */
static void copy_cells(const band_writer *w, LLVMValueRef target, LLVMValueRef source, unsigned channels)
{
    aic_emit *e = w->e;
    LLVMValueRef value = aic_load(e, aic_vector(aic_element_type(e, w->t), channels), source, 0, 1);
    value = aic_widen(e, w->c, w->t, value);
    if (w->t->arithmetic.image_offset != 0) {
        value = LLVMBuildAdd(e->builder, value, aic_splat(e, image_int(w, 0), channels), "");
    }
    aic_store(e, value, target, 0, aic_channel_bytes(w->t));
}

/* Cells of padding that fill one wide store. */
static LLVMValueRef padding(const band_writer *w)
{
    const aic_arithmetic *a = &w->t->arithmetic;
    LLVMValueRef value =
        a->product == AIC_PRODUCT_FLOAT
            ? LLVMConstReal(aic_channel_type(w->e, w->t), aic_half_to_double(aic_half_from_double(w->c->pad_value)))
            : image_int(w, (int64_t)w->c->pad_value);
    return aic_splat(w->e, value, AIC_LINE_BYTES / a->cell_bytes * a->cell_channels);
}

/* A whole band row. The image overwrites its part: rows and borders need no code of their own, and the second store
 * is lost in the multiplications. */
static void fill_row(const band_writer *w, LLVMValueRef row)
{
    aic_emit *e = w->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "pad: bytes of a band row", aic_int(e, 0), aic_int(e, w->t->row_pitch), AIC_LINE_BYTES,
                   NULL, 0);
    aic_store(e, padding(w), aic_at(e, row, loop.index), 0, w->t->arithmetic.cell_bytes);
    aic_loop_end(e, &loop);
}

/* Contiguous on both sides: `count` channels. */
static void copy_run(const band_writer *w, LLVMValueRef target, LLVMValueRef source, int64_t count)
{
    aic_emit *e = w->e;
    const unsigned target_bytes = aic_channel_bytes(w->t), source_bytes = w->t->source_bytes;
    int64_t step = count == w->c->c0 ? count : RUN_CHANNELS, done = count / step * step;
    if (done > 0) {
        aic_loop loop;
        aic_loop_begin(e, &loop, "run: channels that are neighbours", aic_int(e, 0), aic_int(e, done), step, NULL, 0);
        copy_cells(w, aic_at(e, target, aic_mul(e, loop.index, target_bytes)),
                   aic_at(e, source, aic_mul(e, loop.index, source_bytes)), (unsigned)step);
        aic_loop_end(e, &loop);
    }
    while (done < count) {
        unsigned piece = aic_piece(count - done, RUN_CHANNELS);
        copy_cells(w, aic_at_const(e, target, done * target_bytes), aic_at_const(e, source, done * source_bytes),
                   piece);
        done += piece;
    }
}

/* `count` channels of all pixels of a row that lie in the image; behind them `missing` channels that are zero. */
static void copy_pixels(const band_writer *w, LLVMValueRef target, LLVMValueRef source, int64_t count, int64_t missing)
{
    aic_emit *e = w->e;
    const unsigned bytes = aic_channel_bytes(w->t);
    int64_t step = w->t->col_gap * w->c->image.pixel;
    if (w->t->pixel_pitch == count * bytes && step == count) {
        copy_run(w, target, source, w->inside * count);
        return;
    }
    aic_loop pixels;
    aic_loop_begin(e, &pixels, "pixel: pixels of the row that lie in the image", aic_int(e, 0), aic_int(e, w->inside),
                   1, NULL, 0);
    target = aic_at(e, target, aic_mul(e, pixels.index, w->t->pixel_pitch));
    copy_run(w, target, aic_at(e, source, aic_mul(e, pixels.index, step * w->t->source_bytes)), count);
    if (missing > 0) {
        LLVMValueRef zero = LLVMConstInt(e->i8, (unsigned)w->t->arithmetic.image_offset, false);
        aic_fill(e, aic_at_const(e, target, count * bytes), zero, missing * bytes);
    }
    aic_loop_end(e, &pixels);
}

/* First element of image row h. */
static LLVMValueRef image_row(const band_writer *w, LLVMValueRef h)
{
    aic_emit *e = w->e;
    const aic_image_layout *image = &w->c->image;
    LLVMValueRef offset;
    if (image->fractal_rows >= w->c->h) {
        offset = aic_mul(e, h, image->row_pitch);
    } else {
        LLVMValueRef rows = aic_int(e, image->fractal_rows);
        offset = aic_add(e, aic_mul(e, LLVMBuildUDiv(e->builder, h, rows, ""), image->fractal),
                         aic_mul(e, LLVMBuildURem(e->builder, h, rows, ""), image->row_pitch));
    }
    return aic_at(e, w->image, aic_mul(e, offset, w->t->source_bytes));
}

/* The image columns of one band row, h the image row. */
static void copy_columns(const band_writer *w, LLVMValueRef row, LLVMValueRef h)
{
    aic_emit *e = w->e;
    const aic_contraction *c = w->c;
    const aic_arithmetic *a = &w->t->arithmetic;
    int64_t first = w->left * w->t->col_gap - c->pad_left;
    bool dense = c->image.block == c->c0; /* a pixel's blocks follow each other: they are one */
    int64_t block = dense ? c->channels : c->c0, full = c->channels / block, rest = c->channels % block;
    int64_t missing = w->t->cells * a->cell_channels - c->channels;
    LLVMValueRef source = aic_at_const(e, image_row(w, h), first * c->image.pixel * w->t->source_bytes);
    LLVMValueRef target = aic_at_const(e, row, w->left * w->t->pixel_pitch);
    int64_t target_step = block * aic_channel_bytes(w->t), source_step = c->image.block * w->t->source_bytes;
    if (full > 0) {
        aic_loop blocks;
        aic_loop_begin(e, &blocks, "block: blocks of channels", aic_int(e, 0), aic_int(e, full), 1, NULL, 0);
        copy_pixels(w, aic_at(e, target, aic_mul(e, blocks.index, target_step)),
                    aic_at(e, source, aic_mul(e, blocks.index, source_step)), block, dense ? missing : 0);
        aic_loop_end(e, &blocks);
    }
    if (rest > 0) {
        copy_pixels(w, aic_at_const(e, target, full * target_step), aic_at_const(e, source, full * source_step), rest,
                    missing);
    }
}

/* How many of a band row's columns lie left of the image and how many inside it: band column q shows image column
 * q*col_gap - pad_left. */
static void find_columns(band_writer *w)
{
    const aic_contraction *c = w->c;
    int64_t step = w->t->col_gap, columns = w->t->columns;
    int64_t left = (c->pad_left + step - 1) / step;
    int64_t end = (c->pad_left + c->w + step - 1) / step;
    w->left = left < columns ? left : columns;
    w->inside = (end < columns ? end : columns) - w->left;
}

static bool is_padded(const band_writer *w)
{
    const aic_contraction *c = w->c;
    int64_t bottom = (c->oh - 1) * c->stride_h - c->pad_top + w->t->row_reach;
    return c->pad_top > 0 || bottom > c->h || w->inside < w->t->columns;
}

LLVMValueRef aic_emit_pack_image(aic_emit *e, const aic_contraction *c, const aic_tiling *t, const char *name)
{
    static const char *const PARAMS[] = {"band", "image", "first", "rows"};
    aic_emit_function(e, name, aic_pack_kind(t->taps * t->outputs), PARAMS, 2, 2);
    aic_note_function(e, "packs rows of the image into a band, image row `first` at the top");
    LLVMValueRef function = e->function;
    band_writer w = {.e = e, .c = c, .t = t, .image = aic_emit_param(e, 1)};
    find_columns(&w);
    aic_loop loop;
    aic_loop_begin(e, &loop, "row: rows of the band", aic_int(e, 0), aic_emit_param(e, 3), 1, NULL, 0);
    LLVMValueRef row = aic_at(e, aic_emit_param(e, 0), aic_mul(e, loop.index, t->row_pitch));
    LLVMValueRef h = aic_add(e, aic_emit_param(e, 2), loop.index);
    if (t->row_step != t->row_gap) { /* rows between two windows are left out */
        LLVMValueRef window = LLVMBuildUDiv(e->builder, loop.index, aic_int(e, t->row_step), "");
        h = aic_add(e, h, aic_mul(e, window, t->row_gap - t->row_step));
    }
    if (is_padded(&w)) {
        fill_row(&w, row);
    }
    if (w.inside > 0) {
        aic_branch branch;
        aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntULT, h, aic_int(e, c->h), ""));
        copy_columns(&w, row, h);
        aic_branch_end(e, &branch);
    }
    aic_loop_end(e, &loop);
    aic_emit_function_end(e);
    return function;
}
