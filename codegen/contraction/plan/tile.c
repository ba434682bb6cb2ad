/* From band and panel to a tile's steps through them. */
#include "codegen/contraction/plan/tile.h"
#include "codegen/parts/tile.h"

/* Taps whose sums are formed before they are folded into the totals. */
static int64_t block_taps_of(const aic_contraction *c, const aic_plan_geometry *g, const aic_plan_panel *p)
{
    switch (g->arithmetic.sum) {
    case AIC_SUM_CUBE:
        return AIC_CUBE_BYTES / g->source_bytes / aic_seen_of(c).c0;
    case AIC_SUM_INT_WIDE:
        return AIC_INT32_PRODUCTS / (aic_seen_of(c).c1 * aic_seen_of(c).c0);
    case AIC_SUM_INT:
    case AIC_SUM_FAST:
        break;
    }
    return p->taps;
}

aic_plan_tile aic_plan_tile_make(const aic_contraction *c, const aic_plan_geometry *g, const aic_plan_band *b,
                                 const aic_plan_panel *p, const aic_contraction_schedule *schedule)
{
    const int64_t range_words = p->padding.rows || p->padding.columns ? AIC_TILE_RANGE_WORDS : 0;
    const int64_t blocks = g->in_place || g->arithmetic.sum == AIC_SUM_CUBE ? c->c1 : 1;
    const bool counts = p->counts && p->kpacks / blocks != g->unroll;
    return (aic_plan_tile){.holds_window = schedule->hold == aic_tag("window"),
                           .ahead = schedule->ahead,
                           .block_taps = block_taps_of(c, g, p),
                           .out_row = b->row_step / b->row_residues * b->row_pitch / b->col_residues,
                           .out_col = b->col_step / b->col_residues * b->pixel_pitch,
                           .counts = counts,
                           .notes = counts && c->dtype != AIC_INT8 && c->c1 == 1 && !g->in_place,
                           .count_offset = range_words * (int64_t)sizeof(int64_t),
                           .range_bytes = (range_words + (counts ? 1 : 0)) * (int64_t)sizeof(int64_t)};
}
