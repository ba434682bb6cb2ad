/* How fixpipe and tik_fixpipe make one element (AscendC Fixpipe, sections 4 to 6; TIK conv2d, section 9). */
#include "frontend/numeric/element.h"
#include "frontend/numeric/half.h"
#include "frontend/trace/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- fixpipe ---- */

/* Row and column of the element `at` elements behind the start of a matrix of rows `stride` apart. */
static bool find_in_rows(const aic_fixpipe_desc *desc, int64_t at, aic_trace_position *position)
{
    if (at < 0) {
        return false;
    }
    position->row = desc->mSize > 1 ? at / desc->dstStride : 0;
    position->column = desc->mSize > 1 ? at % desc->dstStride : at;
    return position->row < desc->mSize && position->column < desc->nSize;
}

/* The same of column blocks. Blocks of bytes are two blocks of 16 columns, an odd last one is alone. */
static bool find_in_blocks(const aic_fixpipe_desc *desc, int64_t element, aic_trace_position *position)
{
    const int64_t size = (int64_t)aic_dtype_size(desc->dst);
    const int64_t width = size == 1 ? 32 : desc->isChannelSplit ? 8 : 16;
    const int64_t stride = desc->dstStride * 32 / size;
    for (int64_t block = 0; block * width < desc->nSize; block++) {
        const int64_t left = desc->nSize - block * width;
        const int64_t columns = size == 1 && left == 16 && !desc->fill_block ? 16 : width;
        const int64_t at = element - block * stride;
        position->row = at / columns;
        position->column = block * width + at % columns;
        position->filled = position->column >= desc->nSize && columns == width && left == 16 && size == 1;
        if (at >= 0 && position->row < desc->mSize && (position->column < desc->nSize || position->filled)) {
            return true;
        }
    }
    return false;
}

bool aic_trace_fixpipe_position(const aic_fixpipe_desc *desc, int64_t element, aic_trace_position *position)
{
    bool found = false;
    *position = (aic_trace_position){.filled = false};
    if (desc->format == AIC_NZ) {
        found = desc->ndNum != 0 && find_in_blocks(desc, element, position);
    } else {
        for (int64_t i = 0; i < desc->ndNum && !found; i++) {
            found = find_in_rows(desc, element - i * desc->dstNdStride, position);
            position->matrix = i;
        }
    }
    const int64_t matrix = position->matrix > 0 ? position->matrix * desc->srcNdStride * 256 : 0;
    position->from = matrix + (position->column / 16 * desc->srcStride + position->row) * 16 + position->column % 16;
    return found;
}

/* A quantisation word (section 5) as the choices read it. */
typedef struct quant_word {
    float scale;
    bool shifts;
    int32_t shift, offset;
    bool is_signed;
} quant_word;

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Rounds to an integer, ties to even, in the default rounding mode. */
static int64_t to_even(double value)
{
    return llrint(value);
}

/* What is rounded: p clamped to nine bits, or as it is; NaN as 0. An offset has at most nine bits, so that a value
 * beyond 2^20, which llrint() takes, ends at the same limit of the result as any larger one. */
static double to_round(aic_sink *out, float p, aic_offset_clamp offset_clamp)
{
    const bool nine_bits = offset_clamp == AIC_OFFSET_CLAMP_CLAMP;
    const double low = nine_bits ? -256 : -0x1p20, high = nine_bits ? 255 : 0x1p20;
    const double value = isnan(p) ? 0 : fmin(fmax((double)p, low), high);
    if (value != (double)p) {
        const char *what = isnan(p) ? "NaN to 0" : nine_bits ? "clamp to -256..255" : "within +-2^20";
        aic_trace_step(out, what, "%s", aic_trace_real(value).text);
    }
    return value;
}

static uint64_t to_byte(aic_sink *out, float p, const quant_word *q, aic_offset_clamp offset_clamp)
{
    const int64_t rounded = to_even(to_round(out, p, offset_clamp)), moved = rounded + q->offset;
    aic_trace_step(out, "to integer, ties to even", "%" PRId64, rounded);
    aic_trace_step(out, "+ offset", "%" PRId64 " (offset %" PRId32 ")", moved, q->offset);
    const int64_t low = q->is_signed ? -128 : 0, high = q->is_signed ? 127 : 255;
    const int64_t result = clamp(moved, low, high);
    char what[32];
    snprintf(what, sizeof what, "clamp to %" PRId64 "..%" PRId64, low, high);
    aic_trace_step(out, what, "%" PRId64, result);
    return (uint8_t)result;
}

