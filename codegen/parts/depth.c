/* Depthwise contractions: see depth.h. */
#include "codegen/parts/depth.h"
#include "codegen/family/family.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/sums.h"
#include "frontend/numeric/element.h"

#include <string.h>

enum { COLUMNS = AIC_BLOCK_COLUMNS, ROW_BYTES = AIC_BLOCK_COLUMNS * AIC_SUM_BYTES };

/* Taps of a block of the fixed order. */
enum { CUBE_TAPS = 16 };

static bool has_turns(const aic_depth_key *key)
{
    return aic_depth_turns(key->product) > 1;
}

static unsigned element_bytes(const aic_depth_key *key)
{
    return (unsigned)aic_dtype_size((aic_dtype)key->dtype);
}

/* Elements in memory. */
static LLVMTypeRef elements_type(aic_emit *e, const aic_depth_key *key, unsigned count)
{
    return aic_vector(LLVMIntTypeInContext(e->context, 8 * element_bytes(key)), count);
}

/* Elements in memory as they are multiplied: bytes, int16, floats or doubles. */
static LLVMValueRef extended(aic_emit *e, const aic_depth_key *key, LLVMValueRef elements)
{
    const unsigned count = LLVMGetVectorSize(LLVMTypeOf(elements));
    if (key->product == AIC_PRODUCT_QUAD) {
        return elements;
    }
    if (key->product == AIC_PRODUCT_ROWS) {
        return LLVMBuildSExt(e->builder, elements, aic_vector(e->i16, count), "");
    }
    LLVMValueRef floats = aic_half_to_float(e, elements);
    return key->sum == AIC_SUM_CUBE ? LLVMBuildFPExt(e->builder, floats, aic_vector(e->f64, count), "") : floats;
}

/* The elements of so many rows in turns: all rows of a channel, then of the next. */
static LLVMValueRef in_turns(aic_emit *e, const LLVMValueRef *row, unsigned turns)
{
    unsigned order[AIC_LANES_MAX];
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(row[0]));
    LLVMValueRef rows = aic_concat(e, row, turns);
    for (unsigned i = 0; i < turns * lanes; i++) {
        order[i] = i / turns + i % turns * lanes;
    }
    return aic_permute(e, rows, order, turns * lanes);
}

/* The same words, of which LLVM knows nothing: it would make one permutation of several, and that of many
 * instructions. */
static LLVMValueRef opaque(aic_emit *e, LLVMValueRef words)
{
    LLVMTypeRef integers = LLVMTypeOf(words), floats = aic_vector(e->f32, LLVMGetVectorSize(integers));
    LLVMValueRef same = LLVMBuildBitCast(e->builder, words, floats, "");
    same = aic_emit_intrinsic(e, "llvm.arithmetic.fence", &floats, 1, &same, 1);
    return LLVMBuildBitCast(e->builder, same, integers, "");
}

/* The elements of four rows in turns, `lanes` channels from `first` on, in two permutations of a register: of words,
 * and within 16 bytes. */
static LLVMValueRef in_quads(aic_emit *e, const LLVMValueRef *row, unsigned first, unsigned lanes)
{
    enum { TURNS = 4, WORDS = 4 };
    unsigned order[AIC_LANES_MAX];
    const unsigned bytes = TURNS * lanes, pitch = LLVMGetVectorSize(LLVMTypeOf(row[0])) / WORDS;
    LLVMTypeRef type = aic_vector(e->i32, 2 * pitch);
    LLVMValueRef pair[2];
    for (unsigned i = 0; i < 2; i++) {
        pair[i] = opaque(e, LLVMBuildBitCast(e->builder, aic_concat(e, row + (size_t)2 * i, 2), type, ""));
    }
    for (unsigned i = 0; i < lanes; i++) {
        order[i] = i % TURNS * pitch + first / WORDS + i / TURNS;
    }
    LLVMValueRef words = opaque(e, aic_permute(e, aic_concat(e, pair, 2), order, lanes));
    for (unsigned i = 0; i < bytes; i++) {
        order[i] = i / (TURNS * WORDS) * TURNS * WORDS + i % TURNS * WORDS + i % (TURNS * WORDS) / TURNS;
    }
    return aic_permute(e, LLVMBuildBitCast(e->builder, words, aic_vector(e->i8, bytes), ""), order, bytes);
}

