/* Sums of products in traces, as the choices `sum` and `int_overflow` and accumulate=fast and winograd have them. */
#include "frontend/numeric/element.h"
#include "frontend/text/number.h"
#include "frontend/trace/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* All products of a block are in the lines of up to this many blocks; else those that come first. */
enum { DETAILED = 16, PRODUCTS_SHOWN = 4, PRODUCTS_ALL = 32 };

_Static_assert(sizeof((aic_trace_sum *)NULL)->terms >= PRODUCTS_ALL * (2 * AIC_NUMBER_TEXT_MAX + sizeof " + *") +
                                                           sizeof " + 9223372036854775807 more" + AIC_NUMBER_TEXT_MAX,
               "the terms that are shown fit, and what stands behind them");

void aic_trace_sum_begin(aic_tracer *t, aic_trace_sum *sum, aic_dtype dtype, aic_accumulate accumulate, uint64_t old,
                         int64_t blocks, int64_t products)
{
    (void)t;
    *sum = (aic_trace_sum){.dtype = dtype, .blocks = blocks, .products = products};
    if (dtype == AIC_INT32) {
        sum->integer = (int32_t)old;
        return;
    }
    sum->fast = accumulate != AIC_ACCUMULATE_CUBE;
    sum->model = sum->fast ? AIC_SUM_MODEL_EXACT : t->semantics->sum;
    sum->acc = aic_trace_float(old);
    sum->nan = isnan(sum->acc);
    aic_exact_add(&sum->exact, (double)sum->acc);
}

/* " + 2*-3"; products of 0 are left out. */
static void name_term(aic_tracer *t, aic_trace_sum *sum, aic_dtype dtype, uint64_t a, uint64_t b)
{
    const int64_t most = sum->blocks <= DETAILED ? PRODUCTS_ALL : PRODUCTS_SHOWN;
    if (sum->shown++ < most) {
        sum->used += (size_t)snprintf(sum->terms + sum->used, sizeof sum->terms - sum->used, "%s%s*%s",
                                      sum->used > 0 ? " + " : "", aic_trace_value(t, dtype, a).text,
                                      aic_trace_value(t, dtype, b).text);
    }
}

static void add_float(aic_tracer *t, aic_trace_sum *sum, double product)
{
    switch (sum->model) {
    case AIC_SUM_MODEL_BLOCK:
        sum->block += product;
        return;
    case AIC_SUM_MODEL_SEQUENTIAL:
        aic_trace_event(t, AIC_EVENT_OVERFLOW,
                        isinf(sum->acc + (float)product) && isfinite(product) && isfinite(sum->acc));
        sum->acc += (float)product;
        return;
    case AIC_SUM_MODEL_EXACT:
        aic_exact_add(&sum->exact, product);
        return;
    }
}

void aic_trace_sum_add(aic_tracer *t, aic_trace_sum *sum, aic_dtype dtype, uint64_t a, uint64_t b)
{
    bool zero = a == 0 || b == 0;
    if (sum->dtype == AIC_INT32) {
        sum->block_integer += (int8_t)a * (int8_t)b;
    } else {
        const bool half = dtype == AIC_FLOAT16; /* which most are */
        const double x = half ? aic_half_to_double((uint16_t)a) : aic_element_value(dtype, &a);
        const double y = half ? aic_half_to_double((uint16_t)b) : aic_element_value(dtype, &b);
        zero = x == 0 || y == 0;
        sum->nan |= isnan(x) || isnan(y);
        add_float(t, sum, x * y);
    }
    if (t->out && !zero) {
        name_term(t, sum, dtype, a, b);
    }
}

/* "2*3 + 1*1 = 7"; "0"; total NULL: without it. */
static void finish_terms(aic_trace_sum *sum, const char *total)
{
    const int64_t most = sum->blocks <= DETAILED ? PRODUCTS_ALL : PRODUCTS_SHOWN;
    if (sum->shown > most) {
        snprintf(sum->terms + sum->used, sizeof sum->terms - sum->used, " + %" PRId64 " more", sum->shown - most);
    }
    const size_t length = strlen(sum->terms);
    if (total) {
        snprintf(sum->terms + length, sizeof sum->terms - length, "%s%s", length > 0 ? " = " : "", total);
    }
}

static void end_int_block(aic_tracer *t, aic_trace_sum *sum, const char *what)
{
    sum->integer += sum->block_integer;
    if (t->out && what) {
        char total[24];
        snprintf(total, sizeof total, "%" PRId64, sum->block_integer);
        finish_terms(sum, total);
        aic_trace_step(t, AIC_STEP_PLAIN, what, "sum %s, acc %" PRId64, sum->terms, sum->integer);
    }
    sum->block_integer = 0;
}

