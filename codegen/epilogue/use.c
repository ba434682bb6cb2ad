/* The table and the strips of an epilogue as uses of parts: their keys and their numbers. */
#include "codegen/epilogue/epilogue.h"
#include "codegen/integer.h"
#include "codegen/parts/scaling.h"

enum { LANES = AIC_EPILOGUE_LANES };

static int64_t target_bytes(const aic_epilogue *p)
{
    return (int64_t)aic_dtype_size(p->target);
}

/* ---- the table ---- */

aic_scaling aic_epilogue_scaling(const aic_epilogue *p)
{
    const bool known = (p->scale == AIC_SCALE_WORD || p->scale == AIC_SCALE_HALF) && p->scale_operand == 0;
    return (aic_scaling){.source = p->source,
                         .target = p->target,
                         .bias = aic_epilogue_bias_type(p),
                         .bias_last = aic_epilogue_bias_is_last(p),
                         .relu = p->relu,
                         .scale = p->scale,
                         .need = p->need,
                         .known = known,
                         .word = known ? p->word : 0,
                         .shift = p->reads.shift,
                         .full_scale = p->reads.full_scale,
                         .unsigned_offset = p->reads.unsigned_offset,
                         .wide_products = p->reads.wide_products,
                         .saturate = p->saturate};
}

int64_t aic_epilogue_table_bytes(const aic_epilogue *p)
{
    const aic_scaling scaling = aic_epilogue_scaling(p);
    return aic_table_bytes(&scaling, p->columns);
}

aic_routine aic_compose_epilogue_table(aic_program *program, const aic_epilogue *p, const aic_target *target,
                                       aic_emit_kind kind)
{
    aic_columns_key key = {.scaling = aic_epilogue_scaling(p), .fast = kind == AIC_EMIT_SELDOM};
    if (aic_table_bytes(&key.scaling, p->columns) == 0) {
        return 0;
    }
    const bool same = aic_table_is_one_block(&key.scaling);
    const int64_t columns = same ? LANES : p->columns, lanes = aic_table_lanes(target);
    /* one vector is no loop, which would load all constants before it begins */
    const bool alone = !same && columns == LANES && lanes == LANES;
    const int64_t last = alone ? 0 : columns / LANES, rest = columns - last * LANES;
    key.whole = !alone && columns >= lanes;
    key.masks = !alone && rest != 0 && aic_has_masks(target) && lanes == LANES;
    key.rest = key.masks ? LANES : rest;
    aic_use use;
    aic_use_begin(&use, program, &aic_part_columns, &key);
    if (key.whole && !same) {
        aic_use_trips(&use, columns / lanes, "whole");
    }
    if (key.rest != 0) {
        aic_use_number(&use, last * aic_table_block_bytes(&key.scaling), "last.entry");
        aic_use_number(&use, last * LANES * (int64_t)sizeof(uint64_t), "last.words");
        aic_use_number(&use, last * LANES * (int64_t)sizeof(uint32_t), "last.bias");
    }
    if (key.masks) {
        aic_use_number(&use, rest, "last.columns");
    }
    return aic_program_add(program, &use, "table");
}

aic_routine aic_compose_epilogue_phase(aic_program *program, const aic_plan *plan, const aic_epilogue *p,
                                       aic_routine table)
{
    const aic_parameters_key key = {
        .operands = (int64_t)plan->operands, .scale = p->scale_operand, .bias = aic_epilogue_bias(p)};
    aic_use use;
    aic_use_begin(&use, program, &aic_part_parameters, &key);
    aic_use_call(&use, table, "table");
    return aic_program_add(program, &use, "columns");
}

/* ---- slabs of a strip ---- */

/* Columns of a target block as a key has them: rows of fewer than 16 columns are stored like blocks, some rows at a
 * time where they follow each other, but by a mask where they do not and there are masks. */
static int64_t width_of(const aic_epilogue *p, const aic_target *target)
{
    const int64_t bytes = p->width * (int64_t)aic_dtype_size(p->target);
    const bool masks = aic_has_masks(target) && p->target_row != bytes;
    return p->width >= p->columns && (p->width >= LANES || masks) ? 0 : p->width;
}

aic_packet aic_epilogue_packet(const aic_epilogue *p, const aic_target *target, int64_t blocks)
{
    const aic_scaling scaling = aic_epilogue_scaling(p);
    return aic_packet_of(&scaling, width_of(p, target), target, blocks);
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
    if (p->target_matrix % AIC_LINE_BYTES != 0) {
        return false;
    }
    if (p->width >= p->columns) { /* a row of a slab is lines */
        return p->target_row % AIC_LINE_BYTES == 0 && strip->columns * bytes % AIC_LINE_BYTES == 0 &&
               across % AIC_LINE_BYTES == 0;
    }
    /* rows of a slab, which are a line or divide one, follow each other */
    return across % (p->width * bytes) == 0 && p->target_block % AIC_LINE_BYTES == 0;
}

