/* Moves between layouts that tests of boxes and plans go through, and the schedule by which they plan. */
#pragma once

#include "codegen/loops/move.h"
#include "codegen/machine.h"

#include <aic/types.h>
#include <stdbool.h>

typedef struct move_pair {
    aic_layout src, dst;
} move_pair;

enum { MOVE_PAIRS = 38 };
extern const move_pair move_pairs[MOVE_PAIRS];

extern const aic_move_schedule move_usual_schedule;

/* What the report says of the default schedule for AVX2 on a type of core; the caller frees it. */
char *move_report_of(const char *text, aic_core core);

static inline bool is_one_of(aic_layout layout, aic_layout a, aic_layout b)
{
    return layout == a || layout == b;
}
