/* Names of a kernel's functions. */
#include "codegen/record.h"

const char *const aic_function_suffix[AIC_FUNCTIONS] = {
    [AIC_FUNCTION_ENTRY] = "",
    [AIC_FUNCTION_PACKED] = "_packed",
    [AIC_FUNCTION_PACK] = "_pack",
    [AIC_FUNCTION_PHASE] = "_phase",
};
