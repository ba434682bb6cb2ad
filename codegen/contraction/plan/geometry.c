/* From a contraction and a schedule to tiles. */
#include "codegen/contraction/plan/geometry.h"
#include "codegen/integer.h"

/* Cuts an extent into tiles of `most` and what is left. */
static aic_split split_in_order(int64_t extent, int64_t most)
{
    const int64_t large = aic_least(extent, most), rest = extent % large;
    return (aic_split){.large = large, .small = rest, .large_count = extent / large, .small_count = rest > 0};
}

int64_t aic_outputs_of(const aic_contraction *c)
{
    return c->has_epilogue ? aic_least(c->n, c->epilogue.columns) : c->n;
}

/* Sums must stay within int32 without the start values, so that adding them with saturation is the only clamp; and the
 * epilogue, which all chains have, can have only one step of biases. */
bool aic_starts_as_bias(const aic_contraction *c)
{
    return c->start_channel && c->sum == AIC_SUM_INT && !c->wraps &&
           !aic_epilogue_has_step(&c->epilogue, AIC_STEP_BIAS) && c->epilogue.steps < AIC_EPILOGUE_STEPS;
}

/* Slices of whole blocks and groups of channels whose outputs are whole strips of output channels. */
static int64_t slices_of(const aic_contraction *c, int64_t panel_channels)
{
    const int64_t slices = c->groups > 1 ? c->channels / aic_most(c->c0, aic_seen_of(c).channels) : 1;
    return c->n / slices % aic_most(panel_channels, AIC_BLOCK_COLUMNS) == 0 ? slices : 1;
}

/* Small tiles of m x m results are in order. */
static aic_split cut(int64_t extent, int64_t most, int64_t m)
{
    return m > 0 ? split_in_order(extent, most) : aic_split_evenly(extent, most);
}

aic_plan_geometry aic_plan_geometry_make(const aic_contraction *c, const aic_machine *machine,
                                         const aic_arithmetic *arithmetic, unsigned lanes,
                                         const aic_contraction_schedule *schedule)
{
    const int64_t slices = slices_of(c, (int64_t)lanes * schedule->vectors);
    const unsigned source_bytes = (unsigned)aic_dtype_size(c->dtype);
    return (aic_plan_geometry){.machine = machine,
                               .arithmetic = *arithmetic,
                               .rows = cut(c->down.out, schedule->rows, schedule->m),
                               .cols = cut(c->across.out, schedule->cols, schedule->m),
                               .lanes = lanes,
                               .vectors = (unsigned)schedule->vectors,
                               .source_bytes = source_bytes,
                               .weight_bytes = schedule->narrow ? source_bytes * arithmetic->kpack_channels
                                                                : arithmetic->kpack_bytes,
                               .panel_channels = (int64_t)lanes * schedule->vectors,
                               .outputs = aic_outputs_of(c),
                               .unroll = schedule->unroll,
                               .blocks = schedule->blocks,
                               .band_tiles = schedule->band,
                               .slices = slices,
                               .channels = c->channels / slices,
                               .m = schedule->m,
                               .in_place = schedule->in_place != 0,
                               .accumulate = c->accumulate && !aic_starts_as_bias(c)};
}