aic_epilogue_slab aic_epilogue_slab_of(const aic_epilogue *p, const aic_target *target, int64_t columns)
{
    const aic_epilogue_strip strip = {
        .form = aic_epilogue_strip_form(p, target, columns), .columns = columns, .step = aic_round_up(columns, LANES)};
    const int64_t whole = aic_parts(columns, LANES), blocks = slab_blocks(p, &strip, whole);
    const aic_packet packet = aic_epilogue_packet(p, target, blocks);
    return (aic_epilogue_slab){.packet = packet,
                               .count = aic_parts(whole, packet.blocks),
                               .apart = p->target_row != packet.blocks * LANES * target_bytes(p)};
}

/* ---- strips ---- */

/* A strip that is being used. */
typedef struct using
{
    const aic_epilogue *p;
    const aic_epilogue_strip *strip;
    const aic_target *target;
    int64_t whole; /* blocks before the tail */
    aic_strip_key key;
    aic_use use;
}
using;

/* How rows are cut of which an iteration takes `step`. */
static aic_walk walk_of(const aic_epilogue_strip *s, int64_t step)
{
    if (step == 1 || s->most_rows < step) {
        return AIC_WALK_SINGLES;
    }
    if (s->row_multiple > 0 && s->row_multiple % step == 0) {
        return AIC_WALK_STEPS;
    }
    return s->least_rows < step ? AIC_WALK_BOTH : AIC_WALK_OVERLAPS;
}

/* Sets what depends on the packets of slabs of `blocks` blocks. Returns whether the rows of one follow each other in a
 * target of which a row has `row_bytes`. */
static bool set_walks(using *u, int64_t blocks, int index, int64_t row_bytes)
{
    const int64_t width = u->key.width;
    const aic_packet packet = aic_packet_of(&u->key.scaling, width, u->target, blocks);
    const int64_t columns = width != 0 && width < LANES ? width : packet.blocks * (int64_t)LANES;
    u->key.walk[index] = walk_of(u->strip, aic_round_up(u->strip->form.rows, packet.rows));
    u->key.walk[index + AIC_WALK_SLOW] = walk_of(u->strip, packet.rows);
    return row_bytes == columns * target_bytes(u->p);
}

static void set_step(aic_strip_key *key, unsigned number, const aic_step *step)
{
    enum { WORD_BYTES = 4 };
    const aic_elementwise_value *v = &step->value;
    key->op[number] = step->op;
    if (step->op != AIC_STEP_ARITHMETIC) {
        return;
    }
    key->reads[number] = !aic_step_reads(step)        ? AIC_READS_NOTHING
                         : step->column == 0          ? AIC_READS_ONE
                         : step->column == WORD_BYTES ? AIC_READS_ROW
                                                      : AIC_READS_APART;
    key->fixed[number] = aic_step_reads(step) && step->row == 0;
    key->stage[number] = step->stage;
    key->sums[number] = step->takes_sums;
    key->value[number] = v->op;
    key->select[number] = v->select;
    key->arithmetic[number] = v->arithmetic;
    key->fused[number] = v->fused;
    key->number[number] = v->number;
    key->b[number] = v->b.is_constant;
    key->b_word[number] = v->b.is_constant ? v->b.constant : 0;
}

/* The largest power of two, at most a line, that divides a row: to so much rows of an aligned target are aligned. */
static int64_t row_align(int64_t row_bytes)
{
    int64_t align = AIC_LINE_BYTES;
    while (row_bytes % align != 0) {
        align /= 2;
    }
    return align;
}

static void make_key(using *u)
{
    const aic_epilogue *p = u->p;
    const aic_epilogue_strip *s = u->strip;
    aic_strip_key *k = &u->key;
    const int64_t tail = tail_columns(p, s);
    u->whole = (s->columns - tail) / LANES;
    const int64_t size = u->whole > 0 ? slab_blocks(p, s, u->whole) : 0;
    *k = (aic_strip_key){.scaling = aic_epilogue_scaling(p),
                         .fast = s->kind == AIC_EMIT_SELDOM,
                         .width = width_of(p, u->target),
                         .blocks = size,
                         .slabs = u->whole > size,
                         .overlaps = size > 0 && u->whole % size != 0,
                         .rows = s->form.rows,
                         .tail = tail,
                         .few = tail < p->columns,
                         .direct = s->row_multiple > 0,
                         .many = p->matrices > 1,
                         .past = s->past,
                         .align = {s->past ? row_align(p->target_row) : 0},
                         .steps = p->steps};
    k->dense = size > 0 && set_walks(u, size, 0, p->target_row);
    if (tail > 0) { /* in the last strip alone */
        k->narrow = p->tail.narrow;
        k->filled = p->tail.fill;
        const int64_t row_bytes = k->narrow ? LANES * target_bytes(p) : p->target_row;
        k->tail_dense = set_walks(u, 1, AIC_WALK_TAIL, row_bytes);
        k->masks = aic_has_masks(u->target) && tail < LANES && k->width == 0 && !k->past;
        k->tail = k->masks ? LANES : tail;
        k->align[1] = s->past ? row_align(row_bytes) : 0;
    }
    for (unsigned i = 0; i < p->steps; i++) {
        set_step(k, i, &p->step[i]);
    }
}

