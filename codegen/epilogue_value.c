/* The arithmetic of epilogues on one vector (AscendC Fixpipe, sections 5 and 6; TIK conv2d, section 9). */
#include "codegen/epilogue_value.h"
#include "codegen/vec.h"
#include "frontend/half.h"

#include <float.h>
#include <math.h>

enum { LANES = AIC_EPILOGUE_LANES };

/* Adding 1.5 * 2^23 to a small number rounds it to an integer, to nearest even, whose lowest byte is that of the sum.
 */
#define ROUNDING_FLOAT 12582912.0

static const double HALF_MAX = 65504.0, BFLOAT16_MAX = 0x1.FEp127;

static bool is_float(const aic_epilogue *p)
{
    return p->source == AIC_FLOAT32;
}

static bool gives_bytes(const aic_epilogue *p)
{
    return p->target == AIC_INT8 || p->target == AIC_UINT8;
}

/* ---- parameters ---- */

static bool needed(const aic_epilogue *p, aic_parameter parameter)
{
    switch (parameter) {
    case AIC_PARAMETER_BIAS:
        return p->bias;
    case AIC_PARAMETER_SHIFT:
        return p->shift;
    case AIC_PARAMETER_SCALE:
        return p->scale != AIC_SCALE_NONE;
    case AIC_PARAMETER_OFFSET:
    case AIC_PARAMETER_LOW:
    case AIC_PARAMETER_HIGH:
        return gives_bytes(p);
    case AIC_PARAMETERS:
        break;
    }
    return false;
}

bool aic_epilogue_in_table(const aic_epilogue *p, aic_parameter parameter)
{
    bool per_column = parameter == AIC_PARAMETER_BIAS || p->scale == AIC_SCALE_WORDS || p->scale == AIC_SCALE_HALVES;
    return needed(p, parameter) && per_column;
}

int64_t aic_epilogue_block_bytes(const aic_epilogue *p)
{
    int64_t bytes = 0;
    for (int i = 0; i < AIC_PARAMETERS; i++) {
        bytes += aic_epilogue_in_table(p, (aic_parameter)i) ? LANES * (int64_t)sizeof(int32_t) : 0;
    }
    return bytes;
}

/* What a column's words say, besides the scale. */
typedef struct word_fields {
    LLVMValueRef shifts, is_signed; /* <16 x i1> */
    LLVMValueRef shift, offset;     /* <16 x i32> */
} word_fields;

static word_fields read_fields(aic_emit *e, LLVMValueRef high)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef type = LLVMTypeOf(high);
    LLVMValueRef none = aic_zero(type);
    LLVMValueRef shift = LLVMBuildAnd(b, high, aic_const_int(type, 15), "");
    word_fields f;
    f.shifts = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, high, aic_const_int(type, 1 << 4), ""), none, "");
    f.shift = LLVMBuildSelect(b, f.shifts, LLVMBuildAdd(b, shift, aic_const_int(type, 1), ""), none, "");
    f.offset = LLVMBuildShl(b, high, aic_const_int(type, 18), ""); /* bits 45:37, signed */
    f.offset = LLVMBuildAShr(b, f.offset, aic_const_int(type, 23), "");
    f.is_signed = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, high, aic_const_int(type, 1 << 14), ""), none, "");
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

/* The products of the ends of what comes to the scaling: what rectification and the limits of a shift leave of the
 * source. */
static void source_limits(aic_emit *e, const aic_epilogue *p, const word_fields *f, LLVMValueRef scale,
                          LLVMValueRef limits[2])
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef words = aic_vector(e->i32, LANES), floats = aic_vector(e->f32, LANES);
    if (is_float(p)) {
        LLVMValueRef endless = aic_const_float(floats, HUGE_VAL), none = aic_zero(floats);
        LLVMValueRef falls = LLVMBuildFCmp(b, LLVMRealOLT, scale, none, "");
        limits[0] = p->relu == AIC_RELU_SOURCE ? none : aic_const_float(floats, -HUGE_VAL);
        limits[1] = p->relu == AIC_RELU_SOURCE
                        ? LLVMBuildSelect(b, falls, aic_const_float(floats, -HUGE_VAL), endless, "")
                        : endless;
        return;
    }
    static const int64_t shifted[] = {INT16_MIN, INT16_MAX}, whole[] = {INT32_MIN, INT32_MAX};
    for (int i = 0; i < 2; i++) {
        LLVMValueRef limit = p->shift ? LLVMBuildSelect(b, f->shifts, aic_const_int(words, shifted[i]),
                                                        aic_const_int(words, whole[i]), "")
                                      : aic_const_int(words, whole[i]);
        limit = i == 0 && p->relu == AIC_RELU_SOURCE ? aic_zero(words) : limit;
        limits[i] = LLVMBuildFMul(b, LLVMBuildSIToFP(b, limit, floats, ""), scale, "");
    }
}

