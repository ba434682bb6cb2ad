/* Packing a row of a band: see image.h. */
#include "codegen/integer.h"
#include "codegen/kpacks.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "codegen/parts.h"
#include "codegen/parts/image.h"
#include "frontend/numeric/element.h"

#include <stdio.h>

typedef struct writer {
    aic_emit *e;
    const aic_row_key *key;
    aic_arithmetic arithmetic;
    unsigned source_bytes, target_bytes; /* of a channel */
    LLVMValueRef image;
    LLVMValueRef note;  /* of special elements; NULL: none are noted */
    LLVMValueRef *most; /* the greatest magnitudes in lanes so far, which are looked at once for a row; NULL: vector by
                           vector */
} writer;

/* ---- channels ---- */

/* An address in a plane, `at` being in the first one. */
static LLVMValueRef in_plane(const writer *w, LLVMValueRef at, unsigned plane)
{
    return plane == 0 ? at : aic_behind(w->e, at, "plane");
}

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

/* Notes whether any of the elements is special. */
static void note_specials(const writer *w, LLVMValueRef elements)
{
    aic_emit *e = w->e;
    aic_branch branch;
    if (w->note != NULL && w->most != NULL) {
        *w->most = aic_larger_magnitude(e, *w->most, elements);
    } else if (w->note != NULL) {
        aic_branch_begin(e, &branch, aic_any_special(e, w->key->special_first, w->key->special_end, elements));
        aic_store(e, LLVMConstInt(e->i32, 1, false), w->note, 0, sizeof(int32_t));
        aic_branch_end(e, &branch);
    }
}

/* Widens elements of the image to k-packs and stores them, plane by plane. */
static void store(const writer *w, LLVMValueRef target, LLVMValueRef elements)
{
    aic_emit *e = w->e;
    LLVMValueRef kpacks[AIC_PLANES_MAX];
    aic_to_kpacks(e, (aic_dtype)w->key->dtype, &w->arithmetic, elements, kpacks);
    if (w->arithmetic.image_offset != 0) {
        const unsigned channels = LLVMGetVectorSize(LLVMTypeOf(kpacks[0]));
        kpacks[0] = LLVMBuildAdd(e->builder, kpacks[0], aic_splat(e, image_int(w, 0), channels), "");
    }
    for (unsigned p = 0; p < w->arithmetic.planes; p++) {
        aic_store(e, kpacks[p], in_plane(w, target, p), 0, w->target_bytes);
    }
    note_specials(w, elements);
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

/* Packs a vector of `step` channels from channel `first` on. */
static void copy_vector(const writer *w, LLVMValueRef target, LLVMValueRef source, LLVMValueRef first, int64_t step)
{
    store(w, aic_at(w->e, target, aic_mul(w->e, first, w->target_bytes)),
          load(w, aic_at(w->e, source, aic_mul(w->e, first, w->source_bytes)), (unsigned)step));
}

/* Packs so many whole vectors of `step` channels. */
static void copy_vectors(const writer *w, LLVMValueRef target, LLVMValueRef source, LLVMValueRef channels, int64_t step)
{
    aic_emit *e = w->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "run: channels that are neighbours", aic_int(e, 0), channels, step, w->most,
                   w->most != NULL ? 1 : 0);
    copy_vector(w, target, source, loop.index, step);
    aic_loop_end(e, &loop);
}

/* Packs as many channels as numbers say. */
static void copy_counted(const writer *w, LLVMValueRef target, LLVMValueRef source)
{
    aic_emit *e = w->e;
    const int64_t step = aic_row_vector(w->target_bytes);
    LLVMValueRef to = target, from = source;
    if (w->key->leads) {
        LLVMValueRef first = aic_number(e, "run.first");
        copy_vector(w, target, source, aic_int(e, 0), step);
        to = aic_at(e, target, aic_mul(e, first, w->target_bytes));
        from = aic_at(e, source, aic_mul(e, first, w->source_bytes));
    }
    copy_vectors(w, to, from, aic_number(e, "run"), step);
    if (w->key->ends) {
        copy_vector(w, target, source, aic_number(e, "run.last"), step);
    }
}

/* Packs a row whose channels are contiguous. Where it is compiled well, the greatest magnitudes say at its end whether
 * any element is infinite or NaN. */
