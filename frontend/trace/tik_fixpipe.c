/* How tik_fixpipe makes one element (TIK conv2d, section 9). */
#include "frontend/numeric/element.h"
#include "frontend/trace/trace.h"

#include <inttypes.h>
#include <math.h>

enum { BIAS = 2, SCALES };

bool aic_trace_tik_fixpipe_position(aic_tracer *t, const aic_tik_fixpipe_desc *desc, int64_t element,
                                    aic_trace_position *position)
{
    const int64_t rows = desc->burst_len / 2; /* of 16 elements of 4 bytes */
    int64_t at[AIC_AXES_MAX] = {0};
    const bool found = aic_trace_find(t, element, at);
    *position = (aic_trace_position){.matrix = at[0], .row = at[1], .column = at[2]};
    position->from = (position->matrix * ((rows + 15) / 16 * 16) + position->row) * 16 + position->column;
    return found || aic_trace_unwritten(t, "it lies between two bursts of %" PRId64 " rows", rows);
}

static uint64_t biased(aic_tracer *t, const aic_tik_fixpipe_desc *desc, const void *bias, int64_t index,
                       uint64_t source)
{
    const uint64_t b = aic_trace_read(t, desc->src, bias, index);
    const aic_trace_text formula = aic_trace_format(t, "%s + %s", aic_trace_value(t, desc->src, source).text,
                                                    aic_trace_value(t, desc->src, b).text);
    if (desc->src == AIC_INT32) {
        const int64_t exact = (int64_t)(int32_t)source + (int32_t)b;
        aic_trace_step(t, AIC_STEP_TIK_BIAS, "+ bias", "%s -> %" PRId64, formula.text, exact);
        const int64_t sum = exact < INT32_MIN ? INT32_MIN : exact > INT32_MAX ? INT32_MAX : exact;
        if (sum != exact) {
            aic_trace_event(t, AIC_EVENT_INT_OVERFLOW, true);
            aic_trace_step(t, AIC_STEP_TIK_BIAS, "clamp to int32", "%" PRId64 " -> %" PRId64, exact, sum);
        }
        return (uint32_t)sum;
    }
    double rest;
    const float x = aic_trace_float(source), y = aic_trace_float(b), sum = x + y;
    const double before = aic_trace_two_sum((double)x, (double)y, &rest);
    aic_trace_nan(t, isnan(x) || isnan(y), isnan(sum));
    aic_trace_round(t, AIC_STEP_TIK_BIAS, "+ bias", formula.text, before, rest, AIC_FLOAT32, aic_bits_of_float(sum));
    return aic_bits_of_float(sum);
}

static uint64_t scaled(aic_tracer *t, const aic_tik_fixpipe_desc *desc, void *const operands[], int64_t column,
                       int64_t source)
{
    const uint16_t half = desc->mode_param_tensor ? (uint16_t)aic_trace_read(t, AIC_FLOAT16, operands[SCALES], column)
                                                  : aic_half_from_double(desc->mode_param);
    const float x = (float)source, factor = (float)aic_half_to_double(half), p = x * factor;
    const aic_trace_text product =
        aic_trace_format(t, "%s * %s", aic_trace_real(t, (double)x).text, aic_trace_real(t, (double)factor).text);
    aic_trace_round(t, AIC_STEP_TO_FLOAT, "to float32", NULL, (double)source, 0, AIC_FLOAT32, aic_bits_of_float(x));
    aic_trace_nan(t, isnan(factor), isnan(p));
    aic_trace_round(t, AIC_STEP_TIK_SCALE, "* scale, to float32", product.text, (double)x * (double)factor, 0,
                    AIC_FLOAT32, aic_bits_of_float(p));
    return aic_trace_narrow(t, AIC_FLOAT16, p);
}

uint64_t aic_trace_tik_fixpipe(aic_tracer *t, const aic_tik_fixpipe_desc *desc, void *const operands[],
                               const aic_trace_position *position, uint64_t source)
{
    t->channel = position->matrix * 16 + position->column;
    aic_trace_put(t, "tik_fixpipe, burst %" PRId64 ", row %" PRId64 ", column %" PRId64 ":\n", position->matrix,
                  position->row, position->column);
    aic_trace_step(t, AIC_STEP_PLAIN, "acc", "%s%s", aic_trace_element(t, desc->src, source).text,
                   operands[1] ? aic_trace_format(t, " = %s", aic_trace_place(t, 1, position->from).text).text : "");
    if (desc->bias) {
        source = biased(t, desc, operands[BIAS], t->channel, source);
    }
    if (desc->quantize_params == AIC_TIK_QUANTIZE_FP322FP16) {
        source = aic_trace_narrow(t, AIC_FLOAT16, aic_trace_float(source));
    } else if (desc->quantize_params == AIC_TIK_QUANTIZE_INT322FP16) {
        source = scaled(t, desc, operands, position->column, (int32_t)source);
    }
    if (!desc->relu) {
        return source;
    }
    const double x = aic_element_value(desc->dst, &source);
    const uint64_t result = x > 0 || isnan(x) ? source : 0;
    aic_trace_step(t, AIC_STEP_TIK_RELU, "relu", "%s -> %s", aic_trace_value(t, desc->dst, source).text,
                   aic_trace_element(t, desc->dst, result).text);
    return result;
}
