/* Operand contents that find mistakes: ordinary values, corners, and special values, from a seed. */
#ifndef AIC_HARNESS_TESTDATA_H
#define AIC_HARNESS_TESTDATA_H

#include <aic/aic.h>

/* Fills `data` with the operand's elements. The seed chooses a kind of data as well as the values: for float16 small
 * integers, reals in -1 .. 1, subnormals and zeros, any finite bit pattern, reals with some infinities and NaNs;
 * for int8 the full range, the extremes -128 and 127, small values; for old contents of int32 and float32 outputs
 * also values at the ends of the range. An output that is not read gets arbitrary bits. */
void testdata_fill(const aic_operand *operand, uint64_t seed, void *data);

#endif
