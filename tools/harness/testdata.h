/* Operand contents that find mistakes: ordinary values, corners, and special values, from a seed. */
#pragma once

#include <aic/aic.h>

/* Fills `data` with the operand's elements, legal ones. The seed chooses a kind of data as well as the values: of
 * floats small integers, reals, subnormals and zeros, any finite bit pattern, values where narrower types round or
 * overflow, reals with some infinities and NaNs; of integers the full range, its ends, small values, values that floats
 * round; of cbufWorkspace quantisation words. An output that is not read gets arbitrary bits. */
void testdata_fill(const aic_operand *operand, uint64_t seed, void *data);

/* The same for an operand of a specification, whose values may have limits that follow from it: valid sizes of texpands
 * are not larger than the tile. Some weights of convolutions are 0 in their last channels. */
void testdata_fill_for(const aic_spec *spec, const aic_operand *operand, uint64_t seed, void *data);

/* A quantisation word from 64 random bits: the scale is normal, 2^-14 .. 8, every other bit random. */
uint64_t testdata_word(uint64_t bits);

/* Makes one element illegal, where the operand has illegal values: a word of cbufWorkspace. False, and nothing is
 * changed, where it has none. Valid sizes of texpands become negative. */
bool testdata_spoil(const aic_operand *operand, uint64_t seed, void *data);
