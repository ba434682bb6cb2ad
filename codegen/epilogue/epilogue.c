/* The loops of epilogues. A strip of accumulators is cut into slabs, some adjacent blocks of 16 columns; a slab is
 * computed row by row with its column parameters in registers. */
#include "codegen/epilogue/epilogue.h"
#include "codegen/epilogue/value.h"
#include "codegen/integer.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"

enum { LANES = AIC_EPILOGUE_LANES, SOURCE_BYTES = 4, ROW_BYTES = LANES * SOURCE_BYTES };

typedef struct walk {
    aic_emit *e;
    const aic_epilogue *p;
    const aic_epilogue_strip *s;
    LLVMValueRef table, column;              /* of the strip */
    LLVMValueRef inputs[AIC_EPILOGUE_STEPS]; /* operands of steps; NULL where they have none */
    /* The rows of one matrix: `count` of them, the first at `source`, row `row` of the matrix at `target`. */
    LLVMValueRef target, source, row, count;
    LLVMValueRef accumulated; /* the number of the first of these rows among the rows of all matrices */
} walk;

/* A slab: adjacent blocks of columns whose results are contiguous in memory, too; some packets side by side. */
typedef struct slab {
    aic_packet packet;
    unsigned packets;
    unsigned columns;                        /* columns of a packet that are stored: fewer than all in the last slab */
    bool filled;                             /* as many zeros are stored behind them */
    int64_t row_bytes;                       /* of the target */
    LLVMValueRef target;                     /* address of the slab's first column in row 0 of the matrix */
    LLVMValueRef source;                     /* address of its first column in the first row of the call */
    LLVMValueRef inputs[AIC_EPILOGUE_STEPS]; /* like source, of the operands that steps read */
    aic_parameters parameters[AIC_EPILOGUE_BLOCKS];
} slab;

static int64_t target_bytes(const walk *w)
{
    return (int64_t)aic_dtype_size(w->p->target);
}

/* ---- rows of a slab ---- */

/* Loads the accumulators of vector i of a packet. */
static LLVMValueRef load_vector(const walk *w, const slab *c, LLVMValueRef source, unsigned i)
{
    const unsigned across = c->packet.blocks * LANES, first = i * c->packet.lanes, column = first % across;
    int64_t offset = column / LANES * w->s->block_bytes + first / across * ROW_BYTES + column % LANES * SOURCE_BYTES;
    return aic_load(w->e, aic_vector(w->e->i32, c->packet.lanes), source, offset, SOURCE_BYTES);
}

/* Loads a step's operand for vector i of a packet, whose first word is at `input`. */
static LLVMValueRef load_input(const walk *w, const aic_packet *packet, const aic_step *step, LLVMValueRef input,
                               unsigned i)
{
    aic_emit *e = w->e;
    const unsigned across = packet->blocks * LANES, first = i * packet->lanes, column = first % across;
    const int64_t offset = column / LANES * step->block + first / across * step->row + column % LANES * step->column;
    if (step->column == SOURCE_BYTES) {
        return aic_load(e, aic_vector(e->i32, packet->lanes), input, offset, SOURCE_BYTES);
    }
    if (step->column == 0) {
        return aic_splat(e, aic_load(e, e->i32, input, offset, SOURCE_BYTES), packet->lanes);
    }
    LLVMValueRef words = LLVMGetPoison(aic_vector(e->i32, packet->lanes));
    for (unsigned lane = 0; lane < packet->lanes; lane++) {
        LLVMValueRef one = aic_load(e, e->i32, input, offset + lane * step->column, SOURCE_BYTES);
        words = LLVMBuildInsertElement(e->builder, words, one, LLVMConstInt(e->i32, lane, false), "");
    }
    return words;
}

/* The alignment of every row if the target is aligned: the largest power of two, at most a line, that divides a row. */
static unsigned row_align(const slab *c)
{
    unsigned align = AIC_LINE_BYTES;
    while (c->row_bytes % align != 0) {
        align /= 2;
    }
    return align;
}

