/* How fixpipe makes one element (AscendC Fixpipe, sections 4 to 6). */
#include "frontend/numeric/element.h"
#include "frontend/trace/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- fixpipe ---- */

bool aic_trace_fixpipe_position(aic_tracer *t, const aic_fixpipe_desc *desc, int64_t element,
                                aic_trace_position *position)
{
    int64_t at[AIC_AXES_MAX] = {0};
    const bool found = desc->ndNum != 0 && aic_trace_find(t, element, at);
    *position = (aic_trace_position){.filled = false};
    if (desc->format == AIC_FORMAT_NZ) { /* blocks of columns */
        position->row = at[1];
        position->column = at[0] * t->output.axis[2].size + at[2];
        position->filled = position->column >= desc->nSize; /* of bytes alone: others have whole blocks */
    } else {
        position->matrix = t->output.rank > 2 ? at[0] : 0;
        position->row = at[t->output.rank - 2];
        position->column = at[t->output.rank - 1];
    }
    const int64_t matrix = position->matrix > 0 ? position->matrix * desc->srcNdStride * 256 : 0;
    position->from = matrix + (position->column / 16 * desc->srcStride + position->row) * 16 + position->column % 16;
    return found || aic_trace_unwritten(t, "it lies between rows, blocks or matrices");
}

/* A quantisation word (section 5) as the choices read it. */
typedef struct quant_word {
    float scale;
    bool shifts;
    int32_t shift, offset;
    bool is_signed;
} quant_word;

/* Rounds to an integer, ties to even, in the default rounding mode. */
static int64_t to_even(double value)
{
    return llrint(value);
}

/* What is rounded: p clamped to nine bits, or as it is; NaN as 0. An offset has at most nine bits, so that a value
 * beyond 2^20, which llrint() takes, ends at the same limit of the result as any larger one. */
static double to_round(aic_tracer *t, float p)
{
    const bool nine_bits = t->semantics->offset_clamp == AIC_OFFSET_CLAMP_CLAMP;
    const double low = nine_bits ? -256 : -0x1p20, high = nine_bits ? 255 : 0x1p20;
    const double value = isnan(p) ? 0 : fmin(fmax((double)p, low), high);
    aic_trace_nan(t, isnan(p), false);
    if (value != (double)p) {
        const char *what = isnan(p) ? "NaN to 0" : nine_bits ? "clamp to -256..255" : "within +-2^20";
        aic_trace_event(t, AIC_EVENT_CLAMPED, !isnan(p));
        aic_trace_step(t, isnan(p) ? AIC_STEP_NAN_BYTE : AIC_STEP_NINE_BITS, what, "%s -> %s",
                       aic_trace_real(t, (double)p).text, aic_trace_real(t, value).text);
    }
    return value;
}

static uint64_t to_byte(aic_tracer *t, float p, const quant_word *q)
{
    const double value = to_round(t, p);
    const int64_t rounded = to_even(value), moved = rounded + q->offset;
    const int64_t low = q->is_signed ? -128 : 0, high = q->is_signed ? 127 : 255;
    const bool tie = fabs(value - trunc(value)) == 0.5;
    aic_trace_step(t, AIC_STEP_TO_BYTE, "to integer, ties to even", "%s -> %" PRId64 ", %s",
                   aic_trace_real(t, value).text, rounded,
                   (double)rounded == value  ? "exact"
                   : tie                     ? "a tie, to the even one"
                   : (double)rounded > value ? "up to the nearest"
                                             : "down to the nearest");
    aic_trace_step(t, AIC_STEP_OFFSET, "+ offset", "%" PRId64 " + %" PRId32 " -> %" PRId64, rounded, q->offset, moved);
    const int64_t result = moved < low ? low : moved > high ? high : moved;
    aic_trace_event(t, AIC_EVENT_CLAMPED, result != moved);
    aic_trace_event(t, AIC_EVENT_AT_LIMIT, result == low || result == high);
    aic_trace_step(t, AIC_STEP_BYTE, q->is_signed ? "clamp to -128..127" : "clamp to 0..255", "%" PRId64 " -> %" PRId64,
                   moved, result);
    return (uint8_t)result;
}

