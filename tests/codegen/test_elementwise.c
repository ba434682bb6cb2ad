/* Operations on elements: results in the place of an operand, inputs that share memory, outputs larger than the caches,
 * quiet NaNs; test_kernels.c compares all else with the reference. */
#include "codegen/loops/elementwise.h"
#include "codegen/machine.h"
#include "frontend/core/spec.h"
#include "frontend/core/stage.h"
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/memory.h"

#include <aic/aic.h>
#include <aic/tool.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_elementwise(void);

enum { OUTPUT, INPUT0, INPUT1, OPERANDS };

/* A context of level number `number` of those that run here. */
static aic_context *context_of(int number)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    options.isa = levels_name(number);
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    return context;
}

/* ---- results in place ---- */

static const char turned[] =
    "tensor_arithmetic(op=BM_XOR, shape=[2,3,19,33], output_stride=[1881,627,1,19], input0_stride=[1881,627,1,19], "
    "input1_stride=[1881,627,1,19])";

static const char *const in_place[] = {
    "tensor_arithmetic(op=BM_SUB, shape=[2,3,5,67])",
    "tensor_arithmetic(op=BM_MAC, shape=[1,1,1,1031])",
    "tensor_arithmetic(op=BM_MAX, shape=[2,3,5,7])",
    "tensor_arithmetic(op=BM_SHIFT, shape=[2,3,5,67])",
    turned,
    "tensor_arithmetic_quantized(op=BM_SUB, shape=[7,3,5,67])",
    "tensor_arithmetic_quantized(op=BM_MUL, shape=[5,3,5,67], rshift_bit=3)",
    "tensor_arithmetic_quantized(op=BM_ADD, shape=[5,3,5,7], input0_8bit=false, input1_8bit=false, output_8bit=false)",
};

enum { IN_PLACE = sizeof in_place / sizeof in_place[0] };

/* Which buffer an operand is, and where in it: words from its start. */
typedef struct sharing {
    int buffer[OPERANDS];
    size_t word[OPERANDS];
} sharing;

static const sharing sharings[] = {
    {{0, 0, 1}, {0, 0, 0}}, {{0, 1, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}},
    {{0, 1, 1}, {0, 0, 0}}, {{0, 1, 1}, {0, 0, 3}},
};

enum { SHARINGS = sizeof sharings / sizeof sharings[0], EXTRA_WORDS = 4 };

/* Floats of middling size and any integers. */
static void fill(uint32_t *words, size_t count)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525 + 1013904223;
        words[i] = (state & 0x83FFFFFF) | 0x3C000000;
    }
}

static void *copy_of(const void *from, size_t bytes)
{
    void *memory = malloc(bytes);
    ck_assert_ptr_nonnull(memory);
    return memcpy(memory, from, bytes);
}

static void check_sharing(const aic_spec *spec, const aic_kernel *kernel, const sharing *s, const char *text)
{
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    ck_assert_int_eq(aic_spec_operands(spec, NULL, operand, &count), AIC_OK);
    const size_t bytes = (size_t)operand[OUTPUT].bytes, all = bytes + EXTRA_WORDS * sizeof(uint32_t);
    uint32_t *buffer[] = {malloc(all), malloc(all)};
    void *apart[OPERANDS], *shared[OPERANDS];
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_nonnull(buffer[i]);
        fill(buffer[i], all / sizeof(uint32_t));
    }
    for (int i = 0; i < OPERANDS; i++) {
        shared[i] = buffer[s->buffer[i]] + s->word[i];
        apart[i] = copy_of(shared[i], bytes);
    }
    ck_assert_msg(aic_reference(spec, NULL, apart, OPERANDS) == AIC_OK, "%s: %s", text, aic_last_error());
    ck_assert_msg(aic_kernel_call(kernel, shared, OPERANDS) == AIC_OK, "%s: %s", text, aic_last_error());
    ck_assert_msg(memcmp(apart[OUTPUT], shared[OUTPUT], bytes) == 0, "%s: wrong where operands share memory", text);
    for (int i = 0; i < OPERANDS; i++) {
        free(apart[i]);
    }
    free(buffer[0]);
    free(buffer[1]);
}