/* Stores the first `count` lanes, contiguously. Stores that bypass the caches are cut to the alignment of rows. */
static void store(const walk *w, const slab *c, LLVMValueRef results, unsigned count, LLVMValueRef target,
                  int64_t offset)
{
    const unsigned size = (unsigned)target_bytes(w), all = LLVMGetVectorSize(LLVMTypeOf(results));
    const unsigned most = row_align(c) / size, part = most < all ? most : all;
    if (!w->s->past) {
        aic_store_part(w->e, results, count, target, offset);
        return;
    }
    for (unsigned lane = 0; lane < all; lane += part) {
        LLVMValueRef some = part == all ? results : aic_lanes_of(w->e, results, lane, 1, part);
        aic_store_past(w->e, some, target, offset + lane * size, part * size);
    }
}

/* Stores a row of 16 results and as many zeros. */
static void store_filled(const walk *w, const slab *c, LLVMValueRef row, LLVMValueRef target, int64_t offset)
{
    LLVMValueRef both[] = {row, aic_zero(LLVMTypeOf(row))};
    store(w, c, aic_concat(w->e, both, 2), 2 * LANES, target, offset);
}

/* Stores rows of results to target blocks of `split` columns whose rows are contiguous: one store for each block, as
 * stores that alternate between blocks would write parts of lines. */
static void store_split(const walk *w, const slab *c, LLVMValueRef results, unsigned split, LLVMValueRef target)
{
    const unsigned across = c->packet.blocks * LANES;
    unsigned from[AIC_LANES_MAX];
    aic_limit("results of a target block", c->packet.rows * split, AIC_LANES_MAX);
    for (unsigned column = 0; column < c->columns; column += split) {
        for (unsigned i = 0; i < c->packet.rows * split; i++) {
            from[i] = i / split * across + column + i % split;
        }
        LLVMValueRef rows = aic_permute(w->e, results, from, c->packet.rows * split);
        store(w, c, rows, c->packet.rows * split, target, column / split * w->p->target_block);
    }
}

/* Stores rows of results, by one store if they are contiguous in memory. */
static void store_rows(const walk *w, const slab *c, LLVMValueRef results, unsigned rows, LLVMValueRef target)
{
    aic_emit *e = w->e;
    for (unsigned row = 0; c->filled && row < rows; row++) {
        store_filled(w, c, aic_lanes_of(e, results, row * LANES, 1, LANES), target, row * c->row_bytes);
    }
    if (c->filled) {
        return;
    }
    const unsigned across = c->packet.blocks * LANES;
    const unsigned split = (unsigned)(w->p->width < LANES ? w->p->width : across);
    if (rows == c->packet.rows && c->columns == across && split == across && c->row_bytes == across * target_bytes(w)) {
        store(w, c, results, LLVMGetVectorSize(LLVMTypeOf(results)), target, 0);
        return;
    }
    if (rows == c->packet.rows && rows > 1 && c->columns % split == 0 && c->row_bytes == split * target_bytes(w)) {
        store_split(w, c, results, split, target);
        return;
    }
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned column = 0; column < c->columns; column += split) {
            unsigned left = c->columns - column;
            LLVMValueRef part = aic_lanes_of(e, results, row * across + column, 1, split);
            store(w, c, part, left, target, row * c->row_bytes + column / split * w->p->target_block);
        }
    }
}

/* Addresses of a row of a slab: in the source, in the operands that steps read, and in the target. */
typedef struct row_addresses {
    LLVMValueRef source, inputs[AIC_EPILOGUE_STEPS], target;
} row_addresses;