static void end_float_block(aic_tracer *t, aic_trace_sum *sum, const char *what)
{
    double lost = 0;
    const double before = sum->model == AIC_SUM_MODEL_BLOCK ? (double)sum->acc + sum->block : (double)sum->acc;
    const bool was_finite = isfinite(before);
    if (sum->model == AIC_SUM_MODEL_BLOCK) {
        (void)aic_trace_two_sum((double)sum->acc, sum->block, &lost);
        sum->acc = (float)before;
        aic_trace_event(t, AIC_EVENT_OVERFLOW, was_finite && isinf(sum->acc));
    }
    if (!t->out || !what) {
        sum->block = 0;
        return;
    }
    if (sum->model == AIC_SUM_MODEL_SEQUENTIAL) {
        finish_terms(sum, NULL);
        aic_trace_step(t, AIC_STEP_PLAIN, what, "%s%sacc %s", sum->terms, sum->shown > 0 ? ", each rounded, " : "",
                       aic_trace_element(t, AIC_FLOAT32, aic_bits_of_float(sum->acc)).text);
    } else if (sum->model == AIC_SUM_MODEL_EXACT) {
        finish_terms(sum, NULL);
        aic_trace_step(t, AIC_STEP_PLAIN, what, "%s%sexact sum %s", sum->terms, sum->shown > 0 ? ", " : "",
                       aic_trace_real(t, aic_exact_value(&sum->exact)).text);
    } else {
        finish_terms(sum, aic_trace_real(t, sum->block).text);
        aic_trace_step(t, AIC_STEP_PLAIN, what, "s %s, acc %s%s", sum->terms,
                       aic_trace_element(t, AIC_FLOAT32, aic_bits_of_float(sum->acc)).text,
                       (double)sum->acc == before && lost == 0 ? "" : ", rounded");
    }
    sum->block = 0;
}

void aic_trace_sum_block(aic_tracer *t, aic_trace_sum *sum, const char *what)
{
    if (sum->dtype == AIC_INT32) {
        end_int_block(t, sum, what);
    } else {
        end_float_block(t, sum, what);
    }
    sum->terms[0] = '\0';
    sum->used = 0;
    sum->shown = 0;
}

/* What an exact int32 sum becomes that does not fit: clamped, or modulo 2^32. */
static int32_t to_int32(aic_tracer *t, int64_t sum)
{
    if (sum >= INT32_MIN && sum <= INT32_MAX) {
        return (int32_t)sum;
    }
    const bool clamp = t->semantics->int_overflow == AIC_INT_OVERFLOW_CLAMP;
    const uint32_t low = (uint32_t)sum;
    const int32_t wrapped = low <= INT32_MAX ? (int32_t)low : -(int32_t)~low - 1;
    const int32_t result = !clamp ? wrapped : sum < 0 ? INT32_MIN : INT32_MAX;
    aic_trace_event(t, AIC_EVENT_INT_OVERFLOW, true);
    aic_trace_step(t, AIC_STEP_SUM_INT32, clamp ? "clamp to int32" : "modulo 2^32", "%" PRId64 " -> %" PRId32, sum,
                   result);
    return result;
}

/* What every order of summation may give. */
static void put_allowed(aic_tracer *t, const aic_trace_sum *sum)
{
    const aic_allowed allowed = aic_exact_allowed(&sum->exact, sum->products, sum->least);
    aic_trace_step(t, AIC_STEP_SUM_FAST, "exact sum", "%s", aic_trace_real(t, allowed.exact).text);
    if (sum->least > 0) {
        aic_trace_step(t, AIC_STEP_SUM_WINOGRAD, "transforms", "may be off by %s", aic_trace_real(t, sum->least).text);
    }
    aic_trace_step(t, AIC_STEP_SUM_FAST, "bound", "%s: any result from %s to %s is right",
                   aic_trace_real(t, allowed.high - allowed.exact).text, aic_trace_real(t, allowed.low).text,
                   aic_trace_real(t, allowed.high).text);
    for (int i = 0; i < allowed.others; i++) {
        aic_trace_step(t, AIC_STEP_SUM_FAST, "or", "%s, where a sum on the way overflows",
                       aic_trace_real(t, allowed.other[i]).text);
    }
}

uint64_t aic_trace_sum_end(aic_tracer *t, aic_trace_sum *sum)
{
    if (sum->dtype == AIC_INT32) {
        return (uint32_t)to_int32(t, sum->integer);
    }
    if (sum->fast) {
        put_allowed(t, sum);
    }
    if (sum->model == AIC_SUM_MODEL_EXACT) {
        const double exact = aic_exact_value(&sum->exact);
        sum->acc = (float)exact;
        aic_trace_round(t, sum->fast ? AIC_STEP_SUM_FAST : AIC_STEP_SUM, "to float32, once", NULL, exact, 0,
                        AIC_FLOAT32, aic_trace_result(sum->acc));
    } else {
        aic_trace_step(t, AIC_STEP_SUM, "sum", "%s",
                       aic_trace_element(t, AIC_FLOAT32, aic_trace_result(sum->acc)).text);
    }
    aic_trace_nan(t, sum->nan, isnan(sum->acc));
    return aic_trace_result(sum->acc);
}
