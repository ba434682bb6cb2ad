/* Which of all legal schedules are measured: first many tiles, one schedule each, as the tile decides most; then the
 * other loops around the fastest tile. */
#ifndef AIC_RUNTIME_TUNE_PICK_H
#define AIC_RUNTIME_TUNE_PICK_H

#include "codegen/codegen.h"

enum { AIC_PICKED_MAX = 1024 };

/* Picks up to `most` (at most AIC_PICKED_MAX) entries that represent their tile, cheapest by prediction first. *picked
 * gets their numbers; returns how many. */
size_t aic_tune_pick_tiles(const aic_space_list *space, size_t most, size_t *picked);

/* Picks up to `most` other entries of the tile of number `near`: those that differ from it in one field first, the
 * cheapest first among these. Entries that `taken` marks are left out. */
size_t aic_tune_pick_loops(const aic_space_list *space, size_t near, const bool *taken, size_t most, size_t *picked);

#endif
