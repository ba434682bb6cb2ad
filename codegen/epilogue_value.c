/* The arithmetic of epilogues on one vector (AscendC Fixpipe, sections 5 and 6; TIK conv2d, section 9). */
#include "codegen/epilogue_value.h"
#include "codegen/vec.h"
#include "frontend/half.h"

#include <float.h>

enum { LANES = AIC_EPILOGUE_LANES };

/* Adding 1.5 * 2^23 to a small number rounds it to an integer, to nearest even, which then stands in the lowest bits of
 * the sum. */
#define ROUNDING_FLOAT 12582912.0
#define ROUNDING_BITS 0x4B400000

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
    case AIC_PARAMETER_SHIFT_LOW:
    case AIC_PARAMETER_SHIFT_HIGH:
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

void aic_epilogue_decode(aic_emit *e, LLVMValueRef words, aic_parameters *parameters)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef wide = LLVMTypeOf(words), narrow = aic_vector(e->i32, LANES);
    LLVMValueRef low = LLVMBuildTrunc(b, words, narrow, "");
    LLVMValueRef high = LLVMBuildTrunc(b, LLVMBuildLShr(b, words, aic_const_int(wide, 32), ""), narrow, "");
    LLVMValueRef none = aic_zero(narrow), one = aic_const_int(narrow, 1);
    /* bits 45:37, signed */
    LLVMValueRef offset = LLVMBuildShl(b, high, aic_const_int(narrow, 18), "");
    offset = LLVMBuildAShr(b, offset, aic_const_int(narrow, 23), "");
    LLVMValueRef is_signed = LLVMBuildAnd(b, high, aic_const_int(narrow, 1 << 14), "");
    is_signed = LLVMBuildICmp(b, LLVMIntNE, is_signed, none, "");
    LLVMValueRef shifts =
        LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, high, aic_const_int(narrow, 1 << 4), ""), none, "");
    LLVMValueRef shift = LLVMBuildAdd(b, LLVMBuildAnd(b, high, aic_const_int(narrow, 15), ""), one, "");
    LLVMValueRef scale = LLVMBuildAnd(b, low, aic_const_int(narrow, ~(int64_t)0x1FFF), "");
    LLVMValueRef *value = parameters->value;
    value[AIC_PARAMETER_SCALE] = LLVMBuildBitCast(b, scale, aic_vector(e->f32, LANES), "");
    value[AIC_PARAMETER_SHIFT] = LLVMBuildSelect(b, shifts, shift, none, "");
    value[AIC_PARAMETER_SHIFT_LOW] =
        LLVMBuildSelect(b, shifts, aic_const_int(narrow, INT16_MIN), aic_const_int(narrow, INT32_MIN), "");
    value[AIC_PARAMETER_SHIFT_HIGH] =
        LLVMBuildSelect(b, shifts, aic_const_int(narrow, INT16_MAX), aic_const_int(narrow, INT32_MAX), "");
    value[AIC_PARAMETER_OFFSET] = LLVMBuildSub(b, offset, aic_const_int(narrow, ROUNDING_BITS), "");
    value[AIC_PARAMETER_LOW] = LLVMBuildSelect(b, is_signed, aic_const_int(narrow, INT8_MIN), none, "");
    value[AIC_PARAMETER_HIGH] =
        LLVMBuildSelect(b, is_signed, aic_const_int(narrow, INT8_MAX), aic_const_int(narrow, UINT8_MAX), "");
}

/* Those that are the same for every column: the builder folds them to constants. */
static void constant_parameters(aic_emit *e, const aic_epilogue *p, aic_parameters *parameters)
{
    if (p->scale == AIC_SCALE_WORD) {
        aic_epilogue_decode(e, aic_const_int(aic_vector(e->i64, LANES), (int64_t)p->word), parameters);
    } else if (p->scale == AIC_SCALE_HALF) {
        double scale = aic_half_to_double((uint16_t)p->word);
        parameters->value[AIC_PARAMETER_SCALE] = aic_const_float(aic_vector(e->f32, LANES), scale);
    }
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
            bool real = i == AIC_PARAMETER_SCALE || (i == AIC_PARAMETER_BIAS && is_float(p));
            LLVMTypeRef type = aic_vector(real ? e->f32 : e->i32, LANES);
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

static LLVMValueRef shift(aic_emit *e, LLVMValueRef x, const aic_parameters *parameters)
{
    x = LLVMBuildAShr(e->builder, x, parameters->value[AIC_PARAMETER_SHIFT], "");
    x = aic_vector_max(e, x, parameters->value[AIC_PARAMETER_SHIFT_LOW]);
    return aic_vector_min(e, x, parameters->value[AIC_PARAMETER_SHIFT_HIGH]);
}

static LLVMValueRef to_byte(aic_emit *e, const aic_epilogue *p, LLVMValueRef x, const aic_parameters *parameters)
{
    LLVMBuilderRef b = e->builder;
    x = aic_clamp_float(e, x, -256, 255);
    x = is_float(p) ? aic_nan_to_zero(e, x) : x; /* no product of an integer and a legal scale is NaN */
    x = LLVMBuildFAdd(b, x, aic_const_float(LLVMTypeOf(x), ROUNDING_FLOAT), "");
    x = LLVMBuildBitCast(b, x, aic_vector(e->i32, LANES), "");
    x = LLVMBuildAdd(b, x, parameters->value[AIC_PARAMETER_OFFSET], "");
    x = aic_vector_max(e, x, parameters->value[AIC_PARAMETER_LOW]);
    x = aic_vector_min(e, x, parameters->value[AIC_PARAMETER_HIGH]);
    return LLVMBuildTrunc(b, x, aic_vector(e->i8, LANES), "");
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
    if (p->relu == AIC_RELU_SOURCE) {
        x = rectify(e, x);
    }
    if (p->shift) {
        x = shift(e, x, parameters);
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
