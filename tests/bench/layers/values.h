/* The same values on both sides: from our layouts to dense ones and back. */
#pragma once

#include "tests/bench/layers/layers.h"

/* Makes room for the images and results of a batch, other values in each image, the channels zero that the peer does
 * not have, and, of a chain with fixpipe, the quantisation words. Returns their scales, one an output channel, to be
 * freed; NULL where there are none. */
float *values_prepare(bench_data *data, const layer *l, int batch);

/* Bytes from one image of a batch, or one result, to the next; 0 for what they share. */
size_t values_stride(const bench_data *data, size_t operand);

/* The peer's convolution of these values; NULL when it has none such. */
peer_convolution *values_open_peer(const bench_data *data, const layer *l, int batch, peer_types types,
                                   const float *scale);

/* Whether the result of the peer's last call is the one in our output: of integers equal, where they are rounded to 8
 * bits within 1, of numbers within 1e-5 of the largest. */
bool values_same(const bench_data *data, const layer *l, int batch, peer_types types, peer_convolution *peer);
