/* A program outside the tree, in C: the worked example E2 of the conv2d document by the descriptor, by text and by a
 * kernel handle. Exit status 0 when every value is right. */
#include <aic/aic.h>

#include <stdio.h>
#include <string.h>

enum { C0 = 32, COUT = 16, ROUND_HOWO = 16 };

/* A feature map of one pixel with 32 twos, 3x3 ones, padding -1: 32 * 2 + 8 * 32 * -1. */
enum { EXPECTED = -192 };

static int8_t feature_map[C0];
static int8_t weight[3 * 3 * COUT * C0];
static int32_t dst[ROUND_HOWO][16];

static int wrong(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, aic_last_error());
    return 1;
}

/* The one valid row is right and the rows past it still hold their mark. */
static int dst_is(int32_t row0, int32_t mark)
{
    for (int row = 0; row < ROUND_HOWO; row++) {
        for (int c = 0; c < 16; c++) {
            if (dst[row][c] != (row == 0 ? row0 : mark)) {
                return 0;
            }
        }
    }
    return 1;
}

int main(void)
{
    aic_conv2d_desc desc = aic_conv2d_desc_init();
    const int64_t fm_shape[4] = {1, 1, 1, C0};
    const int64_t kernel_shape[5] = {1, 3, 3, COUT, C0};
    desc.dtype = AIC_INT8;
    memcpy(desc.fm_shape, fm_shape, sizeof fm_shape);
    memcpy(desc.kernel_shape, kernel_shape, sizeof kernel_shape);
    for (int i = 0; i < 4; i++) {
        desc.pad[i] = 1;
    }
    desc.pad_value = -1;
    memset(feature_map, 2, sizeof feature_map);
    memset(weight, 1, sizeof weight);
    memset(dst, 0x55, sizeof dst);
    if (aic_jit_conv2d(NULL, &desc, dst, feature_map, weight) != AIC_OK || !dst_is(EXPECTED, 0x55555555)) {
        return wrong("aic_jit_conv2d");
    }

    aic_spec *spec = NULL, *described = NULL;
    const char *text =
        "conv2d(dtype=int8, fm_shape=[1,1,1,32], kernel_shape=[1,3,3,16,32], pad=[1,1,1,1], pad_value=-1)";
    if (aic_spec_create_conv2d(&desc, &described) != AIC_OK || aic_spec_parse(text, &spec) != AIC_OK ||
        !aic_spec_equal(spec, described)) {
        return wrong("aic_spec_parse");
    }
    aic_spec_destroy(described);
    aic_spec_destroy(spec);

    desc.init_l1out = false;
    if (aic_spec_create_conv2d(&desc, &spec) != AIC_OK) {
        return wrong("aic_spec_create_conv2d");
    }
    desc.init_l1out = true;
    void *operands[] = {dst, feature_map, weight};
    aic_kernel *kernel;
    if (aic_kernel_create(NULL, spec, NULL, &kernel) != AIC_OK) {
        return wrong("aic_kernel_create");
    }
    if (aic_kernel_call(kernel, operands, 3) != AIC_OK || !dst_is(2 * EXPECTED, 0x55555555)) {
        return wrong("aic_kernel_call");
    }
    aic_kernel_destroy(kernel);
    aic_spec_destroy(spec);

    desc.stride[0] = 64;
    if (aic_jit_conv2d(NULL, &desc, dst, feature_map, weight) != AIC_INVALID_ARGUMENT ||
        !dst_is(2 * EXPECTED, 0x55555555)) {
        return wrong("refusal of stride_h = 64");
    }
    printf("aicjit %s, %s: %d\n", aic_version(), aic_context_isa(NULL), dst[0][0]);
    return 0;
}
