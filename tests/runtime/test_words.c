/* Operators and chains whose quantisation word, scale or constants are the same for all columns: they are no part of
 * the kernel. Requests that differ in it alone share machine code, and each computes with its own. */
#include "frontend/core/spec.h"
#include "frontend/random/rng.h"
#include "tests/disk_case.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *suite_words(void);

enum { WORDS = 60 };

#define INT8_LAYER "conv2d(dtype=int8, fm_shape=[1,5,6,32], kernel_shape=[1,2,2,48,32]"
#define HALF_LAYER "conv2d(dtype=float16, fm_shape=[1,5,6,16], kernel_shape=[1,2,2,48,16])"
#define MATRICES "mmad(dtype=int8, m=9, n=40, k=32)"
#define CONSTANTS                                                                                                      \
    HALF_LAYER " | tensor_arithmetic(op=BM_MUL, input1_is_const=true) | tensor_arithmetic(op=BM_ADD, "                 \
               "input1_stride=[0,16,0,1]) | tensor_arithmetic(op=BM_SUB, input1_is_const=true)"

/* How many kinds of words there are at most for which there is code of its own (frontend/ops/fixpipe.h); those that
 * rectify in vain, which is no kind, count twice. */
static const struct {
    const char *text;
    uint64_t kinds;
} chains[] = {
    {INT8_LAYER ") | fixpipe(src=int32, dst=int8, quantPre=REQ8)", 3},
    {INT8_LAYER ") | fixpipe(src=int32, dst=uint8, quantPre=REQ8, format=NZ)", 3},
    {INT8_LAYER ", init_l1out=false, l1out=channel) | fixpipe(src=int32, dst=int8, quantPre=REQ8)", 3},
    {INT8_LAYER ") | fixpipe(src=int32, dst=float16, quantPre=DEQF16)", 1},
    {HALF_LAYER " | fixpipe(src=float32, dst=int8, quantPre=QF322B8_PRE)", 2},
    {HALF_LAYER " | tensor_arithmetic(op=BM_MUL, input1_stride=[0,16,0,1]) | "
                "fixpipe(src=float32, dst=int8, quantPre=QF322B8_PRE)",
     2},
    {INT8_LAYER ") | tik_fixpipe(src=int32, dst=float16, quantize_params=int322fp16)", 2},
    {INT8_LAYER ") | tik_fixpipe(src=int32, dst=float16, quantize_params=int322fp16, bias=true)", 2},
    {MATRICES " | fixpipe(src=int32, dst=int8, quantPre=REQ8)", 3},
    {CONSTANTS " | fixpipe(src=float32, dst=float16, quantPre=F322F16)", 1},
    {CONSTANTS " | fixpipe(src=float32, dst=int8, quantPre=QF322B8_PRE)", 2},
    {CONSTANTS, 1},
    {INT8_LAYER ", init_l1out=false, l1out=channel) | tensor_arithmetic(op=BM_XOR, input1_is_const=true) | "
                "tensor_arithmetic(op=BM_MAC) | tensor_arithmetic(op=BM_SE, input1_is_const=true, select_value=3) | "
                "tensor_arithmetic(op=BM_DIV, input1_is_const=true) | tik_fixpipe(src=float32, dst=float32)",
     2},
    {"fixpipe(src=int32, dst=int8, nSize=40, mSize=9, srcStride=9, dstStride=40, quantPre=REQ8)", 14},
    {"fixpipe(src=int32, dst=uint8, nSize=40, mSize=9, srcStride=9, dstStride=40, quantPre=REQ8, reluEn=true)", 14},
    {"fixpipe(src=int32, dst=int8, nSize=48, mSize=7, srcStride=7, dstStride=9, format=NZ, quantPre=REQ8, reluEn=true)",
     14},
    {"fixpipe(src=int32, dst=float16, nSize=40, mSize=9, srcStride=9, dstStride=40, quantPre=DEQF16)", 1},
    {"fixpipe(src=float32, dst=int8, nSize=40, mSize=9, srcStride=9, dstStride=40, quantPre=QF322B8_PRE)", 4},
    {"fixpipe(src=float32, dst=uint8, nSize=16, mSize=9, srcStride=9, dstStride=16, quantPre=QF322B8_PRE, reluEn=true)",
     7},
    {"tik_fixpipe(src=int32, dst=float16, cburst_num=3, burst_len=4, src_stride=0, dst_stride=0, "
     "quantize_params=int322fp16)",
     2},
    {"tensor_arithmetic(op=BM_MUL, shape=[2,3,4,5], input1_is_const=true)", 1},
    {"tensor_arithmetic(op=BM_MAC, shape=[1,16,7,9], input1_is_const=true, output_stride=[0,100,10,1])", 1},
    {"tensor_arithmetic(op=BM_SUB, shape=[1,64,7,7], output_stride=[0,64,8,1], input1_is_const=true)", 1},
    {"tensor_arithmetic(op=BM_SG, shape=[1,3,4,5], input1_is_const=true, select_value=1)", 1},
    {"tensor_arithmetic(op=BM_XOR, shape=[1,1,4,50], input1_is_const=true)", 1},
    {"tensor_arithmetic(op=BM_SUB, shape=[2,3,4,5], input0_is_const=true)", 1},
    {"tensor_arithmetic(op=BM_AND, shape=[1,3,7,9], input0_is_const=true, output_stride=[0,100,10,1])", 1},
    {"tensor_arithmetic(op=BM_MAC, shape=[1,3,7,9], input0_is_const=true, input1_stride=[0,1,0,0])", 1},
    {"tensor_arithmetic(op=BM_SUB, shape=[1,3,7,9], input0_is_const=true, input1_is_const=true, input0_const=3)", 1},
    {"tensor_arithmetic(op=BM_CPY, shape=[1,3,7,9], input0_is_const=true, output_stride=[0,100,10,1])", 1},
    {"tensor_arithmetic(op=BM_SG, shape=[1,16,1,9], input0_is_const=true, select_value=2)", 1},
};
enum { CHAINS = sizeof chains / sizeof chains[0] };

