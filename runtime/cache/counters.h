/* What a context counts: the fields of aic_context_statistics, each right by itself. They order nothing. */
#ifndef AIC_RUNTIME_COUNTERS_H
#define AIC_RUNTIME_COUNTERS_H

#include <aic/context.h>
#include <stdatomic.h>

typedef struct aic_counters {
    atomic_uint_fast64_t requests, compiled, loaded, failed;
    atomic_uint_fast64_t check_ns, identify_ns, emit_ns, codegen_ns, link_ns, publish_ns;
} aic_counters;

static inline void aic_count(atomic_uint_fast64_t *counter, uint64_t value)
{
    atomic_fetch_add_explicit(counter, value, memory_order_relaxed);
}

static inline uint64_t aic_counted(const atomic_uint_fast64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

#endif
