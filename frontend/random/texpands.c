/* Pseudo-random texpands descriptors for the checks: they prefer the corners. */
#include "frontend/ops/texpands.h"

#include "frontend/layout/tile.h"
#include "frontend/random/rng.h"

#include <string.h>

enum { BLOCK_BYTES = 32, BLOCKS_MAX = 32767, DTYPES_MAX = 10 };

/* Bytes of the largest tile of one check. */
#define BYTES_MAX INT64_C(300000)

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof((array)[0])))

static int64_t block_elements(const aic_texpands_desc *desc)
{
    return BLOCK_BYTES / (int64_t)aic_dtype_size(desc->dtype);
}

static void draw_memory(uint64_t *state, aic_loc loc, aic_texpands_desc *desc)
{
    aic_dtype dtypes[DTYPES_MAX];
    desc->arch = aic_rng_once_in(state, 2) ? AIC_CHIP_A5 : AIC_CHIP_A2A3;
    desc->loc = loc;
    const size_t count = aic_texpands_dtypes(desc->arch, desc->loc, dtypes);
    desc->dtype = dtypes[aic_rng_range(state, 0, (int64_t)count - 1)];
}

/* A multiple of `step`. */
static int64_t draw_multiple(uint64_t *state, int64_t step)
{
    return step * aic_rng_skewed(state, 1, step == 1 ? 34 : 6, 40);
}

static void draw_sizes(uint64_t *state, aic_texpands_desc *desc)
{
    int64_t row_step = 1, col_step = 1;
    desc->rows = desc->cols = 1;
    const aic_tile tile = aic_tile_of(desc);
    if (desc->slayout != AIC_SLAYOUT_NONE_BOX) {
        row_step = tile.inner_rows;
        col_step = tile.inner_cols;
    } else if (desc->blayout == AIC_BLAYOUT_ROW_MAJOR) {
        col_step = block_elements(desc);
    } else {
        row_step = block_elements(desc);
    }
    do {
        desc->rows = draw_multiple(state, row_step);
        desc->cols = draw_multiple(state, col_step);
    } while (desc->rows * desc->cols * (int64_t)aic_dtype_size(desc->dtype) > BYTES_MAX);
}

static int64_t draw_valid(uint64_t *state, int64_t size)
{
    switch (aic_rng_range(state, 0, 7)) {
    case 0:
        return AIC_DYNAMIC;
    case 1:
        return 0;
    case 2:
    case 3:
        return size;
    case 4:
    case 5:
        return aic_rng_edge(state, 0, size);
    default:
        return aic_rng_range(state, 0, size);
    }
}

static void draw_tile(uint64_t *state, aic_loc loc, aic_texpands_desc *desc)
{
    draw_memory(state, loc, desc);
    desc->blayout = loc == AIC_LOC_MAT && aic_rng_once_in(state, 2) ? AIC_BLAYOUT_COL_MAJOR : AIC_BLAYOUT_ROW_MAJOR;
    desc->slayout =
        (aic_slayout)AIC_RNG_PICK(state, AIC_SLAYOUT_NONE_BOX, AIC_SLAYOUT_ROW_MAJOR, AIC_SLAYOUT_COL_MAJOR);
    desc->fractal = aic_rng_once_in(state, 4) ? 1024 : 512;
    desc->pad = (aic_pad)aic_rng_range(state, AIC_PAD_NULL, AIC_PAD_MIN);
    draw_sizes(state, desc);
    desc->v_row = draw_valid(state, desc->rows);
    desc->v_col = draw_valid(state, desc->cols);
    if (loc == AIC_LOC_MAT && aic_rng_once_in(state, 10)) { /* whatever the valid region is */
        desc->v_row = desc->rows + 1;
    }
}