/* Loads the steps' operands for `count` vectors of a packet. */
static void load_inputs(const walk *w, const slab *c, unsigned packet, const row_addresses *at, unsigned count,
                        aic_accumulators *from)
{
    const int64_t blocks = (int64_t)packet * c->packet.blocks;
    for (unsigned s = 0; s < w->p->steps; s++) {
        const aic_step *step = &w->p->step[s];
        for (unsigned i = 0; i < count && aic_step_reads(step); i++) {
            LLVMValueRef known = c->parameters[packet].input[s][i];
            LLVMValueRef input = aic_at_const(w->e, at->inputs[s], blocks * step->block);
            from->input[s][i] = known != NULL ? known : load_input(w, &c->packet, step, input, i);
            aic_name(w->e, from->input[s][i], "input%u.v%u", s, packet * c->packet.count + i);
        }
    }
}

/* Computes all rows of a packet, or only its first row. */
static void emit_packet(const walk *w, const slab *c, unsigned packet, const row_addresses *at, bool single)
{
    aic_emit *e = w->e;
    aic_accumulators from = {.sum = {NULL}};
    const int64_t blocks = (int64_t)packet * c->packet.blocks;
    const unsigned count = single ? c->packet.blocks * LANES / c->packet.lanes : c->packet.count;
    LLVMValueRef source = aic_at_const(e, at->source, blocks * w->s->block_bytes);
    for (unsigned i = 0; i < count; i++) {
        from.sum[i] = load_vector(w, c, source, i);
        aic_name(e, from.sum[i], "sum.v%u", packet * c->packet.count + i);
    }
    load_inputs(w, c, packet, at, count, &from);
    LLVMValueRef results = aic_epilogue_results(e, w->p, &c->packet, &c->parameters[packet], &from, count);
    LLVMValueRef target = aic_at_const(e, at->target, blocks * LANES * target_bytes(w));
    aic_name(e, results, "result.u%u", packet);
    store_rows(w, c, results, single ? 1 : c->packet.rows, target);
}

/* Computes `rows` rows of the slab from these addresses on, in packets; or a single row. */
static void emit_body(const walk *w, const slab *c, const row_addresses *from, int64_t rows, bool single)
{
    aic_emit *e = w->e;
    for (int64_t row = 0; row < rows; row += c->packet.rows) {
        row_addresses at = {.source = aic_at_const(e, from->source, row * ROW_BYTES),
                            .target = aic_at_const(e, from->target, row * c->row_bytes)};
        for (unsigned s = 0; s < w->p->steps; s++) {
            at.inputs[s] = from->inputs[s] == NULL ? NULL : aic_at_const(e, from->inputs[s], row * w->p->step[s].row);
        }
        for (unsigned packet = 0; packet < c->packets; packet++) {
            emit_packet(w, c, packet, &at, single);
        }
    }
}

/* The addresses of row `first` of the slab. */
static row_addresses addresses_of(const walk *w, const slab *c, LLVMValueRef first)
{
    aic_emit *e = w->e;
    row_addresses at = {.source = aic_at(e, c->source, aic_mul(e, first, ROW_BYTES)),
                        .target = aic_at(e, c->target, aic_mul(e, aic_add(e, w->row, first), c->row_bytes))};
    for (unsigned s = 0; s < w->p->steps; s++) {
        at.inputs[s] = c->inputs[s] == NULL ? NULL : aic_at(e, c->inputs[s], aic_mul(e, first, w->p->step[s].row));
    }
    return at;
}

static void emit_singles(const walk *w, const slab *c, LLVMValueRef count)
{
    aic_emit *e = w->e;
    aic_loop loop;
    aic_loop_begin(e, &loop, "row: rows, one at a time", aic_int(e, 0), count, 1, NULL, 0);
    const row_addresses at = addresses_of(w, c, loop.index);
    emit_body(w, c, &at, 1, true);
    aic_loop_end(e, &loop);
}

