/* Where LLVM comes from; see api.h. */
#pragma once

#include <aic/types.h>
#include <stdbool.h>

struct aic_llvm_api;

/* table.c, which is linked to LLVM. */
extern const struct aic_llvm_api aic_llvm_table;

/* The table; NULL: not yet loaded. Written once, before the first run of the guard begins. */
extern const struct aic_llvm_api *aic_llvm;

/* Has it loaded; to be called before each run. Defined with aic_llvm by the runtime (runtime/generator/), which knows
 * where LLVM is. */
aic_status aic_llvm_load(void);

/* Whether emitted modules are verified. Debug builds do, and others where somebody asks for it, as the tests do:
 * emitters that are tested leave nothing to find. */
void aic_llvm_verify_modules(bool all);
bool aic_llvm_verifies(void);
