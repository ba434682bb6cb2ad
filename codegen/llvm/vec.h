/* Vectors: loads, stores, arithmetic and shuffles of any width; LLVM splits what the registers cannot hold. */
#pragma once

#include "codegen/llvm/emit.h"

/* Lanes of the longest vector, and vectors that are transposed together, at most: bytes of two registers. More ends in
 * AIC_INTERNAL, see aic_limit(). */
#define AIC_LANES_MAX (2 * AIC_VECTOR_BITS_MAX / 8)

/* Access at pointer + offset bytes, aligned to `align` bytes. */
LLVMValueRef aic_load(aic_emit *e, LLVMTypeRef type, LLVMValueRef pointer, int64_t offset, unsigned align);
void aic_store(aic_emit *e, LLVMValueRef value, LLVMValueRef pointer, int64_t offset, unsigned align);

/* A store that goes past the caches, for results larger than they are; aligned to its own size. Other threads see it
 * after a fence. */
void aic_store_past(aic_emit *e, LLVMValueRef value, LLVMValueRef pointer, int64_t offset, unsigned bytes);
void aic_fence(aic_emit *e);

/* Fetches the line at pointer + offset bytes: into the second-level cache to read it, into the first to write to it. */
void aic_fetch_to_read(aic_emit *e, LLVMValueRef pointer, int64_t offset);
void aic_fetch_to_write(aic_emit *e, LLVMValueRef pointer, int64_t offset);

LLVMTypeRef aic_vector(LLVMTypeRef element, unsigned lanes);
LLVMValueRef aic_zero(LLVMTypeRef type);
LLVMValueRef aic_splat(aic_emit *e, LLVMValueRef scalar, unsigned lanes);

/* a*b + c with one rounding, or with two where the target has no fused form: callers use it only where the product is
 * exact, so that both agree. */
LLVMValueRef aic_fma(aic_emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);

/* Floats: a*b + c with one rounding, by doubles. */
LLVMValueRef aic_fma_exact(aic_emit *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c);

/* <n x i16> half bits to <n x float>, exact. */
LLVMValueRef aic_half_to_float(aic_emit *e, LLVMValueRef bits);

/* <n x float> to half and bfloat16 bits, <n x i16>: to nearest, ties to even, overflow gives infinity, NaN stays NaN
 * (bfloat16: where has_nan says that it may occur, else it becomes anything). bfloat16: one vector or two as one. */
LLVMValueRef aic_float_to_half(aic_emit *e, LLVMValueRef floats);
LLVMValueRef aic_float_to_bfloat16(aic_emit *e, const LLVMValueRef *floats, unsigned count, bool has_nan);

/* <n x float>, a full register, to <n x i32>: to nearest, ties to even. No lane may be NaN or 2^31 or more. Those
 * beyond AIC_ROUND_LIMIT, or minus that, give some integer beyond it, too. */
#define AIC_ROUND_LIMIT 4194304 /* 2^22 */
LLVMValueRef aic_round(aic_emit *e, LLVMValueRef floats);

/* Two registers of signed integers, of 128 bits up to the target's, to one of integers of half the width, clamped to
 * the narrow type's range; to_unsigned only where that has 8 bits. The order is the target's: lane i of a and b one
 * after the other, `lanes` each of `bits` bits, comes out in lane aic_pack_lane(..., i). */
LLVMValueRef aic_pack(aic_emit *e, LLVMValueRef a, LLVMValueRef b, bool to_unsigned);
unsigned aic_pack_lane(const aic_target *target, unsigned lanes, unsigned bits, unsigned lane);

/* A constant, every lane `value`: of an integer or a vector of them, and of a vector of floats. */
LLVMValueRef aic_const_int(LLVMTypeRef type, int64_t value);
LLVMValueRef aic_const_float(LLVMTypeRef type, double value);

/* low where a < low, high where a > high; NaN stays. */
LLVMValueRef aic_clamp_float(aic_emit *e, LLVMValueRef a, double low, double high);

/* Calls an intrinsic on two vectors of one type, which is that of the result, too: lane by lane. */
LLVMValueRef aic_lanewise(aic_emit *e, const char *intrinsic, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef aic_vector_max(aic_emit *e, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef aic_vector_min(aic_emit *e, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef aic_vector_min_unsigned(aic_emit *e, LLVMValueRef a, LLVMValueRef b);

/* `count` elements from pointer + offset bytes on of an integer type in the lower lanes of a vector of `lanes`, the
 * others 0; and back. Nothing else is read or written. Aligned to an element. */
LLVMValueRef aic_load_part(aic_emit *e, LLVMTypeRef element, unsigned lanes, unsigned count, LLVMValueRef pointer,
                           int64_t offset);
void aic_store_part(aic_emit *e, LLVMValueRef value, unsigned count, LLVMValueRef pointer, int64_t offset);

/* Where the target has masks (AIC_HAS_MASKS): the first `count` lanes of so many, count an i64 that is less than 64;
 * and those lanes of a vector of integers from pointer + offset bytes on, the others undefined or 0, and back. Nothing
 * else is read or written. Aligned to an element. */
LLVMValueRef aic_first_lanes(aic_emit *e, LLVMValueRef count, unsigned lanes);
LLVMValueRef aic_load_lanes(aic_emit *e, LLVMTypeRef type, LLVMValueRef mask, LLVMValueRef pointer, int64_t offset);
LLVMValueRef aic_load_lanes_or_zero(aic_emit *e, LLVMTypeRef type, LLVMValueRef mask, LLVMValueRef pointer,
                                    int64_t offset);
void aic_store_lanes(aic_emit *e, LLVMValueRef value, LLVMValueRef mask, LLVMValueRef pointer, int64_t offset);

/* `count` lanes of v from `first` on, every `stride`-th. */
LLVMValueRef aic_lanes_of(aic_emit *e, LLVMValueRef v, unsigned first, unsigned stride, unsigned count);
/* The same of a and b, one after the other. */
LLVMValueRef aic_lanes_of_two(aic_emit *e, LLVMValueRef a, LLVMValueRef b, unsigned first, unsigned stride,
                              unsigned count);

/* Any lanes of a and b, whose numbers go on behind those of a; any lanes of v. */
LLVMValueRef aic_shuffle(aic_emit *e, LLVMValueRef a, LLVMValueRef b, const unsigned *from, unsigned count);
LLVMValueRef aic_permute(aic_emit *e, LLVMValueRef v, const unsigned *from, unsigned count);

/* Vectors of one type, a power of two of them, as one. */
LLVMValueRef aic_concat(aic_emit *e, const LLVMValueRef *vectors, unsigned count);

/* Transposes a matrix of `rows` rows that lies row after row in n vectors, in place; all counts powers of two, n >= 2.
 */
void aic_transpose(aic_emit *e, LLVMValueRef *vectors, unsigned n, unsigned rows);

/* The bits that are set in any of the words of a vector of 32-bit integers, an i64: code that is compiled fast carries
 * them through a loop, and no vector. */
LLVMValueRef aic_bits_of_any(aic_emit *e, LLVMValueRef words);

/* Adds signed integers, clamping at the type's limits. */
LLVMValueRef aic_add_saturated(aic_emit *e, LLVMValueRef a, LLVMValueRef b);

/* Brackets an entry point that computes with floats: where the caller's floating-point control word is not the default
 * one, that is set, and the caller's restored at the end. Without floats (needed = false) nothing is emitted. */
LLVMValueRef aic_float_enter(aic_emit *e, bool needed);
void aic_float_leave(aic_emit *e, LLVMValueRef saved);