/* ---- tiles ---- */

/* Rows of the image that a tile reads, and steps of a panel, at most. */
enum { ROWS_MAX = AIC_DEPTH_ROWS * AIC_DEPTH_SIDE, STEPS_MAX = 1 + 2 * 4 * AIC_DEPTH_SIDE, TURNS_MAX = 4 };

typedef struct tile {
    aic_emit *e;
    const aic_depth_key *key;
    unsigned lanes;
    unsigned columns, pixels; /* of a step across: those that it finishes; those that have sums in it */
    bool first, last;         /* the step has the columns left, right of the image */
    int64_t step_bytes;
    LLVMTypeRef sum_type, total_type;
    LLVMValueRef out, panel;             /* of the step's first pixel, in the first of the current vectors */
    LLVMValueRef row[ROWS_MAX], padding; /* of the image, at the current channels; a pixel like that */
    LLVMValueRef at;                     /* bytes from a row's start to the step's first pixel, padding apart */
    LLVMValueRef weight[AIC_DEPTH_VECTORS][STEPS_MAX];         /* loaded ones; NULL: not yet */
    LLVMValueRef sum[AIC_CARRIED_MAX], total[AIC_CARRIED_MAX]; /* NULL: what they start from */
} tile;

/* The number of a sum: of a vector, a row, and a pixel of the step. */
static unsigned sum_at(const tile *k, int64_t vector, int64_t row, int64_t pixel)
{
    return (unsigned)((vector * k->key->rows + row) * k->pixels + pixel);
}

static LLVMValueRef panel_of(const tile *k, int64_t vector)
{
    return vector == 0 ? k->panel : aic_behind(k->e, k->panel, "block.panel");
}

/* Where the results of a sum are. */
static LLVMValueRef out_at(const tile *k, unsigned sum)
{
    const unsigned rows = (unsigned)k->key->rows, row = sum / k->pixels % rows;
    LLVMValueRef at = sum / k->pixels < rows ? k->out : aic_behind(k->e, k->out, "out.block");
    return aic_at_const(k->e, aic_at_nth(k->e, at, "out", row), (int64_t)(sum % k->pixels) * ROW_BYTES);
}

/* The sum of a pixel so far. */
static LLVMValueRef sum_of(tile *k, unsigned sum)
{
    if (k->sum[sum] == NULL) {
        const int64_t vector = sum / (k->pixels * (unsigned)k->key->rows);
        k->sum[sum] = k->key->starts ? aic_load(k->e, k->sum_type, panel_of(k, vector), 0, 4) : aic_zero(k->sum_type);
    }
    return k->sum[sum];
}

/* Adds the sum to the total. */
static void fold_sum(tile *k, unsigned sum)
{
    const aic_tile_start start = (aic_tile_start)k->key->accumulate;
    if (k->total[sum] == NULL) {
        k->total[sum] =
            start == AIC_TILE_FROM_ZERO ? aic_zero(k->total_type) : aic_load(k->e, k->total_type, out_at(k, sum), 0, 4);
    }
    k->total[sum] = k->key->sum == AIC_SUM_FAST && start != AIC_TILE_FROM_ZERO
                        ? LLVMBuildFAdd(k->e->builder, k->total[sum], sum_of(k, sum), "")
                        : aic_sum_fold(k->e, (aic_sum)k->key->sum, start, k->total[sum], sum_of(k, sum));
    k->sum[sum] = NULL;
}

/* Stores what a pixel has come to in every row and vector. */
static void finish_pixel(tile *k, int64_t pixel)
{
    for (int64_t vector = 0; vector < k->key->vectors; vector++) {
        for (int64_t row = 0; row < k->key->rows; row++) {
            const unsigned sum = sum_at(k, vector, row, pixel);
            fold_sum(k, sum);
            aic_store(k->e, k->total[sum], out_at(k, sum), 0, 4);
        }
    }
}

