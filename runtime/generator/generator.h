/* The generator, wherever it is: linked in, or a module that is loaded when the first kernel must be made. A process
 * whose kernels all come from a cache never has it. */
#ifndef AIC_RUNTIME_GENERATOR_H
#define AIC_RUNTIME_GENERATOR_H

#include "codegen/codegen.h"

/* The generator, loaded if it is not; never NULL. Where it cannot be had, every function of the table fails with the
 * status and the message of the failure, AIC_IO for a module that is missing, damaged or of another build; the next
 * call tries again. To be called on a thread of the library's own (worker.h). */
const aic_generator_api *aic_generator(void);

/* For tests: how often it was called on another thread, which must never be. */
unsigned aic_generator_strangers(void);

/* The name of the file that it is loaded from, absolute or as the environment says; false: it is linked in, or nobody
 * knows. */
enum { AIC_GENERATOR_PATH_MAX = 4096 };
bool aic_generator_path(char path[AIC_GENERATOR_PATH_MAX]);

/* Finds it: generator_linked.c, or generator_module.c. Called by one thread at a time, until it succeeds. */
aic_status aic_generator_open(const aic_generator_api **api);

#endif