/* x * scale, rounded to float32. */
static float scaled(aic_sink *out, float x, float scale)
{
    const float p = x * scale;
    aic_trace_step(out, "* scale, to float32", "%s (scale %s)", aic_trace_element(AIC_FLOAT32, aic_trace_bits(p)).text,
                   aic_trace_real((double)scale).text);
    return p;
}

static float to_float(aic_sink *out, int64_t x)
{
    const float value = (float)x;
    aic_trace_step(out, "to float32", "%s", aic_trace_element(AIC_FLOAT32, aic_trace_bits(value)).text);
    return value;
}

/* An int32 shifted right as far as the word says. */
static int64_t shifted(aic_sink *out, int64_t x, const quant_word *q, const aic_semantics *semantics)
{
    if (!q->shifts) {
        return x;
    }
    char what[32];
    const int64_t divisor = INT64_C(1) << q->shift;
    int64_t quotient = x / divisor - (x % divisor < 0);
    if (semantics->shift == AIC_MCB_SHIFT_NEAREST) {
        const int64_t twice = 2 * (x - quotient * divisor); /* ties to even */
        quotient += twice > divisor || (twice == divisor && quotient % 2 != 0);
    }
    const int64_t result = clamp(quotient, INT16_MIN, INT16_MAX);
    snprintf(what, sizeof what, ">> %" PRId32, q->shift);
    aic_trace_step(out, what, "%" PRId64, quotient);
    if (result != quotient) {
        aic_trace_step(out, "clamp to int16", "%" PRId64, result);
    }
    return result;
}

static void show_word(aic_sink *out, uint64_t word, const quant_word *q, bool bytes)
{
    char rest[64] = "";
    if (bytes) {
        snprintf(rest, sizeof rest, ", shift %" PRId32 ", offset %" PRId32 ", %s", q->shift, q->offset,
                 q->is_signed ? "signed" : "unsigned");
    }
    aic_trace_step(out, "word", "0x%" PRIx64 ": scale %s%s", word, aic_trace_real((double)q->scale).text, rest);
}

/* Negative sources become zero; of floats 0 times the source, where `product`. */
static uint64_t rectified(aic_sink *out, aic_dtype dtype, bool product, uint64_t source)
{
    const double x = aic_element_value(dtype, &source);
    const uint64_t zero = product && dtype == AIC_FLOAT32 ? aic_trace_bits(0 * (float)x) : 0;
    const uint64_t result = x > 0 || isnan(x) ? source : zero;
    aic_trace_step(out, "relu", "%s", aic_trace_element(dtype, result).text);
    return result;
}

/* The word's parts as the choices read them; `words`: of a vector mode. */
static quant_word read_word(uint64_t word, bool vector, const aic_semantics *semantics)
{
    const aic_quant parts = aic_quant_parts(word);
    quant_word q = {.scale = parts.scale, .offset = parts.offset, .is_signed = parts.is_signed};
    const int n = (int)(word >> 32 & 15);
    q.shifts = (word >> 36 & 1) != 0;
    q.shift = !q.shifts ? 0 : semantics->n_field == AIC_N_FIELD_BARE ? n : n + 1;
    if (semantics->offset_sign == AIC_OFFSET_UNSIGNED && q.offset < 0) {
        q.offset += 512;
    }
    if (semantics->scale_bits == AIC_SCALE_BITS_FULL && !vector) {
        q.scale = aic_trace_float(word);
    }
    return q;
}

/* The source scaled, and rectified afterwards where that is the choice. */
static float scale(aic_sink *out, const aic_fixpipe_desc *desc, const aic_semantics *semantics, float x, float factor)
{
    const float p = scaled(out, x, factor);
    if (!desc->reluEn || semantics->relu == AIC_RELU_BEFORE) {
        return p;
    }
    const bool product = semantics->relu_zero == AIC_RELU_ZERO_PRODUCT;
    return aic_trace_float(rectified(out, AIC_FLOAT32, product, aic_trace_bits(p)));
}

