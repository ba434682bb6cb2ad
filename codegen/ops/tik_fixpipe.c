/* tik_fixpipe as an epilogue (TIK conv2d): bursts are blocks of 16 columns. */
#include "frontend/ops/tik_fixpipe.h"
#include "codegen/contraction/contraction.h"

/* Operands: dst, src, bias, mode_param. */
enum { BIAS = 2, SCALES = 3, COLUMNS = 16, SOURCE_BYTES = 4 };

static aic_scale scale_of(const aic_tik_fixpipe_desc *d)
{
    if (d->quantize_params != AIC_TIK_QUANTIZE_INT322FP16) {
        return AIC_SCALE_NONE;
    }
    return d->mode_param_tensor ? AIC_SCALE_HALVES : AIC_SCALE_HALF;
}

/* bias, scales: operands of the kernel. */
static aic_epilogue epilogue_of(const aic_tik_fixpipe_desc *d, const aic_semantics *semantics, unsigned bias,
                                unsigned scales)
{
    const aic_tik_fixpipe_sizes sizes = aic_tik_fixpipe_sizes_of(d);
    const int64_t size = (int64_t)aic_dtype_size(d->dst);
    const bool half = scale_of(d) == AIC_SCALE_HALF && d->mode_param < AIC_TIK_FIXPIPE_SCALE_BY_ADDRESS;
    const bool by_address = scale_of(d) != AIC_SCALE_NONE && !half;
    aic_epilogue p = {
        .source = d->src,
        .target = d->dst,
        .rows = sizes.rows,
        .columns = d->cburst_num * COLUMNS,
        .matrices = 1,
        .width = COLUMNS,
        .target_block = sizes.dst_burst * size,
        .target_row = COLUMNS * size,
        .relu = d->relu ? AIC_RELU_RESULT : AIC_RELU_NONE,
        .scale = scale_of(d),
        .scale_operand = by_address ? scales : 0,
        .word = half ? aic_tik_fixpipe_scale(d) : 0,
        .need = d->mode_param == AIC_TIK_FIXPIPE_LARGE_SCALE_BY_ADDRESS ? AIC_NEED_LARGE : AIC_NEED_LITTLE,
        .saturate = semantics->overflow == AIC_OVERFLOW_SATURATE,
    };
    if (d->bias) {
        aic_epilogue_add_step(&p, AIC_STEP_BIAS, bias);
    }
    return p;
}

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    const aic_tik_fixpipe_desc *d = desc;
    *aic_epilogue_begin(work) = (aic_epilogue_kernel){
        .epilogue = epilogue_of(d, semantics, BIAS, SCALES),
        .block_bytes = aic_tik_fixpipe_sizes_of(d).src_burst * SOURCE_BYTES,
    };
}

static void fuse(const void *desc, const aic_semantics *semantics, const int *operand, aic_work *work)
{
    const aic_epilogue p = epilogue_of(desc, semantics, (unsigned)operand[BIAS], (unsigned)operand[SCALES]);
    aic_contraction_end(aic_contraction_change(work), &p);
}

const aic_generator aic_generator_tik_fixpipe = {.describe = describe, .fuse = fuse};
