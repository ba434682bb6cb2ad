/* Transposition in registers: tiles that are dense along one dimension in the output and along another in the input.
 *
 * Registers are seen as lanes of 16 bytes. A lane block of `height` rows x `width` columns fills one lane of each of
 * `count` registers; interleaving the registers lane by lane transposes it. Lanes take blocks of further rows first, so
 * that a column leaves as one wide store, then of further columns. */
#include "codegen/llvm/guard.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "codegen/parts.h"
#include "codegen/parts/move.h"

#include <string.h>

/* A lane block has at most LANE x LANE elements of one byte, in LANE registers. */
enum {
    LANE = AIC_MOVE_LANE,
    LANES_MAX = AIC_VECTOR_BITS_MAX / 8 / LANE,
    REGISTERS_MAX = LANE,
    ELEMENTS_MAX = LANE * LANES_MAX,
    BLOCKS_MAX = 16
};

typedef struct grid {
    aic_emit *e;
    const aic_move_key *k;
    unsigned skip; /* columns at the beginning of the tile that are not stored, as the one before stored them */
    unsigned size;
    unsigned height, width;   /* of a lane block */
    unsigned count;           /* registers */
    unsigned lane_elements;   /* of a register; less than 16 bytes when the tile is that small */
    unsigned down, across;    /* lane blocks of a register along the rows and the columns */
    unsigned rows_in_lane;    /* rows that one lane of one register holds */
    unsigned columns_in_lane; /* columns that it holds when transposed */
    bool spread;              /* lanes take every so many columns, so that a register is contiguous in the output */
    bool padded; /* a lane block has more rows than the tile: columns are stored over the ends of those before */
    LLVMValueRef out, in;
    int64_t aside; /* bytes from one row to the next of a copy of the tile's rows; 0: `in` is the input */
} grid;

static unsigned least(int64_t a, int64_t b)
{
    return (unsigned)aic_least(a, b);
}

static LLVMTypeRef element(const grid *g)
{
    return LLVMIntTypeInContext(g->e->context, 8 * g->size);
}

/* Puts `count` vectors side by side; a power of two of them. */
static LLVMValueRef join(const grid *g, LLVMValueRef *parts, unsigned count)
{
    unsigned from[ELEMENTS_MAX];
    for (; count > 1; count /= 2) {
        unsigned elements = 2 * LLVMGetVectorSize(LLVMTypeOf(parts[0]));
        for (unsigned i = 0; i < elements; i++) {
            from[i] = i;
        }
        for (unsigned i = 0; i < count / 2; i++) {
            parts[i] = aic_shuffle(g->e, parts[2 * i], parts[2 * i + 1], from, elements);
        }
    }
    return parts[0];
}

/* ---- loads ---- */

/* Rows of a tile are those of `write`, index after index of `next`. */
static unsigned row_of(const grid *g, unsigned row)
{
    return g->k->group > 0 ? row % (unsigned)g->k->group : row;
}

LLVMValueRef aic_move_row(aic_emit *e, const aic_move_key *key, LLVMValueRef in, int64_t row)
{
    if (row == 0 || (key->row_pitch > 0 && key->group == 0)) {
        return aic_at_const(e, in, row * key->row_pitch);
    }
    return aic_at(e, in, aic_number(e, "row.%lld", (long long)row));
}

/* A column of a row of the tile in the input. */
static LLVMValueRef input_at(const grid *g, unsigned row, int64_t column)
{
    LLVMValueRef at = g->aside > 0 ? aic_at_const(g->e, g->in, row * g->aside) : aic_move_row(g->e, g->k, g->in, row);
    return aic_at_const(g->e, at, column * g->size);
}

/* Whether the row lies so many bytes before the next one in the input. */
static bool is_before_next(const grid *g, unsigned row, int64_t bytes)
{
    const bool ends = g->k->group > 0 && row_of(g, row + 1) == 0;
    return (g->aside > 0 ? g->aside : ends ? g->k->next_pitch : g->k->row_pitch) == bytes;
}

/* The first `valid` rows of every index of `next` are read, the others are constant; a lane block may have more rows
 * than the tile. */
static bool is_read(const grid *g, unsigned row)
{
    return row < g->k->rows && row_of(g, row) < g->k->valid;
}

