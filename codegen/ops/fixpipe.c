/* fixpipe as an epilogue (AscendC Fixpipe, sections 3 to 6), alone and at the end of a contraction. */
#include "frontend/ops/fixpipe.h"
#include "codegen/generator.h"

/* Operands of fixpipe alone: dst, src, cbufWorkspace. */
enum { WORDS = 2, OPERANDS = 3 };

/* srcNdStride counts 256 elements, which are 16 rows of 16. */
enum { MATRIX_ROWS = 16, SOURCE_ROW_BYTES = 64 };

static aic_scale scale_of(aic_quant_pre mode)
{
    static const aic_scale scales[] = {
        [AIC_FIXPIPE_UNSCALED] = AIC_SCALE_NONE,
        [AIC_FIXPIPE_SCALAR] = AIC_SCALE_WORD,
        [AIC_FIXPIPE_VECTOR] = AIC_SCALE_WORDS,
    };
    return scales[aic_fixpipe_scale_of(mode)];
}

static aic_epilogue epilogue_of(const aic_fixpipe_desc *d, const aic_semantics *semantics)
{
    const aic_fixpipe_places places = aic_fixpipe_places_of(d);
    const int64_t size = (int64_t)aic_dtype_size(d->dst);
    return (aic_epilogue){
        .source = d->src,
        .target = d->dst,
        .rows = d->mSize,
        .columns = d->nSize,
        .matrices = places.matrices,
        .source_matrix = places.matrices > 1 ? d->srcNdStride * MATRIX_ROWS : 0,
        .target_matrix = places.matrix * size,
        .width = places.width,
        .target_block = places.block * size,
        .target_row = places.row * size,
        .narrow_tail = places.tail != places.row,
        .relu = d->reluEn ? AIC_RELU_SOURCE : AIC_RELU_NONE,
        .scale = scale_of(d->quantPre),
        .word = d->deqScalar,
        .shift = d->quantPre == AIC_REQ8 || d->quantPre == AIC_VREQ8,
        .saturate = semantics->overflow == AIC_OVERFLOW_SATURATE,
    };
}

static const aic_shape *describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    const aic_fixpipe_desc *d = desc;
    if (d->ndNum == 0) {
        return &aic_shape_nothing;
    }
    work->epilogue = (aic_epilogue_kernel){
        .epilogue = epilogue_of(d, semantics),
        .block_bytes = d->srcStride * SOURCE_ROW_BYTES,
        .operands = OPERANDS,
        .parameters = WORDS,
    };
    return &aic_shape_epilogue;
}

/* The producer's results are saturated as it would have stored them. */
static const aic_shape *fuse(const void *desc, const aic_semantics *semantics, const aic_shape *producer,
                             aic_work *work)
{
    const aic_fixpipe_desc *d = desc;
    aic_contraction *c = &work->contraction;
    if (d->ndNum == 0) {
        return &aic_shape_nothing;
    }
    const bool saturate_source = c->has_epilogue && c->epilogue.saturate_source;
    c->has_epilogue = true;
    c->epilogue = epilogue_of(d, semantics);
    c->epilogue.saturate_source = saturate_source;
    c->has_parameters = true;
    return producer;
}

const aic_generator aic_generator_fixpipe = {.describe = describe, .fuse = fuse};
