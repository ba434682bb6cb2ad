/* Elements of any type as numbers; for references and bounds. */
#ifndef AIC_ELEMENT_H
#define AIC_ELEMENT_H

#include <aic/types.h>

/* The element at `element`, exact but for uint64 beyond 2^53; NaN stays NaN. */
double aic_element_value(aic_dtype dtype, const void *element);

/* bfloat16: the upper half of a float32. To nearest, ties to even; overflow gives infinity, NaN a quiet NaN. */
float aic_bfloat16_to_float(uint16_t bits);
uint16_t aic_bfloat16_from_float(float value);

#endif
