/* Elements as numbers, and numbers as short floats (AscendC Fixpipe). */
#pragma once

#include <aic/types.h>

/* The element at `element`, exact but for uint64 beyond 2^53; NaN stays NaN. */
double aic_reference_value(aic_dtype dtype, const void *element);

/* The same of element number `index` of an operand. */
double aic_reference_element(aic_dtype dtype, const void *operand, int64_t index);

/* The bits of `value` as float16 or bfloat16: one rounding, ties to even. SATURATE: infinities and values that are too
 * large become the largest finite value, NaN +0; IEEE: infinity and a quiet NaN. */
uint16_t aic_reference_float16(double value, aic_overflow overflow);
uint16_t aic_reference_bfloat16(double value, aic_overflow overflow);

/* A sum of floats as it is stored: every NaN with the same bits, as stages of a chain can read them as an integer. */
float aic_reference_sum(float sum);