static LLVMValueRef multiply_add(const tile *k, LLVMValueRef sum, LLVMValueRef image, LLVMValueRef weight)
{
    const aic_family *family = aic_family_of(k->e->target);
    switch (aic_depth_turns(k->key->product)) {
    case 4:
        return family->dot4.emit(k->e, sum, image, weight);
    case 2:
        return family->dot2.emit(k->e, sum, image, weight);
    default:
        return aic_fma(k->e, image, weight, sum);
    }
}

/* What a line is to a row of the tile: the step of its first tap; -1: nothing. */
static int64_t step_of_line(const aic_depth_key *key, int64_t line, int64_t row)
{
    const int64_t number = line - row * key->down / aic_depth_turns(key->product);
    if (number < 0 || number >= aic_depth_steps_down(key, row)) {
        return -1;
    }
    return (key->starts ? 1 : 0) + aic_depth_steps_before(key, row) + number * key->kw;
}

static LLVMValueRef weight_of(tile *k, int64_t vector, int64_t step)
{
    LLVMValueRef *weight = &k->weight[vector][step];
    if (*weight == NULL) {
        const unsigned turns = (unsigned)aic_depth_turns(k->key->product);
        LLVMTypeRef type = turns == 4   ? aic_vector(k->e->i8, turns * k->lanes)
                           : turns == 2 ? aic_vector(k->e->i16, turns * k->lanes)
                                        : k->sum_type;
        *weight = aic_load(k->e, type, panel_of(k, vector), step * k->step_bytes, 4);
    }
    return *weight;
}

/* Columns of a step, counted from the first one that its first pixel sees: the last one; the first one that steps
 * before it have not added. */
static int64_t last_column(const tile *k)
{
    return (k->columns - 1) * k->key->across + (k->key->kw - 1) * k->key->dilation;
}

static int64_t first_column(const tile *k)
{
    const aic_depth_key *key = k->key;
    return k->first || !key->carries ? 0 : aic_most((key->kw - 1) * key->dilation - key->across + 1, 0);
}

/* Whether such a column lies in the image. */
static bool is_inside(const tile *k, int64_t column)
{
    return (!k->first || column >= k->key->left) && (!k->last || column <= last_column(k) - k->key->right);
}

/* Elements of a row in such a column, of all vectors. */
static LLVMValueRef load_element(const tile *k, int64_t row, int64_t column)
{
    const unsigned bytes = element_bytes(k->key);
    LLVMTypeRef type = elements_type(k->e, k->key, k->lanes * (unsigned)k->key->vectors / (unsigned)k->key->times);
    if (row >= aic_depth_reach(k->key)) {
        return LLVMConstNull(type); /* their weights are 0 */
    }
    if (!is_inside(k, column)) {
        return aic_load(k->e, type, k->padding, 0, bytes);
    }
    return aic_load(k->e, type, aic_at(k->e, k->row[row], k->at), (column - k->key->left) * AIC_DEPTH_BLOCK, bytes);
}

/* Every lane of a register of sums as often as outputs see it. */
static LLVMValueRef repeated(const tile *k, LLVMValueRef image)
{
    unsigned from[AIC_LANES_MAX];
    LLVMTypeRef type = LLVMTypeOf(image);
    if (k->key->times == 1) {
        return image;
    }
    if (has_turns(k->key)) {
        image = LLVMBuildBitCast(k->e->builder, image, aic_vector(k->e->i32, k->lanes / (unsigned)k->key->times), "");
    }
    for (unsigned i = 0; i < k->lanes; i++) {
        from[i] = i / (unsigned)k->key->times;
    }
    image = aic_permute(k->e, image, from, k->lanes);
    return has_turns(k->key)
               ? LLVMBuildBitCast(
                     k->e->builder, image,
                     aic_vector(LLVMGetElementType(type), LLVMGetVectorSize(type) * (unsigned)k->key->times), "")
               : image;
}

