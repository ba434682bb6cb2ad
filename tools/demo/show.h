/* From brightnesses to pictures. */
#ifndef AIC_DEMO_SHOW_H
#define AIC_DEMO_SHOW_H

#include "tools/demo/convolve.h"

/* Paints filter number `f` of the result. `out` has the input's size. */
int show_filter(const demo_result *result, int f, picture *out);

/* The input, every filter, and the strength of the edges from the horizontal and vertical ones, on one sheet. */
int show_sheet(const demo_result *result, const picture *in, picture *sheet);

#endif