/* Whether a load of the row may go on behind its columns: there is a row that ends further back. */
static bool may_go_on(const grid *g, unsigned row)
{
    return row_of(g, row) + 1 < aic_move_certain_rows(g->k);
}

/* One row's columns as an integer or a vector of `type`; the last row is loaded with what lies before it instead of
 * behind it. */
static LLVMValueRef load_row(const grid *g, LLVMTypeRef type, unsigned row, unsigned column)
{
    aic_emit *e = g->e;
    const unsigned over = (unsigned)g->k->over,
                   total = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : g->width;
    if (over == 0 || column + total < (unsigned)g->k->cols || may_go_on(g, row)) {
        return aic_load(e, type, input_at(g, row, column), 0, g->size);
    }
    LLVMValueRef value = aic_load(e, type, input_at(g, row, (int64_t)column - over), 0, g->size);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind) {
        return LLVMBuildLShr(e->builder, value, LLVMConstInt(type, 8ULL * over * g->size, false), "");
    }
    unsigned from[ELEMENTS_MAX];
    for (unsigned i = 0; i < total; i++) {
        from[i] = i + over < total ? i + over : i;
    }
    return aic_permute(g->e, value, from, total);
}

/* What of the input one lane of a register needs: `read` of its rows, in a row of bytes when all of them follow each
 * other there. A lane of narrow rows has more of them than `write` and goes on with the next indices of `next`. */
typedef struct lane_rows {
    unsigned read;
    bool contiguous;
} lane_rows;

static lane_rows rows_of_lane(const grid *g, unsigned row)
{
    lane_rows rows = {.contiguous = true};
    const int64_t bytes = (int64_t)g->width * g->size;
    for (unsigned i = 0; i < g->rows_in_lane; i++) {
        rows.read += is_read(g, row + i);
        rows.contiguous = rows.contiguous && (i == 0 || is_before_next(g, row + i - 1, bytes));
    }
    rows.contiguous = rows.contiguous && rows.read == g->rows_in_lane && (g->k->over == 0 || g->rows_in_lane == 1);
    return rows;
}

/* Where a lane of packed rows is loaded: rows that are shorter than the lane block is wide and follow each other in the
 * input are loaded together, then spread, where that takes one instruction. */
typedef struct packed_rows {
    bool are_packed;
    unsigned before; /* elements that come before them: those at the end of the tile are loaded with what lies there */
} packed_rows;

static packed_rows find_packed(const grid *g, unsigned row)
{
    const unsigned over = (unsigned)g->k->over, extent = g->width - over, rest = g->rows_in_lane * over;
    const unsigned valid = (unsigned)g->k->valid, end = row + g->rows_in_lane;
    const bool follow = g->k->group == 0 && is_before_next(g, row, (int64_t)extent * g->size);
    const bool spreads = (g->e->target->has & AIC_HAS_PERMUTE) != 0;
    packed_rows packed = {.are_packed = spreads && over != 0 && g->rows_in_lane > 1 && follow && end <= valid};
    if (packed.are_packed && (valid - end) * extent < rest) {
        packed.before = rest;
        packed.are_packed = row * extent >= rest;
    }
    return packed;
}

static LLVMValueRef load_packed(const grid *g, LLVMTypeRef type, unsigned before, unsigned row, unsigned column)
{
    const unsigned extent = g->width - (unsigned)g->k->over;
    unsigned from[ELEMENTS_MAX];
    for (unsigned i = 0; i < g->lane_elements; i++) {
        const unsigned at = i % g->width;
        from[i] = before + i / g->width * extent + (at < extent ? at : extent - 1);
    }
    LLVMValueRef at = input_at(g, row, (int64_t)column - before);
    return aic_permute(g->e, aic_load(g->e, type, at, 0, g->size), from, g->lane_elements);
}

