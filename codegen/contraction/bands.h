/* Between the files of the contraction: its bodies, its cost, its schedules. */
#pragma once

#include "codegen/contraction/tiling.h"

/* bands.c: the phases "columns", where the epilogue has parameters, and "bands". */
void aic_compose_bands(aic_program *program, const aic_plan *plan, aic_bodies *bodies);

/* cost.c */
double aic_contraction_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t);

/* No schedule of this tile and loop body costs less, whatever its band is, what it holds, and how it fetches and packs
 * weights. */
double aic_contraction_least(const aic_contraction *c, const aic_target *target, const aic_tiling *t);

/* schedule.c */
void aic_contraction_enumerate(aic_plan *plan, aic_space space, const aic_visitor *visitor);
/* aic_plan_offer() where `t` is a finished plan of the schedule's tile, from which most is taken. It becomes that of
 * the schedule where this differs in band, fetching and holding alone. */
bool aic_contraction_offer(aic_plan *plan, const aic_contraction_schedule *schedule, aic_tiling *t,
                           const aic_visitor *visitor);
void aic_contraction_report(FILE *out, const aic_plan *plan);

/* explain.c */
void aic_contraction_nest(FILE *out, const aic_plan *plan);
void aic_contraction_traffic(const aic_plan *plan, double bytes[AIC_TRAFFIC_LEVELS]);
