/* Pseudo-random texpands descriptors for the checks: legal ones that prefer the corners, and ones that break exactly
 * one rule. Illegal ones are drawn from legal ones of a kind that the rule is about. */
#include "frontend/ops/texpands.h"

#include "frontend/layout/tile.h"
#include "frontend/random/rng.h"

#include <string.h>

enum { BLOCK_BYTES = 32, BLOCKS_MAX = 32767, DTYPES_MAX = 10 };

/* Bytes of the largest tile of one check. */
#define BYTES_MAX INT64_C(300000)

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof((array)[0])))

/* ---- legal ---- */

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
    if (desc->loc != AIC_LOC_MAT || aic_texpands_is_conv(desc) || semantics->mat_valid != AIC_MAT_VALID_VALID) {
        return;
    }
    desc->v_row = desc->v_row < 0 || desc->v_row > desc->rows ? desc->rows : desc->v_row;
    desc->v_col = desc->v_col < 0 || desc->v_col > desc->cols ? desc->cols : desc->v_col;
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

/* ---- illegal ---- */

static void draw_legal(uint64_t *state, aic_texpands_desc *desc)
{
    const aic_semantics defaults = aic_semantics_init();
    aic_texpands_random(state, &defaults, desc);
}

/* A value that no enumeration has. */
static void break_word(uint64_t *state, void *word)
{
    const uint32_t wrong = (uint32_t)AIC_RNG_PICK(state, 40, 77, INT32_MAX, UINT32_MAX);
    memcpy(word, &wrong, sizeof wrong);
}

static void break_arch(uint64_t *state, aic_texpands_desc *desc)
{
    draw_legal(state, desc);
    break_word(state, &desc->arch);
}

static void break_loc(uint64_t *state, aic_texpands_desc *desc)
{
    if (aic_rng_once_in(state, 3)) {
        draw_conv(state, desc);
        desc->loc = AIC_LOC_VEC;
        return;
    }
    draw_legal(state, desc);
    desc->loc = (aic_loc)AIC_RNG_PICK(state, AIC_LOC_LEFT, AIC_LOC_RIGHT, AIC_LOC_ACC, AIC_LOC_BIAS, AIC_LOC_SCALING,
                                      AIC_LOC_SCALING + 1, INT32_MAX);
}

static void break_dtype(uint64_t *state, aic_texpands_desc *desc)
{
    aic_dtype legal[DTYPES_MAX];
    bool found;
    draw_legal(state, desc);
    const size_t count = aic_texpands_dtypes(desc->arch, desc->loc, legal);
    do {
        desc->dtype = (aic_dtype)aic_rng_range(state, AIC_DTYPE_NONE, AIC_UINT64 + 2);
        found = false;
        for (size_t i = 0; i < count; i++) {
            found = found || desc->dtype == legal[i];
        }
    } while (found);
}

static void draw_any_tile(uint64_t *state, aic_texpands_desc *desc)
{
    draw_tile(state, aic_rng_once_in(state, 2) ? AIC_LOC_VEC : AIC_LOC_MAT, desc);
}

static void break_size(uint64_t *state, aic_texpands_desc *desc)
{
    draw_any_tile(state, desc);
    *(aic_rng_once_in(state, 2) ? &desc->rows : &desc->cols) = AIC_RNG_PICK(state, 0, -1, -16, INT64_MIN);
}

/* Rows that no 64 bits can count the bytes of. */
static void break_bytes(uint64_t *state, aic_texpands_desc *desc)
{
    draw_any_tile(state, desc);
    desc->rows = INT64_C(1) << aic_rng_range(state, 32, 62);
    desc->cols = INT64_C(1) << aic_rng_range(state, 32, 62);
}

static void break_valid(uint64_t *state, aic_texpands_desc *desc)
{
    draw_tile(state, AIC_LOC_VEC, desc);
    const bool row = aic_rng_once_in(state, 2);
    const int64_t size = row ? desc->rows : desc->cols;
    *(row ? &desc->v_row : &desc->v_col) =
        AIC_RNG_PICK(state, -1, size + 1, size + aic_rng_range(state, 1, 1000), -1000, INT64_MAX, INT64_MIN + 2);
}

