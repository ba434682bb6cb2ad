/* Pseudo-random fixpipe descriptors for the checks: of every mode and layout. */
#include "frontend/ops/fixpipe.h"

#include "frontend/random/rng.h"

/* What one check may touch. */
#define ELEMENTS_MAX INT64_C(100000)

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof((array)[0])))

/* ---- alone ---- */

/* A quantisation word with all fields random but for a legal scale. */
static uint64_t draw_word(uint64_t *state)
{
    const uint64_t bits = aic_rng_next(state) & UINT64_C(0xFFFFFFFF807FFFFF); /* without the exponent */
    const int64_t exponent = aic_rng_once_in(state, 4) ? aic_rng_range(state, 1, 254) : aic_rng_range(state, 110, 140);
    return aic_rng_once_in(state, 20) ? bits & UINT64_C(0xFFFFFFFF80000000) : bits | (uint64_t)exponent << 23;
}

static void draw_mode(uint64_t *state, aic_fixpipe_desc *desc)
{
    static const struct {
        aic_quant_pre mode;
        aic_dtype src, dst[2];
    } rows[] = {
        {AIC_QUANT_NO_QUANT, AIC_FLOAT32, {AIC_FLOAT32, AIC_FLOAT32}},
        {AIC_QUANT_NO_QUANT, AIC_INT32, {AIC_INT32, AIC_INT32}},
        {AIC_QUANT_F322F16, AIC_FLOAT32, {AIC_FLOAT16, AIC_FLOAT16}},
        {AIC_QUANT_F322BF16, AIC_FLOAT32, {AIC_BFLOAT16, AIC_BFLOAT16}},
        {AIC_QUANT_DEQF16, AIC_INT32, {AIC_FLOAT16, AIC_FLOAT16}},
        {AIC_QUANT_VDEQF16, AIC_INT32, {AIC_FLOAT16, AIC_FLOAT16}},
        {AIC_QUANT_QF322B8_PRE, AIC_FLOAT32, {AIC_INT8, AIC_UINT8}},
        {AIC_QUANT_VQF322B8_PRE, AIC_FLOAT32, {AIC_INT8, AIC_UINT8}},
        {AIC_QUANT_REQ8, AIC_INT32, {AIC_INT8, AIC_UINT8}},
        {AIC_QUANT_VREQ8, AIC_INT32, {AIC_INT8, AIC_UINT8}},
    };
    const int64_t row = aic_rng_range(state, 0, COUNT(rows) - 1);
    desc->quantPre = rows[row].mode;
    desc->src = rows[row].src;
    desc->dst = rows[row].dst[aic_rng_range(state, 0, 1)];
    desc->format = aic_rng_once_in(state, 2) ? AIC_FORMAT_NZ : AIC_FORMAT_ROW_MAJOR;
    desc->isChannelSplit = desc->format == AIC_FORMAT_NZ && desc->dst == AIC_FLOAT32 && aic_rng_once_in(state, 2);
    desc->fill_block = desc->format == AIC_FORMAT_NZ && aic_dtype_size(desc->dst) == 1 && aic_rng_once_in(state, 3);
    desc->reluEn = aic_rng_once_in(state, 3);
    /* Ignored by the modes that read no scalar: anything then. */
    const bool scalar = aic_fixpipe_scale_of(desc->quantPre) == AIC_FIXPIPE_SCALAR;
    desc->deqScalar = scalar ? draw_word(state) : aic_rng_once_in(state, 2) ? 0 : aic_rng_next(state);
}

/* Columns that a size of the format is a multiple of. */
static int64_t column_step(const aic_fixpipe_desc *desc)
{
    return desc->format == AIC_FORMAT_ROW_MAJOR ? 1 : desc->isChannelSplit ? 8 : 16;
}

