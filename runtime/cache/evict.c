/* Removing kernels from a context's caches; see evict.h.
 *
 * Each entry by request has its own time of use, and the oldest entries are removed. A kernel is removed with the last
 * of its entries. The number of entries is limited, too: many requests may lead to the same kernel. */
#include "runtime/cache/evict.h"
#include "frontend/core/memory.h"
#include "runtime/code/code.h"

#include <stddef.h>
#include <stdlib.h>

enum { REQUESTS = 4 /* entries by request that there may be for each kernel of the limit */, SPARE = 16 };

/* About what a kernel takes besides code memory (the structure, its text, identity and entry), and an entry by
 * request. */
enum { KERNEL_BYTES = sizeof(aic_code) + 1024, REQUEST_BYTES = 320 };

/* ---- entries; the caches' mutex is held, but for drop() ---- */

static bool admit_kernel(aic_cache_entry *entry)
{
    aic_code *code = entry->value;
    code->entry_of_kernel = entry;
    entry->weight = code->memory.mapped;
    return true;
}

/* An entry whose kernel was removed since is not kept: the limits would not count that kernel. */
static bool admit_request(aic_cache_entry *entry)
{
    aic_code *code = aic_code_base(entry->value);
    entry->weight = code != entry->value ? sizeof *code : 0;
    code->requests += code->entry_of_kernel != NULL;
    return code->entry_of_kernel != NULL;
}

static void drop(aic_retired *retired)
{
    aic_cache_entry *entry = (aic_cache_entry *)((char *)retired - offsetof(aic_cache_entry, retired));
    aic_code_release(entry->value);
    aic_memory_free(entry);
}

void aic_evict_prepare(aic_context *context)
{
    context->kernels.admit = admit_kernel;
    context->kernels.drop = drop;
    context->by_request.admit = admit_request;
    context->by_request.drop = drop;
}

/* Whether a handle holds the code besides the caches. */
static bool is_held(const aic_code *code)
{
    /* A view has one entry; its base counts the requests of all views. */
    const size_t entries = code->base != NULL ? 1 : code->requests + 1;
    return atomic_load_explicit(&code->references, memory_order_relaxed) > entries;
}

static bool remove_request(void *user, aic_cache_entry *entry)
{
    aic_context *context = user;
    aic_code *code = aic_code_base(entry->value);
    if (is_held(entry->value)) {
        return false;
    }
    aic_cache_remove(&context->by_request, entry);
    if (--code->requests == 0) {
        aic_cache_remove(&context->kernels, code->entry_of_kernel);
        code->entry_of_kernel = NULL;
        atomic_fetch_add_explicit(&context->evictions, 1, memory_order_relaxed); /* a statistic */
    }
    return true;
}

/* ---- limits ---- */

/* Whether a value exceeds a limit of which one part in `spare` is to be free; 0: none. */
static bool exceeds(uint64_t value, uint64_t limit, uint64_t spare)
{
    return value > limit - (spare != 0 ? limit / spare : 0);
}

static bool is_full(const aic_context *context, uint64_t spare)
{
    const uint64_t kernels = atomic_load_explicit(&context->kernels.entries, memory_order_relaxed);
    const uint64_t requests = atomic_load_explicit(&context->by_request.entries, memory_order_relaxed);
    const uint64_t bytes = atomic_load_explicit(&context->kernels.weight, memory_order_relaxed) +
                           atomic_load_explicit(&context->by_request.weight, memory_order_relaxed) +
                           kernels * KERNEL_BYTES + requests * REQUEST_BYTES;
    return exceeds(kernels, context->cache_kernels, spare) || exceeds(bytes, context->cache_bytes, spare) ||
           exceeds(requests / REQUESTS, context->cache_kernels, spare);
}

/* ---- the oldest ---- */

/* An entry with the time of use that it is sorted by, which readers go on changing. */
typedef struct aged_entry {
    uint64_t used;
    aic_cache_entry *entry;
} aged_entry;

static int compare_age(const void *a, const void *b)
{
    const aged_entry *left = a, *right = b;
    return (left->used > right->used) - (left->used < right->used);
}

typedef struct age_list {
    aged_entry *entry;
    size_t count;
} age_list;

static void add(void *user, aic_cache_entry *entry)
{
    age_list *list = user;
    list->entry[list->count++] = (aged_entry){atomic_load_explicit(&entry->used, memory_order_relaxed), entry};
}

void aic_evict_oldest(aic_cache *cache, bool (*full)(const void *user), bool (*remove)(void *user, aic_cache_entry *),
                      void *user)
{
    const size_t entries = atomic_load_explicit(&cache->entries, memory_order_relaxed);
    age_list list = {malloc((entries + 1) * sizeof(aged_entry)), 0};
    if (list.entry == NULL) {
        return;
    }
    aic_cache_visit(cache, add, &list);
    qsort(list.entry, list.count, sizeof list.entry[0], compare_age);
    for (size_t i = 0; i < list.count && full(user); i++) {
        (void)remove(user, list.entry[i].entry);
    }
    free(list.entry);
}

static bool has_no_spare(const void *context)
{
    return is_full(context, SPARE);
}

void aic_evict(aic_context *context)
{
    if (!is_full(context, 0)) {
        return;
    }
    pthread_mutex_lock(&aic_cache_mutex);
    if (is_full(context, 0)) {
        aic_evict_oldest(&context->by_request, has_no_spare, remove_request, context);
    }
    pthread_mutex_unlock(&aic_cache_mutex);
}
