/* Packing a row of a band: see image.h. */
#include "codegen/integer.h"
#include "codegen/kpacks.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "codegen/parts.h"
#include "codegen/parts/image.h"
#include "frontend/numeric/half.h"

typedef struct writer {
    aic_emit *e;
    const aic_row_key *key;
    aic_arithmetic arithmetic;
    unsigned source_bytes, target_bytes; /* of a channel */
    LLVMValueRef image;
} writer;

/* ---- channels ---- */

/* An integer as the band has it: with the image's offset. */
static LLVMValueRef image_int(const writer *w, int64_t value)
{
    if (w->arithmetic.product == AIC_PRODUCT_QUAD) {
        value = (int8_t)(value + w->arithmetic.image_offset); /* the bits of the unsigned value */
    }
    return LLVMConstInt(aic_kpack_channel(w->e, &w->arithmetic), (unsigned long long)value, true);
}

static LLVMValueRef load(const writer *w, LLVMValueRef source, unsigned channels)
{
    LLVMTypeRef element = LLVMIntTypeInContext(w->e->context, 8 * w->source_bytes);
    return aic_load(w->e, aic_vector(element, channels), source, 0, 1);
}

/* Widens elements of the image to k-packs and stores them. */
static void store(const writer *w, LLVMValueRef target, LLVMValueRef elements)
{
    aic_emit *e = w->e;
    LLVMValueRef kpacks[AIC_PLANES_MAX];
    aic_to_kpacks(e, (aic_dtype)w->key->dtype, &w->arithmetic, elements, kpacks);
    if (w->arithmetic.image_offset != 0) {
        const unsigned channels = LLVMGetVectorSize(LLVMTypeOf(kpacks[0]));
        kpacks[0] = LLVMBuildAdd(e->builder, kpacks[0], aic_splat(e, image_int(w, 0), channels), "");
    }
    aic_store(e, kpacks[0], target, 0, w->target_bytes);
}

/* Packs a few channels that are contiguous in image and band, from channel `done` of `count` on. */
static void copy_tail(const writer *w, LLVMValueRef target, LLVMValueRef source, int64_t done, int64_t count)
{
    const unsigned most = (unsigned)aic_row_vector(w->target_bytes);
    while (done < count) {
        const unsigned width = (unsigned)aic_power_within(aic_least(count - done, most));
        store(w, aic_at_const(w->e, target, done * w->target_bytes),
              load(w, aic_at_const(w->e, source, done * w->source_bytes), width));
        done += width;
    }
}

/* Packs so many whole vectors of `step` channels. */
static void copy_vectors(const writer *w, LLVMValueRef target, LLVMValueRef source, LLVMValueRef channels, int64_t step)
{
    aic_emit *e = w->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "run: channels that are neighbours", aic_int(e, 0), channels, step, NULL, 0);
    store(w, aic_at(e, target, aic_mul(e, loop.index, w->target_bytes)),
          load(w, aic_at(e, source, aic_mul(e, loop.index, w->source_bytes)), (unsigned)step));
    aic_loop_end(e, &loop);
}

/* ---- padding ---- */

/* K-packs of padding that fill one wide store. */
static LLVMValueRef padding(const writer *w)
{
    const aic_arithmetic *a = &w->arithmetic;
    const unsigned channels = AIC_LINE_BYTES / a->kpack_bytes * a->kpack_channels;
    const uint16_t half = aic_half_from_double(w->key->pad);
    LLVMValueRef value = a->product == AIC_PRODUCT_FLOAT
                             ? LLVMConstReal(aic_kpack_channel(w->e, a), aic_half_to_double(half))
                             : image_int(w, (int64_t)w->key->pad);
    return aic_splat(w->e, value, channels);
}

/* Stores a number of bytes of padding, whole lines. */
static void fill(const writer *w, LLVMValueRef target, const char *bytes)
{
    aic_emit *e = w->e;
    aic_loop loop;
    LLVMValueRef value = padding(w);
    aic_loop_begin(e, &loop, "pad: bytes of padding", aic_int(e, 0), aic_trips(e, bytes), AIC_LINE_BYTES, NULL, 0);
    aic_store(e, value, aic_at(e, target, loop.index), 0, w->arithmetic.kpack_bytes);
    aic_loop_end(e, &loop);
}

