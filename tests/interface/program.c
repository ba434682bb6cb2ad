/* A program that was compiled against kept headers (-include tests/interface/kept.inc) and runs with the library of
 * today: a convolution by descriptor, by handle and as a chain from text, with structures of the size that they had
 * then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE = 4 * 4 * 32, WEIGHTS = 2 * 2 * 32 * 32, SUMS = 2 * 16 * 16 };

static int8_t image[IMAGE], weights[WEIGHTS];
static int32_t by_descriptor[SUMS], by_handle[SUMS], by_reference[SUMS];

static int wrong(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, aic_last_error());
    return 1;
}

static int use_kernel(aic_context *context, const aic_spec *spec)
{
    aic_kernel *kernel = NULL;
    aic_kernel_info info = aic_kernel_info_init();
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count = 0, bytes = 0;
    void *operands[] = {by_handle, image, weights};
    if (aic_kernel_create(context, spec, NULL, &kernel) != AIC_OK || aic_kernel_get_info(kernel, &info) != AIC_OK ||
        aic_spec_operands(spec, NULL, operand, &count) != AIC_OK || count != 3 ||
        operand[AIC_CONV2D_DST].bytes != (int64_t)sizeof by_handle ||
        aic_kernel_packed_size(kernel, AIC_CONV2D_WEIGHT, &bytes) != AIC_OK ||
        aic_kernel_call(kernel, operands, count) != AIC_OK) {
        return wrong("a handle");
    }
    void *packed = aligned_alloc(64, bytes);
    operands[AIC_CONV2D_WEIGHT] = packed;
    const aic_status status =
        packed == NULL ? AIC_OUT_OF_MEMORY : aic_kernel_pack(kernel, AIC_CONV2D_WEIGHT, packed, weights);
    if (status != AIC_OK || aic_kernel_call_packed(kernel, operands, count) != AIC_OK || info.schedule == NULL) {
        return wrong("a packed call");
    }
    free(packed);
    aic_kernel_destroy(kernel);
    return 0;
}

int main(void)
{
    aic_context_options options = aic_context_options_init();
    aic_conv2d_desc desc = aic_conv2d_desc_init();
    aic_context *context = NULL;
    aic_spec *spec = NULL, *read = NULL;
    options.threads = 1;
    options.semantics.overflow = AIC_OVERFLOW_IEEE;
    desc.dtype = AIC_DTYPE_INT8;
    memcpy(desc.fm_shape, (const int64_t[]){1, 4, 4, 32}, sizeof desc.fm_shape);
    memcpy(desc.kernel_shape, (const int64_t[]){1, 2, 2, 32, 32}, sizeof desc.kernel_shape);
    for (int i = 0; i < IMAGE; i++) {
        image[i] = (int8_t)(i % 97 - 40);
    }
    for (int i = 0; i < WEIGHTS; i++) {
        weights[i] = (int8_t)(i % 89 - 44);
    }
    if (aic_context_create(&options, &context) != AIC_OK || aic_spec_create_conv2d(&desc, &spec) != AIC_OK ||
        aic_spec_parse("conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32])", &read) != AIC_OK ||
        !aic_spec_equal(spec, read)) {
        return wrong("a specification");
    }
    void *operands[] = {by_reference, image, weights};
    if (aic_jit_conv2d(context, &desc, by_descriptor, image, weights) != AIC_OK || use_kernel(context, spec) != 0 ||
        aic_reference(spec, NULL, operands, 3) != AIC_OK) {
        return wrong("a call");
    }
    if (memcmp(by_descriptor, by_reference, sizeof by_reference) != 0 ||
        memcmp(by_handle, by_reference, sizeof by_reference) != 0) {
        fprintf(stderr, "results differ\n");
        return 1;
    }
    aic_spec_destroy(spec);
    aic_spec_destroy(read);
    aic_context_destroy(context);
    printf("compiled against %d.%d.%d, run by %s\n", AIC_VERSION_MAJOR, AIC_VERSION_MINOR, AIC_VERSION_PATCH,
           aic_version());
    return 0;
}
