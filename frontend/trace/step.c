/* Lines and events of traces. */
#include "frontend/trace/trace.h"

#include "frontend/core/spec.h"
#include "frontend/numeric/element.h"
#include "frontend/text/number.h"
#include <aic/choice.h>

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- lines ---- */

static const struct {
    const char *choices, *source;
} steps[] = {
#define AIC_TRACE_STEP(name, choices, source) {choices, source},
#include "frontend/trace/steps.def"
#undef AIC_TRACE_STEP
};

void aic_trace_put(aic_tracer *t, const char *format, ...)
{
    char line[2048];
    va_list arguments;
    if (!t->out) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    aic_sink_put(t->out, line);
}

/* "relu=before (F13)": a choice and the row of its decision. */
static void put_choice(aic_tracer *t, const char *key)
{
    for (size_t i = 0; aic_choice_at(i) != NULL; i++) {
        if (strcmp(aic_choice_at(i)->key, key) == 0) {
            aic_trace_put(t, "%s=%s (%s)", key, aic_semantics_choice(t->semantics, key), aic_choice_at(i)->row);
        }
    }
}

/* "  [sum=block (C1)]": what decides a step. */
static void put_decision(aic_tracer *t, aic_step step)
{
    char keys[64];
    const char *before = "  [";
    snprintf(keys, sizeof keys, "%s", steps[step].choices);
    for (char *key = keys; *key != '\0';) {
        const size_t length = strcspn(key, ",");
        const bool last = key[length] == '\0';
        key[length] = '\0';
        aic_trace_put(t, "%s", before);
        put_choice(t, key);
        before = ", ";
        key += length + !last;
    }
    if (steps[step].source[0] != '\0') {
        aic_trace_put(t, "%s%s", before, steps[step].source);
        before = "";
    }
    aic_trace_put(t, "%s\n", before[0] == ' ' ? "" : "]");
}

void aic_trace_step(aic_tracer *t, aic_step step, const char *what, const char *format, ...)
{
    char value[1800];
    va_list arguments;
    if (!t->out) {
        return;
    }
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    aic_trace_put(t, "  %-24s %s", what, value);
    put_decision(t, step);
}

