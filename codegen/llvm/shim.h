/* LLVM as the generator uses it: start-up, target machines, passes, code emission, and its errors as statuses. The only
 * place that knows differences between LLVM versions. */
#pragma once

#include "codegen/llvm/api.h"
#include "codegen/target/target.h"

/* A context whose diagnostics are collected, not printed; *failed becomes true when one is an error. */
LLVMContextRef aic_llvm_context(bool *failed);

/* A machine for the target's features; triple NULL: the architecture's own. fast: it compiles a module in about a
 * quarter of the time, to code that keeps values in memory between blocks. */
aic_status aic_llvm_machine(const aic_target *target, const char *triple, bool fast, LLVMTargetMachineRef *machine);

/* The same for the architecture's own triple, possibly one that was given back: a machine takes about as long to make
 * as a small kernel. */
aic_status aic_llvm_machine_take(const aic_target *target, bool fast, LLVMTargetMachineRef *machine);
void aic_llvm_machine_give(const aic_target *target, bool fast, LLVMTargetMachineRef machine);

/* Puts triple and data layout of the machine into the module. */
aic_status aic_llvm_prepare(LLVMModuleRef module, LLVMTargetMachineRef machine);

/* Does nothing where nobody asks for it; see load.h. */
aic_status aic_llvm_verify(LLVMModuleRef module);
aic_status aic_llvm_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes);
aic_status aic_llvm_emit(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMCodeGenFileType type,
                         LLVMMemoryBufferRef *buffer);

/* Copies what is in a buffer, with a closing zero; malloc'ed. */
aic_status aic_llvm_keep(LLVMMemoryBufferRef buffer, char **bytes, size_t *size);
