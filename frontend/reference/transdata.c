/* transdata's plain-C reference: every element by the index formulas of its two layouts (data layouts). */
#include "frontend/reference/reference.h"

#include <string.h>

enum { RANK = 4 };

/* A matrix [R,C], feature maps [N,C,H,W] or weights [O,I,H,W]; sizes and indices of elements are in that order. */
typedef struct tensor {
    int64_t size[RANK]; /* 1 past its rank */
    int64_t c0;         /* elements in 32 bytes */
    int64_t word;       /* elements in 4 bytes */
} tensor;

static int64_t blocks(int64_t size, int64_t block)
{
    return (size + block - 1) / block;
}

/* ---- matrices, cut into fractals of R0 rows and C0 columns ---- */

typedef struct fractal {
    int64_t R0, C0, R1, C1, r0, c0, r1, c1;
} fractal;

static fractal fractal_of(const tensor *t, int64_t R0, int64_t C0, const int64_t at[RANK])
{
    return (fractal){.R0 = R0,
                     .C0 = C0,
                     .R1 = blocks(t->size[0], R0),
                     .C1 = blocks(t->size[1], C0),
                     .r0 = at[0] % R0,
                     .c0 = at[1] % C0,
                     .r1 = at[0] / R0,
                     .c1 = at[1] / C0};
}

static int64_t nd(const tensor *t, const int64_t at[RANK])
{
    return at[0] * t->size[1] + at[1];
}

static int64_t nz(const tensor *t, const int64_t at[RANK])
{
    const fractal f = fractal_of(t, 16, t->c0, at);
    return ((f.c1 * f.R1 + f.r1) * f.R0 + f.r0) * f.C0 + f.c0;
}

static int64_t zz(const tensor *t, const int64_t at[RANK])
{
    const fractal f = fractal_of(t, 16, t->c0, at);
    return ((f.r1 * f.C1 + f.c1) * f.R0 + f.r0) * f.C0 + f.c0;
}

static int64_t zn(const tensor *t, const int64_t at[RANK])
{
    const fractal f = fractal_of(t, t->c0, 16, at);
    return ((f.r1 * f.C1 + f.c1) * f.C0 + f.c0) * f.R0 + f.r0;
}

static int64_t nn(const tensor *t, const int64_t at[RANK])
{
    const fractal f = fractal_of(t, t->c0, 16, at);
    return ((f.c1 * f.R1 + f.r1) * f.C0 + f.c0) * f.R0 + f.r0;
}

/* ---- feature maps and weights ---- */

/* NCHW, OIHW */
static int64_t plain(const tensor *t, const int64_t at[RANK])
{
    return ((at[0] * t->size[1] + at[1]) * t->size[2] + at[2]) * t->size[3] + at[3];
}

static int64_t nhwc(const tensor *t, const int64_t at[RANK])
{
    return ((at[0] * t->size[2] + at[2]) * t->size[3] + at[3]) * t->size[1] + at[1];
}

static int64_t nc1hwc0(const tensor *t, const int64_t at[RANK])
{
    const int64_t C1 = blocks(t->size[1], t->c0), c1 = at[1] / t->c0, c0 = at[1] % t->c0;
    return (((at[0] * C1 + c1) * t->size[2] + at[2]) * t->size[3] + at[3]) * t->c0 + c0;
}

/* 4N, 2N: one lane, rows of channels and batches without gaps */
static int64_t batches(const tensor *t, const int64_t at[RANK])
{
    const int64_t n1 = at[0] / t->word, n0 = at[0] % t->word;
    return (((n1 * t->size[1] + at[1]) * t->size[2] + at[2]) * t->size[3] + at[3]) * t->word + n0;
}

static int64_t hwio(const tensor *t, const int64_t at[RANK])
{
    return ((at[2] * t->size[3] + at[3]) * t->size[1] + at[1]) * t->size[0] + at[0];
}

/* conv2d's weight: output channels come in sixteens. */
static int64_t fractal_z(const tensor *t, const int64_t at[RANK])
{
    const int64_t outputs = blocks(t->size[0], 16) * 16, c1 = at[1] / t->c0, c0 = at[1] % t->c0;
    return (((c1 * t->size[2] + at[2]) * t->size[3] + at[3]) * outputs + at[0]) * t->c0 + c0;
}

/* ---- layouts ---- */

