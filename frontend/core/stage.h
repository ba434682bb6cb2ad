/* What a specification is inside of the library: a value. The public functions hand out copies of it
 * (aic_spec_read() and others, handle.c). */
#pragma once

#include <aic/spec.h>

/* One operator with its descriptor, of this library's own size. */
typedef struct aic_stage {
    aic_op op;
    union {
#define AIC_OP(ENUM, name, count, params, args) aic_##name##_desc name;
#include <aic/ops.def>
#undef AIC_OP
    } desc;
} aic_stage;

/* The longest chain "a(...) | b(...)" that is fused into one kernel. */
#define AIC_STAGES_MAX 6

struct aic_spec {
    int32_t count; /* stages in use, 1 .. AIC_STAGES_MAX */
    aic_stage stage[AIC_STAGES_MAX];
};

/* A specification of this one operator, whose descriptor has the library's own size. */
aic_spec aic_spec_of(aic_op op, const void *desc);

/* "producer | consumer"; where they have no operators or more than AIC_STAGES_MAX in all, or one is NULL, the result
 * has none. */
aic_spec aic_spec_fuse(const aic_spec *producer, const aic_spec *consumer);

/* aic_spec_read(), and the pseudo-random specifications of aic/tool.h, as values. */
aic_status aic_spec_read(const char *text, aic_spec *spec);
aic_status aic_spec_draw(aic_op op, const aic_semantics *semantics, uint64_t seed, aic_spec *spec);
aic_status aic_spec_draw_illegal(aic_op op, const aic_semantics *semantics, uint64_t seed, aic_spec *spec);
aic_status aic_spec_draw_chain(aic_op producer, aic_op consumer, const aic_semantics *semantics, uint64_t seed,
                               aic_spec *spec);
aic_status aic_spec_draw_chain_illegal(aic_op producer, aic_op consumer, const aic_semantics *semantics, uint64_t seed,
                                       aic_spec *spec);
