/* Families: the instructions that have no portable IR form, as hooks. The emitter asks the target for a hook and never
 * for an instruction set; a family never knows an operator. A level of targets.def names its family.
 *
 * Every hook is set. What an instruction set cannot do is emitted by a portable form shared between families, so
 * there is no test for NULL in an operator. */
#ifndef AIC_FAMILY_H
#define AIC_FAMILY_H

#include "codegen/emit.h"

typedef struct aic_family {
    /* acc[i] + a[2i]*b[2i] + a[2i+1]*b[2i+1]: acc <n x i32>, a and b <2n x i16>. The products' sum is exact for
     * values in -32767..32767. */
    LLVMValueRef (*dot2)(aic_emit *e, LLVMValueRef acc, LLVMValueRef a, LLVMValueRef b);
    double dot2_operations; /* vector instructions it takes */

    /* Saves the caller's floating-point control word and sets the default one (round to nearest even, subnormals
     * kept, no traps); restores it. Every entry point that computes with floats brackets its body. */
    LLVMValueRef (*fp_enter)(aic_emit *e);
    void (*fp_leave)(aic_emit *e, LLVMValueRef saved);
} aic_family;

extern const aic_family aic_family_x86_generic, aic_family_x86, aic_family_x86_vnni;
extern const aic_family aic_family_aarch64_generic, aic_family_aarch64;

/* The portable form of dot2: widen, multiply, add. */
LLVMValueRef aic_portable_dot2(aic_emit *e, LLVMValueRef acc, LLVMValueRef a, LLVMValueRef b);

#endif
