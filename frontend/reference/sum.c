/* Sums of products; see sum.h. */
#include "frontend/reference/sum.h"

/* Products of at most 2^14 each: they fit in 64 bits with room, at most 4096*255*255 of them as conv2d has. */
int32_t aic_reference_add_int8(const aic_reference_products *p, aic_int_overflow overflow, int32_t initial)
{
    int64_t sum = initial;
    for (int64_t k = 0; k < p->count; k++) {
        sum += (int64_t)p->a[k] * (int64_t)p->b[k];
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
    for (int64_t block = 0; block < p->count; block += p->block) {
        const int64_t end = block + p->block < p->count ? block + p->block : p->count;
        double sum = 0;
        for (int64_t k = block; k < end; k++) {
            sum = sum + p->a[k] * p->b[k];
        }
        acc = (float)((double)acc + sum);
    }
    return acc;
}

/* One float32 accumulator, every product and every sum rounded. */
static float add_sequentially(const aic_reference_products *p, float acc)
{
    for (int64_t k = 0; k < p->count; k++) {
        acc = acc + (float)(p->a[k] * p->b[k]);
    }
    return acc;
}

aic_exact_sum aic_reference_add_exactly(const aic_reference_products *p, float initial)
{
    aic_exact_sum sum = {.special = 0};
    aic_exact_add(&sum, (double)initial);
    for (int64_t k = 0; k < p->count; k++) {
        aic_exact_add(&sum, p->a[k] * p->b[k]);
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
