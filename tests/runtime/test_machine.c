/* Moves, operations on elements and fills on tiny machines: what takes megabytes on the usual one. Every instruction
 * set level that differs in vectors, candidate schedules, operands between guard pages, against the reference; and each
 * way through the code that depends on a machine's sizes is seen to be taken. */
#include "codegen/loops/elementwise.h"
#include "codegen/target/host.h"
#include "frontend/core/spec.h"
#include "tests/machines.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <aic/tool.h>
#include <check.h>
#include <string.h>

Suite *suite_machine(void);

static const char *const ROWS[] = {
    "transdata(dtype=float32, src=ND, dst=Nz, shape=[61,77])",
    "transdata(dtype=float16, src=ND, dst=Zn, shape=[48,96])",
    "transdata(dtype=int32, src=NCHW, dst=NC1HWC0, shape=[2,37,8,8])",
    "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,64,16,16])",
    "transdata(dtype=float16, src=OIHW, dst=FRACTAL_Z, shape=[34,40,3,3])",
    "transdata(dtype=float16, src=HWIO, dst=FRACTAL_Z, shape=[3,3,80,2])",
    "transdata(dtype=float32, src=NC1HWC0, dst=NCHW, shape=[1,64,9,8])",
    "transdata(dtype=float16, src=OIHW, dst=HWIO, shape=[2,37,16,5])",
    "transdata(dtype=float16, src=OIHW, dst=HWIO, shape=[4,20,8,16])",
    "transdata(dtype=float32, src=NCHW, dst=NHWC, shape=[1,2,9,37])", /* tiles that end between addresses for stores */
    "transdata(dtype=float32, src=NCHW, dst=NHWC, shape=[3,2,9,36])",
    "transdata(dtype=int8, src=NCHW, dst=NHWC, shape=[2,16,9,37])",
    "transdata(dtype=int8, src=NC1HWC0, dst=NHWC, shape=[1,9,37,33])",
    "transdata(dtype=int8, src=HWIO, dst=OIHW, shape=[4,8,33,5])",
    "transdata(dtype=float16, src=NCHW, dst=NHWC, shape=[3,40,7,9])",
    "transdata(dtype=int8, src=NCHW, dst=4N, shape=[8,7,5,33])",
    ("nd2nz(dtype=half, ndNum=3, nValue=20, dValue=80, srcNdMatrixStride=1700, srcDValue=81, dstNzC0Stride=20, "
     "dstNzNStride=1, dstNzMatrixStride=1600)"),
    "load_data(dtype=half, repeatTimes=20, srcStride=2, ifTranspose=true)",
    "load_data_transpose(dtype=int8, repeatTimes=5, srcStride=1, dstGap=1)",
    "tensor_arithmetic(op=BM_ADD, shape=[1,1,41,128])",
    "tensor_arithmetic(op=BM_XOR, shape=[1,3,41,128], input1_stride=[0,0,0,1])",
    "tensor_arithmetic(op=BM_SUB, shape=[1,3,400,3], input1_stride=[0,1200,0,1])",
    "tensor_arithmetic(op=BM_MIN, shape=[1,3,200,5], input1_stride=[0,1000,0,1])",
    "tensor_arithmetic(op=BM_MAX, shape=[3,40,15,7], input0_stride=[0,105,7,1], input1_stride=[0,7,0,1])",
    "tensor_arithmetic(op=BM_MAC, shape=[1,9,41,20])",
    "tensor_arithmetic_quantized(op=BM_ADD, shape=[8,3,20,33], output_8bit=false)",
    "tensor_arithmetic_quantized(op=BM_ADD, shape=[4,1,1,1000], output_8bit=false, output_stride=[1001,1,1,1])",
    "tensor_arithmetic_quantized(op=BM_ADD, shape=[4,1,3,400], output_8bit=false, output_stride=[1208,1,402,1])",
    "tensor_arithmetic_quantized(op=BM_SUB, shape=[7,3,20,32])",
    "texpands(dtype=float32, rows=64, cols=40)",
    "texpands(dtype=float32, rows=64, cols=40, v_row=61, v_col=33, literal=1065353216)",
    "texpands(dtype=int8, loc=mat, rows=64, cols=96, literal=7)",
    "fixpipe(src=float32, dst=float32, nSize=176, mSize=37, srcStride=37, dstStride=176)",
    "fixpipe(src=float32, dst=float32, reluEn=true, nSize=64, mSize=9, srcStride=64, dstStride=80, ndNum=3, "
    "srcNdStride=1, dstNdStride=768)",
    "fixpipe(src=float32, dst=float32, nSize=64, mSize=9, srcStride=64, dstStride=80, ndNum=3, srcNdStride=1, "
    "dstNdStride=724)", /* matrices that begin within lines */
    "fixpipe(src=float32, dst=float16, quantPre=F322F16, nSize=96, mSize=37, srcStride=37, dstStride=96)",
    "fixpipe(src=int32, dst=int8, quantPre=VREQ8, nSize=192, mSize=37, srcStride=37, dstStride=192)",
    "fixpipe(src=float32, dst=float32, format=NZ, nSize=48, mSize=37, srcStride=37, dstStride=74)",
    "fixpipe(src=float32, dst=float32, isChannelSplit=true, format=NZ, nSize=48, mSize=37, srcStride=37, dstStride=38)",
    "fixpipe(src=float32, dst=bfloat16, quantPre=F322BF16, format=NZ, nSize=48, mSize=37, srcStride=37, dstStride=38)",
    "fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, nSize=96, mSize=37, srcStride=37, dstStride=38)",
    "fixpipe(src=int32, dst=int8, quantPre=VREQ8, format=NZ, nSize=80, mSize=37, srcStride=37, dstStride=38)",
};

