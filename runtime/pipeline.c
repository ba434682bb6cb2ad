/* The whole way from a descriptor to a result: aic_pipeline() shows every stage in order. */
#include "runtime/pipeline.h"
#include "frontend/core/op.h"
#include "runtime/build.h"
#include "runtime/log.h"
#include "runtime/worker.h"

/* All that tells kernels of one context apart; target and passes are the context's own. */
static inline void make_key(const aic_request *request, aic_key *key)
{
    key->count = 0;
    for (size_t i = 0; i < request->count; i++) {
        aic_key_add_stage(key, request->stage[i].op, request->stage[i].desc);
    }
    if (request->schedule != NULL) {
        aic_build_key_schedule(key, request->schedule);
    }
}

/* Making what the cache lacks. *made is for the cache. */
typedef aic_status (*make_fn)(aic_context *context, const aic_request *request, aic_result *made);

/* A miss: finds the kernel after all, waits for the thread that is making it, or makes it (then the flight is ours).
 * Not inlined: a hit needs none of its memory. */
static __attribute__((noinline)) aic_status miss(aic_context *context, const aic_request *request, make_fn make_it,
                                                 const aic_key *key, uint64_t hash, aic_result *result)
{
    const aic_cache_entry *entry;
    aic_flight *flight;
    const int cancellation = aic_cancellation_disable(); /* others wait for the flight */
    aic_status status = aic_cache_claim(&context->cache, key, hash, &entry, &flight);
    *result = (aic_result){.code = entry != NULL ? entry->value : NULL, .compiled = false};
    if (flight != NULL) {
        status = make_it(context, request, result);
        if (status == AIC_OK && !result->spelling) {
            /* relaxed: a statistic. */
            atomic_fetch_add_explicit(&context->kernels, 1, memory_order_relaxed);
        }
        aic_cache_publish(&context->cache, flight, status, result->code);
    }
    if (status == AIC_OK && context->verbose >= 2) {
        aic_log("%s %s", flight != NULL ? "miss" : "hit", result->code->symbol);
    }
    aic_cancellation_restore(cancellation);
    return status;
}

static aic_status make(aic_context *context, const aic_request *request, aic_result *made);

/* The kernel of a request that is spelled otherwise than its resolved specifications and the schedule that they get:
 * one kernel serves all spellings of a chain, all places of a tile, and a schedule that is given or tuned. Gives the
 * code, held once more for the entry of this spelling. */
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
    const aic_request request = {.count = count, .stage = stage, .schedule = build->schedule};
    aic_key key;
    make_key(&request, &key);
    aic_status status = miss(build->context, &request, make, &key, aic_key_hash(&key), made);
    if (status == AIC_OK) {
        aic_code_hold(made->code);
        made->spelling = true;
    }
    return status;
}

/* Every stage of making a kernel, on this thread. */
static aic_status make(aic_context *context, const aic_request *request, aic_result *made)
{
    aic_build build;
    aic_build_begin(&build, context, request);
    aic_status status = aic_build_validate(&build);                /* every rule of the document */
    const bool tuned = status == AIC_OK && aic_build_tune(&build); /* the schedule, if the request leaves it open */
    if (status == AIC_OK && (build.respelled || tuned)) {
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

typedef struct make_job {
    aic_context *context;
    const aic_request *request;
    aic_result *made;
} make_job;

static aic_status run_make_job(void *argument)
{
    const make_job *job = argument;
    return make(job->context, job->request, job->made);
}

/* The same on a thread of the library's own. */
static aic_status make_apart(aic_context *context, const aic_request *request, aic_result *made)
{
    make_job job = {context, request, made};
    return aic_worker_run(run_make_job, &job);
}

/* On the calling thread only what every call of a cached kernel needs. */
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

    /* cached? */
    const aic_cache_entry *entry = aic_cache_find(&context->cache, &key, hash);
    aic_result found = {.code = entry != NULL ? entry->value : NULL, .compiled = false};
    if (entry == NULL) {
        status = miss(context, request, make_apart, &key, hash, &found);
    } else if (context->verbose >= 2) {
        aic_log("hit %s", found.code->symbol);
    }
    if (status != AIC_OK) {
        return status;
    }
    /* call */
    if (request->operands != NULL) {
        return aic_call(found.code, AIC_PLAIN, request->operands);
    }
    *result = found;
    return AIC_OK;
}

aic_status aic_ask_check(const aic_spec *spec)
{
    bool known = spec->count >= 1 && spec->count <= AIC_STAGES_MAX;
    for (int32_t i = 0; known && i < spec->count; i++) {
        known = aic_op_name(spec->stage[i].op) != NULL;
    }
    return known ? AIC_OK : aic_spec_validate(spec, NULL); /* which says what is wrong */
}
