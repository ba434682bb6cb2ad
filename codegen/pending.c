/* Operators whose frontend is there and whose generator is not yet: kernels of them are refused. */
#include "codegen/generator.h"
#include "codegen/vec.h"
#include "frontend/diag.h"

static void candidates(const aic_work *work, const aic_target *target, aic_candidates *list)
{
    (void)work;
    (void)target;
    const aic_schedule only = {.rows = 1, .cols = 1, .vectors = 1, .unroll = 1, .band = 1};
    aic_candidates_add(list, &only, 0);
}

static double bound(const aic_work *work, const aic_target *target)
{
    (void)work;
    (void)target;
    return 0;
}

static aic_status check(const aic_work *work, const aic_target *target, const aic_schedule *schedule, aic_sizes *sizes)
{
    (void)work;
    (void)target;
    (void)schedule;
    (void)sizes;
    return aic_fail(AIC_UNSUPPORTED, NULL, "this operator has a reference but no generator");
}

static void report(FILE *out, const aic_work *work, const aic_target *target, const aic_schedule *schedule)
{
    (void)work;
    (void)target;
    (void)schedule;
    fprintf(out, "no generator\n");
}

static const aic_shape shape_pending = {candidates, bound, check, NULL, report};

static const aic_shape *describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    (void)desc;
    (void)semantics;
    (void)work;
    return &shape_pending;
}

/* Until epilogue.c comes: columns of results as they are. */
__attribute__((weak)) int64_t aic_epilogue_table_bytes(const aic_epilogue *p, const aic_target *target)
{
    (void)p;
    (void)target;
    return 0;
}

__attribute__((weak)) LLVMValueRef aic_emit_epilogue_table(aic_emit *e, const aic_epilogue *p, const char *name)
{
    (void)e;
    (void)p;
    (void)name;
    return NULL;
}

__attribute__((weak)) LLVMValueRef aic_emit_epilogue_strip(aic_emit *e, const aic_epilogue *p, int64_t block_bytes,
                                                           int64_t columns, bool last, const char *name)
{
    (void)last;
    static const char *const PARAMS[] = {"target", "source", "table", "row", "count", "column"};
    aic_emit_function(e, name, false, PARAMS, 3, 3);
    LLVMValueRef function = e->function;
    aic_loop rows, cols;
    aic_loop_begin(e, &rows, "row", aic_int(e, 0), aic_emit_param(e, 4), 1, NULL, 0);
    aic_loop_begin(e, &cols, "col", aic_int(e, 0), aic_int(e, columns), 1, NULL, 0);
    LLVMValueRef sixteen = aic_int(e, 16), width = aic_int(e, p->width);
    LLVMValueRef from = aic_at(e, aic_emit_param(e, 1), aic_mul(e, rows.index, 64));
    from = aic_at(e, from, aic_mul(e, LLVMBuildUDiv(e->builder, cols.index, sixteen, ""), block_bytes));
    from = aic_at(e, from, aic_mul(e, LLVMBuildURem(e->builder, cols.index, sixteen, ""), 4));
    LLVMValueRef row = aic_add(e, rows.index, aic_emit_param(e, 3));
    LLVMValueRef col = aic_add(e, cols.index, aic_emit_param(e, 5));
    LLVMValueRef to = aic_at(e, aic_emit_param(e, 0), aic_mul(e, row, p->target_row));
    to = aic_at(e, to, aic_mul(e, LLVMBuildUDiv(e->builder, col, width, ""), p->target_block));
    to = aic_at(e, to, aic_mul(e, LLVMBuildURem(e->builder, col, width, ""), 4));
    LLVMValueRef value = aic_load(e, e->i32, from, 0, 4);
    if (p->saturate_source) {
        LLVMBuilderRef b = e->builder;
        LLVMValueRef x = LLVMBuildBitCast(b, value, e->f32, "");
        LLVMValueRef most = LLVMConstReal(e->f32, 3.40282346638528859812e38),
                     least = LLVMConstReal(e->f32, -3.40282346638528859812e38);
        x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOGT, x, most, ""), most, x, "");
        x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, least, ""), least, x, "");
        x = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, x, x, ""), LLVMConstNull(e->f32), x, "");
        value = LLVMBuildBitCast(b, x, e->i32, "");
    }
    aic_store(e, value, to, 0, 4);
    aic_loop_end(e, &cols);
    aic_loop_end(e, &rows);
    aic_emit_function_end(e);
    return function;
}

#define AIC_PENDING(name) const aic_generator aic_generator_##name = {.describe = describe}
AIC_PENDING(fixpipe);
AIC_PENDING(tik_fixpipe);
AIC_PENDING(texpands);
