/* Two int8 layers on a photograph, on two threads: 3x3 convolution to 32 directions of slopes, rectified; then 1x1 to
 * 16 orientations of edges; both with quantised results, checked against plain loops. The strengths of all orientations
 * are written as a picture.
 *
 *     network PHOTOGRAPH.png [RESULT.png]
 *
 * The picture comes as programs have it, uint8 [H, W, 3]. The result of the first layer is in the layout that the
 * second one reads, which aic_spec_result_layout() says: NC1HWC0 with blocks of 32 channels.
 *
 *     cc network.c $(pkg-config --cflags --libs aicjit libpng) -lm
 */
#include <aic/aic.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { C = 3, MIDDLE = 32, OUT = 16, K = 3, TAPS = K * K, ZERO_POINT = 128, THREADS = 2 };

static int8_t weights1[MIDDLE * C * TAPS]; /* [O, I, Kh, Kw] */
static int8_t weights2[OUT * MIDDLE];
static int8_t packed1[TAPS * MIDDLE * 4], packed2[OUT * MIDDLE]; /* in the layout of conv2d */

static const float scale1 = 0x1p-7F, scale2 = 0x1p-6F;

/* A photograph and what the layers make of it. */
typedef struct images {
    int height, width;
    uint8_t *picture;              /* [H, W, C] */
    int8_t *packed, *middle, *out; /* [1, H, W, 4], [1, H, W, 32], [1, H, W, 16] */
} images;

/* ---- weights ---- */

/* Slopes in 32 directions, of the brightness; and for each of 16 orientations the slopes up and down across it, less
 * those that most others see. */
static void make_weights(void)
{
    static const double BRIGHTNESS[C] = {0.30, 0.59, 0.11};
    for (int o = 0; o < MIDDLE; o++) {
        const double angle = 2 * 3.14159265358979 * o / MIDDLE;
        for (int i = 0; i < C * TAPS; i++) {
            const int tap = i % TAPS, x = tap % K - 1, y = tap / K - 1;
            weights1[o * C * TAPS + i] = (int8_t)lrint(100 * BRIGHTNESS[i / TAPS] * (cos(angle) * x + sin(angle) * y));
        }
    }
    for (int o = 0; o < OUT; o++) {
        for (int i = 0; i < MIDDLE; i++) {
            weights2[o * MIDDLE + i] = i % OUT == o ? 96 : -2;
        }
    }
}

/* ---- the layers ---- */

/* A convolution and the conversion of its sums to int8, as one kernel; the caller destroys *chain. */
static aic_status layer(const int64_t fm[4], const int64_t kernel[5], int64_t pad, float scale, aic_spec **chain)
{
    aic_conv2d_desc conv = aic_conv2d_desc_init();
    aic_fixpipe_desc fix = aic_fixpipe_desc_init();
    conv.dtype = AIC_INT8;
    memcpy(conv.fm_shape, fm, sizeof conv.fm_shape);
    memcpy(conv.kernel_shape, kernel, sizeof conv.kernel_shape);
    conv.pad[0] = conv.pad[1] = conv.pad[2] = conv.pad[3] = pad;
    fix.src = AIC_INT32, fix.dst = AIC_INT8, fix.format = AIC_FORMAT_NZ;
    fix.quantPre = AIC_QUANT_REQ8, fix.reluEn = true;
    aic_spec *stages[2] = {NULL, NULL};
    aic_status status = aic_quant_word(scale, 0, true, &fix.deqScalar);
    status = status == AIC_OK ? aic_spec_create_conv2d(&conv, &stages[0]) : status;
    status = status == AIC_OK ? aic_spec_create_fixpipe(&fix, &stages[1]) : status;
    status = status == AIC_OK ? aic_spec_chain((const aic_spec *const[]){stages[0], stages[1]}, 2, chain) : status;
    aic_spec_destroy(stages[0]);
    aic_spec_destroy(stages[1]);
    return status;
}

static aic_status pack(images *m)
{
    const int64_t shape[] = {1, m->height, m->width, C};
    aic_status status = aic_pack_picture(m->picture, shape, 4, ZERO_POINT, m->packed);
    if (status == AIC_OK) {
        status = aic_pack_weights(AIC_INT8, weights1, (const int64_t[]){MIDDLE, C, K, K}, 4, packed1);
    }
    return status == AIC_OK ? aic_pack_weights(AIC_INT8, weights2, (const int64_t[]){OUT, MIDDLE, 1, 1}, 32, packed2)
                            : status;
}

static void print_layout(const char *what, const aic_spec *spec)
{
    aic_result_layout layout = aic_result_layout_init();
    if (aic_spec_result_layout(spec, NULL, &layout) == AIC_OK) {
        printf("%s: %s [", what, layout.name);
        for (int32_t d = 0; d < layout.rank; d++) {
            printf("%s%lld", d > 0 ? "," : "", (long long)layout.shape[d]);
        }
        printf("]\n");
    }
}

