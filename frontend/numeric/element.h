/* Elements of any type as numbers, independent of what the compiler has: references, bounds, files and comparisons use
 * these. */
#pragma once

#include <aic/types.h>
#include <stdint.h>

/* The element at `element`, exact but for uint64 beyond 2^53; NaN stays NaN. */
double aic_element_value(aic_dtype dtype, const void *element);

/* bfloat16: the upper half of a float32. To nearest, ties to even; overflow gives infinity, NaN a quiet NaN. */
float aic_bfloat16_to_float(uint16_t bits);
uint16_t aic_bfloat16_from_float(float value);

/* A float type by the widths of its parts. */
typedef struct aic_float_format {
    int exponent_bits, fraction_bits;
} aic_float_format;

/* The bits of a double in a shorter type: one rounding, ties to even; overflow gives infinity. */
uint64_t aic_float_round(aic_float_format to, double value);

double aic_half_to_double(uint16_t half);    /* exact; NaN stays NaN */
uint16_t aic_half_from_double(double value); /* the same for half precision */
