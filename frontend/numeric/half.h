/* Scalar half precision, independent of compiler support for it: the reference, files and comparisons use these. */
#ifndef AIC_HALF_H
#define AIC_HALF_H

#include <stdint.h>

/* A float type by the widths of its parts. */
typedef struct aic_float_format {
    int exponent_bits, fraction_bits;
} aic_float_format;

/* The bits of a double in a shorter type: one rounding, ties to even; overflow gives infinity. */
uint64_t aic_float_round(aic_float_format to, double value);

double aic_half_to_double(uint16_t half);    /* exact; NaN stays NaN */
uint16_t aic_half_from_double(double value); /* the same for half precision */

#endif