uint64_t aic_trace_fixpipe(aic_sink *out, const aic_fixpipe_desc *desc, const aic_semantics *semantics,
                           const uint64_t *words, const aic_trace_position *position, uint64_t source)
{
    const bool ints = desc->src == AIC_INT32, bytes = aic_dtype_size(desc->dst) == 1;
    const bool unscaled =
        desc->quantPre == AIC_NO_QUANT || desc->quantPre == AIC_F322F16 || desc->quantPre == AIC_F322BF16;
    const uint64_t word = words ? words[position->column] : desc->deqScalar;
    const quant_word q = read_word(word, words != NULL, semantics);
    char what[128];
    snprintf(what, sizeof what, "fixpipe, matrix %" PRId64 ", row %" PRId64 ", column %" PRId64 ":\n", position->matrix,
             position->row, position->column);
    aic_sink_put(out, what);
    aic_trace_step(out, "acc", "%s", aic_trace_element(desc->src, source).text);
    if (desc->reluEn && (unscaled || semantics->relu == AIC_RELU_BEFORE)) {
        source = rectified(out, desc->src, semantics->relu_zero == AIC_RELU_ZERO_PRODUCT, source);
    }
    if (desc->quantPre == AIC_NO_QUANT) {
        return source;
    }
    if (desc->quantPre == AIC_F322F16 || desc->quantPre == AIC_F322BF16) {
        return aic_trace_narrow(out, desc->dst, semantics->overflow, aic_trace_float(source));
    }
    show_word(out, word, &q, bytes);
    const int64_t integer = bytes && ints ? shifted(out, (int32_t)source, &q, semantics) : (int32_t)source;
    const float p = scale(out, desc, semantics, ints ? to_float(out, integer) : aic_trace_float(source), q.scale);
    return bytes ? to_byte(out, p, &q, semantics->offset_clamp)
                 : aic_trace_narrow(out, AIC_FLOAT16, semantics->overflow, p);
}

/* ---- tik_fixpipe ---- */

bool aic_trace_tik_fixpipe_position(const aic_tik_fixpipe_desc *desc, int64_t element, aic_trace_position *position)
{
    const int64_t rows = desc->burst_len / 2; /* of 16 elements of 4 bytes */
    const int64_t burst = rows * 16 + desc->dst_stride * 32 / (int64_t)aic_dtype_size(desc->dst);
    *position = (aic_trace_position){.matrix = element / burst};
    position->row = element % burst / 16;
    position->column = element % burst % 16;
    position->from = (position->matrix * ((rows + 15) / 16 * 16) + position->row) * 16 + position->column;
    return position->matrix < desc->cburst_num && position->row < rows;
}

static uint64_t biased(aic_sink *out, const aic_tik_fixpipe_desc *desc, const void *bias, int64_t index,
                       uint64_t source)
{
    const uint64_t b = aic_trace_load(desc->src, bias, index);
    uint64_t sum;
    if (desc->src == AIC_INT32) {
        const int64_t exact = (int64_t)(int32_t)source + (int32_t)b;
        sum = (uint32_t)clamp(exact, INT32_MIN, INT32_MAX);
    } else {
        sum = aic_trace_bits(aic_trace_float(source) + aic_trace_float(b));
    }
    aic_trace_step(out, "+ bias", "%s (bias %s)", aic_trace_element(desc->src, sum).text,
                   aic_trace_element(desc->src, b).text);
    return sum;
}

uint64_t aic_trace_tik_fixpipe(aic_sink *out, const aic_tik_fixpipe_desc *desc, aic_overflow overflow,
                               void *const operands[], const aic_trace_position *position, uint64_t source)
{
    char what[128];
    snprintf(what, sizeof what, "tik_fixpipe, burst %" PRId64 ", row %" PRId64 ", column %" PRId64 ":\n",
             position->matrix, position->row, position->column);
    aic_sink_put(out, what);
    aic_trace_step(out, "acc", "%s", aic_trace_element(desc->src, source).text);
    if (desc->bias) {
        source = biased(out, desc, operands[2], position->matrix * 16 + position->column, source);
    }
    if (desc->quantize_params == AIC_TIK_FP322FP16) {
        source = aic_trace_narrow(out, AIC_FLOAT16, overflow, aic_trace_float(source));
    } else if (desc->quantize_params == AIC_TIK_INT322FP16) {
        const uint16_t half = desc->mode_param_tensor
                                  ? (uint16_t)aic_trace_load(AIC_FLOAT16, operands[3], position->column)
                                  : aic_half_from_double(desc->mode_param);
        const float p = scaled(out, to_float(out, (int32_t)source), (float)aic_half_to_double(half));
        source = aic_trace_narrow(out, AIC_FLOAT16, overflow, p);
    }
    return desc->relu ? rectified(out, desc->dst, false, source) : source;
}
