/* The part that stores a strip of accumulators. It is cut into slabs, some adjacent blocks of 16 columns; a slab is
 * computed row by row with its column parameters in registers. */
#include "codegen/integer.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/packet.h"

enum { LANES = AIC_EPILOGUE_LANES, SOURCE_BYTES = 4, ROW_BYTES = LANES * SOURCE_BYTES };

typedef struct walk {
    aic_emit *e;
    const aic_strip_key *k;
    const aic_scaling *p;                    /* its scaling */
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
    bool is_tail;                            /* it is the tail */
    LLVMValueRef mask;                       /* the columns of a row that are stored; NULL: `columns` of them are */
    bool filled;                             /* as many zeros are stored behind the columns */
    bool dense;                              /* rows of a packet follow each other in the target */
    int64_t row_bytes;                       /* of the target; 0: a number says it */
    LLVMValueRef target;                     /* address of the slab's first column in row 0 of the matrix */
    LLVMValueRef source;                     /* address of its first column in the first row of the call */
    LLVMValueRef inputs[AIC_EPILOGUE_STEPS]; /* like source, of the operands that steps read */
    aic_parameters parameters[AIC_EPILOGUE_BLOCKS];
} slab;

static int64_t target_bytes(const walk *w)
{
    return (int64_t)aic_dtype_size((aic_dtype)w->p->target);
}

/* ---- places ---- */

/* An address `row` rows behind another one of the slab's target. */
static LLVMValueRef target_row(const walk *w, const slab *c, LLVMValueRef target, int64_t row)
{
    if (row == 0 || c->row_bytes != 0) {
        return aic_at_const(w->e, target, row * c->row_bytes);
    }
    return aic_at(w->e, target, aic_number(w->e, "row.%lld", (long long)row));
}

/* An address in the operand of step `s`, some blocks of columns and rows behind another one. Where columns lie apart
 * they have most of the numbers. */
static LLVMValueRef input_block(const walk *w, unsigned s, LLVMValueRef input, int64_t block)
{
    return block == 0 ? input : aic_at(w->e, input, aic_number(w->e, "input%u.block.%lld", s, (long long)block));
}

static LLVMValueRef input_row(const walk *w, unsigned s, LLVMValueRef input, int64_t row)
{
    if (row == 0 || w->k->fixed[s]) {
        return input;
    }
    if (w->k->reads[s] == AIC_READS_APART) {
        return aic_at(w->e, input, aic_mul(w->e, aic_number(w->e, "input%u.row", s), row));
    }
    return aic_at(w->e, input, aic_number(w->e, "input%u.row.%lld", s, (long long)row));
}

/* ---- rows of a slab ---- */

/* Loads the accumulators of vector i of a packet. */
static LLVMValueRef load_vector(const walk *w, const slab *c, LLVMValueRef source, int64_t blocks, unsigned i)
{
    const unsigned across = c->packet.blocks * LANES, first = i * c->packet.lanes, column = first % across;
    const int64_t offset = first / across * ROW_BYTES + column % LANES * SOURCE_BYTES;
    return aic_load(w->e, aic_vector(w->e->i32, c->packet.lanes),
                    aic_at_nth(w->e, source, "source.block", blocks + column / LANES), offset, SOURCE_BYTES);
}

/* Loads step `s`'s operand for vector i of a packet, `blocks` blocks behind `input`. */
static LLVMValueRef load_input(const walk *w, const aic_packet *packet, unsigned s, LLVMValueRef input, int64_t blocks,
                               unsigned i)
{
    aic_emit *e = w->e;
    const unsigned across = packet->blocks * LANES, first = i * packet->lanes, column = first % across;
    input = input_row(w, s, input_block(w, s, input, blocks + column / LANES), first / across);
    if (w->k->reads[s] == AIC_READS_ROW) {
        return aic_load(e, aic_vector(e->i32, packet->lanes), input, (int64_t)(column % LANES) * SOURCE_BYTES,
                        SOURCE_BYTES);
    }
    if (w->k->reads[s] == AIC_READS_ONE) {
        return aic_splat(e, aic_load(e, e->i32, input, 0, SOURCE_BYTES), packet->lanes);
    }
    LLVMValueRef words = LLVMGetPoison(aic_vector(e->i32, packet->lanes));
    for (unsigned lane = 0; lane < packet->lanes; lane++) {
        const unsigned behind = column % LANES + lane;
        LLVMValueRef at = behind == 0 ? input : aic_at(e, input, aic_number(e, "input%u.column.%u", s, behind));
        LLVMValueRef one = aic_load(e, e->i32, at, 0, SOURCE_BYTES);
        words = LLVMBuildInsertElement(e->builder, words, one, LLVMConstInt(e->i32, lane, false), "");
    }
    return words;
}