/* Computes all rows, which are a multiple of `step`. The loop carries the addresses and increments them. */
static void emit_steps(const walk *w, const slab *c, int64_t step)
{
    aic_emit *e = w->e;
    const row_addresses first = addresses_of(w, c, aic_int(e, 0));
    LLVMValueRef carried[2 + AIC_EPILOGUE_STEPS] = {first.source, first.target};
    unsigned count = 2;
    for (unsigned s = 0; s < w->p->steps; s++) {
        if (first.inputs[s] != NULL) {
            carried[count++] = first.inputs[s];
        }
    }
    aic_loop loop;
    aic_loop_begin(e, &loop, "rows: rows, some at a time", aic_int(e, 0), w->count, step, carried, count);
    row_addresses at = {.source = carried[0], .target = carried[1]};
    carried[0] = aic_at_const(e, at.source, step * ROW_BYTES);
    carried[1] = aic_at_const(e, at.target, step * c->row_bytes);
    for (unsigned s = 0, i = 2; s < w->p->steps; s++) {
        if (first.inputs[s] != NULL) {
            at.inputs[s] = carried[i];
            carried[i++] = aic_at_const(e, at.inputs[s], step * w->p->step[s].row);
        }
    }
    emit_body(w, c, &at, step, false);
    aic_loop_end(e, &loop);
}

/* Computes all rows, `rows` of them in each iteration. The last iteration may overlap the one before it; if there are
 * fewer rows than that, they are computed one by one. */
static void emit_rows(const walk *w, const slab *c, int64_t rows)
{
    aic_emit *e = w->e;
    aic_loop loop;
    const int64_t step = aic_round_up(rows, c->packet.rows);
    if (step == 1 || w->s->most_rows < step) {
        emit_singles(w, c, w->count);
        return;
    }
    LLVMValueRef none = aic_int(e, 0);
    if (w->s->row_multiple > 0 && w->s->row_multiple % step == 0) {
        emit_steps(w, c, step);
        return;
    }
    LLVMValueRef last = LLVMBuildNSWSub(e->builder, w->count, aic_int(e, step), "");
    LLVMValueRef few = LLVMBuildICmp(e->builder, LLVMIntSLT, last, none, ""), count = w->count;
    if (w->s->least_rows < step) {
        emit_singles(w, c, LLVMBuildSelect(e->builder, few, count, none, ""));
        count = LLVMBuildSelect(e->builder, few, none, count, "");
    }
    aic_loop_begin(e, &loop, "rows: rows, some at a time", none, count, step, NULL, 0);
    const row_addresses at = addresses_of(w, c, aic_min(e, loop.index, last));
    emit_body(w, c, &at, step, false);
    aic_loop_end(e, &loop);
}

/* ---- slabs of a strip ---- */

static LLVMValueRef slab_target(const walk *w, LLVMValueRef block)
{
    aic_emit *e = w->e;
    const aic_epilogue *p = w->p;
    LLVMValueRef column = aic_add(e, w->column, aic_mul(e, block, LANES));
    if (p->width >= p->columns) {
        return aic_at(e, w->target, aic_mul(e, column, target_bytes(w)));
    }
    LLVMValueRef width = aic_int(e, p->width), number = LLVMBuildUDiv(e->builder, column, width, "");
    LLVMValueRef target = aic_at(e, w->target, aic_mul(e, number, p->target_block));
    if (p->width <= LANES) {
        return target; /* blocks of the source start one or two of the target */
    }
    return aic_at(e, target, aic_mul(e, LLVMBuildURem(e->builder, column, width, ""), target_bytes(w)));
}

static void name_parameters(const walk *w, const aic_packet *packet, const aic_parameters *p, unsigned number)
{
    for (unsigned i = 0; i < packet->count; i++) {
        const struct {
            const char *name;
            LLVMValueRef value;
        } named[] = {{"scale", p->scale[i]}, {"bias", p->bias[i]}, {"shift", p->mask[i]}};
        for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
            if (named[k].value != NULL) {
                aic_name(w->e, named[k].value, "%s.v%u", named[k].name, number * packet->count + i);
            }
        }
    }
}

