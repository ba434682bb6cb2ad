/* Epilogues as kernels of their own.
 *
 *     fill the table of columns
 *     for a band of rows
 *       the strip of all columns
 *
 * Within the strip it is pieces of columns, then rows. Rows of different blocks of the source, and rows of a target in
 * rows, lie far apart; a band is as many of them as translation and prefetching of addresses cope with. */
#include "codegen/epilogue_value.h"
#include "codegen/generator.h"
#include "codegen/vec.h"
#include "frontend/diag.h"

#include <inttypes.h>
#include <string.h>

enum { LANES = AIC_EPILOGUE_LANES, ROW_BYTES = 4 * LANES, LINE_BYTES = 64 };

/* Rows of a band, where columns are in one block and where each has its own. */
enum { BAND_ROWS = 128, BAND_ALL = 65536 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t blocks_of(const aic_epilogue *p)
{
    return (p->columns + LANES - 1) / LANES;
}

/* ---- schedules ---- */

/* Blocks of columns that are neighbours in the target. */
static int64_t neighbours(const aic_epilogue *p)
{
    return p->width >= p->columns ? AIC_EPILOGUE_BLOCKS : p->width > LANES ? p->width / LANES : 1;
}

static bool in_rows(const aic_epilogue *p)
{
    return p->width >= p->columns && p->columns > LANES;
}

/* Blocks whose results are worth writing together: several lines where rows lie apart, else one. */
static int64_t wide_blocks(const aic_epilogue *p)
{
    int64_t lines = in_rows(p) ? 8 : 1, blocks = lines * LINE_BYTES / (LANES * (int64_t)aic_dtype_size(p->target));
    return least(blocks, neighbours(p));
}

aic_epilogue_form aic_epilogue_default_form(const aic_epilogue *p, const aic_target *target)
{
    int64_t blocks = wide_blocks(p), units = aic_epilogue_unit(p, target, blocks).blocks;
    return (aic_epilogue_form){.blocks = blocks, .rows = blocks > units ? 2 : 4};
}

/* Vector operations: loads, stores and about eight for the arithmetic of a vector; besides, the head of a loop, lines
 * that are written in parts, more values at a time than there are registers, bands too low or too high. */
static double predict(const aic_epilogue *p, const aic_target *target, const aic_schedule *s)
{
    const double lines = (double)wide_blocks(p), blocks = (double)s->vectors, ideal = BAND_ROWS;
    double vectors = (double)(p->rows * p->matrices) * (double)p->columns * 32 / target->vector_bits;
    double body = blocks * (double)s->rows * LANES * 32 / target->vector_bits,
           arithmetic = p->target == p->source ? 0 : 8;
    double parts = blocks < lines ? lines / blocks - 1 : 0, wide = blocks > lines ? blocks / lines / 4 : 0;
    double off = s->band < BAND_ROWS ? ideal / (double)s->band : (double)s->band / ideal;
    return vectors * (2 + arithmetic + 2 / body + body / 16 + parts + wide + (in_rows(p) ? off / 4 : 0));
}

static void candidates(const aic_work *work, const aic_target *target, aic_candidates *list)
{
    const aic_epilogue *p = &work->epilogue.epilogue;
    const int64_t bands[] = {in_rows(p) ? BAND_ROWS / 4 : BAND_ALL, BAND_ROWS, BAND_ROWS * 4};
    for (int64_t blocks = 1; blocks <= least(neighbours(p), blocks_of(p)); blocks *= 2) {
        for (int64_t rows = 1; rows <= 4; rows *= 2) {
            for (size_t i = 0; i < (in_rows(p) ? sizeof bands / sizeof *bands : 1); i++) {
                aic_schedule s = {.rows = rows, .cols = 1, .vectors = blocks, .unroll = 1, .band = bands[i]};
                aic_candidates_add(list, &s, predict(p, target, &s));
            }
        }
    }
}

static double bound(const aic_work *work, const aic_target *target)
{
    const aic_epilogue *p = &work->epilogue.epilogue;
    double elements = (double)(p->rows * p->matrices) * (double)p->columns;
    return elements * (4 + (double)aic_dtype_size(p->target)) * 8 / target->vector_bits;
}

static aic_status check(const aic_work *work, const aic_target *target, const aic_schedule *s, aic_sizes *sizes)
{
    (void)target;
    const struct {
        const char *name;
        int64_t value, high;
    } fields[] = {
        {"rows", s->rows, AIC_EPILOGUE_ROWS},
        {"cols", s->cols, 1},
        {"vectors", s->vectors, AIC_EPILOGUE_BLOCKS},
        {"unroll", s->unroll, 1},
        {"band", s->band, BAND_ALL},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].value < 1 || fields[i].value > fields[i].high) {
            return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "%s = %" PRId64 " is outside 1..%" PRId64, fields[i].name,
                            fields[i].value, fields[i].high);
        }
    }
    if ((s->vectors & (s->vectors - 1)) != 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "vectors = %" PRId64 " is not a power of two in 1..%d",
                        s->vectors, AIC_EPILOGUE_BLOCKS);
    }
    *sizes = (aic_sizes){.workspace_bytes = (size_t)aic_epilogue_table_bytes(&work->epilogue.epilogue)};
    return AIC_OK;
}

