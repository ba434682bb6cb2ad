/* Transposition of tiles with an odd number of rows or columns that follow each other.
 *
 * Elements of n rows of C columns, one row behind the other, fill C vectors of n lanes. As C is odd and n a power of
 * two, lane w of the vectors holds every column once: column j in vector (j - w)/n modulo C. So turning lane w of all
 * vectors by w/n vectors, then putting the lanes of every vector in order, leaves a column in each. Turns are a sum of
 * powers of two, for each of which lanes are taken from the vector so many further on, or not. The other way round,
 * rows become columns one behind the other.
 *
 * A vector's lanes are of one unit, within which lanes may take any order in one instruction; registers hold several.
 */
#include "codegen/llvm/guard.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "codegen/parts.h"
#include "codegen/parts/move.h"

#include <string.h>

enum { ODD_MAX = AIC_MOVE_ODD_MAX, LANES_MAX = AIC_VECTOR_BITS_MAX / 8 };

typedef struct turn {
    aic_emit *e;
    const aic_move_key *k;
    unsigned odd;     /* vectors: C */
    unsigned lanes;   /* of a unit: n */
    unsigned units;   /* of a register */
    unsigned inverse; /* of n modulo C */
} turn;

static LLVMTypeRef vector_of(const turn *t, unsigned units)
{
    return aic_vector(LLVMIntTypeInContext(t->e->context, 8 * (unsigned)t->k->size), t->lanes * units);
}

/* By how many vectors a lane is turned; the vector that holds column j then. */
static unsigned turn_of(const turn *t, unsigned lane)
{
    return (t->odd - t->inverse) * lane % t->odd;
}

static unsigned vector_of_column(const turn *t, unsigned column)
{
    return t->inverse * column % t->odd;
}

/* Turns the lanes with this bit in their turn by so many vectors, forth or back. */
static void turn_lanes(const turn *t, LLVMValueRef *vectors, unsigned bit, bool back)
{
    LLVMValueRef next[ODD_MAX];
    unsigned from[LANES_MAX];
    const unsigned total = t->lanes * t->units;
    for (unsigned i = 0; i < total; i++) {
        from[i] = (turn_of(t, i % t->lanes) & bit) != 0 ? total + i : i;
    }
    for (unsigned v = 0; v < t->odd; v++) {
        const unsigned other = (v + (back ? t->odd - bit % t->odd : bit)) % t->odd;
        next[v] = aic_shuffle(t->e, vectors[v], vectors[other], from, total);
    }
    memcpy(vectors, next, t->odd * sizeof *vectors);
}

/* The row of which a lane of a column is, before the lanes are put in order. */
static unsigned row_of_lane(const turn *t, unsigned column, unsigned lane)
{
    const unsigned vector = (vector_of_column(t, column) + turn_of(t, lane)) % t->odd;
    return (t->lanes * vector + lane) / t->odd;
}

/* Lanes of a column in the order of rows, or back. */
static LLVMValueRef order_lanes(const turn *t, LLVMValueRef vector, unsigned column, bool back)
{
    unsigned from[LANES_MAX];
    const unsigned total = t->lanes * t->units;
    for (unsigned i = 0; i < total; i++) {
        const unsigned lane = i % t->lanes, first = i - lane, row = row_of_lane(t, column, lane);
        if (back) {
            from[i] = first + row;
        } else {
            from[first + row] = i;
        }
    }
    return aic_permute(t->e, vector, from, total);
}

/* Rows one behind the other become columns. */
static void part_columns(const turn *t, LLVMValueRef *vectors)
{
    LLVMValueRef column[ODD_MAX];
    for (unsigned bit = 1; bit < t->odd; bit *= 2) {
        turn_lanes(t, vectors, bit, false);
    }
    for (unsigned j = 0; j < t->odd; j++) {
        column[j] = order_lanes(t, vectors[vector_of_column(t, j)], j, false);
    }
    memcpy(vectors, column, t->odd * sizeof *vectors);
}

/* Columns become rows one behind the other. */
static void join_columns(const turn *t, LLVMValueRef *vectors)
{
    LLVMValueRef turned[ODD_MAX];
    unsigned bit = 1;
    for (unsigned j = 0; j < t->odd; j++) {
        turned[vector_of_column(t, j)] = order_lanes(t, vectors[j], j, true);
    }
    memcpy(vectors, turned, t->odd * sizeof *vectors);
    while (2 * bit < t->odd) {
        bit *= 2;
    }
    for (; bit > 0; bit /= 2) {
        turn_lanes(t, vectors, bit, true);
    }
}

