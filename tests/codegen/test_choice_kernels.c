/* Kernels under choices (aic/choices.def) that are no defaults, at every level: requests that show each one, and random
 * ones; code does not depend on a choice that does not matter. */
#include "frontend/core/spec.h"
#include "tests/choice_case.h"
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/rng.h"

#include <aic/aic.h>
#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_choice_kernels(void);

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

#define FIX8 "fixpipe(dst=int8, nSize=37, mSize=9, srcStride=9, dstStride=40, "
#define FIX16 "fixpipe(dst=float16, nSize=37, mSize=9, srcStride=9, dstStride=40, "

/* Requests that depend on a choice, with contents that show it. */
static const struct {
    const char *key, *text;
} dependents[] = {
    {"int_overflow", "mmad(dtype=int8, m=5, k=70, n=33, init_c=false)"},
    {"int_overflow", "mmad(dtype=int8, m=17, k=64, n=32, init_c=false, l1out=channel) | fixpipe(src=int32, dst=int32, "
                     "format=NZ)"},
    {"int_overflow",
     "conv2d(dtype=int8, fm_shape=[2,5,6,32], kernel_shape=[2,3,3,32,32], pad=[1,1,1,1], init_l1out=false)"},
    /* 4096 channels of 33 taps: more products than int32 holds in any order */
    {"int_overflow", "conv2d(dtype=int8, fm_shape=[128,1,40,32], kernel_shape=[128,1,33,16,32], init_l1out=false)"},
    {"int_overflow", "conv2d(dtype=int8, fm_shape=[1,4,9,32], kernel_shape=[1,3,3,32,1], init_l1out=false, groups=32)"},
    {"int_overflow",
     "conv2d(dtype=int8, fm_shape=[1,4,9,32], kernel_shape=[1,1,1,48,32], init_l1out=false, l1out=channel) "
     "| fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8)"},
    {"offset_sign", FIX8 "src=int32, quantPre=VREQ8)"},
    {"offset_sign", FIX8 "src=float32, quantPre=VQF322B8_PRE, reluEn=true)"},
    {"offset_sign", FIX8 "src=int32, quantPre=REQ8, deqScalar=0x7FA03F000000)"},
    {"offset_sign", FIX8 "src=int32, quantPre=REQ8, deqScalar=0x3FE03F000000)"},
    {"offset_clamp", FIX8 "src=int32, quantPre=VREQ8, reluEn=true)"},
    {"offset_clamp", FIX8 "src=float32, quantPre=VQF322B8_PRE)"},
    {"offset_clamp", FIX8 "src=float32, quantPre=QF322B8_PRE, deqScalar=0x67003F800000)"},
    {"relu", FIX8 "src=int32, quantPre=VREQ8, reluEn=true)"},
    {"relu", FIX8 "src=float32, quantPre=QF322B8_PRE, deqScalar=0x4140BF800000, reluEn=true)"},
    {"relu", FIX16 "src=int32, quantPre=VDEQF16, reluEn=true)"},
    {"relu", "mmad(dtype=int8, m=9, k=40, n=32) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=REQ8, "
             "deqScalar=0x4140BD800000, reluEn=true)"},
    {"scale_bits", FIX8 "src=int32, quantPre=REQ8, deqScalar=0x40003E99999B)"},
    {"scale_bits", FIX8 "src=int32, quantPre=REQ8, deqScalar=0x40133E99999B)"},
    {"scale_bits", FIX16 "src=int32, quantPre=DEQF16, deqScalar=0x3E99999B)"},
    {"scale_bits", "mmad(dtype=int8, m=9, k=40, n=32) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=REQ8, "
                   "deqScalar=0x40003C99999B)"},
    {"mac", "tensor_arithmetic(op=BM_MAC, shape=[1,5,3,7])"},
    {"mac", "tensor_arithmetic(op=BM_MAC, shape=[1,2,3,19], input1_is_const=true, input1_const=0.1)"},
    {"mac", "mmad(dtype=float16, m=4, k=16, n=16) | tensor_arithmetic(op=BM_MAC)"},
    {"mac", "mmad(dtype=float16, m=4, k=16, n=16, accumulate=fast) | tensor_arithmetic(op=BM_MAC)"},
    {"minmax_nan", "tensor_arithmetic(op=BM_MAX, shape=[1,5,3,7])"},
    {"minmax_nan", "tensor_arithmetic(op=BM_MIN, shape=[1,2,3,19], input1_is_const=true, input1_const=2)"},
    {"minmax_nan", "mmad(dtype=float16, m=4, k=16, n=16) | tensor_arithmetic(op=BM_MAX)"},
};

