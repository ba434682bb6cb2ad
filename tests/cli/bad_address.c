/* Makes a kernel and releases it, then calls another with an output that lies nowhere, so that it ends by a signal in
 * the middle of its code: what a debugger shows of both is tested by observe.sh. */
#include <aic/aic.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { IMAGE = 4 * 4 * 32, WEIGHTS = 2 * 2 * 32 * 32 };

static aic_kernel *make(aic_context *context, int width)
{
    aic_kernel *kernel = NULL;
    aic_conv2d_desc d = aic_conv2d_desc_init();
    d.dtype = AIC_INT8;
    d.fm_shape[0] = 1, d.fm_shape[1] = 4, d.fm_shape[2] = width, d.fm_shape[3] = 32;
    d.kernel_shape[0] = 1, d.kernel_shape[1] = d.kernel_shape[2] = 2, d.kernel_shape[3] = d.kernel_shape[4] = 32;
    aic_spec *spec = NULL;
    if (aic_spec_create_conv2d(&d, &spec) != AIC_OK || aic_kernel_create(context, spec, NULL, &kernel) != AIC_OK) {
        fprintf(stderr, "%s\n", aic_last_error());
        exit(1);
    }
    aic_spec_destroy(spec);
    return kernel;
}

/* The entry of a kernel that comes and goes; a debugger stops in the functions. */
static aic_conv2d_fn released;

__attribute__((noinline)) static void before_release(void)
{
    __asm__ volatile("" : : "r"(released) : "memory");
}

__attribute__((noinline)) static void after_release(void)
{
    __asm__ volatile("" : : "r"(released) : "memory");
}

int main(void)
{
    static int8_t image[IMAGE], weights[WEIGHTS];
    aic_context *context = NULL;
    if (aic_context_create(NULL, &context) != AIC_OK) {
        return 1;
    }
    aic_kernel *gone = make(context, 6);
    released = aic_kernel_conv2d(gone);
    before_release();
    aic_kernel_destroy(gone);
    aic_context_destroy(context);
    after_release();
    aic_kernel *kernel = make(NULL, 4);
    void *workspace = aligned_alloc(64, (aic_kernel_workspace_size(kernel) + 127) / 64 * 64);
    aic_kernel_conv2d(kernel)((void *)(uintptr_t)64, image, weights, workspace);
    return 0;
}
