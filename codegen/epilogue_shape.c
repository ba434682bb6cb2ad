/* Epilogues as kernels of their own. Column by column: a strip of some blocks of 16 columns, all rows of it, then the
 * next. */
#include "codegen/epilogue_value.h"
#include "codegen/generator.h"
#include "codegen/vec.h"
#include "frontend/diag.h"

#include <string.h>

enum { LANES = AIC_EPILOGUE_LANES, BLOCKS_MAX = 8, ROWS_MAX = 8, LINE_BYTES = 64 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t blocks_of(const aic_epilogue *p)
{
    return (p->columns + LANES - 1) / LANES;
}

/* ---- schedules ---- */

/* Blocks of 16 columns whose results fill a cache line of the target; no more than there are. */
static int64_t line_blocks(const aic_epilogue *p)
{
    int64_t bytes = LANES * (int64_t)aic_dtype_size(p->target);
    bool together = p->width > LANES; /* they are neighbours in the target */
    int64_t blocks = together ? LINE_BYTES / bytes : 1;
    return least(least(blocks, p->width / LANES), blocks_of(p));
}

aic_epilogue_form aic_epilogue_default_form(const aic_epilogue *p, const aic_target *target)
{
    (void)target;
    int64_t blocks = line_blocks(p);
    return (aic_epilogue_form){.blocks = blocks < 1 ? 1 : blocks, .rows = blocks > 1 ? 1 : 2};
}

static aic_schedule schedule_of(int64_t blocks, int64_t rows)
{
    return (aic_schedule){.rows = rows, .cols = 1, .vectors = blocks, .unroll = 1, .band = 1};
}

/* Vector operations of a value; loops and parameters cost the less, the more is done at a time. */
static double predict(const aic_epilogue_kernel *k, const aic_target *target, int64_t blocks, int64_t rows)
{
    const aic_epilogue *p = &k->epilogue;
    aic_epilogue_form usual = aic_epilogue_default_form(p, target);
    double values = (double)(p->rows * p->matrices) * (double)blocks_of(p);
    double loop = 1.0 / (double)(blocks * rows);
    double lines = blocks < usual.blocks ? 1.0 : 0.0; /* lines are written in parts */
    double busy = blocks * rows > 8 ? 0.05 * (double)(blocks * rows) : 0;
    return values * (aic_epilogue_block_bytes(p) > 0 ? 12.0 : 8.0) * (1.0 + 0.1 * loop + 0.3 * lines + 0.02 * busy);
}

static void candidates(const aic_work *work, const aic_target *target, aic_candidates *list)
{
    const aic_epilogue_kernel *k = &work->epilogue;
    for (int64_t blocks = 1; blocks <= least(BLOCKS_MAX, blocks_of(&k->epilogue)); blocks *= 2) {
        for (int64_t rows = 1; rows <= 4; rows *= 2) {
            const aic_schedule s = schedule_of(blocks, rows);
            aic_candidates_add(list, &s, predict(k, target, blocks, rows));
        }
    }
}

static double bound(const aic_work *work, const aic_target *target)
{
    const aic_epilogue *p = &work->epilogue.epilogue;
    double elements = (double)(p->rows * p->matrices) * (double)p->columns;
    return elements * (4 + (double)aic_dtype_size(p->target)) * 8 / target->vector_bits;
}

static aic_status check_field(const char *field, int64_t value, int64_t high)
{
    if (value >= 1 && value <= high) {
        return AIC_OK;
    }
    return aic_fail(AIC_INVALID_ARGUMENT, "schedule", "%s = %lld is outside 1..%lld", field, (long long)value,
                    (long long)high);
}

static aic_status check(const aic_work *work, const aic_target *target, const aic_schedule *s, aic_sizes *sizes)
{
    (void)target;
    const struct {
        const char *name;
        int64_t value, high;
    } fields[] = {
        {"rows", s->rows, ROWS_MAX}, {"cols", s->cols, 1}, {"vectors", s->vectors, BLOCKS_MAX},
        {"unroll", s->unroll, 1},    {"band", s->band, 1},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        aic_status status = check_field(fields[i].name, fields[i].value, fields[i].high);
        if (status != AIC_OK) {
            return status;
        }
    }
    *sizes = (aic_sizes){.workspace_bytes = (size_t)aic_epilogue_table_bytes(&work->epilogue.epilogue)};
    return AIC_OK;
}

static void report(FILE *out, const aic_work *work, const aic_target *target, const aic_schedule *schedule)
{
    (void)target;
    const aic_epilogue *p = &work->epilogue.epilogue;
    fprintf(out, "strips of %lld columns, %lld rows an iteration\n", (long long)(schedule->vectors * LANES),
            (long long)schedule->rows);
    fprintf(out, "column parameters: %lld bytes in the workspace\n", (long long)aic_epilogue_table_bytes(p));
}

/* ---- emission ---- */

/* The functions of a kernel, NULL where it has none. */
typedef struct parts {
    LLVMValueRef table, strip, last;
    int64_t strip_columns, strips, last_columns;
} parts;

static parts emit_parts(aic_emit *e, const aic_epilogue_kernel *k, const aic_schedule *s, const char *symbol)
{
    const aic_epilogue *p = &k->epilogue;
    const aic_epilogue_form form = {.blocks = s->vectors, .rows = s->rows};
    char name[160];
    parts f = {.strip_columns = LANES * s->vectors};
    f.strips = p->columns / f.strip_columns;
    f.last_columns = p->columns % f.strip_columns;
    if (f.last_columns == 0 && p->narrow_tail) {
        f.strips--;
        f.last_columns = f.strip_columns;
    }
    snprintf(name, sizeof name, "%s_table", symbol);
    f.table = aic_emit_epilogue_table(e, p, name);
    if (f.strips > 0) {
        snprintf(name, sizeof name, "%s_strip", symbol);
        f.strip = aic_emit_epilogue_strip(e, p, &form, k->block_bytes, f.strip_columns, false, name);
    }
    if (f.last_columns > 0) {
        snprintf(name, sizeof name, "%s_last", symbol);
        f.last = aic_emit_epilogue_strip(e, p, &form, k->block_bytes, f.last_columns, true, name);
    }
    return f;
}

/* Operand number `number`, NULL where there is none. */
static LLVMValueRef optional_operand(aic_emit *e, unsigned number)
{
    return number == 0 ? LLVMConstNull(e->ptr) : aic_emit_param(e, number);
}

static void emit_strip_call(aic_emit *e, const aic_epilogue_kernel *k, LLVMValueRef strip, LLVMValueRef table,
                            LLVMValueRef column)
{
    const aic_epilogue *p = &k->epilogue;
    /* Columns are multiples of 16, so of whole blocks. */
    LLVMValueRef block = LLVMBuildUDiv(e->builder, column, aic_int(e, LANES), "");
    LLVMValueRef source = aic_at(e, aic_emit_param(e, 1), aic_mul(e, block, k->block_bytes));
    LLVMValueRef rows = aic_int(e, (p->matrices - 1) * p->source_matrix + p->rows);
    LLVMValueRef args[] = {aic_emit_param(e, 0), source, table, aic_int(e, 0), rows, column};
    aic_emit_call(e, strip, args, 6);
}

/* name(target, source, ..., workspace) */
static void emit_entry(aic_emit *e, const aic_epilogue_kernel *k, const parts *f, const char *name)
{
    static const char *const PARAMS[] = {"target", "source", "operand2", "operand3", "workspace"};
    const char *names[5];
    memcpy(names, PARAMS, sizeof names);
    names[k->operands] = "workspace";
    aic_emit_function(e, name, true, names, k->operands + 1, 0);
    LLVMValueRef table = aic_emit_param(e, k->operands), saved = aic_float_enter(e, true);
    if (f->table != NULL) {
        LLVMValueRef args[] = {table, optional_operand(e, k->parameters), optional_operand(e, k->bias)};
        aic_emit_call(e, f->table, args, 3);
    }
    if (f->strips > 0) {
        aic_loop loop;
        aic_loop_begin(e, &loop, "strip", aic_int(e, 0), aic_int(e, f->strips), 1, NULL, 0);
        emit_strip_call(e, k, f->strip, table, aic_mul(e, loop.index, f->strip_columns));
        aic_loop_end(e, &loop);
    }
    if (f->last != NULL) {
        emit_strip_call(e, k, f->last, table, aic_int(e, f->strips * f->strip_columns));
    }
    aic_float_leave(e, saved);
    aic_emit_function_end(e);
}

static aic_status emit(aic_emit *e, const aic_work *work, const aic_schedule *schedule, const char *symbol)
{
    static const char *const FORMS[] = {"", "_packed"}; /* no operand is packed: two names of one kernel */
    aic_sizes sizes;
    aic_status status = check(work, e->target, schedule, &sizes);
    if (status != AIC_OK) {
        return status;
    }
    const parts f = emit_parts(e, &work->epilogue, schedule, symbol);
    for (int i = 0; i < 2; i++) {
        char name[160];
        snprintf(name, sizeof name, "%s%s", symbol, FORMS[i]);
        emit_entry(e, &work->epilogue, &f, name);
    }
    return AIC_OK;
}

const aic_shape aic_shape_epilogue = {candidates, bound, check, emit, report};