/* All limits on the way to a byte - rectification, the shift's, the 9 bits before the offset, those of the result -
 * are limits of the product: each step between is monotone. They are put together once a column. A byte then is the
 * product between the two limits, rounded, plus the offset. */
static void product_limits(aic_emit *e, const aic_epilogue *p, const word_fields *f, aic_parameters *parameters)
{
    enum { BITS9_MIN = -256, BITS9_MAX = 255 };
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef words = aic_vector(e->i32, LANES), floats = aic_vector(e->f32, LANES);
    LLVMValueRef low = LLVMBuildSelect(b, f->is_signed, aic_const_int(words, INT8_MIN), aic_const_int(words, 0), "");
    LLVMValueRef high =
        LLVMBuildSelect(b, f->is_signed, aic_const_int(words, INT8_MAX), aic_const_int(words, UINT8_MAX), "");
    low = LLVMBuildSIToFP(b, LLVMBuildSub(b, low, f->offset, ""), floats, "");
    high = LLVMBuildSIToFP(b, LLVMBuildSub(b, high, f->offset, ""), floats, "");
    low = larger(e, low, aic_const_float(floats, BITS9_MIN));
    high = larger(e, smaller(e, high, aic_const_float(floats, BITS9_MAX)), low); /* low can be 256 */
    LLVMValueRef ends[2];
    source_limits(e, p, f, parameters->value[AIC_PARAMETER_SCALE], ends);
    LLVMValueRef first = smaller(e, ends[0], ends[1]), last = larger(e, ends[0], ends[1]);
    parameters->value[AIC_PARAMETER_LOW] = larger(e, smaller(e, first, high), low);
    parameters->value[AIC_PARAMETER_HIGH] = larger(e, smaller(e, last, high), low);
}

void aic_epilogue_decode(aic_emit *e, const aic_epilogue *p, LLVMValueRef words, aic_parameters *parameters)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef wide = LLVMTypeOf(words), narrow = aic_vector(e->i32, LANES);
    LLVMValueRef low = LLVMBuildTrunc(b, words, narrow, "");
    LLVMValueRef high = LLVMBuildTrunc(b, LLVMBuildLShr(b, words, aic_const_int(wide, 32), ""), narrow, "");
    LLVMValueRef scale = LLVMBuildAnd(b, low, aic_const_int(narrow, ~(int64_t)0x1FFF), "");
    const word_fields f = read_fields(e, high);
    LLVMValueRef *value = parameters->value;
    value[AIC_PARAMETER_SCALE] = LLVMBuildBitCast(b, scale, aic_vector(e->f32, LANES), "");
    if (gives_bytes(p)) {
        value[AIC_PARAMETER_SHIFT] = f.shift;
        value[AIC_PARAMETER_OFFSET] = LLVMBuildTrunc(b, f.offset, aic_vector(e->i8, LANES), "");
        product_limits(e, p, &f, parameters);
    }
}

/* Those that are the same for every column: the builder folds them to constants. */
static void constant_parameters(aic_emit *e, const aic_epilogue *p, aic_parameters *parameters)
{
    if (p->scale == AIC_SCALE_WORD) {
        aic_epilogue_decode(e, p, aic_const_int(aic_vector(e->i64, LANES), (int64_t)p->word), parameters);
    } else if (p->scale == AIC_SCALE_HALF) {
        double scale = aic_half_to_double((uint16_t)p->word);
        parameters->value[AIC_PARAMETER_SCALE] = aic_const_float(aic_vector(e->f32, LANES), scale);
    }
}

static LLVMTypeRef parameter_type(aic_emit *e, const aic_epilogue *p, aic_parameter parameter)
{
    if (parameter == AIC_PARAMETER_OFFSET) {
        return aic_vector(e->i8, LANES);
    }
    bool word = parameter == AIC_PARAMETER_SHIFT || (parameter == AIC_PARAMETER_BIAS && !is_float(p));
    return aic_vector(word ? e->i32 : e->f32, LANES);
}

