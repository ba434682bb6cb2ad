/* Packing the image: some rows of the feature map [c1, h, w, c0] become a band [row][column][c1*c0 cells], widened to
 * cells and with the padding filled in. */
#include "codegen/contraction.h"
#include "codegen/vec.h"
#include "frontend/half.h"

typedef struct band_writer {
    aic_emit *e;
    const aic_contraction *c;
    const aic_tiling *t;
    LLVMValueRef image;
    int64_t left, inside; /* padding columns before the image, image columns */
} band_writer;

/* Channels of one vector access in runs of contiguous pixels. */
enum { RUN_CHANNELS = 16 };

static LLVMTypeRef cell_type(const band_writer *w)
{
    switch (w->c->sum) {
    case AIC_SUM_CUBE:
        return w->e->f64;
    case AIC_SUM_FAST:
        return w->e->f32;
    case AIC_SUM_INT:
    case AIC_SUM_INT_WIDE:
        break;
    }
    return w->t->arithmetic->product == AIC_PRODUCT_QUAD ? w->e->i8 : w->e->i16;
}

/* An integer of the image as it stands in the band. */
static LLVMValueRef image_int(const band_writer *w, int64_t value)
{
    if (w->t->arithmetic->product == AIC_PRODUCT_QUAD) {
        value = (int8_t)(value + w->t->image_offset); /* the bits of the unsigned value */
    }
    return LLVMConstInt(cell_type(w), (unsigned long long)value, true);
}

static LLVMValueRef widen(const band_writer *w, LLVMValueRef source, unsigned channels)
{
    aic_emit *e = w->e;
    LLVMTypeRef type = aic_vector(cell_type(w), channels);
    switch (w->t->arithmetic->product) {
    case AIC_PRODUCT_PAIR:
        return LLVMBuildSExt(e->builder, source, type, "");
    case AIC_PRODUCT_QUAD:
        return LLVMBuildAdd(e->builder, source, aic_splat(e, image_int(w, 0), channels), "");
    case AIC_PRODUCT_FLOAT:
        break;
    }
    LLVMValueRef floats = aic_half_to_float(e, source);
    return w->c->sum == AIC_SUM_CUBE ? LLVMBuildFPExt(e->builder, floats, type, "") : floats;
}

/* `channels` consecutive channels from source to target. */
static void copy_cells(const band_writer *w, LLVMValueRef target, LLVMValueRef source, unsigned channels)
{
    aic_emit *e = w->e;
    LLVMTypeRef type = aic_vector(w->t->arithmetic->source_bytes == 2 ? e->i16 : e->i8, channels);
    LLVMValueRef value = aic_load(e, type, source, 0, 1);
    aic_store(e, widen(w, value, channels), target, 0, w->t->arithmetic->cell_bytes);
}

/* Cells of padding that fill one wide store. */
static LLVMValueRef padding(const band_writer *w)
{
    const aic_arithmetic *a = w->t->arithmetic;
    LLVMValueRef value = a->product == AIC_PRODUCT_FLOAT
                             ? LLVMConstReal(cell_type(w), aic_half_to_double(aic_half_from_double(w->c->pad_value)))
                             : image_int(w, (int64_t)w->c->pad_value);
    return aic_splat(w->e, value, AIC_LINE_BYTES / a->cell_bytes * a->cell_channels);
}

/* A whole band row. The image overwrites its part: rows and borders need no code of their own, and the second store
 * is lost in the multiplications. */
static void fill_row(const band_writer *w, LLVMValueRef row)
{
    aic_emit *e = w->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "pad", aic_int(e, 0), aic_int(e, w->t->row_pitch), AIC_LINE_BYTES, NULL, 0);
    aic_store(e, padding(w), aic_at(e, row, loop.index), 0, w->t->arithmetic->cell_bytes);
    aic_loop_end(e, &loop);
}

/* Contiguous on both sides: `count` channels in wide accesses, then what is left in pieces of a pixel. */
static void copy_run(const band_writer *w, LLVMValueRef target, LLVMValueRef source, int64_t count)
{
    aic_emit *e = w->e;
    const aic_arithmetic *a = w->t->arithmetic;
    int64_t wide = count / RUN_CHANNELS * RUN_CHANNELS;
    int64_t ends[] = {0, wide, count};
    int64_t steps[] = {RUN_CHANNELS, w->c->c0};
    for (int part = 0; part < 2; part++) {
        if (ends[part] == ends[part + 1]) {
            continue;
        }
        aic_loop loop;
        aic_loop_begin(e, &loop, "run", aic_int(e, ends[part]), aic_int(e, ends[part + 1]), steps[part], NULL, 0);
        LLVMValueRef to = aic_at(e, target, aic_mul(e, loop.index, a->cell_bytes / a->cell_channels));
        LLVMValueRef from = aic_at(e, source, aic_mul(e, loop.index, a->source_bytes));
        copy_cells(w, to, from, (unsigned)steps[part]);
        aic_loop_end(e, &loop);
    }
}

/* The image columns of one band row, h the image row. */
static void copy_columns(const band_writer *w, LLVMValueRef row, LLVMValueRef h)
{
    aic_emit *e = w->e;
    const aic_contraction *c = w->c;
    const aic_arithmetic *a = w->t->arithmetic;
    int64_t step = w->t->col_gap;
    int64_t first = w->left * step - c->pad_left;
    int64_t pixel_bytes = c->c0 * a->source_bytes, block_bytes = c->c0 / a->cell_channels * a->cell_bytes;
    LLVMValueRef target = aic_at_const(e, row, w->left * w->t->pixel_pitch);
    aic_loop blocks, pixels;
    aic_loop_begin(e, &blocks, "block", aic_int(e, 0), aic_int(e, c->c1), 1, NULL, 0);
    LLVMValueRef line = aic_add(e, aic_mul(e, blocks.index, c->h), h);
    LLVMValueRef source = aic_at(e, w->image, aic_mul(e, line, c->w * pixel_bytes));
    source = aic_at_const(e, source, first * pixel_bytes);
    LLVMValueRef into = aic_at(e, target, aic_mul(e, blocks.index, block_bytes));
    if (w->t->pixel_pitch == block_bytes && step == 1) {
        copy_run(w, into, source, w->inside * c->c0);
    } else {
        aic_loop_begin(e, &pixels, "pixel", aic_int(e, 0), aic_int(e, w->inside), 1, NULL, 0);
        copy_cells(w, aic_at(e, into, aic_mul(e, pixels.index, w->t->pixel_pitch)),
                   aic_at(e, source, aic_mul(e, pixels.index, step * pixel_bytes)), (unsigned)c->c0);
        aic_loop_end(e, &pixels);
    }
    aic_loop_end(e, &blocks);
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

void aic_emit_pack_image(aic_emit *e, const aic_contraction *c, const aic_tiling *t, LLVMValueRef band,
                         LLVMValueRef image, LLVMValueRef first, LLVMValueRef rows)
{
    band_writer w = {.e = e, .c = c, .t = t, .image = image};
    find_columns(&w);
    aic_loop loop;
    aic_loop_begin(e, &loop, "row", aic_int(e, 0), rows, 1, NULL, 0);
    LLVMValueRef row = aic_at(e, band, aic_mul(e, loop.index, t->row_pitch));
    LLVMValueRef h = aic_add(e, first, loop.index);
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
}