/* Rows from `row` on, each of one lane block's width, as one lane of a register. */
static LLVMValueRef load_lane(const grid *g, unsigned row, unsigned column)
{
    aic_emit *e = g->e;
    LLVMTypeRef type = aic_vector(element(g), g->lane_elements);
    lane_rows rows = rows_of_lane(g, row);
    if (rows.read == 0) {
        return g->padded ? LLVMGetPoison(type) : aic_zero(type);
    }
    const packed_rows together = find_packed(g, row);
    if (together.are_packed) {
        return load_packed(g, type, together.before, row, column);
    }
    if (rows.contiguous) {
        return g->rows_in_lane == 1 ? load_row(g, type, row, column)
                                    : aic_load(e, type, input_at(g, row, column), 0, g->size);
    }
    LLVMTypeRef part = LLVMIntTypeInContext(e->context, g->width * g->size * 8);
    LLVMTypeRef packed = aic_vector(part, g->rows_in_lane);
    const bool zeros = rows.read < g->rows_in_lane && !g->padded;
    LLVMValueRef parts = zeros ? aic_zero(packed) : LLVMGetPoison(packed);
    for (unsigned i = 0; i < g->rows_in_lane; i++) {
        if (is_read(g, row + i)) {
            LLVMValueRef value = load_row(g, part, row + i, column);
            parts = LLVMBuildInsertElement(e->builder, parts, value, LLVMConstInt(e->i32, i, false), "");
        }
    }
    return LLVMBuildBitCast(e->builder, parts, type, "");
}

/* Moves the columns of a lane, number c*across + l of a row, to position c of lane l. */
static LLVMValueRef spread_columns(const grid *g, LLVMValueRef row)
{
    unsigned from[ELEMENTS_MAX], n = 0;
    for (unsigned lane = 0; lane < g->across; lane++) {
        for (unsigned position = 0; position < g->count; position++) {
            for (unsigned i = 0; i < g->columns_in_lane; i++) {
                from[n++] = (position * g->across + lane) * g->columns_in_lane + i;
            }
        }
    }
    return aic_permute(g->e, row, from, n);
}

/* The register, whose first row this is, without those rows that are not read as a number says. */
static LLVMValueRef without_others(const grid *g, LLVMValueRef vector, unsigned first)
{
    LLVMTypeRef type = LLVMTypeOf(vector), index = LLVMGetElementType(type);
    LLVMValueRef rows[ELEMENTS_MAX];
    const unsigned total = LLVMGetVectorSize(type);
    bool certain = true;
    for (unsigned i = 0; i < total; i++) {
        const unsigned lane = i / g->lane_elements % g->down,
                       row = first + lane * g->height + i % g->lane_elements / g->width;
        certain = certain && (!is_read(g, row) || row_of(g, row) < aic_move_certain_rows(g->k));
        rows[i] = LLVMConstInt(index, row_of(g, row), false);
    }
    if (certain) {
        return vector;
    }
    LLVMValueRef valid = aic_splat(g->e, LLVMBuildTrunc(g->e->builder, aic_number(g->e, "valid"), index, ""), total);
    LLVMValueRef read = LLVMBuildICmp(g->e->builder, LLVMIntSLT, LLVMConstVector(rows, total), valid, "");
    return LLVMBuildSelect(g->e->builder, read, vector, LLVMConstNull(type), "");
}

/* Lanes of a register whose first row and column these are, side by side. */
static LLVMValueRef load_lanes(const grid *g, unsigned first, unsigned column)
{
    LLVMValueRef lanes[LANES_MAX] = {NULL};
    for (unsigned a = 0; a < g->across; a++) {
        for (unsigned d = 0; d < g->down; d++) {
            lanes[a * g->down + d] = load_lane(g, first + d * g->height, column + a * g->width);
        }
    }
    return join(g, lanes, g->across * g->down);
}

/* Register k of the lane blocks whose first row and column these are. */
static LLVMValueRef load_register(const grid *g, unsigned k, unsigned row, unsigned column)
{
    unsigned first = row + k * g->rows_in_lane;
    if (g->down == 1 && g->rows_in_lane == 1 && is_read(g, first)) {
        LLVMTypeRef type = aic_vector(element(g), g->lane_elements * g->across);
        LLVMValueRef whole = without_others(g, load_row(g, type, first, column), first);
        return g->spread ? spread_columns(g, whole) : whole;
    }
    return without_others(g, load_lanes(g, first, column), first);
}

/* ---- the network ---- */

