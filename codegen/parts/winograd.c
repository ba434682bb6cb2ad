/* Winograd's method: see winograd.h. Sums of few terms run over rows of constant matrices; terms whose factor is 0
 * vanish. */
#include "codegen/parts/winograd.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"

#include <string.h>

enum { SIDE = AIC_WINOGRAD_SIDE, FLOAT_BYTES = 4, WORD_BYTES = 8, ROW_BYTES = 64, COLUMNS = 16, TAPS = 3 };

/* ---- matrices ---- */

/* A row of a matrix of F(m x m, 3 x 3). */
typedef struct matrix_row {
    int64_t m, row;
    int factor[SIDE];
} matrix_row;

#define ROW(m, row, ...) {m, row, {__VA_ARGS__}},

/* A^T, B^T, and G times its denominator. */
static const matrix_row A[] = {
#define AIC_WINOGRAD_A ROW
#include <aic/winograd.def>
#undef AIC_WINOGRAD_A
};

static const matrix_row B[] = {
#define AIC_WINOGRAD_B ROW
#include <aic/winograd.def>
#undef AIC_WINOGRAD_B
};

static const matrix_row G[] = {
#define AIC_WINOGRAD_G ROW
#include <aic/winograd.def>
#undef AIC_WINOGRAD_G
};

static double denominator(int64_t m)
{
    static const double NUMBERS[SIDE] = {
#define AIC_WINOGRAD_DENOMINATOR(m, number) [m] = (number),
#include <aic/winograd.def>
#undef AIC_WINOGRAD_DENOMINATOR
    };
    return NUMBERS[m];
}

static const int *factors(const matrix_row *matrix, int64_t m, int64_t number)
{
    while (matrix->m != m || matrix->row != number) {
        matrix++;
    }
    return matrix->factor;
}

/* Factors times vectors, of which every `by`-th counts, each `step` behind the other. The multiples come last. */
static LLVMValueRef times(aic_emit *e, const int *factor, const LLVMValueRef *vector, int count, int by, int step)
{
    LLVMValueRef sum = NULL;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i += by) {
            const bool alone = factor[i] == 1 || factor[i] == -1;
            LLVMValueRef term = vector[i * step];
            if (factor[i] == 0 || alone != (pass == 0)) {
                continue;
            }
            if (!alone) {
                LLVMValueRef many = aic_const_float(LLVMTypeOf(term), factor[i]);
                sum = sum == NULL ? LLVMBuildFMul(e->builder, many, term, "") : aic_fma(e, many, term, sum);
            } else if (sum == NULL) {
                sum = factor[i] > 0 ? term : LLVMBuildFNeg(e->builder, term, "");
            } else {
                sum = (factor[i] > 0 ? LLVMBuildFAdd : LLVMBuildFSub)(e->builder, sum, term, "");
            }
        }
    }
    return sum;
}

/* Puts m + 2 vectors, a matrix of a row for each point times `count` of them, in their place. Opposite points, numbers
 * 1 and 2, 3 and 4, have the same even part, and odd parts that differ in sign. */
static void to_points(aic_emit *e, const matrix_row *matrix, int64_t m, int count, LLVMValueRef *x, int step)
{
    LLVMValueRef y[SIDE];
    const int last = (int)m + 1;
    y[0] = times(e, factors(matrix, m, 0), x, count, 1, step);
    for (int point = 1; point < last; point += 2) {
        const int *factor = factors(matrix, m, point);
        LLVMValueRef even = times(e, factor, x, count, 2, step);
        LLVMValueRef odd = times(e, &factor[1], &x[step], count - 1, 2, step);
        y[point] = LLVMBuildFAdd(e->builder, even, odd, "");
        y[point + 1] = LLVMBuildFSub(e->builder, even, odd, "");
    }
    y[last] = times(e, factors(matrix, m, last), x, count, 1, step);
    for (int i = 0; i <= last; i++) {
        x[i * step] = y[i];
    }
}

/* Puts A^T times m + 2 vectors, one for each point, in their place. Opposite points count by their sums and their
 * differences. */