enum { SPECS = sizeof ROWS / sizeof ROWS[0] };

/* ---- results ---- */

static void check_kernel(const verify_case *c, aic_context *context, const char *schedule, const char *text)
{
    verify_report report;
    const verify_verdict verdict = verify_kernel(c, context, schedule, &report);
    ck_assert_msg(verdict == VERIFY_PASSED, "%s %s %s: %s", aic_context_isa(context), text, schedule, report.text);
}

/* The default schedule and every third further candidate. */
static void check_level(const verify_case *c, const char *level, const aic_machine *machine, const char *text)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    char schedule[256];
    options.isa = level;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    machine_suppose(context, machine);
    for (size_t i = 0; aic_schedule_candidate(context, c->spec, i, schedule, sizeof schedule) == AIC_OK; i += 3) {
        check_kernel(c, context, i == 0 ? NULL : schedule, text);
    }
    aic_context_destroy(context);
}

START_TEST(results)
{
    const aic_spec spec = spec_of(ROWS[_i / TINY_MACHINES]);
    const aic_semantics semantics = aic_semantics_init();
    const char *level;
    int bits = 0;
    verify_case c;
    verify_report report;
    ck_assert_msg(verify_open(&c, &spec, &semantics, 1, &report) == VERIFY_PASSED, "%s", report.text);
    for (size_t i = 0; (level = aic_isa_name(i)) != NULL && aic_isa_check(level) == AIC_OK; i++) {
        const aic_target *target = aic_target_find(aic_host_arch(), level);
        if (target->vector_bits > bits) {
            bits = target->vector_bits;
            check_level(&c, level, &tiny_machines[_i % TINY_MACHINES], ROWS[_i / TINY_MACHINES]);
        }
    }
    verify_close(&c);
}
END_TEST

/* ---- ways through the code ---- */

static bool tile_past(const aic_move_plan *p)
{
    return p->past && p->transposes;
}

static bool runs_past(const aic_move_plan *p)
{
    return p->past && !p->transposes && p->box.op == AIC_BOX_COPY;
}

static bool zeros_past(const aic_move_plan *p)
{
    return p->past && p->box.op == AIC_BOX_FILL;
}

