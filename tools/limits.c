/* Limits by name. */
#include "tools/limits.h"
#include "tools/harness/stages.h"

#include "tools/harness/peak.h"

#include <string.h>

const char *limit_name(const aic_spec *spec, int64_t macs)
{
    const stage_desc stage = stage_of(spec, 0), *first = &stage;
    const aic_dtype dtype = first->op == AIC_OP_CONV2D ? first->desc.conv2d.dtype
                            : first->op == AIC_OP_MMAD ? first->desc.mmad.dtype
                                                       : AIC_DTYPE_NONE;
    const bool floats = dtype == AIC_FLOAT16 || dtype == AIC_BFLOAT16 || dtype == AIC_FLOAT32;
    return macs == 0 ? "copy" : floats && stage_accumulate(spec) == AIC_ACCUMULATE_CUBE ? "fp64" : "fp32";
}

double limit_measure(const char *name, int64_t bytes)
{
    if (strcmp(name, "copy") == 0) {
        return aic_peak_copy_of((size_t)bytes);
    }
    return strcmp(name, "fp64") == 0 ? aic_peak_fma_f64() : aic_peak_fma_f32();
}
