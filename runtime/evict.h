/* Limits of a context's memory cache: kernels that were not used for longest go, by the number of kernels and by the
 * bytes that they take, in code memory and besides. Kernels that a handle holds stay, and so does code that is being
 * called (grace.h). */
#ifndef AIC_RUNTIME_EVICT_H
#define AIC_RUNTIME_EVICT_H

#include "runtime/context.h"

/* Makes entries of the context's caches such as can be removed. */
void aic_evict_prepare(aic_context *context);

/* Keeps the limits: where one is exceeded, removes until a sixteenth of it is free, so that not every miss has to look
 * for the oldest. Does nothing where memory for that look has run out. */
void aic_evict(aic_context *context);

#endif