/* The highest native level sees every THOROUGH-th candidate, the others every OTHERS-th, beginning with another one
 * from specification to specification. */
START_TEST(shared_memory)
{
    enum { THOROUGH = 2, OTHERS = 4 };
    aic_context *context = context_of(_i / IN_PLACE);
    const char *text = in_place[_i % IN_PLACE];
    const aic_spec spec = spec_of(text);
    char schedule[256];
    size_t candidates = 0;
    for (; aic_schedule_candidate(context, &spec, candidates, schedule, sizeof schedule) == AIC_OK; candidates++) {
        aic_kernel *kernel;
        if (!levels_is_sampled(_i / IN_PLACE, &spec, (uint64_t)(_i % IN_PLACE) + candidates, THOROUGH, OTHERS)) {
            continue;
        }
        ck_assert_int_eq(aic_kernel_create(context, &spec, schedule, &kernel), AIC_OK);
        for (int i = 0; i < SHARINGS; i++) {
            check_sharing(&spec, kernel, &sharings[i], text);
        }
        aic_kernel_destroy(kernel);
    }
    ck_assert_uint_gt(candidates, 1);
    aic_context_destroy(context);
}
END_TEST

/* ---- outputs larger than the caches ---- */

enum { LARGE_ROWS = 4100, ROW_WORDS = 1024, LARGE_WORDS = LARGE_ROWS * ROW_WORDS, MARGIN = 16 };

/* Aligned outputs, whose stores go past the caches, and others, which they cannot. */
START_TEST(large_output)
{
    static const char TEXT[] = "tensor_arithmetic(op=BM_ADD, shape=[1,1,4100,1024], input1_stride=[0,0,0,1])";
    const size_t bytes = (LARGE_WORDS + 2 * MARGIN) * sizeof(float);
    const aic_spec spec = spec_of(TEXT);
    aic_context *context = context_of(_i);
    aic_kernel *kernel;
    float *out = memory_map(bytes), *in = memory_map(bytes), row[ROW_WORDS];
    ck_assert_ptr_nonnull(out);
    ck_assert_ptr_nonnull(in);
    ck_assert_int_eq(aic_kernel_create(context, &spec, NULL, &kernel), AIC_OK);
    for (int i = 0; i < LARGE_WORDS; i++) {
        in[i] = (float)(i % 8191);
    }
    for (int i = 0; i < ROW_WORDS; i++) {
        row[i] = (float)(i % 7);
    }
    for (int shift = 0; shift < 2; shift++) {
        float *first = out + MARGIN + shift;
        void *operands[] = {first, in, row};
        memset(out, 0, bytes);
        ck_assert_msg(aic_kernel_call(kernel, operands, OPERANDS) == AIC_OK, "%s", aic_last_error());
        int wrong = 0;
        for (int i = 0; i < LARGE_WORDS; i++) {
            wrong += first[i] != (float)(i % 8191) + (float)(i % ROW_WORDS % 7);
        }
        ck_assert_int_eq(wrong, 0);
        ck_assert(first[-1] == 0 && first[LARGE_WORDS] == 0);
    }
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    memory_unmap(out, bytes);
    memory_unmap(in, bytes);
}
END_TEST

