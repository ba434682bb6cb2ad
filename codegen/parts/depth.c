/* Depthwise contractions: see depth.h. */
#include "codegen/parts/depth.h"
#include "codegen/family/family.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/sums.h"
#include "frontend/numeric/half.h"

enum { COLUMNS = AIC_BLOCK_COLUMNS, ROW_BYTES = AIC_BLOCK_COLUMNS * AIC_SUM_BYTES };

/* Taps of a kernel row whose weights are in registers together; and of a block of the fixed order. */
enum { TAPS_TOGETHER = 3, CUBE_TAPS = 16 };

static bool has_turns(const aic_depth_key *key)
{
    return aic_depth_turns(key->product) > 1;
}

/* The integer type of an element in memory, and its bytes. */
static unsigned element_bytes(const aic_depth_key *key)
{
    return (unsigned)aic_dtype_size((aic_dtype)key->dtype);
}

static LLVMTypeRef elements_type(aic_emit *e, const aic_depth_key *key, unsigned count)
{
    return aic_vector(LLVMIntTypeInContext(e->context, 8 * element_bytes(key)), count);
}

/* Whether the band has floats, which are multiplied as doubles. */
static bool has_floats(const aic_depth_key *key)
{
    return key->sum == AIC_SUM_CUBE;
}

static LLVMValueRef doubles(aic_emit *e, LLVMValueRef floats)
{
    return LLVMBuildFPExt(e->builder, floats, aic_vector(e->f64, LLVMGetVectorSize(LLVMTypeOf(floats))), "");
}

/* Elements in memory as they are multiplied: pairs of int16, floats or doubles. */
static LLVMValueRef extended(aic_emit *e, const aic_depth_key *key, LLVMValueRef elements)
{
    if (has_turns(key)) {
        LLVMTypeRef words = aic_vector(e->i16, LLVMGetVectorSize(LLVMTypeOf(elements)));
        return LLVMBuildSExt(e->builder, elements, words, "");
    }
    LLVMValueRef floats = aic_half_to_float(e, elements);
    return has_floats(key) ? doubles(e, floats) : floats;
}

/* Of a pixel in the band. */
static int64_t pixel_bytes(const aic_depth_key *key)
{
    return (has_floats(key) ? 2 : aic_depth_turns(key->product)) * AIC_DEPTH_BLOCK;
}

/* ---- tiles ---- */

typedef struct tile {
    aic_emit *e;
    const aic_depth_key *key;
    unsigned lanes, columns, sums; /* sums: of a step across, rows x columns */
    int64_t pixel_bytes, step_bytes;
    LLVMTypeRef sum_type, total_type;
    LLVMValueRef out, band, panel; /* of the step's first pixel, in the current vector */
    LLVMValueRef sum[AIC_CARRIED_MAX], total[AIC_CARRIED_MAX];
} tile;

static LLVMValueRef out_at(const tile *k, unsigned i)
{
    const unsigned row = i / k->columns, column = i % k->columns;
    LLVMValueRef at = row == 0 ? k->out : aic_at(k->e, k->out, aic_number(k->e, "out.%u", row));
    return aic_at_const(k->e, at, (int64_t)column * ROW_BYTES);
}

static void begin_sums(tile *k)
{
    for (unsigned i = 0; i < k->sums; i++) {
        k->total[i] = k->key->accumulate == AIC_TILE_FROM_ZERO ? aic_zero(k->total_type)
                                                               : aic_load(k->e, k->total_type, out_at(k, i), 0, 4);
        k->sum[i] = k->key->sum == AIC_SUM_FAST ? k->total[i] : aic_zero(k->sum_type);
    }
}

static void fold_sums(tile *k)
{
    for (unsigned i = 0; i < k->sums; i++) {
        k->total[i] =
            aic_sum_fold(k->e, (aic_sum)k->key->sum, (aic_tile_start)k->key->accumulate, k->total[i], k->sum[i]);
        k->sum[i] = aic_zero(k->sum_type);
    }
}

static LLVMValueRef multiply_add(const tile *k, LLVMValueRef sum, LLVMValueRef image, LLVMValueRef weight)
{
    return has_turns(k->key) ? aic_family_of(k->e->target)->dot2.emit(k->e, sum, image, weight)
                             : aic_fma(k->e, image, weight, sum);
}

/* What a line is to a row of the tile: the steps down of the kernel's first column; -1: nothing. */
static int64_t steps_of_line(const aic_depth_key *key, int64_t line, int64_t row)
{
    const int64_t turns = aic_depth_turns(key->product), at = row * key->down % turns;
    const int64_t number = line - row * key->down / turns;
    if (number < 0 || number >= aic_depth_steps_down(key, at)) {
        return -1;
    }
    return at == 0 ? number : aic_depth_steps_down(key, 0) + number;
}

