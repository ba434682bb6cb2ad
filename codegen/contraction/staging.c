/* The staging buffer between a contraction and its epilogue. A tile writes its sums to the buffer in the workspace,
 * [column block][pixel of the tile][16], which stays in the first-level cache. The epilogue reads them there and stores
 * the results, run by run, a run being pixels of the tile that are consecutive rows of the result. If the sums start
 * from an old result, the buffer is filled with it first. */
#include "codegen/parts/staging.h"
#include "codegen/contraction/emitters.h"
#include "codegen/contraction/microkernel.h"

/* Where old results lie: bytes from one block of 16 columns to the next, and from row to row. */
typedef struct old_strides {
    int64_t block, row;
} old_strides;

/* The strides of start values for each column, of l1out, or of the old output, whose blocks have 16 or all columns. */
static old_strides old_strides_of(const aic_contraction *c, const aic_epilogue *p)
{
    if (c->start_channel) {
        return (old_strides){AIC_ROW_BYTES, 0};
    }
    if (c->start_operand != 0) {
        return (old_strides){c->block_rows * AIC_ROW_BYTES, AIC_ROW_BYTES};
    }
    return (old_strides){p->width == AIC_BLOCK_COLUMNS ? p->target_block : AIC_ROW_BYTES, p->target_row};
}

/* The function that fills `columns` columns of the buffer with what the sums start from. */
static aic_routine compose_load(aic_program *program, const aic_plan *plan, int64_t columns, const char *name)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    const old_strides at = old_strides_of(c, t->staging.epilogue);
    const int64_t last = columns % AIC_BLOCK_COLUMNS;
    const bool masks = last != 0 && aic_has_masks(plan->problem.target);
    const aic_load_key key = {.columns = masks ? aic_round_up(columns, AIC_BLOCK_COLUMNS) : columns, .masks = masks};
    aic_use use;
    aic_use_begin(&use, program, &aic_part_load, &key);
    aic_use_number(&use, at.block, "old.block");
    aic_use_number(&use, at.row, "old.row");
    for (int64_t block = 1; block * AIC_BLOCK_COLUMNS < columns; block++) {
        aic_use_number(&use, block * at.block, "old.block.%lld", (long long)block);
        aic_use_number(&use, block * t->staging.pitch, "staging.block.%lld", (long long)block);
    }
    if (masks) {
        aic_use_number(&use, last, "last.columns");
    }
    return aic_program_add(program, &use, "%s", name);
}

typedef struct rows {
    int64_t least, most, multiple;
} rows;

/* The largest power of two, at most AIC_DEFERRED_STEP, that divides the rows of every run of every tile, and so of the
 * parts of a run that a deferred tile stores in a pause. */
static int64_t multiple_of_runs(const aic_contraction *c, const aic_tiling *t)
{
    int64_t multiple = AIC_DEFERRED_STEP;
    for (int i = 0; i < AIC_TILE_SIZES; i++) {
        const aic_tile_size s = aic_tile_size_of(&t->geometry, i);
        /* Sizes that no tile has are 0, and so are their runs. */
        const int64_t run = s.count > 0 ? s.rows * s.cols / aic_staged_runs(c, &t->wish, s.rows, s.cols) : 0;
        while (run % multiple != 0) {
            multiple /= 2;
        }
    }
    return multiple;
}

/* Bounds for the rows of a run that lie in one matrix of the epilogue, and a number that divides them. */
static rows rows_of_runs(const aic_contraction *c, const aic_tiling *t)
{
    const aic_epilogue *p = t->staging.epilogue;
    int64_t height = aic_split_least(&t->geometry.rows), width = aic_split_least(&t->geometry.cols);
    bool whole =
        p->matrices == 1 && p->rows == c->down.out * c->across.out; /* else a run may lie in no matrix, or in part */
    rows runs = {whole ? width : 0, t->geometry.cols.large, whole ? multiple_of_runs(c, t) : 0};
    if (aic_staged_runs(c, &t->wish, t->geometry.rows.large, t->geometry.cols.large) ==
        1) { /* a tile is a single run */
        runs.least *= height;
        runs.most *= t->geometry.rows.large;
    }
    return runs;
}

/* One row in each iteration: strips are small, and longer loop bodies do not gain what compiling them costs. */
static aic_epilogue_form form_of(const aic_tiling *t, const aic_target *target)
{
    aic_epilogue_form form = aic_epilogue_strip_form(t->staging.epilogue, target, t->staging.strip_columns);
    form.rows = 1;
    return form;
}