static void from_points(aic_emit *e, int64_t m, LLVMValueRef *x, int step)
{
    LLVMValueRef y[SIDE];
    const int count = (int)m + 2;
    for (int i = 1; i + 1 < count; i += 2) {
        LLVMValueRef one = x[i * step], opposite = x[(i + 1) * step];
        x[i * step] = LLVMBuildFAdd(e->builder, one, opposite, "");
        x[(i + 1) * step] = LLVMBuildFSub(e->builder, one, opposite, "");
    }
    for (int row = 0; row < (int)m; row++) {
        int factor[SIDE];
        memcpy(factor, factors(A, m, row), sizeof factor);
        for (int i = 1; i + 1 < count; i += 2) {
            const int one = factor[i], opposite = factor[i + 1];
            factor[i] = (one + opposite) / 2;
            factor[i + 1] = (one - opposite) / 2;
        }
        y[row] = times(e, factor, x, count, 1, step);
    }
    for (int row = 0; row < (int)m; row++) {
        x[row * step] = y[row];
    }
}

/* ---- windows ---- */

/* Whether any lane of the sum is no number. */
static LLVMValueRef any_nan(aic_emit *e, LLVMValueRef sum, unsigned lanes)
{
    LLVMValueRef nan = LLVMBuildFCmp(e->builder, LLVMRealUNO, sum, sum, "");
    LLVMTypeRef bits = LLVMIntTypeInContext(e->context, lanes);
    LLVMValueRef any = LLVMBuildBitCast(e->builder, nan, bits, "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, any, LLVMConstNull(bits), "");
}

/* Loads a window, transforms it, stores its points. What is no finite number in a window makes one of the four corners
 * infinite or NaN, as the first and the last row of B^T have all columns between them: zero times the corners, added
 * up, tells. */
static LLVMValueRef emit_window(aic_emit *e, int64_t m, LLVMValueRef v, LLVMValueRef raw, LLVMTypeRef type,
                                LLVMValueRef sum)
{
    const int side = (int)m + 2, last = side - 1;
    LLVMValueRef x[SIDE * SIDE] = {NULL};
    for (int col = 0; col < side; col++) {
        for (int row = 0; row < side; row++) {
            LLVMValueRef pixel = aic_at_nth(e, raw, "pixel", row * side + col);
            x[row * SIDE + col] = aic_load(e, type, pixel, 0, FLOAT_BYTES);
        }
        to_points(e, B, m, side, &x[col], SIDE);
    }
    for (int row = 0; row < side; row++) {
        to_points(e, B, m, side, &x[row * SIDE], 1);
        for (int col = 0; col < side; col++) {
            aic_store(e, x[row * SIDE + col], aic_at_nth(e, v, "point", row * side + col), 0, FLOAT_BYTES);
        }
    }
    const LLVMValueRef corner[] = {x[0], x[last], x[last * SIDE], x[last * SIDE + last]};
    for (int i = 0; i < 4; i++) {
        sum = aic_fma(e, corner[i], aic_zero(type), sum);
    }
    return sum;
}

LLVMValueRef aic_emit_part_winograd_input(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"at", "raw", "note"};
    const aic_winograd_key *key = of;
    const unsigned lanes = (unsigned)key->lanes;
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 3, 0);
    aic_note_function(e, "transforms a window of %lld x %lld pixels", (long long)key->m + 2, (long long)key->m + 2);
    LLVMTypeRef type = aic_vector(e->f32, lanes);
    LLVMValueRef sum = aic_zero(type);
    aic_loop loop;
    aic_loop_begin(e, &loop, "channel: bytes of a pixel", aic_int(e, 0), aic_trips(e, "channels"),
                   (int64_t)lanes * FLOAT_BYTES, &sum, 1);
    sum = emit_window(e, key->m, aic_at(e, aic_emit_param(e, 0), loop.index),
                      aic_at(e, aic_emit_param(e, 1), loop.index), type, sum);
    aic_loop_end(e, &loop);
    LLVMValueRef bad = LLVMBuildZExt(e->builder, any_nan(e, sum, lanes), e->i64, "");
    aic_store(e, bad, aic_emit_param(e, 2), 0, WORD_BYTES);
    return aic_emit_function_end(e);
}

/* ---- groups ---- */

/* A number of the larger or the smaller groups, "NAME.S", that a loop runs to. */
static LLVMValueRef sized_trips(aic_emit *e, const char *name, int size)
{
    return aic_trips(e, "%s.%d", name, size);
}

