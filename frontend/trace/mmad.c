/* How mmad makes one element of c (AscendC Fixpipe, section 7.4): blocks of K0 products. */
#include "frontend/numeric/element.h"
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

/* Row and column of an element of c; false for those outside the matrix. */
static bool find(const aic_mmad_desc *desc, int64_t element, int64_t *i, int64_t *j)
{
    if (desc->k == 0 || desc->m == 0 || desc->n == 0) {
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

/* The factors of one product. */
static void load(const aic_mmad_desc *desc, void *const operands[], const int64_t at[3], uint64_t bits[2])
{
    const int64_t k0 = 32 / (int64_t)aic_dtype_size(desc->dtype);
    bits[0] = aic_trace_load(desc->dtype, operands[1], a_index(desc, at[0], at[2], k0));
    bits[1] = aic_trace_load(desc->dtype, operands[2], b_index(desc, at[2], at[1], k0));
}

static int64_t trace_int8(aic_sink *out, const aic_mmad_desc *desc, void *const operands[], int64_t i, int64_t j,
                          int64_t acc)
{
    enum { K0 = 32 };
    for (int64_t k = 0; k < desc->k; k += K0) {
        const int64_t end = k + K0 < desc->k ? k + K0 : desc->k;
        int64_t sum = 0;
        for (int64_t kk = k; kk < end; kk++) {
            uint64_t bits[2];
            load(desc, operands, (const int64_t[]){i, j, kk}, bits);
            sum += (int8_t)bits[0] * (int8_t)bits[1];
        }
        acc += sum;
        char what[64];
        snprintf(what, sizeof what, "k %" PRId64 "..%" PRId64, k, end - 1);
        aic_trace_step(out, what, "sum %" PRId64 ", acc %" PRId64, sum, acc);
    }
    return acc;
}

static float trace_float(aic_sink *out, const aic_mmad_desc *desc, void *const operands[], int64_t i, int64_t j,
                         aic_trace_sum *sum)
{
    const int64_t k0 = 32 / (int64_t)aic_dtype_size(desc->dtype);
    for (int64_t k = 0; k < desc->k; k += k0) {
        const int64_t end = k + k0 < desc->k ? k + k0 : desc->k;
        for (int64_t kk = k; kk < end; kk++) {
            uint64_t bits[2];
            load(desc, operands, (const int64_t[]){i, j, kk}, bits);
            aic_trace_sum_add(sum, aic_element_value(desc->dtype, &bits[0]) * aic_element_value(desc->dtype, &bits[1]));
        }
        char what[64];
        snprintf(what, sizeof what, "k %" PRId64 "..%" PRId64, k, end - 1);
        aic_trace_sum_block(out, sum, what);
    }
    return aic_trace_sum_end(out, sum);
}

bool aic_trace_mmad(aic_sink *out, const aic_mmad_desc *desc, const aic_semantics *semantics, void *const operands[],
                    int64_t element, uint64_t *bits)
{
    int64_t i, j;
    if (!find(desc, element, &i, &j)) {
        return false;
    }
    const aic_dtype dtype = desc->dtype == AIC_INT8 ? AIC_INT32 : AIC_FLOAT32;
    char what[96];
    snprintf(what, sizeof what, "mmad, row %" PRId64 ", column %" PRId64 ":\n", i, j);
    aic_sink_put(out, what);
    uint64_t old = 0;
    if (!desc->init_c) {
        const bool channel = desc->l1out == AIC_L1OUT_CHANNEL;
        old = aic_trace_load(dtype, operands[0], channel ? j : element);
        aic_trace_step(out, channel ? "l1out" : "old c", "%s", aic_trace_element(dtype, old).text);
    }
    if (dtype == AIC_INT32) {
        const int64_t exact = trace_int8(out, desc, operands, i, j, (int32_t)old);
        *bits = (uint32_t)aic_trace_int32(out, semantics->int_overflow, exact);
    } else {
        aic_trace_sum sum = aic_trace_sum_begin(semantics->sum, aic_trace_float(old));
        const float acc = trace_float(out, desc, operands, i, j, &sum);
        *bits = aic_trace_narrow(out, AIC_FLOAT32, semantics->overflow, acc);
    }
    return true;
}
