/* Which choices (aic/choices.def) the result of an operator can depend on, given its descriptor. */
#include "frontend/core/choice.h"
#include "frontend/ops/fixpipe.h"

#include <string.h>

/* ---- conv2d, mmad ---- */

static bool conv2d_sum(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    return stage->desc.conv2d.dtype != AIC_INT8 && stage->desc.conv2d.accumulate == AIC_ACCUMULATE_CUBE;
}

static bool conv2d_integers(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    return stage->desc.conv2d.dtype == AIC_INT8;
}

static bool mmad_sum(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    return stage->desc.mmad.dtype != AIC_INT8 && stage->desc.mmad.accumulate == AIC_ACCUMULATE_CUBE;
}

static bool mmad_integers(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    return stage->desc.mmad.dtype == AIC_INT8;
}

static bool mmad_floats(const aic_stage *stage, const aic_semantics *semantics)
{
    return !mmad_integers(stage, semantics);
}

/* ---- fixpipe ---- */

static bool is_vector(const aic_fixpipe_desc *desc)
{
    return aic_fixpipe_scale_of(desc->quantPre) == AIC_FIXPIPE_VECTOR;
}

static bool is_byte(const aic_fixpipe_desc *desc)
{
    return aic_dtype_size(desc->dst) == 1;
}

/* Whether words have one of these bits, as far as is known before the call. */
static bool may_have(const aic_fixpipe_desc *desc, uint64_t bits)
{
    return is_vector(desc) || (desc->deqScalar & bits) != 0;
}

static bool fixpipe_offset(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    return is_byte(&stage->desc.fixpipe) && may_have(&stage->desc.fixpipe, UINT64_C(1) << 45);
}

static bool fixpipe_shift(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    const aic_fixpipe_desc *desc = &stage->desc.fixpipe;
    return is_byte(desc) && desc->src == AIC_INT32 && may_have(desc, UINT64_C(1) << 36);
}

static bool fixpipe_scale_bits(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    const aic_fixpipe_desc *desc = &stage->desc.fixpipe;
    return aic_fixpipe_scale_of(desc->quantPre) == AIC_FIXPIPE_SCALAR && (desc->deqScalar & 0x1FFF) != 0;
}

static bool fixpipe_clamp(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    return is_byte(&stage->desc.fixpipe) && may_have(&stage->desc.fixpipe, UINT64_C(0x1FF) << 37);
}

/* A positive scale, and 0, keep the sign of the source, so that it does not matter where it is rectified. */
static bool fixpipe_relu(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    const aic_fixpipe_desc *desc = &stage->desc.fixpipe;
    return desc->reluEn && aic_fixpipe_scale_of(desc->quantPre) != AIC_FIXPIPE_UNSCALED &&
           may_have(desc, UINT64_C(1) << 31);
}

/* 8-bit results are the same of +0, -0 and NaN. Integers have one zero; their products with the scale are floats. */
static bool fixpipe_relu_zero(const aic_stage *stage, const aic_semantics *semantics)
{
    const aic_fixpipe_desc *desc = &stage->desc.fixpipe;
    return desc->reluEn && !is_byte(desc) &&
           (desc->src == AIC_FLOAT32 ||
            (desc->quantPre != AIC_QUANT_NO_QUANT && semantics->relu == AIC_RELU_ORDER_AFTER));
}

static bool fixpipe_overflow(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    return aic_dtype_size(stage->desc.fixpipe.dst) == 2;
}

static bool tik_fixpipe_overflow(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    return aic_dtype_size(stage->desc.tik_fixpipe.dst) == 2;
}

/* ---- tensor arithmetic, texpands ---- */

static bool arithmetic_mac(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    return stage->desc.tensor_arithmetic.op == AIC_ATOMIC_BM_MAC;
}

static bool arithmetic_extreme(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    return stage->desc.tensor_arithmetic.op == AIC_ATOMIC_BM_MAX ||
           stage->desc.tensor_arithmetic.op == AIC_ATOMIC_BM_MIN;
}

static bool quantized_rounding(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    const aic_tensor_arithmetic_quantized_desc *desc = &stage->desc.tensor_arithmetic_quantized;
    return (desc->op == AIC_ATOMIC_BM_MUL || desc->op == AIC_ATOMIC_BM_MAC) && desc->rshift_bit > 0;
}

/* Of every Mat tile, whatever its valid region: requests that differ in the region alone are one request. */
static bool texpands_region(const aic_stage *stage, const aic_semantics *semantics)
{
    (void)semantics;
    return stage->desc.texpands.loc == AIC_LOC_MAT && stage->desc.texpands.layout == AIC_LAYOUT_ND;
}

/* ---- the table ---- */

static const struct {
    aic_op op;
    const char *key;
    bool (*matters)(const aic_stage *stage, const aic_semantics *semantics);
} dependences[] = {
    {AIC_OP_CONV2D, "sum", conv2d_sum},
    {AIC_OP_CONV2D, "int_overflow", conv2d_integers},
    {AIC_OP_MMAD, "sum", mmad_sum},
    {AIC_OP_MMAD, "int_overflow", mmad_integers},
    {AIC_OP_MMAD, "overflow", mmad_floats},
    {AIC_OP_FIXPIPE, "offset_sign", fixpipe_offset},
    {AIC_OP_FIXPIPE, "n_field", fixpipe_shift},
    {AIC_OP_FIXPIPE, "shift", fixpipe_shift},
    {AIC_OP_FIXPIPE, "scale_bits", fixpipe_scale_bits},
    {AIC_OP_FIXPIPE, "offset_clamp", fixpipe_clamp},
    {AIC_OP_FIXPIPE, "relu", fixpipe_relu},
    {AIC_OP_FIXPIPE, "relu_zero", fixpipe_relu_zero},
    {AIC_OP_FIXPIPE, "overflow", fixpipe_overflow},
    {AIC_OP_TIK_FIXPIPE, "overflow", tik_fixpipe_overflow},
    {AIC_OP_TENSOR_ARITHMETIC, "mac", arithmetic_mac},
    {AIC_OP_TENSOR_ARITHMETIC, "minmax_nan", arithmetic_extreme},
    {AIC_OP_TENSOR_ARITHMETIC_QUANTIZED, "rounding", quantized_rounding},
    {AIC_OP_TEXPANDS, "mat_valid", texpands_region},
};

bool aic_stage_choice_matters(const aic_stage *stage, const aic_semantics *semantics, const char *key)
{
    for (size_t i = 0; i < sizeof dependences / sizeof dependences[0]; i++) {
        if (dependences[i].op == stage->op && strcmp(dependences[i].key, key) == 0) {
            return dependences[i].matters(stage, semantics);
        }
    }
    return false;
}
