/* Planes with a border of zeros around them; each tap of a kernel adds a shifted plane. */
#include "tools/superres/plain.h"

#include "tools/harness/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Planes of (height + 2) x (width + 2). */
typedef struct planes {
    size_t width, height, line, plane;
} planes;

static void add_tap(const planes *s, float *restrict to, const float *restrict from, float weight)
{
    for (size_t y = 0; y < s->height; y++) {
        for (size_t x = 0; x < s->width; x++) {
            to[y * s->line + x] += weight * from[y * s->line + x];
        }
    }
}

static void convolve(const planes *s, const network_layer *l, const float *in, float *out)
{
    memset(out, 0, (size_t)l->out * s->plane * sizeof *out);
    for (size_t o = 0; o < (size_t)l->out; o++) {
        float *to = out + o * s->plane + s->line + 1;
        for (size_t i = 0; i < (size_t)l->in * NETWORK_TAPS; i++) {
            const size_t tap = i % NETWORK_TAPS;
            const float *from = in + i / NETWORK_TAPS * s->plane + tap / NETWORK_SIDE * s->line + tap % NETWORK_SIDE;
            add_tap(s, to, from, l->weights[o * (size_t)l->in * NETWORK_TAPS + i]);
        }
        for (size_t at = 0; at < s->width * s->height; at++) {
            float *value = &to[at / s->width * s->line + at % s->width];
            *value += l->bias[o];
            *value *= l->slope != NULL && *value < 0 ? l->slope[o] : 1;
        }
    }
}

static float *at_pixel(const planes *s, float *all, size_t channel, size_t y, size_t x)
{
    return &all[channel * s->plane + (y + 1) * s->line + x + 1];
}

static void shuffle(const planes *s, float *last, const picture *in, float *values)
{
    const size_t width = s->width * NETWORK_SCALE;
    for (size_t i = 0; i < s->height * NETWORK_SCALE * width; i++) {
        const size_t y = i / width, x = i % width, sub = y % NETWORK_SCALE * NETWORK_SCALE + x % NETWORK_SCALE;
        const size_t row = y / NETWORK_SCALE, column = x / NETWORK_SCALE;
        for (size_t c = 0; c < NETWORK_COLOURS; c++) {
            values[i * NETWORK_COLOURS + c] = *at_pixel(s, last, c * NETWORK_SUBPIXELS + sub, row, column) +
                                              (float)in->rgb[(row * s->width + column) * NETWORK_COLOURS + c] / 255;
        }
    }
}

int plain_enlarge(const network *n, const picture *in, float *values)
{
    planes s = {.width = (size_t)in->width, .height = (size_t)in->height, .line = (size_t)in->width + 2};
    s.plane = s.line * (s.height + 2);
    size_t most = NETWORK_OUT;
    for (int i = 0; i < n->count; i++) {
        most = (size_t)n->layer[i].out > most ? (size_t)n->layer[i].out : most;
    }
    float *a = calloc(most * s.plane, sizeof *a), *b = calloc(most * s.plane, sizeof *b);
    if (a == NULL || b == NULL) {
        free(a);
        free(b);
        return cli_fail_memory("the network in plain C", most * s.plane * sizeof *a);
    }
    for (size_t i = 0; i < s.width * s.height * NETWORK_COLOURS; i++) {
        const size_t pixel = i / NETWORK_COLOURS;
        *at_pixel(&s, a, i % NETWORK_COLOURS, pixel / s.width, pixel % s.width) = (float)in->rgb[i] / 255;
    }
    for (int i = 0; i < n->count; i++) {
        convolve(&s, &n->layer[i], a, b);
        float *swap = a;
        a = b, b = swap;
    }
    shuffle(&s, a, in, values);
    free(a);
    free(b);
    return CLI_DONE;
}

double psnr(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double d = (double)a[i] - (double)b[i];
        sum += d * d;
    }
    return sum > 0 ? 10 * log10((double)count / sum) : (double)INFINITY;
}
