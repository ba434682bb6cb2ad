/* NaN whose bits count: stages of chains that read what arithmetic gave as integers. Kernels and references agree on
 * the bits of every NaN that arithmetic and sums of floats give, 0x7fc00000. */
#include "frontend/core/stage.h"
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <check.h>
#include <math.h>
#include <string.h>

Suite *suite_nan_bits(void);

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))
#define INT8 "conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32]) | "
#define HALF(sums) "conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,2,2,16,16], accumulate=" sums ") | "
#define FLOAT(sums) "mmad(dtype=float32, m=5, n=16, k=8, accumulate=" sums ") | "
#define BY(op, constant) "tensor_arithmetic(op=BM_" op ", input1_is_const=true, input1_const=" constant ")"
#define OWN_QUOTIENT " | tensor_arithmetic(op=BM_DIV, input1_stage=2)"
#define INTEGERS " | fixpipe(src=int32, dst=int32, format=NZ)"
#define BYTES " | fixpipe(src=int32, dst=int8, format=NZ, quantPre=REQ8, deqScalar=0x400030000000)"

/* Sums of bytes that are negative are NaN to arithmetic. */
static const char *const chains[] = {
    INT8 BY("MUL", "1") INTEGERS,
    INT8 BY("MUL", "-1") INTEGERS,
    INT8 BY("ADD", "0") INTEGERS,
    INT8 BY("ADD", "2.5") INTEGERS,
    INT8 BY("SUB", "3") BYTES,
    INT8 BY("DIV", "1") INTEGERS,
    INT8 BY("DIV", "nan") BYTES,
    INT8 BY("MAX", "7") INTEGERS,
    INT8 BY("MIN", "7") BYTES,
    INT8 BY("MAC", "2") " | " BY("CPY", "0") INTEGERS,
    INT8 BY("MUL", "3") " | " BY("XOR", "1") " | " BY("ADD", "1") INTEGERS,
    INT8 BY("MUL", "3") " | " BY("SHIFT", "-1.5") " | fixpipe(src=float32, dst=float16, quantPre=F322F16, format=NZ)",
    INT8 BY("MUL", "2") " | tensor_arithmetic(op=BM_SE, input1_stage=2, select_value=4) | "
                        "tensor_arithmetic(op=BM_ADD, input1_stage=1)" INTEGERS,
    HALF("cube") BY("CPY", "0") INTEGERS,
    HALF("fast") BY("CPY", "0") INTEGERS,
    HALF("cube") BY("OR", "1") " | fixpipe(src=float32, dst=float32, format=NZ)",
    HALF("cube") BY("XOR", "1") BYTES,
    FLOAT("cube") BY("AND", "-1") INTEGERS,
    FLOAT("fast") BY("MUL", "1") INTEGERS,
    /* A NaN that LLVM knows when it selects instructions: 0 / 0 of words that are 0 whatever the sums are. */
    INT8 BY("AND", "0") OWN_QUOTIENT " | tik_fixpipe(src=float32, dst=float32, relu=true)",
    INT8 "tensor_arithmetic(op=BM_XOR, input1_stage=1)" OWN_QUOTIENT
         " | fixpipe(src=float32, dst=float32, reluEn=true, format=NZ)",
    INT8 BY("AND", "0") OWN_QUOTIENT " | " BY("MAX", "1"),
    INT8 BY("AND", "0") OWN_QUOTIENT " | fixpipe(src=float32, dst=float16, quantPre=F322F16, reluEn=true, format=NZ)",
    HALF("cube") BY("AND", "0") " | " BY("MUL", "inf") " | fixpipe(src=float32, dst=float32, reluEn=true, format=NZ)",
    FLOAT("fast") BY("AND", "0") OWN_QUOTIENT " | " BY("MIN", "1"),
};

/* Infinities among the products make NaN of some sums of floats. */
static void spoil(verify_case *c)
{
    const aic_operand *weight = &c->operand[2];
    if (weight->dtype == AIC_FLOAT16) {
        uint16_t *half = c->content[2].data;
        half[0] = 0x7C00, half[1] = 0x7E12, half[17] = 0xFE34, half[35] = 0xFC00;
    } else if (weight->dtype == AIC_FLOAT32) {
        const uint32_t bits[] = {0x7F800000, 0xFFC12345, 0x7FD54321, 0xFF800000};
        memcpy(c->content[2].data, bits, sizeof bits);
    }
}