static LLVMValueRef load_weight(const tile *k, int64_t step)
{
    LLVMTypeRef type = has_turns(k->key) ? aic_vector(k->e->i16, 2 * k->lanes) : k->sum_type;
    return aic_load(k->e, type, k->panel, step * k->step_bytes, 4);
}

/* Element number `column` of a line, counted from the step's first pixel, of every channel. */
static LLVMValueRef load_image(const tile *k, int64_t line, int64_t column)
{
    const unsigned bytes = element_bytes(k->key), turns = (unsigned)aic_depth_turns(k->key->product);
    LLVMValueRef at = line == 0 ? k->band : aic_at(k->e, k->band, aic_number(k->e, "line.%lld", (long long)line));
    if (has_floats(k->key)) {
        LLVMTypeRef floats = aic_vector(k->e->f32, k->lanes);
        return doubles(k->e, aic_load(k->e, floats, at, column * k->pixel_bytes, sizeof(float)));
    }
    LLVMTypeRef type = elements_type(k->e, k->key, turns * k->lanes);
    return extended(k->e, k->key, aic_load(k->e, type, at, column * k->pixel_bytes, bytes));
}

/* Adds the products of the kernel columns first .. end - 1 with a line, column by column of the band. */
static void emit_taps(tile *k, int64_t line, int64_t first, int64_t end)
{
    const aic_depth_key *key = k->key;
    LLVMValueRef weight[AIC_DEPTH_ROWS][AIC_DEPTH_SIDE] = {{NULL}};
    for (int64_t row = 0; row < key->rows; row++) {
        const int64_t step = steps_of_line(key, line, row);
        for (int64_t kw = first; kw < end && step >= 0; kw++) {
            weight[row][kw] = load_weight(k, step * key->kw + kw);
        }
    }
    for (int64_t column = first; column < (k->columns - 1) * key->across + end; column++) {
        LLVMValueRef image = NULL;
        for (int64_t kw = first; kw < end; kw++) {
            const int64_t pixel = (column - kw) / key->across;
            if (column < kw || (column - kw) % key->across != 0 || pixel >= k->columns) {
                continue;
            }
            image = image == NULL ? load_image(k, line, column) : image;
            for (int64_t row = 0; row < key->rows; row++) {
                LLVMValueRef *sum = &k->sum[row * k->columns + pixel];
                *sum = weight[row][kw] == NULL ? *sum : multiply_add(k, *sum, image, weight[row][kw]);
            }
        }
    }
}

/* Where the order is fixed, sums are folded behind every 16 taps; tiles of several blocks have one row. */
static void emit_line(tile *k, int64_t line)
{
    const int64_t kw = k->key->kw, done = line * kw;
    const bool cube = k->key->sum == AIC_SUM_CUBE && k->key->kh * kw > CUBE_TAPS;
    for (int64_t first = 0, end; first < kw; first = end) {
        end = aic_least(first + TAPS_TOGETHER, kw);
        end = cube ? aic_least(end, first + CUBE_TAPS - (done + first) % CUBE_TAPS) : end;
        emit_taps(k, line, first, end);
        if (cube && (done + end) % CUBE_TAPS == 0) {
            fold_sums(k);
        }
    }
}

/* One vector of channels of the pixels of a step. */
static void emit_vector(tile *k)
{
    begin_sums(k);
    for (int64_t line = 0; line < aic_depth_lines(k->key, k->key->rows); line++) {
        emit_line(k, line);
    }
    fold_sums(k);
    for (unsigned i = 0; i < k->sums; i++) {
        aic_store(k->e, k->total[i], out_at(k, i), 0, 4);
    }
}

