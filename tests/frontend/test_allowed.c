/* What sums of accumulate=fast may be where infinities and overflows come in: against every order of float32 sums, by
 * the references of operators and chains, and by the kernels of every level. */
#include "frontend/core/stage.h"
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <aic/aic.h>
#include <check.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

Suite *suite_allowed(void);

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

/* ---- values and limits ---- */

START_TEST(limits_are_of_numbers)
{
    const double inf = (double)INFINITY;
    aic_allowed a = aic_allowed_within(2, 0.5);
    ck_assert(aic_is_allowed(&a, 1.5) && aic_is_allowed(&a, 2.5) && !aic_is_allowed(&a, 1.4) &&
              !aic_is_allowed(&a, 2.6));
    ck_assert(!aic_is_allowed(&a, inf) && !aic_is_allowed(&a, (double)NAN));
    a = aic_allowed_within(inf, 1e300);
    ck_assert(aic_is_allowed(&a, inf) && !aic_is_allowed(&a, -inf) && !aic_is_allowed(&a, 0) &&
              !aic_is_allowed(&a, (double)FLT_MAX) && !aic_is_allowed(&a, (double)NAN));
    a = aic_allowed_within((double)NAN, 1);
    ck_assert(aic_is_allowed(&a, -(double)NAN) && !aic_is_allowed(&a, inf) && !aic_is_allowed(&a, 0));
    a = aic_allowed_within(0, 0);
    ck_assert(aic_is_allowed(&a, -0.0));
    a.modulo = 256;
    ck_assert(aic_is_allowed(&a, -256) && aic_is_allowed(&a, 256) && !aic_is_allowed(&a, 255));
}
END_TEST

/* ---- every order of four terms ---- */

enum { TERMS = 4 };

static const float values[] = {3e38F, -3e38F, 1.5e38F, -1.5e38F, 1, INFINITY, -INFINITY};

/* What came of all orders: infinities, NaN, and whether all finite results are allowed. */
typedef struct outcomes {
    bool plus, minus, nan;
} outcomes;

static void expect_allowed(const aic_allowed *allowed, float sum, outcomes *found)
{
    ck_assert_msg(aic_is_allowed(allowed, (double)sum), "%g is not allowed where the exact sum is %g", (double)sum,
                  allowed->exact);
    found->plus |= sum == INFINITY;
    found->minus |= sum == -INFINITY;
    found->nan |= isnan(sum);
}

/* Adds any two of the terms that are left, until one is. */
static void add_in_every_order(const aic_allowed *allowed, const float *term, int count, outcomes *found)
{
    if (count == 1) {
        expect_allowed(allowed, term[0], found);
        return;
    }
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            float left[TERMS];
            int kept = 0;
            for (int k = 0; k < count; k++) {
                if (k != i && k != j) {
                    left[kept++] = term[k];
                }
            }
            left[kept++] = term[i] + term[j];
            add_in_every_order(allowed, left, kept, found);
        }
    }
}

/* The sum of `old` and three products with 1, of these terms. */
static aic_allowed allowed_of(const float term[TERMS], const aic_semantics *semantics)
{
    const aic_spec spec = spec_of("mmad(dtype=float, m=1, n=1, k=3, accumulate=fast, init_c=false)");
    float c = term[0], a[TERMS - 1], b[] = {1, 1, 1};
    aic_allowed allowed;
    memcpy(a, term + 1, sizeof a);
    void *const operands[] = {&c, a, b};
    ck_assert_int_eq(aic_reference_allowed(&spec, semantics, operands, 3, &allowed), AIC_OK);
    return allowed;
}

static aic_semantics ieee(void)
{
    aic_semantics semantics = aic_semantics_init();
    semantics.overflow = AIC_OVERFLOW_IEEE;
    return semantics;
}

/* Whatever some order gives is allowed, and of infinities and NaN nothing that no order gives. */
START_TEST(what_orders_give)
{
    const aic_semantics semantics = ieee();
    int number = _i;
    float term[TERMS];
    for (int i = 0; i < 2; i++, number /= COUNT(values)) {
        term[i] = values[number % COUNT(values)];
    }
    for (int rest = 0; rest < COUNT(values) * COUNT(values); rest++) {
        outcomes found = {false, false, false};
        term[2] = values[rest % COUNT(values)];
        term[3] = values[rest / COUNT(values)];
        const aic_allowed allowed = allowed_of(term, &semantics);
        add_in_every_order(&allowed, term, TERMS, &found);
        ck_assert_msg(aic_is_allowed(&allowed, (double)INFINITY) == found.plus &&
                          aic_is_allowed(&allowed, -(double)INFINITY) == found.minus &&
                          aic_is_allowed(&allowed, (double)NAN) == found.nan,
                      "%g, %g, %g, %g", (double)term[0], (double)term[1], (double)term[2], (double)term[3]);
        ck_assert(!aic_is_allowed(&allowed, 12345e30) && !aic_is_allowed(&allowed, -12345e30));
    }
}
END_TEST