/* One register that holds everything: one permutation. */
static void permute(const grid *g, LLVMValueRef *vector)
{
    unsigned from[ELEMENTS_MAX] = {0}, lanes = g->down * g->across, n = g->lane_elements;
    for (unsigned lane = 0; lane < lanes; lane++) {
        for (unsigned i = 0; i < n; i++) {
            from[lane * n + i] = lane * n + i % g->height * g->width + i / g->height;
        }
    }
    *vector = aic_permute(g->e, *vector, from, lanes * n);
}

/* aic_transpose in every lane. */
static void interleave(const grid *g, LLVMValueRef *vectors)
{
    unsigned lanes = g->down * g->across, n = g->lane_elements, total = lanes * n;
    for (unsigned pass = 1; pass < g->height; pass *= 2) {
        LLVMValueRef next[REGISTERS_MAX];
        for (unsigned i = 0; i < g->count; i++) {
            unsigned from[ELEMENTS_MAX];
            for (unsigned j = 0; j < total; j++) {
                from[j] = j / n * n + i % 2 * n / 2 + j % n / 2 + j % 2 * total;
            }
            next[i] = aic_shuffle(g->e, vectors[i / 2], vectors[i / 2 + g->count / 2], from, total);
        }
        memcpy(vectors, next, g->count * sizeof *vectors);
    }
}

/* ---- stores ---- */

/* Bytes from one column to the next; 0: they are numbers. */
static int64_t pitch_of(const aic_move_key *k)
{
    return k->gather > 0 ? k->gather : k->follow > 0 ? 0 : k->column_pitch;
}

LLVMValueRef aic_move_column_at(aic_emit *e, const aic_move_key *key, LLVMValueRef out, int64_t column)
{
    if (key->gather > 0) {
        return aic_at_const(e, out, aic_move_gathered(key, column) * key->gather);
    }
    return column == 0 || pitch_of(key) > 0 ? aic_at_const(e, out, column * pitch_of(key))
                                            : aic_at(e, out, aic_number(e, "column.%lld", (long long)column));
}

static LLVMValueRef column_at(const grid *g, unsigned column)
{
    return aic_move_column_at(g->e, g->k, g->out, column);
}

/* Stores elements of whole columns, without those rows that keep their value. */
static void store_some(const grid *g, LLVMValueRef vector, LLVMValueRef at)
{
    LLVMValueRef mask[ELEMENTS_MAX];
    const unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
    for (unsigned i = 0; i < count; i++) {
        mask[i] = LLVMConstInt(g->e->i1, i % (unsigned)g->k->rows < (unsigned)g->k->stored, false);
    }
    aic_store_lanes(g->e, vector, LLVMConstVector(mask, count), at, 0);
}

static void store_part(const grid *g, LLVMValueRef vector, unsigned first, unsigned count, unsigned row,
                       unsigned column)
{
    if (first != 0 || count != LLVMGetVectorSize(LLVMTypeOf(vector))) {
        vector = aic_lanes_of(g->e, vector, first, 1, count);
    }
    LLVMValueRef at = column_at(g, column);
    if (g->k->stored > 0) {
        store_some(g, vector, at);
    } else if (g->k->past && g->k->gather == 0) {
        aic_store_past(g->e, vector, at, (int64_t)row * g->size, count * g->size);
    } else {
        aic_store(g->e, vector, at, (int64_t)row * g->size, g->size);
    }
}

/* Where a tile has columns that are not stored, the lanes of its registers have one column each. */
static bool is_stored(const grid *g, unsigned column)
{
    return column >= g->skip && column < g->k->cols - g->k->over;
}

/* Lanes of a padded register without the rows that do not exist. */
static LLVMValueRef close_up(const grid *g, LLVMValueRef vector)
{
    const unsigned rows = (unsigned)g->k->rows, total = LLVMGetVectorSize(LLVMTypeOf(vector));
    unsigned from[ELEMENTS_MAX];
    for (unsigned i = 0; i < total; i++) {
        const unsigned lane = i / g->lane_elements * g->lane_elements, at = i % g->lane_elements;
        const bool exists = at < g->columns_in_lane * rows;
        from[i] = exists ? lane + at / rows * g->height + at % rows : lane;
    }
    return g->columns_in_lane == 1 ? vector : aic_permute(g->e, vector, from, total);
}

/* A lane of columns that follow each other, closed up: stored whole, as the columns behind it come next; those at the
 * end of the tile exactly. */
