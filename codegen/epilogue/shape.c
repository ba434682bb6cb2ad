/* Epilogues as kernels of their own.
 *
 *     fill the table of columns
 *     for a band of rows
 *       the strip of all whole blocks of 16 columns, then that of the columns behind them
 *
 * Within the strip it is pieces of columns, then rows. Rows of different blocks of the source, and rows of a target in
 * rows, lie far apart; a band is as many of them as translation and prefetching of addresses cope with. */
#include "codegen/epilogue/value.h"
#include "codegen/generator.h"
#include "codegen/llvm/vec.h"
#include "frontend/core/diag.h"

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

/* The workspace: the table, then a line where a last row is put that is not full. */
static int64_t line_offset(const aic_epilogue *p)
{
    return (aic_epilogue_table_bytes(p) + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
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

/* Blocks whose results fill a cache line where they are neighbours. */
static int64_t line_blocks(const aic_epilogue *p)
{
    return least(LINE_BYTES / (LANES * (int64_t)aic_dtype_size(p->target)), neighbours(p));
}

/* Such a piece, and a few vectors an iteration. */
aic_epilogue_form aic_epilogue_default_form(const aic_epilogue *p, const aic_target *target)
{
    int64_t blocks = line_blocks(p);
    return (aic_epilogue_form){.blocks = blocks, .rows = aic_epilogue_unit(p, target, blocks).rows > 1 ? 1 : 2};
}

/* A core's own caches, about: with more than that, the target's lines come from far, the better the more of them are
 * written in a row. */
enum { NEAR_BYTES = 1 << 20 };
static const double NEAR_VECTOR = 4, FAR_VECTOR = 10; /* vector operations a vector of the source */

/* Vector operations: of the arithmetic, about eight a vector and those done twice where pieces overlap; of the head of
 * a loop; of memory. Bodies beyond a few vectors only take longer to compile. */
static double predict(const aic_epilogue *p, const aic_target *target, const aic_schedule *s)
{
    const double lanes = target->vector_bits / 32, size = (double)least(s->vectors, neighbours(p));
    const double vectors = (double)(p->rows * p->matrices) * (double)p->columns / lanes;
    const double arithmetic = p->target == p->source ? 1 : 8, body = size * (double)s->rows * LANES / lanes;
    const double whole = (double)(p->columns / LANES),
                 pieces = (double)((p->columns / LANES + s->vectors - 1) / s->vectors);
    const double twice = whole > 0 ? pieces * size / whole : 1;
    const bool far = vectors * lanes * (4 + (double)aic_dtype_size(p->target)) > NEAR_BYTES;
    double memory = far ? FAR_VECTOR : NEAR_VECTOR;
    if (in_rows(p)) {
        double off = s->band < BAND_ROWS ? (double)BAND_ROWS / (double)s->band : (double)s->band / BAND_ROWS;
        memory *= 1 + 0.02 * off + (far ? 0.12 * ((double)AIC_EPILOGUE_BLOCKS / size - 1) : 0);
    }
    const double parts = size < (double)line_blocks(p) ? (double)line_blocks(p) / size : 0; /* of a line */
    return vectors * (arithmetic * twice + 2 / body + 0.01 * body * arithmetic + parts + memory);
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
    const aic_epilogue *p = &work->epilogue.epilogue;
    *sizes = (aic_sizes){.workspace_bytes = (size_t)line_offset(p) + (p->columns % LANES != 0 ? ROW_BYTES : 0)};
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

/* The functions of a kernel, NULL where it has none, and what they are called for. */
typedef struct parts {
    LLVMValueRef table, strip, tail;
    int64_t rows, band;            /* of the source; of a band, but the last one, which may have less */
    int64_t columns, tail_columns; /* of whole blocks, and behind them */
} parts;

/* Bands of about the same height. */
static void cut_bands(const aic_epilogue *p, const aic_schedule *s, parts *f)
{
    f->rows = (p->matrices - 1) * p->source_matrix + p->rows;
    const int64_t bands = (f->rows + s->band - 1) / s->band;
    f->band = (f->rows + bands - 1) / bands;
}

static parts emit_parts(aic_emit *e, const aic_epilogue_kernel *k, const aic_schedule *s, const char *symbol)
{
    const aic_epilogue *p = &k->epilogue;
    parts f = {.tail_columns = p->columns % LANES, .columns = p->columns - p->columns % LANES};
    cut_bands(p, s, &f);
    aic_epilogue_strip strip = {.form = {s->vectors, s->rows},
                                .block_bytes = k->block_bytes,
                                .columns = f.columns,
                                .step = LANES * AIC_EPILOGUE_BLOCKS, /* there is one, at 0 */
                                .last = true,
                                .least_rows = p->matrices > 1 ? 0 : (f.rows - 1) % f.band + 1,
                                .most_rows = f.band};
    char name[160];
    snprintf(name, sizeof name, "%s_table", symbol);
    f.table = aic_emit_epilogue_table(e, p, name);
    if (f.columns > 0) {
        snprintf(name, sizeof name, "%s_strip", symbol);
        f.strip = aic_emit_epilogue_strip(e, p, &strip, name);
    }
    if (f.tail_columns > 0) {
        strip.columns = f.tail_columns;
        strip.least_rows = 0;
        snprintf(name, sizeof name, "%s_tail", symbol);
        f.tail = aic_emit_epilogue_strip(e, p, &strip, name);
    }
    return f;
}

/* Operand number `number`, NULL where there is none. */
static LLVMValueRef optional_operand(aic_emit *e, unsigned number)
{
    return number == 0 ? LLVMConstNull(e->ptr) : aic_emit_param(e, number);
}

static void emit_strip_call(aic_emit *e, LLVMValueRef strip, LLVMValueRef source, LLVMValueRef table, LLVMValueRef row,
                            LLVMValueRef count, int64_t column)
{
    LLVMValueRef args[] = {aic_emit_param(e, 0), source, table, row, count, aic_int(e, column)};
    aic_emit_call(e, strip, args, 6);
}

/* The tail's last row ends the source: it is read to the end and no further, into a line of the workspace. */
static void emit_last_row(aic_emit *e, const aic_epilogue_kernel *k, const parts *f, LLVMValueRef table)
{
    LLVMValueRef line = aic_at_const(e, table, line_offset(&k->epilogue));
    LLVMValueRef source = aic_at_const(e, aic_emit_param(e, 1), f->columns / LANES * k->block_bytes);
    LLVMValueRef last = aic_int(e, f->rows - 1);
    source = aic_at(e, source, aic_mul(e, last, ROW_BYTES));
    aic_store(e, aic_load_part(e, e->i32, LANES, (unsigned)f->tail_columns, source, 0), line, 0, ROW_BYTES);
    emit_strip_call(e, f->tail, line, table, last, aic_int(e, 1), f->columns);
}

static void emit_bands(aic_emit *e, const aic_epilogue_kernel *k, const parts *f, LLVMValueRef table)
{
    aic_loop loop;
    aic_loop_begin(e, &loop, "band", aic_int(e, 0), aic_int(e, f->rows), f->band, NULL, 0);
    LLVMValueRef left = LLVMBuildNSWSub(e->builder, aic_int(e, f->rows), loop.index, "");
    LLVMValueRef source = aic_at(e, aic_emit_param(e, 1), aic_mul(e, loop.index, ROW_BYTES));
    if (f->strip != NULL) {
        emit_strip_call(e, f->strip, source, table, loop.index, aic_min(e, aic_int(e, f->band), left), 0);
    }
    if (f->tail != NULL) {
        LLVMValueRef count = aic_min(e, aic_int(e, f->band), aic_add(e, left, aic_int(e, -1)));
        source = aic_at_const(e, source, f->columns / LANES * k->block_bytes);
        emit_strip_call(e, f->tail, source, table, loop.index, count, f->columns);
    }
    aic_loop_end(e, &loop);
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
    emit_bands(e, k, f, table);
    if (f->tail != NULL) {
        emit_last_row(e, k, f, table);
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