/* Stores the first `count` lanes, contiguously. Stores that bypass the caches are cut to the alignment of rows. */
static void store(const walk *w, const slab *c, LLVMValueRef results, unsigned count, LLVMValueRef target)
{
    const unsigned size = (unsigned)target_bytes(w), all = LLVMGetVectorSize(LLVMTypeOf(results));
    if (!w->k->past) {
        aic_store_part(w->e, results, count, target, 0);
        return;
    }
    const unsigned most = (unsigned)w->k->align[c->is_tail] / size, part = most < all ? most : all;
    for (unsigned lane = 0; lane < all; lane += part) {
        LLVMValueRef some = part == all ? results : aic_lanes_of(w->e, results, lane, 1, part);
        aic_store_past(w->e, some, target, lane * (int64_t)size, part * size);
    }
}

/* Stores a row of 16 results and as many zeros. */
static void store_filled(const walk *w, const slab *c, LLVMValueRef row, LLVMValueRef target)
{
    LLVMValueRef both[] = {row, aic_zero(LLVMTypeOf(row))};
    store(w, c, aic_concat(w->e, both, 2), 2 * LANES, target);
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
        store(w, c, rows, c->packet.rows * split, aic_at_nth(w->e, target, "target.block", column / split));
    }
}

/* Stores rows of results, by one store if they are contiguous in memory. */
static void store_rows(const walk *w, const slab *c, LLVMValueRef results, unsigned rows, LLVMValueRef target)
{
    aic_emit *e = w->e;
    for (unsigned row = 0; c->filled && row < rows; row++) {
        store_filled(w, c, aic_lanes_of(e, results, row * LANES, 1, LANES), target_row(w, c, target, row));
    }
    if (c->filled) {
        return;
    }
    const unsigned across = c->packet.blocks * LANES;
    const unsigned split = w->k->width != 0 && w->k->width < LANES ? (unsigned)w->k->width : across;
    if (rows == c->packet.rows && c->columns == across && split == across && c->dense && c->mask == NULL) {
        store(w, c, results, LLVMGetVectorSize(LLVMTypeOf(results)), target);
        return;
    }
    if (rows == c->packet.rows && c->columns % split == 0 && c->dense && c->mask == NULL) {
        store_split(w, c, results, split, target);
        return;
    }
    for (unsigned row = 0; row < rows; row++) {
        if (c->mask != NULL) {
            LLVMValueRef some = aic_lanes_of(e, results, row * across, 1, across);
            aic_store_lanes(e, some, c->mask, target_row(w, c, target, row), 0);
            continue;
        }
        for (unsigned column = 0; column < c->columns; column += split) {
            unsigned left = c->columns - column;
            LLVMValueRef part = aic_lanes_of(e, results, row * across + column, 1, split);
            store(w, c, part, left, target_row(w, c, aic_at_nth(w->e, target, "target.block", column / split), row));
        }
    }
}

/* Addresses of a row of a slab: in the source, in the operands that steps read, and in the target. */
typedef struct row_addresses {
    LLVMValueRef source, inputs[AIC_EPILOGUE_STEPS], target;
} row_addresses;

/* Whether a step reads an operand itself, not through the table of column parameters. */
static bool step_reads(const walk *w, unsigned step)
{
    return w->k->reads[step] != AIC_READS_NOTHING;
}

