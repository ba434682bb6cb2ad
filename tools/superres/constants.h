/* A layer's constants as its operators take them. */
#ifndef AIC_SUPERRES_CONSTANTS_H
#define AIC_SUPERRES_CONSTANTS_H

#include "tools/superres/plan.h"

typedef struct constants {
    void *weights;   /* [C1, 3, 3, cout, C0], owned, as is the rest; each an array of [cout] */
    uint32_t *start; /* float32 or int32 */
    float *slope, *factor;
    uint64_t *words;
} constants;

/* Sizes of layer `i`; channels are rounded up to a multiple of 32, the last layer's to one of 16. */
form_sizes constants_sizes(const plan_request *r, int i);

/* An exit status with a message; free in any case. */
int constants_open(constants *c, const plan_request *r, int i);
void constants_close(constants *c);

#endif