/* Constants that are one word of a kernel, and those that code had better know. */
START_TEST(constants_that_code_knows)
{
    static const struct {
        const char *rest;
        size_t words;
    } rows[] = {
        {"op=BM_SUB, input0_is_const=true", 1},
        {"op=BM_SHIFT, input0_is_const=true", 0},
        {"op=BM_MAX, input0_is_const=true", 0},
        {"op=BM_MIN, input0_is_const=true", 0},
        {"op=BM_DIV, input0_is_const=true", 0},
        {"op=BM_SHIFT, input1_is_const=true", 0},
        {"op=BM_MAX, input1_is_const=true", 0},
        {"op=BM_DIV, input1_is_const=true, input1_const=8", 0},
        {"op=BM_DIV, input1_is_const=true, input1_const=3", 1},
        {"op=BM_CPY, input0_is_const=true", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[160];
        aic_spec spec, canonical;
        aic_words words;
        const aic_semantics semantics = aic_semantics_init();
        snprintf(text, sizeof text, "tensor_arithmetic(shape=[1,3,4,50], %s)", rows[i].rest);
        ck_assert_msg(aic_spec_read(text, &spec) == AIC_OK, "%s", aic_last_error());
        ck_assert_msg(aic_spec_resolve_kernel(&spec, NULL, &canonical) == AIC_OK, "%s", aic_last_error());
        aic_spec_take_words(&canonical, &semantics, &words);
        ck_assert_msg(words.count == rows[i].words, "%s: %zu", rows[i].rest, words.count);
    }
}
END_TEST

static aic_semantics usual;

static void set_semantics(void)
{
    usual = aic_semantics_init();
}

static aic_spec spec_of(const char *text)
{
    aic_spec spec;
    ck_assert_msg(aic_spec_read(text, &spec) == AIC_OK, "%s: %s", text, aic_last_error());
    return spec;
}

/* A word by its bits: also those of scales that aic_quant_word() refuses, 0 and negative ones, which words may have. */
static uint64_t word_of(float scale, int32_t offset, bool is_signed)
{
    uint32_t bits;
    memcpy(&bits, &scale, sizeof bits);
    return (bits & 0xFFFFE000) | (uint64_t)(offset & 0x1FF) << 37 | (uint64_t)is_signed << AIC_QUANT_SIGN_BIT;
}

static void set_constants(aic_spec *spec, float number)
{
    for (int s = 0; s < spec->count; s++) {
        aic_tensor_arithmetic_desc *desc = &spec->stage[s].desc.tensor_arithmetic;
        if (spec->stage[s].op == AIC_OP_TENSOR_ARITHMETIC) {
            *(desc->input1_is_const ? &desc->input1_const : &desc->input0_const) = number * (float)(s + 1);
        }
    }
}

/* Other constants; gives the last stage another word: of any sign, with or without an offset and a shift. */
static void draw_word(uint64_t *state, aic_spec *spec)
{
    enum { SHIFT_BITS = 5 };
    aic_stage *last = &spec->stage[spec->count - 1];
    const float scale = (float)aic_rng_range(state, -2000, 2000) / (aic_rng_range(state, 0, 3) == 0 ? 100.0F : 2e5F);
    set_constants(spec, scale);
    if (last->op == AIC_OP_TIK_FIXPIPE) {
        last->desc.tik_fixpipe.mode_param = (double)scale;
    }
    if (last->op != AIC_OP_FIXPIPE) {
        return;
    }
    const bool plain = aic_rng_range(state, 0, 1) == 0;
    const int32_t offset = plain ? 0 : (int32_t)aic_rng_range(state, -256, 255);
    uint64_t word = word_of(scale, offset, plain || aic_rng_range(state, 0, 1) == 0);
    if (aic_rng_range(state, 0, 3) == 0) {
        word |= (UINT64_C(1) << AIC_QUANT_MCB_BIT) | (uint64_t)aic_rng_range(state, 0, (1 << (SHIFT_BITS - 1)) - 1)
                                                         << AIC_QUANT_SHIFT_BIT;
    }
    last->desc.fixpipe.deqScalar = word;
}

/* ---- many words ---- */

START_TEST(words_share_kernels)
{
    aic_context *context;
    aic_spec spec = spec_of(chains[_i].text);
    uint64_t state = (uint64_t)_i + 1;
    ck_assert_int_eq(aic_context_create(NULL, &context), AIC_OK);
    for (int i = 0; i < WORDS; i++) {
        verify_report report = {.text = ""};
        draw_word(&state, &spec);
        ck_assert_msg(verify_spec(&spec, &usual, (uint64_t)i, context, NULL, &report) == VERIFY_PASSED, "%s: %s",
                      chains[_i].text, report.text);
    }
    const aic_cache_stats stats = disk_stats(context);
    ck_assert_uint_ge(stats.compiles, 1);
    ck_assert_uint_le(stats.compiles, chains[_i].kinds);
    aic_context_destroy(context);
}
END_TEST

/* Scales of one kind, some of them with offsets: one compilation, whoever asks. */
static const char *const of_a_scale[] = {
    INT8_LAYER ") | fixpipe(src=int32, dst=int8, quantPre=REQ8)",
    "fixpipe(src=int32, dst=int8, nSize=40, mSize=9, srcStride=9, dstStride=40, quantPre=REQ8)",
    "fixpipe(src=int32, dst=float16, nSize=40, mSize=9, srcStride=9, dstStride=40, quantPre=DEQF16)",
    "fixpipe(src=float32, dst=int8, nSize=40, mSize=9, srcStride=9, dstStride=40, quantPre=QF322B8_PRE)",
    "tik_fixpipe(src=int32, dst=float16, cburst_num=3, burst_len=4, quantize_params=int322fp16)",
    "tensor_arithmetic(op=BM_MUL, shape=[2,3,4,5], input1_is_const=true)",
    CONSTANTS " | fixpipe(src=float32, dst=int8, quantPre=QF322B8_PRE)",
    CONSTANTS,
    "tensor_arithmetic(op=BM_SUB, shape=[2,3,4,5], input0_is_const=true)",
};

static void set_scale(aic_spec *spec, float scale)
{
    aic_stage *last = &spec->stage[spec->count - 1];
    set_constants(spec, scale);
    if (last->op == AIC_OP_TIK_FIXPIPE) {
        last->desc.tik_fixpipe.mode_param = (double)scale;
    } else if (last->op == AIC_OP_FIXPIPE) {
        last->desc.fixpipe.deqScalar = word_of(scale, 0, true);
    }
}

/* Its operands, zeros. */
static void *const *zero_operands(const aic_spec *spec, size_t *count)
{
    enum { BYTES = 16384 };
    static _Alignas(64) unsigned char memory[AIC_OPERANDS_MAX][BYTES];
    static void *pointer[AIC_OPERANDS_MAX];
    aic_operand operand[AIC_OPERANDS_MAX];
    ck_assert_msg(aic_spec_operands(spec, NULL, operand, count) == AIC_OK, "%s", aic_last_error());
    for (size_t i = 0; i < *count; i++) {
        ck_assert_int_le(operand[i].bytes, BYTES);
        pointer[i] = operand[i].direction == AIC_DIRECTION_UNUSED ? NULL : memory[i];
    }
    return pointer;
}

START_TEST(a_thousand_scales)
{
    enum { SCALES = 1000 };
    aic_context *context;
    aic_spec spec = spec_of(of_a_scale[_i]);
    ck_assert_int_eq(aic_context_create(NULL, &context), AIC_OK);
    for (int i = 1; i <= SCALES; i++) {
        size_t count;
        set_scale(&spec, (float)i / 2048);
        void *const *operands = zero_operands(&spec, &count);
        ck_assert_msg(aic_jit_spec(context, &spec, operands, count) == AIC_OK, "%s", aic_last_error());
    }
    const aic_cache_stats stats = disk_stats(context);
    ck_assert_uint_eq(stats.compiles, 1);
    ck_assert_uint_eq(stats.kernels, 1);
    aic_context_destroy(context);
}
END_TEST

/* ---- handles ---- */

/* Handles of equal machine code and different words, called in turns. */
typedef struct pair {
    verify_case c[2];
    aic_kernel *kernel[2];
} pair;

static void open_pair(pair *p, const char *text, aic_context *context)
{
    aic_spec spec = spec_of(text);
    aic_kernel_info info[] = {aic_kernel_info_init(), aic_kernel_info_init()};
    verify_report report;
    for (int i = 0; i < 2; i++) {
        set_scale(&spec, i == 0 ? 0.001F : 0.0123F);
        ck_assert_int_eq(verify_open(&p->c[i], &spec, &usual, 7, &report), VERIFY_PASSED);
        ck_assert_int_eq(aic_kernel_create(context, &spec, NULL, &p->kernel[i]), AIC_OK);
        ck_assert_int_eq(aic_kernel_get_info(p->kernel[i], &info[i]), AIC_OK);
    }
    ck_assert_str_eq(info[0].name, info[1].name);
    ck_assert(!info[1].compiled);
    ck_assert(memcmp(p->c[0].expected.data, p->c[1].expected.data, p->c[0].expected.size) != 0);
}

static void close_pair(pair *p)
{
    for (int i = 0; i < 2; i++) {
        verify_close(&p->c[i]);
        aic_kernel_destroy(p->kernel[i]);
    }
}

enum { PLAIN, PACKED, FUNCTION, BATCH, BATCH_PACKED, WAYS };

static aic_status call_function(const aic_kernel *kernel, void *const operands[])
{
    void *workspace = aligned_block(aic_kernel_workspace_size(kernel) + 1);
    aic_kernel_function(kernel, false)(operands, workspace);
    free(workspace);
    return AIC_OK;
}

/* Calls a handle in this way, into `output`, which has room for two images. */
static aic_status call_by(int way, const pair *p, int i, unsigned char *output)
{
    enum { WEIGHT = 2 };
    const verify_case *c = &p->c[i];
    void *pointer[AIC_OPERANDS_MAX], *packed = NULL;
    size_t stride[AIC_OPERANDS_MAX] = {c->expected.size}, bytes = 0;
    for (size_t k = 0; k < c->count; k++) {
        pointer[k] = c->operand[k].direction == AIC_DIRECTION_UNUSED ? NULL : c->content[k].data;
    }
    pointer[0] = output;
    ck_assert_int_eq(aic_kernel_packed_size(p->kernel[i], WEIGHT, &bytes), AIC_OK);
    packed = aligned_block(bytes);
    ck_assert_int_eq(aic_kernel_pack(p->kernel[i], WEIGHT, packed, pointer[WEIGHT]), AIC_OK);
    pointer[WEIGHT] = way == PACKED || way == BATCH_PACKED ? packed : pointer[WEIGHT];
    aic_status status = way == PLAIN      ? aic_kernel_call(p->kernel[i], pointer, c->count)
                        : way == PACKED   ? aic_kernel_call_packed(p->kernel[i], pointer, c->count)
                        : way == FUNCTION ? call_function(p->kernel[i], pointer)
                        : way == BATCH    ? aic_kernel_call_batch(p->kernel[i], pointer, stride, 2)
                                          : aic_kernel_call_batch_packed(p->kernel[i], pointer, stride, 2);
    free(packed);
    return status;
}

static void check_turns(const pair *p)
{
    const size_t size = p->c[0].expected.size;
    unsigned char *output = aligned_block(2 * size);
    for (int turn = 0; turn < 2 * 2 * WAYS; turn++) {
        const int i = turn % 2, way = turn / 2 % WAYS;
        memcpy(output, p->c[i].content[0].data, size);
        memcpy(output + size, p->c[i].content[0].data, size);
        ck_assert_msg(call_by(way, p, i, output) == AIC_OK, "%s", aic_last_error());
        ck_assert_msg(memcmp(output, p->c[i].expected.data, size) == 0, "turn %d", turn);
        ck_assert_msg(way < BATCH || memcmp(output + size, p->c[i].expected.data, size) == 0, "turn %d", turn);
    }
    free(output);
}

START_TEST(handles_have_their_own_words)
{
    pair p;
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    options.threads = 1 + _i / 2;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    open_pair(&p, _i % 2 == 0 ? chains[0].text : CONSTANTS " | fixpipe(src=float32, dst=float16, quantPre=F322F16)",
              context);
    check_turns(&p);
    aic_context_destroy(context); /* handles stay usable */
    check_turns(&p);
    close_pair(&p);
}
END_TEST

/* More words than the cache keeps requests: entries go, kernels of handles stay. */
START_TEST(words_are_evicted)
{
    pair p;
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    verify_report report;
    aic_spec spec = spec_of(chains[0].text);
    uint64_t state = 3;
    options.cache_kernels = 2;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    open_pair(&p, chains[0].text, context);
    for (int i = 0; i < WORDS; i++) {
        draw_word(&state, &spec);
        ck_assert_msg(verify_spec(&spec, &usual, 1, context, NULL, &report) == VERIFY_PASSED, "%s", report.text);
    }
    check_turns(&p);
    close_pair(&p);
    aic_context_destroy(context);
}
END_TEST

/* The kernel of one word is that of another in the next process. */
START_TEST(words_on_the_disk)
{
    for (int i = 0; i < 3; i++) {
        verify_report report;
        aic_spec spec = spec_of(chains[0].text);
        aic_context *context = disk_context("rw");
        spec.stage[1].desc.fixpipe.deqScalar = word_of(0.001F * (float)(i + 1), 0, true);
        ck_assert_msg(verify_spec(&spec, &usual, 1, context, NULL, &report) == VERIFY_PASSED, "%s", report.text);
        ck_assert_uint_eq(disk_stats(context).compiles, i == 0);
        ck_assert_uint_eq(disk_stats(context).loads, i > 0);
        aic_context_destroy(context);
    }
}
END_TEST

Suite *suite_words(void)
{
    Suite *suite = suite_create("words");
    TCase *tcase = tcase_create("words"), *disk = tcase_create("disk");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, set_semantics, NULL);
    tcase_add_checked_fixture(disk, set_semantics, NULL);
    tcase_add_test(tcase, constants_that_code_knows);
    tcase_add_loop_test(tcase, words_share_kernels, 0, CHAINS);
    tcase_add_loop_test(tcase, a_thousand_scales, 0, sizeof of_a_scale / sizeof of_a_scale[0]);
    tcase_add_loop_test(tcase, handles_have_their_own_words, 0, 6);
    tcase_add_test(tcase, words_are_evicted);
    suite_add_tcase(suite, tcase);
    tcase_add_checked_fixture(disk, disk_open, disk_close);
    tcase_add_test(disk, words_on_the_disk);
    suite_add_tcase(suite, disk);
    return suite;
}