/* A line of every channel in such a column, vector by vector. */
static void load_image(const tile *k, int64_t line, int64_t column, LLVMValueRef image[AIC_DEPTH_VECTORS])
{
    aic_emit *e = k->e;
    const unsigned turns = (unsigned)aic_depth_turns(k->key->product);
    LLVMValueRef element[TURNS_MAX];
    for (unsigned i = 0; i < turns; i++) {
        element[i] = load_element(k, line * turns + i, column);
    }
    if (k->key->product != AIC_PRODUCT_QUAD) {
        image[0] = repeated(k, extended(e, k->key, has_turns(k->key) ? in_turns(e, element, turns) : element[0]));
        return;
    }
    const unsigned lanes = k->lanes / (unsigned)k->key->times;
    for (unsigned vector = 0; vector < (unsigned)k->key->vectors; vector++) {
        LLVMValueRef quads = repeated(k, in_quads(e, element, vector * lanes, lanes));
        LLVMValueRef offset = aic_const_int(LLVMTypeOf(quads), INT8_MIN);
        image[vector] = k->key->starts ? LLVMBuildXor(e->builder, quads, offset, "") : quads;
    }
}

/* Adds the products of a line in an image column with a kernel column to the sums of a pixel. */
static void emit_tap(tile *k, int64_t line, const LLVMValueRef *image, int64_t kw, int64_t pixel)
{
    for (int64_t vector = 0; vector < k->key->vectors; vector++) {
        for (int64_t row = 0; row < k->key->rows; row++) {
            const int64_t step = step_of_line(k->key, line, row);
            const unsigned sum = sum_at(k, vector, row, pixel);
            if (step >= 0) {
                k->sum[sum] = multiply_add(k, sum_of(k, sum), image[vector], weight_of(k, vector, step + kw));
            }
        }
    }
}

/* Adds the products of the kernel columns first .. end - 1 with a line, column by column of the image. */
static void emit_taps(tile *k, int64_t line, int64_t first, int64_t end)
{
    const aic_depth_key *key = k->key;
    const bool last = line == aic_depth_lines(key) - 1;
    memset(k->weight, 0, sizeof k->weight);
    for (int64_t column = first_column(k); column <= last_column(k); column++) {
        LLVMValueRef image[AIC_DEPTH_VECTORS] = {NULL};
        for (int64_t kw = first; kw < end; kw++) {
            const int64_t before = column - kw * key->dilation, pixel = before / key->across;
            if (before < 0 || before % key->across != 0 || pixel >= k->pixels) {
                continue;
            }
            if (image[0] == NULL) {
                load_image(k, line, column, image);
            }
            emit_tap(k, line, image, kw, pixel);
            if (last && kw == key->kw - 1) {
                finish_pixel(k, pixel);
            }
        }
    }
}

/* Where the order is fixed, sums are folded behind every 16 taps; tiles of several blocks have one row. */
static void emit_line(tile *k, int64_t line)
{
    const int64_t kw = k->key->kw, done = line * kw, together = k->key->together;
    const bool cube = k->key->sum == AIC_SUM_CUBE && k->key->kh * kw > CUBE_TAPS;
    for (int64_t first = 0, end; first < kw; first = end) {
        end = aic_least(first + together, kw);
        end = cube ? aic_least(end, first + CUBE_TAPS - (done + first) % CUBE_TAPS) : end;
        emit_taps(k, line, first, end);
        for (unsigned i = 0; cube && (done + end) % CUBE_TAPS == 0 && i < k->pixels; i++) {
            fold_sum(k, i);
        }
    }
}

/* What steps pass on: where their first pixel's results are; bytes from a row's start to that pixel, padding apart; the
 * sums of pixels that they begin and do not finish. */
enum { STEP_OUT, STEP_AT, STEP_SUMS };

static unsigned carried_sums(const aic_depth_key *key)
{
    return (unsigned)(key->vectors * key->rows * aic_depth_open(key));
}

