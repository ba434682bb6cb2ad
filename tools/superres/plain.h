/* The network in plain C and float32, to compare with. */
#ifndef AIC_SUPERRES_PLAIN_H
#define AIC_SUPERRES_PLAIN_H

#include "tools/demo/picture.h"
#include "tools/superres/network.h"

/* The network as its files have it, on pixels / 255, into float32 [4*height, 4*width, 3]. An exit status with a
 * message.
 */
int plain_enlarge(const network *n, const picture *in, float *values);

/* 10 log10(1 / mean squared difference) of `count` numbers: decibels, infinite when all are equal. */
double psnr(const float *a, const float *b, size_t count);

#endif
