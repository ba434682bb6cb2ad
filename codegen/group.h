/* The functions of a kernel: those of one specification, or the one function of a group. */
#ifndef AIC_GROUP_H
#define AIC_GROUP_H

#include "codegen/codegen.h"
#include "codegen/generator.h"

/* Emits the functions of codegen.h into e's module and tells what their caller must provide. AIC_INVALID_ARGUMENT when
 * a schedule does not fit its specification. */
aic_status aic_emit_kernel(aic_emit *e, const aic_codegen_request *request, aic_sizes *sizes);

#endif