/* ---- pixels of a row that lie in the image ---- */

/* Begins a loop over them; the addresses become those of the pixel. */
static void begin_pixels(const writer *w, aic_loop *pixels, LLVMValueRef *target, LLVMValueRef *source)
{
    aic_emit *e = w->e;
    aic_loop_begin(e, pixels, "pixel: pixels of the row that lie in the image", aic_int(e, 0), aic_trips(e, "inside"),
                   1, NULL, 0);
    *target = aic_at(e, *target, aic_times(e, pixels->index, aic_number(e, "pixel.pitch")));
    *source = aic_at(e, *source, aic_times(e, pixels->index, aic_number(e, "image.step")));
}

/* Packs `count` channels of every pixel and clears `missing` channels behind them. */
static void copy_pixels(const writer *w, LLVMValueRef target, LLVMValueRef source, int64_t count, int64_t missing)
{
    aic_emit *e = w->e;
    const int64_t step = count == w->key->c0 ? count : aic_row_vector(w->target_bytes), done = count / step * step;
    aic_loop pixels;
    begin_pixels(w, &pixels, &target, &source);
    if (done > 0) {
        copy_vectors(w, target, source, aic_int(e, done), step);
    }
    copy_tail(w, target, source, done, count);
    if (missing > 0) {
        LLVMValueRef zero = LLVMConstInt(e->i8, (unsigned)w->arithmetic.image_offset, false);
        aic_fill(e, aic_at_const(e, target, count * w->target_bytes), zero, missing * w->target_bytes);
    }
    aic_loop_end(e, &pixels);
}

/* Packs two blocks of channels, a line, of every pixel. */
static void copy_pairs(const writer *w, LLVMValueRef target, LLVMValueRef source)
{
    aic_emit *e = w->e;
    const unsigned channels = (unsigned)w->key->c0;
    LLVMValueRef at[] = {target, source};
    aic_loop pixels;
    aic_loop_begin(e, &pixels, "pixel: pixels of the row that lie in the image", aic_int(e, 0), aic_trips(e, "inside"),
                   w->key->together, at, 2);
    for (int64_t i = 0; i < w->key->together; i++) {
        const LLVMValueRef blocks[] = {load(w, at[1], channels),
                                       load(w, aic_at(e, at[1], aic_number(e, "image.block")), channels)};
        store(w, at[0], aic_concat(e, blocks, 2));
        at[0] = aic_at(e, at[0], aic_number(e, "pixel.pitch"));
        at[1] = aic_at(e, at[1], aic_number(e, "image.step"));
    }
    aic_loop_end(e, &pixels);
}

/* Packs blocks of channels from number `first` on, in pairs or one at a time. */
static void copy_blocks(const writer *w, LLVMValueRef target, LLVMValueRef source, LLVMValueRef first, const char *end,
                        bool pairs)
{
    aic_emit *e = w->e;
    aic_loop blocks;
    aic_loop_begin(e, &blocks, "block: blocks of channels", first, aic_trips(e, end), pairs ? 2 : 1, NULL, 0);
    target = aic_at(e, target, aic_mul(e, blocks.index, w->key->c0 * w->target_bytes));
    source = aic_at(e, source, aic_times(e, blocks.index, aic_number(e, "image.block")));
    if (pairs) {
        copy_pairs(w, target, source);
    } else {
        copy_pixels(w, target, source, w->key->c0, 0);
    }
    aic_loop_end(e, &blocks);
}