/* The current vectors of channels of `columns` pixels of every row. */
static void emit_step(const tile *tile_of, int64_t columns, bool first, bool last, LLVMValueRef *passed)
{
    tile k = *tile_of;
    const unsigned open = (unsigned)aic_depth_open(k.key), sums = carried_sums(k.key);
    k.columns = (unsigned)columns;
    k.pixels = last ? k.columns : k.columns + open;
    k.first = first;
    k.last = last;
    k.out = passed[STEP_OUT];
    k.at = passed[STEP_AT];
    aic_limit("sums of a tile", (unsigned)(k.key->vectors * k.key->rows) * k.pixels, AIC_CARRIED_MAX);
    for (unsigned i = 0; i < sums && !first; i++) {
        if (i % open < k.pixels) { /* there may be fewer pixels than the step before has begun */
            k.sum[i / open * k.pixels + i % open] = passed[STEP_SUMS + i];
        }
    }
    for (int64_t line = 0; line < aic_depth_lines(k.key); line++) {
        emit_line(&k, line);
    }
    for (unsigned i = 0; i < sums && !last; i++) {
        passed[STEP_SUMS + i] = sum_of(&k, i / open * k.pixels + k.columns + i % open);
    }
    passed[STEP_OUT] = aic_at_const(k.e, k.out, columns * ROW_BYTES);
    passed[STEP_AT] = aic_add(k.e, k.at, aic_int(k.e, columns * k.key->across * AIC_DEPTH_BLOCK));
}

/* The current vectors of channels of all pixels. */
static void emit_steps(const tile *k, LLVMValueRef out)
{
    aic_emit *e = k->e;
    const aic_depth_key *key = k->key;
    const bool only = key->rest == 0 && !key->middle;
    LLVMValueRef passed[AIC_CARRIED_MAX] = {[STEP_OUT] = out, [STEP_AT] = aic_int(e, 0)};
    if (only || key->left > 0 || key->carries) {
        emit_step(k, key->columns, true, only, passed);
    }
    if (key->middle) {
        aic_loop steps;
        aic_loop_begin(e, &steps, "step: pixels that are neighbours", aic_int(e, 0), aic_trips(e, "middle"), 1, passed,
                       STEP_SUMS + carried_sums(key));
        emit_step(k, key->columns, false, false, passed);
        aic_loop_end(e, &steps);
    }
    if (key->rest > 0) {
        emit_step(k, key->rest, false, true, passed);
    }
}

/* Where in a pixel an output's channel is. */
static LLVMValueRef channel_bytes(aic_emit *e, const aic_depth_key *key, LLVMValueRef channel)
{
    LLVMValueRef seen = key->times == 1 ? channel : LLVMBuildUDiv(e->builder, channel, aic_int(e, key->times), "");
    return aic_mul(e, seen, element_bytes(key));
}

/* The rows of the image that a group sees, at its channels. */
static void load_rows(tile *k, LLVMValueRef band, LLVMValueRef channels)
{
    for (int64_t i = 0; i < aic_depth_reach(k->key); i++) {
        LLVMValueRef row = aic_load(k->e, k->e->ptr, aic_at_nth(k->e, band, "row", i), 0, AIC_DEPTH_POINTER);
        k->row[i] = aic_at(k->e, row, channels);
    }
}

/* Rows of the output that are computed together, vector by vector of channels, or two at a time. From block to block it
 * goes by additions, as products with numbers take registers, which have to be saved. */
static void emit_rows(const tile *tile_of, LLVMValueRef out, LLVMValueRef band, LLVMValueRef panel)
{
    tile k = *tile_of;
    aic_emit *e = k.e;
    const aic_depth_key *key = k.key;
    const int64_t count = aic_depth_blocks(key);
    LLVMValueRef at[] = {out, panel};
    aic_loop blocks, vectors;
    aic_loop_begin(e, &blocks, "block: blocks of channels", aic_int(e, 0), aic_int(e, count), key->vectors, at, 2);
    aic_loop_begin(e, &vectors, "channel: vectors of a block", aic_int(e, 0), aic_int(e, COLUMNS), k.lanes, NULL, 0);
    LLVMValueRef channel = aic_add(e, aic_mul(e, blocks.index, COLUMNS), vectors.index);
    LLVMValueRef channels = channel_bytes(e, key, channel);
    load_rows(&k, band, channels);
    k.padding = aic_at(e, k.padding, channels);
    k.panel = aic_at(e, at[1], aic_mul(e, vectors.index, k.step_bytes / COLUMNS));
    emit_steps(&k, aic_at(e, at[0], aic_mul(e, vectors.index, AIC_SUM_BYTES)));
    aic_loop_end(e, &vectors);
    for (int64_t i = 0; i < key->vectors && key->vectors < count; i++) {
        at[0] = aic_behind(e, at[0], "out.block");
        at[1] = aic_behind(e, at[1], "block.panel");
    }
    aic_loop_end(e, &blocks);
}

