/* Decoding quantisation words (AscendC Fixpipe) to parameters of columns. */
#include "codegen/llvm/vec.h"
#include "codegen/parts/packet.h"

#include <math.h>

LLVMValueRef aic_table_entry(aic_emit *e, const aic_scaling *p, LLVMValueRef table, LLVMValueRef block)
{
    table = aic_at_const(e, table, aic_table_header_bytes(p));
    return aic_table_is_one_block(p) ? table : aic_at(e, table, aic_mul(e, block, aic_table_block_bytes(p)));
}

/* Fields of quantisation words; every vector has the same number of lanes. */
typedef struct fields {
    LLVMValueRef scale;             /* float */
    LLVMValueRef shifts, is_signed; /* i1 */
    LLVMValueRef shift, offset;     /* i32 */
} fields;

static LLVMValueRef bit(aic_emit *e, LLVMValueRef words, int64_t mask)
{
    LLVMTypeRef type = LLVMTypeOf(words);
    LLVMValueRef masked = LLVMBuildAnd(e->builder, words, aic_const_int(type, mask), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, masked, aic_zero(type), "");
}

/* Decodes quantisation words, given as their lower and upper 32 bits. */
static fields read_fields(aic_emit *e, const aic_scaling *p, LLVMValueRef low, LLVMValueRef high)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef words = LLVMTypeOf(low), floats = aic_vector(e->f32, LLVMGetVectorSize(words));
    LLVMValueRef scale = LLVMBuildAnd(b, low, aic_const_int(words, (int32_t)aic_scale_mask(p)), "");
    LLVMValueRef count = LLVMBuildAnd(b, high, aic_const_int(words, AIC_WORD_SHIFT), "");
    LLVMValueRef offset = LLVMBuildShl(b, high, aic_const_int(words, AIC_WORD_OFFSET_LEFT), "");
    fields f = {.scale = LLVMBuildBitCast(b, scale, floats, ""),
                .shifts = bit(e, high, AIC_WORD_MCB),
                .is_signed = bit(e, high, AIC_WORD_SIGNED),
                .offset = LLVMBuildBinOp(b, p->unsigned_offset ? LLVMLShr : LLVMAShr, offset,
                                         aic_const_int(words, AIC_WORD_OFFSET_RIGHT), "")};
    count = LLVMBuildAdd(b, count, aic_const_int(words, 1), "");
    f.shift = LLVMBuildSelect(b, f.shifts, count, aic_zero(words), "");
    return f;
}

static LLVMValueRef larger(aic_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(e->builder, LLVMBuildFCmp(e->builder, LLVMRealOGT, a, b, ""), a, b, "");
}

static LLVMValueRef smaller(aic_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(e->builder, LLVMBuildFCmp(e->builder, LLVMRealOLT, a, b, ""), a, b, "");
}

LLVMValueRef aic_choose(aic_emit *e, LLVMValueRef which, LLVMTypeRef type, int64_t yes, int64_t no)
{
    return LLVMBuildSelect(e->builder, which, aic_const_int(type, yes), aic_const_int(type, no), "");
}

/* The products of the scale with the smallest and the largest source that rectification and a shift let through. */
static void product_ends(aic_emit *e, const aic_scaling *p, const fields *f, LLVMValueRef ends[2])
{
    static const double SHIFTED[] = {INT16_MIN, INT16_MAX}, ENDLESS[] = {-HUGE_VAL, HUGE_VAL};
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef floats = LLVMTypeOf(f->scale);
    LLVMValueRef falls = LLVMBuildFCmp(b, LLVMRealOLT, f->scale, aic_zero(floats), "");
    for (int i = 0; i < 2; i++) {
        ends[i] =
            LLVMBuildSelect(b, falls, aic_const_float(floats, ENDLESS[1 - i]), aic_const_float(floats, ENDLESS[i]), "");
        if (p->shift) {
            LLVMValueRef shifted = LLVMBuildFMul(b, aic_const_float(floats, SHIFTED[i]), f->scale, "");
            ends[i] = LLVMBuildSelect(b, f->shifts, shifted, ends[i], "");
        }
    }
    ends[0] = p->relu == AIC_RELU_SOURCE ? aic_zero(floats) : ends[0];
}

