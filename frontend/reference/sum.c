/* Sums of products; see sum.h. */
#include "frontend/reference/sum.h"

#include "frontend/reference/value.h"

size_t aic_reference_factor_size(aic_dtype dtype)
{
    return dtype == AIC_INT8 ? sizeof(int8_t) : sizeof(double);
}

void aic_reference_make_factor(aic_dtype dtype, const void *operand, int64_t element, void *factors, int64_t factor)
{
    if (dtype == AIC_INT8) {
        ((int8_t *)factors)[factor] = ((const int8_t *)operand)[element];
    } else {
        ((double *)factors)[factor] = aic_reference_element(dtype, operand, element);
    }
}

/* Products of at most 2^14 each: 2^16 of them fit in 32 bits, and in 64 bits at most 4096*255*255 as conv2d has. */
int32_t aic_reference_add_int8(const aic_reference_products *p, aic_int_overflow overflow, int32_t initial)
{
    const int8_t *a = p->a, *b = p->b;
    int64_t sum = initial;
    for (int64_t first = 0; first < p->count; first += 1 << 16) {
        const int64_t last = p->count - first < 1 << 16 ? p->count : first + (1 << 16);
        int32_t part = 0;
        for (int64_t k = first; k < last; k++) {
            part += a[k] * b[k];
        }
        sum += part;
    }
    if (overflow == AIC_INT_OVERFLOW_WRAP) {
        return (int32_t)((sum & UINT32_MAX) - ((sum & INT64_C(0x80000000)) << 1));
    }
    return (int32_t)(sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum);
}

/* The block model. The last block may be shorter: the zero products that complete it do not change its sum, which is
 * never -0. */
static float add_blocks(const aic_reference_products *p, float acc)
{
    const double *a = p->a, *b = p->b;
    for (int64_t block = 0; block < p->count; block += p->block) {
        const int64_t end = block + p->block < p->count ? block + p->block : p->count;
        double sum = 0;
        for (int64_t k = block; k < end; k++) {
            sum = sum + a[k] * b[k];
        }
        acc = (float)((double)acc + sum);
    }
    return acc;
}

/* One float32 accumulator, every product and every sum rounded. */
static float add_sequentially(const aic_reference_products *p, float acc)
{
    const double *a = p->a, *b = p->b;
    for (int64_t k = 0; k < p->count; k++) {
        acc = acc + (float)(a[k] * b[k]);
    }
    return acc;
}

aic_exact_sum aic_reference_add_exactly(const aic_reference_products *p, float initial)
{
    const double *a = p->a, *b = p->b;
    aic_exact_sum sum = {.special = 0};
    aic_exact_add(&sum, (double)initial);
    for (int64_t k = 0; k < p->count; k++) {
        aic_exact_add(&sum, a[k] * b[k]);
    }
    return sum;
}

float aic_reference_add_float(const aic_reference_products *p, aic_accumulate accumulate, aic_sum_model model,
                              float initial)
{
    if (accumulate == AIC_ACCUMULATE_CUBE && model == AIC_SUM_MODEL_BLOCK) {
        return add_blocks(p, initial);
    }
    if (accumulate == AIC_ACCUMULATE_CUBE && model == AIC_SUM_MODEL_SEQUENTIAL) {
        return add_sequentially(p, initial);
    }
    const aic_exact_sum sum = aic_reference_add_exactly(p, initial);
    return (float)aic_exact_value(&sum);
}