LLVMValueRef aic_emit_part_depth_tile(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"out", "band", "panel", "private"};
    const aic_depth_key *key = of;
    tile k = {.e = e, .key = key, .lanes = (unsigned)key->lanes};
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 4, 0);
    aic_note_function(e, "tile of %lld x %lld pixels at a time, of channels that see one channel each",
                      (long long)key->rows, (long long)key->columns);
    k.total_type = aic_vector(has_turns(key) ? e->i32 : e->f32, k.lanes);
    k.sum_type = key->sum == AIC_SUM_CUBE ? aic_vector(e->f64, k.lanes) : k.total_type;
    k.step_bytes = COLUMNS * (key->sum == AIC_SUM_CUBE ? 8 : 4);
    k.padding = key->outer ? aic_at(e, aic_emit_param(e, 3), aic_number(e, "padding.at")) : aic_emit_param(e, 3);
    LLVMValueRef at[] = {aic_emit_param(e, 0), aic_emit_param(e, 1)};
    aic_loop groups;
    aic_loop_begin(e, &groups, "group: rows of the output", aic_int(e, 0), aic_trips(e, "groups"), 1, at, 2);
    emit_rows(&k, at[0], at[1], aic_emit_param(e, 2));
    at[0] = aic_behind(e, at[0], "group.out");
    at[1] = aic_behind(e, at[1], "group.band");
    aic_loop_end(e, &groups);
    if (key->after > 0) {
        aic_depth_key after = *key;
        after.rows = key->after;
        k.key = &after;
        emit_rows(&k, at[0], at[1], aic_emit_param(e, 2));
    }
    return aic_emit_function_end(e);
}

/* ---- the image ---- */

/* Fills the row of padding. */
static void emit_padding(aic_emit *e, const aic_depth_key *key, LLVMValueRef padding)
{
    const int64_t value = key->dtype == AIC_INT8 ? (int64_t)key->pad : (int64_t)aic_half_from_double(key->pad);
    aic_loop loop;
    aic_loop_begin(e, &loop, "pad: bytes of padding", aic_int(e, 0), aic_trips(e, "padding.bytes"), AIC_DEPTH_BLOCK,
                   NULL, 0);
    aic_store(e, aic_const_int(elements_type(e, key, AIC_DEPTH_BLOCK / element_bytes(key)), value),
              aic_at(e, padding, loop.index), 0, element_bytes(key));
    aic_loop_end(e, &loop);
}

LLVMValueRef aic_emit_part_depth_image(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"band", "image", "first", "rows"};
    const aic_depth_key *key = of;
    aic_loop rows;
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 2, 2);
    aic_note_function(e, "points to rows of the image, image row `first` at the top");
    LLVMValueRef band = aic_emit_param(e, 0), padding = NULL;
    if (key->outer) {
        padding = aic_behind(e, band, "padding.at");
        emit_padding(e, key, padding);
    }
    aic_loop_over(e, &rows, "row: rows of the band", aic_emit_param(e, 3));
    LLVMValueRef h = aic_add(e, aic_emit_param(e, 2), rows.index);
    LLVMValueRef row = aic_at(e, aic_emit_param(e, 1), aic_scaled(e, h, "image.row"));
    if (key->outer) {
        LLVMValueRef inside = LLVMBuildICmp(e->builder, LLVMIntULT, h, aic_number(e, "image.rows"), "");
        row = LLVMBuildSelect(e->builder, inside, row, padding, "");
    }
    aic_store(e, row, aic_at(e, band, aic_mul(e, rows.index, AIC_DEPTH_POINTER)), 0, AIC_DEPTH_POINTER);
    aic_loop_end(e, &rows);
    return aic_emit_function_end(e);
}

/* ---- the weights ---- */

/* Elements of 16 channels of a tap; 0 where the kernel has no such row. */
static LLVMValueRef load_tap(aic_emit *e, const aic_depth_key *key, const LLVMValueRef *tap, int64_t kh, int64_t kw)
{
    LLVMTypeRef type = elements_type(e, key, COLUMNS);
    return kh < 0 || kh >= key->kh ? LLVMConstNull(type) : aic_load(e, type, tap[kh * key->kw + kw], 0, 1);
}