/* Sets the addresses of the slab in the operands that steps read. */
static void find_inputs(const walk *w, slab *c, LLVMValueRef block)
{
    aic_emit *e = w->e;
    LLVMValueRef number = aic_add(e, LLVMBuildUDiv(e->builder, w->column, aic_int(e, LANES), ""), block);
    for (unsigned s = 0; s < w->p->steps; s++) {
        const aic_step *step = &w->p->step[s];
        if (w->inputs[s] != NULL) {
            c->inputs[s] = aic_at(e, w->inputs[s], aic_mul(e, number, step->block));
            c->inputs[s] = aic_at(e, c->inputs[s], aic_mul(e, w->accumulated, step->row));
        }
    }
}

/* Loads those operands of a packet's steps that are the same in every row. */
static void read_fixed_inputs(const walk *w, slab *c, unsigned packet)
{
    for (unsigned s = 0; s < w->p->steps; s++) {
        const aic_step *step = &w->p->step[s];
        if (w->inputs[s] == NULL || step->row != 0) {
            continue;
        }
        LLVMValueRef input = aic_at_const(w->e, c->inputs[s], (int64_t)packet * c->packet.blocks * step->block);
        for (unsigned i = 0; i < c->packet.count; i++) {
            c->parameters[packet].input[s][i] = load_input(w, &c->packet, step, input, i);
        }
    }
}

/* Loads the parameters of a slab whose first block is number `block` of the strip. */
static void read_parameters(const walk *w, slab *c, LLVMValueRef block)
{
    aic_emit *e = w->e;
    LLVMValueRef number = LLVMBuildUDiv(e->builder, w->column, aic_int(e, LANES), "");
    number = aic_add(e, number, block);
    for (unsigned packet = 0; packet < c->packets; packet++) {
        LLVMValueRef first = aic_add(e, number, aic_int(e, packet * c->packet.blocks));
        aic_epilogue_parameters(e, w->p, &c->packet, w->table, first, &c->parameters[packet]);
        read_fixed_inputs(w, c, packet);
        name_parameters(w, &c->packet, &c->parameters[packet], packet);
    }
}

/* Computes the rows of a slab by the code of one path; `limited` is a member of aic_parameters. */
static void emit_path_rows(const walk *w, slab *c, aic_path path, LLVMValueRef limited, int64_t rows)
{
    for (unsigned packet = 0; packet < c->packets; packet++) {
        c->parameters[packet].limited = limited;
        aic_epilogue_choose_path(w->e, w->p, &c->packet, path, &c->parameters[packet]);
    }
    emit_rows(w, c, rows);
}

/* Computes a slab of `blocks` blocks. If the table decides at run time which path the columns need, there is code for
 * both paths; for the `few` columns of a tail only for the slower one, which handles all columns. */
static void emit_slab(const walk *w, LLVMValueRef block, int64_t blocks, unsigned columns, int64_t row_bytes, bool few,
                      bool filled)
{
    aic_emit *e = w->e;
    const unsigned paths = aic_epilogue_paths(w->p);
    slab c = {.packet = aic_epilogue_packet(w->p, e->target, blocks), .row_bytes = row_bytes};
    c.packets = (unsigned)blocks / c.packet.blocks;
    aic_limit("packets of a slab", c.packets, AIC_EPILOGUE_BLOCKS);
    aic_limit("vectors of a packet", c.packet.count, AIC_PACKET_VECTORS);
    c.columns = columns / c.packets;
    c.target = slab_target(w, block);
    c.filled = filled;
    c.source = aic_at(e, w->source, aic_mul(e, block, w->s->block_bytes));
    find_inputs(w, &c, block);
    read_parameters(w, &c, block);
    for (aic_path path = AIC_PATH_FAST; path < AIC_PATHS; path++) {
        const bool only = paths >> path == 1 && (few || paths == 1U << path);
        if (only) {
            emit_path_rows(w, &c, path, NULL, w->s->form.rows);
        } else if (!few && (paths >> path & 1) != 0) {
            aic_branch branch;
            aic_branch_begin(e, &branch, aic_epilogue_takes_path(e, w->table, path));
            LLVMValueRef limited = aic_epilogue_is_limited(e, w->p, w->table, path);
            emit_path_rows(w, &c, path, limited, path == AIC_PATH_FAST ? w->s->form.rows : 1);
            aic_branch_end(e, &branch);
        }
    }
}