static void store_padded(const grid *g, LLVMValueRef vector, unsigned a, unsigned column)
{
    const unsigned first = a * g->lane_elements, rows = (unsigned)g->k->rows;
    unsigned left = g->columns_in_lane * rows;
    if (column + g->columns_in_lane < (unsigned)g->k->cols) {
        store_part(g, vector, first, g->lane_elements, 0, column);
        return;
    }
    for (unsigned done = 0, count = g->lane_elements; left > 0; count /= 2) {
        if (count <= left) {
            store_part(g, vector, first + done, count, done, column);
            done += count;
            left -= count;
        }
    }
}

/* Lane block a of register k: its columns one by one, or all at once where the output has them side by side. */
static void store_lanes(const grid *g, LLVMValueRef vector, unsigned k, unsigned a, unsigned row, unsigned column)
{
    const bool follows = g->k->follow > 0;
    unsigned per_block = g->lane_elements * g->down, each = per_block / g->columns_in_lane;
    bool contiguous = g->down == 1 && !follows && pitch_of(g->k) == (int64_t)g->height * g->size;
    unsigned first = column + a * g->width + k * g->columns_in_lane;
    if (g->padded) {
        store_padded(g, vector, a, first);
        return;
    }
    for (unsigned i = 0; i < g->columns_in_lane; i++) {
        if (!is_stored(g, first + i)) {
            continue;
        }
        if (!contiguous) {
            store_part(g, vector, a * per_block + i * each, each, row, first + i);
        } else if (i == 0) {
            store_part(g, vector, a * per_block, per_block, row, first);
        }
    }
}

/* ---- the tile ---- */

static void load_block(const grid *g, LLVMValueRef *vectors, unsigned row, unsigned column)
{
    for (unsigned k = 0; k < g->count; k++) {
        vectors[k] = load_register(g, k, row, column);
    }
    if (g->width > 1 && g->height > 1) {
        (g->count == 1 ? permute : interleave)(g, vectors);
    }
    for (unsigned k = 0; k < g->count && g->padded; k++) {
        vectors[k] = close_up(g, vectors[k]);
    }
}

/* First row of a block; the last one overlaps the one before where it must. */
static unsigned row_of_block(const grid *g, unsigned block)
{
    const unsigned step = g->down * g->height, rows = (unsigned)g->k->rows;
    return rows < step ? 0 : least(block * step, rows - step);
}

/* Rows of `count` blocks, of the columns from `column` on: stored column by column, in their order, so that lines of
 * the output fill at once. */
static void emit_blocks(const grid *g, unsigned first, unsigned count, unsigned column)
{
    LLVMValueRef vectors[BLOCKS_MAX][REGISTERS_MAX];
    for (unsigned i = 0; i < count; i++) {
        load_block(g, vectors[i], row_of_block(g, first + i), column);
    }
    for (unsigned k = 0; k < g->count && g->spread; k++) {
        store_part(g, vectors[0][k], 0, g->lane_elements * g->across, 0, column + k * g->across * g->columns_in_lane);
    }
    for (unsigned n = 0; n < g->across * g->count && !g->spread; n++) {
        for (unsigned i = 0; i < count; i++) {
            store_lanes(g, vectors[i][n % g->count], n % g->count, n / g->count, row_of_block(g, first + i), column);
        }
    }
}

/* All rows of the columns from `column` on: as many blocks at a time as registers hold where they fill no lines. */
static void emit_columns(const grid *g, unsigned column)
{
    enum { REGISTERS = 16 };
    const unsigned step = g->down * g->height, blocks = ((unsigned)g->k->rows + step - 1) / step;
    const unsigned most =
        aic_is_power(g->k->rows) ? blocks : least(blocks, g->count < REGISTERS ? REGISTERS / g->count : 1);
    for (unsigned first = 0; first < blocks; first += most) {
        emit_blocks(g, first, least(most, blocks - first), column);
    }
}

/* Lanes take further rows where those fill them, else further columns first, as rows end where they may. */
static void share_lanes(grid *g, unsigned lanes)
{
    const aic_move_key *k = g->k;
    if (aic_is_power(k->rows)) {
        g->down = k->rows > g->height ? least(lanes, k->rows / g->height) : 1;
        g->across = least(lanes / g->down, k->cols / g->width);
    } else {
        g->across = least(lanes, k->cols / g->width);
        g->down = g->padded ? 1 : (unsigned)aic_power_within(least(lanes / g->across, k->rows / g->height));
    }
}