static bool staged(const aic_move_plan *p)
{
    return p->tile.stage != 0;
}

static bool staged_several(const aic_move_plan *p)
{
    return p->tile.stage != 0 && p->tile.next_count > 1;
}

static bool staged_past(const aic_move_plan *p)
{
    return p->tile.stage != 0 && p->past;
}

static bool bursts(const aic_move_plan *p)
{
    return p->burst > 1 && p->burst < p->near.extent;
}

static bool bands(const aic_move_plan *p)
{
    return p->transposes && p->tile.band < (p->next.extent > 1 ? p->next.extent : p->write.extent);
}

static bool takes_several(const aic_move_plan *p)
{
    return p->tile.next_count > 1;
}

static bool tails(const aic_move_plan *p)
{
    return p->tile.tail != 0;
}

static bool tails_past(const aic_move_plan *p)
{
    return p->tile.tail != 0 && p->past;
}

static bool long_runs(const aic_move_plan *p)
{
    return p->chunk != 0;
}

static bool map_past(const aic_elementwise_plan *p)
{
    return p->past && p->digits == 1;
}

static bool folded_past(const aic_elementwise_plan *p)
{
    return p->past && (p->folded[AIC_ELEMENTWISE_A] || p->folded[AIC_ELEMENTWISE_B]);
}

static bool folded(const aic_elementwise_plan *p)
{
    return !p->past && (p->folded[AIC_ELEMENTWISE_A] || p->folded[AIC_ELEMENTWISE_B]);
}

static bool pair_past(const aic_elementwise_plan *p)
{
    return p->past && p->from->pair != 0;
}

static bool fill_past(const aic_elementwise_plan *p)
{
    return p->past && p->elementwise->value.op == AIC_ELEMENTWISE_COPY;
}

static const struct {
    const char *name;
    bool (*move)(const aic_move_plan *p);
    bool (*elementwise)(const aic_elementwise_plan *p);
} WAYS[] = {
    {"tiles past the caches", tile_past, NULL},
    {"runs past the caches", runs_past, NULL},
    {"zeros past the caches", zeros_past, NULL},
    {"lines copied aside", staged, NULL},
    {"lines of several indices of a short dimension copied aside", staged_several, NULL},
    {"lines copied aside, past the caches", staged_past, NULL},
    {"several bursts", bursts, NULL},
    {"several bands", bands, NULL},
    {"several indices of a short dimension", takes_several, NULL},
    {"a smaller last tile", tails, NULL},
    {"a smaller last tile, past the caches", tails_past, NULL},
    {"runs in a loop", long_runs, NULL},
    {"results past the caches", NULL, map_past},
    {"folded runs", NULL, folded},
    {"folded runs past the caches", NULL, folded_past},
    {"pairs of words past the caches", NULL, pair_past},
    {"fills past the caches", NULL, fill_past},
};

enum { WAY_COUNT = sizeof WAYS / sizeof WAYS[0] };

static bool nest_takes(const aic_plan *of, bool (*way)(const aic_move_plan *p))
{
    const aic_move *move = aic_move_of(of);
    const aic_move_schedule *schedule = (const aic_move_schedule *)(const void *)of->schedule.fields;
    bool taken = false;
    for (unsigned i = 0; i < move->boxes; i++) {
        aic_move_plan plan;
        aic_move_plan_make(move, &move->box[i], schedule, of->problem.target, of->problem.machine, &plan);
        taken = taken || way(&plan);
        taken = taken ||
                (aic_move_plan_past(move, &move->box[i], schedule, of->problem.target, of->problem.machine, &plan) &&
                 way(&plan));
    }
    return taken;
}

