/* load_data_transpose: fields, rules, operands, pseudo-random descriptors (AscendC, LoadDataWithTranspose). */
#include "frontend/core/rule.h"
#include "frontend/layout/fractal.h"
#include "frontend/random/rng.h"

#include <inttypes.h>

#define AIC_THIS load_data_transpose
#define AIC_THIS_CANONICALISE load_data_transpose_canonicalise
#include "frontend/core/operator.inc"

/* A square: `side` x `side` elements, in 1 or 2 fractals. */
typedef struct square {
    int64_t side;
    int64_t fractals;
} square;

static square square_of(aic_dtype dtype)
{
    const int64_t width = aic_row_elements(dtype);
    const int64_t side = width > AIC_FRACTAL_ROWS ? width : AIC_FRACTAL_ROWS;
    return (square){side, side * side / aic_fractal_elements(dtype)};
}

/* ---- rules ---- */

static const aic_range ranges[] = {
#define AIC_LIMIT(field, entry, low, high)                                                                             \
    {RULE_##field, #field, offsetof(aic_load_data_transpose_desc, field), low, high},
#include <aic/load_data_transpose.def>
#undef AIC_LIMIT
};

enum { RANGE_COUNT = sizeof ranges / sizeof ranges[0] };

/* Iteration i writes the fractals i*(dstGap + 1) and, of two, that plus dstFracGap + 1. Returns how many iterations
 * apart are the first two that write the same one; 0: none are. */
static int64_t meeting(const aic_load_data_transpose_desc *desc)
{
    const int64_t step = desc->dstGap + 1;
    const int64_t second = desc->dstFracGap + 1;
    const bool meet = second % step == 0 && second / step < desc->repeatTimes;
    return meet && square_of(desc->dtype).fractals > 1 ? second / step : 0;
}

static aic_status load_data_transpose_validate(const void *descriptor, const aic_semantics *semantics)
{
    (void)semantics;
    const aic_load_data_transpose_desc *desc = descriptor;
    aic_verdict v = verdict();
    aic_rule_moved_dtype(&v, RULE_dtype, desc->dtype);
    aic_rule_ranges(&v, desc, ranges, RANGE_COUNT);
    const int64_t apart = v.status == AIC_OK ? meeting(desc) : 0;
    if (apart != 0) {
        aic_break(&v, RULE_fractals_apart,
                  "dstGap / dstFracGap: with %" PRId64 " and %" PRId64 ", iterations %" PRId64 " apart of %" PRId64
                  " write the same fractal",
                  desc->dstGap, desc->dstFracGap, apart, desc->repeatTimes);
    }
    return v.status;
}

/* ---- what code depends on ---- */

/* Nothing counts where nothing is moved, no distance where one square is, or where a square is one fractal. */
static void load_data_transpose_canonicalise(void *descriptor, const aic_semantics *semantics)
{
    (void)semantics;
    aic_load_data_transpose_desc *desc = descriptor;
    const aic_dtype dtype = aic_moved_dtype(desc->dtype);
    if (desc->repeatTimes == 0) {
        init(desc);
    } else if (desc->repeatTimes == 1) {
        desc->srcStride = desc->dstGap = 0;
    }
    desc->dstFracGap = square_of(dtype).fractals == 1 ? 0 : desc->dstFracGap;
    desc->dtype = dtype;
}

/* ---- operands ---- */

static size_t load_data_transpose_operands(const void *descriptor, const aic_semantics *semantics,
                                           aic_operand operands[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_load_data_transpose_desc *desc = descriptor;
    const int64_t last = desc->repeatTimes - 1;
    if (last < 0) {
        return aic_moved_operands(desc->dtype, 0, 0, operands);
    }
    const square s = square_of(desc->dtype);
    const int64_t fractals = last * (desc->dstGap + 1) + (s.fractals - 1) * (desc->dstFracGap + 1) + 1;
    const size_t count =
        aic_moved_operands(desc->dtype, fractals * aic_fractal_elements(desc->dtype),
                           (desc->startIndex + last * desc->srcStride + 1) * s.side * s.side, operands);
    operands[1].spare = s.side * s.side - aic_row_elements(desc->dtype); /* all of the last one but its first row */
    return count;
}

/* Of src squares, of dst the fractals that they become. */
static void load_data_transpose_coordinates(const void *descriptor, const aic_semantics *semantics, int operand,
                                            aic_coordinates *c)
{
    (void)semantics;
    const aic_load_data_transpose_desc *desc = descriptor;
    const square s = square_of(desc->dtype);
    const int64_t c0 = aic_row_elements(desc->dtype), fractal = aic_fractal_elements(desc->dtype);
    if (operand != 0) {
        aic_axis_add(c, "square", desc->repeatTimes, desc->srcStride * s.side * s.side);
        aic_axis_add(c, "row", s.side, c0);
        aic_axis_add_blocked(c, "column", s.side, c0, fractal, 1);
        c->first = desc->startIndex * s.side * s.side;
        return;
    }
    aic_axis_add(c, "square", desc->repeatTimes, (desc->dstGap + 1) * fractal);
    if (s.fractals > 1) {
        aic_axis_add(c, "fractal", s.fractals, (desc->dstFracGap + 1) * fractal);
    }
    aic_axis_add(c, "row", AIC_FRACTAL_ROWS, c0);
    aic_axis_add(c, "column", c0, 1);
}

static void load_data_transpose_accessed(const void *descriptor, const aic_semantics *semantics,
                                         int64_t bytes[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_load_data_transpose_desc *desc = descriptor;
    const int64_t side = square_of(desc->dtype).side, elements = desc->repeatTimes * side * side;
    aic_accessed(bytes, 0, elements, desc->dtype);
    aic_accessed(bytes, 1, desc->srcStride == 0 ? side * side : elements, desc->dtype);
}

/* ---- pseudo-random descriptors ---- */

static void load_data_transpose_random(uint64_t *state, void *descriptor)
{
    aic_load_data_transpose_desc *desc = descriptor;
    desc->dtype = aic_random_moved_dtype(state);
    desc->startIndex = AIC_RNG_PICK(state, 0, 0, 1, aic_rng_range(state, 0, 300));
    desc->repeatTimes = aic_rng_once_in(state, 30) ? 0 : aic_rng_skewed(state, 1, 20, 255);
    desc->srcStride = AIC_RNG_PICK(state, 1, 1, 0, 2, aic_rng_range(state, 0, 9));
    desc->dstGap = AIC_RNG_PICK(state, 0, 0, 1, 1, aic_rng_range(state, 0, 5));
    desc->dstFracGap = AIC_RNG_PICK(state, 0, 0, desc->repeatTimes, aic_rng_range(state, 0, 40));
    if (meeting(desc) > 0) { /* the squares one after the other, or all second fractals after the first ones */
        if (desc->dstFracGap < 40 && aic_rng_once_in(state, 2)) {
            desc->dstGap = desc->dstFracGap + 1;
        } else {
            desc->dstFracGap = desc->repeatTimes * (desc->dstGap + 1) - 1;
        }
    }
}

const aic_op_info aic_op_load_data_transpose = {
    AIC_THIS_ENTRIES,
    .coordinates = load_data_transpose_coordinates,
    .random = load_data_transpose_random,
};
