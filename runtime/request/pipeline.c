/* From a request to a called kernel. The stages, and the function that each of them begins with:
 *
 *     aic_pipeline()     every call: looks where this thread found the request's kernel the last time
 *     search()           else looks the request up by its key
 *     miss()             else makes an entry for it in the cache by request
 *     make_entry()       validates, chooses a schedule, and looks the kernel up by its identity
 *     make_kernel()      else loads it from the disk, or generates it, and links it
 *     use(), call()      checks the operands and calls the machine code
 *
 * Several requests may lead to the same kernel: fields without effect are part of the key, not of the identity. */
#include "runtime/request/pipeline.h"
#include "frontend/core/diag.h"
#include "frontend/core/key.h"
#include "runtime/cache/evict.h"
#include "runtime/generator/worker.h"
#include "runtime/observe/log.h"
#include "runtime/request/build.h"
#include "runtime/system/stack.h"
#include <stddef.h>
#include <stdlib.h>

enum { SHOWN_MAX = 4096 }; /* bytes of an operator text in a log line */

/* The key of a request: all that the caller says. Target, passes and semantics are the same for all of a context. */
static inline void make_key(const aic_request *request, aic_key *key)
{
    key->count = 0;
    for (size_t i = 0; i < request->count; i++) {
        const aic_stage_view *view = &request->stage[i];
        aic_key_add_stage(key, i == 0 ? request->specs : 0, view->stages, view->op, view->desc);
    }
    if (request->schedule != NULL) {
        aic_key_add_text(key, request->schedule);
    }
}

/* The work of a thread that makes what a cache lacks. */
typedef struct making {
    aic_context *context;
    const aic_request *request;
    aic_build *build; /* with the kernel's identity; NULL while only the request is known */
} making;

/* Makes the value of an entry; *made has one hold, which the cache takes over. */
typedef aic_status (*make_fn)(const making *what, aic_result *made);

/* After a miss: finds the entry if another thread has made it since, waits for the thread that is making it, or makes
 * it on this thread. */
static aic_status claim_or_make(aic_cache *cache, const aic_cache_key *key, make_fn make, const making *what,
                                aic_result *result)
{
    const aic_cache_entry *entry;
    aic_flight *flight;
    aic_status status = aic_cache_claim(cache, key, &entry, &flight);
    *result = (aic_result){.code = entry != NULL ? entry->value : NULL, .compiled = false};
    if (flight != NULL) {
        status = make(what, result);
        aic_cache_publish(cache, flight, status, result->code);
    }
    return status;
}

/* Plans, makes machine code, or finds the parts that have it, and links functions that can be called. */
static aic_status run_generator(void *build)
{
    aic_status status = aic_build_object(build);
    return status == AIC_OK ? aic_build_link(build) : status;
}

/* More than planning and linking take of a stack, 24 KiB where they are optimised and 40 where not. */
#ifdef AIC_SANITIZED
enum { ROOMY_BYTES = 1 << 20 };
#else
enum { ROOMY_BYTES = 128 << 10 };
#endif

/* Only LLVM has a thread of its own: it takes longer to start one than to link parts that are at hand. All else is on
 * such a thread, too, where the caller's stack is small, and with dumps of the generator's stages. */
static aic_status generate(aic_build *build)
{
    aic_failure before;
    if (build->context->dump_dir != NULL || !aic_stack_has(ROOMY_BYTES)) {
        return aic_worker_run(run_generator, build);
    }
    aic_failure_get(&before);
    const aic_status status = run_generator(build);
    if (status == AIC_OK) {
        aic_failure_put(&before); /* what schedules were refused for is no failure of the caller's */
    }
    return status;
}

static aic_status make_kernel(const making *what, aic_result *made)
{
    aic_build *build = what->build;
    const uint64_t start = aic_log_now();
    aic_status status = aic_build_describe(build);
    if (status == AIC_OK) {
        const bool loaded = aic_build_load(build); /* machine code from the disk */
        status = loaded ? aic_build_link(build) : generate(build);
    }
    if (status == AIC_OK) {
        build->code->make_ns = aic_log_now() - start;
        *made = (aic_result){.code = build->code, .compiled = !build->loaded, .loaded = build->loaded};
        build->code = NULL;
    }
    return status;
}

/* Logs for a request by operator text whether its kernel was made, loaded or found. */
static void log_dispatch(const aic_build *build, const aic_result *made)
{
    if ((build->context->log & AIC_VERBOSE_DISPATCH) != 0) {
        char text[SHOWN_MAX];
        const bool printed = build->count == 1 && aic_spec_print(&build->shown, text, sizeof text, NULL) == AIC_OK;
        aic_log_csv(made->code, &(aic_log_event){.category = AIC_VERBOSE_DISPATCH,
                                                 .text = printed ? text : NULL,
                                                 .outcome = made->compiled ? "made"
                                                            : made->loaded ? "loaded"
                                                                           : "found",
                                                 .origin = aic_build_origin(build, made->code)});
    }
}

