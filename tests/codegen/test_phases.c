/* Kernels shared by workers: the items of every phase done in ranges of random lengths, in random order, each by one of
 * several workers with memory of its own, must give what the reference gives. Any order is right, so a wrong one shows
 * here without threads. */
#include "codegen/kernel.h"
#include "codegen/machine.h"
#include "frontend/core/stage.h"
#include "frontend/random/rng.h"
#include "runtime/request/pipeline.h"
#include "tests/levels.h"
#include "tests/machines.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <aic/tool.h>
#include <check.h>
#include <string.h>

Suite *suite_phases(void);

enum { WORKERS = 3, RANGES_MAX = 64 };

typedef void (*phase_function)(void *const *operands, void *shared, void *private, int64_t phase, int64_t first,
                               int64_t last);

/* A call that is shared. */
typedef struct shared_call {
    const verify_case *c;
    const aic_code *code;
    void *operand[AIC_OPERANDS_MAX];
    guard_buffer output, packed, shared, private[WORKERS];
    uint64_t state; /* of the random numbers */
} shared_call;

static void open_memory(guard_buffer *memory, int64_t bytes)
{
    ck_assert(guard_open(memory, (size_t)bytes, 64, GUARD_AFTER));
    if (bytes > 0) {
        memset(memory->data, 0xA5, (size_t)bytes); /* what is there before must not matter */
    }
}

static void open_call(shared_call *call)
{
    const verify_case *c = call->c;
    const aic_requirements *r = &call->code->requirements;
    const guard_buffer *old = &c->content[c->output];
    open_memory(&call->shared, r->shared_bytes);
    open_memory(&call->packed, r->pack.bytes);
    for (int i = 0; i < WORKERS; i++) {
        open_memory(&call->private[i], r->private_bytes);
    }
    for (size_t i = 0; i < c->count; i++) {
        call->operand[i] = c->content[i].data;
    }
    ck_assert(guard_open(&call->output, old->size, 64, GUARD_AFTER));
    memcpy(call->output.data, old->data, old->size);
    call->operand[c->output] = call->output.data;
    const void *own[AIC_OPERANDS_MAX];
    const void *const *all = aic_code_operands(call->code, (const void *const *)call->operand, own);
    memmove(call->operand, all, c->count * sizeof call->operand[0]);
}

static void close_call(shared_call *call)
{
    guard_close(&call->output);
    guard_close(&call->packed);
    guard_close(&call->shared);
    for (int i = 0; i < WORKERS; i++) {
        guard_close(&call->private[i]);
    }
}

/* Divides 0 .. items-1 into ranges that begin at begin[i] and end at begin[i+1]; returns how many. */
static int divide(shared_call *call, int64_t items, int64_t begin[RANGES_MAX + 1])
{
    int count = 0;
    const int64_t longest = aic_rng_range(&call->state, 1, items);
    begin[0] = 0;
    while (begin[count] < items) {
        const int64_t next = begin[count] + aic_rng_range(&call->state, 1, longest);
        count++;
        begin[count] = next > items || count == RANGES_MAX ? items : next;
    }
    return count;
}

/* Runs the items of a phase with `shared` as its shared memory. */
static void run_phase(shared_call *call, void *shared, int64_t phase, int64_t items)
{
    phase_function run = (phase_function)call->code->function[AIC_FUNCTION_PHASE];
    int64_t begin[RANGES_MAX + 1];
    int order[RANGES_MAX];
    const int count = divide(call, items, begin);
    for (int i = 0; i < count; i++) {
        const int other = (int)aic_rng_range(&call->state, 0, i);
        order[i] = order[other];
        order[other] = i;
    }
    for (int i = 0; i < count; i++) {
        void *private = call->private[aic_rng_range(&call->state, 0, WORKERS - 1)].data;
        run(call->operand, shared, private, phase, begin[order[i]], begin[order[i] + 1]);
    }
}

