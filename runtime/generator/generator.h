/* The generator, and where its LLVM is: linked in, or in a module that is loaded when something must be compiled. A
 * process whose kernels come from caches and ready-made parts never has it. */
#pragma once

#include "codegen/codegen.h"
#include "codegen/llvm/load.h"

/* The generator. Where LLVM is needed and cannot be had, its functions fail with the status and the message of that:
 * AIC_IO for a module that is missing, damaged or of another build; the next call tries again. To be called on a thread
 * of the library's own (worker.h). */
const aic_generator_api *aic_generator(void);

/* The same for object() of a request that says where LLVM may be entered (`apart`), on any thread. */
const aic_generator_api *aic_generator_near(void);

/* For tests: how often it was called, or LLVM entered, on another thread, which must never be. */
unsigned aic_generator_strangers(void);

/* The name of the file that LLVM is loaded from, absolute or as the environment says; false: it is linked in, or nobody
 * knows. */
enum { AIC_GENERATOR_PATH_MAX = 4096 };
bool aic_generator_path(char path[AIC_GENERATOR_PATH_MAX]);

/* Finds LLVM: generator_linked.c, or generator_module.c. Called by one thread at a time, until it succeeds. */
aic_status aic_generator_open(const struct aic_llvm_api **llvm);
