/* A team's work by the caller's own parallel loop, of which nothing is taken for granted. */
#ifndef AIC_RUNTIME_LOOP_H
#define AIC_RUNTIME_LOOP_H

#include "runtime/threads/team.h"

/* Has parallel_for do every item 0 .. items-1 by at most `workers` workers. AIC_INVALID_ARGUMENT when it did not do
 * each item once, or called its body with what it must not; a body that is called when the loop has returned does
 * nothing. */
aic_status aic_loop_run(const aic_team *team, int workers, int64_t items, aic_team_body body, void *data);

#endif
