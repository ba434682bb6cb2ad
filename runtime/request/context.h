/* Inside of a context; see aic/context.h. Everything but the cache and the counters is fixed at creation. */
#pragma once

#include "codegen/codegen.h"
#include "runtime/cache/cache.h"
#include "runtime/cache/part_cache.h"
#include "runtime/disk/disk_cache.h"
#include "runtime/threads/share.h"
#include <aic/context.h>
#include <stdatomic.h>

/* The records of a tuning file; see tuning.h. */
typedef struct aic_tuning aic_tuning;

/* What a context counts: the fields of aic_context_statistics, each right by itself. They order nothing. */
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

struct aic_context {
    const aic_target *target;
    const aic_machine *machine;
    bool machine_chosen; /* by an option or the environment; false: it is the host's */
    char *passes;        /* NULL: none */
    char *dump_dir;      /* NULL: none */
    int verbose;         /* 0 .. 2 */
    unsigned log;        /* AIC_VERBOSE_... */
    unsigned profile;    /* AIC_PROFILE_... (profile.h) */
    aic_hooks hooks;     /* functions of the program */
    aic_share share;     /* without a quota */
    atomic_int quota;    /* for aic_share_limit() */
    aic_semantics semantics;
    aic_tuning *tuning; /* NULL: none */
    aic_disk disk;
    aic_cache by_request;                /* of aic_code, by what callers say (aic_key) */
    aic_cache kernels;                   /* of the same, by what they are (aic_identity) */
    aic_part_cache parts;                /* of which kernels are made */
    uint64_t cache_bytes, cache_kernels; /* limits of the kernels */
    atomic_uint_fast64_t compiles, evictions;
    atomic_uint_fast64_t loads, stores; /* from and to the disk cache */
    atomic_uint_fast64_t code_bytes;
    aic_counters counters;
};

/* A question to the generator about a specification, for the level `target`. */
static inline aic_problem aic_context_problem(const aic_context *context, const aic_spec *spec,
                                              const aic_target *target)
{
    return (aic_problem){spec, &context->semantics, target, context->machine};
}

/* The process-wide default context; NULL: it was not made yet. */
extern _Atomic(aic_context *) aic_context_of_process;

/* The same, made at the first call from the environment. */
aic_status aic_context_default(aic_context **context);

/* Puts the default context in the place of NULL. */
static inline aic_status aic_context_resolve(aic_context **context)
{
    if (*context == NULL) {
        /* acquire: pairs with the release in aic_context_default(), the context's content comes with its address. */
        *context = atomic_load_explicit(&aic_context_of_process, memory_order_acquire);
    }
    return *context != NULL ? AIC_OK : aic_context_default(context);
}