/* Transforms the windows of a group, `rows` rows of small tiles. */
static void emit_group(aic_emit *e, LLVMValueRef group, LLVMValueRef raw, LLVMValueRef rows, int size)
{
    aic_loop down, across;
    LLVMValueRef count = sized_trips(e, "across", size), first = aic_behind(e, group, "group.head");
    aic_store(e, aic_int(e, 0), group, AIC_GROUP_TAP * (int64_t)WORD_BYTES, WORD_BYTES);
    aic_store(e, raw, group, AIC_GROUP_BAND * (int64_t)WORD_BYTES, WORD_BYTES);
    aic_loop_over(e, &down, "row: small tiles of a group, down", rows);
    LLVMValueRef row = aic_at_index(e, raw, down.index, "raw.row"), before = aic_times(e, down.index, count);
    aic_loop_over(e, &across, "col: small tiles of a group, across", count);
    LLVMValueRef tile = aic_add(e, before, across.index);
    LLVMValueRef note =
        aic_at_const(e, aic_at(e, group, aic_mul(e, tile, WORD_BYTES)), AIC_GROUP_NOTES * (int64_t)WORD_BYTES);
    LLVMValueRef args[] = {aic_at_index(e, first, tile, "tile.pitch"), aic_at_index(e, row, across.index, "raw.col"),
                           note};
    aic_call_role(e, args, 3, 0, "input");
    aic_loop_end(e, &across);
    aic_loop_end(e, &down);
}

LLVMValueRef aic_emit_part_winograd_image(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"groups", "image", "first", "rows"};
    const aic_winograd_key *key = of;
    aic_emit_function(e, name, AIC_EMIT_FRAME, PARAMS, 2, 2);
    aic_note_function(e, "packs rows of the image and transforms them, image row `first` at the top");
    LLVMBuilderRef b = e->builder;
    LLVMValueRef groups = aic_emit_param(e, 0), m = aic_int(e, key->m);
    LLVMValueRef raw = aic_behind(e, groups, "raw.at");
    LLVMValueRef tiles = LLVMBuildUDiv(b, aic_add(e, aic_emit_param(e, 3), aic_int(e, key->m - 3)), m, "");
    LLVMValueRef packed = aic_add(e, aic_mul(e, tiles, key->m), aic_int(e, 2));
    aic_call_role(e, (LLVMValueRef[]){raw, aic_emit_param(e, 1), aic_emit_param(e, 2), packed}, 2, 2, "rows");
    LLVMValueRef most = aic_number(e, "down"), up = aic_add(e, aic_add(e, tiles, most), aic_int(e, -1));
    aic_loop down;
    aic_loop_over(e, &down, "group: rows of groups", LLVMBuildUDiv(b, up, most, ""));
    LLVMValueRef left = LLVMBuildNSWSub(b, tiles, aic_times(e, down.index, most), "");
    LLVMValueRef row = aic_at_index(e, groups, down.index, "group.row"),
                 from = aic_at_index(e, raw, down.index, "raw.down");
    for (int size = 0; size <= key->small_cols; size++) {
        aic_loop across;
        aic_loop_over(e, &across, "group: groups across", sized_trips(e, "groups", size));
        LLVMValueRef number = size == 0 ? across.index : aic_add(e, across.index, aic_number(e, "groups.0"));
        emit_group(e, aic_at_index(e, row, number, "group.bytes"), aic_at_index(e, from, number, "raw.across"),
                   aic_min(e, left, most), size);
        aic_loop_end(e, &across);
    }
    aic_loop_end(e, &down);
    return aic_emit_function_end(e);
}

/* ---- tiles ---- */

typedef struct tile {
    aic_emit *e;
    const aic_winograd_key *key;
    LLVMValueRef out, group, panel, taps, sums;
} tile;

/* One call of a product. */
static void call_product(const tile *t, const char *role, LLVMValueRef sums, LLVMValueRef at, LLVMValueRef plane)
{
    LLVMValueRef args[] = {sums, at, plane, t->group};
    aic_call_role(t->e, args, 4, 0, "%s", role);
}

/* The products of all points. */
static void emit_products(const tile *t)
{
    aic_emit *e = t->e;
    aic_loop points, blocks;
    LLVMValueRef first = aic_behind(e, t->group, "group.head");
    LLVMValueRef planes = aic_behind(e, t->panel, "planes.at");
    aic_loop_over(e, &points, "point: points of the small tiles", aic_trips(e, "points"));
    LLVMValueRef sums = aic_at_index(e, t->sums, points.index, "sums.point"),
                 from = aic_at_index(e, first, points.index, "point.pitch");
    LLVMValueRef plane = aic_at_index(e, planes, points.index, "plane.bytes");
    aic_loop_over(e, &blocks, "block: products of several small tiles", aic_trips(e, "blocks"));
    call_product(t, "product", aic_at_index(e, sums, blocks.index, "block.sums"),
                 aic_at_index(e, from, blocks.index, "block.tiles"), plane);
    aic_loop_end(e, &blocks);
    if (t->key->rest) {
        call_product(t, "rest", aic_behind(e, sums, "rest.sums"), aic_behind(e, from, "rest.tiles"), plane);
    }
    aic_loop_end(e, &points);
}

