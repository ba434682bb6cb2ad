/* Two int8 layers on a picture of three channels: 3x3 convolution to 32 channels with rectification, then 1x1 to 16,
 * both with quantised results; checked against plain loops.
 *
 * The result of the first layer is in the layout that the second one reads: fixpipe's NZ blocks of 32 int8 channels are
 * [C1, H, W, 32].
 *
 *     cc network.c $(pkg-config --cflags --libs aicjit)
 */
#include <aic/aic.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { H = 24, W = 32, C = 3, MIDDLE = 32, OUT = 16, K = 3, ZERO_POINT = 128 };

static uint8_t picture[H * W * C];          /* [H, W, C] */
static int8_t weights1[MIDDLE * C * K * K]; /* [O, I, Kh, Kw] */
static int8_t weights2[OUT * MIDDLE];

/* In the layouts of conv2d. */
static int8_t packed_picture[H * W * 4], packed1[K * K * MIDDLE * 4], packed2[OUT * MIDDLE];
static int8_t middle[H * W * MIDDLE], out[H * W * OUT]; /* [1, H, W, 32], [H, W, 16] */

/* A convolution and the conversion of its sums to int8, as one kernel. */
static aic_spec layer(const int64_t fm[4], const int64_t kernel[5], int64_t pad, float scale, bool relu)
{
    aic_conv2d_desc conv = aic_conv2d_desc_init();
    aic_fixpipe_desc fix = aic_fixpipe_desc_init();
    conv.dtype = AIC_INT8;
    memcpy(conv.fm_shape, fm, sizeof conv.fm_shape);
    memcpy(conv.kernel_shape, kernel, sizeof conv.kernel_shape);
    conv.pad[0] = conv.pad[1] = conv.pad[2] = conv.pad[3] = pad;
    fix.src = AIC_INT32, fix.dst = AIC_INT8, fix.format = AIC_NZ;
    fix.quantPre = AIC_REQ8, fix.deqScalar = aic_quant_word(scale, 0, true), fix.reluEn = relu;
    const aic_spec first = aic_spec_conv2d(&conv), second = aic_spec_fixpipe(&fix);
    return aic_spec_fuse(&first, &second);
}

/* ---- the same in plain loops ---- */

static int8_t quantise(int32_t sum, float scale, bool relu)
{
    const float rectified = relu && sum < 0 ? 0.0F : (float)sum;
    const float q = nearbyintf(rectified * scale);
    return (int8_t)(q < -128 ? -128 : q > 127 ? 127 : q);
}

static int8_t plain_middle(int h, int w, int o, float scale)
{
    int32_t sum = 0;
    for (int c = 0; c < C; c++) {
        for (int tap = 0; tap < K * K; tap++) {
            const int y = h + tap / K - 1, x = w + tap % K - 1;
            const bool inside = y >= 0 && y < H && x >= 0 && x < W;
            const int pixel = inside ? picture[(y * W + x) * C + c] - ZERO_POINT : 0;
            sum += pixel * weights1[(o * C + c) * K * K + tap];
        }
    }
    return quantise(sum, scale, true);
}

static int8_t plain_out(int at, int o, float scale)
{
    int32_t sum = 0;
    for (int c = 0; c < MIDDLE; c++) {
        sum += middle[at * MIDDLE + c] * weights2[o * MIDDLE + c];
    }
    return quantise(sum, scale, false);
}

static int count_differences(float scale1, float scale2)
{
    int differences = 0;
    for (int at = 0; at < H * W; at++) {
        for (int o = 0; o < MIDDLE; o++) {
            differences += middle[at * MIDDLE + o] != plain_middle(at / W, at % W, o, scale1);
        }
        for (int o = 0; o < OUT; o++) {
            differences += out[at * OUT + o] != plain_out(at, o, scale2);
        }
    }
    return differences;
}

/* ---- the network ---- */

static void make_data(void)
{
    for (int i = 0; i < H * W * C; i++) {
        picture[i] = (uint8_t)((i * 37 + i / 7 * 11) % 256);
    }
    for (size_t i = 0; i < sizeof weights1; i++) {
        weights1[i] = (int8_t)((int)(i * 29 % 255) - 127);
    }
    for (size_t i = 0; i < sizeof weights2; i++) {
        weights2[i] = (int8_t)((int)(i * 53 % 255) - 127);
    }
}

static aic_status pack(void)
{
    aic_status status = aic_pack_picture(picture, (const int64_t[]){1, H, W, C}, 4, ZERO_POINT, packed_picture);
    if (status == AIC_OK) {
        status = aic_pack_weights(AIC_INT8, weights1, (const int64_t[]){MIDDLE, C, K, K}, 4, packed1);
    }
    return status == AIC_OK ? aic_pack_weights(AIC_INT8, weights2, (const int64_t[]){OUT, MIDDLE, 1, 1}, 32, packed2)
                            : status;
}

int main(void)
{
    const float scale1 = 0x1p-9F, scale2 = 0x1p-10F;
    const aic_spec first = layer((const int64_t[]){1, H, W, 4}, (const int64_t[]){1, K, K, MIDDLE, 4}, 1, scale1, true);
    const aic_spec second =
        layer((const int64_t[]){1, H, W, 32}, (const int64_t[]){1, 1, 1, OUT, 32}, 0, scale2, false);
    make_data();
    aic_status status = pack();
    if (status == AIC_OK) {
        status = aic_jit_spec(NULL, &first, (void *[]){middle, packed_picture, packed1, NULL}, 4);
    }
    if (status == AIC_OK) {
        status = aic_jit_spec(NULL, &second, (void *[]){out, middle, packed2, NULL}, 4);
    }
    if (status != AIC_OK) {
        (void)fprintf(stderr, "network: %s\n", aic_last_error());
        return 1;
    }
    const int differences = count_differences(scale1, scale2);
    printf("%d elements, %d differ from plain loops\n", H * W * (MIDDLE + OUT), differences);
    return differences > 0;
}
