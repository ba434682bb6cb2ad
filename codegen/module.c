/* What makes a module of the generator; see module.h. Here it is the library's threads whose records are used, in place
 * of frontend/core/thread.c. */
#include "codegen/module.h"
#include "codegen/build_name.h"

pthread_key_t aic_thread_key;
bool aic_thread_ready;
static aic_thread *(*thread_get)(void);

aic_thread *aic_thread_get(void)
{
    return thread_get != NULL ? thread_get() : NULL;
}

static const aic_generator_api *open_module(const aic_generator_host *host)
{
    aic_thread_key = host->thread_key;
    aic_thread_ready = host->thread_ready;
    thread_get = host->thread_get;
    return aic_generator_linked();
}

extern const aic_module_header aic_generator_module;
__attribute__((visibility("default"))) const aic_module_header aic_generator_module = {
    .magic = AIC_MODULE_MAGIC,
    .version = AIC_GENERATOR_VERSION,
    .build = aic_build_name,
    .open = open_module,
};