/* Rounds floats within 2^22 to nearest even: in the sum with a magic number the low mantissa bits are the integer. */
static LLVMValueRef rounded(aic_emit *e, LLVMValueRef x)
{
    LLVMTypeRef words = aic_vector(e->i32, LLVMGetVectorSize(LLVMTypeOf(x)));
    LLVMValueRef magic = aic_const_float(LLVMTypeOf(x), 3 * AIC_ROUND_LIMIT);
    LLVMValueRef sum = LLVMBuildBitCast(e->builder, LLVMBuildFAdd(e->builder, x, magic, ""), words, "");
    return LLVMBuildSub(e->builder, sum, LLVMConstBitCast(magic, words), "");
}

/* UP, LEAST and DOWN (value.h): the limits of the result less the offset, cut to 9 bits; within these, the limits of
 * products. */
static void product_limits(aic_emit *e, const aic_scaling *p, const fields *f, LLVMValueRef value[AIC_PARAMETERS])
{
    enum { BITS9_MIN = -256, BITS9_MAX = 255 };
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef floats = LLVMTypeOf(f->scale), words = LLVMTypeOf(f->offset);
    LLVMValueRef ends[2];
    LLVMValueRef low = LLVMBuildSub(b, aic_choose(e, f->is_signed, words, INT8_MIN, 0), f->offset, "");
    LLVMValueRef high = LLVMBuildSub(b, aic_choose(e, f->is_signed, words, INT8_MAX, UINT8_MAX), f->offset, "");
    low = LLVMBuildSIToFP(b, low, floats, "");
    low = p->wide_products ? low : larger(e, low, aic_const_float(floats, BITS9_MIN));
    high = LLVMBuildSIToFP(b, high, floats, "");
    low = p->unsigned_offset ? smaller(e, low, high) : low; /* where high is less than -256 */
    high = p->wide_products ? high : smaller(e, high, aic_const_float(floats, BITS9_MAX));
    high = larger(e, high, low); /* where low is 256 */
    product_ends(e, p, f, ends);
    LLVMValueRef most = larger(e, smaller(e, larger(e, ends[0], ends[1]), high), low);
    LLVMValueRef least = larger(e, smaller(e, smaller(e, ends[0], ends[1]), high), low);
    value[AIC_PARAMETER_UP] = LLVMBuildSub(b, aic_const_int(words, INT8_MAX), rounded(e, most), "");
    value[AIC_PARAMETER_LEAST] = LLVMBuildAdd(b, rounded(e, least), value[AIC_PARAMETER_UP], "");
    value[AIC_PARAMETER_DOWN] = LLVMBuildSub(b, f->offset, value[AIC_PARAMETER_UP], "");
}

void aic_decode_words(aic_emit *e, const aic_scaling *p, LLVMValueRef low, LLVMValueRef high,
                      LLVMValueRef value[AIC_PARAMETERS])
{
    const fields f = read_fields(e, p, low, high);
    value[AIC_PARAMETER_SCALE] = f.scale;
    if (p->shift) { /* times 2^-shift; scales so small that this is inexact have products that round to 0 anyway */
        LLVMTypeRef words = LLVMTypeOf(low);
        LLVMValueRef bits = LLVMBuildSub(e->builder, aic_const_int(words, 127), f.shift, "");
        bits = LLVMBuildShl(e->builder, bits, aic_const_int(words, AIC_FLOAT_MANTISSA), "");
        bits = LLVMBuildBitCast(e->builder, bits, LLVMTypeOf(f.scale), "");
        value[AIC_PARAMETER_SCALE] = LLVMBuildFMul(e->builder, f.scale, bits, "");
        value[AIC_PARAMETER_MASK] = LLVMBuildShl(e->builder, aic_const_int(words, -1), f.shift, "");
    }
    if (aic_gives_bytes(p)) {
        product_limits(e, p, &f, value);
    }
}