static void draw_conv_shape(uint64_t *state, aic_texpands_desc *desc)
{
    const bool depth = desc->layout == AIC_LAYOUT_NDC1HWC0 || desc->layout == AIC_LAYOUT_FRACTAL_Z_3D;
    const bool fractal = desc->layout == AIC_LAYOUT_FRACTAL_Z || desc->layout == AIC_LAYOUT_FRACTAL_Z_3D;
    const bool folded = fractal && aic_rng_once_in(state, 2);
    const int64_t outer = folded ? 3 : depth ? 5 : 4;
    memset(desc->shape, 0, sizeof desc->shape);
    for (int64_t i = 0; i < outer; i++) {
        desc->shape[i] = aic_rng_skewed(state, 1, 4, 7);
    }
    if (folded) {
        desc->shape[2] = 16;
    }
    desc->shape[outer] = block_elements(desc);
    if (aic_rng_once_in(state, 4)) { /* other C0 where the blocks come out even */
        desc->shape[outer] = aic_rng_once_in(state, 2) ? 4 : 8;
        desc->shape[0] *= 8;
    }
}

static void draw_conv(uint64_t *state, aic_texpands_desc *desc)
{
    draw_memory(state, AIC_LOC_MAT, desc);
    desc->layout = (aic_layout)AIC_RNG_PICK(state, AIC_LAYOUT_NC1HWC0, AIC_LAYOUT_FRACTAL_Z, AIC_LAYOUT_NDC1HWC0,
                                            AIC_LAYOUT_FRACTAL_Z_3D);
    if (desc->arch == AIC_CHIP_A2A3) {
        desc->layout = aic_rng_once_in(state, 2) ? AIC_LAYOUT_NC1HWC0 : AIC_LAYOUT_FRACTAL_Z;
    }
    do {
        draw_conv_shape(state, desc);
        desc->buffer_size = 0;
        aic_texpands_fill_in(desc);
    } while (desc->buffer_size * (int64_t)aic_dtype_size(desc->dtype) > BYTES_MAX);
    if (aic_rng_once_in(state, 4)) {
        desc->buffer_size += aic_rng_range(state, 1, 99);
    }
}

static int64_t bytes_of(const aic_texpands_desc *desc)
{
    return aic_texpands_storage(desc) * (int64_t)aic_dtype_size(desc->dtype);
}

/* Of a Mat tile the valid region has rules where it counts. */
static void limit_region(const aic_semantics *semantics, aic_texpands_desc *desc)
{
    if (desc->loc != AIC_LOC_MAT || semantics->mat_valid != AIC_MAT_VALID_VALID) {
        return;
    }
    desc->v_row = desc->v_row < 0 || desc->v_row > desc->rows ? desc->rows : desc->v_row;
    desc->v_col = desc->v_col < 0 ? desc->cols : desc->v_col; /* no larger one is drawn */
}

/* Manual placement where the tile fits; an address without it has no effect. */
static void draw_rest(uint64_t *state, const aic_semantics *semantics, aic_texpands_desc *desc)
{
    const int64_t room = aic_tile_capacity(semantics, desc->arch, desc->loc) - bytes_of(desc);
    if (aic_rng_once_in(state, 3) && room >= 0) {
        desc->manual = true;
        desc->address = aic_rng_range(state, 0, room / AIC_TILE_ALIGNMENT) * AIC_TILE_ALIGNMENT;
    } else if (aic_rng_once_in(state, 6)) {
        desc->address = aic_rng_range(state, -100, 1000000);
    }
    if (aic_rng_once_in(state, 4)) {
        desc->literal = (int64_t)(aic_rng_next(state) >> (64 - 8 * aic_dtype_size(desc->dtype)));
    }
}

void aic_texpands_random(uint64_t *state, const aic_semantics *semantics, void *descriptor)
{
    aic_texpands_desc *desc = descriptor;
    if (aic_rng_once_in(state, 3)) {
        draw_conv(state, desc);
    } else {
        draw_tile(state, aic_rng_once_in(state, 3) ? AIC_LOC_MAT : AIC_LOC_VEC, desc);
        limit_region(semantics, desc);
    }
    draw_rest(state, semantics, desc);
}
