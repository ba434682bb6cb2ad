/* How mmad makes one element of c (AscendC Fixpipe, section 7.4): blocks of K0 products. */
#include "frontend/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>

static int64_t up(int64_t size, int64_t block)
{
    return (size + block - 1) / block * block;
}

/* Element number of (r, c) in a matrix of blocks of 16 rows and `width` columns, the blocks of a row of `columns` one
 * after the other. */
static int64_t in_fractals(int64_t r, int64_t c, int64_t columns, int64_t width)
{
    return r / 16 * 16 * columns + c / width * 16 * width + r % 16 * width + c % width;
}

static int64_t a_index(const aic_mmad_desc *desc, int64_t i, int64_t kk, int64_t k0)
{
    const bool dense = desc->a_format == AIC_LAYOUT_ND || desc->m == 1;
    return dense ? i * desc->k + kk : in_fractals(i, kk, up(desc->k, k0), k0);
}

/* Zn: blocks of K0 rows; within a block of 16 columns a column's K0 elements follow each other. */
static int64_t b_index(const aic_mmad_desc *desc, int64_t kk, int64_t j, int64_t k0)
{
    return desc->b_format == AIC_LAYOUT_ND ? kk * desc->n + j : kk / k0 * k0 * up(desc->n, 16) + j * k0 + kk % k0;
}

/* Row and column of an element of c, which has some, so that m and n are not 0; false for those outside the matrix. */
static bool find(const aic_mmad_desc *desc, int64_t element, int64_t *i, int64_t *j)
{
    if (desc->k == 0) {
        return false;
    }
    if (desc->c_format == AIC_LAYOUT_ND) {
        *i = element / desc->n;
        *j = element % desc->n;
    } else {
        const int64_t column = up(desc->m, 16) * 16; /* elements of a block of 16 columns */
        *i = element % column / 16;
        *j = element / column * 16 + element % 16;
    }
    return *i < desc->m && *j < desc->n;
}

/* The factors of product number kk of element (i, j). */
static void load(aic_tracer *t, const aic_mmad_desc *desc, void *const operands[], const int64_t at[3],
                 uint64_t bits[2])
{
    const int64_t k0 = 32 / (int64_t)aic_dtype_size(desc->dtype);
    bits[0] = aic_trace_read(t, desc->dtype, operands[1], a_index(desc, at[0], at[2], k0));
    bits[1] = aic_trace_read(t, desc->dtype, operands[2], b_index(desc, at[2], at[1], k0));
}

static uint64_t add_up(aic_tracer *t, const aic_mmad_desc *desc, void *const operands[], int64_t i, int64_t j,
                       uint64_t old)
{
    const aic_dtype result = desc->dtype == AIC_INT8 ? AIC_INT32 : AIC_FLOAT32;
    const int64_t k0 = 32 / (int64_t)aic_dtype_size(desc->dtype), blocks = (desc->k + k0 - 1) / k0;
    aic_trace_sum sum;
    aic_trace_sum_begin(t, &sum, result, desc->accumulate, old, blocks, desc->k);
    for (int64_t k = 0; k < desc->k; k += k0) {
        const int64_t end = k + k0 < desc->k ? k + k0 : desc->k;
        for (int64_t kk = k; kk < end; kk++) {
            uint64_t bits[2];
            load(t, desc, operands, (const int64_t[]){i, j, kk}, bits);
            aic_trace_sum_add(t, &sum, desc->dtype, bits[0], bits[1]);
        }
        char what[64];
        snprintf(what, sizeof what, "k %" PRId64 "..%" PRId64, k, end - 1);
        aic_trace_sum_block(t, &sum, aic_trace_shows(t, k / k0, blocks) ? what : NULL);
    }
    return aic_trace_sum_end(t, &sum);
}

bool aic_trace_mmad(aic_tracer *t, const aic_mmad_desc *desc, void *const operands[], int64_t element, uint64_t *bits)
{
    int64_t i = 0, j = 0;
    if (!find(desc, element, &i, &j)) {
        return aic_trace_unwritten(t, "row %" PRId64 ", column %" PRId64 " is outside of %" PRId64 " x %" PRId64, i, j,
                                   desc->m, desc->n);
    }
    const aic_dtype dtype = desc->dtype == AIC_INT8 ? AIC_INT32 : AIC_FLOAT32;
    t->channel = j;
    aic_trace_put(t, "mmad, row %" PRId64 ", column %" PRId64 ":\n", i, j);
    const uint64_t old = desc->init_c ? 0 : aic_trace_old(t, dtype, operands[0], desc->l1out, element, j);
    *bits = add_up(t, desc, operands, i, j, old);
    if (dtype == AIC_FLOAT32) {
        *bits = aic_trace_narrow(t, AIC_FLOAT32, aic_trace_float(*bits));
    }
    return true;
}