/* Both layers on a context of two threads. */
static aic_status run(images *m)
{
    const int64_t h = m->height, w = m->width;
    const int64_t kernel1[] = {1, K, K, MIDDLE, 4}, kernel2[] = {1, 1, 1, OUT, 32};
    aic_spec *first = NULL, *second = NULL;
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    options.threads = THREADS;
    aic_status status = aic_context_create(&options, &context);
    status = status == AIC_OK ? layer((const int64_t[]){1, h, w, 4}, kernel1, 1, scale1, &first) : status;
    status = status == AIC_OK ? layer((const int64_t[]){1, h, w, 32}, kernel2, 0, scale2, &second) : status;
    status = status == AIC_OK ? pack(m) : status;
    if (status == AIC_OK) {
        status = aic_jit_spec(context, first, (void *[]){m->middle, m->packed, packed1, NULL}, 4);
    }
    if (status == AIC_OK) {
        status = aic_jit_spec(context, second, (void *[]){m->out, m->middle, packed2, NULL}, 4);
    }
    aic_context_destroy(context);
    print_layout("between the layers", first);
    print_layout("behind them", second);
    aic_spec_destroy(first);
    aic_spec_destroy(second);
    return status;
}

/* ---- the same in plain loops ---- */

static int8_t quantise(int32_t sum, float scale)
{
    const float q = nearbyintf((sum < 0 ? 0.0F : (float)sum) * scale);
    return (int8_t)(q > 127 ? 127 : q);
}

static int8_t plain_middle(const images *m, int h, int w, int o)
{
    int32_t sum = 0;
    for (int c = 0; c < C; c++) {
        for (int tap = 0; tap < TAPS; tap++) {
            const int y = h + tap / K - 1, x = w + tap % K - 1;
            const bool inside = y >= 0 && y < m->height && x >= 0 && x < m->width;
            const int pixel = inside ? m->picture[(y * m->width + x) * C + c] - ZERO_POINT : 0;
            sum += pixel * weights1[(o * C + c) * TAPS + tap];
        }
    }
    return quantise(sum, scale1);
}

static int8_t plain_out(const int8_t *middle, int o)
{
    int32_t sum = 0;
    for (int c = 0; c < MIDDLE; c++) {
        sum += middle[c] * weights2[o * MIDDLE + c];
    }
    return quantise(sum, scale2);
}

static int count_differences(const images *m)
{
    int differences = 0;
    for (int at = 0; at < m->height * m->width; at++) {
        for (int o = 0; o < MIDDLE; o++) {
            differences += m->middle[at * MIDDLE + o] != plain_middle(m, at / m->width, at % m->width, o);
        }
        for (int o = 0; o < OUT; o++) {
            differences += m->out[at * OUT + o] != plain_out(m->middle + at * MIDDLE, o);
        }
    }
    return differences;
}

/* ---- pictures ---- */

static int fail(const char *what, const char *why)
{
    (void)fprintf(stderr, "network: %s: %s\n", what, why);
    return 2;
}

static int load(const char *path, images *m)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) {
        return fail(path, image.message);
    }
    image.format = PNG_FORMAT_RGB;
    m->height = (int)image.height, m->width = (int)image.width;
    const size_t pixels = (size_t)image.height * image.width;
    m->picture = calloc(pixels, C);
    m->packed = calloc(pixels, 4);
    m->middle = calloc(pixels, MIDDLE);
    m->out = calloc(pixels, OUT);
    if (m->picture == NULL || m->packed == NULL || m->middle == NULL || m->out == NULL) {
        png_image_free(&image);
        return fail(path, "memory ran out");
    }
    const png_color black = {0, 0, 0}; /* behind transparent parts */
    return png_image_finish_read(&image, &black, m->picture, 0, NULL) ? 0 : fail(path, image.message);
}

/* The strengths of the 16 orientations side by side, four in a row. */
static int save(const char *path, const images *m)
{
    enum { ACROSS = 4 };
    const int width = m->width * ACROSS, height = m->height * OUT / ACROSS;
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_GRAY};
    uint8_t *grey = malloc((size_t)width * (size_t)height);
    if (grey == NULL) {
        return fail(path, "memory ran out");
    }
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            const int o = y / m->height * ACROSS + x / m->width, at = y % m->height * m->width + x % m->width;
            grey[y * width + x] = (uint8_t)(2 * m->out[at * OUT + o]);
        }
    }
    const int written = png_image_write_to_file(&image, path, 0, grey, 0, NULL);
    free(grey);
    return written ? 0 : fail(path, image.message);
}

int main(int argc, char **argv)
{
    images m = {.height = 0};
    int status = argc == 2 || argc == 3 ? load(argv[1], &m) : fail("usage", "network PHOTOGRAPH.png [RESULT.png]");
    make_weights();
    if (status == 0 && run(&m) != AIC_OK) {
        status = fail("layers", aic_last_error());
    }
    if (status == 0) {
        const int differences = count_differences(&m);
        printf("%d x %d pixels, %d elements, %d differ from plain loops\n", m.width, m.height,
               m.height * m.width * (MIDDLE + OUT), differences);
        status = differences > 0;
    }
    if (status == 0 && argc == 3) {
        status = save(argv[2], &m);
    }
    free(m.picture);
    free(m.packed);
    free(m.middle);
    free(m.out);
    return status;
}