/* `columns` pixels of every row, vector by vector. */
static void emit_step(const tile *tile_of, int64_t columns, LLVMValueRef out, LLVMValueRef band)
{
    tile k = *tile_of;
    aic_emit *e = k.e;
    const int64_t bytes = k.pixel_bytes * element_bytes(k.key) / AIC_DEPTH_BLOCK; /* of a channel in the band */
    aic_loop blocks, vectors;
    k.columns = (unsigned)columns;
    k.sums = (unsigned)(k.key->rows * columns);
    aic_limit("sums of a tile", k.sums, AIC_CARRIED_MAX);
    aic_loop_begin(e, &blocks, "block: blocks of channels", aic_int(e, 0), aic_trips(e, "blocks"), 1, NULL, 0);
    out = aic_at(e, out, aic_times(e, blocks.index, aic_number(e, "out.block")));
    band = aic_at(e, band, aic_mul(e, blocks.index, COLUMNS * bytes));
    LLVMValueRef panel = aic_at(e, tile_of->panel, aic_mul(e, blocks.index, aic_depth_steps(k.key) * k.step_bytes));
    aic_loop_begin(e, &vectors, "channel: vectors of a block", aic_int(e, 0), aic_int(e, COLUMNS), k.lanes, NULL, 0);
    k.out = aic_at(e, out, aic_mul(e, vectors.index, AIC_SUM_BYTES));
    k.band = aic_at(e, band, aic_mul(e, vectors.index, bytes));
    k.panel = aic_at(e, panel, aic_mul(e, vectors.index, k.step_bytes / COLUMNS));
    emit_vector(&k);
    aic_loop_end(e, &vectors);
    aic_loop_end(e, &blocks);
}

LLVMValueRef aic_emit_part_depth_tile(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"out", "band", "panel", "taps"};
    const aic_depth_key *key = of;
    const LLVMTypeRef word = has_turns(key) ? e->i32 : e->f32;
    tile k = {.e = e, .key = key, .lanes = (unsigned)key->lanes};
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 4, 0);
    aic_note_function(e, "tile of %lld rows, %lld columns at a time, of channels that see one channel each",
                      (long long)key->rows, (long long)key->columns);
    LLVMValueRef function = e->function, at[] = {aic_emit_param(e, 0), aic_emit_param(e, 1)};
    k.panel = aic_emit_param(e, 2);
    k.total_type = aic_vector(word, k.lanes);
    k.sum_type = key->sum == AIC_SUM_CUBE ? aic_vector(e->f64, k.lanes) : k.total_type;
    k.step_bytes = COLUMNS * (key->sum == AIC_SUM_CUBE ? 8 : 4);
    k.pixel_bytes = pixel_bytes(key);
    aic_loop steps;
    aic_loop_begin(e, &steps, "step: pixels that are neighbours", aic_int(e, 0), aic_trips(e, "steps"), 1, at, 2);
    emit_step(&k, key->columns, at[0], at[1]);
    at[0] = aic_at_const(e, at[0], key->columns * ROW_BYTES);
    at[1] = aic_at_const(e, at[1], key->columns * key->across * k.pixel_bytes);
    aic_loop_end(e, &steps);
    if (key->rest > 0) {
        emit_step(&k, key->rest, at[0], at[1]);
    }
    aic_emit_function_end(e);
    return function;
}

/* ---- the image ---- */

typedef struct packer {
    aic_emit *e;
    const aic_depth_key *key;
    LLVMValueRef image;
} packer;

/* A pixel of padding, of one row, as the image has it. */
static LLVMValueRef padding(const packer *p)
{
    const int64_t value = has_turns(p->key) ? (int64_t)p->key->pad : (int64_t)aic_half_from_double(p->key->pad);
    return aic_const_int(elements_type(p->e, p->key, AIC_DEPTH_BLOCK / element_bytes(p->key)), value);
}

static LLVMValueRef load_pixel(const packer *p, LLVMValueRef at)
{
    const unsigned bytes = element_bytes(p->key);
    return aic_load(p->e, elements_type(p->e, p->key, AIC_DEPTH_BLOCK / bytes), at, 0, bytes);
}

/* Stores a pixel of one row as the band has it. */
static void store_pixel(const packer *p, LLVMValueRef pixel, LLVMValueRef at)
{
    aic_store(p->e, has_floats(p->key) ? aic_half_to_float(p->e, pixel) : pixel, at, 0, element_bytes(p->key));
}

/* Stores so many bytes of padding, whole pixels of one row. */
static void fill(const packer *p, LLVMValueRef target, const char *bytes)
{
    aic_emit *e = p->e;
    const int64_t step = has_floats(p->key) ? pixel_bytes(p->key) : AIC_DEPTH_BLOCK;
    aic_loop loop;
    aic_loop_begin(e, &loop, "pad: bytes of padding", aic_int(e, 0), aic_trips(e, bytes), step, NULL, 0);
    store_pixel(p, padding(p), aic_at(e, target, loop.index));
    aic_loop_end(e, &loop);
}

static LLVMValueRef is_inside(const packer *p, LLVMValueRef h)
{
    return LLVMBuildICmp(p->e->builder, LLVMIntULT, h, aic_number(p->e, "image.rows"), "");
}

static LLVMValueRef image_row(const packer *p, LLVMValueRef h)
{
    aic_emit *e = p->e;
    return aic_at(e, p->image, aic_times(e, h, aic_number(e, "image.row")));
}

