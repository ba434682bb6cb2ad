/* The header of exported kernels. */
#ifndef AIC_RUNTIME_EXPORT_HEADER_H
#define AIC_RUNTIME_EXPORT_HEADER_H

#include "codegen/codegen.h"
#include "runtime/export/export_names.h"

/* What the header describes. */
typedef struct aic_export_contents {
    const aic_bundle_request *request;
    const aic_bundle *bundle;
    const aic_spec *shown; /* resolved: the operator text of each kernel */
    const char *triple;
} aic_export_contents;

/* Writes it, malloc'ed with a closing zero. */
aic_status aic_export_header(const aic_export_contents *contents, char **text, size_t *size);

#endif
