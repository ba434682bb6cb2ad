/* Vectors of narrower elements: floats to half, bfloat16 and integers, integers to shorter ones. */
#include "codegen/family/family.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/vec.h"

static LLVMTypeRef with_element(LLVMTypeRef vector, LLVMTypeRef element)
{
    return aic_vector(element, LLVMGetVectorSize(vector));
}

/* ---- short floats ---- */

/* Three cases by the exponent. Where the result is a normal half, the mantissa is rounded as an integer, and a carry
 * runs into the exponent. Where it is a subnormal half, adding 0.5 rounds it: the last place of the sum, 2^-24, is that
 * of a subnormal half. Everything larger becomes infinity. */
static LLVMValueRef float_to_half_portable(aic_emit *e, LLVMValueRef floats)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef real = LLVMTypeOf(floats), words = with_element(real, e->i32);
    LLVMValueRef bits = LLVMBuildBitCast(b, floats, words, "");
    LLVMValueRef sign = LLVMBuildLShr(b, bits, aic_const_int(words, 16), "");
    sign = LLVMBuildAnd(b, sign, aic_const_int(words, 0x8000), "");
    LLVMValueRef size = LLVMBuildAnd(b, bits, aic_const_int(words, 0x7fffffff), "");
    LLVMValueRef even = LLVMBuildLShr(b, size, aic_const_int(words, 13), "");
    even = LLVMBuildAnd(b, even, aic_const_int(words, 1), "");
    LLVMValueRef rounded = LLVMBuildAdd(b, LLVMBuildAdd(b, size, aic_const_int(words, 0xfff), ""), even, "");
    LLVMValueRef normal = LLVMBuildLShr(b, rounded, aic_const_int(words, 13), "");
    normal = LLVMBuildSub(b, normal, aic_const_int(words, 112 << 10), "");
    LLVMValueRef half = aic_const_float(real, 0.5);
    LLVMValueRef sum = LLVMBuildFAdd(b, LLVMBuildBitCast(b, size, real, ""), half, "");
    LLVMValueRef small = LLVMBuildSub(b, LLVMBuildBitCast(b, sum, words, ""), LLVMConstBitCast(half, words), "");
    LLVMValueRef is_small = LLVMBuildICmp(b, LLVMIntSLT, size, aic_const_int(words, 0x38800000), "");
    LLVMValueRef is_large = LLVMBuildICmp(b, LLVMIntSGE, rounded, aic_const_int(words, 0x47800000), "");
    LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, floats, floats, "");
    LLVMValueRef result = LLVMBuildSelect(b, is_small, small, normal, "");
    result = LLVMBuildSelect(b, is_large, aic_const_int(words, 0x7c00), result, "");
    result = LLVMBuildSelect(b, is_nan, aic_const_int(words, 0x7e00), result, "");
    return LLVMBuildTrunc(b, LLVMBuildOr(b, result, sign, ""), with_element(real, e->i16), "");
}

LLVMValueRef aic_float_to_half(aic_emit *e, LLVMValueRef floats)
{
    if ((e->target->has & AIC_HAS_HALF) == 0) {
        return float_to_half_portable(e, floats);
    }
    LLVMTypeRef type = LLVMTypeOf(floats);
    LLVMValueRef half = LLVMBuildFPTrunc(e->builder, floats, with_element(type, LLVMHalfTypeInContext(e->context)), "");
    return LLVMBuildBitCast(e->builder, half, with_element(type, e->i16), "");
}

/* Rounds to bfloat16, whose bits are the upper halves of the resulting lanes. */
static LLVMValueRef round_to_bfloat16(aic_emit *e, LLVMValueRef floats, bool has_nan)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef words = with_element(LLVMTypeOf(floats), e->i32);
    LLVMValueRef bits = LLVMBuildBitCast(b, floats, words, "");
    LLVMValueRef rounded = LLVMBuildAdd(b, bits, aic_const_int(words, 0x7fff), "");
    LLVMValueRef odd = LLVMBuildAnd(b, bits, aic_const_int(words, 0x10000), "");
    odd = LLVMBuildICmp(b, LLVMIntNE, odd, aic_zero(words), "");
    rounded = LLVMBuildSelect(b, odd, LLVMBuildAdd(b, rounded, aic_const_int(words, 1), ""), rounded, "");
    if (has_nan) {
        LLVMValueRef quiet = LLVMBuildOr(b, bits, aic_const_int(words, 0x400000), "");
        LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, floats, floats, "");
        rounded = LLVMBuildSelect(b, is_nan, quiet, rounded, "");
    }
    return rounded;
}