void aic_epilogue_parameters(aic_emit *e, const aic_epilogue *p, LLVMValueRef entry, aic_parameters *parameters)
{
    *parameters = (aic_parameters){{NULL}};
    constant_parameters(e, p, parameters);
    int64_t offset = 0;
    for (int i = 0; i < AIC_PARAMETERS; i++) {
        if (!needed(p, (aic_parameter)i)) {
            parameters->value[i] = NULL;
        } else if (aic_epilogue_in_table(p, (aic_parameter)i)) {
            LLVMTypeRef type = parameter_type(e, p, (aic_parameter)i);
            parameters->value[i] = aic_load(e, type, entry, offset, LANES * sizeof(int32_t));
            offset += LANES * (int64_t)sizeof(int32_t);
        }
    }
}

/* ---- steps, in their order ---- */

static LLVMValueRef add_bias(aic_emit *e, const aic_epilogue *p, LLVMValueRef x, LLVMValueRef bias)
{
    return is_float(p) ? LLVMBuildFAdd(e->builder, x, bias, "") : aic_add_saturated(e, x, bias);
}

/* +0 for what is not above 0; NaN stays. */
static LLVMValueRef rectify(aic_emit *e, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    if (LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind) {
        return aic_vector_max(e, x, aic_zero(type));
    }
    LLVMValueRef stays = LLVMBuildFCmp(e->builder, LLVMRealUGT, x, aic_zero(type), "");
    return LLVMBuildSelect(e->builder, stays, x, aic_zero(type), "");
}

/* See product_limits. */
static LLVMValueRef to_byte(aic_emit *e, const aic_epilogue *p, LLVMValueRef x, const aic_parameters *parameters)
{
    LLVMBuilderRef b = e->builder;
    x = is_float(p) ? aic_nan_to_zero(e, x) : x; /* no product of an integer and a legal scale is NaN */
    x = larger(e, smaller(e, x, parameters->value[AIC_PARAMETER_HIGH]), parameters->value[AIC_PARAMETER_LOW]);
    x = LLVMBuildFAdd(b, x, aic_const_float(LLVMTypeOf(x), ROUNDING_FLOAT), "");
    x = LLVMBuildTrunc(b, LLVMBuildBitCast(b, x, aic_vector(e->i32, LANES), ""), aic_vector(e->i8, LANES), "");
    return LLVMBuildAdd(b, x, parameters->value[AIC_PARAMETER_OFFSET], "");
}

static LLVMValueRef to_short_float(aic_emit *e, const aic_epilogue *p, LLVMValueRef x)
{
    bool half = p->target == AIC_FLOAT16;
    if (p->saturate) {
        double most = half ? HALF_MAX : BFLOAT16_MAX;
        x = aic_clamp_float(e, x, -most, most);
        x = is_float(p) ? aic_nan_to_zero(e, x) : x;
    }
    return half ? aic_float_to_half(e, x) : aic_float_to_bfloat16(e, x);
}

LLVMValueRef aic_epilogue_value(aic_emit *e, const aic_epilogue *p, const aic_parameters *parameters,
                                LLVMValueRef accumulators)
{
    LLVMTypeRef floats = aic_vector(e->f32, LANES), words = aic_vector(e->i32, LANES);
    LLVMValueRef x = is_float(p) ? LLVMBuildBitCast(e->builder, accumulators, floats, "") : accumulators;
    bool converts = p->target != p->source;
    if (p->saturate_source) {
        x = aic_nan_to_zero(e, aic_clamp_float(e, x, -(double)FLT_MAX, (double)FLT_MAX));
    }
    if (p->bias) {
        x = add_bias(e, p, x, parameters->value[AIC_PARAMETER_BIAS]);
    }
    if (p->relu == AIC_RELU_SOURCE && !gives_bytes(p)) {
        x = rectify(e, x);
    }
    if (p->shift) {
        x = LLVMBuildAShr(e->builder, x, parameters->value[AIC_PARAMETER_SHIFT], "");
    }
    if (converts && !is_float(p)) {
        x = LLVMBuildSIToFP(e->builder, x, floats, "");
    }
    if (p->scale != AIC_SCALE_NONE) {
        x = LLVMBuildFMul(e->builder, x, parameters->value[AIC_PARAMETER_SCALE], "");
    }
    if (p->relu == AIC_RELU_RESULT) { /* rounding to a shorter float changes no sign, so it may come after this */
        x = rectify(e, x);
    }
    if (gives_bytes(p)) {
        return to_byte(e, p, x, parameters);
    }
    return converts ? to_short_float(e, p, x) : LLVMBuildBitCast(e->builder, x, words, "");
}