/* Rows of the longest iteration. */
static int64_t longest(const using *u)
{
    return aic_round_up(u->key.rows, aic_packet_of(&u->key.scaling, u->key.width, u->target, 1).rows);
}

static void give_target(using *u)
{
    const aic_epilogue *p = u->p;
    const aic_strip_key *k = &u->key;
    const bool slabs = k->blocks > 0 && !k->dense, tail = k->tail > 0 && !k->tail_dense;
    if (k->width != 0) {
        aic_use_number(&u->use, p->target_block, "target.block");
    }
    for (int64_t i = 1; k->width != 0 && i * k->width < LANES; i++) {
        aic_use_number(&u->use, i * p->target_block, "target.block.%lld", (long long)i);
    }
    if (slabs || tail) {
        aic_use_number(&u->use, p->target_row, "target.row");
    }
    for (int64_t i = 1; (slabs || tail) && i <= longest(u); i++) {
        aic_use_number(&u->use, i * p->target_row, "row.%lld", (long long)i);
    }
}

static void give_slabs(using *u)
{
    const aic_strip_key *k = &u->key;
    const int64_t pitch = u->strip->block_bytes;
    if (k->slabs) {
        aic_use_trips(&u->use, u->whole, "blocks");
        aic_use_number(&u->use, pitch, "source.block");
    }
    for (int64_t i = 1; i < k->blocks; i++) {
        aic_use_number(&u->use, i * pitch, "source.block.%lld", (long long)i);
    }
    if (k->overlaps) {
        aic_use_number(&u->use, u->whole - k->blocks, "blocks.last");
    }
    if (k->tail > 0 && k->blocks > 0) {
        aic_use_number(&u->use, u->whole, "tail.block");
        aic_use_number(&u->use, u->whole * LANES, "tail.column");
        aic_use_number(&u->use, u->whole * pitch, "tail.source");
    }
    if (k->masks) {
        aic_use_number(&u->use, u->strip->columns % LANES, "tail.columns");
    }
}

static void give_matrices(using *u)
{
    const aic_epilogue *p = u->p;
    if (u->key.direct) {
        return;
    }
    aic_use_number(&u->use, p->rows, "rows");
    if (u->key.many) {
        aic_use_number(&u->use, p->matrices, "matrices");
        aic_use_number(&u->use, p->source_matrix, "matrix.source");
        aic_use_number(&u->use, p->source_matrix - 1, "matrix.up");
        aic_use_number(&u->use, p->source_matrix - p->rows, "matrix.gap");
        aic_use_number(&u->use, p->target_matrix, "matrix.target");
    }
}

static void give_input(using *u, unsigned s)
{
    const aic_step *step = &u->p->step[s];
    const bool apart = u->key.reads[s] == AIC_READS_APART;
    aic_use_number(&u->use, step->block, "input%u.block", s);
    for (int64_t i = 1; i < u->key.blocks; i++) {
        aic_use_number(&u->use, i * step->block, "input%u.block.%lld", s, (long long)i);
    }
    if (!u->key.fixed[s]) {
        aic_use_number(&u->use, step->row, "input%u.row", s);
    }
    for (int64_t i = 1; !u->key.fixed[s] && !apart && i <= longest(u); i++) {
        aic_use_number(&u->use, i * step->row, "input%u.row.%lld", s, (long long)i);
    }
    for (int64_t i = 1; apart && i < LANES; i++) {
        aic_use_number(&u->use, i * step->column, "input%u.column.%lld", s, (long long)i);
    }
}

aic_routine aic_compose_epilogue_strip(aic_program *program, const aic_epilogue *p, const aic_target *target,
                                       const aic_epilogue_strip *strip, const char *name)
{
    using u = {.p = p, .strip = strip, .target = target};
    make_key(&u);
    aic_use_begin(&u.use, program, &aic_part_strip, &u.key);
    give_target(&u);
    give_slabs(&u);
    give_matrices(&u);
    for (unsigned s = 0; s < p->steps; s++) {
        if (aic_step_reads(&p->step[s])) {
            give_input(&u, s);
        }
    }
    return aic_program_add(program, &u.use, "%s", name);
}
