/* A program on exported kernels: neither the library nor LLVM is needed to build or to run it, build.sh shows how.
 *
 * The kernel `layer` is an int8 convolution of 3x3 on an image of 8x8 pixels and 32 channels. Its weights are packed
 * once; then it is called for two images, and the results are compared with plain loops. */
#include "kernels.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 8, CHANNELS = 32, TAPS = 3, BLOCK = 16, IMAGES = 2, ALIGNMENT = 64 };

static int8_t image[IMAGES][SIDE][SIDE][CHANNELS];     /* [H, W, C0], C1 being 1 */
static int8_t weights[TAPS][TAPS][CHANNELS][CHANNELS]; /* [Kh, Kw, Cout, C0] */
static int32_t result[CHANNELS / BLOCK][SIDE * SIDE][BLOCK];

/* Sizes and alignments are the header's; how memory is had is the program's affair. */
static _Alignas(ALIGNMENT) unsigned char packed[LAYER_PACKED_BYTES], workspace[LAYER_PACKED_WORKSPACE_BYTES];

static int plain(int number, int channel, int y, int x)
{
    int sum = 0;
    for (int dy = 0; dy < TAPS; dy++) {
        for (int dx = 0; dx < TAPS; dx++) {
            const int iy = y + dy - 1, ix = x + dx - 1;
            for (int c = 0; c < CHANNELS && iy >= 0 && iy < SIDE && ix >= 0 && ix < SIDE; c++) {
                sum += image[number][iy][ix][c] * weights[dy][dx][channel][c];
            }
        }
    }
    return sum;
}

static int count_wrong(int number)
{
    int wrong = 0;
    for (int channel = 0; channel < CHANNELS; channel++) {
        for (int i = 0; i < SIDE * SIDE; i++) {
            wrong += result[channel / BLOCK][i][channel % BLOCK] != plain(number, channel, i / SIDE, i % SIDE);
        }
    }
    return wrong;
}

int main(void)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof image; i++) {
        (&image[0][0][0][0])[i] = (int8_t)(rand() % 256 - 128);
    }
    for (size_t i = 0; i < sizeof weights; i++) {
        (&weights[0][0][0][0])[i] = (int8_t)(rand() % 256 - 128);
    }
    layer_pack(packed, weights);
    for (int number = 0; number < IMAGES; number++) {
        layer_packed(result, image[number], packed, workspace);
        wrong += count_wrong(number);
    }
    printf("%d results, %d differ from plain loops\n", CHANNELS * SIDE * SIDE, wrong);
    return wrong != 0;
}
