/* Lines of a tile's rows copied aside, from where they are transposed (move.h). */
#include "codegen/parts/move.h"

#include "codegen/llvm/vec.h"
#include "codegen/machine.h"
#include "codegen/parts.h"

/* Copies the lines of a row aside. */
static void copy_line(aic_emit *e, const aic_move_key *k, LLVMValueRef from, LLVMValueRef aside)
{
    const int64_t line = k->stage * k->size;
    LLVMTypeRef type = aic_move_bytes_type(e, k->vector);
    for (int64_t at = 0; at < line; at += k->vector) {
        aic_store(e, aic_load(e, type, from, at, (unsigned)k->size), aside, at, (unsigned)k->vector);
    }
    for (int64_t at = 0; at < line && k->ahead > 0; at += AIC_LINE_BYTES) {
        aic_fetch_to_read(e, from, k->ahead + at);
    }
}

/* Copies the lines of `rows` rows of the tile aside, row after row. Behind the last tile, what is fetched ahead is
 * useless but harmless. */
static void copy_rows(aic_emit *e, const aic_move_key *k, int64_t rows, LLVMValueRef in, LLVMValueRef aside)
{
    const int64_t line = k->stage * k->size;
    for (int64_t row = 0; row < rows; row++) {
        if (row < k->valid) {
            copy_line(e, k, aic_move_row(e, k, in, row), aic_at_const(e, aside, row * line));
        }
    }
}

/* The same of rows in groups: the same row of group after group, as these are near each other. */
static void copy_groups(aic_emit *e, const aic_move_key *k, LLVMValueRef in, LLVMValueRef aside)
{
    const int64_t line = k->stage * k->size, groups = k->rows / k->group;
    int64_t together = 4;
    while (groups % together != 0) {
        together /= 2;
    }
    for (int64_t row = 0; row < k->valid; row++) {
        LLVMValueRef from = aic_move_row(e, k, in, row), to = aic_at_const(e, aside, row * line);
        aic_loop loop;
        aic_loop_begin(e, &loop, "group: groups of rows that are copied aside", aic_int(e, 0), aic_int(e, groups),
                       together, NULL, 0);
        for (int64_t i = 0; i < together; i++) {
            LLVMValueRef group = aic_add(e, loop.index, aic_int(e, i));
            copy_line(e, k, aic_at(e, from, aic_times(e, group, aic_number(e, "in.write"))),
                      aic_at(e, to, aic_mul(e, group, k->group * line)));
        }
        aic_loop_end(e, &loop);
    }
}

/* Many rows that are all alike are copied in a loop, whose code is made in less time. */
void aic_emit_move_aside(aic_emit *e, const aic_move_key *k, LLVMValueRef in, LLVMValueRef aside)
{
    enum { TOGETHER = 8 };
    if (k->group > 0) {
        copy_groups(e, k, in, aside);
    } else if (k->valid == k->rows && !k->masks && k->rows > TOGETHER && k->rows % TOGETHER == 0) {
        aic_loop rows;
        aic_loop_begin(e, &rows, "row: rows of a tile that are copied aside", aic_int(e, 0), aic_int(e, k->rows),
                       TOGETHER, NULL, 0);
        copy_rows(e, k, TOGETHER, aic_at(e, in, aic_times(e, rows.index, aic_number(e, "row.1"))),
                  aic_at(e, aside, aic_mul(e, rows.index, k->stage * k->size)));
        aic_loop_end(e, &rows);
    } else {
        copy_rows(e, k, k->rows, in, aside);
    }
}
