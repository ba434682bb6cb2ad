/* Epilogues: the table of column parameters and the loops over strips of accumulators. */
#include "codegen/epilogue.h"
#include "codegen/epilogue_value.h"
#include "codegen/vec.h"

enum { LANES = AIC_EPILOGUE_LANES, SOURCE_BYTES = 4, ROW_BYTES = LANES * SOURCE_BYTES };

static int64_t blocks_of(int64_t columns)
{
    return (columns + LANES - 1) / LANES;
}

static unsigned target_bytes(const aic_epilogue *p)
{
    return (unsigned)aic_dtype_size(p->target);
}

/* ---- the table ---- */

int64_t aic_epilogue_table_bytes(const aic_epilogue *p)
{
    return blocks_of(p->columns) * aic_epilogue_block_bytes(p);
}

/* Reads the scales of `count` columns of a block, from `parameters` on. */
static void read_scales(aic_emit *e, const aic_epilogue *p, LLVMValueRef source, LLVMValueRef block, unsigned count,
                        aic_parameters *parameters)
{
    if (p->scale == AIC_SCALE_WORDS) {
        source = aic_at(e, source, aic_mul(e, block, LANES * (int64_t)sizeof(uint64_t)));
        aic_epilogue_decode(e, aic_load_part(e, e->i64, LANES, count, source, 0), parameters);
    } else if (p->scale == AIC_SCALE_HALVES) { /* the same 16 for every block */
        LLVMValueRef halves = aic_load_part(e, e->i16, LANES, LANES, source, 0);
        parameters->value[AIC_PARAMETER_SCALE] = aic_half_to_float(e, halves);
    }
}

/* The entry of a block of `count` columns. */
static void emit_entry(aic_emit *e, const aic_epilogue *p, LLVMValueRef block, unsigned count)
{
    aic_parameters parameters = {{NULL}};
    LLVMValueRef entry = aic_at(e, aic_emit_param(e, 0), aic_mul(e, block, aic_epilogue_block_bytes(p)));
    read_scales(e, p, aic_emit_param(e, 1), block, count, &parameters);
    if (p->bias) {
        LLVMValueRef bias = aic_at(e, aic_emit_param(e, 2), aic_mul(e, block, ROW_BYTES));
        parameters.value[AIC_PARAMETER_BIAS] = aic_load_part(e, e->i32, LANES, count, bias, 0);
    }
    int64_t offset = 0;
    for (int i = 0; i < AIC_PARAMETERS; i++) {
        if (aic_epilogue_in_table(p, (aic_parameter)i)) {
            aic_store(e, parameters.value[i], entry, offset, ROW_BYTES);
            offset += ROW_BYTES;
        }
    }
}

LLVMValueRef aic_emit_epilogue_table(aic_emit *e, const aic_epilogue *p, const char *name)
{
    static const char *const PARAMS[] = {"table", "parameters", "bias"};
    if (aic_epilogue_table_bytes(p) == 0) {
        return NULL;
    }
    aic_emit_function(e, name, false, PARAMS, 3, 0);
    LLVMValueRef function = e->function;
    int64_t whole = p->columns / LANES;
    if (whole > 0) {
        aic_loop loop;
        aic_loop_begin(e, &loop, "block", aic_int(e, 0), aic_int(e, whole), 1, NULL, 0);
        emit_entry(e, p, loop.index, LANES);
        aic_loop_end(e, &loop);
    }
    if (p->columns % LANES != 0) {
        emit_entry(e, p, aic_int(e, whole), (unsigned)(p->columns % LANES));
    }
    aic_emit_function_end(e);
    return function;
}

/* ---- strips ---- */

/* A block of columns of the strip that is being emitted. */
typedef struct block {
    unsigned columns;    /* 16 but at the end */
    LLVMValueRef target; /* of its first column in row 0 of the matrix */
    int64_t row_bytes;   /* of the target */
    aic_parameters parameters;
} block;