static float to_float(aic_tracer *t, int64_t x)
{
    const float value = (float)x;
    aic_trace_round(t, AIC_STEP_TO_FLOAT, "to float32", NULL, (double)x, 0, AIC_FLOAT32, aic_bits_of_float(value));
    return value;
}

/* An int32 shifted right as far as the word says. */
static int64_t shifted(aic_tracer *t, int64_t x, const quant_word *q)
{
    if (!q->shifts) {
        return x;
    }
    const int64_t divisor = INT64_C(1) << q->shift;
    int64_t quotient = x / divisor - (x % divisor < 0);
    if (t->semantics->shift == AIC_MCB_SHIFT_NEAREST) {
        const int64_t twice = 2 * (x - quotient * divisor); /* ties to even */
        quotient += twice > divisor || (twice == divisor && quotient % 2 != 0);
    }
    aic_trace_step(t, AIC_STEP_SHIFT, aic_trace_format(t, ">> %" PRId32, q->shift).text, "%" PRId64 " -> %" PRId64 "%s",
                   x, quotient, quotient * divisor == x ? ", exact" : "");
    return aic_trace_clamp(t, AIC_STEP_INT16, "clamp to int16", quotient, INT16_MIN, INT16_MAX);
}

/* The word, of bytes with all its parts. */
static void show_word(aic_tracer *t, uint64_t word, const quant_word *q, const aic_fixpipe_desc *desc)
{
    const bool bytes = aic_dtype_size(desc->dst) == 1;
    aic_trace_event(t, AIC_EVENT_WORD_SCALE, q->scale == 0 || (desc->reluEn && q->scale < 0));
    aic_trace_event(t, AIC_EVENT_WORD_SIGN, bytes && q->is_signed != (desc->dst == AIC_INT8));
    if (bytes) {
        aic_trace_step(
            t, AIC_STEP_WORD_BYTES, "word", "0x%" PRIx64 ": scale %s, shift %" PRId32 ", offset %" PRId32 ", %s", word,
            aic_trace_real(t, (double)q->scale).text, q->shift, q->offset, q->is_signed ? "signed" : "unsigned");
    } else {
        aic_trace_step(t, AIC_STEP_WORD, "word", "0x%" PRIx64 ": scale %s", word,
                       aic_trace_real(t, (double)q->scale).text);
    }
}

/* Negative sources become zero; of floats 0 times the source, where the choice is `product`. */
static uint64_t rectified(aic_tracer *t, aic_step step, aic_dtype dtype, uint64_t source)
{
    const bool product = t->semantics->relu_zero == AIC_RELU_ZERO_PRODUCT;
    const double x = aic_element_value(dtype, &source);
    const uint64_t zero = product && dtype == AIC_FLOAT32 ? aic_bits_of_float(0 * (float)x) : 0;
    const uint64_t result = x > 0 || isnan(x) ? source : zero;
    aic_trace_nan(t, isnan(x), aic_trace_is_nan(dtype, result));
    aic_trace_step(t, step, "relu", "%s -> %s", aic_trace_value(t, dtype, source).text,
                   aic_trace_element(t, dtype, result).text);
    return result;
}

/* The word's parts as the choices read them; `vector`: of a vector mode. */
static quant_word read_word(uint64_t word, bool vector, const aic_semantics *semantics)
{
    const aic_quant parts = aic_quant_parts(word);
    quant_word q = {.scale = parts.scale, .offset = parts.offset, .is_signed = parts.is_signed};
    const int n = (int)(word >> 32 & 15);
    q.shifts = (word >> 36 & 1) != 0;
    q.shift = !q.shifts ? 0 : semantics->n_field == AIC_N_FIELD_BARE ? n : n + 1;
    if (semantics->offset_sign == AIC_OFFSET_SIGN_UNSIGNED && q.offset < 0) {
        q.offset += 512;
    }
    if (semantics->scale_bits == AIC_SCALE_BITS_FULL && !vector) {
        q.scale = aic_trace_float(word);
    }
    return q;
}

