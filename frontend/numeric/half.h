/* Scalar half precision, independent of compiler support for it: the reference, files and comparisons use these. */
#ifndef AIC_HALF_H
#define AIC_HALF_H

#include <stdint.h>

double aic_half_to_double(uint16_t half);    /* exact; NaN stays NaN */
uint16_t aic_half_from_double(double value); /* one rounding, ties to even; overflow gives infinity */

#endif