/* Loads the steps' operands for `count` vectors of a packet. */
static void load_inputs(const walk *w, const slab *c, unsigned packet, const row_addresses *at, unsigned count,
                        aic_accumulators *from)
{
    const int64_t blocks = (int64_t)packet * c->packet.blocks;
    for (unsigned s = 0; s < w->k->steps; s++) {
        for (unsigned i = 0; i < count && step_reads(w, s); i++) {
            LLVMValueRef known = c->parameters[packet].input[s][i];
            from->input[s][i] = known != NULL ? known : load_input(w, &c->packet, s, at->inputs[s], blocks, i);
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
    for (unsigned i = 0; i < count; i++) {
        from.sum[i] = load_vector(w, c, at->source, blocks, i);
        aic_name(e, from.sum[i], "sum.v%u", packet * c->packet.count + i);
    }
    load_inputs(w, c, packet, at, count, &from);
    LLVMValueRef results = aic_packet_results(e, w->k, &c->packet, &c->parameters[packet], &from, count);
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
                            .target = target_row(w, c, from->target, row)};
        for (unsigned s = 0; s < w->k->steps; s++) {
            at.inputs[s] = from->inputs[s] == NULL ? NULL : input_row(w, s, from->inputs[s], row);
        }
        for (unsigned packet = 0; packet < c->packets; packet++) {
            emit_packet(w, c, packet, &at, single);
        }
    }
}

/* Bytes of `rows` rows of the target, and of a step's operand. */
static LLVMValueRef target_rows(const walk *w, const slab *c, LLVMValueRef rows)
{
    return c->row_bytes != 0 ? aic_mul(w->e, rows, c->row_bytes) : aic_scaled(w->e, rows, "target.row");
}

static LLVMValueRef input_rows(const walk *w, unsigned s, LLVMValueRef rows)
{
    return w->k->fixed[s] ? aic_int(w->e, 0) : aic_times(w->e, rows, aic_number(w->e, "input%u.row", s));
}

/* The addresses of row `first` of the slab. */
static row_addresses addresses_of(const walk *w, const slab *c, LLVMValueRef first)
{
    aic_emit *e = w->e;
    row_addresses at = {.source = aic_at(e, c->source, aic_mul(e, first, ROW_BYTES)),
                        .target = aic_at(e, c->target, target_rows(w, c, aic_add(e, w->row, first)))};
    for (unsigned s = 0; s < w->k->steps; s++) {
        at.inputs[s] = c->inputs[s] == NULL ? NULL : aic_at(e, c->inputs[s], input_rows(w, s, first));
    }
    return at;
}

/* Computes `count` rows, which are a multiple of `step`, or each alone. The loop carries the addresses and increments
 * them. */
static void emit_steps(const walk *w, const slab *c, LLVMValueRef count, int64_t step, bool single)
{
    aic_emit *e = w->e;
    const row_addresses first = addresses_of(w, c, aic_int(e, 0));
    LLVMValueRef carried[2 + AIC_EPILOGUE_STEPS] = {first.source, first.target};
    unsigned values = 2;
    for (unsigned s = 0; s < w->k->steps; s++) {
        if (first.inputs[s] != NULL) {
            carried[values++] = first.inputs[s];
        }
    }
    aic_loop loop;
    aic_loop_begin(e, &loop, single ? "row: rows, one at a time" : "rows: rows, some at a time", aic_int(e, 0), count,
                   step, carried, values);
    row_addresses at = {.source = carried[0], .target = carried[1]};
    carried[0] = aic_at_const(e, at.source, step * ROW_BYTES);
    carried[1] = target_row(w, c, at.target, step);
    for (unsigned s = 0, i = 2; s < w->k->steps; s++) {
        if (first.inputs[s] != NULL) {
            at.inputs[s] = carried[i];
            carried[i++] = input_row(w, s, at.inputs[s], step);
        }
    }
    emit_body(w, c, &at, step, single);
    aic_loop_end(e, &loop);
}

