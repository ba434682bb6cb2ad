/* Kernels for programs without this library; see codegen.h. */
#ifndef AIC_BUNDLE_H
#define AIC_BUNDLE_H

#include "codegen/codegen.h"

enum { AIC_BUNDLE_NAME_BYTES = 256 };

/* What the names of a kernel's functions at a level begin with. */
void aic_bundle_symbol(const aic_bundle_request *request, size_t kernel, size_t level,
                       char symbol[AIC_BUNDLE_NAME_BYTES]);

aic_status aic_bundle_create(const aic_bundle_request *request, aic_bundle *bundle);

#endif
