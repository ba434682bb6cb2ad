/* The plan of a contraction: all that follows from it, a target, a machine and a schedule. */
#pragma once

#include "codegen/contraction/plan/transform.h"

#include <stdint.h>

struct aic_microkernel;

/* How a band is divided into work items, once it is known what a call costs. */
typedef struct aic_band_division {
    int64_t parts;       /* of a band, each some of the strips */
    int64_t part_strips; /* strips of a part; the last part may have fewer */
} aic_band_division;

/* The lean form of a plan: that of the same contraction without the last channels of the last block. A call takes it if
 * packing has found no weights there other than 0. A micro-kernel whose products take a whole step of k-packs wishes
 * it: it gains nothing by leaving out k-packs, but fewer steps hold the taps of a kernel row if each has fewer k-packs.
 */
typedef struct aic_plan_lean {
    int64_t channels; /* that it leaves out; 0: the plan has no lean form */
    int64_t note;     /* offset in packed weights of an int64, which is not 0 if they are packed in the lean form */
    int64_t taps, kpacks, merged, pixel_kpacks; /* of its panels */
    int64_t private_bytes;                      /* of a worker's memory */
} aic_plan_lean;

typedef struct aic_tiling {
    const struct aic_microkernel *kernel;
    aic_plan_geometry geometry;
    aic_wish wish;
    aic_plan_band band;
    aic_plan_panel panel;
    aic_plan_tile tile;
    aic_plan_staging staging;
    aic_plan_transform transform;
    aic_plan_lean lean;
    aic_band_division division;
} aic_tiling;

static inline const aic_tiling *aic_tiling_of(const aic_plan *plan)
{
    return plan->derived;
}

/* Whether tiles leave taps out. */
static inline bool aic_tiling_skips(const aic_tiling *t)
{
    return t->panel.padding.rows || t->panel.padding.columns;
}

/* The most rows, columns or vectors of a tile, for any micro-kernel; this bounds code size and compile time. */
enum { AIC_TILE_SIDE = 64 };

/* Why no tile can have a panel of `channels` output channels in vectors of `lanes`; NULL where one can. */
const char *aic_panel_refusal(const aic_contraction *c, int64_t lanes, int64_t channels);

/* Makes the plan of this schedule, which need not be that of `plan`; bands are one part each. Fails with
 * AIC_INVALID_ARGUMENT, naming the schedule's field, when the schedule does not fit; then *tiling is no plan. */
aic_status aic_tiling_make(const aic_plan *plan, const aic_contraction_schedule *schedule, aic_tiling *tiling);

/* The same of this contraction, whose lean form is not looked for. */
aic_status aic_tiling_of_work(const aic_contraction *c, const aic_problem *problem,
                              const aic_contraction_schedule *schedule, aic_tiling *tiling);

/* Whether the plan of this schedule differs in band, fetching and holding alone from that of another schedule of its
 * tile and loop body, which has no blocks of channels. */
bool aic_tiling_varies(const aic_contraction_schedule *schedule, const aic_tiling *tiling);

/* Makes that of it which aic_tiling_make() would make. When the schedule does not fit nothing has changed. */
aic_status aic_tiling_vary(const aic_plan *plan, const aic_contraction_schedule *schedule, aic_tiling *tiling);

/* Divides bands into parts, of which there are several only where workers share a call; and states what a call must
 * provide. */
void aic_tiling_requirements(const aic_contraction *c, aic_tiling *t, bool shared, aic_requirements *requirements);