static void draw_sizes(uint64_t *state, aic_fixpipe_desc *desc)
{
    const int64_t multiple = column_step(desc);
    const int64_t rows = desc->format == AIC_FORMAT_NZ ? 65535 : 8192;
    if (desc->format == AIC_FORMAT_NZ && aic_rng_once_in(state, 40)) { /* more rows than the other format has */
        desc->nSize = multiple;
        desc->mSize = aic_rng_range(state, 8193, 65535);
        return;
    }
    desc->nSize = aic_rng_skewed(state, 1, 200 / multiple, 4095 / multiple) * multiple;
    desc->mSize = aic_rng_once_in(state, 8) ? 1 : aic_rng_skewed(state, 1, 150, rows);
    while (desc->nSize * desc->mSize > ELEMENTS_MAX) {
        int64_t *larger = desc->nSize > desc->mSize ? &desc->nSize : &desc->mSize;
        const int64_t step = larger == &desc->nSize ? multiple : 1;
        *larger = *larger / step / 2 * step;
    }
}

/* Matrices one after the other, or their rows interleaved. */
static void draw_matrices(uint64_t *state, aic_fixpipe_desc *desc)
{
    desc->ndNum = aic_rng_range(state, 2, aic_rng_once_in(state, 4) ? 40 : 5);
    while (desc->ndNum > 2 && desc->ndNum * desc->nSize * desc->mSize > ELEMENTS_MAX) {
        desc->ndNum /= 2;
    }
    const int64_t blocks = (desc->mSize + 15) / 16;
    desc->srcNdStride = aic_rng_once_in(state, 3) ? aic_rng_range(state, 1, 20) : blocks + aic_rng_range(state, 0, 2);
    desc->srcNdStride = desc->srcNdStride > 512 ? 512 : desc->srcNdStride;
    const int64_t apart = (desc->mSize - 1) * desc->dstStride + desc->nSize;
    const int64_t gap = aic_rng_once_in(state, 2) ? 0 : aic_rng_range(state, 0, 20);
    desc->dstNdStride = apart + gap;
    if (apart + gap > 65535 || aic_rng_once_in(state, 2)) {
        desc->dstNdStride = desc->nSize + gap;
        desc->dstStride = (desc->ndNum - 1) * desc->dstNdStride + desc->nSize + aic_rng_range(state, 0, 3);
    }
}

static void draw_strides(uint64_t *state, aic_fixpipe_desc *desc)
{
    const int64_t dense = (desc->mSize + 15) / 16 * 16;
    desc->srcStride = AIC_RNG_PICK(state, dense, dense, desc->mSize, dense + 16, aic_rng_range(state, 0, 2 * dense), 0);
    desc->srcStride = desc->srcStride > 65535 ? 65535 : desc->srcStride;
    const bool gaps = aic_rng_once_in(state, 2);
    if (desc->format == AIC_FORMAT_ROW_MAJOR) {
        desc->dstStride = desc->nSize + (gaps ? aic_rng_range(state, 1, 70) : 0);
        if (desc->mSize == 1 && aic_rng_once_in(state, 2)) {
            desc->dstStride = AIC_RNG_PICK(state, 1, 7, UINT32_MAX);
        }
        desc->ndNum = 1;
        if (aic_rng_once_in(state, 3)) {
            draw_matrices(state, desc);
        }
    } else {
        const int64_t width = desc->isChannelSplit ? 8 : aic_dtype_size(desc->dst) == 1 ? 32 : 16;
        const int64_t bytes = desc->mSize * width * (int64_t)aic_dtype_size(desc->dst);
        desc->dstStride = (bytes + 31) / 32 + (gaps ? aic_rng_range(state, 1, 9) : 0);
        desc->ndNum = AIC_RNG_PICK(state, 1, 1, 1, 2, 65535);
    }
    if (desc->ndNum == 1 && aic_rng_once_in(state, 4)) { /* not used */
        desc->srcNdStride = aic_rng_range(state, -1, 600);
        desc->dstNdStride = aic_rng_range(state, -1, 70000);
    }
    if (aic_rng_once_in(state, 40)) {
        desc->ndNum = 0;
    }
}

