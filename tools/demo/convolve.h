/* A picture through the bank of filters: one conv2d with C0 = 4 and Cout = 16. */
#ifndef AIC_DEMO_CONVOLVE_H
#define AIC_DEMO_CONVOLVE_H

#include "tools/demo/filters.h"
#include "tools/demo/picture.h"

#include <aic/aic.h>

/* How to compute. */
typedef struct demo_job {
    const char *name;
    aic_dtype dtype;
    aic_accumulate accumulate;
} demo_job;

/* The filtered picture, and what it took. */
typedef struct demo_result {
    float *value; /* FILTER_COUNT * height * width brightnesses, a picture's 0 .. 255 where nothing overshoots; owned */
    char spec[512];
    aic_kernel_info info; /* texts belong to the kernel, which `kernel` holds */
    aic_kernel *kernel;
    double first_call_ns; /* aic_jit_conv2d on a shape not seen before: validate, compile, run */
    double median_ns;     /* of later calls */
    double gmacs;         /* per second, later calls */
} demo_result;

/* Computes. Returns an exit status with a message; the result is to be freed in either case. */
int demo_convolve(aic_context *context, const demo_job *job, const picture *in, demo_result *result);
void demo_result_free(demo_result *result);

#endif