LLVMValueRef aic_float_to_bfloat16(aic_emit *e, const LLVMValueRef *floats, unsigned count, bool has_nan)
{
    enum { VECTORS = 2 };
    LLVMValueRef halves[VECTORS] = {NULL};
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(floats[0]));
    aic_limit("vectors that become bfloat16", count, VECTORS);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef rounded = round_to_bfloat16(e, floats[i], has_nan);
        halves[i] = LLVMBuildBitCast(e->builder, rounded, aic_vector(e->i16, 2 * lanes), "");
    }
    return count == 1 ? aic_lanes_of(e, halves[0], 1, 2, lanes)
                      : aic_lanes_of_two(e, halves[0], halves[1], 1, 2, 2 * lanes);
}

/* ---- integers ---- */

/* Adding 1.5 * 2^23 rounds a number below 2^22 in magnitude to an integer, to nearest even: the sum's last place is
 * then 1. The integer is in its lowest bits. */
static LLVMValueRef round_portable(aic_emit *e, LLVMValueRef floats)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef real = LLVMTypeOf(floats), words = with_element(real, e->i32);
    LLVMValueRef least = aic_const_float(real, -AIC_ROUND_LIMIT), magic = aic_const_float(real, 12582912);
    LLVMValueRef low = LLVMBuildFCmp(b, LLVMRealOGT, least, floats, "");
    LLVMValueRef sum = LLVMBuildFAdd(b, LLVMBuildSelect(b, low, least, floats, ""), magic, "");
    return LLVMBuildSub(b, LLVMBuildBitCast(b, sum, words, ""), LLVMConstBitCast(magic, words), "");
}

LLVMValueRef aic_round(aic_emit *e, LLVMValueRef floats)
{
    LLVMValueRef (*emit)(aic_emit *, LLVMValueRef) = aic_family_of(e->target)->round;
    return emit != NULL ? emit(e, floats) : round_portable(e, floats);
}

/* Clamps to the narrow type, then truncates. LLVM recognises the pair where the target has an instruction that narrows
 * with saturation. */
static LLVMValueRef narrow_portable(aic_emit *e, LLVMValueRef v, bool to_unsigned)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(type)) / 2;
    int64_t low = to_unsigned ? 0 : -(INT64_C(1) << (bits - 1));
    int64_t high = (INT64_C(1) << (to_unsigned ? bits : bits - 1)) - 1;
    v = aic_vector_min(e, aic_vector_max(e, v, aic_const_int(type, low)), aic_const_int(type, high));
    return LLVMBuildTrunc(e->builder, v, with_element(type, LLVMIntTypeInContext(e->context, bits)), "");
}

LLVMValueRef aic_pack(aic_emit *e, LLVMValueRef a, LLVMValueRef b, bool to_unsigned)
{
    const aic_pack_hook *hook = &aic_family_of(e->target)->pack;
    if (hook->emit != NULL) {
        return hook->emit(e, a, b, to_unsigned);
    }
    LLVMValueRef parts[] = {narrow_portable(e, a, to_unsigned), narrow_portable(e, b, to_unsigned)};
    return aic_concat(e, parts, 2);
}

unsigned aic_pack_lane(const aic_target *target, unsigned lanes, unsigned bits, unsigned lane)
{
    unsigned run = aic_family_of(target)->pack.interleave_bits / bits;
    if (run == 0 || run > lanes) {
        return lane;
    }
    return lane % lanes / run * 2 * run + lane / lanes * run + lane % run;
}
