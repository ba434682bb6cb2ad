/* What makes a module; see module.h. */
#include "codegen/module.h"
#include "codegen/build_name.h"

extern const aic_module_header aic_generator_module;
__attribute__((visibility("default"))) const aic_module_header aic_generator_module = {
    .magic = AIC_MODULE_MAGIC,
    .version = AIC_MODULE_VERSION,
    .build = aic_build_name,
    .llvm = &aic_llvm_table,
    .loaded = aic_module_loaded,
};
