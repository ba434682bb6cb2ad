/* The bound of accumulate=winograd, by the formulas of winograd.h. */
#include "frontend/reference/winograd.h"
#include "frontend/reference/value.h"

#include <math.h>

enum { WINDOW = AIC_WINOGRAD_WINDOW, TILE = AIC_WINOGRAD_TILE, TAPS = 3, CELLS = WINDOW * WINDOW };

/* The matrices, those of m = 2 first. */
#define NUMBER(m) ((m) / 4)
static const signed char A[2][TILE][WINDOW] = {
#define AIC_WINOGRAD_A(m, row, ...) [NUMBER(m)][row] = {__VA_ARGS__},
#include <aic/winograd.def>
#undef AIC_WINOGRAD_A
};
static const signed char B[2][WINDOW][WINDOW] = {
#define AIC_WINOGRAD_B(m, row, ...) [NUMBER(m)][row] = {__VA_ARGS__},
#include <aic/winograd.def>
#undef AIC_WINOGRAD_B
};
static const signed char G[2][WINDOW][TAPS] = {
#define AIC_WINOGRAD_G(m, row, ...) [NUMBER(m)][row] = {__VA_ARGS__},
#include <aic/winograd.def>
#undef AIC_WINOGRAD_G
};
static const int DENOMINATOR[2] = {
#define AIC_WINOGRAD_DENOMINATOR(m, number) [NUMBER(m)] = (number),
#include <aic/winograd.def>
#undef AIC_WINOGRAD_DENOMINATOR
};

bool aic_winograd_applies(const aic_conv2d_desc *desc)
{
    return desc->accumulate == AIC_ACCUMULATE_WINOGRAD && desc->dtype == AIC_FLOAT16 && desc->groups == 1 &&
           desc->kernel_shape[1] == TAPS && desc->kernel_shape[2] == TAPS && desc->stride[0] == 1 &&
           desc->stride[1] == 1 && desc->dilation[0] == 1 && desc->dilation[1] == 1;
}

/* A matrix: rows of `pitch` entries. */
typedef struct matrix {
    const signed char *entry;
    int rows, columns, pitch;
} matrix;

/* |M| x |M^T|, of magnitudes x in rows of WINDOW; the result, too. A 0 times something infinite or NaN is NaN: nothing
 * that is not finite gets lost. */
static void transform(const matrix *by, const double x[CELLS], double result[CELLS])
{
    double half[CELLS];
    for (int i = 0; i < by->rows; i++) {
        for (int j = 0; j < by->columns; j++) {
            double sum = 0;
            for (int k = 0; k < by->columns; k++) {
                sum += fabs((double)by->entry[i * by->pitch + k]) * x[k * WINDOW + j];
            }
            half[i * WINDOW + j] = sum;
        }
    }
    for (int i = 0; i < by->rows; i++) {
        for (int j = 0; j < by->rows; j++) {
            double sum = 0;
            for (int k = 0; k < by->columns; k++) {
                sum += half[i * WINDOW + k] * fabs((double)by->entry[j * by->pitch + k]);
            }
            result[i * WINDOW + j] = sum;
        }
    }
}

/* What all channels of a tile have in common. */
typedef struct tile {
    const aic_conv2d_desc *desc;
    const uint16_t *feature_map, *weight;
    double pad_value;    /* its magnitude, rounded to half */
    int64_t row, column; /* of the window's first pixel in the image; negative: in the padding */
    int side;            /* of the window */
    int64_t co;
} tile;

static double pixel(const tile *t, int64_t channel, int64_t row, int64_t column)
{
    const int64_t c0 = t->desc->fm_shape[3], height = t->desc->fm_shape[1], width = t->desc->fm_shape[2];
    if (row >= 0 && row < height && column >= 0 && column < width) {
        const int64_t cell = ((channel / c0 * height + row) * width + column) * c0 + channel % c0;
        return fabs(aic_reference_value(AIC_FLOAT16, &t->feature_map[cell]));
    }
    return row < height + t->desc->pad[3] && column < width + t->desc->pad[1] ? t->pad_value : 0;
}

