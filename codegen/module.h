/* LLVM as a shared object of its own, which the library loads when it first needs code that no cache has: it contains
 * the table of codegen/llvm/api.h, and LLVM itself unless the system's is taken (CMake's AIC_MODULE_LLVM). */
#pragma once

#include "codegen/llvm/load.h"

/* The only symbol that the module exports. The first three members are the same in every version. */
#define AIC_MODULE_MAGIC "aicjit generator"
enum { AIC_MODULE_VERSION = 9 };
typedef struct aic_module_header {
    char magic[sizeof AIC_MODULE_MAGIC];
    unsigned version;  /* AIC_MODULE_VERSION */
    const char *build; /* aic_build_name: a library opens the module of its own build only */
    const struct aic_llvm_api *llvm;
    void (*loaded)(void); /* aic_module_loaded */
} aic_module_header;

/* To be called once it is loaded. Constructors of C++ end the process when they get no memory: a module that contains
 * the library of C++ has a reserve for them until then. Of another one the loader takes care
 * (runtime/generator/generator_module.c). */
void aic_module_loaded(void);

#define AIC_MODULE_SYMBOL "aic_generator_module"
