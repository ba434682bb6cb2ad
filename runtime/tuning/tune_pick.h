/* Which of all legal schedules are measured: first many tiles, one schedule each, as the tile decides most; then the
 * other loops around the fastest tile. */
#ifndef AIC_RUNTIME_TUNE_PICK_H
#define AIC_RUNTIME_TUNE_PICK_H

#include "codegen/codegen.h"

/* A choice: the number of an entry of the space, and what decided. */
typedef struct aic_tune_pick {
    size_t entry;
    double rank;
} aic_tune_pick;

/* Picks up to `most` entries that represent their tile, cheapest by prediction first. `picked` has room for as many;
 * returns how many there are. */
size_t aic_tune_pick_tiles(const aic_space_list *space, size_t most, aic_tune_pick *picked);

/* Picks up to `most` other entries of the tile of number `near`: those that differ from it in one field first, the
 * cheapest first among these. Entries that `taken` marks are left out. */
size_t aic_tune_pick_loops(const aic_space_list *space, size_t near, const bool *taken, size_t most,
                           aic_tune_pick *picked);

#endif