static void check_code(const verify_case *c, const aic_code *code, uint64_t seed)
{
    verify_report report;
    const aic_requirements *r = &code->requirements;
    shared_call call = {.c = c, .code = code, .state = seed};
    open_call(&call);
    if (r->pack.operand != 0) {
        run_phase(&call, call.packed.data, AIC_PHASE_PACK, r->pack.items);
        call.operand[r->pack.operand] = call.packed.data;
    }
    for (uint32_t phase = 0; phase < r->phases; phase++) {
        run_phase(&call, call.shared.data, phase, r->phase[phase].items);
    }
    const verify_verdict verdict = verify_compare(c, call.output.data, "shared", &report);
    ck_assert_msg(verdict == VERIFY_PASSED, "%s: %s", code->symbol, report.text);
    for (int i = 0; i < WORKERS; i++) {
        ck_assert(guard_intact(&call.private[i]));
    }
    ck_assert(guard_intact(&call.shared) && guard_intact(&call.packed) && guard_intact(&call.output));
    close_call(&call);
}

/* The default schedule and a further one; returns how many of the kernels can be shared. */
static int check_spec(aic_context *context, const aic_spec *spec, uint64_t seed)
{
    verify_case c;
    verify_report report;
    char schedule[256];
    int shared = 0;
    const aic_semantics semantics = aic_semantics_init();
    ck_assert_msg(verify_open(&c, spec, &semantics, seed, &report) == VERIFY_PASSED, "%s", report.text);
    for (size_t i = 0; i <= 3; i += 3) {
        if (aic_schedule_candidate(context, spec, i, schedule, sizeof schedule) != AIC_OK) {
            break;
        }
        aic_stage_view stage[AIC_STAGES_MAX];
        const aic_request request = {
            .count = aic_stage_views(spec, stage), .stage = stage, .schedule = i == 0 ? NULL : schedule};
        aic_result result;
        ck_assert_msg(aic_pipeline(context, &request, &result) == AIC_OK, "%s", aic_last_error());
        if (result.code->requirements.phases > 0) {
            ck_assert_ptr_nonnull(result.code->function[AIC_FUNCTION_PHASE]);
            check_code(&c, result.code, seed + i);
            shared++;
        }
        aic_code_release(result.code);
    }
    verify_close(&c);
    return shared;
}

/* ---- specifications ---- */

/* What takes a way of its own through the code that divides the work. */
static const char *const ROWS[] = {
    "conv2d(dtype=int8, fm_shape=[2,9,11,32], kernel_shape=[2,3,3,176,32], pad=[1,1,1,1])",
    "conv2d(dtype=int8, fm_shape=[2,19,11,32], kernel_shape=[2,3,3,96,32], init_l1out=false)",
    "conv2d(dtype=float16, fm_shape=[3,8,8,16], kernel_shape=[3,1,1,48,16], accumulate=fast)",
    "conv2d(dtype=float16, fm_shape=[3,8,8,16], kernel_shape=[3,1,1,48,16])",
    ("conv2d(dtype=int8, fm_shape=[1,21,19,32], kernel_shape=[1,3,3,64,32], stride=[2,2], pad=[1,1,1,1])"
     " | fixpipe(src=int32, dst=int8, quantPre=VREQ8, reluEn=true)"),
    "mmad(dtype=int8, m=70, k=64, n=48)",
    "fixpipe(src=int32, dst=float16, nSize=48, mSize=70, srcStride=80, dstStride=48, quantPre=VDEQF16)",
    "tik_fixpipe(src=float32, dst=float16, cburst_num=4, burst_len=80, quantize_params=fp322fp16)",
    "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[2,37,8,8])",
    "transdata(dtype=float16, src=OIHW, dst=HWIO, shape=[40,37,16,5])",
    "transdata(dtype=int8, src=NC1HWC0, dst=NHWC, shape=[1,9,37,33])",
    "tensor_arithmetic(op=BM_ADD, shape=[1,1,2,50003])",
    "tensor_arithmetic(op=BM_MIN, shape=[1,3,200,5], input1_stride=[0,1000,0,1])",
    "tensor_arithmetic_quantized(op=BM_SUB, shape=[7,3,20,32])",
    "texpands(dtype=float32, rows=64, cols=40, v_row=61, v_col=33)",
};

enum { SPECS = sizeof ROWS / sizeof ROWS[0], MACHINES = TINY_MACHINES + 1 };

/* A machine on which every kernel can be shared: the usual one or a tiny one. */
static void suppose(aic_context *context, int number)
{
    machine_suppose(context, number == 0 ? machine_of(NULL) : &tiny_machines[number - 1]);
    machine_share_from(context, 0);
}

