/* nd2nz: fields, rules, operands, pseudo-random descriptors (AscendC, DataCopy with Nd2NzParams). */
#include "frontend/core/rule.h"
#include "frontend/core/size.h"
#include "frontend/layout/fractal.h"
#include "frontend/layout/repeat.h"
#include "frontend/random/rng.h"

#include <inttypes.h>

#define AIC_THIS nd2nz
#define AIC_THIS_CANONICALISE nd2nz_canonicalise
#include "frontend/core/operator.inc"

/* ---- rules ---- */

static const aic_range ranges[] = {
#define AIC_LIMIT(field, entry, low, high) {RULE_##field, #field, offsetof(aic_nd2nz_desc, field), low, high},
#include <aic/nd2nz.def>
#undef AIC_LIMIT
};

#define RANGE_COUNT (sizeof ranges / sizeof ranges[0])

static bool is_empty(const aic_nd2nz_desc *desc)
{
    return desc->ndNum == 0 || desc->nValue == 0 || desc->dValue == 0;
}

static int64_t column_blocks(const aic_nd2nz_desc *desc)
{
    return aic_size_blocks(desc->dValue, aic_row_elements(desc->dtype));
}

/* Elements of dst from the first to the last that one matrix takes. */
static int64_t matrix_extent(const aic_nd2nz_desc *desc)
{
    const int64_t blocks = (column_blocks(desc) - 1) * desc->dstNzC0Stride;
    const int64_t rows = (desc->nValue - 1) * desc->dstNzNStride;
    return (blocks + rows + 1) * aic_row_elements(desc->dtype);
}

/* The document does not say what becomes of an element that is written twice; as with fixpipe, it is refused. */
static void check_overlap(aic_verdict *v, const aic_nd2nz_desc *desc)
{
    const int64_t c0 = aic_row_elements(desc->dtype);
    const aic_repeat blocks = {column_blocks(desc), desc->dstNzC0Stride * c0};
    const aic_repeat rows = {desc->nValue, desc->dstNzNStride * c0};
    const aic_repeat matrices = {desc->ndNum, desc->dstNzMatrixStride};
    if (!aic_repeats_move(c0, (aic_repeat[]){blocks, rows}, 2)) {
        aic_break(v, RULE_blocks_apart,
                  "dstNzC0Stride: %" PRId64 " lets column blocks of %" PRId64 " rows, dstNzNStride = %" PRId64
                  " apart, overlap: %" PRId64 " is the least that keeps them clear",
                  desc->dstNzC0Stride, desc->nValue, desc->dstNzNStride, (desc->nValue - 1) * desc->dstNzNStride + 1);
    } else if (!aic_repeats_move(c0, (aic_repeat[]){blocks, rows, matrices}, 3)) {
        aic_break(v, RULE_matrices_apart,
                  "dstNzMatrixStride: %" PRId64 " lets matrices overlap: %" PRId64
                  " elements are the least that keeps them one after the other",
                  desc->dstNzMatrixStride, matrix_extent(desc));
    }
}

static aic_status nd2nz_validate(const void *descriptor, const aic_semantics *semantics)
{
    (void)semantics;
    const aic_nd2nz_desc *desc = descriptor;
    aic_verdict v = verdict();
    aic_rule_moved_dtype(&v, RULE_dtype, desc->dtype);
    aic_rule_ranges(&v, desc, ranges, RANGE_COUNT);
    if (v.status == AIC_OK && !is_empty(desc)) {
        check_overlap(&v, desc);
    }
    return v.status;
}

/* ---- what code depends on ---- */

/* Strides count where there are several of what they lead to. */
static void canonicalise_strides(aic_nd2nz_desc *desc)
{
    if (desc->ndNum == 1) {
        desc->srcNdMatrixStride = desc->dstNzMatrixStride = 0;
    }
    if (desc->nValue == 1) {
        desc->srcDValue = desc->dValue;
        desc->dstNzNStride = 1;
    }
    if (column_blocks(desc) == 1) {
        desc->dstNzC0Stride = 1;
    }
}

static void nd2nz_canonicalise(void *descriptor, const aic_semantics *semantics)
{
    (void)semantics;
    aic_nd2nz_desc *desc = descriptor;
    const aic_dtype dtype = aic_moved_dtype(desc->dtype);
    if (is_empty(desc)) {
        init(desc);
    } else {
        canonicalise_strides(desc);
    }
    desc->dtype = dtype;
}

/* ---- operands ---- */

