/* Shared calls; see share.h. */
#include "runtime/share.h"
#include "frontend/core/diag.h"
#include "runtime/code.h"
#include "runtime/log.h"
#include "runtime/pool.h"
#include "runtime/scratch.h"
#include "runtime/worker.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

static aic_status read_threads(const char *text, int *threads)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    const bool is_number = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
    if (!is_number || value < 1 || value > AIC_THREADS_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, "AIC_NUM_THREADS", "\"%.40s\" is no integer in 1..%d", text,
                        AIC_THREADS_MAX);
    }
    *threads = (int)value;
    return AIC_OK;
}

/* The number that the option or the environment gives, 0 for neither. */
static aic_status choose_threads(const aic_context_options *options, const char *environment, int *threads)
{
    if (options->threads < 0 || options->threads > AIC_THREADS_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, "threads", "%d is outside 0..%d", options->threads, AIC_THREADS_MAX);
    }
    *threads = options->threads;
    return *threads == 0 && environment != NULL ? read_threads(environment, threads) : AIC_OK;
}

static void use_all(aic_share *share)
{
    share->threads = share->processors.count < AIC_THREADS_MAX ? share->processors.count : AIC_THREADS_MAX;
}

aic_status aic_share_configure(aic_share *share, const aic_context_options *options, const char *environment)
{
    *share = (aic_share){.parallel_for = options->parallel_for, .parallel_for_data = options->parallel_for_data};
    aic_status status = choose_threads(options, environment, &share->threads);
    if (status != AIC_OK || share->threads == 1) {
        return status;
    }
    aic_processors_find(&share->processors);
    share->all = share->threads == 0;
    if (share->all) {
        use_all(share);
        return AIC_OK;
    }
    return share->parallel_for != NULL ? AIC_OK : aic_pool_check();
}

void aic_share_limit(aic_share *share, atomic_int *known)
{
    /* relaxed: threads that come first together each read it. */
    int quota = atomic_load_explicit(known, memory_order_relaxed);
    if (quota == AIC_QUOTA_UNKNOWN) {
        quota = aic_processors_quota("");
        atomic_store_explicit(known, quota, memory_order_relaxed);
    }
    aic_processors_limit(&share->processors, quota);
    if (share->all) {
        use_all(share);
    }
}

int aic_share_workers(aic_code *code, atomic_int *known_quota)
{
    const aic_requirements *r = &code->requirements;
    int64_t items = 1;
    for (uint32_t i = 0; i < r->phases; i++) {
        items = r->phase[i].items > items ? r->phase[i].items : items;
    }
    if (items > 1 && code->share.threads > 1) {
        aic_share_limit(&code->share, known_quota);
    }
    return items < code->share.threads ? (int)items : code->share.threads;
}

/* ---- a call ---- */

typedef void (*phase_function)(void *const *operands, void *shared, void *private, int64_t phase, int64_t first,
                               int64_t last);

enum { LINE_BYTES = 64, WORD_BITS = 64, IN_USE_WORDS = AIC_THREADS_MAX / WORD_BITS };

typedef struct shared_call {
    const aic_code *code;
    phase_function run;
    void *own[AIC_OPERANDS_MAX]; /* the operands, a packed image in the place of one */
    void *const *operands;       /* what the kernel's functions get */
    int workers;
    char *shared, *packed, *private;
    int64_t private_bytes; /* of each worker */

    /* The phase in progress. */
    int64_t phase, items, chunk;
    char *common; /* its shared memory */
    /* What changes while workers read the rest is in another cache line. */
    char apart[LINE_BYTES];
    atomic_int_fast64_t next;                  /* the first item that no worker of the pool has taken */
    atomic_int_fast64_t done;                  /* workers that have returned, or items of a parallel_for */
    uint64_t ran_out;                          /* when worker 0 found no item left */
    atomic_bool misused;                       /* by parallel_for */
    atomic_uint_fast64_t in_use[IN_USE_WORDS]; /* numbers of its workers that run, a bit each */
} shared_call;

static void run_items(const shared_call *call, int64_t first, int64_t last, int worker)
{
    call->run(call->operands, call->common, call->private + worker * call->private_bytes, call->phase, first, last);
}

/* ---- by the pool ---- */