/* A machine whose caches are full at once: stores go past them where rows of the output are aligned, and only there. */
START_TEST(aligned_rows)
{
    static const struct {
        const char *text;
        bool past;
    } CASES[] = {
        {"tensor_arithmetic(op=BM_ADD, shape=[1,1,5,64])", true},
        {"tensor_arithmetic(op=BM_ADD, shape=[1,3,3,5])", false},
        {"tensor_arithmetic(op=BM_ADD, shape=[1,3,3,16], output_stride=[153,51,17,1])", false},
        {"tensor_arithmetic(op=BM_ADD, shape=[1,3,3,16], output_stride=[144,48,16,1])", true},
        {"tensor_arithmetic(op=BM_ADD, shape=[1,3,3,16], output_stride=[160,49,16,1])", false},
        {"tensor_arithmetic(op=BM_MAC, shape=[1,1,5,64])", false},
    };
    const aic_semantics semantics = aic_semantics_init();
    aic_machine machine = *aic_machine_of(AIC_CORE_ZEN4);
    machine.past_bytes = 1;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        aic_spec spec = spec_of(CASES[i].text);
        const aic_problem problem = {&spec, &semantics, aic_target_find(AIC_ARCH_X86_64, "avx2"), &machine};
        aic_plan *plan;
        ck_assert_msg(aic_spec_resolve_kernel(&spec, &semantics, &spec) == AIC_OK, "%s", aic_last_error());
        ck_assert_int_eq(aic_plan_create(&problem, &plan), AIC_OK);
        ck_assert_int_eq(aic_plan_choose(plan), AIC_OK);
        const aic_elementwise *elementwise = (const aic_elementwise *)(const void *)plan->work.part;
        const aic_elementwise_schedule schedule = {.vector = 32, .unroll = 1};
        aic_elementwise_plan made;
        ck_assert_msg(aic_elementwise_plan_past(elementwise, &elementwise->box[0], &schedule, &machine, &made) ==
                          CASES[i].past,
                      "%s", CASES[i].text);
        aic_plan_free(plan);
    }
}
END_TEST

/* ---- NaN ---- */

/* Operations that LLVM, left alone, would let a signalling NaN through. */
static const char *const passing[] = {
    "op=BM_MAX",
    "op=BM_MIN",
    "op=BM_MAX, input1_is_const=true, input1_const=1",
    "op=BM_MUL, input1_is_const=true, input1_const=1",
    "op=BM_MUL, input1_is_const=true, input1_const=-1",
    "op=BM_DIV, input1_is_const=true, input1_const=1",
    "op=BM_ADD, input1_is_const=true, input1_const=-0",
    "op=BM_SUB, input1_is_const=true, input1_const=0",
    "op=BM_MAC, input0_is_const=true, input0_const=1, input1_is_const=true, input1_const=-0",
    "op=BM_MAC, input0_is_const=true, input0_const=-1e-30, input1_is_const=true, input1_const=1e-30",
    "op=BM_ADD, input1_is_const=true, input1_const=2",
    "op=BM_SUB, input0_is_const=true, input0_const=-0",
    "op=BM_SUB, input0_is_const=true, input0_const=3",
    "op=BM_MUL, input1_is_const=true, input1_const=2",
    "op=BM_MUL, input1_is_const=true, input1_const=0",
    "op=BM_MUL, input0_is_const=true, input0_const=0.5",
    "op=BM_DIV, input1_is_const=true, input1_const=-1",
    "op=BM_DIV, input1_is_const=true, input1_const=2",
    "op=BM_DIV, input0_is_const=true, input0_const=1",
};

enum { PASSING = sizeof passing / sizeof passing[0], NAN_WORDS = 37 };

/* Levels but the highest native one see every OTHERS-th operation. */
START_TEST(quiet_nan)
{
    enum { OTHERS = 3 };
    static const uint32_t SIGNALLING = 0x7F800001, MASK = 0x7FC00000;
    uint32_t words[OPERANDS][NAN_WORDS];
    void *operands[OPERANDS];
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    char text[200];
    aic_context *context = context_of(_i / PASSING);
    snprintf(text, sizeof text, "tensor_arithmetic(shape=[1,1,1,%d], %s)", NAN_WORDS, passing[_i % PASSING]);
    const aic_spec spec = spec_of(text);
    if (!levels_is_sampled(_i / PASSING, &spec, (uint64_t)(_i % PASSING), 1, OTHERS)) {
        aic_context_destroy(context);
        return;
    }
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, operand, &count), AIC_OK);
    for (int i = 0; i < OPERANDS; i++) {
        for (int k = 0; k < NAN_WORDS; k++) {
            words[i][k] = SIGNALLING;
        }
        operands[i] = operand[i].direction == AIC_DIRECTION_UNUSED ? NULL : words[i];
    }
    ck_assert_msg(aic_jit_spec(context, &spec, operands, OPERANDS) == AIC_OK, "%s", aic_last_error());
    for (int k = 0; k < NAN_WORDS; k++) {
        ck_assert_msg((words[OUTPUT][k] & MASK) == MASK, "%s: %08x", text, words[OUTPUT][k]);
    }
    aic_context_destroy(context);
}
END_TEST

