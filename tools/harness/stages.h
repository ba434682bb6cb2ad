/* The operators that a specification is a chain of, with their descriptors. */
#pragma once

#include <aic/aic.h>

/* A descriptor of any operator. `size` is that of the union, which the library takes for any of them: what lies behind
 * a descriptor is 0. */
typedef struct stage_desc {
    aic_op op; /* AIC_OP_NONE: there is no such stage */
    union {
        size_t size;
#define AIC_OP(ENUM, name, count, params, args) aic_##name##_desc name;
#include <aic/ops.def>
#undef AIC_OP
    } desc;
} stage_desc;

/* Operator number `stage` of a specification, counted from 0. */
stage_desc stage_of(const aic_spec *spec, size_t stage);

/* How a specification sums; AIC_ACCUMULATE_FAST of one that does not. */
aic_accumulate stage_accumulate(const aic_spec *spec);

/* A specification like `spec`, operator number `stage` having this descriptor. */
aic_status stage_replace(const aic_spec *spec, size_t stage, const stage_desc *with, aic_spec **made);
