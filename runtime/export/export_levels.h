/* What aic_export() and aic_network_export() make code for. */
#ifndef AIC_RUNTIME_EXPORT_LEVELS_H
#define AIC_RUNTIME_EXPORT_LEVELS_H

#include "runtime/request/context.h"

enum { AIC_EXPORT_LEVELS_MAX = 16 };

typedef struct aic_export_levels {
    const aic_target *target[AIC_EXPORT_LEVELS_MAX]; /* ascending, of one architecture */
    size_t count;
    const char *triple; /* NULL before: the host's */
} aic_export_levels;

/* Reads "sse2,avx2"; isa NULL: the context's level, or the lowest of the triple's architecture. */
aic_status aic_export_choose_levels(const aic_context *context, const char *isa, aic_export_levels *to);

#endif
