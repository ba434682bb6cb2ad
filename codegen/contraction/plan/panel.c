/* From tiles and band to the packed weights. */
#include "codegen/contraction/plan/panel.h"
#include "codegen/integer.h"

int64_t aic_tap_kpacks(const aic_plan_geometry *g, const aic_wish *wish, const aic_plan_band *b)
{
    return g->arithmetic.sum == AIC_SUM_CUBE ? b->seen_kpacks
                                             : aic_round_up(wish->merged * b->seen_kpacks, wish->step_kpacks);
}

/* Output channels that are packed by one transposition. */
static unsigned transposed_channels(const aic_contraction *c, const aic_plan_geometry *g)
{
    enum { VECTOR_BYTES = 16 };
    return c->weight == AIC_WEIGHT_ROWS ? AIC_BLOCK_COLUMNS
                                        : VECTOR_BYTES / (g->arithmetic.kpack_channels * g->source_bytes);
}

/* The head of a panel. With blocks of channels there is one in every block, as long as some whole steps. */
static void lay_out_head(const aic_contraction *c, const aic_plan_geometry *g, const aic_wish *wish, aic_plan_panel *p)
{
    p->parted = wish->skips && aic_padding_matters(c, g->arithmetic.sum);
    p->notes = wish->specials || g->m > 0 || (p->parted && c->dtype != AIC_INT8);
    const int64_t starts = p->parted ? 1 + (c->down.taps + 1) * (c->across.taps + 1) : 1;
    p->start_bytes = g->arithmetic.image_offset != 0 ? starts * g->panel_channels * (int64_t)sizeof(int32_t)
                     : p->notes                      ? AIC_LINE_BYTES
                                                     : 0;
    if (c->groups > 1 && wish->steps == 0) {
        p->groups_at = aic_most(AIC_LINE_BYTES, aic_round_up(p->start_bytes, AIC_LINE_BYTES));
        p->start_bytes = p->groups_at + aic_round_up(g->panel_channels * (int64_t)sizeof(int32_t), AIC_LINE_BYTES);
    }
    p->start_bytes = g->blocks > 1 ? aic_round_up(p->start_bytes, p->step_bytes) : p->start_bytes;
}

/* Whether tiles can leave out k-packs without weights. Floats must be finite there, as padding is; only images whose
 * rows of a block of channels lie one behind the other are searched for others. */
static bool can_count(const aic_contraction *c, const aic_plan_geometry *g)
{
    const bool in_a_row = c->image.fractal_rows >= c->down.extent && c->image.pixel == c->c0;
    return c->groups <= 1 && c->weight == AIC_WEIGHT_BLOCKS && c->c0 > g->arithmetic.kpack_channels &&
           (c->dtype == AIC_INT8 || (c->dtype == AIC_FLOAT16 && in_a_row));
}

aic_plan_panel aic_plan_panel_make(const aic_contraction *c, const aic_plan_geometry *g, const aic_wish *wish,
                                   const aic_plan_band *b)
{
    aic_plan_panel p = {.taps = aic_parts(c->down.taps, wish->fold) * c->across.taps / wish->merged,
                        .kpacks = aic_tap_kpacks(g, wish, b),
                        .used = aic_parts(g->outputs, g->panel_channels),
                        .item_channels = aic_most(g->panel_channels, transposed_channels(c, g)),
                        .step_bytes = g->panel_channels * g->weight_bytes * aic_panel_planes(g, wish)};
    p.block_kpacks = p.kpacks / g->blocks;
    if (wish->skips) {
        p.padding = aic_padding_make(c, g, p.taps * p.kpacks, wish->edges);
    }
    lay_out_head(c, g, wish, &p);
    p.count = aic_round_up(g->outputs, aic_most(g->panel_channels, AIC_BLOCK_COLUMNS)) / g->panel_channels;
    p.columns = c->weight == AIC_WEIGHT_ROWS ? g->outputs : aic_round_up(g->outputs, AIC_BLOCK_COLUMNS);
    p.items = aic_parts(p.columns, p.item_channels);
    p.bytes = g->blocks * p.start_bytes + (wish->steps > 0 ? wish->steps : p.taps * p.kpacks) * p.step_bytes;
    if (g->m > 0) {
        p.planes_offset = p.bytes;
        p.bytes += (g->m + 2) * (g->m + 2) * p.kpacks * p.step_bytes;
    }
    p.packed_bytes = p.count * p.bytes;
    p.counts = wish->counts && can_count(c, g);
    p.counted_from = (c->c1 - 1) * c->c0 / g->arithmetic.kpack_channels;
    p.image_bytes = p.packed_bytes + (p.counts ? p.count * (int64_t)sizeof(int64_t) : 0);
    p.block_panel_bytes = p.bytes / g->blocks;
    p.block_bytes = p.count * p.block_panel_bytes;
    return p;
}