static void copy_run(const writer *w, LLVMValueRef target, LLVMValueRef source)
{
    aic_emit *e = w->e;
    writer run = *w;
    if (w->note == NULL || w->key->fast || w->key->product != AIC_PRODUCT_FLOAT) {
        copy_counted(w, target, source);
        return;
    }
    LLVMValueRef most = aic_zero(aic_vector(e->i16, (unsigned)aic_row_vector(w->target_bytes)));
    run.most = &most;
    copy_counted(&run, target, source);
    note_specials(w, most);
}

/* ---- padding ---- */

/* K-packs of padding that fill one wide store, plane by plane. */
static void padding(const writer *w, LLVMValueRef planes[AIC_PLANES_MAX])
{
    aic_emit *e = w->e;
    const aic_arithmetic *a = &w->arithmetic;
    const unsigned channels = AIC_LINE_BYTES / a->kpack_bytes * a->kpack_channels;
    const uint16_t half = aic_half_from_double(w->key->pad);
    LLVMValueRef elements = aic_splat(e, LLVMConstInt(e->i16, half, false), channels);
    switch (a->product) {
    case AIC_PRODUCT_PAIR:
    case AIC_PRODUCT_WORD:
    case AIC_PRODUCT_ROWS:
    case AIC_PRODUCT_QUAD:
        planes[0] = aic_splat(e, image_int(w, (int64_t)w->key->pad), channels);
        break;
    case AIC_PRODUCT_BFLOAT: /* bfloat16 images have none */
        aic_to_kpacks(e, (aic_dtype)w->key->dtype, a, elements, planes);
        break;
    case AIC_PRODUCT_FLOAT:
        planes[0] = aic_splat(e, LLVMConstReal(aic_kpack_channel(e, a), aic_half_to_double(half)), channels);
        break;
    }
}

/* Stores bytes of padding, whole lines. */
static void fill_lines(const writer *w, LLVMValueRef target, LLVMValueRef value, LLVMValueRef bytes)
{
    aic_emit *e = w->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "pad: bytes of padding", aic_int(e, 0), bytes, AIC_LINE_BYTES, NULL, 0);
    aic_store(e, value, aic_at(e, target, loop.index), 0, w->arithmetic.kpack_bytes);
    aic_loop_end(e, &loop);
}

/* Stores padding to the columns on a side, or to a whole row: to its bytes, or column by column and plane by plane. */
static void fill(const writer *w, LLVMValueRef target, const char *side)
{
    aic_emit *e = w->e;
    char name[AIC_NUMBER_NAME_MAX];
    LLVMValueRef planes[AIC_PLANES_MAX] = {NULL};
    const bool apart = aic_row_pads_planes(w->key);
    padding(w, planes);
    (void)snprintf(name, sizeof name, apart ? "%s.columns" : "%s.bytes", side);
    if (!apart) {
        fill_lines(w, target, planes[0], aic_number(e, "%s", name));
        return;
    }
    aic_loop pixels;
    aic_loop_over(e, &pixels, "pixel: columns of padding", aic_number(e, "%s", name));
    target = aic_at_index(e, target, pixels.index, "pad.pitch");
    for (unsigned p = 0; p < w->arithmetic.planes; p++) {
        fill_lines(w, in_plane(w, target, p), planes[p], aic_trips(e, "plane"));
    }
    aic_loop_end(e, &pixels);
}

/* ---- pixels of a row that lie in the image ---- */

static LLVMValueRef inside(const writer *w)
{
    return w->key->one ? aic_int(w->e, 1) : aic_trips(w->e, "inside");
}

/* Begins a loop over them; the addresses become those of the pixel. */
static void begin_pixels(const writer *w, aic_loop *pixels, LLVMValueRef *target, LLVMValueRef *source)
{
    aic_emit *e = w->e;
    aic_loop_begin(e, pixels, "pixel: pixels of the row that lie in the image", aic_int(e, 0), inside(w), 1, NULL, 0);
    if (w->key->one) {
        return;
    }
    *target = aic_at(e, *target, aic_scaled(e, pixels->index, "pixel.pitch"));
    *source = aic_at(e, *source, aic_scaled(e, pixels->index, "image.step"));
}

/* Fetches what the next row of the band is packed from: rows of many blocks of channels are many short runs of lines,
 * which no prefetcher foresees. */
static void fetch_next_row(const writer *w, LLVMValueRef source)
{
    if (!w->key->one) {
        aic_fetch_to_read(w->e, aic_behind(w->e, source, "row.next"), 0);
    }
}

