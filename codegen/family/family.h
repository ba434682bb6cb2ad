/* Families: the instructions that have no portable IR form, as hooks. The emitter looks for a hook and never for an
 * instruction set; a family never knows an operator. */
#pragma once

#include "codegen/llvm/emit.h"

/* A dot product of every G neighbouring elements, added to <n x i32>: acc[i] + sum over g of image[i*G+g] *
 * weight[i*G+g]. The sum wraps around; each product is exact. */
typedef struct aic_dot {
    LLVMValueRef (*emit)(aic_emit *e, LLVMValueRef acc, LLVMValueRef image, LLVMValueRef weight);
    double operations; /* vector instructions it takes */
    int image_offset;  /* what must be added to the image: 128 where the instruction takes it unsigned */
} aic_dot;

/* Two registers of signed integers packed into one of half as wide ones, clamped to their signed or unsigned range.
 * Runs of interleave_bits bits of the two alternate in the result; 0: all of the first comes before the second. */
typedef struct aic_pack_hook {
    LLVMValueRef (*emit)(aic_emit *e, LLVMValueRef a, LLVMValueRef b, bool to_unsigned);
    unsigned interleave_bits;
} aic_pack_hook;

/* The floating-point control word: saves the caller's; whether that differs from the default one (round to nearest
 * even, subnormals kept, no traps), an i1; sets the default one; sets the caller's again. */
typedef struct aic_fp_control {
    LLVMValueRef (*save)(aic_emit *e);
    LLVMValueRef (*differs)(aic_emit *e, LLVMValueRef saved);
    void (*set_default)(aic_emit *e, LLVMValueRef saved);
    void (*restore)(aic_emit *e, LLVMValueRef saved);
} aic_fp_control;

typedef struct aic_family {
    aic_dot dot2; /* pairs of i16; every family has it */
    aic_dot dot4; /* four i8 each; emit is NULL where there is none */

    /* A register of floats to integers, as aic_round() says; NULL: in plain IR. Packing; emit is NULL: in plain IR. */
    LLVMValueRef (*round)(aic_emit *e, LLVMValueRef floats);
    aic_pack_hook pack;

    aic_fp_control fp_control;
} aic_family;

/* The family of a target's instructions; never NULL. */
const aic_family *aic_family_of(const aic_target *target);

extern const aic_family aic_family_x86_generic, aic_family_x86, aic_family_x86_avxvnni, aic_family_x86_vnni;
extern const aic_family aic_family_aarch64_generic, aic_family_aarch64, aic_family_aarch64_dotprod;

/* The portable form of dot2: widen, multiply, add. */
LLVMValueRef aic_portable_dot2(aic_emit *e, LLVMValueRef acc, LLVMValueRef a, LLVMValueRef b);

/* dot4 of an unsigned image, for targets without it, too: what packs runs on other processors than its kernel. */
LLVMValueRef aic_unsigned_dot4(aic_emit *e, LLVMValueRef acc, LLVMValueRef image, LLVMValueRef weight);