/* ---- chains ---- */

/* A row of accumulators, each the sum of a row of products, and what the chain may make of each. */
enum { COLUMNS = 16, PRODUCTS = 3, LIST = 4 };

typedef struct column {
    float product[PRODUCTS];
    float right[LIST], wrong[LIST]; /* as many as count says */
    int rights, wrongs;
} column;

#define SUMS "mmad(dtype=float, m=1, n=16, k=3, accumulate=fast)"
#define TIMES_4 " | tensor_arithmetic(op=BM_MUL, input1_is_const=true, input1_const=4)"
#define LESS " | tensor_arithmetic(op=BM_MIN, input1_is_const=true, input1_const=100)"
#define STORED(type, mode) " | fixpipe(src=float32, dst=" type ", format=ROW_MAJOR, quantPre=" mode ")"

static const struct {
    const char *spec;
    bool ieee;
    column column[4];
} chains[] = {
    {SUMS STORED("float16", "F322F16"),
     true,
     {{{3e38F, 3e38F, 1}, {INFINITY}, {-INFINITY, NAN, 65504}, 1, 3},
      {{INFINITY, 1, 2}, {INFINITY}, {-INFINITY, NAN, 65504}, 1, 3},
      {{INFINITY, -3e38F, -3e38F}, {INFINITY, NAN}, {-INFINITY, 65504}, 2, 2},
      {{3, 1, 2}, {6}, {INFINITY, NAN, 7}, 1, 3}}},
    {SUMS STORED("float16", "F322F16, reluEn=true"),
     true,
     {{{-3e38F, -3e38F, 1}, {0}, {-INFINITY, INFINITY, NAN, 1}, 1, 4},
      {{-INFINITY, 3e38F, 3e38F}, {0, NAN}, {-INFINITY, INFINITY, 1}, 2, 3},
      {{INFINITY, -INFINITY, 1}, {NAN}, {0, INFINITY}, 1, 2}}},
    {SUMS STORED("float16", "F322F16"),
     false,
     {{{3e38F, 3e38F, 1}, {65504}, {-65504, 0, INFINITY}, 1, 3},
      {{INFINITY, -3e38F, -3e38F}, {65504, 0}, {-65504, 1}, 2, 2}}},
    {SUMS TIMES_4,
     true,
     {{{1e38F, 1, 2}, {INFINITY}, {-INFINITY, NAN, 1e38F}, 1, 3},
      {{INFINITY, -3e38F, -3e38F}, {INFINITY, NAN}, {-INFINITY, 0}, 2, 2},
      {{1, 2, 3}, {24}, {INFINITY, NAN, 25}, 1, 3}}},
    {SUMS LESS STORED("float16", "F322F16"),
     true,
     {{{INFINITY, 1, 2}, {100}, {INFINITY, NAN, 99}, 1, 3},
      {{3e38F, 3e38F, -3e38F}, {100}, {INFINITY, NAN, 99}, 1, 3},
      {{-INFINITY, 3e38F, 3e38F}, {-INFINITY, NAN}, {INFINITY, 100}, 2, 2}}},
};

START_TEST(chains_pass_on_what_may_be)
{
    const aic_spec spec = spec_of(chains[_i].spec);
    const aic_semantics semantics = chains[_i].ieee ? ieee() : aic_semantics_init();
    float a[] = {1, 1, 1}, b[PRODUCTS][COLUMNS] = {{0}}, output[16 * COLUMNS] = {0};
    aic_allowed allowed[16 * COLUMNS];
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    ck_assert_int_eq(aic_spec_operands(&spec, &semantics, operand, &count), AIC_OK);
    for (int n = 0; n < 4; n++) {
        for (int k = 0; k < PRODUCTS; k++) {
            b[k][n] = chains[_i].column[n].product[k];
        }
    }
    void *const operands[AIC_OPERANDS_MAX] = {output, a, b};
    ck_assert_msg(aic_reference_allowed(&spec, &semantics, operands, count, allowed) == AIC_OK, "%s", aic_last_error());
    for (int n = 0; n < 4; n++) {
        const column *c = &chains[_i].column[n];
        for (int i = 0; i < c->rights; i++) {
            ck_assert_msg(aic_is_allowed(&allowed[n], (double)c->right[i]), "column %d: %g", n, (double)c->right[i]);
        }
        for (int i = 0; i < c->wrongs; i++) {
            ck_assert_msg(!aic_is_allowed(&allowed[n], (double)c->wrong[i]), "column %d: %g", n, (double)c->wrong[i]);
        }
    }
}
END_TEST