bool aic_trace_unwritten(aic_tracer *t, const char *format, ...)
{
    char reason[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    aic_trace_event(t, AIC_EVENT_UNWRITTEN, true);
    aic_trace_step(t, AIC_STEP_UNWRITTEN, "nothing writes it", "%s", reason);
    return false;
}

bool aic_trace_shows(aic_tracer *t, int64_t block, int64_t blocks)
{
    const int64_t half = AIC_TRACE_BLOCKS_MAX / 2;
    if (!t->out) {
        return false;
    }
    if (blocks <= AIC_TRACE_BLOCKS_MAX || block < half || block >= blocks - half) {
        return true;
    }
    if (block == half) {
        aic_trace_step(t, AIC_STEP_PLAIN, "...", "%" PRId64 " more blocks are added in the same way",
                       blocks - 2 * half);
    }
    return false;
}

/* ---- values as text ---- */

aic_trace_text aic_trace_format(const aic_tracer *t, const char *format, ...)
{
    aic_trace_text text = {""};
    va_list arguments;
    va_start(arguments, format);
    if (t->out) {
        vsnprintf(text.text, sizeof text.text, format, arguments);
    }
    va_end(arguments);
    return text;
}

aic_trace_text aic_trace_real(const aic_tracer *t, double value)
{
    aic_trace_text text = {""};
    if (t->out) {
        aic_number_print(value, text.text);
    }
    return text;
}

aic_trace_text aic_trace_value(const aic_tracer *t, aic_dtype dtype, uint64_t bits)
{
    aic_trace_text text = {""};
    if (!t->out) {
        return text;
    }
    const double value = aic_element_value(dtype, &bits);
    if (dtype == AIC_FLOAT32 && !isnan(value)) {
        aic_float_print(aic_trace_float(bits), text.text);
    } else {
        aic_number_print(value, text.text);
    }
    return text;
}

aic_trace_text aic_trace_element(const aic_tracer *t, aic_dtype dtype, uint64_t bits)
{
    aic_trace_text text = aic_trace_value(t, dtype, bits);
    if (t->out && aic_trace_is_float(dtype)) {
        const size_t used = strlen(text.text);
        snprintf(text.text + used, sizeof text.text - used, " (0x%0*" PRIX64 ")", (int)aic_dtype_size(dtype) * 2, bits);
    }
    return text;
}

aic_trace_text aic_trace_place(const aic_tracer *t, int own, int64_t element)
{
    aic_trace_text text = {""};
    aic_operand operands[AIC_OPERANDS_MAX];
    aic_coordinates coordinates = aic_coordinates_init();
    int64_t at[AIC_AXES_MAX] = {0};
    const int index = t->from ? t->from[own] : own;
    if (!t->out) {
        return text;
    }
    (void)aic_spec_operands_of(t->spec, t->semantics, operands);
    aic_spec_coordinates_of(t->spec, t->semantics, &operands[index], index, &coordinates);
    if (!aic_coordinates_find(&coordinates, element, at)) {
        return aic_trace_format(t, "%s[#%" PRId64 "]", operands[index].name, element);
    }
    size_t used = (size_t)snprintf(text.text, sizeof text.text, "%.40s", operands[index].name);
    for (int32_t d = 0; d < coordinates.rank && used < sizeof text.text; d++) {
        used += (size_t)snprintf(text.text + used, sizeof text.text - used, "%s%" PRId64, d == 0 ? "[" : ",", at[d]);
    }
    if (used < sizeof text.text) {
        snprintf(text.text + used, sizeof text.text - used, "]");
    }
    return text;
}

/* ---- values ---- */

uint32_t aic_trace_result(float value)
{
    return aic_bits_of_float(isnan(value) ? (float)NAN : value);
}

float aic_trace_float(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

bool aic_trace_is_nan(aic_dtype dtype, uint64_t bits)
{
    return aic_trace_is_float(dtype) && isnan(aic_element_value(dtype, &bits));
}

uint64_t aic_trace_old(aic_tracer *t, aic_dtype dtype, const void *operand, aic_l1out l1out, int64_t element,
                       int64_t column)
{
    const bool channel = l1out == AIC_L1OUT_CHANNEL;
    const int64_t index = channel ? column : element;
    const uint64_t old = aic_trace_read(t, dtype, operand, index);
    aic_trace_event(t, AIC_EVENT_OLD_READ, t->spec->count == 1);
    aic_trace_step(t, AIC_STEP_PLAIN, "it starts from", "%s = %s", aic_trace_place(t, 0, index).text,
                   aic_trace_element(t, dtype, old).text);
    return old;
}

void aic_trace_mark(const aic_tracer *t, const void *operand, int64_t index)
{
    for (size_t i = 0; i < t->count; i++) {
        if (t->operands[i] == operand && t->reads[i]) {
            t->reads[i][index] = 1;
        }
    }
}

void aic_trace_source(aic_tracer *t, int64_t index)
{
    if (t->seen) {
        const uint64_t bit = UINT64_C(1) << index % 64;
        aic_trace_event(t, AIC_EVENT_OVERLAP, (t->seen[index / 64] & bit) != 0);
        t->seen[index / 64] |= bit;
    }
}

void aic_trace_nan(aic_tracer *t, bool before, bool after)
{
    aic_trace_event(t, AIC_EVENT_NAN_MADE, after && !before);
    aic_trace_event(t, AIC_EVENT_NAN_LOST, before && !after);
}

/* ---- rounding ---- */

double aic_trace_two_sum(double a, double b, double *lost)
{
    const double sum = a + b, b_part = sum - a;
    *lost = isfinite(sum) ? (a - (sum - b_part)) + (b - b_part) : 0;
    return sum;
}

/* Why `after` is what before + rest, which it is not equal to, is rounded to. */
static const char *reason_of(double before, double rest, aic_dtype dtype, uint64_t after)
{
    const double value = aic_element_value(dtype, &after), off = (before - value) + rest;
    const bool up = off < 0; /* rounding went up */
    if (isinf(value)) {
        return "too large";
    }
    if (value == 0) {
        return "next to 0";
    }
    const uint64_t next = (value > 0) == up ? after - 1 : after + 1; /* on the other side of the exact value */
    const double other = aic_element_value(dtype, &next);
    if (rest == 0 && before - value == other - before) {
        return "a tie, to the even one";
    }
    return up ? "up to the nearest" : "down to the nearest";
}

void aic_trace_round(aic_tracer *t, aic_step step, const char *what, const char *formula, double before, double rest,
                     aic_dtype dtype, uint64_t after)
{
    const double value = aic_element_value(dtype, &after);
    const bool exact = isnan(value) || (value == before && rest == 0);
    aic_trace_event(t, AIC_EVENT_OVERFLOW, isfinite(before) && isinf(value));
    aic_trace_event(t, AIC_EVENT_UNDERFLOW, before != 0 && value == 0);
    aic_trace_event(t, AIC_EVENT_SUBNORMAL, aic_trace_is_subnormal(dtype, after));
    if (t->out) {
        aic_trace_step(t, step, what, "%s -> %s, %s", formula ? formula : aic_trace_real(t, before).text,
                       aic_trace_element(t, dtype, after).text,
                       isnan(value) ? "a NaN"
                       : exact      ? "exact"
                                    : reason_of(before, rest, dtype, after));
    }
}

int64_t aic_trace_clamp(aic_tracer *t, aic_step step, const char *what, int64_t value, int64_t low, int64_t high)
{
    const int64_t result = value < low ? low : value > high ? high : value;
    if (result != value) {
        aic_trace_event(t, AIC_EVENT_CLAMPED, true);
        aic_trace_step(t, step, what, "%" PRId64 " -> %" PRId64, value, result);
    }
    return result;
}

/* Section 6.4 of the Fixpipe document, of a type whose largest number this is. */
static uint64_t saturated(aic_tracer *t, aic_dtype dtype, uint64_t bits, uint64_t largest, uint64_t sign)
{
    const double value = aic_element_value(dtype, &bits);
    if (isfinite(value)) {
        return bits;
    }
    const uint64_t result = isnan(value) ? 0 : largest | (bits & sign);
    aic_trace_nan(t, isnan(value), false);
    aic_trace_step(t, AIC_STEP_SATURATE, isnan(value) ? "NaN to 0" : "saturate", "%s -> %s",
                   aic_trace_value(t, dtype, bits).text, aic_trace_element(t, dtype, result).text);
    return result;
}

uint64_t aic_trace_narrow(aic_tracer *t, aic_dtype dtype, float value)
{
    uint64_t bits = aic_trace_result(value), largest = UINT64_C(0x7F7FFFFF), sign = UINT64_C(1) << 31;
    if (dtype != AIC_FLOAT32) {
        const bool half = dtype == AIC_FLOAT16;
        bits = half ? aic_half_from_double((double)value) : aic_bfloat16_from_float(value);
        largest = half ? 0x7BFF : 0x7F7F;
        sign = 0x8000;
        aic_trace_round(t, AIC_STEP_TO_SHORT, half ? "to float16, ties to even" : "to bfloat16, ties to even", NULL,
                        (double)value, 0, dtype, bits);
    }
    return t->semantics->overflow == AIC_OVERFLOW_SATURATE ? saturated(t, dtype, bits, largest, sign) : bits;
}