/* The line of verbose level 2. */
static __attribute__((noinline)) void log_hit(const aic_context *context, const aic_code *code)
{
    const aic_hooks *before = aic_thread_use(&context->hooks);
    aic_log(2, "hit %s", code->symbol);
    (void)aic_thread_use(before);
}

/* Logs a hit or a miss. */
static __attribute__((noinline)) void log_lookup(const aic_code *code, bool hit)
{
    aic_log_csv(code, &(aic_log_event){.category = AIC_VERBOSE_CACHE, .outcome = hit ? "hit" : "miss"});
}

/* The entry of a request holds the code once more; or a view of it, with the request's own words. */
static aic_status hold_for_entry(const aic_build *build, aic_result *made)
{
    if (build->words.count != 0) {
        return aic_code_view(made->code, &build->shown, &build->words, &made->code);
    }
    aic_code_hold(made->code);
    return AIC_OK;
}

/* Makes the entry of a request that is new to the context: validates it, then finds or makes the kernel of its
 * identity, which other requests may share. The entry holds the code once more. */
static aic_status make_entry(const making *what, aic_result *made)
{
    aic_counters *counters = &what->context->counters;
    aic_build *build = malloc(sizeof *build); /* more than the stack of a thread may have */
    if (build == NULL) {
        return aic_fail_memory("kernel", sizeof *build);
    }
    aic_build_begin(build, what->context, what->request);
    const uint64_t began = aic_log_now();
    aic_status status = aic_build_validate(build); /* every rule of the document */
    const uint64_t checked = aic_log_now();
    if (status == AIC_OK) {
        status = aic_build_tune(build); /* the schedule, if the request leaves it open */
    }
    if (status == AIC_OK) {
        aic_build_take_words(build);
        status = aic_build_identify(build); /* from all that the code depends on */
    }
    aic_count(&counters->requests, 1);
    aic_count(&counters->check_ns, checked - began);
    aic_count(&counters->identify_ns, aic_log_now() - checked);
    if (status == AIC_OK) {
        const aic_cache_key key = {build->identity.bytes, build->identity.size, build->identity.hash};
        const making kernel = {what->context, what->request, build};
        status = claim_or_make(&what->context->kernels, &key, make_kernel, &kernel, made);
    }
    if (status == AIC_OK) {
        status = hold_for_entry(build, made);
    }
    if (status == AIC_OK) {
        log_dispatch(build, made);
    } else {
        aic_count(&counters->failed, 1);
    }
    aic_build_end(build);
    free(build);
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

/* It all runs on the caller's thread; LLVM has another one. */
static aic_status make_request(const making *what, aic_result *made)
{
    make_job job = {what, made};
    return aic_worker_here(run_make_job, &job);
}

/* A kernel that has more operands than there are addresses. */
static __attribute__((noinline)) aic_status call_padded(aic_thread *thread, const aic_request *request,
                                                        const aic_code *code)
{
    const void *all[AIC_OPERANDS_MAX] = {NULL};
    memcpy(all, request->operands, request->operand_count * sizeof all[0]);
    return aic_call_as(thread, code, AIC_PLAIN, all);
}

static inline aic_status call(aic_thread *thread, const aic_request *request, const aic_code *code)
{
    if (request->padded && request->operand_count < code->operand_count) {
        return call_padded(thread, request, code);
    }
    if (request->counted) {
        aic_status status = aic_code_count_check(code, request->operand_count);
        if (status != AIC_OK) {
            return status;
        }
    }
    return aic_call_as(thread, code, AIC_PLAIN, request->operands);
}

/* Makes the missing entry, holds its code for a caller that wants a handle, and keeps the cache's limits. */
static aic_status make(const making *what, const aic_cache_key *key, aic_result *found)
{
    const int cancellation = aic_cancellation_disable(); /* other threads may wait for this one */
    const aic_hooks *before = aic_thread_use(&what->context->hooks);
    aic_status status = claim_or_make(&what->context->by_request, key, make_request, what, found);
    if (status == AIC_OK && what->context->verbose >= 2) {
        aic_log(2, "%s %s", found->compiled ? "miss" : found->loaded ? "disk" : "hit", found->code->symbol);
    }
    if (status == AIC_OK && (what->context->log & AIC_VERBOSE_CACHE) != 0) {
        log_lookup(found->code, !found->compiled);
    }
    if (status == AIC_OK && what->request->operands == NULL) {
        aic_code_hold(found->code); /* before aic_evict() chooses what to remove */
    }
    aic_evict(what->context);
    (void)aic_thread_use(before);
    aic_cancellation_restore(cancellation);
    return status;
}

/* Serves a request that the cache lacks, in the section of `reader`, which it leaves. Not inlined, so that a hit does
 * not reserve its stack. */
static __attribute__((noinline)) aic_status miss(const making *what, const aic_cache_key *key, aic_presence *reader,
                                                 aic_result *result)
{
    aic_result found;
    aic_status status = make(what, key, &found);
    if (status == AIC_OK && what->request->operands == NULL) {
        *result = found;
    } else if (status == AIC_OK) {
        status = call(aic_thread_peek(), what->request, found.code);
    }
    aic_grace_leave(reader);
    aic_reclaim();
    return status;
}

/* Serves a request whose entry was found. */
static inline aic_status use(aic_thread *thread, aic_context *context, const aic_request *request,
                             const aic_cache_entry *entry, aic_result *result)
{
    aic_code *code = entry->value;
    aic_cache_touch(&context->by_request, entry);
    if (context->verbose >= 2) {
        log_hit(context, code);
    } else if ((context->log & AIC_VERBOSE_CACHE) != 0) {
        log_lookup(code, true);
    }
    if (request->operands != NULL) {
        return call(thread, request, code);
    }
    aic_code_hold(code);
    *result = (aic_result){.code = code};
    return AIC_OK;
}

/* Where a thread notes the slot of a request's entry, by the address of the descriptor: callers that repeat a request
 * usually pass the same memory. */
static inline uint32_t *hint(aic_thread *thread, const aic_context *context, const aic_request *request)
{
    const uint64_t where = (uint64_t)((uintptr_t)request->stage[0].desc ^ (uintptr_t)context);
    return &thread->slot[where * UINT64_C(0x9E3779B97F4A7C15) >> (64 - AIC_SLOT_HINT_BITS)];
}

_Static_assert(offsetof(aic_cache_entry, bytes) % sizeof(uint64_t) == 0, "keys of requests are read as words");

/* Whether the entry has the key of the request. Compares field by field, without making the key. */
static inline bool has_key_of(const aic_cache_entry *entry, const aic_request *request)
{
    const uint64_t *word = (const uint64_t *)(const void *)entry->bytes;
    size_t left = entry->size / sizeof *word;
    for (size_t i = 0; i < request->count; i++) {
        const aic_stage_view *view = &request->stage[i];
        const size_t same =
            aic_key_begins_with(word, left, i == 0 ? request->specs : 0, view->stages, view->op, view->desc);
        if (same == 0) {
            return false;
        }
        word += same;
        left -= same;
    }
    return left == 0;
}

/* The request's entry, if it is still in the slot where this thread found it the last time; else NULL. */
static inline const aic_cache_entry *find_again(aic_thread *thread, const aic_context *context,
                                                const aic_request *request)
{
    if (thread == NULL || request->schedule != NULL) {
        return NULL;
    }
    const aic_cache_entry *entry = aic_cache_at(&context->by_request, *hint(thread, context, request));
    return entry != NULL && has_key_of(entry, request) ? entry : NULL;
}

/* Serves a request by its key, in the section of `reader`, which it leaves. Not inlined, so that a caller that finds
 * its entry again does not reserve the key's stack. */
static __attribute__((noinline)) aic_status search(aic_context *context, const aic_request *request,
                                                   aic_presence *reader, aic_result *result)
{
    aic_key words;
    make_key(request, &words);
    const aic_cache_key key = {words.word, words.count * sizeof words.word[0], aic_key_hash(&words)};

    size_t slot;
    const aic_cache_entry *entry = aic_cache_find_slot(&context->by_request, &key, &slot);
    if (entry == NULL) {
        return miss(&(making){.context = context, .request = request}, &key, reader, result);
    }
    aic_thread *thread = aic_thread_peek();
    if (thread != NULL) {
        *hint(thread, context, request) = (uint32_t)slot;
    }
    aic_status status = use(thread, context, request, entry, result);
    aic_grace_leave(reader);
    return status;
}

/* Does itself only what every call of a cached kernel needs; the rest is in functions that are not inlined. */
aic_status aic_pipeline(aic_context *context, const aic_request *request, aic_result *result)
{
    aic_status status = aic_context_resolve(&context);
    if (status != AIC_OK) {
        return status;
    }
    /* An entry that is found is valid until the section ends (grace.h). */
    aic_thread *thread = aic_thread_peek();
    aic_presence *reader = aic_grace_enter_as(thread);
    const aic_cache_entry *entry = find_again(thread, context, request);
    if (entry == NULL) {
        return search(context, request, reader, result);
    }
    status = use(thread, context, request, entry, result);
    aic_grace_leave(reader);
    return status;
}
