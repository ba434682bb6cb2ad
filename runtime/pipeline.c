/* The whole way from a descriptor to a result: aic_pipeline() shows every stage in order. */
#include "runtime/pipeline.h"
#include "frontend/core/op.h"
#include "runtime/build.h"
#include "runtime/log.h"
#include "runtime/worker.h"

/* All that a caller says; target, passes and semantics are the context's own. */
static inline void make_key(const aic_request *request, aic_key *key)
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

/* What the cache lacks. */
typedef struct making {
    aic_context *context;
    const aic_request *request;
    aic_build *build; /* of valid, canonical specifications; NULL: there is none yet */
} making;

/* Makes it. *made is for the cache. */
typedef aic_status (*make_fn)(const making *what, aic_result *made);

/* Finds an entry of the cache after all, waits for the thread that is making it, or makes it (then the flight is ours).
 */
static aic_status claim_or_make(const making *what, make_fn make, const aic_key *key, uint64_t hash, aic_result *result)
{
    aic_cache *cache = &what->context->cache;
    const aic_cache_entry *entry;
    aic_flight *flight;
    aic_status status = aic_cache_claim(cache, key, hash, &entry, &flight);
    *result = (aic_result){.code = entry != NULL ? entry->value : NULL, .compiled = false};
    if (flight != NULL) {
        status = make(what, result);
        aic_cache_publish(cache, flight, status, result->code);
    }
    return status;
}

/* The stages of making a kernel. */
static aic_status make_kernel(const making *what, aic_result *made)
{
    aic_status status = aic_build_name(what->build); /* deterministic, from all that the code depends on */
    if (status == AIC_OK) {
        status = aic_build_object(what->build); /* emit IR, optimise, machine code */
    }
    if (status == AIC_OK) {
        status = aic_build_link(what->build); /* functions that can be called */
    }
    if (status == AIC_OK) {
        /* relaxed: a statistic. */
        atomic_fetch_add_explicit(&what->context->kernels, 1, memory_order_relaxed);
    }
    *made = (aic_result){.code = aic_build_end(what->build, status), .compiled = true};
    return status;
}

/* Judges what a caller says for the first time; it shares the kernel of all that come to the same. The code is held
 * once more for this entry of the cache. */
static aic_status make_entry(const making *what, aic_result *made)
{
    aic_build build;
    aic_build_begin(&build, what->context, what->request);
    aic_status status = aic_build_validate(&build); /* every rule of the document */
    if (status == AIC_OK) {
        const making kernel = {what->context, what->request, &build};
        aic_key key;
        aic_build_key(&build, &key);
        status = claim_or_make(&kernel, make_kernel, &key, aic_key_hash(&key), made);
    }
    if (status == AIC_OK) {
        aic_code_hold(made->code);
    }
    return status;
}

typedef struct make_job {
    const making *what;
    aic_result *made;
} make_job;

static aic_status run_make_job(void *argument)
{
    const make_job *job = argument;
    return make_entry(job->what, job->made);
}

/* The same on a thread of the library's own. */
static aic_status make_apart(const making *what, aic_result *made)
{
    make_job job = {what, made};
    return aic_worker_run(run_make_job, &job);
}

/* Not inlined: a hit needs none of its memory. */
static __attribute__((noinline)) aic_status miss(const making *what, const aic_key *key, uint64_t hash,
                                                 aic_result *result)
{
    const int cancellation = aic_cancellation_disable(); /* others wait for the flight */
    aic_status status = claim_or_make(what, make_apart, key, hash, result);
    if (status == AIC_OK && what->context->verbose >= 2) {
        aic_log("%s %s", result->compiled ? "miss" : "hit", result->code->symbol);
    }
    aic_cancellation_restore(cancellation);
    return status;
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
    const uint64_t hash = aic_key_hash(&key);

    /* cached? */
    const aic_cache_entry *entry = aic_cache_find(&context->cache, &key, hash);
    aic_result found = {.code = entry != NULL ? entry->value : NULL, .compiled = false};
    if (entry == NULL) {
        status = miss(&(making){.context = context, .request = request}, &key, hash, &found);
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
