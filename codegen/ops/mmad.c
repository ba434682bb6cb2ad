/* mmad as a contraction (AscendC Fixpipe): a 1x1 convolution whose image has a pixel a row of the matrix,
 * in rows of one pixel, so that a band of them fits the cache. */
#include "frontend/ops/mmad.h"
#include "codegen/contraction/contraction.h"
#include "codegen/integer.h"

static int64_t blocks_of(int64_t size, int64_t block)
{
    return aic_parts(size, block);
}

static aic_sum sum_of(const aic_mmad_desc *d)
{
    if (d->dtype == AIC_INT8) {
        return AIC_SUM_INT; /* 4095 products */
    }
    return d->accumulate == AIC_ACCUMULATE_CUBE ? AIC_SUM_CUBE : AIC_SUM_FAST;
}

/* a: rows of k elements, one row is dense in both formats; or Zz, [M1, K1, 16, K0]. */
static aic_image_layout image_of(const aic_mmad_desc *d)
{
    const int64_t k0 = aic_mmad_k0(d), fractal = AIC_MMAD_FRACTAL * k0;
    if (d->a_format == AIC_LAYOUT_ND || d->m == 1) {
        return (aic_image_layout){.block = k0, .fractal_rows = d->m, .row_pitch = d->k, .pixel = d->k};
    }
    return (aic_image_layout){.block = fractal,
                              .fractal_rows = AIC_MMAD_FRACTAL,
                              .fractal = blocks_of(d->k, k0) * fractal,
                              .row_pitch = k0,
                              .pixel = k0};
}

/* c: rows of n elements, or Nz, [N1, M1, 16, 16]. */
static aic_epilogue epilogue_of(const aic_mmad_desc *d, const aic_semantics *semantics)
{
    const bool is_float = d->dtype != AIC_INT8, blocked = d->c_format == AIC_LAYOUT_NZ;
    const aic_dtype dtype = is_float ? AIC_FLOAT32 : AIC_INT32;
    const int64_t rows = blocks_of(d->m, AIC_MMAD_FRACTAL) * AIC_MMAD_FRACTAL;
    const int64_t width = blocked ? AIC_BLOCK_COLUMNS : blocks_of(d->n, AIC_BLOCK_COLUMNS) * AIC_BLOCK_COLUMNS;
    aic_epilogue p = {.source = dtype,
                      .target = dtype,
                      .rows = d->m,
                      .columns = d->n,
                      .matrices = 1,
                      .width = width,
                      .target_block = blocked ? rows * AIC_BLOCK_COLUMNS * AIC_SUM_BYTES : 0,
                      .target_row = (blocked ? AIC_BLOCK_COLUMNS : d->n) * AIC_SUM_BYTES};
    if (is_float && semantics->overflow == AIC_OVERFLOW_SATURATE) {
        aic_epilogue_add_step(&p, AIC_STEP_SATURATE, 0);
    }
    return p;
}

static void describe(const void *desc, const aic_semantics *semantics, aic_work *work)
{
    const aic_mmad_desc *d = desc;
    if (aic_mmad_is_empty(d)) {
        aic_work_empty(work);
        return;
    }
    *aic_contraction_begin(work) = (aic_contraction){
        .sum = sum_of(d),
        .wraps = d->dtype == AIC_INT8 && semantics->int_overflow == AIC_INT_OVERFLOW_WRAP,
        .dtype = d->dtype,
        .c1 = blocks_of(d->k, aic_mmad_k0(d)),
        .c0 = aic_mmad_k0(d),
        .channels = d->k,
        .image = image_of(d),
        .down = {.extent = d->m, .taps = 1, .stride = 1, .dilation = 1, .out = d->m},
        .across = {.extent = 1, .taps = 1, .stride = 1, .dilation = 1, .out = 1},
        .n = d->n,
        .weight = d->b_format == AIC_LAYOUT_ND ? AIC_WEIGHT_ROWS : AIC_WEIGHT_BLOCKS,
        .weight_n = blocks_of(d->n, AIC_BLOCK_COLUMNS) * AIC_BLOCK_COLUMNS,
        .block_rows = blocks_of(d->m, AIC_MMAD_FRACTAL) * AIC_MMAD_FRACTAL,
        .accumulate = !d->init_c,
        .start_channel = d->l1out == AIC_L1OUT_CHANNEL,
        .has_epilogue = true,
        .epilogue = epilogue_of(d, semantics),
    };
}

const aic_generator aic_generator_mmad = {.describe = describe};
