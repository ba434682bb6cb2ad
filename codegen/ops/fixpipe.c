/* fixpipe as an epilogue (AscendC Fixpipe), alone and at the end of a contraction. */
#include "frontend/ops/fixpipe.h"
#include "codegen/contraction/contraction.h"

/* The operand of quantisation words, behind dst and src. */
enum { WORDS = 2 };

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

/* Whether code gets the one word by an address; what it must provide for. */
static bool is_marked(const aic_fixpipe_desc *d)
{
    return (d->deqScalar & AIC_FIXPIPE_WORD_BY_ADDRESS) != 0;
}

/* What rectifies has a least result of its own, which code that moves results must know. */
static unsigned need_of(const aic_fixpipe_desc *d, const aic_semantics *semantics)
{
    static const struct {
        aic_fixpipe_word kind;
        unsigned need;
    } needs[] = {{AIC_FIXPIPE_WORD_OFFSET, AIC_NEED_UP},
                 {AIC_FIXPIPE_WORD_UNSIGNED, AIC_NEED_UP | AIC_NEED_DOWN},
                 {AIC_FIXPIPE_WORD_SHIFTS, AIC_NEED_MASK},
                 {AIC_FIXPIPE_WORD_LIMITED, AIC_NEED_LIMITS},
                 {AIC_FIXPIPE_WORD_LARGE, AIC_NEED_LARGE}};
    const unsigned kinds = is_marked(d) ? aic_fixpipe_marked(d->deqScalar) : 0;
    unsigned need = AIC_NEED_LITTLE;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        need |= (kinds & needs[i].kind) != 0 ? needs[i].need : 0U;
    }
    const bool far = (need & AIC_NEED_UP) != 0 && semantics->offset_sign == AIC_OFFSET_SIGN_UNSIGNED;
    return need | (far ? AIC_NEED_LIMITS : 0U) | (need != AIC_NEED_LITTLE && d->reluEn ? AIC_NEED_LEAST : 0U);
}

/* What is not scaled is its own product, and a scale without a sign, as far as code knows it, turns none over. */
static aic_relu relu_of(const aic_fixpipe_desc *d, const aic_semantics *semantics)
{
    const bool known = scale_of(d->quantPre) == AIC_SCALE_WORD && !is_marked(d);
    const bool turns = known ? (d->deqScalar >> 31 & 1) != 0 : scale_of(d->quantPre) != AIC_SCALE_NONE;
    const bool after = semantics->relu == AIC_RELU_ORDER_AFTER && turns;
    return !d->reluEn ? AIC_RELU_NONE : after ? AIC_RELU_RESULT : AIC_RELU_SOURCE;
}

/* words: the operand of quantisation words. */
static aic_epilogue epilogue_of(const aic_fixpipe_desc *d, const aic_semantics *semantics, int words)
{
    const aic_fixpipe_strides strides = aic_fixpipe_strides_of(d);
    const int64_t size = (int64_t)aic_dtype_size(d->dst);
    const bool by_address = is_marked(d) || scale_of(d->quantPre) == AIC_SCALE_WORDS;
    return (aic_epilogue){
        .source = d->src,
        .target = d->dst,
        .rows = d->mSize,
        .columns = d->nSize,
        .matrices = strides.matrices,
        .source_matrix = strides.matrices > 1 ? d->srcNdStride * MATRIX_ROWS : 0,
        .target_matrix = strides.matrix * size,
        .width = strides.width,
        .target_block = strides.block * size,
        .target_row = strides.row * size,
        .tail.narrow = strides.tail != strides.row,
        .tail.fill = aic_fixpipe_fills(d),
        .relu = relu_of(d, semantics),
        .scale = scale_of(d->quantPre),
        .scale_operand = by_address ? (unsigned)words : 0,
        .need = need_of(d, semantics),
        .word = d->deqScalar,
        .reads.shift = d->quantPre == AIC_QUANT_REQ8 || d->quantPre == AIC_QUANT_VREQ8,
        .reads.full_scale = semantics->scale_bits == AIC_SCALE_BITS_FULL && scale_of(d->quantPre) == AIC_SCALE_WORD,
        .reads.unsigned_offset = semantics->offset_sign == AIC_OFFSET_SIGN_UNSIGNED,
        .reads.wide_products = semantics->offset_clamp == AIC_OFFSET_CLAMP_NONE,
        .saturate = semantics->overflow == AIC_OVERFLOW_SATURATE,
    };
}

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    const aic_fixpipe_desc *d = desc;
    if (d->ndNum == 0) {
        aic_work_empty(work);
        return;
    }
    *aic_epilogue_begin(work) = (aic_epilogue_kernel){
        .epilogue = epilogue_of(d, semantics, WORDS),
        .block_bytes = d->srcStride * SOURCE_ROW_BYTES,
    };
}

/* The producer's results are saturated as it would have stored them. */
static void fuse(const void *desc, const aic_semantics *semantics, const int *operand, aic_work *work)
{
    const aic_fixpipe_desc *d = desc;
    if (d->ndNum == 0) {
        aic_work_empty(work);
        return;
    }
    const aic_epilogue epilogue = epilogue_of(d, semantics, operand[WORDS]);
    aic_contraction_end(aic_contraction_change(work), &epilogue);
}

const aic_generator aic_generator_fixpipe = {.describe = describe, .fuse = fuse};
