/* Kernels for programs without this library; see codegen.h. */
#ifndef AIC_BUNDLE_H
#define AIC_BUNDLE_H

#include "codegen/codegen.h"

aic_status aic_bundle_create(const aic_bundle_request *request, aic_bundle *bundle);

#endif
