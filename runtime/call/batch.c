/* Running batches; see batch.h. */
#include "runtime/call/batch.h"

#include "frontend/core/diag.h"
#include "runtime/call/scratch.h"
#include "runtime/observe/log.h"
#include "runtime/threads/team.h"

#include <string.h>

typedef struct batch {
    const aic_code *code;
    int form; /* of the calls: packed, too, where the batch packs the constant operand of plain ones */
    const void *address[AIC_OPERANDS_MAX]; /* of the images, a packed image in the place of one */
    size_t stride[AIC_OPERANDS_MAX];
    aic_images images; /* by these two */
    size_t spread;     /* images that are divided among workers; the rest is shared one by one */
    char *memory;
    int64_t each; /* bytes of memory that a worker has */
} batch;

static void run_images(void *data, int64_t first, int64_t last, int worker)
{
    const batch *b = data;
    for (int64_t image = first; image < last; image++) {
        const void *operands[AIC_OPERANDS_MAX];
        aic_images_operands(&b->images, b->code->passed_count, (size_t)image, operands);
        aic_call_alone(b->code, b->form, operands, b->memory + worker * b->each);
    }
}

/* Images that are divided among so many workers: all, or all but the last round, where workers would be idle, when more
 * of them can work inside the calls of that round. */
static size_t count_spread(const aic_code *code, size_t images, int workers)
{
    const size_t left = images % (size_t)workers;
    return left > 0 && (size_t)code->workers > left ? images - left : images;
}

/* Workers that are worth their while. */
static int choose_workers(const aic_code *code, size_t images)
{
    const bool worth = code->workers > 1 || aic_machine_shares(code->machine, code->cost * (double)images);
    return worth ? code->share.threads : 1;
}

static void start(batch *b, const aic_code *code, int form, const aic_images *images)
{
    const uint32_t packs = code->requirements.pack.operand;
    *b = (batch){.code = code, .form = form};
    memcpy(b->address, images->address, code->operand_count * sizeof b->address[0]);
    memcpy(b->stride, images->stride, code->operand_count * sizeof b->stride[0]);
    aic_code_pass_words(code, b->address);
    for (size_t i = 0; i < code->words.count; i++) {
        b->stride[code->words.operand[i]] = 0;
    }
    b->images = (aic_images){b->address, b->stride, images->count};
    if (form == AIC_PLAIN && packs != 0 && b->stride[packs] == 0) {
        b->form = AIC_PACKED;
    }
}

/* Bytes of the image that the batch packs for all, 0 when it packs none. */
static int64_t packed_bytes(const batch *b, int form)
{
    return b->form != form ? b->code->requirements.pack.bytes : 0;
}

/* What `workers` workers need: memory of each, in which a call that they share has room, too. */
static bool find_bytes(batch *b, int workers, int64_t packed, int64_t *bytes)
{
    b->each = aic_workspace_bytes(&b->code->requirements, b->form);
    return !__builtin_mul_overflow(b->each, (int64_t)workers, bytes) && !__builtin_add_overflow(*bytes, packed, bytes);
}

static bool take_memory(batch *b, const aic_team *team, int64_t packed, int *workers, aic_scratch *block)
{
    int64_t bytes;
    for (;; *workers = 1) {
        if (find_bytes(b, *workers, packed, &bytes) &&
            aic_scratch_take(team->thread, bytes > 0 ? (size_t)bytes : 1, block)) {
            return true;
        }
        if (*workers == 1) {
            return false;
        }
    }
}

/* Packs the constant operand for all images. */
static void pack(batch *b, void *packed)
{
    const uint32_t operand = b->code->requirements.pack.operand;
    ((void (*)(void *, const void *))b->code->function[AIC_FUNCTION_PACK])(packed, b->address[operand]);
    b->address[operand] = packed;
}

static aic_status run_batch(batch *b, const aic_team *team, int workers)
{
    b->spread = count_spread(b->code, b->images.count, workers);
    aic_status status = b->spread > 0 ? aic_team_run(team, workers, (int64_t)b->spread, run_images, b) : AIC_OK;
    for (size_t image = b->spread; status == AIC_OK && image < b->images.count; image++) {
        const void *operands[AIC_OPERANDS_MAX];
        aic_images_operands(&b->images, b->code->passed_count, image, operands);
        const int inside = b->code->workers < workers ? b->code->workers : workers;
        status = aic_share_run(b->code, team, inside, b->form, operands, b->memory);
    }
    return status;
}

static aic_status fail_memory(const aic_code *code, int form)
{
    return aic_fail_memory("workspace", code->workspace[form]);
}

/* By the calling thread alone, in its scratch memory. */
static aic_status run_here(batch *b, int64_t packed)
{
    int64_t bytes = 0;
    void *memory = NULL;
    if (!find_bytes(b, 1, packed, &bytes)) {
        return aic_fail_memory("workspace", SIZE_MAX);
    }
    aic_status status = aic_scratch_get((size_t)bytes, &memory);
    if (status != AIC_OK) {
        return status;
    }
    b->memory = (char *)memory + packed;
    if (packed > 0) {
        pack(b, memory);
    }
    run_images(b, 0, (int64_t)b->images.count, 0);
    return AIC_OK;
}

static aic_status run_shared(batch *b, int form, int wanted, int64_t packed)
{
    aic_team team;
    aic_scratch block = {.memory = NULL};
    aic_thread *thread = aic_thread_get();
    if (thread == NULL) {
        return fail_memory(b->code, form);
    }
    aic_team_enter(&team, &b->code->share, b->code->subject, thread, wanted);
    int workers = team.workers;
    aic_status status;
    if (take_memory(b, &team, packed, &workers, &block)) {
        b->memory = (char *)block.memory + packed;
        if (packed > 0) {
            pack(b, block.memory);
        }
        status = run_batch(b, &team, workers);
        aic_scratch_give(thread, &block);
    } else {
        status = aic_fail_memory("workspace", (size_t)(packed + b->each));
    }
    aic_team_leave(&team);
    return status;
}

static aic_status run(const aic_code *code, int form, const aic_images *images)
{
    batch b;
    const int wanted = choose_workers(code, images->count);
    start(&b, code, form, images);
    const int64_t packed = packed_bytes(&b, form);
    return wanted > 1 ? run_shared(&b, form, wanted, packed) : run_here(&b, packed);
}

aic_status aic_batch_call(const aic_code *code, int form, const aic_images *images)
{
    if (images->count == 1) {
        return aic_call(code, form, images->address);
    }
    const uint64_t begin = code->logged ? aic_log_now() : 0;
    const aic_hooks *before = aic_hooks_any(&code->hooks) ? aic_thread_use(&code->hooks) : NULL;
    aic_status status = aic_batch_check(code, form, images);
    if (status == AIC_OK) {
        status = run(code, form, images);
    }
    if (aic_hooks_any(&code->hooks)) {
        (void)aic_thread_use(before);
    }
    if (code->logged) {
        const char *outcome = status != AIC_OK ? aic_status_name(status) : form == AIC_PACKED ? "packed" : "plain";
        aic_log_csv(
            code, &(aic_log_event){.category = AIC_VERBOSE_EXEC, .outcome = outcome, .exec_ns = aic_log_now() - begin});
    }
    return status;
}