/* Packs `count` channels of every pixel and clears `missing` channels behind them. */
static void copy_pixels(const writer *w, LLVMValueRef target, LLVMValueRef source, int64_t count, int64_t missing)
{
    aic_emit *e = w->e;
    const int64_t step = count == w->key->c0 ? count : aic_row_vector(w->target_bytes), done = count / step * step;
    aic_loop pixels;
    begin_pixels(w, &pixels, &target, &source);
    if (w->key->singles && count == w->key->c0) {
        fetch_next_row(w, source);
    }
    if (done > 0) {
        copy_vectors(w, target, source, aic_int(e, done), step);
    }
    copy_tail(w, target, source, done, count);
    LLVMValueRef zero = LLVMConstInt(e->i8, (unsigned)w->arithmetic.image_offset, false);
    for (unsigned p = 0; p < w->arithmetic.planes && missing > 0; p++) {
        LLVMValueRef at = aic_at_const(e, in_plane(w, target, p), count * w->target_bytes);
        aic_fill(e, at, zero, missing * w->target_bytes);
    }
    aic_loop_end(e, &pixels);
}

/* Packs every pixel, a vector or more. What is missing is cleared first, by a vector that channels overwrite. */
static void copy_long_pixels(const writer *w, LLVMValueRef target, LLVMValueRef source)
{
    aic_emit *e = w->e;
    LLVMValueRef zero = LLVMConstInt(e->i8, (unsigned)w->arithmetic.image_offset, false);
    aic_loop pixels;
    begin_pixels(w, &pixels, &target, &source);
    for (unsigned p = 0; p < w->arithmetic.planes && w->key->missing > 0; p++) {
        aic_fill(e, aic_at(e, in_plane(w, target, p), aic_number(e, "clear")), zero,
                 aic_row_vector(w->target_bytes) * w->target_bytes);
    }
    copy_counted(w, target, source);
    aic_loop_end(e, &pixels);
}

/* Packs two blocks of channels, a line, of pixels from number `first` on, `together` in a loop body. */
static void copy_pairs_of(const writer *w, LLVMValueRef at[2], LLVMValueRef first, LLVMValueRef end, int64_t together)
{
    aic_emit *e = w->e;
    enum { PIXELS_OF_LINE = 2 };
    const unsigned channels = (unsigned)w->key->c0;
    aic_loop pixels;
    aic_loop_begin(e, &pixels, "pixel: pixels of the row that lie in the image", first, end, together, at, 2);
    for (int64_t i = 0; i < together; i++) {
        LLVMValueRef second = aic_behind(e, at[1], "image.block");
        const LLVMValueRef blocks[] = {load(w, at[1], channels), load(w, second, channels)};
        if (i % PIXELS_OF_LINE == 0) {
            fetch_next_row(w, at[1]);
            fetch_next_row(w, second);
        }
        store(w, at[0], aic_concat(e, blocks, 2));
        if (!w->key->one) {
            at[0] = aic_behind(e, at[0], "pixel.pitch");
            at[1] = aic_behind(e, at[1], "image.step");
        }
    }
    aic_loop_end(e, &pixels);
}

static void copy_pairs(const writer *w, LLVMValueRef target, LLVMValueRef source)
{
    LLVMValueRef at[] = {target, source}, even = aic_int(w->e, 0);
    if (!w->key->one) {
        even = aic_number(w->e, "even");
        copy_pairs_of(w, at, aic_int(w->e, 0), even, AIC_ROW_TOGETHER);
    }
    copy_pairs_of(w, at, even, inside(w), 1);
}

