/* The whole way from a descriptor to a result: aic_pipeline() shows every stage in order. */
#include "runtime/pipeline.h"
#include "frontend/core/op.h"
#include "runtime/build.h"
#include "runtime/log.h"

/* All that tells kernels of one context apart; target and passes are the context's own. */
static void make_key(const aic_request *request, aic_key *key)
{
    key->count = 0;
    for (size_t i = 0; i < request->count; i++) {
        aic_key_add_stage(key, request->stage[i].op, request->stage[i].desc);
    }
    if (request->schedule != NULL) {
        aic_build_key_schedule(key, request->schedule);
    }
}

/* The kernel of a request that is spelled otherwise than its resolved specifications: one kernel serves all spellings
 * of a chain, and all places of a tile. Gives the code, held once more for the entry of this spelling. */
static aic_status share(const aic_build *build, aic_result *made)
{
    aic_asked stage[AIC_ASKED_MAX];
    size_t count = 0;
    for (size_t i = 0; i < build->count; i++) {
        if (i > 0) {
            stage[count++] = (aic_asked){.op = AIC_OP_NONE};
        }
        count += aic_ask(&build->spec[i], stage + count);
    }
    const aic_request request = {.count = count, .stage = stage, .schedule = build->request->schedule};
    aic_status status = aic_pipeline(build->context, &request, made);
    if (status == AIC_OK) {
        aic_code_hold(made->code);
        /* relaxed: a statistic. */
        atomic_fetch_add_explicit(&build->context->spellings, 1, memory_order_relaxed);
    }
    return status;
}

/* A miss: every stage of making a kernel. *made is for the cache. Not inlined: a hit needs none of its memory. */
static __attribute__((noinline)) aic_status make(aic_context *context, const aic_request *request, aic_result *made)
{
    aic_build build;
    aic_build_begin(&build, context, request);
    aic_status status = aic_build_validate(&build); /* every rule of the document */
    if (status == AIC_OK && build.respelled) {
        return share(&build, made);
    }
    if (status == AIC_OK) {
        status = aic_build_name(&build); /* deterministic, from all that the code depends on */
    }
    if (status == AIC_OK) {
        status = aic_build_object(&build); /* emit IR, optimise, machine code */
    }
    if (status == AIC_OK) {
        status = aic_build_link(&build); /* functions that can be called */
    }
    *made = (aic_result){.code = aic_build_end(&build, status), .compiled = true};
    return status;
}

aic_status aic_pipeline(aic_context *context, const aic_request *request, aic_result *result)
{
    aic_status status = aic_context_resolve(&context);
    if (status != AIC_OK) {
        return status;
    }
    /* descriptor -> key */
    aic_key key;
    make_key(request, &key);
    uint64_t hash = aic_key_hash(&key);

    /* cached? no: wait for the thread that is making it, or make it (then the flight is ours) */
    const aic_cache_entry *entry = aic_cache_find(&context->cache, &key, hash);
    aic_flight *flight = NULL;
    if (entry == NULL) {
        status = aic_cache_claim(&context->cache, &key, hash, &entry, &flight);
    }
    aic_result found = {.code = entry != NULL ? entry->value : NULL, .compiled = false};
    if (flight != NULL) {
        status = make(context, request, &found);
        aic_cache_publish(&context->cache, flight, status, found.code);
    }
    if (status != AIC_OK) {
        return status;
    }
    if (context->verbose >= 2) {
        aic_log("%s %s", flight != NULL ? "miss" : "hit", found.code->symbol);
    }

    /* call */
    if (request->operands != NULL) {
        return aic_call(found.code, AIC_PLAIN, request->operands);
    }
    *result = found;
    return AIC_OK;
}