static void break_blayout(uint64_t *state, aic_texpands_desc *desc)
{
    if (aic_rng_once_in(state, 2)) {
        draw_tile(state, AIC_LOC_VEC, desc);
        desc->blayout = AIC_BLAYOUT_COL_MAJOR;
        return;
    }
    draw_any_tile(state, desc);
    break_word(state, &desc->blayout);
}

static void break_slayout(uint64_t *state, aic_texpands_desc *desc)
{
    draw_any_tile(state, desc);
    break_word(state, &desc->slayout);
}

static void break_fractal(uint64_t *state, aic_texpands_desc *desc)
{
    draw_any_tile(state, desc);
    desc->fractal = AIC_RNG_PICK(state, 0, 511, 513, 256, 2048, -512, INT64_MAX);
}

/* Rows or columns that no whole number of blocks or boxes makes up; every step but 1 is at least 8. */
static void break_step(uint64_t *state, aic_texpands_desc *desc)
{
    draw_any_tile(state, desc);
    const bool row =
        desc->slayout != AIC_SLAYOUT_NONE_BOX ? aic_rng_once_in(state, 2) : desc->blayout == AIC_BLAYOUT_COL_MAJOR;
    *(row ? &desc->rows : &desc->cols) += aic_rng_range(state, 1, 7);
}

static void break_blocks(uint64_t *state, aic_texpands_desc *desc)
{
    draw_tile(state, AIC_LOC_MAT, desc);
    desc->rows = 1024;
    desc->cols = block_elements(desc) * AIC_RNG_PICK(state, 32, 64, 96); /* 32 whole boxes */
}

static void break_pad(uint64_t *state, aic_texpands_desc *desc)
{
    draw_any_tile(state, desc);
    break_word(state, &desc->pad);
}

static void break_compact(uint64_t *state, aic_texpands_desc *desc)
{
    draw_any_tile(state, desc);
    desc->compact = AIC_RNG_PICK(state, 1, -1, 2, INT64_MIN, INT64_MAX);
}

/* What the other kind of tile has. */
static void break_kind(uint64_t *state, aic_texpands_desc *desc)
{
    const int64_t wrong = AIC_RNG_PICK(state, 1, 16, -1, INT64_MAX);
    switch (aic_rng_range(state, 0, 3)) {
    case 0:
        draw_any_tile(state, desc);
        desc->shape[aic_rng_range(state, 0, 5)] = wrong;
        break;
    case 1:
        draw_any_tile(state, desc);
        desc->buffer_size = wrong;
        break;
    case 2:
        draw_conv(state, desc);
        desc->rows = wrong;
        break;
    default:
        draw_conv(state, desc);
        desc->cols = wrong;
        break;
    }
}

static void break_layout(uint64_t *state, aic_texpands_desc *desc)
{
    draw_conv(state, desc);
    if (aic_rng_once_in(state, 3)) {
        break_word(state, &desc->layout);
        return;
    }
    desc->layout = (aic_layout)AIC_RNG_PICK(state, AIC_LAYOUT_NZ, AIC_LAYOUT_NCHW, AIC_LAYOUT_HWIO, AIC_LAYOUT_4N);
    if (desc->arch == AIC_CHIP_A2A3) {
        desc->layout = aic_rng_once_in(state, 2) ? AIC_LAYOUT_NDC1HWC0 : AIC_LAYOUT_FRACTAL_Z_3D;
    }
}

static void set_shape(aic_texpands_desc *desc, const int64_t *shape, size_t count)
{
    memset(desc->shape, 0, sizeof desc->shape);
    memcpy(desc->shape, shape, count * sizeof shape[0]);
    desc->buffer_size = 0;
}