/* Direct sums of a small tile whose first results go to `out` and whose window begins at `raw` in the band. */
static void emit_direct(const tile *t, LLVMValueRef out, LLVMValueRef raw)
{
    aic_emit *e = t->e;
    for (int64_t row = 0; row < t->key->m; row++) {
        LLVMValueRef args[] = {aic_at(e, out, aic_mul(e, aic_number(e, "out.row"), row)),
                               aic_at(e, raw, aic_mul(e, aic_number(e, "raw.row"), row)),
                               aic_behind(e, t->panel, "panel.start"), t->taps};
        aic_call_role(e, args, 4, 0, "direct");
    }
}

/* The results of a small tile, by its sums or direct. */
static void emit_result(const tile *t, LLVMValueRef number, LLVMValueRef out, LLVMValueRef raw, LLVMValueRef weights)
{
    aic_emit *e = t->e;
    aic_branch branch;
    LLVMValueRef note = aic_at(e, t->group, aic_mul(e, number, WORD_BYTES));
    note = aic_load(e, e->i64, note, AIC_GROUP_NOTES * (int64_t)WORD_BYTES, WORD_BYTES);
    LLVMValueRef finite =
        LLVMBuildICmp(e->builder, LLVMIntEQ, LLVMBuildOr(e->builder, note, weights, ""), aic_int(e, 0), "");
    aic_branch_begin(e, &branch, finite);
    LLVMValueRef args[] = {out, aic_at(e, t->sums, aic_mul(e, number, ROW_BYTES))};
    aic_call_role(e, args, 2, 0, "output");
    aic_branch_end(e, &branch);
    aic_branch_begin(e, &branch, LLVMBuildNot(e->builder, finite, ""));
    emit_direct(t, out, raw);
    aic_branch_end(e, &branch);
}

static void emit_results(const tile *t)
{
    aic_emit *e = t->e;
    const int64_t m = t->key->m;
    aic_loop down, across;
    LLVMValueRef raw = aic_load(e, e->ptr, t->group, AIC_GROUP_BAND * (int64_t)WORD_BYTES, WORD_BYTES);
    LLVMValueRef weights = LLVMBuildZExt(e->builder, aic_load(e, e->i32, t->panel, 0, 4), e->i64, "");
    LLVMValueRef count = aic_trips(e, "across");
    aic_loop_over(e, &down, "row: small tiles, down", aic_trips(e, "down"));
    LLVMValueRef out = aic_at(e, t->out, aic_mul(e, aic_scaled(e, down.index, "out.row"), m));
    LLVMValueRef from = aic_at(e, raw, aic_mul(e, aic_scaled(e, down.index, "raw.row"), m));
    aic_loop_over(e, &across, "col: small tiles, across", count);
    emit_result(t, aic_add(e, aic_times(e, down.index, count), across.index),
                aic_at(e, out, aic_mul(e, across.index, m * ROW_BYTES)),
                aic_at(e, from, aic_mul(e, aic_scaled(e, across.index, "raw.pixel"), m)), weights);
    aic_loop_end(e, &across);
    aic_loop_end(e, &down);
}

LLVMValueRef aic_emit_part_winograd_tile(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"out", "group", "panel", "taps"};
    tile t = {.e = e, .key = of};
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 4, 0);
    aic_emit_aliases(e); /* the sums lie behind the taps */
    aic_note_function(e, "products of a group of small tiles, then their results");
    t.out = aic_emit_param(e, 0);
    t.group = aic_emit_param(e, 1);
    t.panel = aic_emit_param(e, 2);
    t.taps = aic_emit_param(e, 3);
    t.sums = aic_behind(e, t.taps, "sums.at");
    emit_products(&t);
    emit_results(&t);
    return aic_emit_function_end(e);
}

/* ---- results ---- */

/* Where channels of a vector lie: in which block of 16, and how many bytes from its start. */
static unsigned block_of(const aic_winograd_key *key, unsigned vector)
{
    return vector * (unsigned)key->lanes / COLUMNS;
}

static int64_t column_of(const aic_winograd_key *key, unsigned vector)
{
    return vector * key->lanes % COLUMNS * FLOAT_BYTES;
}

