/* mmad's plain-C reference: the formulas of AscendC Fixpipe. */
#include "frontend/core/diag.h"
#include "frontend/reference/reference.h"
#include "frontend/reference/sum.h"
#include "frontend/reference/value.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* K0: elements in 32 bytes. */
static int64_t k0_of(const aic_mmad_desc *desc)
{
    return 32 / (int64_t)aic_dtype_size(desc->dtype);
}

static int64_t blocks(int64_t size, int64_t block)
{
    return (size + block - 1) / block;
}

/* Element index of A(i,kk). One row is dense in either format. */
static int64_t a_cell(const aic_mmad_desc *desc, int64_t i, int64_t kk)
{
    const int64_t k0 = k0_of(desc);
    if (desc->a_format == AIC_LAYOUT_ND || desc->m == 1) {
        return i * desc->k + kk;
    }
    return ((i / 16 * blocks(desc->k, k0) + kk / k0) * 16 + i % 16) * k0 + kk % k0;
}

/* Element index of B(kk,j). */
static int64_t b_cell(const aic_mmad_desc *desc, int64_t kk, int64_t j)
{
    const int64_t k0 = k0_of(desc);
    if (desc->b_format == AIC_LAYOUT_ND) {
        return kk * desc->n + j;
    }
    return ((kk / k0 * blocks(desc->n, 16) + j / 16) * 16 + j % 16) * k0 + kk % k0;
}

/* Element index of C(i,j). */
static int64_t c_cell(const aic_mmad_desc *desc, int64_t i, int64_t j)
{
    if (desc->c_format == AIC_LAYOUT_ND) {
        return i * desc->n + j;
    }
    return ((j / 16 * blocks(desc->m, 16) + i / 16) * 16 + i % 16) * 16 + j % 16;
}

/* The matrices as factors: the rows of A, the columns of B. */
typedef struct factors {
    unsigned char *a; /* [m][k] */
    unsigned char *b; /* [n][k] */
} factors;

static void free_factors(factors *in)
{
    free(in->a);
    free(in->b);
}

/* No size is 0. */
static aic_status make_factors(const aic_mmad_desc *desc, void *const operands[], factors *in)
{
    const size_t m = (size_t)desc->m, n = (size_t)desc->n,
                 row = (size_t)desc->k * aic_reference_factor_size(desc->dtype);
    in->a = malloc(m * row);
    in->b = malloc(n * row);
    if (!in->a || !in->b) {
        free_factors(in);
        return aic_fail_memory("mmad", (m + n) * row);
    }
    for (int64_t kk = 0; kk < desc->k; kk++) {
        for (int64_t i = 0; i < desc->m; i++) {
            aic_reference_make_factor(desc->dtype, operands[1], a_cell(desc, i, kk), in->a, i * desc->k + kk);
        }
        for (int64_t j = 0; j < desc->n; j++) {
            aic_reference_make_factor(desc->dtype, operands[2], b_cell(desc, kk, j), in->b, j * desc->k + kk);
        }
    }
    return AIC_OK;
}

/* Section 6.4. */
static double overflow(const aic_semantics *semantics, double value)
{
    if (semantics->overflow == AIC_OVERFLOW_IEEE || isfinite(value)) {
        return value;
    }
    return isnan(value) ? 0 : copysign((double)FLT_MAX, value);
}

/* What is to be found out of every element of C. */
typedef struct request {
    const aic_mmad_desc *desc;
    const aic_semantics *semantics;
    void *const *operands;
    aic_allowed *allowed; /* of aic_mmad_reference_allowed() */
} request;

/* Visits every element of C with its index in memory. */
static aic_status walk(const request *r, void (*visit)(const request *r, const aic_reference_products *p, int64_t cell))
{
    const aic_mmad_desc *desc = r->desc;
    if (desc->m == 0 || desc->n == 0 || desc->k == 0) {
        return AIC_OK;
    }
    const int64_t row = desc->k * (int64_t)aic_reference_factor_size(desc->dtype);
    factors in;
    aic_status status = make_factors(desc, r->operands, &in);
    if (status != AIC_OK) {
        return status;
    }
    for (int64_t i = 0; i < desc->m; i++) {
        for (int64_t j = 0; j < desc->n; j++) {
            const aic_reference_products p = {in.a + i * row, in.b + j * row, desc->k, k0_of(desc)};
            visit(r, &p, c_cell(desc, i, j));
        }
    }
    free_factors(&in);
    return AIC_OK;
}

static void store(const request *r, const aic_reference_products *p, int64_t cell)
{
    const bool old = !r->desc->init_c;
    if (r->desc->dtype == AIC_INT8) {
        int32_t *c = (int32_t *)r->operands[0] + cell;
        *c = aic_reference_add_int8(p, r->semantics->int_overflow, old ? *c : 0);
    } else {
        float *c = (float *)r->operands[0] + cell;
        const float sum = aic_reference_add_float(p, r->desc->accumulate, r->semantics->sum, old ? *c : 0);
        *c = aic_reference_sum((float)overflow(r->semantics, (double)sum));
    }
}

aic_status aic_mmad_reference(const void *descriptor, const aic_semantics *semantics, void *const operands[])
{
    const request r = {.desc = descriptor, .semantics = semantics, .operands = operands};
    return walk(&r, store);
}

static void allow(const request *r, const aic_reference_products *p, int64_t cell)
{
    const float *c = r->operands[0];
    const aic_exact_sum sum = aic_reference_add_exactly(p, r->desc->init_c ? 0 : c[cell]);
    aic_allowed *allowed = &r->allowed[cell];
    *allowed = aic_exact_allowed(&sum, r->desc->k, 0);
    allowed->exact = overflow(r->semantics, allowed->exact);
    allowed->low = overflow(r->semantics, allowed->low);
    allowed->high = overflow(r->semantics, allowed->high);
    for (int i = 0; i < allowed->others; i++) {
        allowed->other[i] = overflow(r->semantics, allowed->other[i]);
    }
}

/* Cells that keep their value: those outside m x n, and all when a size is 0. */
static void allow_untouched(const aic_mmad_desc *desc, const float *c, aic_allowed *allowed)
{
    const int64_t cells =
        desc->c_format == AIC_LAYOUT_ND ? desc->m * desc->n : blocks(desc->m, 16) * blocks(desc->n, 16) * 16 * 16;
    for (int64_t cell = 0; cell < cells; cell++) {
        allowed[cell] = aic_allowed_within((double)c[cell], 0);
    }
}

aic_status aic_mmad_reference_allowed(const void *descriptor, const aic_semantics *semantics, void *const operands[],
                                      aic_allowed *allowed)
{
    const request r = {.desc = descriptor, .semantics = semantics, .operands = operands, .allowed = allowed};
    allow_untouched(descriptor, operands[0], allowed);
    return walk(&r, allow);
}