typedef struct strip {
    aic_emit *e;
    const aic_epilogue *p;
    int64_t block_bytes;
    int64_t columns;
    bool last;
    aic_epilogue_form form;
    LLVMValueRef table, column;
} strip;

/* Where a block of columns starts in row 0 of the target; `index` is its number in the strip. */
static LLVMValueRef block_target(const strip *s, LLVMValueRef matrix, int64_t index)
{
    aic_emit *e = s->e;
    const aic_epilogue *p = s->p;
    LLVMValueRef column = aic_add(e, s->column, aic_int(e, index * LANES));
    if (p->width >= p->columns) {
        return aic_at(e, matrix, aic_mul(e, column, target_bytes(p)));
    }
    LLVMValueRef width = aic_int(e, p->width);
    LLVMValueRef target = aic_at(e, matrix, aic_mul(e, LLVMBuildUDiv(e->builder, column, width, ""), p->target_block));
    if (p->width <= LANES) {
        return target; /* blocks of the source start one or two of the target */
    }
    return aic_at(e, target, aic_mul(e, LLVMBuildURem(e->builder, column, width, ""), target_bytes(p)));
}

static block make_block(const strip *s, LLVMValueRef matrix, int64_t index)
{
    aic_emit *e = s->e;
    int64_t left = s->columns - index * LANES;
    bool narrow = s->last && s->p->narrow_tail && left <= LANES;
    block b = {
        .columns = left < LANES ? (unsigned)left : LANES,
        .target = block_target(s, matrix, index),
        .row_bytes = narrow ? LANES * (int64_t)target_bytes(s->p) : s->p->target_row,
    };
    LLVMValueRef number = LLVMBuildUDiv(e->builder, s->column, aic_int(e, LANES), "");
    LLVMValueRef entry = aic_mul(e, aic_add(e, number, aic_int(e, index)), aic_epilogue_block_bytes(s->p));
    aic_epilogue_parameters(e, s->p, aic_at(e, s->table, entry), &b.parameters);
    return b;
}

/* One row of a block. */
static void emit_value(const strip *s, const block *b, LLVMValueRef source, LLVMValueRef target)
{
    aic_emit *e = s->e;
    LLVMValueRef x = aic_load_part(e, e->i32, LANES, b->columns, source, 0);
    x = aic_epilogue_value(e, s->p, &b->parameters, x);
    unsigned split = s->p->width < LANES ? (unsigned)s->p->width : LANES;
    for (unsigned first = 0; first < b->columns; first += split) {
        unsigned count = b->columns - first < split ? b->columns - first : split;
        LLVMValueRef part = split == LANES ? x : aic_lanes_of(e, x, first, 1, split);
        aic_store_part(e, part, count, target, first / split * s->p->target_block);
    }
}

/* `count` rows, from `source` on, of the blocks first .. first+blocks-1 of the strip; row 0 of them is `row`. */
static void emit_rows(const strip *s, const block *b, int64_t first, int64_t blocks, LLVMValueRef source,
                      LLVMValueRef row, LLVMValueRef begin, LLVMValueRef end, int64_t unroll)
{
    aic_emit *e = s->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "row", begin, end, unroll, NULL, 0);
    for (int64_t u = 0; u < unroll; u++) {
        LLVMValueRef from = aic_at(e, source, aic_mul(e, loop.index, ROW_BYTES));
        LLVMValueRef to = aic_add(e, row, loop.index);
        for (int64_t i = 0; i < blocks; i++) {
            LLVMValueRef target = aic_at(e, b[i].target, aic_mul(e, to, b[i].row_bytes));
            emit_value(s, &b[i], aic_at_const(e, from, (first + i) * s->block_bytes + u * ROW_BYTES),
                       aic_at_const(e, target, u * b[i].row_bytes));
        }
    }
    aic_loop_end(e, &loop);
}