static void emit_vector(aic_emit *e, const aic_winograd_key *key, unsigned vector, LLVMValueRef out, LLVMValueRef sums)
{
    const int m = (int)key->m, side = m + 2;
    LLVMTypeRef type = aic_vector(e->f32, (unsigned)key->lanes);
    LLVMValueRef x[SIDE * SIDE] = {NULL};
    sums = aic_at_nth(e, sums, "block", (int)block_of(key, vector));
    out = aic_at_nth(e, out, "out.block", (int)block_of(key, vector));
    const int64_t column = column_of(key, vector);
    for (int col = 0; col < side; col++) {
        for (int row = 0; row < side; row++) {
            LLVMValueRef point = aic_at_nth(e, sums, "point", row * side + col);
            x[row * SIDE + col] = aic_load(e, type, point, column, FLOAT_BYTES);
        }
        from_points(e, key->m, &x[col], SIDE);
    }
    for (int row = 0; row < m; row++) {
        from_points(e, key->m, &x[row * SIDE], 1);
        for (int col = 0; col < m; col++) {
            LLVMValueRef to = aic_at_nth(e, out, "out", row), result = x[row * SIDE + col];
            const int64_t offset = (int64_t)col * ROW_BYTES + column;
            if (key->adds) {
                result = LLVMBuildFAdd(e->builder, aic_load(e, type, to, offset, FLOAT_BYTES), result, "");
            }
            aic_store(e, result, to, offset, FLOAT_BYTES);
        }
    }
}

LLVMValueRef aic_emit_part_winograd_output(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"out", "sums"};
    const aic_winograd_key *key = of;
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 2, 0);
    aic_note_function(e, "results of a small tile of %lld x %lld pixels", (long long)key->m, (long long)key->m);
    aic_loop loop;
    aic_loop_over(e, &loop, "step: blocks of output channels", aic_trips(e, "steps"));
    LLVMValueRef out = aic_at_index(e, aic_emit_param(e, 0), loop.index, "out.step");
    LLVMValueRef sums = aic_at_index(e, aic_emit_param(e, 1), loop.index, "sums.step");
    for (unsigned v = 0; v < key->vectors; v++) {
        emit_vector(e, key, v, out, sums);
    }
    aic_loop_end(e, &loop);
    return aic_emit_function_end(e);
}

/* ---- weights ---- */

/* G w G^T in doubles, in which the sums are exact and the quotients are rounded far below a float's precision, then
 * rounded to floats. */
LLVMValueRef aic_emit_part_winograd_weights(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"panel"};
    const aic_winograd_key *key = of;
    const int side = (int)key->m + 2;
    const unsigned lanes = (unsigned)key->lanes;
    const double by = denominator(key->m);
    aic_emit_function(e, name, AIC_EMIT_HOT, PARAMS, 1, 0);
    aic_note_function(e, "weights by points from weights by taps");
    LLVMTypeRef floats = aic_vector(e->f32, lanes), doubles = aic_vector(e->f64, lanes);
    LLVMValueRef x[SIDE * SIDE] = {NULL};
    aic_loop loop;
    aic_loop_begin(e, &loop, "weight: bytes of the weights of a tap", aic_int(e, 0), aic_trips(e, "steps"),
                   (int64_t)lanes * FLOAT_BYTES, NULL, 0);
    LLVMValueRef panel = aic_at(e, aic_emit_param(e, 0), loop.index);
    for (int i = 0; i < TAPS * TAPS; i++) {
        LLVMValueRef weight = aic_load(e, floats, aic_at(e, panel, aic_number(e, "tap.%d", i)), 0, FLOAT_BYTES);
        x[i / TAPS * SIDE + i % TAPS] = LLVMBuildFPExt(e->builder, weight, doubles, "");
    }
    for (int col = 0; col < TAPS; col++) {
        to_points(e, G, key->m, TAPS, &x[col], SIDE);
    }
    for (int row = 0; row < side; row++) {
        to_points(e, G, key->m, TAPS, &x[row * SIDE], 1);
    }
    for (int i = 0; i < side * side; i++) {
        LLVMValueRef plane = aic_at(e, panel, aic_number(e, "plane.%d", i));
        LLVMValueRef value =
            LLVMBuildFMul(e->builder, x[i / side * SIDE + i % side], aic_const_float(doubles, 1 / (by * by)), "");
        aic_store(e, LLVMBuildFPTrunc(e->builder, value, floats, ""), plane, 0, FLOAT_BYTES);
    }
    aic_loop_end(e, &loop);
    return aic_emit_function_end(e);
}