static void lay_out(grid *g)
{
    const aic_move_key *k = g->k;
    unsigned lanes = (unsigned)k->vector / LANE, fit = LANE / g->size;
    g->height = k->rows > 1 ? least(2 * aic_power_within(k->rows - 1), fit) : 1;
    g->padded = g->height > k->rows;
    g->width = least(k->cols, fit);
    unsigned elements = g->height * g->width;
    g->lane_elements = least(elements, fit);
    g->count = elements / g->lane_elements;
    g->rows_in_lane = g->lane_elements / g->width;
    g->columns_in_lane = g->lane_elements / g->height;
    g->down = g->across = 1;
    if (g->lane_elements == fit) {
        share_lanes(g, lanes);
    }
    aic_limit("lanes of a register", g->down * g->across, LANES_MAX);
    aic_limit("registers of a lane block", g->count, REGISTERS_MAX);
    aic_limit("lane blocks of a tile", (size_t)k->rows / (g->down * g->height), BLOCKS_MAX);
    aic_limit("columns of a tile behind its lane blocks", (size_t)k->cols % (g->across * g->width), 0);
    const bool whole = g->skip == 0 && k->over == 0 && !g->padded && k->follow == 0;
    aic_limit("columns of a lane of a tile that is not stored whole",
              g->skip == 0 && k->over == 0 ? 1 : g->columns_in_lane, 1);
    aic_limit("padded columns that do not follow each other", g->padded && pitch_of(g->k) != k->rows * g->size, 0);
    g->spread = whole && g->across > 1 && g->rows_in_lane == 1 && g->count > 1 && k->rows == g->height &&
                pitch_of(g->k) == (int64_t)g->height * g->size;
}

/* Fetches the lines that the tile stores to for writing. */
static void fetch_columns(const grid *g)
{
    const int64_t line = g->k->fetch, bytes = g->k->rows * g->size;
    for (unsigned column = 0; column < (unsigned)g->k->cols && line > 0; column++) {
        for (int64_t at = 0; is_stored(g, column) && at < bytes + line - 1; at += line) {
            aic_fetch_to_write(g->e, column_at(g, column), at < bytes ? at : bytes - 1);
        }
    }
}

/* Fetches rows of a later tile: where tiles next to each other share the lines of rows, each those of other rows, which
 * it knows by where its columns begin. */
static void fetch_later(const grid *g)
{
    const aic_move_key *k = g->k;
    aic_emit *e = g->e;
    const int64_t columns = k->cols * k->size;
    const int64_t tiles = aic_least(aic_power_within(k->rows), aic_most(AIC_LINE_BYTES / columns, 1));
    LLVMValueRef from = aic_at(e, g->in, aic_number(e, "later"));
    if (tiles > 1) {
        LLVMValueRef width = LLVMConstInt(e->i64, (unsigned long long)columns, false),
                     mask = LLVMConstInt(e->i64, (unsigned long long)tiles - 1, false),
                     at = LLVMBuildPtrToInt(e->builder, g->in, e->i64, "");
        at = LLVMBuildAnd(e->builder, LLVMBuildUDiv(e->builder, at, width, ""), mask, "");
        from = aic_at(e, from, aic_times(e, at, aic_number(e, "later.rows")));
    }
    for (int64_t row = 0; row < k->rows / tiles; row++) {
        aic_fetch_to_read(e, aic_move_row(e, k, from, row), 0);
    }
}

void aic_emit_transpose(aic_emit *e, const aic_move_key *key, int64_t skip, LLVMValueRef out, LLVMValueRef in,
                        int64_t aside)
{
    if (key->unit > 0) {
        aic_emit_turn(e, key, out, in);
        return;
    }
    grid g = {
        .e = e, .k = key, .skip = (unsigned)skip, .size = (unsigned)key->size, .out = out, .in = in, .aside = aside};
    lay_out(&g);
    fetch_columns(&g);
    if (key->later) {
        fetch_later(&g);
    }
    for (unsigned column = 0; column < key->cols; column += g.across * g.width) {
        emit_columns(&g, column);
    }
}
