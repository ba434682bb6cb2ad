#include "codegen/kpacks.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/vec.h"
#include "codegen/machine.h"

LLVMTypeRef aic_kpack_channel(aic_emit *e, const aic_arithmetic *a)
{
    switch (a->product) {
    case AIC_PRODUCT_PAIR:
    case AIC_PRODUCT_ROWS:
    case AIC_PRODUCT_BFLOAT:
        return e->i16;
    case AIC_PRODUCT_WORD:
        return e->i32;
    case AIC_PRODUCT_QUAD:
        return e->i8;
    case AIC_PRODUCT_FLOAT:
        break;
    }
    return a->sum == AIC_SUM_CUBE ? e->f64 : e->f32;
}

/* <n x element> of a float type to <n x float>, exact. */
static LLVMValueRef to_float(aic_emit *e, aic_dtype dtype, LLVMValueRef elements)
{
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(elements));
    LLVMTypeRef words = aic_vector(e->i32, lanes), floats = aic_vector(e->f32, lanes);
    if (dtype == AIC_FLOAT16) {
        return aic_half_to_float(e, elements);
    }
    if (dtype == AIC_BFLOAT16) { /* the upper half of a float */
        elements = LLVMBuildZExt(e->builder, elements, words, "");
        elements = LLVMBuildShl(e->builder, elements, aic_splat(e, LLVMConstInt(e->i32, 16, false), lanes), "");
    }
    return LLVMBuildBitCast(e->builder, elements, floats, "");
}

/* The upper half of each float as a bfloat16, the lower half being dropped. It is written as a shuffle that takes every
 * other 16-bit element, one instruction for two registers; a narrowing conversion would be four. */
static LLVMValueRef upper_halves(aic_emit *e, LLVMValueRef floats)
{
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(floats));
    LLVMTypeRef type = aic_vector(e->i16, 2 * lanes);
    return aic_lanes_of_two(e, LLVMBuildBitCast(e->builder, floats, type, ""), LLVMGetUndef(type), 1, 2, lanes);
}

/* Splits float16 into two bfloat16. A float16 has 11 significant bits; the upper 8 are one bfloat16 and the others
 * another one of the same sign, and neither is subnormal as a bfloat16. If the number is not finite, the first plane is
 * that number and the second one is NaN. */
static void split_halves(aic_emit *e, LLVMValueRef elements, LLVMValueRef planes[AIC_PLANES_MAX])
{
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(elements));
    LLVMTypeRef words = aic_vector(e->i32, lanes), floats = aic_vector(e->f32, lanes);
    LLVMValueRef all = aic_half_to_float(e, elements), bits = LLVMBuildBitCast(e->builder, all, words, "");
    LLVMValueRef mask = aic_splat(e, LLVMConstInt(e->i32, 0xffff0000u, false), lanes);
    LLVMValueRef upper = LLVMBuildBitCast(e->builder, LLVMBuildAnd(e->builder, bits, mask, ""), floats, "");
    planes[0] = upper_halves(e, all);
    planes[1] = upper_halves(e, LLVMBuildFSub(e->builder, all, upper, ""));
}

void aic_to_kpacks(aic_emit *e, aic_dtype dtype, const aic_arithmetic *a, LLVMValueRef elements,
                   LLVMValueRef kpacks[AIC_PLANES_MAX])
{
    LLVMTypeRef type = aic_vector(aic_kpack_channel(e, a), LLVMGetVectorSize(LLVMTypeOf(elements)));
    LLVMValueRef floats;
    kpacks[0] = elements;
    kpacks[1] = NULL;
    switch (a->product) {
    case AIC_PRODUCT_PAIR:
    case AIC_PRODUCT_ROWS:
    case AIC_PRODUCT_WORD:
        kpacks[0] = LLVMBuildSExt(e->builder, elements, type, "");
        break;
    case AIC_PRODUCT_QUAD:
        break;
    case AIC_PRODUCT_BFLOAT:
        if (a->planes > 1) {
            split_halves(e, elements, kpacks);
        }
        break;
    case AIC_PRODUCT_FLOAT:
        floats = to_float(e, dtype, elements);
        kpacks[0] = LLVMTypeOf(floats) == type ? floats : LLVMBuildFPExt(e->builder, floats, type, "");
        break;
    }
}

LLVMValueRef aic_kpack_half(aic_emit *e, LLVMValueRef kpacks, unsigned half)
{
    LLVMTypeRef type = LLVMTypeOf(kpacks);
    LLVMValueRef bits = half == 0 ? kpacks : LLVMBuildLShr(e->builder, kpacks, aic_const_int(type, 16), "");
    return aic_half_to_float(e, LLVMBuildTrunc(e->builder, bits, aic_vector(e->i16, LLVMGetVectorSize(type)), ""));
}

enum { MAGNITUDE = 0x7fff }; /* the bits of an element without its sign */

LLVMValueRef aic_larger_magnitude(aic_emit *e, LLVMValueRef most, LLVMValueRef elements)
{
    return aic_vector_max(e, most, LLVMBuildAnd(e->builder, elements, aic_const_int(LLVMTypeOf(most), MAGNITUDE), ""));
}

LLVMValueRef aic_any_special(aic_emit *e, int64_t first, int64_t end, LLVMValueRef elements)
{
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(elements));
    LLVMTypeRef type = LLVMTypeOf(elements);
    LLVMValueRef bits = LLVMBuildAnd(e->builder, elements, aic_const_int(type, MAGNITUDE), "");
    LLVMValueRef special;
    if (end > MAGNITUDE) {
        special = LLVMBuildICmp(e->builder, LLVMIntUGE, bits, aic_const_int(type, first), "");
    } else {
        LLVMValueRef above = LLVMBuildSub(e->builder, bits, aic_const_int(type, first), "");
        special = LLVMBuildICmp(e->builder, LLVMIntULT, above, aic_const_int(type, end - first), "");
    }
    LLVMTypeRef mask = LLVMIntTypeInContext(e->context, lanes);
    LLVMValueRef any = LLVMBuildBitCast(e->builder, special, mask, "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, any, LLVMConstNull(mask), "");
}

void aic_fill(aic_emit *e, LLVMValueRef pointer, LLVMValueRef value, int64_t bytes)
{
    unsigned size_of_value = LLVMGetIntTypeWidth(LLVMTypeOf(value)) / 8, align = size_of_value;
    int64_t wide = bytes / AIC_LINE_BYTES * AIC_LINE_BYTES;
    if (wide > 0) {
        aic_loop loop;
        aic_loop_begin(e, &loop, "fill: bytes", aic_int(e, 0), aic_int(e, wide), AIC_LINE_BYTES, NULL, 0);
        aic_store(e, aic_splat(e, value, AIC_LINE_BYTES / size_of_value), aic_at(e, pointer, loop.index), 0, align);
        aic_loop_end(e, &loop);
    }
    for (int64_t size = AIC_LINE_BYTES / 2; size >= size_of_value; size /= 2) {
        if ((bytes & size) != 0) {
            aic_store(e, aic_splat(e, value, (unsigned)size / size_of_value), pointer, wide, align);
            wide += size;
        }
    }
}
