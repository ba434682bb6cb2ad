/* Vectors: loads, stores, arithmetic and shuffles of any width; LLVM splits what the registers cannot hold. */
#ifndef AIC_VEC_H
#define AIC_VEC_H

#include "codegen/emit.h"

/* Lanes of a full vector register holding elements of `bits` bits. */
unsigned aic_lanes(const aic_target *target, unsigned bits);

/* Access at pointer + offset bytes, aligned to `align` bytes. */
LLVMValueRef aic_load(aic_emit *e, LLVMTypeRef type, LLVMValueRef pointer, int64_t offset, unsigned align);
void aic_store(aic_emit *e, LLVMValueRef value, LLVMValueRef pointer, int64_t offset, unsigned align);

LLVMTypeRef aic_vector(LLVMTypeRef element, unsigned lanes);
LLVMValueRef aic_zero(LLVMTypeRef type);
LLVMValueRef aic_splat(aic_emit *e, LLVMValueRef scalar, unsigned lanes);

/* a*b + c with one rounding, or with two where the target has no fused form: callers use it only where the product is
 * exact, so that both agree. */
LLVMValueRef aic_fma(aic_emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);

/* <n x i16> half bits to <n x float>, exact. */
LLVMValueRef aic_half_to_float(aic_emit *e, LLVMValueRef bits);

/* `count` lanes of v from `first` on, every `stride`-th. */
LLVMValueRef aic_lanes_of(aic_emit *e, LLVMValueRef v, unsigned first, unsigned stride, unsigned count);

/* Transposes a matrix of `rows` rows that lies row after row in n vectors, in place; all counts powers of two, n >= 2.
 */
void aic_transpose(aic_emit *e, LLVMValueRef *vectors, unsigned n, unsigned rows);

/* Adds signed integers, clamping at the type's limits. */
LLVMValueRef aic_add_saturated(aic_emit *e, LLVMValueRef a, LLVMValueRef b);

/* Brackets an entry point that computes with floats: the caller's floating-point control word is saved, the default one
 * set, and restored at the end. Without floats (needed = false) nothing is emitted. */
LLVMValueRef aic_float_enter(aic_emit *e, bool needed);
void aic_float_leave(aic_emit *e, LLVMValueRef saved);

#endif