/* Blocks of a slab whose results are contiguous in memory, at most as many as the form has. */
static int64_t neighbours_of(const aic_epilogue *p, const aic_epilogue_strip *s)
{
    int64_t most = s->form.blocks;
    if (p->width >= p->columns) {
        return most;
    }
    int64_t together = p->width / LANES; /* all slabs must begin with a block of the target */
    const bool whole = s->step % p->width == 0 && (s->columns % p->width == 0 || p->tail.narrow || p->tail.fill);
    return p->width > LANES && whole && most >= together ? together : 1;
}

/* Columns of the tail, a slab of its own: a narrow or filled last block, or one of fewer than 16 columns; 0: none. */
static int64_t tail_columns(const aic_epilogue *p, const aic_epilogue_strip *s)
{
    return s->last && (p->tail.narrow || p->tail.fill) ? LANES : s->columns % LANES;
}

/* Blocks of the slabs into which the `whole` blocks before the tail are cut. */
static int64_t slab_blocks(const aic_epilogue *p, const aic_epilogue_strip *s, int64_t whole)
{
    int64_t size = neighbours_of(p, s);
    while (size > whole && size > 1) {
        size /= 2;
    }
    return size;
}

bool aic_epilogue_strip_fills_lines(const aic_epilogue *p, const aic_epilogue_strip *strip)
{
    const int64_t bytes = (int64_t)aic_dtype_size(p->target), whole = (strip->columns - tail_columns(p, strip)) / LANES;
    const int64_t across = slab_blocks(p, strip, whole) * LANES * bytes; /* of a slab */
    if (strip->columns % LANES != 0 || p->target_matrix % AIC_LINE_BYTES != 0) {
        return false;
    }
    if (p->width >= p->columns) { /* a row of a slab is lines */
        return p->target_row % AIC_LINE_BYTES == 0 && strip->columns * bytes % AIC_LINE_BYTES == 0 &&
               across % AIC_LINE_BYTES == 0;
    }
    /* rows of a slab follow each other */
    const int64_t width = p->width * bytes;
    return p->target_row == width && AIC_LINE_BYTES % width == 0 && across % width == 0 &&
           p->target_block % AIC_LINE_BYTES == 0;
}

/* Computes the strip: slabs of one size, of which the last one may overlap the one before it, then the tail. */
static void emit_slabs(const walk *w)
{
    aic_emit *e = w->e;
    const int64_t row_bytes = w->p->target_row;
    const bool narrow = w->s->last && w->p->tail.narrow, filled = w->s->last && w->p->tail.fill;
    const int64_t tail = tail_columns(w->p, w->s), whole = (w->s->columns - tail) / LANES;
    const int64_t size = slab_blocks(w->p, w->s, whole);
    if (whole > 0) {
        aic_loop loop;
        aic_loop_begin(e, &loop, "slab: neighbouring blocks of 16 columns", aic_int(e, 0), aic_int(e, whole), size,
                       NULL, 0);
        LLVMValueRef first = whole % size == 0 ? loop.index : aic_min(e, loop.index, aic_int(e, whole - size));
        emit_slab(w, first, size, (unsigned)(size * LANES), row_bytes, false, false);
        aic_loop_end(e, &loop);
    }
    if (tail > 0) {
        emit_slab(w, aic_int(e, whole), 1, (unsigned)tail, narrow ? LANES * target_bytes(w) : row_bytes,
                  (int64_t)tail < w->p->columns, filled);
    }
}

/* ---- matrices ---- */

