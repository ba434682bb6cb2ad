/* Conversions to short floats with the overflow mode of AscendC Fixpipe, section 6.4; for references. */
#ifndef AIC_ROUND_H
#define AIC_ROUND_H

#include <aic/types.h>

/* One rounding, ties to even. SATURATE: infinities and values that are too large become the largest finite value, NaN
 * +0; IEEE: infinity and a quiet NaN. */
uint16_t aic_round_float16(double value, aic_overflow overflow);
uint16_t aic_round_bfloat16(float value, aic_overflow overflow);

#endif