/* ---- every pair of bytes ---- */

static const char *const of_bytes[] = {
    "op=BM_ADD",
    "op=BM_SUB",
    "op=BM_MAX",
    "op=BM_MIN",
    "op=BM_MUL",
    "op=BM_MUL, rshift_bit=1",
    "op=BM_MUL, rshift_bit=7",
    "op=BM_MUL, rshift_bit=15",
    "op=BM_MUL, rshift_bit=16",
    "op=BM_MUL, rshift_bit=31",
};

enum { OF_BYTES = sizeof of_bytes / sizeof of_bytes[0], PAIRS = 65536, WIDEST = 2 };

/* By the reference and by the kernel, from outputs of zeros. */
static void check_bytes(aic_context *context, const aic_semantics *semantics, const char *text, uint8_t *a, uint8_t *b)
{
    static uint8_t expected[WIDEST * PAIRS], output[WIDEST * PAIRS];
    const aic_spec spec = spec_of(text);
    void *operands[] = {expected, a, b};
    memset(expected, 0, sizeof expected);
    memset(output, 0, sizeof output);
    ck_assert_msg(aic_reference(&spec, semantics, operands, OPERANDS) == AIC_OK, "%s: %s", text, aic_last_error());
    operands[OUTPUT] = output;
    ck_assert_msg(aic_jit_spec(context, &spec, operands, OPERANDS) == AIC_OK, "%s: %s", text, aic_last_error());
    ck_assert_msg(memcmp(expected, output, sizeof output) == 0, "%s", text);
}

/* Of the combinations of signs and widths the highest native level sees every THOROUGH-th, the others every OTHERS-th,
 * beginning with another one from operation to operation and level to level. */
START_TEST(every_pair)
{
    enum { SIGNS = 8, WIDTHS = 2, THOROUGH = 2, OTHERS = 5 };
    static uint8_t a[PAIRS], b[PAIRS];
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    char text[300];
    options.isa = levels_name(_i / OF_BYTES);
    options.semantics.rounding = AIC_ROUNDING_HALF_UP;
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    for (int i = 0; i < PAIRS; i++) {
        a[i] = (uint8_t)(i >> 8);
        b[i] = (uint8_t)i;
    }
    for (int i = 0; i < SIGNS * WIDTHS; i++) {
        snprintf(text, sizeof text,
                 "tensor_arithmetic_quantized(shape=[4,1,64,256], %s, input0_sign=%s, input1_sign=%s, output_sign=%s, "
                 "output_8bit=%s)",
                 of_bytes[_i % OF_BYTES], i & 1 ? "true" : "false", i & 2 ? "true" : "false", i & 4 ? "true" : "false",
                 i & SIGNS ? "true" : "false");
        const aic_spec spec = spec_of(text);
        if (!levels_is_sampled(_i / OF_BYTES, &spec, (uint64_t)(i + _i % OF_BYTES), THOROUGH, OTHERS)) {
            continue;
        }
        if (aic_spec_validate(&spec, &options.semantics) == AIC_OK) { /* not every operation widens */
            check_bytes(context, &options.semantics, text, a, b);
        } else {
            ck_assert_int_eq(i & SIGNS, 0);
        }
    }
    aic_context_destroy(context);
}
END_TEST

Suite *suite_elementwise(void)
{
    Suite *suite = suite_create("element-wise kernels");
    TCase *cases = tcase_create("element-wise kernels");
    tcase_set_timeout(cases, 120);
    tcase_add_loop_test(cases, shared_memory, 0, levels_count() * IN_PLACE);
    tcase_add_loop_test(cases, large_output, 0, levels_count());
    tcase_add_test(cases, aligned_rows);
    tcase_add_loop_test(cases, quiet_nan, 0, levels_count() * PASSING);
    tcase_add_loop_test(cases, every_pair, 0, levels_count() * OF_BYTES);
    suite_add_tcase(suite, cases);
    return suite;
}
