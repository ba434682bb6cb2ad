/* Deferred tiles: the epilogue stores a tile from its staging buffer, some rows at a time, between the products of the
 * next tile, which fills another buffer.
 *
 * This is for micro-kernels whose products leave the vector units idle. A core executes out of order within a window of
 * a few hundred instructions, so that products overlap with the epilogue only if the two are interleaved more finely
 * than that: rows stored after the products of a whole tile would overlap with nothing. Rows that are left when the
 * next tile's products end are stored then.
 *
 * A note in the worker's memory, in words of 64 bits, says what remains to be stored. */
#include "codegen/contraction/emitters.h"
#include "codegen/parts/staging.h"

_Static_assert((int)AIC_NOTE_WORDS == (int)AIC_DEFERRED_WORDS, "a worker has memory for a note");

aic_routine aic_compose_deferred(aic_program *program, const aic_plan *plan, aic_routine store)
{
    unsigned operands[AIC_EPILOGUE_STEPS];
    const aic_leave_key key = {.inputs = aic_epilogue_inputs(aic_tiling_of(plan)->staging.epilogue, operands)};
    aic_use use;
    aic_use_begin(&use, program, &aic_part_leave, &key);
    aic_use_call(&use, store, "store");
    return aic_program_add(program, &use, "leave");
}