static bool map_takes(const aic_plan *of, bool (*way)(const aic_elementwise_plan *p))
{
    const aic_elementwise *elementwise = aic_elementwise_of(of);
    const aic_elementwise_schedule *schedule = (const aic_elementwise_schedule *)(const void *)of->schedule.fields;
    bool taken = false;
    for (unsigned i = 0; i < elementwise->boxes; i++) {
        aic_elementwise_plan plan;
        aic_elementwise_plan_make(elementwise, &elementwise->box[i], schedule, &plan);
        taken = taken || way(&plan);
        taken = taken ||
                (aic_elementwise_plan_past(elementwise, &elementwise->box[i], schedule, of->problem.machine, &plan) &&
                 way(&plan));
    }
    return taken;
}

/* Whether the default schedule of the row goes this way. */
static bool takes(const char *text, const aic_target *target, const aic_machine *machine, int way)
{
    aic_spec resolved;
    aic_plan *plan;
    const aic_spec spec = spec_of(text);
    const aic_semantics semantics = aic_semantics_init();
    ck_assert_int_eq(aic_spec_resolve_kernel(&spec, &semantics, &resolved), AIC_OK);
    const aic_problem problem = {&resolved, &semantics, target, machine};
    ck_assert_int_eq(aic_plan_create(&problem, &plan), AIC_OK);
    ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
    const bool taken = (plan->shape == &aic_shape_move && WAYS[way].move != NULL && nest_takes(plan, WAYS[way].move)) ||
                       (plan->shape == &aic_shape_elementwise && WAYS[way].elementwise != NULL &&
                        map_takes(plan, WAYS[way].elementwise));
    aic_plan_free(plan);
    return taken;
}

START_TEST(every_way_is_taken)
{
    const aic_target *target = aic_target_find(AIC_ARCH_X86_64, _i % 2 == 0 ? "sse2" : "avx512");
    int rows = 0;
    for (int i = 0; i < SPECS; i++) {
        for (int machine = 0; machine < TINY_MACHINES; machine++) {
            rows += takes(ROWS[i], target, &tiny_machines[machine], _i / 2);
        }
    }
    ck_assert_msg(rows > 0, "%s: by no row on %s", WAYS[_i / 2].name, target->name);
}
END_TEST

/* On usual machines nothing of this size goes past the caches. */
START_TEST(usual_machines)
{
    const aic_machine *machine = aic_machine_of((aic_core)_i);
    const aic_target *target = aic_target_find(AIC_ARCH_X86_64, "avx512");
    for (int i = 0; i < SPECS; i++) {
        ck_assert(!takes(ROWS[i], target, machine, 0) && !takes(ROWS[i], target, machine, 1));
    }
    ck_assert_int_eq(machine->past_bytes, 16 << 20);
}
END_TEST

/* A core cannot do less than one thing in a cycle, and its caches grow with their distance. */
START_TEST(facts_of_cores)
{
    const aic_machine *m = aic_machine_of((aic_core)_i);
    ck_assert(m->multiplies >= 1 && m->multiply_bits >= 512 && m->loads >= 1 && m->load_bits >= 512);
    ck_assert(m->issue >= 1 && m->latency >= 1 && m->conversion >= 0 && m->together >= 0 && m->together <= 100);
    ck_assert(m->near_line >= 1 && m->far_line >= m->near_line && m->far_image >= m->near_line);
    ck_assert(m->l1_bytes < m->l2_bytes && m->l2_bytes < m->l3_bytes && m->l1_bytes / m->l1_ways == 4096);
}
END_TEST

Suite *suite_machine(void)
{
    Suite *suite = suite_create("machine");
    TCase *cases = tcase_create("tiny machines");
    tcase_set_timeout(cases, 600); /* sanitizers are slow */
    tcase_add_loop_test(cases, results, 0, SPECS * TINY_MACHINES);
    tcase_add_loop_test(cases, every_way_is_taken, 0, 2 * WAY_COUNT);
    tcase_add_loop_test(cases, usual_machines, 0, AIC_CORES);
    tcase_add_loop_test(cases, facts_of_cores, 0, AIC_CORES);
    suite_add_tcase(suite, cases);
    return suite;
}