/* The values of a choice that are no default, one after the other. */
static const char *other_value(const char *key, size_t index)
{
    const aic_semantics defaults = aic_semantics_init();
    const aic_reading *reading;
    for (size_t r = 0; (reading = aic_reading_at(r)) != NULL; r++) {
        if (strcmp(reading->key, key) == 0 && strcmp(reading->value, aic_semantics_choice(&defaults, key)) != 0 &&
            index-- == 0) {
            return reading->value;
        }
    }
    return NULL;
}

/* How many of the case's expected bytes the defaults give otherwise. */
static size_t changed(const verify_case *c)
{
    const aic_semantics defaults = aic_semantics_init();
    size_t count = 0;
    unsigned char *result = choice_result(c, &defaults);
    for (size_t i = 0; i < (size_t)c->operand[c->output].bytes; i++) {
        count += result[i] != ((unsigned char *)c->expected.data)[i];
    }
    free(result);
    return count;
}

/* Contents that show a choice: old sums at the ends of int32, NaN in the place of some floats; and what is expected of
 * them then. */
static void spoil(verify_case *c, const char *key)
{
    const bool sums = strcmp(key, "int_overflow") == 0, nan = strcmp(key, "minmax_nan") == 0;
    const uint32_t ends[] = {INT32_MAX, (uint32_t)INT32_MIN, 5}, bits = 0x7FC00000;
    for (size_t i = 0; i < c->count && (sums || nan); i++) {
        const aic_operand *o = &c->operand[i];
        uint32_t *words = c->content[i].data;
        const bool used = (o->direction & AIC_DIRECTION_IN) != 0 && o->dtype == (sums ? AIC_INT32 : AIC_FLOAT32);
        guard_writable(&c->content[i], true);
        for (int64_t e = 0; used && e < o->elements; e++) {
            words[e] = sums ? ends[e % 3] : e % 3 == (int64_t)(i % 3) ? bits : words[e];
        }
    }
    if (sums || nan) {
        void *result = choice_result(c, &c->semantics);
        memcpy(c->expected.data, result, (size_t)c->operand[c->output].bytes);
        free(result);
    }
}

/* At the highest native level, and at every OTHERS-th of the others. Contents are drawn until one shows the choice,
 * which few do where sums are rounded. */
START_TEST(kernels)
{
    enum { OTHERS = 3, SEEDS = 3, SEEDS_MAX = 200 };
    const char *key = dependents[_i].key;
    const aic_spec spec = spec_of(dependents[_i].text);
    size_t shown = 0;
    for (int level = 0; level < levels_count(); level++) {
        if (!levels_is_sampled(level, &spec, (uint64_t)_i, 1, OTHERS)) {
            continue;
        }
        aic_context_options options = aic_context_options_init();
        aic_context *context = NULL;
        options.isa = levels_name(level);
        options.semantics = choice_made(key, other_value(key, 0));
        ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
        for (uint64_t seed = 1; seed <= SEEDS || (shown == 0 && seed <= SEEDS_MAX); seed++) {
            verify_report report;
            verify_case c;
            verify_verdict verdict = verify_open(&c, &spec, &options.semantics, seed, &report);
            if (verdict == VERIFY_PASSED) {
                spoil(&c, key);
                verdict = verify_kernel(&c, context, NULL, &report);
            }
            ck_assert_msg(verdict == VERIFY_PASSED, "%s at %s: %s", dependents[_i].text, options.isa, report.text);
            shown += aic_spec_exact(&spec) ? changed(&c) : 1;
            verify_close(&c);
        }
        aic_context_destroy(context);
    }
    ck_assert_uint_gt(shown, 0);
}
END_TEST

/* Pseudo-random requests under several choices at once, of those that kernels have. */
static aic_semantics random_choices(uint64_t seed)
{
    aic_semantics semantics = aic_semantics_init();
    const aic_choice *choice;
    for (size_t i = 0; (choice = aic_choice_at(i)) != NULL; i++) {
        const char *value = rng_next(&seed) % 2 == 0 ? other_value(choice->key, 0) : NULL;
        if (value != NULL && choice_in_kernels(choice->key)) {
            ck_assert_int_eq(aic_semantics_choose(&semantics, choice->key, value), AIC_OK);
        }
    }
    return semantics;
}

