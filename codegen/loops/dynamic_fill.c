/* The code and the schedules of dynamic fills. A run is filled by whole vectors, then by halves of a vector, quarters
 * and so on, so that nothing is written beyond it. */
#include "codegen/loops/dynamic_fill.h"
#include "codegen/explain.h"
#include "codegen/integer.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/own.h"

#include <stdio.h>

enum { VECTOR_MIN = 16 };

/* ---- code ---- */

typedef struct filler {
    aic_emit *e;
    const aic_dynamic_fill *r;
    LLVMValueRef vector; /* the value in every lane */
    unsigned lanes;
} filler;

static bool has_blocks(const aic_dynamic_fill_dim *d)
{
    return d->stride.block > 1;
}

static LLVMValueRef size_of(const filler *f, const aic_dynamic_fill_dim *d)
{
    aic_emit *e = f->e;
    if (d->operand == 0) {
        return aic_int(e, d->size);
    }
    return LLVMBuildSExt(e->builder, aic_load(e, e->i32, aic_emit_param(e, (unsigned)d->operand), 0, 4), e->i64, "");
}

static void store_lanes(const filler *f, LLVMValueRef pointer, unsigned count)
{
    LLVMValueRef part = count == f->lanes ? f->vector : aic_lanes_of(f->e, f->vector, 0, 1, count);
    aic_store(f->e, part, pointer, 0, f->r->size);
}

/* Fills the rest of a run, fewer elements than a vector has: a bit of their number for each half, quarter, ... of a
 * vector. */
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
        aic_loop_begin(e, &loop, "run: vectors of a run", aic_int(e, 0), last, f->lanes, NULL, 0);
        store_lanes(f, aic_at(e, pointer, aic_mul(e, loop.index, f->r->size)), f->lanes);
        aic_loop_end(e, &loop);
    }
    fill_rest(f, pointer, count);
}

/* Fills a line along `fast`: one run, or a run for each block. */
static void fill_line(const filler *f, LLVMValueRef pointer, LLVMValueRef size)
{
    aic_emit *e = f->e;
    const aic_blocked_stride *stride = &f->r->fast.stride;
    if (!has_blocks(&f->r->fast)) {
        fill_run(f, pointer, size);
        return;
    }
    aic_loop blocks;
    LLVMValueRef carried[] = {pointer};
    aic_loop_begin(e, &blocks, "block: blocks of a line, a run each", aic_int(e, 0), size, stride->block, carried, 1);
    LLVMValueRef left = LLVMBuildNSWSub(e->builder, size, blocks.index, "");
    fill_run(f, carried[0], aic_min(e, left, aic_int(e, stride->block)));
    carried[0] = aic_at_const(e, carried[0], stride->outer);
    aic_loop_end(e, &blocks);
}

/* Where an index lies. */
static LLVMValueRef address_of(aic_emit *e, const aic_dynamic_fill_dim *d, LLVMValueRef pointer, LLVMValueRef index)
{
    if (!has_blocks(d)) {
        return aic_at(e, pointer, aic_mul(e, index, d->stride.outer));
    }
    LLVMValueRef block = aic_int(e, d->stride.block);
    LLVMValueRef outer = LLVMBuildUDiv(e->builder, index, block, ""),
                 inner = LLVMBuildURem(e->builder, index, block, "");
    return aic_at(e, aic_at(e, pointer, aic_mul(e, outer, d->stride.outer)), aic_mul(e, inner, d->stride.inner));
}

static LLVMValueRef value_of(const filler *f)
{
    aic_emit *e = f->e;
    LLVMTypeRef type = LLVMIntTypeInContext(e->context, 8 * f->r->size);
    return f->r->is_constant ? LLVMConstInt(type, f->r->value, false)
                             : aic_load(e, type, aic_emit_param(e, 1), 0, f->r->size);
}

static const aic_dynamic_fill *fill_of(const aic_plan *plan)
{
    return (const aic_dynamic_fill *)(const void *)plan->work.part;
}

static const aic_dynamic_fill_schedule *schedule_of(const aic_plan *plan)
{
    return (const aic_dynamic_fill_schedule *)(const void *)plan->schedule.fields;
}

