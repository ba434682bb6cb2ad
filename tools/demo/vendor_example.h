/* The example that conv2d's document prints. */
#ifndef AIC_DEMO_VENDOR_EXAMPLE_H
#define AIC_DEMO_VENDOR_EXAMPLE_H

#include <aic/aic.h>

enum { VENDOR_VALUES = 64 };

/* Computes the document's second example (float16, dilation 2) and returns how many of its 64 values come out bit for
 * bit, or -1 with the library's message. */
int vendor_example(aic_context *context);

#endif
