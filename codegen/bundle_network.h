/* The function of a network in an object; see aic_bundle_network. */
#ifndef AIC_BUNDLE_NETWORK_H
#define AIC_BUNDLE_NETWORK_H

#include "codegen/codegen.h"
#include "codegen/llvm/emit.h"

/* Emits it and its constants behind the kernels, which nobody outside sees from then on; those of their functions that
 * it does not need go. */
void aic_bundle_emit_network(const aic_bundle_request *request, LLVMContextRef context, LLVMModuleRef module);

#endif
