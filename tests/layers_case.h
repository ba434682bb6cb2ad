/* A network of four layers of int8 in tests, and what it makes of its input by the reference. */
#pragma once

#include "tests/network_case.h"

/* A layer, and a line of network.txt with a buffer for what one makes. */
#define LAYERS_SPEC                                                                                                    \
    "conv2d(dtype=int8, fm_shape=[1,6,6,32], kernel_shape=[1,3,3,32,32], pad=[1,1,1,1]) | "                            \
    "fixpipe(src=int32, dst=int8, format=NZ, quantPre=REQ8, deqScalar=quant(0.01, 0, int8))"
#define LAYERS_BUFFER(name) "buffer " #name " int8 [1,6,6,32]\n"

/* Elements of what goes from layer to layer, and of a layer's weights. */
enum { LAYERS_PLANE = 6 * 6 * 32, LAYERS_WEIGHTS = 9 * 32 * 32 };

/* Makes the folder of a network with the input x and the output y; the layers take turns at two sets of weights. */
void layers_open(network_case *c, void *weights[2]);
void layers_close(network_case *c, void *weights[2]);

/* What the layers make of x by the reference, in memory of its own for each. */
void layers_expect(const void *x, void *const weights[2], int8_t y[LAYERS_PLANE]);