/* Computes the strip for every matrix that has some of the `count` rows from `row` on. */
static void emit_matrices(walk *w, LLVMValueRef target, LLVMValueRef source, LLVMValueRef row, LLVMValueRef count)
{
    aic_emit *e = w->e;
    LLVMBuilderRef b = e->builder;
    const aic_epilogue *p = w->p;
    if (w->s->row_multiple > 0) {
        w->target = target;
        w->source = source;
        w->accumulated = w->row = row;
        w->count = count;
        emit_slabs(w);
        return;
    }
    LLVMValueRef first = aic_int(e, 0), end = aic_int(e, p->matrices), past = aic_add(e, row, count);
    if (p->matrices > 1) { /* the first that ends after `row`, the first that begins at `past` or later */
        LLVMValueRef step = aic_int(e, p->source_matrix);
        LLVMValueRef above = aic_max(e, aic_add(e, row, aic_int(e, p->source_matrix - p->rows)), aic_int(e, 0));
        first = LLVMBuildUDiv(b, above, step, "");
        LLVMValueRef begun = LLVMBuildUDiv(b, aic_add(e, past, aic_int(e, p->source_matrix - 1)), step, "");
        end = aic_min(e, begun, end);
    }
    aic_loop loop;
    aic_loop_begin(e, &loop, "matrix: matrices of the result", first, end, 1, NULL, 0);
    LLVMValueRef start = aic_mul(e, loop.index, p->source_matrix);
    LLVMValueRef low = aic_max(e, row, start), high = aic_min(e, past, aic_add(e, start, aic_int(e, p->rows)));
    w->target = aic_at(e, target, aic_mul(e, loop.index, p->target_matrix));
    w->source = aic_at(e, source, aic_mul(e, LLVMBuildNSWSub(b, low, row, ""), ROW_BYTES));
    w->accumulated = low;
    w->row = LLVMBuildNSWSub(b, low, start, "");
    w->count = aic_max(e, LLVMBuildNSWSub(b, high, low, ""), aic_int(e, 0));
    emit_slabs(w);
    aic_loop_end(e, &loop);
}

LLVMValueRef aic_emit_epilogue_strip(aic_emit *e, const aic_epilogue *p, const aic_epilogue_strip *strip,
                                     const char *name)
{
    static const char *const POINTERS[] = {"target", "source", "table"}, *const INTEGERS[] = {"row", "count", "column"};
    static const char *const INPUTS[] = {"input1", "input1_2", "input1_3", "input1_4", "input1_5", "input1_6"};
    enum { POINTERS_ALWAYS = 3, INTEGERS_ALWAYS = 3 };
    const char *names[POINTERS_ALWAYS + AIC_EPILOGUE_STEPS + INTEGERS_ALWAYS];
    unsigned operand[AIC_EPILOGUE_STEPS];
    const unsigned pointers = POINTERS_ALWAYS + aic_epilogue_inputs(p, operand);
    for (unsigned i = 0; i < pointers; i++) {
        names[i] = i < POINTERS_ALWAYS ? POINTERS[i] : INPUTS[i - POINTERS_ALWAYS];
    }
    for (unsigned i = 0; i < INTEGERS_ALWAYS; i++) {
        names[pointers + i] = INTEGERS[i];
    }
    aic_emit_function(e, name, strip->kind, names, pointers, INTEGERS_ALWAYS);
    aic_note_function(e, "epilogue of `count` rows from `row` on and %lld columns from `column` on",
                      (long long)strip->columns);
    LLVMValueRef function = e->function;
    walk w = {.e = e, .p = p, .s = strip, .table = aic_emit_param(e, 2), .column = aic_emit_param(e, pointers + 2)};
    for (unsigned s = 0, input = POINTERS_ALWAYS; s < p->steps; s++) {
        w.inputs[s] = aic_step_reads(&p->step[s]) ? aic_emit_param(e, input++) : NULL;
    }
    emit_matrices(&w, aic_emit_param(e, 0), aic_emit_param(e, 1), aic_emit_param(e, pointers),
                  aic_emit_param(e, pointers + 1));
    aic_emit_function_end(e);
    return function;
}