START_TEST(kernels_of_random_requests)
{
    static const aic_op ops[] = {AIC_OP_CONV2D, AIC_OP_MMAD, AIC_OP_FIXPIPE, AIC_OP_FIXPIPE, AIC_OP_TENSOR_ARITHMETIC};
    const uint64_t chains = levels_campaign() > 0 ? 4 : 2;
    const uint64_t seed = (uint64_t)_i;
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    aic_spec spec;
    verify_report report;
    options.semantics = random_choices(seed);
    options.isa = levels_name((int)(seed % (uint64_t)levels_count()));
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    for (uint64_t i = 0; i < COUNT(ops) + chains; i++) {
        const aic_op producer = i % 2 == 0 ? AIC_OP_CONV2D : AIC_OP_MMAD;
        const aic_status drawn = i < COUNT(ops)
                                     ? aic_spec_draw(ops[i], NULL, seed * 16 + i, &spec)
                                     : aic_spec_draw_chain(producer, AIC_OP_FIXPIPE, NULL, seed * 16 + i, &spec);
        ck_assert_int_eq(drawn, AIC_OK);
        if (aic_spec_validate(&spec, &options.semantics) != AIC_OK) {
            continue; /* a full scale that is subnormal */
        }
        const verify_verdict verdict = verify_spec(&spec, &options.semantics, i, context, NULL, &report);
        ck_assert_msg(verdict == VERIFY_PASSED, "seed %llu, request %llu: %s", (unsigned long long)seed,
                      (unsigned long long)i, report.text);
    }
    aic_context_destroy(context);
}
END_TEST

/* Kernels are named after all that they were made from, semantics that do not matter included: the numbers go. */
static void drop_names(char *text)
{
    enum { DIGITS = 16 };
    char *said = strstr(text, ";   choices: "); /* the comment that says under which the code was made */
    if (said != NULL) {
        const char *rest = strchr(said, '\n') + 1;
        memmove(said, rest, strlen(rest) + 1);
    }
    for (char *at = strchr(text, '_'); at != NULL; at = strchr(at + 1, '_')) {
        if (strspn(at + 1, "0123456789abcdef") == DIGITS) {
            memset(at + 1, 'x', DIGITS);
        }
    }
}

/* Nothing gets slower at the defaults, nor where a choice does not matter: the code is the same. */
START_TEST(code_without_choices)
{
    static const char *const texts[] = {"mmad(dtype=float16, m=4, k=16, n=16)",
                                        "tensor_arithmetic(op=BM_ADD, shape=[1,5,3,7])",
                                        "tensor_arithmetic(op=BM_SE, shape=[1,5,3,7])",
                                        FIX8 "src=int32, quantPre=REQ8, deqScalar=0x40003F800000, reluEn=true)"};
    aic_context_options options = aic_context_options_init();
    aic_context *context[2];
    ck_assert_int_eq(aic_context_create(&options, &context[0]), AIC_OK);
    options.semantics = choice_made("mac", "fused");
    options.semantics.minmax_nan = AIC_MINMAX_NUMBER;
    options.semantics.int_overflow = AIC_INT_OVERFLOW_WRAP;
    options.semantics.relu = AIC_RELU_ORDER_AFTER;
    ck_assert_int_eq(aic_context_create(&options, &context[1]), AIC_OK);
    for (size_t i = 0; i < COUNT(texts); i++) {
        const aic_spec spec = spec_of(texts[i]);
        char *ir[2] = {NULL, NULL};
        size_t size[2];
        for (size_t c = 0; c < 2; c++) {
            ck_assert_int_eq(aic_dump(context[c], &spec, NULL, AIC_DUMP_IR, NULL, NULL, &ir[c], &size[c]), AIC_OK);
        }
        drop_names(ir[0]);
        drop_names(ir[1]);
        ck_assert(strcmp(ir[0], ir[1]) == 0);
        aic_free(ir[0]);
        aic_free(ir[1]);
    }
    aic_context_destroy(context[0]);
    aic_context_destroy(context[1]);
}
END_TEST

Suite *suite_choice_kernels(void)
{
    Suite *suite = suite_create("choice_kernels");
    TCase *tcase = tcase_create("choice_kernels");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, kernels, 0, COUNT(dependents));
    tcase_add_loop_test(tcase, kernels_of_random_requests, 0, levels_campaign() > 0 ? 30 : 16);
    tcase_add_test(tcase, code_without_choices);
    suite_add_tcase(suite, tcase);
    return suite;
}
