/* Memory while a C++ library is loaded. */
#ifndef AIC_RUNTIME_LOADING_H
#define AIC_RUNTIME_LOADING_H

#include <aic/types.h>
#include <stdbool.h>

/* dlopen() of a library whose constructors end the process when memory runs out, as those of C++ do: begins only when
 * there is far more than they take, and has a reserve for them all the same, which is given back when an allocation of
 * C++ fails. own_cxx: it contains the library of C++, which nobody else can reach, and takes a reserve by itself.
 * AIC_OUT_OF_MEMORY; else *library is what dlopen() returns. */
aic_status aic_load_library(const char *path, bool own_cxx, void **library);

#endif