/* The source scaled, and rectified afterwards where that is the choice. */
static float scale(aic_tracer *t, const aic_fixpipe_desc *desc, float x, float factor)
{
    const float p = x * factor;
    const aic_trace_text product =
        aic_trace_format(t, "%s * %s", aic_trace_real(t, (double)x).text, aic_trace_real(t, (double)factor).text);
    aic_trace_nan(t, isnan(x), isnan(p));
    aic_trace_round(t, AIC_STEP_SCALE, "* scale, to float32", product.text, (double)x * (double)factor, 0, AIC_FLOAT32,
                    aic_bits_of_float(p));
    if (!desc->reluEn || t->semantics->relu == AIC_RELU_ORDER_BEFORE) {
        return p;
    }
    return aic_trace_float(rectified(t, AIC_STEP_RELU_SCALED, AIC_FLOAT32, aic_bits_of_float(p)));
}

/* Rectifies the source, which decides nothing but a choice where it is scaled afterwards. */
static uint64_t rectify_source(aic_tracer *t, const aic_fixpipe_desc *desc, bool unscaled, uint64_t source)
{
    if (!desc->reluEn || (!unscaled && t->semantics->relu != AIC_RELU_ORDER_BEFORE)) {
        return source;
    }
    const bool ints = desc->src == AIC_INT32;
    return rectified(t,
                     unscaled ? (ints ? AIC_STEP_RELU_INT : AIC_STEP_RELU_FLOAT)
                     : ints   ? AIC_STEP_RELU_SCALED_INT
                              : AIC_STEP_RELU_SCALED,
                     desc->src, source);
}

uint64_t aic_trace_fixpipe(aic_tracer *t, const aic_fixpipe_desc *desc, void *const operands[],
                           const aic_trace_position *position, uint64_t source)
{
    enum { WORDS = 2 };
    const uint64_t *words = operands[WORDS];
    const bool ints = desc->src == AIC_INT32, bytes = aic_dtype_size(desc->dst) == 1;
    const bool unscaled = desc->quantPre == AIC_QUANT_NO_QUANT || desc->quantPre == AIC_QUANT_F322F16 ||
                          desc->quantPre == AIC_QUANT_F322BF16;
    const uint64_t word = words ? aic_trace_load(t, AIC_UINT64, words, position->column) : desc->deqScalar;
    const quant_word q = read_word(word, words != NULL, t->semantics);
    t->channel = position->column;
    aic_trace_put(t, "fixpipe, matrix %" PRId64 ", row %" PRId64 ", column %" PRId64 ":\n", position->matrix,
                  position->row, position->column);
    aic_trace_step(t, AIC_STEP_PLAIN, "acc", "%s%s", aic_trace_element(t, desc->src, source).text,
                   operands[1] ? aic_trace_format(t, " = %s", aic_trace_place(t, 1, position->from).text).text : "");
    source = rectify_source(t, desc, unscaled, source);
    if (desc->quantPre == AIC_QUANT_NO_QUANT) {
        return source;
    }
    if (unscaled) {
        return aic_trace_narrow(t, desc->dst, aic_trace_float(source));
    }
    show_word(t, word, &q, desc);
    const int64_t integer = bytes && ints ? shifted(t, (int32_t)source, &q) : (int32_t)source;
    const float p = scale(t, desc, ints ? to_float(t, integer) : aic_trace_float(source), q.scale);
    return bytes ? to_byte(t, p, &q) : aic_trace_narrow(t, AIC_FLOAT16, p);
}
