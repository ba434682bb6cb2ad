/* Limits by name. */
#include "tools/limits.h"
#include "tools/harness/stages.h"

#include "tools/harness/peak.h"

#include <string.h>

const char *limit_name(const aic_spec *spec, int64_t macs)
{
    const stage_desc stage = stage_of(spec, 0), *first = &stage;
    aic_dtype dtype = AIC_DTYPE_NONE;
    aic_accumulate accumulate = AIC_ACCUMULATE_FAST;
    if (first->op == AIC_OP_CONV2D) {
        dtype = first->desc.conv2d.dtype, accumulate = first->desc.conv2d.accumulate;
    } else if (first->op == AIC_OP_MMAD) {
        dtype = first->desc.mmad.dtype, accumulate = first->desc.mmad.accumulate;
    }
    const bool floats = dtype == AIC_FLOAT16 || dtype == AIC_BFLOAT16 || dtype == AIC_FLOAT32;
    return macs == 0 ? "copy" : floats && accumulate == AIC_ACCUMULATE_CUBE ? "fp64" : "fp32";
}

double limit_measure(const char *name, int64_t bytes)
{
    if (strcmp(name, "copy") == 0) {
        return aic_peak_copy_of((size_t)bytes);
    }
    return strcmp(name, "fp64") == 0 ? aic_peak_fma_f64() : aic_peak_fma_f32();
}
