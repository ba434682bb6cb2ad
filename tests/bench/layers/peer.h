/* The peer: a library with convolutions of its own, on the same values, each in the layout that it likes best. Without
 * one installed nothing is found. */
#pragma once

#include <stdint.h>

/* What it multiplies and what comes out. */
typedef enum peer_types {
    PEER_NONE,
    PEER_S8_S32, /* int8 to int32 */
    PEER_S8_S8, /* int8 to int8: the sums rectified, times a scale of their channel, rounded to nearest even, clamped */
    PEER_F16_F32,
    PEER_F32_F32
} peer_types;

/* A convolution of one image. Dimensions are n, c, h, w and o, i, h, w, inputs being those of a group; values lie dense
 * in that order. */
typedef struct peer_problem {
    peer_types types;
    int64_t image[4], weight[4], result[4];
    int64_t stride, dilation, pad_h, pad_w, groups;
    const void *image_data, *weight_data;
    const float *scale; /* PEER_S8_S8: one a channel of the result */
} peer_problem;

typedef struct peer_convolution peer_convolution;

/* "oneDNN 3.6.2"; NULL without a peer. Its major version. */
const char *peer_name(void);
int peer_major(void);

/* Prepares the convolution, weights and image in its own layout. NULL when it has none such on this host. */
peer_convolution *peer_open(const peer_problem *problem);
void peer_close(peer_convolution *c); /* NULL does nothing */

/* One call. */
void peer_run(void *convolution);

/* Writes the result of the last call, dense. */
void peer_result(peer_convolution *c, void *values);

/* Which of its implementations it took. */
const char *peer_implementation(const peer_convolution *c);
