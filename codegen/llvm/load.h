/* Where LLVM comes from; see api.h. */
#ifndef AIC_LLVM_LOAD_H
#define AIC_LLVM_LOAD_H

#include <aic/types.h>

struct aic_llvm_api;

/* table.c, which is linked to LLVM. */
extern const struct aic_llvm_api aic_llvm_table;

/* The table; NULL: not yet loaded. Written once, before the first run of the guard begins. */
extern const struct aic_llvm_api *aic_llvm;

/* Has it loaded; to be called before each run. Defined with aic_llvm by the runtime (runtime/generator/), which knows
 * where LLVM is. */
aic_status aic_llvm_load(void);

#endif
