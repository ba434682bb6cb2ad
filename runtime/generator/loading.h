/* Memory while a C++ library is loaded. */
#ifndef AIC_RUNTIME_LOADING_H
#define AIC_RUNTIME_LOADING_H

#include <aic/types.h>

/* dlopen() of a library whose constructors end the process when memory runs out, as those of C++ do: begins only when
 * there is far more than they take, and has a reserve for them all the same, which is given back when an allocation of
 * C++ fails. AIC_OUT_OF_MEMORY; else *library is what dlopen() returns. */
aic_status aic_load_library(const char *path, void **library);

#endif