/* Address of the first element of image row h. */
static LLVMValueRef image_row(const writer *w, LLVMValueRef h)
{
    aic_emit *e = w->e;
    LLVMValueRef row = aic_number(e, "image.row");
    if (!w->key->fractal) {
        return aic_at(e, w->image, aic_times(e, h, row));
    }
    LLVMValueRef rows = aic_number(e, "fractal.rows");
    LLVMValueRef fractal = aic_times(e, LLVMBuildUDiv(e->builder, h, rows, ""), aic_number(e, "fractal"));
    return aic_at(e, w->image, aic_add(e, fractal, aic_times(e, LLVMBuildURem(e->builder, h, rows, ""), row)));
}

/* Packs the image columns of the row from image row h. */
static void copy_columns(const writer *w, LLVMValueRef row, LLVMValueRef h)
{
    aic_emit *e = w->e;
    LLVMValueRef source = aic_at(e, image_row(w, h), aic_number(e, "image.first"));
    LLVMValueRef target = w->key->left ? aic_at(e, row, aic_number(e, "left.bytes")) : row;
    if (w->key->run) {
        LLVMValueRef run = aic_trips(e, "run");
        copy_vectors(w, target, source, run, aic_row_vector(w->target_bytes));
        copy_tail(w, aic_at(e, target, aic_mul(e, run, w->target_bytes)),
                  aic_at(e, source, aic_mul(e, run, w->source_bytes)), 0, w->key->tail);
        return;
    }
    if (w->key->pairs) {
        copy_blocks(w, target, source, aic_int(e, 0), "paired", true);
    }
    if (w->key->singles) {
        copy_blocks(w, target, source, w->key->pairs ? aic_number(e, "paired") : aic_int(e, 0), "blocks", false);
    }
    if (w->key->rest > 0) {
        copy_pixels(w, aic_at(e, target, aic_number(e, "rest.at")), aic_at(e, source, aic_number(e, "rest.from")),
                    w->key->rest, w->key->missing);
    }
}

/* ---- the part ---- */

/* If columns are no whole lines, the whole row is filled with padding first and the image overwrites its part, so that
 * borders need no code of their own. */
static void emit_into(const writer *w, LLVMValueRef row, LLVMValueRef h)
{
    aic_emit *e = w->e;
    const aic_row_key *key = w->key;
    LLVMValueRef in_image = LLVMBuildICmp(e->builder, LLVMIntULT, h, aic_number(e, "image.rows"), "");
    aic_branch branch;
    if (!key->lines && (key->outer || key->left || key->right)) {
        fill(w, row, "row.bytes");
    } else if (key->outer) {
        aic_branch_begin(e, &branch, LLVMBuildNot(e->builder, in_image, ""));
        fill(w, row, "row.bytes");
        aic_branch_end(e, &branch);
    }
    aic_branch_begin(e, &branch, in_image);
    if (key->lines && key->left) {
        fill(w, row, "left.bytes");
    }
    if (key->lines && key->right) {
        fill(w, aic_at(e, row, aic_number(e, "right.at")), "right.bytes");
    }
    copy_columns(w, row, h);
    aic_branch_end(e, &branch);
}

LLVMValueRef aic_emit_part_row(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"row", "image", "h"};
    const aic_row_key *key = of;
    writer w = {.e = e, .key = key, .source_bytes = (unsigned)aic_dtype_size((aic_dtype)key->dtype)};
    w.arithmetic = (aic_arithmetic){.sum = (aic_sum)key->sum,
                                    .product = (aic_product)key->product,
                                    .kpack_bytes = (unsigned)key->kpack_bytes,
                                    .kpack_channels = (unsigned)key->kpack_channels,
                                    .image_offset = (int)key->image_offset,
                                    .planes = 1};
    w.target_bytes = w.arithmetic.kpack_bytes / w.arithmetic.kpack_channels;
    aic_emit_function(e, name, key->fast ? AIC_EMIT_FRAME : AIC_EMIT_HOT, PARAMS, 2, 1);
    aic_note_function(e, "packs a row of the band, `h` the image row at its top");
    LLVMValueRef function = e->function;
    w.image = aic_emit_param(e, 1);
    emit_into(&w, aic_emit_param(e, 0), aic_emit_param(e, 2));
    aic_emit_function_end(e);
    return function;
}