/* Units side by side. */
static LLVMValueRef load_units(const turn *t, LLVMValueRef in, unsigned row, int64_t offset)
{
    LLVMValueRef unit[LANES_MAX];
    for (unsigned i = 0; i < t->units; i++) {
        LLVMValueRef at = aic_move_row(t->e, t->k, in, row + i * t->lanes);
        unit[i] = aic_load(t->e, vector_of(t, 1), at, offset, (unsigned)t->k->size);
    }
    return t->units == 1 ? unit[0] : aic_concat(t->e, unit, t->units);
}

static void store(const turn *t, LLVMValueRef vector, LLVMValueRef out, int64_t offset)
{
    if (t->k->past && t->k->gather == 0) {
        aic_store_past(t->e, vector, out, offset, (unsigned)t->k->size * LLVMGetVectorSize(LLVMTypeOf(vector)));
    } else {
        aic_store(t->e, vector, out, offset, (unsigned)t->k->size);
    }
}

/* Rows from `row` on, of a whole register. */
static void emit_rows(const turn *t, LLVMValueRef out, LLVMValueRef in, unsigned row)
{
    LLVMValueRef vectors[ODD_MAX];
    const int64_t bytes = (int64_t)t->odd * t->k->unit * t->units;
    for (int64_t at = 0; t->k->later && at < bytes + AIC_LINE_BYTES - 1; at += AIC_LINE_BYTES) {
        LLVMValueRef next = aic_at(t->e, aic_move_row(t->e, t->k, in, row), aic_number(t->e, "later"));
        aic_fetch_to_read(t->e, next, aic_least(at, bytes - 1));
    }
    for (unsigned v = 0; v < t->odd; v++) {
        vectors[v] = load_units(t, in, row, (int64_t)v * t->k->unit);
    }
    part_columns(t, vectors);
    for (unsigned j = 0; j < t->odd; j++) {
        store(t, vectors[j], aic_move_column_at(t->e, t->k, out, j), (int64_t)row * t->k->size);
    }
}

/* Unit i of as many vectors from v on as a register has units, or of the last ones. */
static LLVMValueRef follow_up(const turn *t, LLVMValueRef *vectors, unsigned v, unsigned i)
{
    LLVMValueRef unit[LANES_MAX];
    unsigned count = t->units == 1 ? 1 : 0;
    if (count == 1) {
        return vectors[v];
    }
    for (; count < t->units && v + count < t->odd; count++) {
        unit[count] = aic_lanes_of(t->e, vectors[v + count], i * t->lanes, 1, t->lanes);
    }
    return aic_concat(t->e, unit, count);
}

/* Columns from `column` on, of a whole register. */
static void emit_columns(const turn *t, LLVMValueRef out, LLVMValueRef in, unsigned column)
{
    LLVMValueRef vectors[ODD_MAX];
    for (unsigned row = 0; row < t->odd; row++) {
        vectors[row] = aic_load(t->e, vector_of(t, t->units), aic_move_row(t->e, t->k, in, row),
                                (int64_t)column * t->k->size, (unsigned)t->k->size);
    }
    join_columns(t, vectors);
    const int64_t pitch = (int64_t)t->odd * t->k->size;
    for (unsigned i = 0; i < t->units; i++) {
        for (unsigned v = 0; v < t->odd; v += t->units) {
            store(t, follow_up(t, vectors, v, i), out, (column + i * t->lanes) * pitch + (int64_t)v * t->k->unit);
        }
    }
}

void aic_emit_turn(aic_emit *e, const aic_move_key *key, LLVMValueRef out, LLVMValueRef in)
{
    const bool parts = key->cols % 2 != 0;
    turn t = {.e = e,
              .k = key,
              .odd = (unsigned)(parts ? key->cols : key->rows),
              .lanes = (unsigned)(key->unit / key->size),
              .units = (unsigned)(key->vector / key->unit),
              .inverse = 1};
    const unsigned each = t.lanes * t.units, count = (unsigned)(parts ? key->rows : key->cols);
    aic_limit("odd rows or columns of a tile", t.odd, ODD_MAX);
    aic_limit("rows or columns of a tile behind its registers", count % each, 0);
    while (t.inverse * t.lanes % t.odd != 1) {
        t.inverse++;
    }
    for (unsigned first = 0; first < count; first += each) {
        (parts ? emit_rows : emit_columns)(&t, out, in, first);
    }
}
