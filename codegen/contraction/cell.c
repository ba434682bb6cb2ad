/* Cells: elements of image and weight in the form in which they are multiplied, and runs of them. */
#include "codegen/contraction/contraction.h"
#include "codegen/llvm/vec.h"

LLVMTypeRef aic_element_type(aic_emit *e, const aic_tiling *t)
{
    return LLVMIntTypeInContext(e->context, 8 * t->source_bytes);
}

LLVMTypeRef aic_channel_type(aic_emit *e, const aic_tiling *t)
{
    switch (t->arithmetic.product) {
    case AIC_PRODUCT_PAIR:
        return e->i16;
    case AIC_PRODUCT_QUAD:
        return e->i8;
    case AIC_PRODUCT_FLOAT:
        break;
    }
    return t->arithmetic.sum == AIC_SUM_CUBE ? e->f64 : e->f32;
}

unsigned aic_channel_bytes(const aic_tiling *t)
{
    return t->arithmetic.cell_bytes / t->arithmetic.cell_channels;
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

LLVMValueRef aic_widen(aic_emit *e, const aic_contraction *c, const aic_tiling *t, LLVMValueRef elements)
{
    LLVMTypeRef type = aic_vector(aic_channel_type(e, t), LLVMGetVectorSize(LLVMTypeOf(elements)));
    switch (t->arithmetic.product) {
    case AIC_PRODUCT_PAIR:
        return LLVMBuildSExt(e->builder, elements, type, "");
    case AIC_PRODUCT_QUAD:
        return elements;
    case AIC_PRODUCT_FLOAT:
        break;
    }
    LLVMValueRef floats = to_float(e, c->dtype, elements);
    return LLVMTypeOf(floats) == type ? floats : LLVMBuildFPExt(e->builder, floats, type, "");
}

/* A vector of cells is packed by about 8 vector operations more where code is not optimised, and multiplied by `uses`
 * vector operations: one each time, of all lanes. Two percent of a call are worth it. */
aic_emit_kind aic_pack_kind(int64_t uses)
{
    enum { SURPLUS = 8, PERCENT = 2 };
    return uses * PERCENT < 100 * SURPLUS ? AIC_EMIT_HOT : AIC_EMIT_FRAME;
}

unsigned aic_piece(int64_t left, unsigned most)
{
    unsigned piece = most;
    while (piece > left) {
        piece /= 2;
    }
    return piece;
}

void aic_fill(aic_emit *e, LLVMValueRef pointer, LLVMValueRef value, int64_t bytes)
{
    unsigned unit = LLVMGetIntTypeWidth(LLVMTypeOf(value)) / 8, align = unit;
    int64_t wide = bytes / AIC_LINE_BYTES * AIC_LINE_BYTES;
    if (wide > 0) {
        aic_loop loop;
        aic_loop_begin(e, &loop, "fill: bytes", aic_int(e, 0), aic_int(e, wide), AIC_LINE_BYTES, NULL, 0);
        aic_store(e, aic_splat(e, value, AIC_LINE_BYTES / unit), aic_at(e, pointer, loop.index), 0, align);
        aic_loop_end(e, &loop);
    }
    for (int64_t size = AIC_LINE_BYTES / 2; size >= unit; size /= 2) {
        if ((bytes & size) != 0) {
            aic_store(e, aic_splat(e, value, (unsigned)size / unit), pointer, wide, align);
            wide += size;
        }
    }
}
