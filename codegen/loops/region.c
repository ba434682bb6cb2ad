/* Fills of regions: runs of vectors, their rest in halves, nothing is written beyond. */
#include "codegen/loops/region.h"
#include "codegen/generator.h"
#include "codegen/llvm/vec.h"
#include "frontend/core/diag.h"

#include <stdio.h>

enum { UNIT_BYTES = 16 };

static const char *const PARAMS[AIC_REGION_OPERANDS] = {"out", "value", "rows", "columns"};

/* ---- code ---- */

typedef struct filler {
    aic_emit *e;
    const aic_region *r;
    LLVMValueRef vector; /* the value in every lane */
    unsigned lanes;
} filler;

static bool has_blocks(const aic_region_dim *d)
{
    return d->place.block > 1;
}

static LLVMValueRef size_of(aic_emit *e, const aic_region_dim *d)
{
    if (d->operand == 0) {
        return aic_int(e, d->size);
    }
    return LLVMBuildSExt(e->builder, aic_load(e, e->i32, aic_emit_param(e, d->operand), 0, 4), e->i64, "");
}

static void store_lanes(const filler *f, LLVMValueRef pointer, unsigned count)
{
    LLVMValueRef part = count == f->lanes ? f->vector : aic_lanes_of(f->e, f->vector, 0, 1, count);
    aic_store(f->e, part, pointer, 0, f->r->size);
}

/* The rest of a run, fewer elements than a vector has, from the largest half of a vector that fits to the smallest. */
static void fill_rest(const filler *f, LLVMValueRef pointer, LLVMValueRef count)
{
    aic_emit *e = f->e;
    for (unsigned n = f->lanes / 2; n > 0; n /= 2) {
        LLVMValueRef bit = LLVMBuildAnd(e->builder, count, aic_int(e, n), "");
        LLVMValueRef above = LLVMBuildAnd(e->builder, count, aic_int(e, -2 * (int64_t)n), ""); /* already written */
        aic_branch branch;
        aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntNE, bit, aic_int(e, 0), ""));
        store_lanes(f, aic_at(e, pointer, aic_mul(e, above, f->r->size)), n);
        aic_branch_end(e, &branch);
    }
}

/* Whether a run of a size that is known is shorter than a vector. */
static bool is_short(const filler *f, LLVMValueRef count)
{
    return LLVMIsAConstantInt(count) != NULL && LLVMConstIntGetSExtValue(count) < f->lanes;
}

static void fill_run(const filler *f, LLVMValueRef pointer, LLVMValueRef count)
{
    aic_emit *e = f->e;
    if (!is_short(f, count)) {
        aic_loop loop;
        LLVMValueRef last = LLVMBuildNSWSub(e->builder, count, aic_int(e, f->lanes - 1), "");
        aic_loop_begin(e, &loop, "run", aic_int(e, 0), last, f->lanes, NULL, 0);
        store_lanes(f, aic_at(e, pointer, aic_mul(e, loop.index, f->r->size)), f->lanes);
        aic_loop_end(e, &loop);
    }
    fill_rest(f, pointer, count);
}

/* Along `fast`, a run a block. */
static void fill_line(const filler *f, LLVMValueRef pointer, LLVMValueRef size)
{
    aic_emit *e = f->e;
    const aic_place *place = &f->r->fast.place;
    if (!has_blocks(&f->r->fast)) {
        fill_run(f, pointer, size);
        return;
    }
    aic_loop blocks;
    LLVMValueRef carried[] = {pointer};
    aic_loop_begin(e, &blocks, "block", aic_int(e, 0), size, place->block, carried, 1);
    LLVMValueRef left = LLVMBuildNSWSub(e->builder, size, blocks.index, "");
    fill_run(f, carried[0], aic_min(e, left, aic_int(e, place->block)));
    carried[0] = aic_at_const(e, carried[0], place->outer);
    aic_loop_end(e, &blocks);
}

/* Where an index lies. */
static LLVMValueRef place_of(aic_emit *e, const aic_region_dim *d, LLVMValueRef pointer, LLVMValueRef index)
{
    if (!has_blocks(d)) {
        return aic_at(e, pointer, aic_mul(e, index, d->place.outer));
    }
    LLVMValueRef block = aic_int(e, d->place.block);
    LLVMValueRef outer = LLVMBuildUDiv(e->builder, index, block, ""),
                 inner = LLVMBuildURem(e->builder, index, block, "");
    return aic_at(e, aic_at(e, pointer, aic_mul(e, outer, d->place.outer)), aic_mul(e, inner, d->place.inner));
}

