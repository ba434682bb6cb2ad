/* See helpers.h. */
#include "runtime/request/helpers.h"
#include "codegen/llvm/guard.h"
#include "frontend/core/diag.h"
#include "frontend/core/memory.h"
#include "runtime/generator/worker.h"

enum { HELPERS_MAX = 3 }; /* a kernel has one to three large parts, which take most of the time */

typedef struct begun {
    int count;
    aic_worker worker[HELPERS_MAX];
} begun;

/* Threads that the caller may have besides its own. */
static int threads_left(aic_context *context)
{
    aic_share share = context->share;
    if (share.threads == 1 || share.parallel_for != NULL) {
        return 0;
    }
    if (atomic_load(&context->quota) != AIC_QUOTA_UNKNOWN) { /* what is not known is not looked for, as calls do */
        aic_share_limit(&share, &context->quota);
    }
    return share.threads - 1 - (int)aic_guard_inside();
}

static aic_status begin(void *user, size_t most, aic_status (*body)(void *), void *argument, void **of)
{
    int wanted = threads_left(user);
    wanted = wanted < HELPERS_MAX ? wanted : HELPERS_MAX;
    wanted = most < HELPERS_MAX && (int)most < wanted ? (int)most : wanted;
    if (wanted <= 0) {
        return AIC_OK;
    }
    begun *b = aic_memory_zeros(sizeof *b);
    if (b == NULL) {
        return aic_fail_memory("compile threads", sizeof *b);
    }
    while (b->count < wanted && aic_worker_begin(&b->worker[b->count], body, argument) == 0) {
        b->count++; /* where no more can be started, there are fewer */
    }
    *of = b;
    return AIC_OK;
}

static aic_status end(void *of)
{
    begun *b = of;
    aic_status status = AIC_OK;
    for (int i = 0; i < b->count; i++) {
        const aic_status of_thread = aic_worker_end(&b->worker[i]);
        status = status == AIC_OK ? of_thread : status;
    }
    aic_memory_free(b);
    return status;
}

aic_part_helpers aic_helpers_of(aic_context *context)
{
    return (aic_part_helpers){.begin = begin, .end = end, .user = context};
}