/* Blocks that share a row loop, so that their parameters stay in registers. */
enum { PANEL_BLOCKS_MAX = 8 };

/* The strip's part of one matrix: `count` rows from `source` on, the first of them row `row` of the matrix. */
static void emit_matrix(const strip *s, LLVMValueRef matrix, LLVMValueRef source, LLVMValueRef row, LLVMValueRef count)
{
    aic_emit *e = s->e;
    int64_t unroll = s->form.rows, total = blocks_of(s->columns);
    LLVMValueRef whole = LLVMBuildUDiv(e->builder, count, aic_int(e, unroll), "");
    whole = aic_mul(e, whole, unroll);
    for (int64_t first = 0; first < total; first += s->form.blocks) {
        int64_t blocks = total - first < s->form.blocks ? total - first : s->form.blocks;
        block b[PANEL_BLOCKS_MAX];
        for (int64_t i = 0; i < blocks; i++) {
            b[i] = make_block(s, matrix, first + i);
        }
        emit_rows(s, b, first, blocks, source, row, aic_int(e, 0), whole, unroll);
        if (unroll > 1) {
            emit_rows(s, b, first, blocks, source, row, whole, count, 1);
        }
    }
}

/* Every matrix that has some of the `count` rows from `row` on. */
static void emit_matrices(const strip *s, LLVMValueRef target, LLVMValueRef source, LLVMValueRef row,
                          LLVMValueRef count)
{
    aic_emit *e = s->e;
    LLVMBuilderRef b = e->builder;
    const aic_epilogue *p = s->p;
    LLVMValueRef first = aic_int(e, 0), end = aic_int(e, p->matrices), past = aic_add(e, row, count);
    if (p->matrices > 1) { /* the first that ends after `row`, the first that begins at `past` or later */
        LLVMValueRef step = aic_int(e, p->source_matrix);
        LLVMValueRef above = aic_max(e, aic_add(e, row, aic_int(e, p->source_matrix - p->rows)), aic_int(e, 0));
        first = LLVMBuildUDiv(b, above, step, "");
        LLVMValueRef begun = LLVMBuildUDiv(b, aic_add(e, past, aic_int(e, p->source_matrix - 1)), step, "");
        end = aic_min(e, begun, end);
    }
    aic_loop loop;
    aic_loop_begin(e, &loop, "matrix", first, end, 1, NULL, 0);
    LLVMValueRef start = aic_mul(e, loop.index, p->source_matrix);
    LLVMValueRef low = aic_max(e, row, start), high = aic_min(e, past, aic_add(e, start, aic_int(e, p->rows)));
    LLVMValueRef skipped = LLVMBuildNSWSub(b, low, row, "");
    emit_matrix(s, aic_at(e, target, aic_mul(e, loop.index, p->target_matrix)),
                aic_at(e, source, aic_mul(e, skipped, ROW_BYTES)), LLVMBuildNSWSub(b, low, start, ""),
                aic_max(e, LLVMBuildNSWSub(b, high, low, ""), aic_int(e, 0)));
    aic_loop_end(e, &loop);
}

LLVMValueRef aic_emit_epilogue_strip(aic_emit *e, const aic_epilogue *p, const aic_epilogue_form *form,
                                     int64_t block_bytes, int64_t columns, bool last, const char *name)
{
    static const char *const PARAMS[] = {"target", "source", "table", "row", "count", "column"};
    aic_emit_function(e, name, false, PARAMS, 3, 3);
    LLVMValueRef function = e->function;
    strip s = {.e = e, .p = p, .block_bytes = block_bytes, .columns = columns, .last = last, .form = *form};
    s.table = aic_emit_param(e, 2);
    s.column = aic_emit_param(e, 5);
    emit_matrices(&s, aic_emit_param(e, 0), aic_emit_param(e, 1), aic_emit_param(e, 3), aic_emit_param(e, 4));
    aic_emit_function_end(e);
    return function;
}