/* Computes all rows, `rows` of them in each iteration; on one path or the other. */
static void emit_rows(const walk *w, const slab *c, int64_t rows, bool slow)
{
    aic_emit *e = w->e;
    aic_loop loop;
    const int64_t step = aic_round_up(rows, c->packet.rows);
    const int64_t how = w->k->walk[(c->is_tail ? AIC_WALK_TAIL : 0) + (slow ? AIC_WALK_SLOW : 0)];
    LLVMValueRef none = aic_int(e, 0), count = w->count;
    if (how == AIC_WALK_SINGLES) {
        emit_steps(w, c, count, 1, true);
        return;
    }
    if (how == AIC_WALK_STEPS) {
        emit_steps(w, c, count, step, false);
        return;
    }
    LLVMValueRef last = LLVMBuildNSWSub(e->builder, count, aic_int(e, step), "");
    LLVMValueRef few = LLVMBuildICmp(e->builder, LLVMIntSLT, last, none, "");
    if (how == AIC_WALK_BOTH) {
        emit_steps(w, c, LLVMBuildSelect(e->builder, few, count, none, ""), 1, true);
        count = LLVMBuildSelect(e->builder, few, none, count, "");
    }
    aic_loop_begin(e, &loop, "rows: rows, some at a time", none, count, step, NULL, 0);
    const row_addresses at = addresses_of(w, c, aic_min(e, loop.index, last));
    emit_body(w, c, &at, step, false);
    aic_loop_end(e, &loop);
}

/* ---- slabs of a strip ---- */

