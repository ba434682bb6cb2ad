/* The lean form of a plan: that of the same contraction without the last channels of the last block. A call takes it if
 * packing has found no weights there other than 0. A micro-kernel whose products take a whole step of k-packs wishes
 * it: it gains nothing by leaving out k-packs, but fewer steps hold the taps of a kernel row if each has fewer k-packs.
 */
#ifndef AIC_PLAN_LEAN_H
#define AIC_PLAN_LEAN_H

#include <stdint.h>

typedef struct aic_plan_lean {
    int64_t channels; /* that it leaves out; 0: the plan has no lean form */
    int64_t note;     /* offset in packed weights of an int64, which is not 0 if they are packed in the lean form */
    int64_t taps, kpacks, merged, pixel_kpacks; /* of its panels */
    int64_t private_bytes;                      /* of a worker's memory */
} aic_plan_lean;

#endif
