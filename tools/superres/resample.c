/* A pixel is a square of which the middle is sampled: pixel x of a picture 1/s times as large lies at (x + 0.5) * s. */
#include "tools/superres/resample.h"

#include "tools/harness/fail.h"

#include <math.h>
#include <stddef.h>

enum { COLOURS = 3, SCALE = 4, TAPS = 4 };

static const uint8_t *pixel(const picture *p, int x, int y)
{
    x = x < 0 ? 0 : x >= p->width ? p->width - 1 : x;
    y = y < 0 ? 0 : y >= p->height ? p->height - 1 : y;
    return p->rgb + ((size_t)y * (size_t)p->width + (size_t)x) * COLOURS;
}

static uint8_t to_byte(double value)
{
    return value <= 0 ? 0 : value >= 255 ? 255 : (uint8_t)lround(value);
}

/* The mean of the square of `side` pixels at (x, y), of which the outer ones are in it by a part. */
static void average(const picture *in, double x, double y, double side, uint8_t rgb[COLOURS])
{
    double sum[COLOURS] = {0}, area = 0;
    for (int row = (int)y; row < y + side && row < in->height; row++) {
        const double height = fmin(row + 1, y + side) - fmax(row, y);
        for (int column = (int)x; column < x + side && column < in->width; column++) {
            const double part = height * (fmin(column + 1, x + side) - fmax(column, x));
            area += part;
            for (int c = 0; c < COLOURS; c++) {
                sum[c] += part * pixel(in, column, row)[c];
            }
        }
    }
    for (int c = 0; c < COLOURS; c++) {
        rgb[c] = to_byte(sum[c] / area);
    }
}

int resample_fit(picture *out, const picture *in, int width, int height)
{
    const double side = fmin((double)in->width / width, (double)in->height / height);
    if (side < 1) {
        return cli_fail(CLI_WRONG, "the picture has %d x %d pixels, fewer than %d x %d", in->width, in->height, width,
                        height);
    }
    const double left = (in->width - side * width) / 2, top = (in->height - side * height) / 2;
    const int status = picture_new(out, width, height);
    for (int i = 0; status == CLI_DONE && i < width * height; i++) {
        average(in, left + i % width * side, top + i / width * side, side, out->rgb + (size_t)i * COLOURS);
    }
    return status;
}

int resample_nearest(picture *out, const picture *in)
{
    const int status = picture_new(out, in->width * SCALE, in->height * SCALE);
    for (int y = 0; status == CLI_DONE && y < out->height; y++) {
        for (int x = 0; x < out->width; x++) {
            uint8_t *to = out->rgb + ((size_t)y * (size_t)out->width + (size_t)x) * COLOURS;
            for (int c = 0; c < COLOURS; c++) {
                to[c] = pixel(in, x / SCALE, y / SCALE)[c];
            }
        }
    }
    return status;
}

/* Weights of the four pixels around a point that is `t` behind the second. */
static void catmull_rom(double t, double weight[TAPS])
{
    weight[0] = ((-0.5 * t + 1) * t - 0.5) * t;
    weight[1] = (1.5 * t - 2.5) * t * t + 1;
    weight[2] = ((-1.5 * t + 2) * t + 0.5) * t;
    weight[3] = (0.5 * t - 0.5) * t * t;
}

int resample_bicubic(picture *out, const picture *in)
{
    const int status = picture_new(out, in->width * SCALE, in->height * SCALE);
    for (int y = 0; status == CLI_DONE && y < out->height; y++) {
        const double v = (y + 0.5) / SCALE - 0.5;
        double down[TAPS];
        catmull_rom(v - floor(v), down);
        for (int x = 0; x < out->width; x++) {
            const double u = (x + 0.5) / SCALE - 0.5;
            double across[TAPS], sum[COLOURS] = {0};
            catmull_rom(u - floor(u), across);
            for (int i = 0; i < TAPS * TAPS; i++) {
                const uint8_t *from = pixel(in, (int)floor(u) - 1 + i % TAPS, (int)floor(v) - 1 + i / TAPS);
                for (int c = 0; c < COLOURS; c++) {
                    sum[c] += across[i % TAPS] * down[i / TAPS] * from[c];
                }
            }
            for (int c = 0; c < COLOURS; c++) {
                out->rgb[((size_t)y * (size_t)out->width + (size_t)x) * COLOURS + (size_t)c] = to_byte(sum[c]);
            }
        }
    }
    return status;
}