/* What a worker does in a phase: takes chunks as long as there are any. */
static void work(void *data, size_t worker)
{
    shared_call *call = data;
    /* acquire: pairs with the release in run_by_pool(). The pool orders this, too, in a way that tools do not see. */
    (void)atomic_load_explicit(&call->next, memory_order_acquire);
    int64_t first = atomic_fetch_add_explicit(&call->next, call->chunk, memory_order_relaxed);
    while (first < call->items) {
        const int64_t last = first + call->chunk;
        run_items(call, first, last < call->items ? last : call->items, (int)worker);
        if (aic_pool_is_crowded(worker, call->code->share.threads)) {
            break;
        }
        first = atomic_fetch_add_explicit(&call->next, call->chunk, memory_order_relaxed);
    }
    if (worker == 0) {
        call->ran_out = aic_log_now();
    }
    /* release: pairs with the acquire in run_by_pool(), for the same reason. */
    atomic_fetch_add_explicit(&call->done, 1, memory_order_release);
}

static void run_by_pool(shared_call *call, const aic_pool_turn *turn)
{
    /* Chunks that are small enough for workers that begin late or are held up, large enough to cost nothing. */
    enum { CHUNKS = 4 };
    const int workers = call->items < call->workers ? (int)call->items : call->workers;
    call->chunk = 1 + (call->items - 1) / ((int64_t)workers * CHUNKS);
    atomic_store_explicit(&call->next, 0, memory_order_release);
    const uint64_t began = aic_log_now();
    aic_pool_run(turn, workers, work, call);
    (void)atomic_load_explicit(&call->done, memory_order_acquire);
    aic_pool_report(workers, began, call->ran_out);
}

/* ---- by the caller's loop ---- */

/* Takes a worker's number; false when it is none, or in use. */
static bool take_number(shared_call *call, int worker)
{
    if (worker < 0 || worker >= call->workers) {
        return false;
    }
    const uint_fast64_t bit = UINT64_C(1) << (worker % WORD_BITS);
    /* acquire: pairs with the release of the body that had the number before, whose memory this one uses. */
    return (atomic_fetch_or_explicit(&call->in_use[worker / WORD_BITS], bit, memory_order_acquire) & bit) == 0;
}

static void give_number(shared_call *call, int worker)
{
    const uint_fast64_t bit = UINT64_C(1) << (worker % WORD_BITS);
    atomic_fetch_and_explicit(&call->in_use[worker / WORD_BITS], ~bit, memory_order_release);
}

static void body(void *data, int64_t begin, int64_t end, int worker)
{
    shared_call *call = data;
    if (begin < 0 || begin > end || end > call->items || !take_number(call, worker)) {
        atomic_store_explicit(&call->misused, true, memory_order_relaxed);
        return;
    }
    if (begin < end) {
        run_items(call, begin, end, worker);
    }
    give_number(call, worker);
    atomic_fetch_add_explicit(&call->done, end - begin, memory_order_release);
}

static aic_status run_by_callback(shared_call *call, aic_thread *thread)
{
    const aic_share *share = &call->code->share;
    thread->sharing = true;
    share->parallel_for(share->parallel_for_data, call->items, call->workers, body, call);
    thread->sharing = false;
    const int64_t done = atomic_load_explicit(&call->done, memory_order_acquire);
    if (atomic_load_explicit(&call->misused, memory_order_relaxed)) {
        return aic_fail(AIC_INVALID_ARGUMENT, call->code->subject,
                        "parallel_for: called its body with items outside 0..%lld, or with a worker's number outside "
                        "0..%d or in use",
                        (long long)call->items - 1, call->workers - 1);
    }
    return done == call->items
               ? AIC_OK
               : aic_fail(AIC_INVALID_ARGUMENT, call->code->subject, "parallel_for: did %lld of %lld items",
                          (long long)done, (long long)call->items);
}

/* ---- phases ---- */

/* Who helps: the pool when there is a turn, the caller's loop when there is none. */
typedef struct helpers {
    aic_thread *thread;
    const aic_pool_turn *turn;
} helpers;

static aic_status run_phase(shared_call *call, const helpers *by, int64_t phase, int64_t items, char *common)
{
    call->phase = phase;
    call->items = items;
    call->common = common;
    if (items <= 1 || call->workers == 1) {
        run_items(call, 0, items, 0);
        return AIC_OK;
    }
    atomic_store_explicit(&call->done, 0, memory_order_relaxed);
    if (by->turn == NULL) {
        return run_by_callback(call, by->thread);
    }
    run_by_pool(call, by->turn);
    return AIC_OK;
}