static LLVMValueRef value_of(aic_emit *e, const aic_region *r)
{
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, 8 * r->size);
    return r->is_constant ? LLVMConstInt(type, r->value, false) : aic_load(e, type, aic_emit_param(e, 1), 0, r->size);
}

static LLVMValueRef emit_fill(aic_emit *e, const aic_region *r, const aic_schedule *schedule, const char *name)
{
    filler f = {.e = e, .r = r, .lanes = (unsigned)schedule->vectors * UNIT_BYTES / r->size};
    aic_emit_function(e, name, false, PARAMS, r->operands, 0);
    LLVMValueRef function = e->function, slow = size_of(e, &r->slow), fast = size_of(e, &r->fast);
    f.vector = aic_splat(e, value_of(e, r), f.lanes);
    aic_loop lines;
    aic_loop_begin(e, &lines, "line", aic_int(e, 0), slow, 1, NULL, 0);
    fill_line(&f, place_of(e, &r->slow, aic_emit_param(e, 0), lines.index), fast);
    aic_loop_end(e, &lines);
    aic_emit_function_end(e);
    return function;
}

static aic_status check(const aic_work *work, const aic_target *target, const aic_schedule *schedule, aic_sizes *sizes)
{
    (void)work;
    *sizes = (aic_sizes){.workspace_bytes = 0};
    aic_status status = aic_nest_check_schedule(target, schedule);
    const bool only = schedule->rows == 1 && schedule->cols == 1 && schedule->unroll == 1 && schedule->band == 1;
    return status != AIC_OK || only
               ? status
               : aic_fail(AIC_INVALID_ARGUMENT, "schedule", "rows, cols, unroll and band must be 1 for regions");
}

static aic_status emit(aic_emit *e, const aic_work *work, const aic_schedule *schedule, const char *symbol)
{
    static const char *const FORMS[] = {"", "_packed"};
    const aic_region *r = &work->region;
    char name[160];
    aic_sizes sizes;
    aic_status status = check(work, e->target, schedule, &sizes);
    if (status != AIC_OK) {
        return status;
    }
    snprintf(name, sizeof name, "%s_fill", symbol);
    LLVMValueRef fill = emit_fill(e, r, schedule, name);
    for (int i = 0; i < 2; i++) {
        LLVMValueRef args[AIC_REGION_OPERANDS];
        snprintf(name, sizeof name, "%s%s", symbol, FORMS[i]);
        aic_emit_function(e, name, true, PARAMS, r->operands, 0);
        for (unsigned k = 0; k < r->operands; k++) {
            args[k] = aic_emit_param(e, k);
        }
        aic_emit_call(e, fill, args, r->operands);
        aic_emit_function_end(e);
    }
    return AIC_OK;
}

/* ---- schedules ---- */

/* Vectors stored when the region is as large as it can be, the rest of a run as three. */
static double predict(const aic_region *r, int64_t bytes)
{
    enum { REST = 3 };
    const int64_t run = has_blocks(&r->fast) ? r->fast.place.block : r->fast.size;
    const double runs = (double)r->slow.size * (double)r->fast.size / (double)run;
    return runs * ((double)(run * r->size / bytes) + REST);
}

static void candidates(const aic_work *work, const aic_target *target, aic_candidates *list)
{
    for (int64_t vectors = 1; vectors <= target->vector_bits / (8 * UNIT_BYTES); vectors *= 2) {
        const aic_schedule s = {.rows = 1, .cols = 1, .vectors = vectors, .unroll = 1, .band = 1};
        aic_candidates_add(list, &s, predict(&work->region, vectors * UNIT_BYTES));
    }
}

static double bound(const aic_work *work, const aic_target *target)
{
    const aic_region *r = &work->region;
    return (double)r->slow.size * (double)r->fast.size * r->size * 8 / target->vector_bits;
}

static void report(FILE *out, const aic_work *work, const aic_target *target, const aic_schedule *schedule)
{
    (void)target;
    (void)schedule;
    fprintf(out, "fill of a region of at most %lld lines of %lld elements of %u bytes\n",
            (long long)work->region.slow.size, (long long)work->region.fast.size, work->region.size);
}

const aic_shape aic_shape_region = {candidates, bound, check, emit, report};