/* The items are lines, as many as there can be; a call may have fewer. */
LLVMValueRef aic_emit_own_fill(aic_emit *e, const aic_plan *plan, const int64_t *argument, const char *name)
{
    (void)argument;
    const aic_dynamic_fill *r = fill_of(plan);
    filler f = {.e = e, .r = r, .lanes = (unsigned)(schedule_of(plan)->vector / r->size)};
    const unsigned range = (unsigned)plan->operands + 2;
    aic_emit_body(e, AIC_EMIT_HOT, name, (unsigned)plan->operands);
    aic_note_function(e, "phase: fills the lines of a domain whose size the call gives");
    LLVMValueRef slow = aic_min(e, size_of(&f, &r->slow), aic_emit_param(e, range + 1)), fast = size_of(&f, &r->fast);
    f.vector = aic_splat(e, value_of(&f), f.lanes);
    aic_loop lines;
    aic_loop_begin(e, &lines, "line: lines of the domain", aic_emit_param(e, range), slow, 1, NULL, 0);
    fill_line(&f, address_of(e, &r->slow, aic_emit_param(e, 0), lines.index), fast);
    aic_loop_end(e, &lines);
    return aic_emit_function_end(e);
}

static void compose(aic_program *program, const aic_plan *plan, aic_bodies *bodies)
{
    aic_own_key key = {.code = AIC_OWN_fill, .plan = plan};
    aic_use use;
    aic_use_begin(&use, program, &aic_part_own, &key);
    bodies->phase[0] = aic_program_add(program, &use, "lines");
}

/* ---- schedules ---- */

/* The vectors stored when the domain is as large as it can be; the rest of a run counts as three. */
static double predict(const aic_dynamic_fill *r, int64_t bytes)
{
    enum { REST = 3 };
    const int64_t run = has_blocks(&r->fast) ? r->fast.stride.block : r->fast.size;
    const double runs = (double)r->slow.size * (double)r->fast.size / (double)run;
    return runs * ((double)(run * r->size / bytes) + REST);
}

static void enumerate(aic_plan *plan, aic_space space, const aic_visitor *visitor)
{
    (void)space;
    for (int64_t vector = VECTOR_MIN; vector <= plan->problem.target->vector_bits / 8; vector *= 2) {
        const aic_dynamic_fill_schedule s = {.vector = vector};
        if (!aic_plan_offer(plan, &s, sizeof s, visitor)) {
            return;
        }
    }
}

static aic_status derive(aic_plan *plan)
{
    const int64_t vector = schedule_of(plan)->vector;
    aic_status status = aic_check_vector(plan->problem.target, vector);
    if (status == AIC_OK) {
        aic_requirements_phase(&plan->requirements, "lines", fill_of(plan)->slow.size);
        plan->cost = predict(fill_of(plan), vector);
    }
    return status;
}

static double bound(const aic_plan *plan)
{
    const aic_dynamic_fill *r = fill_of(plan);
    return (double)r->slow.size * (double)r->fast.size * r->size * 8 / plan->problem.target->vector_bits;
}

static void report(FILE *out, const aic_plan *plan)
{
    const aic_dynamic_fill *r = fill_of(plan);
    aic_explain_vectors(out, plan->problem.target);
    fprintf(out, "fill of a domain of at most %lld lines of %lld elements of %u bytes\n", (long long)r->slow.size,
            (long long)r->fast.size, r->size);
}

static void nest(FILE *out, const aic_plan *plan)
{
    const aic_dynamic_fill *r = fill_of(plan);
    const int64_t run = has_blocks(&r->fast) ? r->fast.stride.block : r->fast.size;
    aic_nest_line(out, 0, "line", r->slow.size, "at most");
    if (has_blocks(&r->fast)) {
        aic_nest_line(out, 1, "block", aic_parts(r->fast.size, run), "at most");
    }
    aic_nest_line(out, 1 + has_blocks(&r->fast), "vector of a run", run * r->size / schedule_of(plan)->vector,
                  "at most, %lld bytes each, and the rest in halves", (long long)schedule_of(plan)->vector);
}

/* ---- the shape ---- */

_Static_assert(sizeof(aic_dynamic_fill) <= AIC_WORK_BYTES, "a description of a dynamic fill fits");

aic_dynamic_fill *aic_dynamic_fill_begin(aic_work *work)
{
    return aic_work_begin(work, &aic_shape_dynamic_fill, sizeof(aic_dynamic_fill));
}

static const aic_field FIELDS[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_dynamic_fill_schedule, __VA_ARGS__)
#include "codegen/loops/dynamic_fill.def"
#undef AIC_FIELD
};

static const aic_record RECORD = {"schedule", FIELDS, sizeof FIELDS / sizeof *FIELDS};

const aic_shape aic_shape_dynamic_fill = {
    .name = "fill",
    .schedule = &RECORD,
    .derived_bytes = 1,
    .enumerate = enumerate,
    .derive = derive,
    .bound = bound,
    .compose = compose,
    .report = report,
    .nest = nest,
};