static const char matrix[] = "RC", features[] = "NCHW", weights[] = "OIHW";

typedef struct layout_row {
    const char *tensor; /* whose elements it holds */
    const char *order;  /* of its dimensions; NULL: it has blocks */
    bool padded;        /* cells without an element become 0; else they keep their value */
    int64_t (*cell)(const tensor *t, const int64_t at[RANK]);
} layout_row;

static const layout_row layouts[] = {
    [AIC_LAYOUT_ND] = {matrix, "RC", false, nd},
    [AIC_LAYOUT_NZ] = {matrix, NULL, true, nz},
    [AIC_LAYOUT_ZZ] = {matrix, NULL, true, zz},
    [AIC_LAYOUT_ZN] = {matrix, NULL, true, zn},
    [AIC_LAYOUT_NN] = {matrix, NULL, true, nn},
    [AIC_LAYOUT_NCHW] = {features, "NCHW", false, plain},
    [AIC_LAYOUT_NHWC] = {features, "NHWC", false, nhwc},
    [AIC_LAYOUT_NC1HWC0] = {features, NULL, true, nc1hwc0},
    [AIC_LAYOUT_OIHW] = {weights, "OIHW", false, plain},
    [AIC_LAYOUT_HWIO] = {weights, "HWIO", false, hwio},
    [AIC_LAYOUT_FRACTAL_Z] = {weights, NULL, true, fractal_z},
    [AIC_LAYOUT_4N] = {features, NULL, false, batches},
    [AIC_LAYOUT_2N] = {features, NULL, false, batches},
};

/* The descriptor's shape is in the order of the layout without blocks, the source's if both are, or the tensor's. */
static tensor tensor_of(const aic_transdata_desc *desc)
{
    const layout_row *src = &layouts[desc->src], *dst = &layouts[desc->dst];
    const char *order = src->order ? src->order : dst->order ? dst->order : src->tensor;
    const int64_t size = (int64_t)aic_dtype_size(desc->dtype);
    tensor t = {.size = {1, 1, 1, 1}, .c0 = 32 / size, .word = 4 / size};
    for (int i = 0; order[i] != '\0'; i++) {
        t.size[strchr(src->tensor, order[i]) - src->tensor] = desc->shape[i];
    }
    return t;
}

/* The next element, the last dimension first; false after the last one. */
static bool advance(const tensor *t, int64_t at[RANK])
{
    for (int d = RANK - 1; d >= 0; d--) {
        if (++at[d] < t->size[d]) {
            return true;
        }
        at[d] = 0;
    }
    return false;
}

/* Cells of a padded layout: every dimension that is cut into blocks is whole. */
static int64_t padded_cells(const tensor *t, aic_layout layout)
{
    const int64_t *size = t->size;
    switch (layout) {
    case AIC_LAYOUT_NZ:
    case AIC_LAYOUT_ZZ:
        return blocks(size[0], 16) * 16 * blocks(size[1], t->c0) * t->c0;
    case AIC_LAYOUT_ZN:
    case AIC_LAYOUT_NN:
        return blocks(size[0], t->c0) * t->c0 * blocks(size[1], 16) * 16;
    case AIC_LAYOUT_NC1HWC0:
        return size[0] * blocks(size[1], t->c0) * size[2] * size[3] * t->c0;
    case AIC_LAYOUT_FRACTAL_Z:
        return blocks(size[1], t->c0) * size[2] * size[3] * blocks(size[0], 16) * 16 * t->c0;
    default:
        return 0;
    }
}

aic_status aic_transdata_reference(const void *descriptor, const aic_semantics *semantics, void *const operands[])
{
    (void)semantics;
    const aic_transdata_desc *desc = descriptor;
    const tensor t = tensor_of(desc);
    const layout_row *dst = &layouts[desc->dst], *src = &layouts[desc->src];
    const int64_t size = (int64_t)aic_dtype_size(desc->dtype);
    unsigned char *to = operands[0];
    const unsigned char *from = operands[1];
    int64_t at[RANK] = {0};
    if (dst->padded) {
        memset(to, 0, (size_t)(padded_cells(&t, desc->dst) * size));
    }
    do {
        memcpy(to + dst->cell(&t, at) * size, from + src->cell(&t, at) * size, (size_t)size);
    } while (advance(&t, at));
    return AIC_OK;
}
