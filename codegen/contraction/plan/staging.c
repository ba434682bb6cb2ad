/* From tiles to strips and to the memory of a worker. */
#include "codegen/contraction/plan/staging.h"
#include "codegen/integer.h"

aic_epilogue aic_plain_epilogue(const aic_contraction *c)
{
    const aic_dtype dtype = c->dtype == AIC_INT8 ? AIC_INT32 : AIC_FLOAT32;
    return (aic_epilogue){.source = dtype,
                          .target = dtype,
                          .rows = c->down.out * c->across.out,
                          .columns = c->n,
                          .matrices = 1,
                          .width = AIC_BLOCK_COLUMNS,
                          .target_block = c->block_rows * AIC_ROW_BYTES,
                          .target_row = AIC_ROW_BYTES};
}

aic_epilogue aic_staged_epilogue(const aic_contraction *c)
{
    aic_epilogue staged = c->has_epilogue ? c->epilogue : aic_plain_epilogue(c);
    if (c->accumulate && aic_starts_as_bias(c)) {
        const aic_step bias = {.op = AIC_STEP_BIAS, .operand = c->start_operand, .dtype = AIC_INT32};
        aic_epilogue_begin_with(&staged, &bias);
    }
    return staged;
}

/* How many rows leave a tile in each pause, for it to have left the buffer after all panels of a strip. */
static void defer(const aic_contraction *c, const aic_plan_geometry *g, const aic_wish *wish, const aic_plan_panel *p,
                  aic_plan_staging *s)
{
    s->pauses = p->taps * p->block_kpacks / g->unroll;
    const int64_t pauses = s->pauses * (s->strip_columns / g->panel_channels);
    s->deferred_runs = aic_parts(aic_staged_runs(c, wish, g->rows.large, g->cols.large), pauses);
    s->deferred_rows = aic_round_up(aic_parts(g->rows.large * g->cols.large, pauses), AIC_DEFERRED_STEP);
}

void aic_plan_staging_lay_out(const aic_plan_geometry *g, const aic_wish *wish, const aic_plan_band *b,
                              const aic_plan_panel *p, const aic_plan_tile *t, aic_plan_staging *s)
{
    const int64_t buffers = !s->has_epilogue ? 0 : g->blocks > 1 ? s->strips : s->defers ? 2 : 1;
    /* Tiles whose vectors meet groups load k-packs of a group behind the last pixel (parts/tile_kpack.c). */
    const int64_t surplus =
        g->in_place ? 0 : wish->surplus * b->col_step * b->pixel_pitch + p->kpacks * g->arithmetic.kpack_bytes;
    const int64_t strips = wish->sums_apart && g->accumulate ? 2 : 1, word = sizeof(int64_t);
    s->strip_bytes = s->strip_columns / AIC_BLOCK_COLUMNS * s->pitch + wish->surplus * AIC_ROW_BYTES;
    s->buffer_bytes = aic_round_up(strips * s->strip_bytes, AIC_LINE_BYTES);
    s->offset = aic_round_up(t->range_bytes + p->taps * word, AIC_LINE_BYTES);
    s->notes_offset = s->offset + buffers * s->buffer_bytes;
    s->planes_bytes = wish->halves ? wish->step_kpacks * p->step_bytes * g->arithmetic.planes : 0;
    s->planes_offset = s->notes_offset + (wish->specials || t->notes ? AIC_LINE_BYTES : 0);
    s->deferred_offset = s->planes_offset + 2 * s->planes_bytes;
    s->band_offset = s->deferred_offset + (s->defers ? aic_round_up(AIC_DEFERRED_WORDS * word, AIC_LINE_BYTES) : 0);
    s->private_bytes = s->band_offset + aic_round_up(b->bytes + surplus, AIC_LINE_BYTES);
}

aic_plan_staging aic_plan_staging_make(const aic_contraction *c, const aic_plan_geometry *g, const aic_wish *wish,
                                       const aic_plan_band *b, const aic_plan_panel *p, const aic_plan_tile *t)
{
    aic_plan_staging s = {.has_epilogue = c->has_epilogue || wish->staged,
                          .epilogue = &c->staged,
                          .strip_columns = aic_most(g->panel_channels, AIC_BLOCK_COLUMNS)};
    s.defers = s.has_epilogue && wish->pauses;
    if (s.has_epilogue) {
        s.pitch = ((aic_round_up(g->rows.large, wish->whole) - 1) * aic_staged_row(wish, g->cols.large) +
                   aic_round_up(g->cols.large, wish->whole)) *
                  AIC_ROW_BYTES;
    }
    s.strips = s.has_epilogue ? aic_parts(g->outputs, s.strip_columns) : p->used;
    if (s.defers) {
        defer(c, g, wish, p, &s);
    }
    aic_plan_staging_lay_out(g, wish, b, p, t, &s);
    return s;
}
