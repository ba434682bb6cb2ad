/* Lines of traces, and elements in them. */
#include "frontend/numeric/element.h"
#include "frontend/numeric/half.h"
#include "frontend/text/number.h"
#include "frontend/trace/trace.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void aic_trace_step(aic_sink *out, const char *what, const char *format, ...)
{
    char line[256], value[192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "  %-24s %s\n", what, value);
    aic_sink_put(out, line);
}

uint32_t aic_trace_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint32_t aic_trace_result(float value)
{
    return aic_trace_bits(isnan(value) ? (float)NAN : value);
}

float aic_trace_float(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

aic_trace_text aic_trace_real(double value)
{
    aic_trace_text t;
    char number[AIC_NUMBER_TEXT_MAX] = AIC_SINK_MISSING;
    (void)aic_number_print(value, number);
    snprintf(t.text, sizeof t.text, "%s", number);
    return t;
}

aic_trace_text aic_trace_value(aic_dtype dtype, uint64_t bits)
{
    aic_trace_text t;
    char number[AIC_NUMBER_TEXT_MAX] = AIC_SINK_MISSING;
    const double value = aic_element_value(dtype, &bits);
    if (dtype == AIC_FLOAT32 && !isnan(value)) {
        (void)aic_float_print(aic_trace_float(bits), number);
    } else {
        (void)aic_number_print(value, number);
    }
    snprintf(t.text, sizeof t.text, "%s", number);
    return t;
}

aic_trace_text aic_trace_element(aic_dtype dtype, uint64_t bits)
{
    aic_trace_text t = aic_trace_value(dtype, bits);
    if (dtype == AIC_FLOAT16 || dtype == AIC_BFLOAT16 || dtype == AIC_FLOAT32) {
        const size_t used = strlen(t.text);
        snprintf(t.text + used, sizeof t.text - used, " (0x%0*" PRIX64 ")", (int)aic_dtype_size(dtype) * 2, bits);
    }
    return t;
}

bool aic_trace_shows(aic_sink *out, int64_t block, int64_t blocks)
{
    const int64_t half = AIC_TRACE_BLOCKS_MAX / 2;
    if (blocks <= AIC_TRACE_BLOCKS_MAX || block < half || block >= blocks - half) {
        return true;
    }
    if (block == half) {
        aic_trace_step(out, "...", "%" PRId64 " more blocks are added in the same way", blocks - 2 * half);
    }
    return false;
}

/* Section 6.4 of the Fixpipe document, of a type whose largest number this is. */
static uint64_t saturated(aic_sink *out, aic_dtype dtype, uint64_t bits, uint64_t largest, uint64_t sign)
{
    const double value = aic_element_value(dtype, &bits);
    if (isfinite(value)) {
        return bits;
    }
    const uint64_t result = isnan(value) ? 0 : largest | (bits & sign);
    aic_trace_step(out, "saturate", "%s", aic_trace_element(dtype, result).text);
    return result;
}

uint64_t aic_trace_narrow(aic_sink *out, aic_dtype dtype, aic_overflow overflow, float value)
{
    uint64_t bits = aic_trace_result(value), largest = UINT64_C(0x7F7FFFFF), sign = UINT64_C(1) << 31;
    if (dtype != AIC_FLOAT32) {
        const bool half = dtype == AIC_FLOAT16;
        bits = half ? aic_half_from_double((double)value) : aic_bfloat16_from_float(value);
        largest = half ? 0x7BFF : 0x7F7F;
        sign = 0x8000;
        aic_trace_step(out, half ? "to float16, ties to even" : "to bfloat16, ties to even", "%s",
                       aic_trace_element(dtype, bits).text);
    }
    return overflow == AIC_OVERFLOW_SATURATE ? saturated(out, dtype, bits, largest, sign) : bits;
}
