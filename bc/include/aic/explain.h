/* Why a kernel is as it is, and what it is expected to cost: `aicjit explain` as data.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_EXPLAIN_H
#define AIC_EXPLAIN_H

#include <aic/kernel.h>

AIC_EXTERN_C_BEGIN

/* Between which levels of the memory bytes move: each with the one before it, that of L1 with the registers. */
typedef enum aic_traffic {
    AIC_TRAFFIC_L1 = 0, /* loads and stores */
    AIC_TRAFFIC_L2,
    AIC_TRAFFIC_L3,
    AIC_TRAFFIC_MEMORY,
    AIC_TRAFFIC_LEVELS
} aic_traffic;

/* What the generator knows of a kernel without making it. */
typedef struct aic_explanation {
    size_t size;        /* of this structure */
    const char *shape;  /* of the computation: "contraction", "epilogue", "move", ...; static storage */
    const char *kernel; /* the micro-kernel chosen, the shape itself where it has none; static storage */
    const char *origin; /* of the schedule: "default", "tuned", "given"; static storage */
    const char *isa;    /* instruction set level; static storage */
    int vector_bits;    /* of its vectors */
    char schedule[160]; /* canonical text */
    int64_t macs;       /* multiply-accumulates of a call */
    /* Vector operations of a call, of which a core does about two in a cycle: what the rule predicts, loads and loops
     * included, and the least that any schedule needs. */
    double cost, bound;
    /* The same in nanoseconds of one thread, at `operations_per_ns`: two in a cycle of 3 GHz. The rate of a machine
     * differs, mostly with the width of its vectors: measure it to predict a time. */
    double predicted_ns, bound_ns, operations_per_ns;
    /* Bytes that a call moves between a level and the one before it, [aic_traffic]: a model, which counts what the
     * loops touch again as kept where it fits the cache of the type of core. Operands are in no cache at first,
     * and packable ones packed. */
    double bytes[AIC_TRAFFIC_LEVELS];
    char *text; /* the report of `aicjit explain` for people: loops, refused micro-kernels and tiles; aic_free() */
} aic_explanation;

AIC_SIZED(aic_explanation)

/* Explains the kernel of `spec`; schedule and isa as aic_dump() takes them. On success the caller frees
 * explanation->text with aic_free(). AIC_INVALID_ARGUMENT where spec, schedule or isa are wrong, AIC_OUT_OF_MEMORY.
 * aic_trace() shows how one element comes about. */
AIC_API aic_status aic_explain(aic_context *context, const aic_spec *spec, const char *schedule, const char *isa,
                               aic_explanation *explanation);

AIC_EXTERN_C_END

#endif
