/* A network in int8, calibrated on a picture.
 *
 * Every channel between two layers has a scale of its own: what its int8 numbers count. The scale is a factor of the
 * next layer's weights, so that a sum of products has one unit again; that unit, too, is each output channel's own.
 * Both are symmetric: 0 is 0. The first layer's pixels are 256ths, less 128.
 *
 *     sum      = start + sum of weights * inputs, an int32     start: the bias in units of the sum, + SUM_OFFSET
 *     x        = its bits as a float32, - 1.5 * 2^23
 *     int8     = max(x, slope * x) * scale of the word               (last layer: x * factor is the result)
 */
#ifndef AIC_SUPERRES_QUANTISE_H
#define AIC_SUPERRES_QUANTISE_H

#include "tools/superres/network.h"

#include <stdint.h>

/* Sums lie between -2^22 and 2^22 whatever the picture. SUM_OFFSET, the bits of the float32 1.5 * 2^23, is added to
 * them: floats around there are 1 apart, so that the int32 is the bits of the float32 1.5 * 2^23 + sum, and subtracting
 * that number gives the sum. Both are exact. */
enum { SUM_OFFSET = 0x4B400000, SUM_MOST = 1 << 22, PIXEL_ZERO = 128 };

typedef struct quantised_layer {
    int8_t *weights; /* [out, in, 3, 3], owned, as is the rest; each an array of [out] */
    int32_t *start;
    uint64_t *word; /* of fixpipe, NULL in the last layer */
    float *factor;  /* what one of the sum is worth, in the unit of the network */
    float *unit;    /* what one of the int8 result is worth; NULL in the last layer */
    float *peak;    /* the largest |result| of the channel in the calibration; NULL in the last layer */
} quantised_layer;

typedef struct quantised {
    int count;
    quantised_layer layer[NETWORK_LAYERS_MAX];
} quantised;

/* The largest |result| of each channel behind each layer but the last, found on pictures. */
typedef struct peaks {
    float value[NETWORK_LAYERS_MAX][NETWORK_CHANNELS_MAX];
} peaks;

/* Quantises `n`, whose signs are turned and whose pictures are in 256ths. An exit status with a message; then *q holds
 * nothing. */
int quantise(quantised *q, const network *n, const peaks *found);
void quantised_free(quantised *q);

/* Writes a text with a line a channel. An exit status with a message. */
int quantised_save(const quantised *q, const network *n, const char *path);

#endif
