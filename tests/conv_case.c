/* A conv2d with its operands; see conv_case.h. */
#include "tests/conv_case.h"
#include "frontend/core/stage.h"
#include "frontend/random/rng.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

void *aligned_block(size_t bytes)
{
    void *block = aligned_alloc(64, bytes / 64 * 64 + 64);
    ck_assert_ptr_nonnull(block);
    return block;
}

aic_conv2d_desc conv_desc(aic_dtype dtype, int64_t width)
{
    aic_conv2d_desc desc = aic_conv2d_desc_init();
    desc.dtype = dtype;
    int64_t c0 = dtype == AIC_INT8 ? 32 : 16;
    const int64_t fm_shape[4] = {2, 5, width, c0}, kernel_shape[5] = {2, 3, 3, 32, c0};
    memcpy(desc.fm_shape, fm_shape, sizeof fm_shape);
    memcpy(desc.kernel_shape, kernel_shape, sizeof kernel_shape);
    for (int i = 0; i < 4; i++) {
        desc.pad[i] = 1;
    }
    desc.pad_value = 2;
    return desc;
}

/* Any int8; halves between 2^-5 and 2 in magnitude, of both signs. */
static void fill_input(void *data, const aic_operand *operand, uint64_t seed)
{
    int8_t *bytes = data;
    uint16_t *halves = data;
    for (int64_t i = 0; i < operand->elements; i++) {
        uint64_t bits = aic_rng_next(&seed);
        if (operand->dtype == AIC_INT8) {
            bytes[i] = (int8_t)(bits % 255 - 127);
        } else {
            halves[i] = (uint16_t)((bits & 0x83FF) | (10 + (bits >> 32) % 6) << 10);
        }
    }
}

conv_case *conv_case_new(const aic_conv2d_desc *desc)
{
    conv_case *c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    c->desc = *desc;
    c->spec = aic_spec_of(AIC_OP_CONV2D, desc);
    ck_assert_int_eq(aic_spec_validate(&c->spec, NULL), AIC_OK);
    size_t count;
    ck_assert_int_eq(aic_spec_operands(&c->spec, NULL, c->operand, &count), AIC_OK);
    ck_assert_uint_eq(count, CONV_OPERANDS);
    for (size_t i = 0; i < count; i++) {
        c->buffer[i] = aligned_block((size_t)c->operand[i].bytes);
        if (i != CONV_DST) {
            fill_input(c->buffer[i], &c->operand[i], 77 * i);
        }
    }
    size_t dst_bytes = (size_t)c->operand[CONV_DST].bytes;
    c->before = aligned_block(dst_bytes);
    memset(c->before, 0x3F, dst_bytes);
    c->expected = aligned_block(dst_bytes);
    memcpy(c->expected, c->before, dst_bytes);
    void *operands[CONV_OPERANDS] = {c->expected, c->buffer[CONV_FEATURE_MAP], c->buffer[CONV_WEIGHT]};
    ck_assert_int_eq(aic_reference(&c->spec, NULL, operands, CONV_OPERANDS), AIC_OK);
    ck_assert_int_ne(memcmp(c->expected, c->before, dst_bytes), 0);
    conv_case_reset(c);
    return c;
}

void conv_case_free(conv_case *c)
{
    for (size_t i = 0; i < CONV_OPERANDS; i++) {
        free(c->buffer[i]);
    }
    free(c->expected);
    free(c->before);
    free(c);
}

void conv_case_reset(conv_case *c)
{
    memcpy(c->buffer[CONV_DST], c->before, (size_t)c->operand[CONV_DST].bytes);
}

void conv_case_check_done(const conv_case *c, const void *dst)
{
    ck_assert_mem_eq(dst, c->expected, (size_t)c->operand[CONV_DST].bytes);
}

void conv_case_check_untouched(const conv_case *c)
{
    ck_assert_mem_eq(c->buffer[CONV_DST], c->before, (size_t)c->operand[CONV_DST].bytes);
}

aic_kernel_info conv_kernel_info(aic_context *context, int64_t width)
{
    static const char SCHEDULE[] =
        "schedule(rows=1, cols=1, vectors=1, unroll=1, band=1)"; /* dear: workers share all */
    aic_conv2d_desc desc = conv_desc(AIC_INT8, width);
    desc.fm_shape[1] = 8; /* long at every level: kernels of all widths have the same parts */
    const aic_spec spec = aic_spec_of(AIC_OP_CONV2D, &desc);
    aic_kernel *kernel;
    aic_kernel_info info = aic_kernel_info_init();
    ck_assert_msg(aic_kernel_create(context, &spec, SCHEDULE, &kernel) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
    aic_kernel_destroy(kernel);
    return info;
}