static void report(FILE *out, const aic_work *work, const aic_target *target, const aic_schedule *schedule)
{
    const aic_epilogue *p = &work->epilogue.epilogue;
    const aic_unit unit = aic_epilogue_unit(p, target, schedule->vectors);
    fprintf(out, "pieces of %" PRId64 " columns, %" PRId64 " rows an iteration, %" PRId64 " rows a band\n",
            least(schedule->vectors, neighbours(p)) * LANES, schedule->rows, schedule->band);
    fprintf(out, "results %u rows x %u columns at a time\n", unit.rows, unit.blocks * LANES);
    fprintf(out, "column parameters: %" PRId64 " bytes in the workspace\n", aic_epilogue_table_bytes(p));
}

/* ---- emission ---- */

/* The functions of a kernel, NULL where it has none: the columns that the last row of the source has in full, those of
 * its last block that it has in part, and the same for the last row alone. */
typedef struct parts {
    LLVMValueRef table, strip, exact;
    int64_t band, rows;
} parts;

static parts emit_parts(aic_emit *e, const aic_epilogue_kernel *k, const aic_schedule *s, const char *symbol)
{
    const aic_epilogue *p = &k->epilogue;
    aic_epilogue_strip strip = {.form = {s->vectors, s->rows},
                                .block_bytes = k->block_bytes,
                                .columns = p->columns,
                                .step = p->columns + LANES * AIC_EPILOGUE_BLOCKS, /* there is one */
                                .last = true,
                                .most_rows = INT64_MAX};
    char name[160];
    parts f = {.band = s->band, .rows = (p->matrices - 1) * p->source_matrix + p->rows};
    strip.step -= strip.step % (LANES * AIC_EPILOGUE_BLOCKS);
    snprintf(name, sizeof name, "%s_table", symbol);
    f.table = aic_emit_epilogue_table(e, p, name);
    if (p->columns % LANES != 0) {
        f.rows--;
        strip.exact = true;
        snprintf(name, sizeof name, "%s_exact", symbol);
        f.exact = aic_emit_epilogue_strip(e, p, &strip, name);
        strip.exact = false;
    }
    if (f.rows > 0) {
        snprintf(name, sizeof name, "%s_strip", symbol);
        f.strip = aic_emit_epilogue_strip(e, p, &strip, name);
    }
    return f;
}

/* Operand number `number`, NULL where there is none. */
static LLVMValueRef optional_operand(aic_emit *e, unsigned number)
{
    return number == 0 ? LLVMConstNull(e->ptr) : aic_emit_param(e, number);
}

static void emit_strip_call(aic_emit *e, LLVMValueRef strip, LLVMValueRef table, LLVMValueRef row, LLVMValueRef count)
{
    LLVMValueRef source = aic_at(e, aic_emit_param(e, 1), aic_mul(e, row, ROW_BYTES));
    LLVMValueRef args[] = {aic_emit_param(e, 0), source, table, row, count, aic_int(e, 0)};
    aic_emit_call(e, strip, args, 6);
}

/* name(target, source, ..., workspace) */
static LLVMValueRef emit_entry(aic_emit *e, const aic_epilogue_kernel *k, const parts *f, const char *name)
{
    static const char *const PARAMS[] = {"target", "source", "operand2", "operand3", "workspace"};
    const char *names[5];
    memcpy(names, PARAMS, sizeof names);
    names[k->operands] = "workspace";
    aic_emit_function(e, name, true, names, k->operands + 1, 0);
    LLVMValueRef function = e->function, table = aic_emit_param(e, k->operands), saved = aic_float_enter(e, true);
    if (f->table != NULL) {
        LLVMValueRef args[] = {table, optional_operand(e, k->parameters), optional_operand(e, k->bias)};
        aic_emit_call(e, f->table, args, 3);
    }
    if (f->strip != NULL) {
        LLVMValueRef band = aic_int(e, f->band), rows = aic_int(e, f->rows);
        aic_loop loop;
        aic_loop_begin(e, &loop, "band", aic_int(e, 0), rows, f->band, NULL, 0);
        LLVMValueRef left = LLVMBuildNSWSub(e->builder, rows, loop.index, "");
        emit_strip_call(e, f->strip, table, loop.index, aic_min(e, band, left));
        aic_loop_end(e, &loop);
    }
    if (f->exact != NULL) {
        emit_strip_call(e, f->exact, table, aic_int(e, f->rows), aic_int(e, 1));
    }
    aic_float_leave(e, saved);
    aic_emit_function_end(e);
    return function;
}

/* No operand is packed: two names of one kernel. */
static void emit_packed(aic_emit *e, const aic_epilogue_kernel *k, LLVMValueRef entry, const char *name)
{
    static const char *const PARAMS[] = {"target", "source", "operand2", "operand3", "workspace"};
    LLVMValueRef args[5];
    aic_emit_function(e, name, true, PARAMS, k->operands + 1, 0);
    for (unsigned i = 0; i <= k->operands; i++) {
        args[i] = aic_emit_param(e, i);
    }
    aic_emit_call(e, entry, args, k->operands + 1);
    aic_emit_function_end(e);
}

static aic_status emit(aic_emit *e, const aic_work *work, const aic_schedule *schedule, const char *symbol)
{
    aic_sizes sizes;
    aic_status status = check(work, e->target, schedule, &sizes);
    if (status != AIC_OK) {
        return status;
    }
    const parts f = emit_parts(e, &work->epilogue, schedule, symbol);
    LLVMValueRef entry = emit_entry(e, &work->epilogue, &f, symbol);
    char name[160];
    snprintf(name, sizeof name, "%s_packed", symbol);
    emit_packed(e, &work->epilogue, entry, name);
    return AIC_OK;
}

const aic_shape aic_shape_epilogue = {candidates, bound, check, emit, report};