static void expect_anew(verify_case *c)
{
    void *pointer[AIC_OPERANDS_MAX];
    for (size_t i = 0; i < c->count; i++) {
        pointer[i] = c->content[i].data;
    }
    if (c->allowed.size != 0) {
        ck_assert_int_eq(aic_reference_allowed(c->spec, &c->semantics, pointer, c->count, c->allowed.data), AIC_OK);
    }
    memcpy(c->expected.data, c->content[c->output].data, (size_t)c->operand[c->output].bytes);
    pointer[c->output] = c->expected.data;
    ck_assert_int_eq(aic_reference(c->spec, &c->semantics, pointer, c->count), AIC_OK);
}

START_TEST(kernels_agree_on_the_bits)
{
    const aic_spec spec = spec_of(chains[_i % COUNT(chains)]);
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    verify_case c;
    verify_report report;
    options.isa = levels_name(_i / COUNT(chains));
    options.semantics.overflow = AIC_OVERFLOW_IEEE; /* NaN stays NaN */
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    ck_assert_int_eq(verify_open(&c, &spec, &options.semantics, 3, &report), VERIFY_PASSED);
    spoil(&c);
    expect_anew(&c);
    ck_assert_msg(verify_kernel(&c, context, NULL, &report) == VERIFY_PASSED, "%s: %s: %s", options.isa,
                  chains[_i % COUNT(chains)], report.text);
    verify_close(&c);
    aic_context_destroy(context);
}
END_TEST

/* Sums of -8 to 7: the negative ones are NaN to arithmetic, the others denormal numbers, which it keeps. */
START_TEST(the_bits_are_those_of_the_default)
{
    enum { PRODUCTS = 32 };
    const aic_spec spec = spec_of("conv2d(dtype=int8, fm_shape=[1,1,1,32], kernel_shape=[1,1,1,16,32]) | " //
                                  BY("MUL", "1") " | fixpipe(src=int32, dst=int32, format=ROW_MAJOR)");
    static int8_t image[PRODUCTS], weight[16 * PRODUCTS];
    int32_t result[16];
    image[0] = 1;
    for (int c = 0; c < 16; c++) {
        weight[c * PRODUCTS] = (int8_t)(c - 8);
    }
    void *const operands[] = {result, image, weight, NULL};
    ck_assert_msg(aic_reference(&spec, NULL, operands, 4) == AIC_OK, "%s", aic_last_error());
    for (int c = 0; c < 16; c++) {
        ck_assert_int_eq(result[c], c < 8 ? 0x7FC00000 : c - 8);
    }
    memset(result, 0, sizeof result);
    ck_assert_msg(aic_jit_spec(NULL, &spec, operands, 4) == AIC_OK, "%s", aic_last_error());
    for (int c = 0; c < 16; c++) {
        ck_assert_int_eq(result[c], c < 8 ? 0x7FC00000 : c - 8);
    }
}
END_TEST

static bool is_on_bits(aic_atomic_op op)
{
    return op == AIC_ATOMIC_BM_AND || op == AIC_ATOMIC_BM_OR || op == AIC_ATOMIC_BM_XOR || op == AIC_ATOMIC_BM_SHIFT ||
           op == AIC_ATOMIC_BM_SE;
}

/* Random chains have fixpipes, and operations, that read floats as integers. */
START_TEST(readers_are_drawn)
{
    int fixpipes = 0, operations = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        aic_spec spec;
        bool floats = false;
        ck_assert_int_eq(aic_spec_draw_chain(AIC_OP_CONV2D, AIC_OP_FIXPIPE, NULL, seed, &spec), AIC_OK);
        for (int s = 1; s < spec.count - 1; s++) {
            const aic_atomic_op op = spec.stage[s].desc.tensor_arithmetic.op;
            operations += floats && is_on_bits(op);
            floats = floats || (!is_on_bits(op) && op != AIC_ATOMIC_BM_CPY && op != AIC_ATOMIC_BM_SG);
        }
        fixpipes += floats && spec.stage[spec.count - 1].desc.fixpipe.src == AIC_INT32;
    }
    ck_assert_int_gt(fixpipes, 10);
    ck_assert_int_gt(operations, 10);
}
END_TEST

Suite *suite_nan_bits(void)
{
    Suite *suite = suite_create("nan_bits");
    TCase *tcase = tcase_create("nan_bits");
    tcase_add_loop_test(tcase, kernels_agree_on_the_bits, 0, COUNT(chains) * levels_count());
    tcase_add_test(tcase, the_bits_are_those_of_the_default);
    tcase_add_test(tcase, readers_are_drawn);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