#define SET_SHAPE(desc, ...)                                                                                           \
    set_shape(desc, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* Dimensions: too few, one that is not positive, blocks that are not 16; then the products. */
static void break_shape(uint64_t *state, aic_texpands_desc *desc)
{
    draw_conv(state, desc);
    const int64_t c0 = block_elements(desc);
    switch (aic_rng_range(state, 0, 6)) {
    case 0:
        SET_SHAPE(desc, 1, 1, c0);
        break;
    case 1:
        desc->shape[aic_rng_range(state, 0, 2)] = AIC_RNG_PICK(state, 0, -1, INT64_MIN);
        break;
    case 2:
        desc->layout = AIC_LAYOUT_FRACTAL_Z;
        SET_SHAPE(desc, 2, 2, AIC_RNG_PICK(state, 8, 15, 17), c0);
        break;
    case 3:
        desc->layout = AIC_LAYOUT_NC1HWC0;
        SET_SHAPE(desc, 1, 2, 128, 128, AIC_RNG_PICK(state, 1, 4, c0));
        break;
    case 4:
        desc->layout = AIC_LAYOUT_NC1HWC0;
        SET_SHAPE(desc, 1, 1, 1, 3, AIC_RNG_PICK(state, 1, c0 / 2, c0 - 1));
        break;
    case 5:
        desc->layout = AIC_LAYOUT_NC1HWC0;
        SET_SHAPE(desc, 1, 32, 32, 31, 2 * c0);
        break;
    default:
        desc->layout = AIC_LAYOUT_NC1HWC0;
        SET_SHAPE(desc, INT64_MAX, INT64_MAX, 2, 2, c0);
        break;
    }
}

static void break_buffer(uint64_t *state, aic_texpands_desc *desc)
{
    draw_conv(state, desc);
    const int64_t filled = aic_texpands_filled(desc);
    desc->buffer_size = AIC_RNG_PICK(state, filled - 1, aic_rng_range(state, 1, filled - 1), -1, INT64_MIN, INT64_MAX);
}

static void break_manual(uint64_t *state, aic_texpands_desc *desc)
{
    const unsigned char wrong = (unsigned char)AIC_RNG_PICK(state, 2, 77, 255);
    draw_legal(state, desc);
    memcpy(&desc->manual, &wrong, sizeof wrong);
}

static void break_address(uint64_t *state, aic_texpands_desc *desc)
{
    draw_legal(state, desc);
    const aic_semantics defaults = aic_semantics_init();
    const int64_t room = aic_tile_capacity(&defaults, desc->arch, desc->loc) - bytes_of(desc);
    const int64_t last = room / AIC_TILE_ALIGNMENT * AIC_TILE_ALIGNMENT;
    desc->manual = true;
    desc->address = AIC_RNG_PICK(state, AIC_NOT_GIVEN, last + AIC_TILE_ALIGNMENT, -AIC_TILE_ALIGNMENT,
                                 last - aic_rng_range(state, 1, 31), INT64_MAX, AIC_DYNAMIC);
}

static void break_capacity(uint64_t *state, aic_texpands_desc *desc)
{
    draw_tile(state, AIC_LOC_VEC, desc);
    desc->rows = 16384;
    desc->cols = block_elements(desc) * 2;
    desc->v_row = desc->v_col = 1;
    desc->manual = true;
    desc->address = 0;
}

static void break_literal(uint64_t *state, aic_texpands_desc *desc)
{
    draw_legal(state, desc);
    const int64_t most = (int64_t)(UINT64_MAX >> (64 - 8 * aic_dtype_size(desc->dtype)));
    desc->literal = AIC_RNG_PICK(state, -1, most + 1, INT64_MAX, AIC_DYNAMIC, -most);
}

void aic_texpands_random_illegal(uint64_t *state, void *descriptor)
{
    static void (*const breakers[])(uint64_t *, aic_texpands_desc *) = {
        break_arch,    break_loc,     break_dtype,  break_size,   break_bytes,   break_valid,    break_blayout,
        break_slayout, break_fractal, break_step,   break_blocks, break_pad,     break_compact,  break_kind,
        break_layout,  break_shape,   break_buffer, break_manual, break_address, break_capacity, break_literal};
    aic_texpands_desc *desc = descriptor;
    breakers[aic_rng_range(state, 0, COUNT(breakers) - 1)](state, desc);
    if (desc->loc == AIC_LOC_MAT) { /* under mat_valid=valid a size that the call gives is unsupported, not illegal */
        desc->v_row = desc->v_row == AIC_DYNAMIC ? 0 : desc->v_row;
        desc->v_col = desc->v_col == AIC_DYNAMIC ? 0 : desc->v_col;
    }
}