void aic_fixpipe_random(uint64_t *state, void *descriptor)
{
    aic_fixpipe_desc *desc = descriptor;
    draw_mode(state, desc);
    draw_sizes(state, desc);
    draw_strides(state, desc);
}

/* ---- at the end of a chain ---- */

/* Rows and columns left out, all given, or some; the accumulator may hold fewer columns than format NZ needs. */
static void fit_sizes(uint64_t *state, const aic_accumulator *from, aic_fixpipe_desc *desc)
{
    if (from->columns < column_step(desc)) {
        desc->format = AIC_FORMAT_ROW_MAJOR;
        desc->isChannelSplit = desc->fill_block = false;
    }
    const int64_t multiple = column_step(desc);
    const int64_t most = from->columns / multiple * multiple;
    const int64_t some = aic_rng_edge(state, 1, from->columns / multiple) * multiple;
    desc->nSize = AIC_RNG_PICK(state, most == from->columns ? 0 : most, most, some);
    desc->mSize = AIC_RNG_PICK(state, 0, from->rows, aic_rng_edge(state, 1, from->rows));
    desc->srcStride = AIC_RNG_PICK(state, 0, from->block_rows);
}

/* The least legal dstStride of one matrix, for sizes that may be left out. */
static int64_t dense_stride(const aic_accumulator *from, const aic_fixpipe_desc *desc)
{
    const int64_t rows = desc->mSize ? desc->mSize : from->rows;
    if (desc->format == AIC_FORMAT_ROW_MAJOR) {
        return desc->nSize ? desc->nSize : from->columns;
    }
    const int64_t width = desc->isChannelSplit ? 8 : aic_dtype_size(desc->dst) == 1 ? 32 : 16;
    return (rows * width * (int64_t)aic_dtype_size(desc->dst) + 31) / 32;
}

/* Matrices of rows that follow each other in the accumulator, or overlap in it. */
static void fit_matrices(uint64_t *state, const aic_accumulator *from, aic_fixpipe_desc *desc)
{
    const int64_t columns = desc->nSize ? desc->nSize : from->columns;
    const int64_t blocks = (from->rows - 1) / 16; /* the last matrix has at least a row */
    desc->ndNum = aic_rng_range(state, 2, blocks < 5 ? blocks + 1 : 6);
    desc->srcNdStride = aic_rng_range(state, 1, blocks / (desc->ndNum - 1));
    const int64_t most = from->rows - (desc->ndNum - 1) * desc->srcNdStride * 16;
    desc->mSize = AIC_RNG_PICK(state, 0, most, aic_rng_range(state, 1, most));
    const int64_t rows = desc->mSize ? desc->mSize : most, gap = aic_rng_range(state, 0, 9);
    if (aic_rng_once_in(state, 2)) { /* interleaved */
        desc->dstNdStride = columns + gap;
        desc->dstStride = desc->ndNum * desc->dstNdStride;
    } else {
        desc->dstStride = AIC_RNG_PICK(state, 0, columns, columns + gap);
        desc->dstNdStride = rows * (desc->dstStride ? desc->dstStride : columns) + gap;
    }
}

void aic_fixpipe_random_fused(uint64_t *state, const aic_accumulator *from, void *descriptor)
{
    aic_fixpipe_desc *desc = descriptor;
    const bool any = from->words && aic_rng_once_in(state, 2); /* words are read as either type */
    do {
        draw_mode(state, desc);
    } while (!any && desc->src != from->dtype);
    fit_sizes(state, from, desc);
    const int64_t dense = dense_stride(from, desc);
    desc->dstStride = AIC_RNG_PICK(state, 0, dense, dense + aic_rng_range(state, 1, 40));
    if (desc->format == AIC_FORMAT_ROW_MAJOR && from->rows > 16 && aic_rng_once_in(state, 3)) {
        fit_matrices(state, from, desc);
    } else if (aic_rng_once_in(state, 40)) {
        desc->ndNum = 0;
    }
}
