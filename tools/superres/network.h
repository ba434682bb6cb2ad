/* Super-resolution networks of the kind that Real-ESRGAN calls compact, as ncnn stores them: convolutions of 3x3 one
 * after the other, a PReLU behind each but the last; its 48 channels are the 4x4 pixels of the result, three colours
 * each, that belong to a pixel of the picture, and the picture's own pixel is added to all of them.
 *
 * A file pair: NAME.param, the layers as lines of text, and NAME.bin, their numbers. */
#ifndef AIC_SUPERRES_NETWORK_H
#define AIC_SUPERRES_NETWORK_H

#include <stddef.h>

enum {
    NETWORK_LAYERS_MAX = 64,
    NETWORK_CHANNELS_MAX = 1024,
    NETWORK_NAME = 64,
    NETWORK_COLOURS = 3,
    NETWORK_SCALE = 4, /* the result is that many times as wide and as high */
    NETWORK_SUBPIXELS = NETWORK_SCALE * NETWORK_SCALE,
    NETWORK_OUT = NETWORK_COLOURS * NETWORK_SUBPIXELS,
    NETWORK_SIDE = 3, /* of a kernel */
    NETWORK_TAPS = NETWORK_SIDE * NETWORK_SIDE
};

/* A convolution and what is behind it. */
typedef struct network_layer {
    char name[NETWORK_NAME], prelu[NETWORK_NAME]; /* as the file calls them; prelu "": none, the last layer */
    int in, out;                                  /* channels */
    float *weights;                               /* [out, in, 3, 3], owned */
    float *bias;                                  /* [out] */
    float *slope;                                 /* [out], or NULL */
} network_layer;

typedef struct network {
    int count;
    network_layer layer[NETWORK_LAYERS_MAX];
} network;

/* Reads both files. Returns an exit status with a message that names the file and the line or byte
 * (tools/harness/fail.h); then *n holds nothing. Files of another network, damaged ones, and numbers that are no finite
 * numbers are refused. */
int network_load(network *n, const char *param, const char *bin);
void network_free(network *n);

/* Parts of network_load(): the layers with their sizes; then their numbers. */
int network_read_param(network *n, const char *path);
int network_read_bin(network *n, const char *path);

/* Turns the sign of every channel whose slope is above 1, in its own weights and bias and in the next layer's weights.
 * For z = -x and s > 1 it is max(z, s*z) = -PReLU(x), and for s <= 1 it is max(x, s*x) = PReLU(x): from then on a PReLU
 * is the larger of x and slope * x in every channel. Nothing is rounded. */
void network_turn_signs(network *n);

/* Makes the network one for pictures in 256ths instead of 255ths: a network of convolutions and PReLU gives t times the
 * result for t times the picture, when its biases are t times as large. Pixels / 256 are exact in float16. */
#define NETWORK_SHRINK (255.0F / 256.0F)
void network_take_256ths(network *n);

/* Multiply-accumulates that a pixel takes, of the layers first .. first+count-1. */
double network_macs(const network *n, int first, int count);

/* A whole file of at most `limit` bytes, with a closing zero that *size does not count; the caller frees it. An exit
 * status with a message. */
int read_whole_file(const char *path, size_t limit, char **bytes, size_t *size);

#endif
