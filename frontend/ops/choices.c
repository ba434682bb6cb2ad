/* Which choices (aic/choices.def) the result of an operator can depend on, given its descriptor. */
#include "frontend/core/choice.h"
#include "frontend/ops/fixpipe.h"

#include <string.h>

/* A choice, and whether the result of a descriptor can depend on it. */
typedef struct dependence {
    const char *key;
    bool matters;
} dependence;

/* Choices that are not in the rows never matter. */
static bool look_up(const dependence *rows, size_t count, const char *key)
{
    size_t i = 0;
    while (i < count && strcmp(rows[i].key, key) != 0) {
        i++;
    }
    return i < count && rows[i].matters;
}

#define LOOK_UP(rows, key) look_up(rows, sizeof(rows) / sizeof(rows)[0], key)

/* conv2d and mmad. */
static bool of_sum(aic_dtype dtype, aic_accumulate accumulate, bool narrows, const char *key)
{
    const bool floats = dtype != AIC_INT8;
    const dependence rows[] = {
        {"sum", floats && accumulate == AIC_ACCUMULATE_CUBE},
        {"int_overflow", !floats},
        {"overflow", floats && narrows},
    };
    return LOOK_UP(rows, key);
}

/* ---- fixpipe ---- */

/* Whether words have one of these bits, as far as is known before the call. */
static bool may_have(const aic_fixpipe_desc *desc, uint64_t bits)
{
    return aic_fixpipe_scale_of(desc->quantPre) == AIC_FIXPIPE_VECTOR || (desc->deqScalar & bits) != 0;
}

static bool of_fixpipe(const aic_fixpipe_desc *desc, const aic_semantics *semantics, const char *key)
{
    const aic_fixpipe_scale scale = aic_fixpipe_scale_of(desc->quantPre);
    const size_t size = aic_dtype_size(desc->dst);
    const bool byte = size == 1, shifted = byte && desc->src == AIC_INT32 && may_have(desc, UINT64_C(1) << 36);
    /* Integers have one zero; their products with the scale are floats. */
    const bool zeros =
        desc->src == AIC_FLOAT32 || (desc->quantPre != AIC_QUANT_NO_QUANT && semantics->relu == AIC_RELU_ORDER_AFTER);
    const dependence rows[] = {
        {"offset_sign", byte && may_have(desc, UINT64_C(1) << 45)},
        {"n_field", shifted},
        {"shift", shifted},
        {"scale_bits", scale == AIC_FIXPIPE_SCALAR && (desc->deqScalar & 0x1FFF) != 0},
        {"offset_clamp", byte && may_have(desc, UINT64_C(0x1FF) << 37)},
        /* A positive scale, and 0, keep the sign of the source, so that it does not matter where it is rectified. */
        {"relu", desc->reluEn && scale != AIC_FIXPIPE_UNSCALED && may_have(desc, UINT64_C(1) << 31)},
        {"relu_zero", desc->reluEn && !byte && zeros}, /* bytes are the same of +0, -0 and NaN */
        {"overflow", size == 2},
    };
    return LOOK_UP(rows, key);
}

/* ---- others ---- */

static bool of_arithmetic(const aic_tensor_arithmetic_desc *desc, const char *key)
{
    const dependence rows[] = {
        {"mac", desc->op == AIC_ATOMIC_BM_MAC},
        {"minmax_nan", desc->op == AIC_ATOMIC_BM_MAX || desc->op == AIC_ATOMIC_BM_MIN},
    };
    return LOOK_UP(rows, key);
}

static bool of_quantized(const aic_tensor_arithmetic_quantized_desc *desc, const char *key)
{
    const bool product = desc->op == AIC_ATOMIC_BM_MUL || desc->op == AIC_ATOMIC_BM_MAC;
    return strcmp(key, "rounding") == 0 && product && desc->rshift_bit > 0;
}

/* Of every Mat tile, whatever its valid region: requests that differ in the region alone are one request. */
static bool of_texpands(const aic_texpands_desc *desc, const char *key)
{
    return strcmp(key, "mat_valid") == 0 && desc->loc == AIC_LOC_MAT && desc->layout == AIC_LAYOUT_ND;
}

bool aic_stage_choice_matters(const aic_stage *stage, const aic_semantics *semantics, const char *key)
{
    switch (stage->op) {
    case AIC_OP_CONV2D:
        return of_sum(stage->desc.conv2d.dtype, stage->desc.conv2d.accumulate, false, key);
    case AIC_OP_MMAD:
        return of_sum(stage->desc.mmad.dtype, stage->desc.mmad.accumulate, true, key);
    case AIC_OP_FIXPIPE:
        return of_fixpipe(&stage->desc.fixpipe, semantics, key);
    case AIC_OP_TIK_FIXPIPE:
        return strcmp(key, "overflow") == 0 && aic_dtype_size(stage->desc.tik_fixpipe.dst) == 2;
    case AIC_OP_TENSOR_ARITHMETIC:
        return of_arithmetic(&stage->desc.tensor_arithmetic, key);
    case AIC_OP_TENSOR_ARITHMETIC_QUANTIZED:
        return of_quantized(&stage->desc.tensor_arithmetic_quantized, key);
    case AIC_OP_TEXPANDS:
        return of_texpands(&stage->desc.texpands, key);
    default: /* moves, which decide nothing */
        return false;
    }
}
