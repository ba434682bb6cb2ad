/* The parts that pack weights in blocks, [c1, taps, n, c0], into panels.
 *
 *     void weights(row, source, panel; count)     `count` output channels of one block of channels and one tap; `row`
 * is where the first one's first k-pack goes panel.P                    from the first panel to panel P of the output
 * channels that are packed together
 *
 *     void starts(panel)                          start values of a panel, which make up for the offset of the image
 *       panel.start                bytes of a panel's head
 *       steps                      of the reduction, where it is parted of one tap: a loop
 *       kh, kw, start.columns      kernel rows, columns, columns of prefix sums: loops, where it is parted
 *       start.row, start.all       bytes of a row of prefix sums; where the last of them is */
#ifndef AIC_PART_WEIGHTS_H
#define AIC_PART_WEIGHTS_H

#include "codegen/parts.h"

typedef struct aic_weights_key {
#define AIC_FIELD AIC_MEMBER
#include "codegen/parts/weights.def"
#undef AIC_FIELD
} aic_weights_key;

typedef struct aic_starts_key {
#define AIC_FIELD AIC_MEMBER
#include "codegen/parts/starts.def"
#undef AIC_FIELD
} aic_starts_key;

extern const aic_part_kind aic_part_weights, aic_part_starts;

#endif