/* The weights of a reduction step, `steps` down, for a tile's row. */
static LLVMValueRef load_step(aic_emit *e, const aic_depth_key *key, const LLVMValueRef *tap, int64_t row,
                              int64_t steps, int64_t kw)
{
    const int64_t turns = aic_depth_turns(key->product), first = turns * steps - aic_depth_begin(key, row);
    LLVMValueRef element[TURNS_MAX];
    for (int64_t i = 0; i < turns; i++) {
        element[i] = load_tap(e, key, tap, first + i, kw);
    }
    return extended(e, key, turns > 1 ? in_turns(e, element, (unsigned)turns) : element[0]);
}

/* What sums of an image that is 128 too large start from: -128 times the sum of the weights. */
static LLVMValueRef starts_of(aic_emit *e, const aic_depth_key *key, const LLVMValueRef *tap)
{
    LLVMTypeRef type = aic_vector(e->i32, COLUMNS);
    LLVMValueRef sum = LLVMConstNull(type);
    for (int64_t i = 0; i < key->kh * key->kw; i++) {
        LLVMValueRef weight = load_tap(e, key, tap, i / key->kw, i % key->kw);
        sum = LLVMBuildAdd(e->builder, sum, LLVMBuildSExt(e->builder, weight, type, ""), "");
    }
    return LLVMBuildMul(e->builder, sum, aic_const_int(type, INT8_MIN), "");
}

/* 16 channels of a panel. */
static void emit_weights(aic_emit *e, const aic_depth_key *key, LLVMValueRef target, LLVMValueRef source)
{
    enum { TAPS = AIC_DEPTH_SIDE * AIC_DEPTH_SIDE };
    LLVMValueRef tap[TAPS] = {NULL};
    const int64_t bytes = COLUMNS * (key->sum == AIC_SUM_CUBE ? 8 : 4);
    int64_t step = 0;
    aic_limit("taps of a kernel", (unsigned)(key->kh * key->kw), TAPS);
    for (int64_t i = 0; i < key->kh * key->kw; i++) {
        tap[i] = i == 0 ? source : aic_at(e, tap[i - 1], aic_number(e, "tap.weights"));
    }
    if (key->starts) {
        aic_store(e, starts_of(e, key, tap), target, step++ * bytes, 4);
    }
    for (int64_t row = 0; row < aic_depth_sets(key); row++) {
        for (int64_t down = 0; down < aic_depth_steps_down(key, row); down++) {
            for (int64_t kw = 0; kw < key->kw; kw++) {
                aic_store(e, load_step(e, key, tap, row, down, kw), target, step++ * bytes, 4);
            }
        }
    }
}

LLVMValueRef aic_emit_part_depth_weights(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"packed", "weight", "first", "last"};
    const aic_depth_key *key = of;
    const int64_t bytes = COLUMNS * (key->sum == AIC_SUM_CUBE ? 8 : 4),
                  steps = aic_depth_steps(key) + (key->starts ? 1 : 0);
    aic_loop panels, blocks;
    aic_emit_function(e, name, AIC_EMIT_FRAME, PARAMS, 2, 2);
    aic_note_function(e, "packs panels first .. last-1 of the weight");
    aic_loop_begin(e, &panels, "panel: panels of output channels", aic_emit_param(e, 2), aic_emit_param(e, 3), 1, NULL,
                   0);
    LLVMValueRef target = aic_at(e, aic_emit_param(e, 0), aic_scaled(e, panels.index, "panel.bytes"));
    LLVMValueRef source = aic_at(e, aic_emit_param(e, 1), aic_scaled(e, panels.index, "panel.weights"));
    aic_loop_over(e, &blocks, "block: blocks of channels", aic_trips(e, "blocks"));
    emit_weights(e, key, aic_at(e, target, aic_mul(e, blocks.index, steps * bytes)),
                 aic_at(e, source, aic_mul(e, blocks.index, (int64_t)COLUMNS * element_bytes(key))));
    aic_loop_end(e, &blocks);
    aic_loop_end(e, &panels);
    return aic_emit_function_end(e);
}
