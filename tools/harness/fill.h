/* --fill NAME=zeros|const:V|random:SEED|at:I=V,...: operands without a file. */
#pragma once

#include <aic/aic.h>

/* Fills `data` (operand->bytes bytes) as `how` says. V: what aic_scalar_parse() reads, an integer within the
 * type's range, or for float types a number that the type can hold, its bits in hexadecimal, "inf" or "nan". SEED: 0 ..
 * 2^64-1; integers come uniform over their type, floats uniform in -1 .. 1, words of cbufWorkspace legal with a scale
 * of 2^-14 .. 8. at:I=V,I=V: element number I is V, all others are 0. Returns an exit status; the message names
 * operand, text and limits. */
int fill_operand(const aic_operand *operand, const char *how, void *data);