static aic_context *open_level(int level)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    options.isa = levels_name(level);
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    return context;
}

/* Of the levels the highest native one sees each row on each machine, the others every OTHERS-th. */
START_TEST(rows)
{
    enum { OTHERS = 3 };
    aic_context *context = open_level(_i / MACHINES);
    suppose(context, _i % MACHINES);
    for (size_t row = 0; row < SPECS; row++) {
        const aic_spec spec = spec_of(ROWS[row]);
        const bool taken = levels_is_sampled(_i / MACHINES, &spec, row + (size_t)(_i % MACHINES), 1, OTHERS);
        ck_assert_msg(!taken || check_spec(context, &spec, row) > 0, "%s: no kernel can be shared", ROWS[row]);
    }
    aic_context_destroy(context);
}
END_TEST

/* Operands of random specifications that take no longer than it is worth. */
static bool is_small(const aic_spec *spec)
{
    enum { BYTES_MAX = 30000 };
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    int64_t bytes = 0;
    ck_assert_int_eq(aic_spec_operands(spec, NULL, operand, &count), AIC_OK);
    for (size_t i = 0; i < count; i++) {
        bytes += operand[i].bytes;
    }
    return bytes < BYTES_MAX;
}

enum { OPS = AIC_OP_END - 1, DRAWS = 16, DRAWS_MAX = 1000, OTHERS = 3 };

START_TEST(pseudo_random)
{
    const aic_op op = (aic_op)(_i % OPS + 1);
    const bool thorough = levels_is_thorough(_i / OPS);
    aic_context *context = open_level(_i / OPS);
    int shared = 0;
    /* How many of the first can be shared is chance: on until there is one. */
    for (uint64_t seed = 1; seed <= (thorough && shared == 0 ? DRAWS_MAX : DRAWS); seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw(op, NULL, seed, &spec), AIC_OK);
        if (is_small(&spec) && levels_is_sampled(_i / OPS, &spec, seed / MACHINES + op, 1, OTHERS)) {
            suppose(context, (int)(seed % MACHINES));
            shared += check_spec(context, &spec, seed);
        }
    }
    ck_assert_msg(shared > 0 || !thorough, "%s: no kernel can be shared", aic_op_name(op));
    aic_context_destroy(context);
}
END_TEST

/* Workers share a group's call, but where an operand has to be packed, for which groups have no phase. */
START_TEST(groups)
{
    static const struct {
        const char *text;
        bool packs;
    } GROUPS[] = {{"conv2d(dtype=int8, fm_shape=[2,56,56,32], kernel_shape=[2,3,3,64,32])", true},
                  {"transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[1,256,256,64])", false}};
    const aic_semantics semantics = aic_semantics_init();
    for (size_t i = 0; i < sizeof GROUPS / sizeof *GROUPS; i++) {
        const aic_spec spec = spec_of(GROUPS[i].text);
        const aic_problem problem = {&spec, &semantics, aic_target_at(AIC_ARCH_X86_64, 1), aic_machine_of(0)};
        aic_plan *plan;
        aic_requirements one, two;
        ck_assert_int_eq(aic_plan_create(&problem, &plan), AIC_OK);
        ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
        aic_plan *const plans[] = {plan, plan};
        aic_kernel_requirements(&(aic_kernel_plan){1, plans}, &one);
        aic_kernel_requirements(&(aic_kernel_plan){2, plans}, &two);
        ck_assert_int_eq(one.pack.operand != 0, GROUPS[i].packs);
        ck_assert_uint_gt(one.phases, 0);
        ck_assert_uint_eq(two.phases, GROUPS[i].packs ? 0 : 2 * one.phases);
        aic_plan_free(plan);
    }
}
END_TEST

Suite *suite_phases(void)
{
    Suite *suite = suite_create("phases");
    TCase *cases = tcase_create("phases");
    tcase_set_timeout(cases, 240);
    tcase_add_loop_test(cases, rows, 0, MACHINES * levels_count());
    tcase_add_loop_test(cases, pseudo_random, 0, OPS * levels_count());
    suite_add_tcase(suite, cases);
    TCase *of_groups = tcase_create("groups");
    tcase_add_test(of_groups, groups);
    suite_add_tcase(suite, of_groups);
    return suite;
}