/* The columns of a line that lie outside of the image, where its rows may lie inside. */
static void fill_borders(const packer *p, LLVMValueRef line)
{
    if (p->key->left) {
        fill(p, line, "left.bytes");
    }
    if (p->key->right) {
        fill(p, aic_at(p->e, line, aic_number(p->e, "right.at")), "right.bytes");
    }
}

static LLVMValueRef first_inside(const packer *p, LLVMValueRef line)
{
    return p->key->left ? aic_at(p->e, line, aic_number(p->e, "left.bytes")) : line;
}

/* A line of one row of the image. */
static void emit_row(const packer *p, LLVMValueRef line, LLVMValueRef h)
{
    aic_emit *e = p->e;
    const int64_t pixels = p->key->pixels;
    aic_branch branch;
    aic_loop loop;
    if (p->key->outer) {
        aic_branch_begin(e, &branch, LLVMBuildNot(e->builder, is_inside(p, h), ""));
        fill(p, line, "line.bytes");
        aic_branch_end(e, &branch);
    }
    aic_branch_begin(e, &branch, is_inside(p, h));
    fill_borders(p, line);
    LLVMValueRef source = image_row(p, h), target = first_inside(p, line);
    aic_loop_begin(e, &loop, "pixel: pixels of the row", aic_int(e, 0), aic_trips(e, "inside"), pixels, NULL, 0);
    source = aic_at(e, source, aic_mul(e, loop.index, AIC_DEPTH_BLOCK));
    target = aic_at(e, target, aic_mul(e, loop.index, pixel_bytes(p->key)));
    for (int64_t i = 0; i < pixels; i++) {
        store_pixel(p, load_pixel(p, aic_at_const(e, source, i * AIC_DEPTH_BLOCK)),
                    aic_at_const(e, target, i * pixel_bytes(p->key)));
    }
    aic_loop_end(e, &loop);
    aic_branch_end(e, &branch);
}

/* One of two rows that lie in turns: its address, or that of another row where it lies outside of the image, and what
 * the pixel of that one becomes: pixel & keep | instead. */
typedef struct turn {
    LLVMValueRef source, keep, instead;
} turn;

static turn turn_of(const packer *p, LLVMValueRef h)
{
    aic_emit *e = p->e;
    if (!p->key->outer) {
        return (turn){image_row(p, h), NULL, NULL};
    }
    LLVMValueRef last = aic_number(e, "image.last");
    LLVMValueRef bits = LLVMBuildSExt(e->builder, is_inside(p, h), e->i8, "");
    LLVMValueRef keep = aic_splat(e, bits, AIC_DEPTH_BLOCK);
    LLVMValueRef instead = LLVMBuildAnd(e->builder, LLVMBuildNot(e->builder, keep, ""), padding(p), "");
    return (turn){image_row(p, aic_max(e, aic_min(e, h, last), aic_int(e, 0))), keep, instead};
}

static LLVMValueRef load_turn(const packer *p, const turn *t, LLVMValueRef offset)
{
    aic_emit *e = p->e;
    LLVMValueRef pixel = load_pixel(p, aic_at(e, t->source, offset));
    if (t->keep == NULL) {
        return pixel;
    }
    return LLVMBuildOr(e->builder, LLVMBuildAnd(e->builder, pixel, t->keep, ""), t->instead, "");
}

/* A line of two rows of the image, in turns. */
static void emit_turns(const packer *p, LLVMValueRef line, LLVMValueRef h)
{
    aic_emit *e = p->e;
    const turn upper = turn_of(p, h), lower = turn_of(p, aic_add(e, h, aic_int(e, 1)));
    LLVMValueRef target = first_inside(p, line), order[2 * AIC_DEPTH_BLOCK];
    aic_loop loop;
    for (unsigned i = 0; i < 2 * AIC_DEPTH_BLOCK; i++) {
        order[i] = LLVMConstInt(e->i32, i / 2 + i % 2 * AIC_DEPTH_BLOCK, false);
    }
    fill_borders(p, line);
    aic_loop_begin(e, &loop, "pixel: pixels of the rows", aic_int(e, 0), aic_trips(e, "inside"), 1, NULL, 0);
    LLVMValueRef offset = aic_mul(e, loop.index, AIC_DEPTH_BLOCK);
    LLVMValueRef both = LLVMBuildShuffleVector(e->builder, load_turn(p, &upper, offset), load_turn(p, &lower, offset),
                                               LLVMConstVector(order, 2 * AIC_DEPTH_BLOCK), "");
    aic_store(e, both, aic_at(e, target, aic_mul(e, offset, 2)), 0, 1);
    aic_loop_end(e, &loop);
}