/* The optimization level for code that runs once for every `products` products of a vector and whose unoptimized form
 * costs `times` times what that of packing a vector of k-packs does. */
static aic_emit_kind kind_for(const aic_tiling *t, int64_t products, int64_t times)
{
    return aic_pack_kind(products / (times * t->kernel->rate));
}

/* The optimization level for the function that stores the last one of `strips` strips. */
static aic_emit_kind last_kind(const aic_tiling *t, int64_t strips)
{
    const bool copies = aic_epilogue_copies(t->staging.epilogue);
    return kind_for(t, t->panel.taps * t->panel.kpacks * strips, copies ? 1 : 4);
}

/* The same for filling the table, which is done once for all pixels of a column. */
static aic_emit_kind table_kind(const aic_contraction *c, const aic_tiling *t)
{
    return kind_for(t, t->panel.taps * t->panel.kpacks * c->down.out * c->across.out, 16);
}

/* How many strips of either kind there are, and their columns. */
static aic_strips strips_of(const aic_tiling *t)
{
    int64_t whole = t->geometry.outputs / t->staging.strip_columns,
            rest = t->geometry.outputs % t->staging.strip_columns;
    if (rest == 0 && (t->staging.epilogue->tail.narrow || t->staging.epilogue->tail.fill)) {
        whole--;
        rest = t->staging.strip_columns;
    }
    return (aic_strips){.count = {whole, rest > 0}, .columns = {t->staging.strip_columns, rest}};
}

static aic_routine compose_store(aic_program *program, const aic_plan *plan, const aic_strips *strips, int part)
{
    const aic_tiling *t = aic_tiling_of(plan);
    const rows runs = rows_of_runs(aic_contraction_of(plan), t);
    const aic_epilogue_strip strip = {.kind = part == 0 ? AIC_EMIT_HOT : last_kind(t, strips->count[0] + 1),
                                      .form = form_of(t, plan->problem.target),
                                      .block_bytes = t->staging.pitch,
                                      .columns = strips->columns[part],
                                      .step = t->staging.strip_columns,
                                      .last = part == 1,
                                      .least_rows = runs.least,
                                      .most_rows = runs.most,
                                      .row_multiple = runs.multiple};
    return aic_compose_epilogue_strip(program, t->staging.epilogue, plan->problem.target, &strip,
                                      part == 0 ? "store" : "store_last");
}

void aic_compose_staging(aic_program *program, const aic_plan *plan, aic_strips *strips)
{
    const aic_contraction *c = aic_contraction_of(plan);
    const aic_tiling *t = aic_tiling_of(plan);
    *strips = strips_of(t);
    for (int part = 0; part < 2; part++) {
        if (strips->count[part] == 0) {
            continue;
        }
        if (t->geometry.accumulate && part == 1 && strips->columns[1] == strips->columns[0] && strips->load[0] != 0) {
            strips->load[1] = strips->load[0];
        } else if (t->geometry.accumulate) {
            strips->load[part] = compose_load(program, plan, strips->columns[part], part == 0 ? "load" : "load_last");
        }
        strips->store[part] = compose_store(program, plan, strips, part);
    }
    strips->table = aic_compose_epilogue_table(program, t->staging.epilogue, plan->problem.target, table_kind(c, t));
}

/* ---- deferred tiles ---- */

/* Deferred tiles: the epilogue stores a tile from its staging buffer, some rows at a time, between the products of the
 * next tile, which fills another buffer.
 *
 * This is for micro-kernels whose products leave the vector units idle. A core executes out of order within a window of
 * a few hundred instructions, so that products overlap with the epilogue only if the two are interleaved more finely
 * than that: rows stored after the products of a whole tile would overlap with nothing. Rows that are left when the
 * next tile's products end are stored then.
 *
 * A note in the worker's memory, in words of 64 bits, says what remains to be stored. */

_Static_assert((int)AIC_NOTE_WORDS == (int)AIC_DEFERRED_WORDS, "a worker has memory for a note");

aic_routine aic_compose_deferred(aic_program *program, const aic_plan *plan, aic_routine store)
{
    unsigned operands[AIC_EPILOGUE_STEPS];
    const aic_leave_key key = {.inputs = aic_epilogue_inputs(aic_tiling_of(plan)->staging.epilogue, operands)};
    aic_use use;
    aic_use_begin(&use, program, &aic_part_leave, &key);
    aic_use_call(&use, store, "store");
    return aic_program_add(program, &use, "leave");
}