/* Packs blocks of channels from number `first` on, in pairs or one at a time. */
static void copy_blocks(const writer *w, LLVMValueRef target, LLVMValueRef source, LLVMValueRef first, const char *end,
                        bool pairs)
{
    aic_emit *e = w->e;
    aic_loop blocks;
    const int64_t bytes = w->key->c0 * w->target_bytes, step = pairs ? 2 : 1;
    LLVMValueRef at[] = {aic_at(e, target, aic_mul(e, first, bytes)), aic_at_index(e, source, first, "image.block")};
    aic_loop_begin(e, &blocks, "block: blocks of channels", first, aic_trips(e, "%s", end), step, at, 2);
    if (pairs) {
        copy_pairs(w, at[0], at[1]);
    } else {
        copy_pixels(w, at[0], at[1], w->key->c0, 0);
    }
    at[0] = aic_at_const(e, aic_loop_carried(e, &blocks, 0), step * bytes);
    at[1] = aic_loop_carried(e, &blocks, 1);
    for (int64_t i = 0; i < step; i++) {
        at[1] = aic_behind(e, at[1], "image.block");
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
    LLVMValueRef rows = aic_int(e, w->key->fractal);
    LLVMValueRef fractal = aic_times(e, LLVMBuildUDiv(e->builder, h, rows, ""), aic_number(e, "fractal"));
    return aic_at(e, w->image, aic_add(e, fractal, aic_times(e, LLVMBuildURem(e->builder, h, rows, ""), row)));
}

/* Packs the image columns of the row from image row h. */
static void copy_columns(const writer *w, LLVMValueRef row, LLVMValueRef h)
{
    aic_emit *e = w->e;
    LLVMValueRef source = aic_at(e, image_row(w, h), aic_number(e, "image.first"));
    LLVMValueRef target = aic_row_begins_inside(w->key) ? aic_behind(e, row, "left.bytes") : row;
    if (w->key->run && w->key->tail > 0) {
        copy_tail(w, target, source, 0, w->key->tail);
        return;
    }
    if (w->key->run) {
        copy_run(w, target, source);
        return;
    }
    if (w->key->counts) {
        copy_long_pixels(w, target, source);
        return;
    }
    if (w->key->pairs) {
        copy_blocks(w, target, source, aic_int(e, 0), "paired", true);
    }
    if (w->key->singles) {
        copy_blocks(w, target, source, w->key->pairs ? aic_number(e, "paired") : aic_int(e, 0), "blocks", false);
    }
    if (w->key->rest > 0 || w->key->missing > 0) {
        copy_pixels(w, aic_behind(e, target, "rest.at"), aic_behind(e, source, "rest.from"), w->key->rest,
                    w->key->missing);
    }
}

/* ---- kernel rows that are folded into one ---- */

/* Bytes of the four channels of an image pixel in one plane: a part of a band pixel, which has one for each of `fold`
 * image rows. */
static int64_t part_bytes(const writer *w)
{
    return w->key->c0 * w->target_bytes;
}

/* Stores a line of parts to every fold-th part from `target` on, that is to `fold` lines of the band, whose other parts
 * belong to other image rows and are kept. */
static void mix_line(const writer *w, LLVMValueRef target, LLVMValueRef line)
{
    enum { PARTS_MAX = AIC_LINE_BYTES / 4 };
    aic_emit *e = w->e;
    const unsigned fold = (unsigned)w->key->fold, bytes = (unsigned)part_bytes(w), parts = AIC_LINE_BYTES / bytes;
    LLVMTypeRef type = aic_vector(LLVMIntTypeInContext(e->context, 8 * bytes), parts);
    line = LLVMBuildBitCast(e->builder, line, type, "");
    for (unsigned v = 0; v < fold; v++) {
        unsigned from[PARTS_MAX];
        LLVMValueRef others = aic_load(e, type, target, v * AIC_LINE_BYTES, bytes);
        for (unsigned i = 0; i < parts; i++) {
            const unsigned part = v * parts + i;
            from[i] = part % fold == 0 ? parts + part / fold : i;
        }
        aic_store(e, aic_shuffle(e, others, line, from, parts), target, v * AIC_LINE_BYTES, bytes);
    }
}

/* Packs a line of image pixels from `source` to every fold-th part from `target` on, in every plane. */
static void mix_pixels(const writer *w, LLVMValueRef target, LLVMValueRef source)
{
    LLVMValueRef planes[AIC_PLANES_MAX];
    LLVMValueRef elements = load(w, source, AIC_LINE_BYTES / w->target_bytes);
    aic_to_kpacks(w->e, (aic_dtype)w->key->dtype, &w->arithmetic, elements, planes);
    for (unsigned p = 0; p < w->arithmetic.planes; p++) {
        mix_line(w, in_plane(w, target, p), planes[p]);
    }
    note_specials(w, elements);
}

/* Packs those pixels of a band row that lie in the image to every fold-th part from `target` on. */
static void interleave_row(const writer *w, LLVMValueRef target, LLVMValueRef source)
{
    aic_emit *e = w->e;
    const int64_t pitch = w->key->fold * part_bytes(w), step = w->key->c0 * w->source_bytes;
    LLVMValueRef whole = aic_number(e, "whole");
    aic_loop loop;
    aic_loop_begin(e, &loop, "pixels: lines of pixels", aic_int(e, 0), whole, AIC_LINE_BYTES / part_bytes(w), NULL, 0);
    mix_pixels(w, aic_at(e, target, aic_mul(e, loop.index, pitch)), aic_at(e, source, aic_mul(e, loop.index, step)));
    aic_loop_end(e, &loop);
    aic_loop_begin(e, &loop, "pixel: pixels that are left", whole, aic_number(e, "inside"), 1, NULL, 0);
    LLVMValueRef pixel = load(w, aic_at(e, source, aic_mul(e, loop.index, step)), (unsigned)w->key->c0);
    store(w, aic_at(e, target, aic_mul(e, loop.index, pitch)), pixel);
    aic_loop_end(e, &loop);
}

/* Packs one band row from `fold` image rows, h being the first one: padding, then the rows that lie in the image. */
static void emit_folded(const writer *w, LLVMValueRef row, LLVMValueRef h)
{
    aic_emit *e = w->e;
    fill(w, row, "row");
    LLVMValueRef target = aic_behind(e, row, "left.bytes");
    for (int64_t f = 0; f < w->key->fold; f++) {
        aic_branch branch;
        LLVMValueRef own = aic_add(e, h, aic_int(e, f));
        aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntULT, own, aic_number(e, "image.rows"), ""));
        interleave_row(w, aic_at_const(e, target, f * part_bytes(w)),
                       aic_at(e, image_row(w, own), aic_number(e, "image.first")));
        aic_branch_end(e, &branch);
    }
}