LLVMValueRef aic_emit_part_depth_image(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"band", "image", "first", "rows"};
    const aic_depth_key *key = of;
    aic_loop lines;
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 2, 2);
    aic_note_function(e, "copies rows of the image into a band, image row `first` at the top");
    LLVMValueRef function = e->function;
    const packer p = {e, key, aic_emit_param(e, 1)};
    aic_loop_begin(e, &lines, "row: rows of the band", aic_int(e, 0), aic_emit_param(e, 3),
                   aic_depth_turns(key->product), NULL, 0);
    LLVMValueRef number = lines.index, h = aic_add(e, aic_emit_param(e, 2), lines.index);
    if (has_turns(key)) {
        number = LLVMBuildLShr(e->builder, number, aic_int(e, 1), "");
    }
    LLVMValueRef line = aic_at(e, aic_emit_param(e, 0), aic_times(e, number, aic_number(e, "line.pitch")));
    (has_turns(key) ? emit_turns : emit_row)(&p, line, h);
    aic_loop_end(e, &lines);
    aic_emit_function_end(e);
    return function;
}

/* ---- the weights ---- */

/* Elements of 16 channels of a tap; 0 where the kernel has no such row. */
static LLVMValueRef load_tap(aic_emit *e, const aic_depth_key *key, const LLVMValueRef *tap, int64_t kh, int64_t kw)
{
    LLVMTypeRef type = elements_type(e, key, COLUMNS);
    return kh < 0 || kh >= key->kh ? LLVMConstNull(type) : aic_load(e, type, tap[kh * key->kw + kw], 0, 1);
}

/* The weights of a reduction step, `steps` down, for tiles' rows that begin at row `at` of a line. */
static LLVMValueRef load_step(aic_emit *e, const aic_depth_key *key, const LLVMValueRef *tap, int64_t at, int64_t steps,
                              int64_t kw)
{
    if (!has_turns(key)) {
        return extended(e, key, load_tap(e, key, tap, steps, kw));
    }
    LLVMValueRef order[2 * COLUMNS];
    for (unsigned i = 0; i < 2 * COLUMNS; i++) {
        order[i] = LLVMConstInt(e->i32, i / 2 + i % 2 * COLUMNS, false);
    }
    LLVMValueRef upper = load_tap(e, key, tap, 2 * steps - at, kw),
                 lower = load_tap(e, key, tap, 2 * steps - at + 1, kw);
    LLVMValueRef both = LLVMBuildShuffleVector(e->builder, upper, lower, LLVMConstVector(order, 2 * COLUMNS), "");
    return extended(e, key, both);
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
    for (int64_t at = 0; at < aic_depth_begins(key); at++) {
        for (int64_t down = 0; down < aic_depth_steps_down(key, at); down++) {
            for (int64_t kw = 0; kw < key->kw; kw++) {
                aic_store(e, load_step(e, key, tap, at, down, kw), target, step++ * bytes, 4);
            }
        }
    }
}

LLVMValueRef aic_emit_part_depth_weights(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"packed", "weight", "first", "last"};
    const aic_depth_key *key = of;
    const int64_t bytes = COLUMNS * (key->sum == AIC_SUM_CUBE ? 8 : 4);
    aic_loop panels, blocks;
    aic_emit_function(e, name, AIC_EMIT_FRAME, PARAMS, 2, 2);
    aic_note_function(e, "packs panels first .. last-1 of the weight");
    LLVMValueRef function = e->function;
    aic_loop_begin(e, &panels, "panel: panels of output channels", aic_emit_param(e, 2), aic_emit_param(e, 3), 1, NULL,
                   0);
    LLVMValueRef target = aic_at(e, aic_emit_param(e, 0), aic_times(e, panels.index, aic_number(e, "panel.bytes")));
    LLVMValueRef source = aic_at(e, aic_emit_param(e, 1), aic_times(e, panels.index, aic_number(e, "panel.weights")));
    aic_loop_begin(e, &blocks, "block: blocks of channels", aic_int(e, 0), aic_trips(e, "blocks"), 1, NULL, 0);
    emit_weights(e, key, aic_at(e, target, aic_mul(e, blocks.index, aic_depth_steps(key) * bytes)),
                 aic_at(e, source, aic_mul(e, blocks.index, (int64_t)COLUMNS * element_bytes(key))));
    aic_loop_end(e, &blocks);
    aic_loop_end(e, &panels);
    aic_emit_function_end(e);
    return function;
}
