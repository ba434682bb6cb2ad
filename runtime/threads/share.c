/* Shared calls; see share.h. */
#include "runtime/threads/share.h"
#include "frontend/core/diag.h"
#include "runtime/call/scratch.h"
#include "runtime/code/code.h"
#include "runtime/threads/pool.h"
#include "runtime/threads/team.h"

#include <errno.h>
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

typedef struct shared_call {
    const aic_code *code;
    phase_function run;
    void *own[AIC_OPERANDS_MAX]; /* the operands, a packed image in the place of one */
    void *const *operands;       /* what the kernel's functions get */
    const aic_team *team;
    int workers;
    char *shared, *packed, *private;
    int64_t private_bytes; /* of each worker */

    /* The phase in progress. */
    int64_t phase;
    char *common; /* its shared memory */
} shared_call;

static void run_items(void *data, int64_t first, int64_t last, int worker)
{
    const shared_call *call = data;
    call->run(call->operands, call->common, call->private + worker * call->private_bytes, call->phase, first, last);
}

/* ---- phases ---- */

static aic_status run_phase(shared_call *call, int workers, int64_t phase, int64_t items, char *common)
{
    call->phase = phase;
    call->common = common;
    return aic_team_run(call->team, workers, items, run_items, call);
}

/* Packed images up to this size are written in less time than it takes to wake a thread. */
enum { PACK_ALONE_BYTES = 32 << 10 };

static aic_status run_packing(shared_call *call)
{
    const aic_packing *pack = &call->code->requirements.pack;
    const int workers = pack->bytes <= PACK_ALONE_BYTES ? 1 : call->workers;
    return run_phase(call, workers, AIC_PHASE_PACK, pack->items, call->packed);
}

static aic_status run_phases(shared_call *call, int form, const void *const operands[])
{
    const aic_requirements *r = &call->code->requirements;
    const bool packs = form == AIC_PLAIN && r->pack.operand != 0;
    aic_status status = AIC_OK;
    memcpy(call->own, operands, call->code->passed_count * sizeof call->own[0]);
    /* The functions of a group have the table of its operands, which is its only operand. */
    call->operands = call->code->count > 1 ? call->own[0] : call->own;
    if (packs) {
        status = run_packing(call);
        call->own[r->pack.operand] = call->packed;
    }
    for (uint32_t i = 0; status == AIC_OK && i < r->phases; i++) {
        status = run_phase(call, call->workers, i, r->phase[i].items, call->shared);
    }
    return status;
}

/* ---- memory ---- */

/* Scratch memory of a call by that many workers; false when there is no such number. */
static bool find_bytes(const aic_code *code, int form, int workers, int64_t *bytes)
{
    const aic_requirements *r = &code->requirements;
    const int64_t common = r->shared_bytes + (form == AIC_PLAIN ? r->pack.bytes : 0);
    return !__builtin_mul_overflow(r->private_bytes, (int64_t)workers, bytes) &&
           !__builtin_add_overflow(*bytes, common, bytes);
}

static bool take_memory(aic_thread *thread, int64_t bytes, aic_scratch *block)
{
    return aic_scratch_take(thread, bytes > 0 ? (size_t)bytes : 1, block);
}

/* Gets memory for *workers workers, or for one where there is none for more; false when there is none at all. */
static bool open_memory(const aic_code *code, aic_thread *thread, int form, int *workers, aic_scratch *block)
{
    int64_t bytes;
    if (find_bytes(code, form, *workers, &bytes) && take_memory(thread, bytes, block)) {
        return true;
    }
    *workers = 1;
    return take_memory(thread, aic_workspace_bytes(&code->requirements, form), block);
}

aic_status aic_share_run(const aic_code *code, const aic_team *team, int workers, int form,
                         const void *const operands[], char *memory)
{
    const aic_requirements *r = &code->requirements;
    shared_call call = {.code = code,
                        .run = (phase_function)code->function[AIC_FUNCTION_PHASE],
                        .team = team,
                        .workers = workers,
                        .shared = memory,
                        .private_bytes = r->private_bytes};
    call.packed = call.shared + r->shared_bytes;
    call.private = call.packed + (form == AIC_PLAIN ? r->pack.bytes : 0);
    return run_phases(&call, form, operands);
}

aic_status aic_share_call(const aic_code *code, int form, const void *const operands[])
{
    aic_team team;
    aic_scratch block = {.memory = NULL};
    aic_thread *thread = aic_thread_get();
    if (thread == NULL) {
        return aic_fail_memory("workspace", (size_t)aic_workspace_bytes(&code->requirements, form));
    }
    aic_team_enter(&team, &code->share, code->subject, thread, code->workers);
    int workers = team.workers;
    aic_status status;
    if (open_memory(code, thread, form, &workers, &block)) {
        status = aic_share_run(code, &team, workers, form, operands, block.memory);
        aic_scratch_give(thread, &block);
    } else {
        status = aic_fail_memory("workspace", (size_t)aic_workspace_bytes(&code->requirements, form));
    }
    aic_team_leave(&team);
    return status;
}
