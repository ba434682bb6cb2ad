/* The generator as a shared object of its own, which the runtime loads when it first needs code that no cache has. It
 * contains a second copy of frontend/ and refers to nothing of the library; what both must share it is given when it is
 * opened. */
#ifndef AIC_MODULE_H
#define AIC_MODULE_H

#include "codegen/codegen.h"
#include "frontend/core/thread.h"

/* The library's records of threads: messages of the generator become those of the library. */
typedef struct aic_generator_host {
    pthread_key_t thread_key;
    bool thread_ready;
    aic_thread *(*thread_get)(void);
} aic_generator_host;

/* The only symbol that the module exports. The first three members are the same in every version. */
#define AIC_MODULE_MAGIC "aicjit generator"
typedef struct aic_module_header {
    char magic[sizeof AIC_MODULE_MAGIC];
    unsigned version;  /* AIC_GENERATOR_VERSION */
    const char *build; /* aic_build_name: a library opens the module of its own build only */
    const aic_generator_api *(*open)(const aic_generator_host *host);
} aic_module_header;

#define AIC_MODULE_SYMBOL "aic_generator_module"

#endif
