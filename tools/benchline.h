/* Lines of a public convolution benchmark format: g1mb1ic64ih56oc64oh56kh3ph1n"name". */
#ifndef AIC_TOOLS_BENCHLINE_H
#define AIC_TOOLS_BENCHLINE_H

#include <aic/aic.h>

/* Whether `text` is such a line and no operator text. */
bool benchline_recognise(const char *text);

/* Reads a line as a conv2d of `dtype` (int8 or float16). Sizes not given follow the format's rules: a width left out
 * equals the height and the other way round, strides are 1, dilations 0 (which is dilation 1), the padding at the
 * end is what the output size asks for. Channels are rounded up to C0 and 16. Lines that are no convolution of one
 * image in one group and two dimensions are refused. Returns an exit status. */
int benchline_parse(const char *text, aic_dtype dtype, aic_spec *spec);

#endif
