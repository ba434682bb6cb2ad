/* Names of exported kernels. */
#ifndef AIC_RUNTIME_EXPORT_NAMES_H
#define AIC_RUNTIME_EXPORT_NAMES_H

#include <aic/export.h>

typedef struct aic_export_name {
    char text[AIC_EXPORT_NAME_MAX + 1];
} aic_export_name;

/* Checks the names that are given and makes the others, name[i] for kernels[i]. AIC_INVALID_ARGUMENT for one that is no
 * identifier and for two that would share a function or a macro. */
aic_status aic_export_names(const aic_export_kernel *kernels, size_t count, aic_export_name *name);

#endif
