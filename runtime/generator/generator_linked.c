/* LLVM is linked in. */
#include "codegen/llvm/load.h"
#include "runtime/generator/generator.h"

aic_status aic_generator_open(const struct aic_llvm_api **llvm)
{
    *llvm = &aic_llvm_table;
    return AIC_OK;
}

bool aic_generator_path(char path[AIC_GENERATOR_PATH_MAX])
{
    path[0] = '\0';
    return false;
}