static size_t nd2nz_operands(const void *descriptor, const aic_semantics *semantics,
                             aic_operand operands[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_nd2nz_desc *desc = descriptor;
    if (is_empty(desc)) {
        return aic_moved_operands(desc->dtype, 0, 0, operands);
    }
    const int64_t last = desc->ndNum - 1;
    return aic_moved_operands(desc->dtype, last * desc->dstNzMatrixStride + matrix_extent(desc),
                              last * desc->srcNdMatrixStride + (desc->nValue - 1) * desc->srcDValue + desc->dValue,
                              operands);
}

static void nd2nz_coordinates(const void *descriptor, const aic_semantics *semantics, int operand, aic_coordinates *c)
{
    (void)semantics;
    const aic_nd2nz_desc *desc = descriptor;
    const int64_t c0 = aic_row_elements(desc->dtype);
    if (desc->ndNum > 1) {
        aic_axis_add(c, "matrix", desc->ndNum, operand == 0 ? desc->dstNzMatrixStride : desc->srcNdMatrixStride);
    }
    if (operand != 0) {
        aic_axis_add(c, "row", desc->nValue, desc->srcDValue);
        aic_axis_add(c, "column", desc->dValue, 1);
        return;
    }
    aic_axis_add(c, "C1", column_blocks(desc), desc->dstNzC0Stride * c0);
    aic_axis_add(c, "row", desc->nValue, desc->dstNzNStride * c0);
    aic_axis_add(c, "C0", c0, 1);
}

static void nd2nz_accessed(const void *descriptor, const aic_semantics *semantics, int64_t bytes[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_nd2nz_desc *desc = descriptor;
    const int64_t rows = desc->ndNum * desc->nValue;
    aic_accessed(bytes, 0, rows * column_blocks(desc) * aic_row_elements(desc->dtype), desc->dtype);
    aic_accessed(bytes, 1, rows * desc->dValue, desc->dtype);
}

/* ---- pseudo-random descriptors ---- */

/* Destination elements of one check. */
#define EXTENT_MAX INT64_C(300000)

static void draw_sizes(uint64_t *state, aic_nd2nz_desc *desc)
{
    int64_t *const sizes[] = {&desc->ndNum, &desc->nValue, &desc->dValue};
    desc->ndNum = aic_rng_once_in(state, 3) ? aic_rng_range(state, 2, 5) : 1;
    desc->nValue = aic_rng_skewed(state, 1, desc->ndNum > 1 ? 20 : 70, 1000);
    desc->dValue = aic_rng_skewed(state, 1, desc->ndNum > 1 ? 60 : 140, 2000);
    desc->srcDValue = desc->dValue + AIC_RNG_PICK(state, 0, 0, 1, 7);
    if (aic_rng_once_in(state, 4)) {
        desc->srcDValue = aic_rng_range(state, 1, 300); /* rows may overlap when read */
    }
    desc->srcNdMatrixStride = aic_rng_range(state, 0, 3000);
    if (aic_rng_once_in(state, 30)) {
        *sizes[aic_rng_range(state, 0, 2)] = 0;
    }
}

/* The three repeats of dst in a random order from the inside to the outside, each with the room it needs or more. */
static void draw_destination(uint64_t *state, aic_nd2nz_desc *desc)
{
    const int64_t c0 = aic_row_elements(desc->dtype);
    const int64_t counts[] = {column_blocks(desc), desc->nValue, desc->ndNum};
    const int64_t multiples[] = {c0, c0, 1};
    int64_t *const strides[] = {&desc->dstNzC0Stride, &desc->dstNzNStride, &desc->dstNzMatrixStride};
    const int64_t first = AIC_RNG_PICK(state, 0, 1, 1, 2);
    const int64_t step = aic_rng_range(state, 1, 2);
    int64_t extent = c0;
    for (int64_t turn = 0; turn < 3; turn++) {
        const int64_t i = (first + turn * step) % 3;
        const int64_t room = extent + (aic_rng_once_in(state, 4) ? aic_rng_range(state, 0, 3 * c0) : 0);
        *strides[i] = (room + multiples[i] - 1) / multiples[i];
        extent += counts[i] > 1 ? (counts[i] - 1) * *strides[i] * multiples[i] : 0;
    }
    if (desc->ndNum == 1) {
        desc->dstNzMatrixStride = aic_rng_range(state, 0, 16384); /* has no effect */
    }
}

/* What the nesting of large sizes may exceed. */
static bool fits(const aic_nd2nz_desc *desc)
{
    return desc->dstNzC0Stride <= 16384 && desc->dstNzNStride <= 16384 && desc->dstNzMatrixStride <= 16384 &&
           desc->ndNum * desc->dstNzMatrixStride + matrix_extent(desc) <= EXTENT_MAX;
}

static void nd2nz_random(uint64_t *state, void *descriptor)
{
    aic_nd2nz_desc *desc = descriptor;
    desc->dtype = aic_random_moved_dtype(state);
    do {
        draw_sizes(state, desc);
        draw_destination(state, desc);
    } while (!fits(desc));
}

const aic_op_info aic_op_nd2nz = {
    AIC_THIS_ENTRIES,
    .coordinates = nd2nz_coordinates,
    .random = nd2nz_random,
};
