/* The whole way from a descriptor to a result: aic_pipeline() shows every stage in order. */
#include "runtime/pipeline.h"
#include "frontend/core/op.h"
#include "runtime/build.h"
#include "runtime/log.h"

/* All that a caller says; target, passes and semantics are the context's own. */
static void make_key(const aic_request *request, aic_key *key)
{
    aic_key_begin(key, AIC_KEY_ASKED, request->specs);
    for (size_t i = 0; i < request->count; i++) {
        const aic_asked *asked = &request->stage[i];
        if (asked->stages > 0) {
            aic_key_add(key, asked->stages);
        }
        aic_key_add_stage(key, asked->op, asked->desc);
    }
    if (request->schedule != NULL) {
        aic_build_key_schedule(key, request->schedule);
    }
}

/* A miss: what to make. */
typedef struct making {
    aic_context *context;
    const aic_request *request;
    aic_build *build; /* of valid, canonical specifications; NULL: there is none yet */
} making;

typedef aic_status maker(const making *miss, aic_result *made);

/* What is cached under a key. If nothing is: what another thread is making of it, or what `make` makes of it, and then
 * the flight is ours. */
static inline aic_status find_or_make(const aic_key *key, maker *make, const making *miss, aic_result *result)
{
    aic_cache *cache = &miss->context->cache;
    const uint64_t hash = aic_key_hash(key);
    const aic_cache_entry *entry = aic_cache_find(cache, key, hash);
    aic_flight *flight = NULL;
    aic_status status = AIC_OK;
    if (entry == NULL) {
        status = aic_cache_claim(cache, key, hash, &entry, &flight);
    }
    *result = (aic_result){.code = entry != NULL ? entry->value : NULL, .compiled = false};
    if (flight != NULL) {
        status = make(miss, result);
        aic_cache_publish(cache, flight, status, result->code);
    }
    return status;
}

/* The stages of making a kernel. */
static aic_status make_kernel(const making *miss, aic_result *made)
{
    aic_status status = aic_build_name(miss->build); /* deterministic, from all that the code depends on */
    if (status == AIC_OK) {
        status = aic_build_object(miss->build); /* emit IR, optimise, machine code */
    }
    if (status == AIC_OK) {
        status = aic_build_link(miss->build); /* functions that can be called */
    }
    if (status == AIC_OK) {
        /* relaxed: a statistic. */
        atomic_fetch_add_explicit(&miss->context->kernels, 1, memory_order_relaxed);
    }
    *made = (aic_result){.code = aic_build_end(miss->build, status), .compiled = true};
    return status;
}

/* What a caller says for the first time is judged, and shares the kernel of all that come to the same. The code is held
 * once more for this entry. Not inlined: a hit needs none of its memory. */
static __attribute__((noinline)) aic_status make_share(const making *miss, aic_result *made)
{
    aic_build build;
    aic_build_begin(&build, miss->context, miss->request);
    aic_status status = aic_build_validate(&build); /* every rule of the document */
    if (status == AIC_OK) {
        const making kernel = {.context = miss->context, .request = miss->request, .build = &build};
        aic_key key;
        aic_build_key(&build, &key);
        status = find_or_make(&key, make_kernel, &kernel, made);
    }
    if (status == AIC_OK) {
        aic_code_hold(made->code);
    }
    return status;
}

aic_status aic_pipeline(aic_context *context, const aic_request *request, aic_result *result)
{
    aic_status status = aic_context_resolve(&context);
    if (status != AIC_OK) {
        return status;
    }
    aic_key key;
    aic_result found;
    make_key(request, &key);
    status = find_or_make(&key, make_share, &(making){.context = context, .request = request}, &found);
    if (status != AIC_OK) {
        return status;
    }
    if (context->verbose >= 2) {
        aic_log("%s %s", found.compiled ? "miss" : "hit", found.code->symbol);
    }

    /* call */
    if (request->operands != NULL) {
        return aic_call(found.code, AIC_PLAIN, request->operands);
    }
    *result = found;
    return AIC_OK;
}