/* ---- kernels ---- */

static const char *const kernels[] = {
    "mmad(dtype=float32, m=3, n=16, k=40, accumulate=fast)",
    "mmad(dtype=bfloat16, m=3, n=16, k=40, accumulate=fast)",
    "mmad(dtype=float32, m=3, n=16, k=40, accumulate=fast) | fixpipe(src=float32, dst=float16, format=ROW_MAJOR, "
    "quantPre=F322F16)",
    "mmad(dtype=float32, m=3, n=16, k=40, accumulate=fast) | tensor_arithmetic(op=BM_MUL, input1_is_const=true, "
    "input1_const=0.5) | fixpipe(src=float32, dst=bfloat16, format=ROW_MAJOR, quantPre=F322BF16)",
};

/* Most products small, some that two or three of a sign take beyond the range, few infinite. */
static void fill(aic_dtype dtype, int64_t elements, bool large, uint64_t *state, void *data)
{
    for (int64_t i = 0; i < elements; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const unsigned draw = (unsigned)(*state >> 40);
        const float size = !large ? 1 : draw % 401 == 0 ? INFINITY : draw % 13 == 0 ? 1.75e38F : 1.5F;
        const float value = (draw >> 12 & 1) != 0 ? size : -size;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        if (dtype == AIC_FLOAT32) {
            ((uint32_t *)data)[i] = bits;
        } else {
            ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
        }
    }
}

/* New contents, and what follows from them. */
static void refill(verify_case *c, uint64_t seed)
{
    void *pointer[AIC_OPERANDS_MAX] = {c->content[0].data, c->content[1].data, c->content[2].data};
    fill(c->operand[1].dtype, c->operand[1].elements, true, &seed, pointer[1]);
    fill(c->operand[2].dtype, c->operand[2].elements, false, &seed, pointer[2]);
    ck_assert_int_eq(aic_reference_allowed(c->spec, &c->semantics, pointer, c->count, c->allowed.data), AIC_OK);
    pointer[0] = c->expected.data;
    ck_assert_int_eq(aic_reference(c->spec, &c->semantics, pointer, c->count), AIC_OK);
}

START_TEST(kernels_that_overflow)
{
    const int level = _i / COUNT(kernels);
    const aic_spec spec = spec_of(kernels[_i % COUNT(kernels)]);
    aic_context_options options = aic_context_options_init();
    options.isa = levels_name(level);
    for (int mode = 0; mode < 2; mode++) {
        aic_context *context;
        verify_case c;
        verify_report report;
        options.semantics = mode == 0 ? aic_semantics_init() : ieee();
        ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
        ck_assert_int_eq(verify_open(&c, &spec, &options.semantics, 1, &report), VERIFY_PASSED);
        for (uint64_t seed = 1; seed <= 4; seed++) {
            refill(&c, seed);
            ck_assert_msg(verify_kernel(&c, context, NULL, &report) == VERIFY_PASSED, "%s, seed %" PRIu64 ": %s",
                          options.isa, seed, report.text);
        }
        verify_close(&c);
        aic_context_destroy(context);
    }
}
END_TEST

Suite *suite_allowed(void)
{
    Suite *suite = suite_create("allowed");
    TCase *tcase = tcase_create("allowed");
    tcase_add_test(tcase, limits_are_of_numbers);
    tcase_add_loop_test(tcase, what_orders_give, 0, COUNT(values) * COUNT(values));
    tcase_add_loop_test(tcase, chains_pass_on_what_may_be, 0, COUNT(chains));
    tcase_add_loop_test(tcase, kernels_that_overflow, 0, COUNT(kernels) * levels_count());
    tcase_set_timeout(tcase, 120);
    suite_add_tcase(suite, tcase);
    return suite;
}