/* Packed images up to this size are written in less time than it takes to wake a thread. */
enum { PACK_ALONE_BYTES = 32 << 10 };

static aic_status run_packing(shared_call *call, const helpers *by)
{
    const aic_packing *pack = &call->code->requirements.pack;
    const int workers = call->workers;
    call->workers = pack->bytes <= PACK_ALONE_BYTES ? 1 : workers;
    aic_status status = run_phase(call, by, AIC_PHASE_PACK, pack->items, call->packed);
    call->workers = workers;
    return status;
}

static aic_status run_phases(shared_call *call, const helpers *by, int form, const void *const operands[])
{
    const aic_requirements *r = &call->code->requirements;
    const bool packs = form == AIC_PLAIN && r->pack.operand != 0;
    aic_status status = AIC_OK;
    memcpy(call->own, operands, call->code->operand_count * sizeof call->own[0]);
    /* The functions of a group have the table of its operands, which is its only operand. */
    call->operands = call->code->count > 1 ? call->own[0] : call->own;
    if (packs) {
        status = run_packing(call, by);
        call->own[r->pack.operand] = call->packed;
    }
    for (uint32_t i = 0; status == AIC_OK && i < r->phases; i++) {
        status = run_phase(call, by, i, r->phase[i].items, call->shared);
    }
    return status;
}

static bool take_memory(aic_thread *thread, int64_t bytes, aic_scratch *block)
{
    return aic_scratch_take(thread, bytes > 0 ? (size_t)bytes : 1, block);
}

/* Gets memory for call->workers workers, or for one where there is none for more; false when there is none at all. */
static bool open_memory(shared_call *call, aic_thread *thread, int form, aic_scratch *block)
{
    const aic_requirements *r = &call->code->requirements;
    const int64_t packed = form == AIC_PLAIN ? r->pack.bytes : 0, common = r->shared_bytes + packed;
    int64_t bytes;
    if (__builtin_mul_overflow(r->private_bytes, (int64_t)call->workers, &bytes) ||
        __builtin_add_overflow(bytes, common, &bytes)) {
        call->workers = 1;
        bytes = common + r->private_bytes;
    }
    if (!take_memory(thread, bytes, block)) {
        call->workers = 1;
        if (!take_memory(thread, common + r->private_bytes, block)) {
            return false;
        }
    }
    call->shared = block->memory;
    call->packed = call->shared + r->shared_bytes;
    call->private = call->packed + packed;
    call->private_bytes = r->private_bytes;
    return true;
}

static aic_status run_with(shared_call *call, const helpers *by, int form, const void *const operands[])
{
    aic_scratch block = {.memory = NULL};
    if (!open_memory(call, by->thread, form, &block)) {
        return aic_fail_memory("workspace", (size_t)aic_workspace_bytes(&call->code->requirements, form));
    }
    aic_status status = run_phases(call, by, form, operands);
    aic_scratch_give(by->thread, &block);
    return status;
}

static aic_status run_with_pool(shared_call *call, aic_thread *thread, int form, const void *const operands[])
{
    const aic_share *share = &call->code->share;
    const aic_pool_wish wish = {.threads = share->threads, .log = share->log, .processors = &share->processors};
    aic_pool_turn turn;
    aic_pool_enter(&turn, &wish);
    call->workers = turn.workers < call->workers ? turn.workers : call->workers;
    aic_status status = run_with(call, &(helpers){thread, &turn}, form, operands);
    aic_pool_leave(&turn);
    return status;
}

aic_status aic_share_call(const aic_code *code, int form, const void *const operands[])
{
    shared_call call = {
        .code = code, .run = (phase_function)code->function[AIC_FUNCTION_PHASE], .workers = code->workers};
    aic_thread *thread = aic_thread_get();
    if (thread == NULL) {
        return aic_fail_memory("workspace", (size_t)aic_workspace_bytes(&code->requirements, form));
    }
    const int cancellation = aic_cancellation_disable(); /* workers use this thread's memory */
    aic_status status;
    if (thread->sharing) {
        call.workers = 1;
        status = run_with(&call, &(helpers){thread, NULL}, form, operands);
    } else if (code->share.parallel_for != NULL) {
        status = run_with(&call, &(helpers){thread, NULL}, form, operands);
    } else {
        status = run_with_pool(&call, thread, form, operands);
    }
    aic_cancellation_restore(cancellation);
    return status;
}