/* The address of row 0 of a matrix at column number `column`. */
static LLVMValueRef slab_target(const walk *w, LLVMValueRef column)
{
    aic_emit *e = w->e;
    const int64_t width = w->k->width;
    if (width == 0) {
        return aic_at(e, w->target, aic_mul(e, column, target_bytes(w)));
    }
    LLVMValueRef number = LLVMBuildUDiv(e->builder, column, aic_int(e, width), "");
    LLVMValueRef target = aic_at_index(e, w->target, number, "target.block");
    if (width <= LANES) {
        return target; /* blocks of the source start one or two of the target */
    }
    return aic_at(e, target, aic_mul(e, LLVMBuildURem(e->builder, column, aic_int(e, width), ""), target_bytes(w)));
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

/* Sets the addresses of the slab in the operands that steps read. `number` is that of its first block. */
static void find_inputs(const walk *w, slab *c, LLVMValueRef number)
{
    aic_emit *e = w->e;
    for (unsigned s = 0; s < w->k->steps; s++) {
        if (w->inputs[s] != NULL) {
            c->inputs[s] = aic_at(e, w->inputs[s], aic_times(e, number, aic_number(e, "input%u.block", s)));
            c->inputs[s] = aic_at(e, c->inputs[s], input_rows(w, s, w->accumulated));
        }
    }
}

/* Loads those operands of a packet's steps that are the same in every row. */
static void read_fixed_inputs(const walk *w, slab *c, unsigned packet)
{
    for (unsigned s = 0; s < w->k->steps; s++) {
        for (unsigned i = 0; i < c->packet.count && w->inputs[s] != NULL && w->k->fixed[s]; i++) {
            c->parameters[packet].input[s][i] =
                load_input(w, &c->packet, s, c->inputs[s], (int64_t)packet * c->packet.blocks, i);
        }
    }
}

/* Loads the parameters of a slab whose first block has this number. */
static void read_parameters(const walk *w, slab *c, LLVMValueRef number)
{
    aic_emit *e = w->e;
    for (unsigned packet = 0; packet < c->packets; packet++) {
        LLVMValueRef first = aic_add(e, number, aic_int(e, packet * c->packet.blocks));
        aic_read_parameters(e, w->p, &c->packet, w->table, first, &c->parameters[packet]);
        read_fixed_inputs(w, c, packet);
        name_parameters(w, &c->packet, &c->parameters[packet], packet);
    }
}

/* Computes the rows of a slab by the code of one path; `limited` is a member of aic_parameters. */
static void emit_path_rows(const walk *w, slab *c, aic_path path, LLVMValueRef limited, bool slow)
{
    for (unsigned packet = 0; packet < c->packets; packet++) {
        c->parameters[packet].limited = limited;
        aic_choose_path(w->e, w->p, &c->packet, path, &c->parameters[packet]);
    }
    emit_rows(w, c, slow ? 1 : w->k->rows, slow);
}

/* A slab's place: its first block and column in the strip, and where it lies in the source. */
typedef struct place {
    LLVMValueRef block, column, source;
} place;

/* Computes a slab of `blocks` blocks. If the table decides at run time which path the columns need, there is code for
 * both paths; for the `few` columns of a tail only for the slower one, which handles all columns. */
static void emit_slab(const walk *w, slab *c, const place *at, int64_t blocks, bool few)
{
    aic_emit *e = w->e;
    const unsigned paths = aic_scaling_paths(w->p);
    c->packet = aic_packet_of(w->p, w->k->width, e->target, blocks);
    c->packets = (unsigned)blocks / c->packet.blocks;
    c->columns /= c->packets;
    aic_limit("packets of a slab", c->packets, AIC_EPILOGUE_BLOCKS);
    aic_limit("vectors of a packet", c->packet.count, AIC_PACKET_VECTORS);
    LLVMValueRef number = LLVMBuildUDiv(e->builder, w->column, aic_int(e, LANES), "");
    number = aic_add(e, number, at->block);
    c->target = slab_target(w, aic_add(e, w->column, at->column));
    c->source = aic_at(e, w->source, at->source);
    find_inputs(w, c, number);
    read_parameters(w, c, number);
    for (aic_path path = AIC_PATH_FAST; path < AIC_PATHS; path++) {
        const bool only = paths >> path == 1 && (few || paths == 1U << path);
        if (only) {
            emit_path_rows(w, c, path, NULL, false);
        } else if (!few && (paths >> path & 1) != 0) {
            aic_branch branch;
            aic_branch_begin(e, &branch, aic_takes_path(e, w->table, path));
            LLVMValueRef limited = aic_is_limited(e, w->p, w->table, path);
            emit_path_rows(w, c, path, limited, path != AIC_PATH_FAST);
            aic_branch_end(e, &branch);
        }
    }
}

/* Bytes of a row of a packet of a slab of `blocks` blocks, where these follow each other. */
static int64_t dense_bytes(const walk *w, int64_t blocks)
{
    const int64_t width = w->k->width;
    const aic_packet packet = aic_packet_of(w->p, width, w->e->target, blocks);
    return (width != 0 && width < LANES ? width : packet.blocks * (int64_t)LANES) * target_bytes(w);
}

/* Computes the strip: slabs of one size, of which the last one may overlap the one before it, then the tail. */
static void emit_slabs(const walk *w)
{
    aic_emit *e = w->e;
    const aic_strip_key *k = w->k;
    if (k->blocks > 0) {
        aic_loop loop;
        LLVMValueRef none = aic_int(e, 0), blocks = k->slabs ? aic_trips(e, "blocks") : aic_int(e, k->blocks);
        slab c = {.columns = (unsigned)(k->blocks * LANES),
                  .dense = k->dense,
                  .row_bytes = k->dense ? dense_bytes(w, k->blocks) : 0};
        aic_loop_begin(e, &loop, "slab: neighbouring blocks of 16 columns", none, blocks, k->blocks, NULL, 0);
        LLVMValueRef first = k->overlaps ? aic_min(e, loop.index, aic_number(e, "blocks.last")) : loop.index;
        const place at = {.block = first,
                          .column = aic_mul(e, first, LANES),
                          .source = k->slabs ? aic_scaled(e, first, "source.block") : none};
        emit_slab(w, &c, &at, k->blocks, false);
        aic_loop_end(e, &loop);
    }
    if (k->tail > 0) {
        const bool first = k->blocks == 0;
        slab c = {.columns = (unsigned)k->tail,
                  .is_tail = true,
                  .mask = k->masks ? aic_first_lanes(e, aic_number(e, "tail.columns"), LANES) : NULL,
                  .filled = k->filled,
                  .dense = k->tail_dense,
                  .row_bytes = k->narrow       ? LANES * target_bytes(w)
                               : k->tail_dense ? dense_bytes(w, 1)
                                               : 0};
        const place at = {.block = first ? aic_int(e, 0) : aic_number(e, "tail.block"),
                          .column = first ? aic_int(e, 0) : aic_number(e, "tail.column"),
                          .source = first ? aic_int(e, 0) : aic_number(e, "tail.source")};
        emit_slab(w, &c, &at, 1, k->few);
    }
}

/* ---- matrices ---- */

/* Computes the strip for every matrix that has some of the `count` rows from `row` on. */
static void emit_matrices(walk *w, LLVMValueRef target, LLVMValueRef source, LLVMValueRef row, LLVMValueRef count)
{
    aic_emit *e = w->e;
    LLVMBuilderRef b = e->builder;
    if (w->k->direct) {
        w->target = target;
        w->source = source;
        w->accumulated = w->row = row;
        w->count = count;
        emit_slabs(w);
        return;
    }
    LLVMValueRef first = aic_int(e, 0), end = aic_int(e, 1), past = aic_add(e, row, count), start = first;
    LLVMValueRef rows = aic_number(e, "rows");
    if (w->k->many) { /* the first that ends after `row`, the first that begins at `past` or later */
        LLVMValueRef step = aic_number(e, "matrix.source");
        LLVMValueRef above = aic_max(e, aic_add(e, row, aic_number(e, "matrix.gap")), aic_int(e, 0));
        first = LLVMBuildUDiv(b, above, step, "");
        LLVMValueRef begun = LLVMBuildUDiv(b, aic_add(e, past, aic_number(e, "matrix.up")), step, "");
        end = aic_min(e, begun, aic_number(e, "matrices"));
    }
    aic_loop loop;
    aic_loop_begin(e, &loop, "matrix: matrices of the result", first, end, 1, NULL, 0);
    w->target = target;
    if (w->k->many) {
        start = aic_scaled(e, loop.index, "matrix.source");
        w->target = aic_at_index(e, target, loop.index, "matrix.target");
    }
    LLVMValueRef low = aic_max(e, row, start), high = aic_min(e, past, aic_add(e, start, rows));
    w->source = aic_at(e, source, aic_mul(e, LLVMBuildNSWSub(b, low, row, ""), ROW_BYTES));
    w->accumulated = low;
    w->row = LLVMBuildNSWSub(b, low, start, "");
    w->count = aic_max(e, LLVMBuildNSWSub(b, high, low, ""), aic_int(e, 0));
    emit_slabs(w);
    aic_loop_end(e, &loop);
}

LLVMValueRef aic_emit_part_strip(aic_emit *e, const void *of, const char *name)
{
    static const char *const POINTERS[] = {"target", "source", "table"}, *const INTEGERS[] = {"row", "count", "column"};
    static const char *const INPUTS[] = {"input1", "input1_2", "input1_3", "input1_4", "input1_5", "input1_6"};
    enum { POINTERS_ALWAYS = 3, INTEGERS_ALWAYS = 3 };
    const char *names[POINTERS_ALWAYS + AIC_EPILOGUE_STEPS + INTEGERS_ALWAYS];
    const aic_strip_key *k = of;
    walk w = {.e = e, .k = k, .p = &k->scaling};
    unsigned pointers = POINTERS_ALWAYS;
    for (unsigned i = 0; i < POINTERS_ALWAYS; i++) {
        names[i] = POINTERS[i];
    }
    for (unsigned s = 0; s < k->steps; s++) {
        if (step_reads(&w, s)) {
            names[pointers] = INPUTS[pointers - POINTERS_ALWAYS];
            pointers++;
        }
    }
    for (unsigned i = 0; i < INTEGERS_ALWAYS; i++) {
        names[pointers + i] = INTEGERS[i];
    }
    aic_emit_function(e, name, k->fast ? AIC_EMIT_SELDOM : AIC_EMIT_HOT, names, pointers, INTEGERS_ALWAYS);
    aic_note_function(e, "epilogue of `count` rows from `row` on and a strip of columns from `column` on");
    w.table = aic_emit_param(e, 2);
    w.column = aic_emit_param(e, pointers + 2);
    for (unsigned s = 0, input = POINTERS_ALWAYS; s < k->steps; s++) {
        w.inputs[s] = step_reads(&w, s) ? aic_emit_param(e, input++) : NULL;
    }
    emit_matrices(&w, aic_emit_param(e, 0), aic_emit_param(e, 1), aic_emit_param(e, pointers),
                  aic_emit_param(e, pointers + 1));
    return aic_emit_function_end(e);
}