/* ---- the part ---- */

/* If columns are no whole lines, padding fills lines first, those at the edges or all of the row, and the image
 * overwrites its part of them. */
static void emit_into(const writer *w, LLVMValueRef row, LLVMValueRef h)
{
    aic_emit *e = w->e;
    const aic_row_key *key = w->key;
    LLVMValueRef in_image = LLVMBuildICmp(e->builder, LLVMIntULT, h, aic_number(e, "image.rows"), "");
    const bool apart = key->sides || aic_row_pads_edges(key); /* padding left and right of the image */
    aic_branch branch;
    if (apart) {
        aic_branch_begin(e, &branch, LLVMBuildNot(e->builder, in_image, ""));
        fill(w, row, "row");
        aic_branch_end(e, &branch);
    } else if (key->padded) {
        fill(w, row, "row");
    }
    aic_branch_begin(e, &branch, in_image);
    if (apart) {
        fill(w, row, "left");
        fill(w, aic_behind(e, row, "right.at"), "right");
    }
    copy_columns(w, row, h);
    aic_branch_end(e, &branch);
}

/* Packs `rows` rows, h being the image row at the top of the first one. */
static void emit_rows(const writer *w, LLVMValueRef row, LLVMValueRef h, LLVMValueRef rows)
{
    aic_emit *e = w->e;
    aic_loop loop;
    LLVMValueRef next[] = {row, h};
    aic_loop_begin(e, &loop, "row: rows of the band", aic_int(e, 0), rows, 1, next, 2);
    (w->key->fold > 1 ? emit_folded : emit_into)(w, next[0], next[1]);
    next[0] = aic_behind(e, next[0], "row.pitch");
    next[1] = aic_add(e, next[1], aic_number(e, "row.gap"));
    aic_loop_end(e, &loop);
}

LLVMValueRef aic_emit_part_row(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"row", "image", "note", "h", "rows"};
    static const char *const WITHOUT[] = {"row", "image", "h", "rows"};
    const aic_row_key *key = of;
    const unsigned pointers = key->special_end > 0 ? 3 : 2;
    writer w = {.e = e, .key = key, .source_bytes = (unsigned)aic_dtype_size((aic_dtype)key->dtype)};
    w.arithmetic = (aic_arithmetic){.sum = (aic_sum)key->sum,
                                    .product = (aic_product)key->product,
                                    .kpack_bytes = (unsigned)key->kpack_bytes,
                                    .kpack_channels = (unsigned)key->kpack_channels,
                                    .image_offset = (int)key->image_offset,
                                    .planes = (unsigned)key->planes};
    w.target_bytes = w.arithmetic.kpack_bytes / w.arithmetic.kpack_channels;
    aic_emit_function(e, name, key->fast ? AIC_EMIT_SELDOM : AIC_EMIT_HOT, pointers == 3 ? PARAMS : WITHOUT, pointers,
                      2);
    aic_note_function(e, "packs rows of the band, `h` the image row at the top of the first one");
    w.image = aic_emit_param(e, 1);
    w.note = pointers == 3 ? aic_emit_param(e, 2) : NULL;
    emit_rows(&w, aic_emit_param(e, 0), aic_emit_param(e, pointers), aic_emit_param(e, pointers + 1));
    return aic_emit_function_end(e);
}
