/* Taps that read only padding. If the padding is 0, such taps add nothing to integer sums, nor to float sums as long as
 * no weight is infinite or NaN; the head of a panel notes whether it has such weights. A tile leaves out the kernel
 * rows and kernel columns that lie in the padding for all of its pixels. The others are a range of rows and a range of
 * columns, the same for every panel and never empty. With edges the pixels of a tile's first column also leave out the
 * kernel columns that lie left of the image for them, and those of its last column those right of it: in an image of
 * seven columns and a kernel of three, 2 of 21 products. */
#pragma once

#include "codegen/contraction/plan/geometry.h"

typedef struct aic_padding {
    bool rows, columns; /* tiles leave out kernel rows, columns */
    bool edges; /* pixels in the first and in the last column of a tile leave out more columns; then so do tiles */
    /* The mean share of kernel rows and columns that tiles do not leave out: [0] of the larger tiles, [1] of the
     * smaller ones. */
    double done_rows[2], done_columns[2];
} aic_padding;

/* Whether some of the kernel's taps read padding and may be left out. An image of another size, or another schedule,
 * may be worth that where this one is not. */
bool aic_padding_matters(const aic_contraction *c, aic_sum sum);

/* Decides whether tiles leave out taps, and whether pixels at their edges do: where that saves more than the share
 * `edges` of all products, 0: never. `kpacks` are those of all taps. */
aic_padding aic_padding_make(const aic_contraction *c, const aic_plan_geometry *g, int64_t kpacks, double edges);

/* The share of the taps that tiles of a size do. */
double aic_padding_done(const aic_padding *p, const aic_plan_geometry *g, int64_t rows, int64_t cols);

/* The share that would be left if every pixel left out all taps that read padding, if this kind of sum allows that. */
double aic_padding_share(const aic_contraction *c, aic_sum sum);