/* |x_c|, |w_c| of a channel. */
static void read_channel(const tile *t, int64_t channel, double x[CELLS], double w[CELLS])
{
    const int64_t c0 = t->desc->fm_shape[3], cout = t->desc->kernel_shape[3];
    for (int i = 0; i < t->side; i++) {
        for (int j = 0; j < t->side; j++) {
            x[i * WINDOW + j] = pixel(t, channel, t->row + i, t->column + j);
        }
    }
    for (int i = 0; i < TAPS; i++) {
        for (int j = 0; j < TAPS; j++) {
            const int64_t cell = (((channel / c0 * TAPS + i) * TAPS + j) * cout + t->co) * c0 + channel % c0;
            w[i * WINDOW + j] = fabs(aic_reference_value(AIC_FLOAT16, &t->weight[cell]));
        }
    }
}

void aic_winograd_magnitudes(const aic_conv2d_desc *desc, void *const operands[], int m, const int64_t first[2],
                             int64_t co, double magnitude[TILE * TILE])
{
    const uint16_t pad_value = aic_reference_float16(desc->pad_value, AIC_OVERFLOW_IEEE);
    const tile t = {.desc = desc,
                    .feature_map = operands[1],
                    .weight = operands[2],
                    .pad_value = fabs(aic_reference_value(AIC_FLOAT16, &pad_value)),
                    .row = first[0] - desc->pad[2],
                    .column = first[1] - desc->pad[0],
                    .side = m + TAPS - 1,
                    .co = co};
    const matrix a = {&A[NUMBER(m)][0][0], m, t.side, WINDOW}, b = {&B[NUMBER(m)][0][0], t.side, t.side, WINDOW},
                 g = {&G[NUMBER(m)][0][0], t.side, TAPS, TAPS};
    double sum[CELLS] = {0};
    for (int64_t channel = 0; channel < desc->fm_shape[0] * desc->fm_shape[3]; channel++) {
        double x[CELLS], w[CELLS], v[CELLS], u[CELLS];
        read_channel(&t, channel, x, w);
        transform(&b, x, v);
        transform(&g, w, u);
        for (int i = 0; i < t.side * WINDOW; i++) {
            sum[i] += i % WINDOW < t.side ? u[i] * v[i] : 0;
        }
    }
    double result[CELLS];
    transform(&a, sum, result);
    for (int i = 0; i < m * TILE; i++) {
        const double square = DENOMINATOR[NUMBER(m)] * DENOMINATOR[NUMBER(m)];
        magnitude[i] = i % TILE < m ? result[i / TILE * WINDOW + i % TILE] / square : 0;
    }
}

/* The most non-zero entries of a row. */
static int most(const matrix *of)
{
    int result = 0;
    for (int i = 0; i < of->rows; i++) {
        int count = 0;
        for (int j = 0; j < of->columns; j++) {
            count += of->entry[i * of->pitch + j] != 0;
        }
        result = count > result ? count : result;
    }
    return result;
}

/* In double: transforms of magnitudes of half and of the weights' integers are exact; a product, the sum over channels,
 * twelve steps of the output transform, and less than twenty here, are each at most 2^-53 too small. */
double aic_winograd_bound(int m, int64_t channels, double magnitude, double initial)
{
    if (!isfinite(magnitude) || !isfinite(initial)) {
        return 0;
    }
    const int side = m + TAPS - 1;
    const matrix a = {&A[NUMBER(m)][0][0], m, side, WINDOW}, b = {&B[NUMBER(m)][0][0], side, side, WINDOW};
    const double u = 0x1p-24, k = (double)(channels + 2 * most(&a) + 2 * most(&b) + 3);
    const double bound = k * u / (1 - k * u) * magnitude + u * (fabs(initial) + magnitude);
    return bound * (1 + (double)(channels + 64) * 0x1p-52);
}

double aic_winograd_bound_at(const aic_conv2d_desc *desc, void *const operands[], int64_t row, int64_t column,
                             int64_t co, double initial)
{
    double bound = 0;
    for (int m = 2; m <= TILE; m += 2) {
        double magnitude[TILE * TILE];
        const int64_t first[2] = {row / m * m, column / m * m};
        aic_winograd_magnitudes(desc, operands, m, first, co, magnitude);
        const double own = magnitude[row % m * TILE + column % m];
        bound = fmax(bound, aic_winograd_bound(m, desc->fm_shape[0] * desc->fm_shape[3], own, initial));
    }
    return bound;
}
