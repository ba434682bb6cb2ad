/* Sums of products in traces, as the choices `sum` and `int_overflow` have them. */
#include "frontend/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>

int32_t aic_trace_int32(aic_sink *out, aic_int_overflow overflow, int64_t sum)
{
    if (sum >= INT32_MIN && sum <= INT32_MAX) {
        return (int32_t)sum;
    }
    if (overflow == AIC_INT_OVERFLOW_CLAMP) {
        const int32_t clamped = sum < 0 ? INT32_MIN : INT32_MAX;
        aic_trace_step(out, "clamp to int32", "%" PRId32, clamped);
        return clamped;
    }
    const uint32_t low = (uint32_t)sum;
    const int32_t wrapped = low <= INT32_MAX ? (int32_t)low : -(int32_t)~low - 1;
    aic_trace_step(out, "modulo 2^32", "%" PRId32, wrapped);
    return wrapped;
}

aic_trace_sum aic_trace_sum_begin(aic_sum_model model, float old)
{
    aic_trace_sum sum = {.model = model, .acc = old};
    aic_expansion_add(&sum.exact, (double)old);
    return sum;
}

void aic_trace_sum_add(aic_trace_sum *sum, double product)
{
    switch (sum->model) {
    case AIC_SUM_MODEL_BLOCK:
        sum->block += product;
        return;
    case AIC_SUM_MODEL_SEQUENTIAL:
        sum->acc += (float)product;
        return;
    case AIC_SUM_MODEL_EXACT:
        aic_expansion_add(&sum->exact, product);
        return;
    }
}

void aic_trace_sum_block(aic_sink *out, aic_trace_sum *sum, const char *what)
{
    char s[80] = "";
    if (sum->model == AIC_SUM_MODEL_BLOCK) {
        sum->acc = (float)((double)sum->acc + sum->block);
        snprintf(s, sizeof s, "s %s, ", aic_trace_real(sum->block).text);
        sum->block = 0;
    }
    if (what && sum->model == AIC_SUM_MODEL_EXACT) {
        aic_trace_step(out, what, "exact sum %s", aic_trace_real(aic_expansion_value(&sum->exact)).text);
    } else if (what) {
        aic_trace_step(out, what, "%sacc %s", s, aic_trace_element(AIC_FLOAT32, aic_trace_bits(sum->acc)).text);
    }
}

float aic_trace_sum_end(aic_sink *out, aic_trace_sum *sum)
{
    if (sum->model == AIC_SUM_MODEL_EXACT) {
        sum->acc = (float)aic_expansion_value(&sum->exact);
        aic_trace_step(out, "to float32, once", "%s", aic_trace_element(AIC_FLOAT32, aic_trace_bits(sum->acc)).text);
    }
    return sum->acc;
}
