/* load_data: fields, rules, operands, pseudo-random descriptors (AscendC, LoadData with LoadData2dParams). */
#include "frontend/core/rule.h"
#include "frontend/layout/fractal.h"
#include "frontend/random/rng.h"

#define AIC_THIS load_data
#define AIC_THIS_CANONICALISE load_data_canonicalise
#include "frontend/core/operator.inc"

/* ---- rules ---- */

static const aic_range ranges[] = {
#define AIC_LIMIT(field, entry, low, high) {RULE_##field, #field, offsetof(aic_load_data_desc, field), low, high},
#include <aic/load_data.def>
#undef AIC_LIMIT
};

enum { RANGE_COUNT = sizeof ranges / sizeof ranges[0], BEFORE_TRANSPOSE = RANGE_COUNT - 1 }; /* addrMode is behind it */

static aic_status load_data_validate(const void *descriptor, const aic_semantics *semantics)
{
    (void)semantics;
    const aic_load_data_desc *desc = descriptor;
    aic_verdict v = verdict();
    const bool typed = aic_rule_moved_dtype(&v, RULE_dtype, desc->dtype);
    aic_rule_ranges(&v, desc, ranges, BEFORE_TRANSPOSE);
    if (aic_rule_bool(&v, RULE_ifTranspose, "ifTranspose", &desc->ifTranspose) && typed && desc->ifTranspose &&
        aic_dtype_size(desc->dtype) != 2) {
        aic_break(&v, RULE_transposable, "ifTranspose: true is for types of 2 bytes, not for %s",
                  aic_dtype_name(desc->dtype));
    }
    aic_rule_ranges(&v, desc, ranges + BEFORE_TRANSPOSE, RANGE_COUNT - BEFORE_TRANSPOSE);
    return v.status;
}

/* ---- what code depends on ---- */

/* Nothing counts where nothing is copied, no distance where one fractal is. */
static void load_data_canonicalise(void *descriptor, const aic_semantics *semantics)
{
    (void)semantics;
    aic_load_data_desc *desc = descriptor;
    const aic_dtype dtype = aic_moved_dtype(desc->dtype);
    if (desc->repeatTimes == 0) {
        init(desc);
    } else if (desc->repeatTimes == 1) {
        desc->srcStride = desc->dstGap = 0;
    }
    desc->dtype = dtype;
}

/* ---- operands ---- */

static size_t load_data_operands(const void *descriptor, const aic_semantics *semantics,
                                 aic_operand operands[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_load_data_desc *desc = descriptor;
    const int64_t last = desc->repeatTimes - 1;
    if (last < 0) {
        return aic_moved_operands(desc->dtype, 0, 0, operands);
    }
    const int64_t fractal = aic_fractal_elements(desc->dtype);
    const size_t count = aic_moved_operands(desc->dtype, (last * (desc->dstGap + 1) + 1) * fractal,
                                            (desc->startIndex + last * desc->srcStride + 1) * fractal, operands);
    operands[1].spare = fractal - aic_row_elements(desc->dtype); /* all rows of the last one but the first */
    return count;
}

static void load_data_coordinates(const void *descriptor, const aic_semantics *semantics, int operand,
                                  aic_coordinates *c)
{
    (void)semantics;
    const aic_load_data_desc *desc = descriptor;
    const int64_t c0 = aic_row_elements(desc->dtype), fractal = aic_fractal_elements(desc->dtype);
    aic_axis_add(c, "fractal", desc->repeatTimes, fractal * (operand == 0 ? desc->dstGap + 1 : desc->srcStride));
    aic_axis_add(c, "row", AIC_FRACTAL_ROWS, c0);
    aic_axis_add(c, "column", c0, 1);
    c->first = operand == 0 ? 0 : desc->startIndex * fractal;
}

static void load_data_accessed(const void *descriptor, const aic_semantics *semantics, int64_t bytes[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_load_data_desc *desc = descriptor;
    const int64_t elements = desc->repeatTimes * aic_fractal_elements(desc->dtype);
    aic_accessed(bytes, 0, elements, desc->dtype);
    aic_accessed(bytes, 1, desc->srcStride == 0 ? aic_fractal_elements(desc->dtype) : elements, desc->dtype);
}

/* ---- pseudo-random descriptors ---- */

static void load_data_random(uint64_t *state, void *descriptor)
{
    aic_load_data_desc *desc = descriptor;
    desc->dtype = aic_random_moved_dtype(state);
    desc->startIndex = AIC_RNG_PICK(state, 0, 0, 1, aic_rng_range(state, 0, 300));
    desc->repeatTimes = aic_rng_once_in(state, 30) ? 0 : aic_rng_skewed(state, 1, 20, 255);
    desc->srcStride = AIC_RNG_PICK(state, 1, 1, 0, 2, aic_rng_range(state, 0, 9));
    desc->dstGap = AIC_RNG_PICK(state, 0, 0, 1, aic_rng_range(state, 0, 5));
    if (desc->repeatTimes == 1) { /* no stride counts */
        desc->srcStride = aic_rng_range(state, 0, 65535);
        desc->dstGap = aic_rng_range(state, 0, 65535);
    }
    desc->ifTranspose = aic_dtype_size(desc->dtype) == 2 && aic_rng_once_in(state, 2);
}

const aic_op_info aic_op_load_data = {
    AIC_THIS_ENTRIES,
    .coordinates = load_data_coordinates,
    .random = load_data_random,
};
