/* K-packs: converting elements of image and weight to the form in which they are multiplied. */
#include "codegen/contraction/microkernel.h"
#include "codegen/integer.h"
#include "codegen/llvm/vec.h"

LLVMTypeRef aic_element_type(aic_emit *e, const aic_plan_geometry *g)
{
    return LLVMIntTypeInContext(e->context, 8 * g->source_bytes);
}

LLVMTypeRef aic_channel_type(aic_emit *e, const aic_plan_geometry *g)
{
    switch (g->arithmetic.product) {
    case AIC_PRODUCT_PAIR:
    case AIC_PRODUCT_BFLOAT:
        return e->i16;
    case AIC_PRODUCT_QUAD:
        return e->i8;
    case AIC_PRODUCT_FLOAT:
        break;
    }
    return g->arithmetic.sum == AIC_SUM_CUBE ? e->f64 : e->f32;
}

unsigned aic_channel_bytes(const aic_plan_geometry *g)
{
    return g->arithmetic.kpack_bytes / g->arithmetic.kpack_channels;
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

void aic_widen(aic_emit *e, const aic_contraction *c, const aic_microkernel *kernel, const aic_plan_geometry *g,
               LLVMValueRef elements, LLVMValueRef kpacks[AIC_PLANES_MAX])
{
    LLVMTypeRef type = aic_vector(aic_channel_type(e, g), LLVMGetVectorSize(LLVMTypeOf(elements)));
    LLVMValueRef floats;
    kpacks[1] = NULL;
    switch (g->arithmetic.product) {
    case AIC_PRODUCT_PAIR:
        kpacks[0] = LLVMBuildSExt(e->builder, elements, type, "");
        break;
    case AIC_PRODUCT_QUAD:
        kpacks[0] = elements;
        break;
    case AIC_PRODUCT_BFLOAT:
        kpacks[0] = elements;
        if (g->arithmetic.planes > 1) {
            kernel->emitter.split(e, elements, kpacks);
        }
        break;
    case AIC_PRODUCT_FLOAT:
        floats = to_float(e, c->dtype, elements);
        kpacks[0] = LLVMTypeOf(floats) == type ? floats : LLVMBuildFPExt(e->builder, floats, type, "");
        break;
    }
}

void aic_note_specials(aic_emit *e, const aic_wish *wish, LLVMValueRef elements, LLVMValueRef note, int64_t notes,
                       int64_t pitch)
{
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(elements));
    const int first = wish->special_first, end = wish->special_end;
    LLVMTypeRef type = LLVMTypeOf(elements);
    LLVMValueRef bits = LLVMBuildAnd(e->builder, elements, aic_const_int(type, AIC_MAGNITUDE_16), "");
    LLVMValueRef special;
    if (end > AIC_MAGNITUDE_16) {
        special = LLVMBuildICmp(e->builder, LLVMIntUGE, bits, aic_const_int(type, first), "");
    } else {
        LLVMValueRef above = LLVMBuildSub(e->builder, bits, aic_const_int(type, first), "");
        special = LLVMBuildICmp(e->builder, LLVMIntULT, above, aic_const_int(type, end - first), "");
    }
    LLVMTypeRef mask = LLVMIntTypeInContext(e->context, lanes);
    LLVMValueRef any = LLVMBuildBitCast(e->builder, special, mask, "");
    aic_branch branch;
    aic_branch_begin(e, &branch, LLVMBuildICmp(e->builder, LLVMIntNE, any, LLVMConstNull(mask), ""));
    for (int64_t i = 0; i < notes; i++) {
        aic_store(e, LLVMConstInt(e->i32, 1, false), note, i * pitch, sizeof(int32_t));
    }
    aic_branch_end(e, &branch);
}

/* Unoptimized code takes about 8 vector operations more to pack a vector of k-packs, which then takes part in `uses`
 * vector operations. Optimizing it pays if that is more than two percent of a call. */
aic_emit_kind aic_pack_kind(int64_t uses)
{
    enum { SURPLUS = 8, PERCENT = 2 };
    return uses * PERCENT < 100 * SURPLUS ? AIC_EMIT_HOT : AIC_EMIT_FRAME;
}

unsigned aic_access_width(int64_t left, unsigned most)
{
    return (unsigned)aic_power_within(aic_least(left, most));
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
