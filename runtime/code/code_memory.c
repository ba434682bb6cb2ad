/* The arena of code; see code_memory.h. */
#include "runtime/code/code_memory.h"
#include "frontend/core/diag.h"
#include "runtime/code/code_region.h"
#include "runtime/system/fork.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUBJECT "code memory"

#define REGION_BYTES ((size_t)1 << 20)

/* A region; an image that is larger than the usual ones has one for itself. */
typedef struct region {
    struct region *next;
    aic_code_region memory;
    size_t pages, taken;
    bool frozen;         /* what it holds stays, nothing is added: a fork has shared it, or writing has failed */
    unsigned char map[]; /* a byte a page: 1 where it is taken */
} region;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* everything here */
static region *regions;
static bool files; /* the system refuses to make anonymous memory executable */

/* ---- fork ---- */

static void before_fork(void)
{
    for (region *c = regions; c != NULL; c = c->next) {
        c->frozen = c->frozen || c->memory.open != c->memory.base;
    }
}

const aic_fork_lock aic_code_memory_fork = {&mutex, &(const aic_fork_part){.before = before_fork}};

/* ---- pages; the mutex is held ---- */

/* The first of `count` free pages in a row, or c->pages. */
static size_t find_run(const region *c, size_t count)
{
    size_t run = 0;
    for (size_t page = 0; page < c->pages; page++) {
        run = c->map[page] != 0 ? 0 : run + 1;
        if (run == count) {
            return page + 1 - count;
        }
    }
    return c->pages;
}

static aic_status add_region(size_t pages, size_t page_bytes, region **added)
{
    const size_t usual = REGION_BYTES / page_bytes;
    pages = pages > usual ? pages : usual;
    region *made = calloc(1, sizeof *made + pages);
    if (made == NULL) {
        return aic_fail_memory(SUBJECT, sizeof *made + pages);
    }
    made->pages = pages;
    aic_status status = aic_code_region_map(pages * page_bytes, files, &made->memory);
    if (status != AIC_OK) {
        free(made);
        return status;
    }
    made->next = regions;
    regions = made;
    *added = made;
    return AIC_OK;
}

/* Takes pages; the newest regions, which have room most likely, come first. */
static aic_status take_pages(size_t count, size_t page_bytes, region **from, size_t *page)
{
    for (region *c = regions; c != NULL; c = c->next) {
        const bool fits = !c->frozen && c->pages - c->taken >= count;
        *page = fits ? find_run(c, count) : c->pages;
        if (*page < c->pages) {
            *from = c;
            return AIC_OK;
        }
    }
    *page = 0;
    return add_region(count, page_bytes, from);
}

/* Unmaps a region that is empty; but for one, so that a kernel that comes and goes does not map every time. */
static void remove_empty(region *empty)
{
    region **link = &regions;
    if (empty->taken > 0 || (regions == empty && empty->next == NULL && !empty->frozen)) {
        return;
    }
    while (*link != empty) {
        link = &(*link)->next;
    }
    *link = empty->next;
    aic_code_region_unmap(&empty->memory);
    free(empty);
}

static void mark(region *c, size_t page, size_t count, bool taken)
{
    memset(c->map + page, taken, count);
    c->taken += taken ? count : 0 - count;
}

/* ---- images ---- */

static aic_status fail_write(int error, size_t size)
{
    return error == ENOMEM ? aic_fail_memory(SUBJECT, size)
                           : aic_fail(AIC_UNSUPPORTED, SUBJECT, "cannot be made executable: %s", strerror(error));
}

/* One attempt; *error is the system's answer. */
static aic_status place(const aic_image *image, size_t page_bytes, aic_code_memory *memory, int *error)
{
    const size_t count = (image->size + page_bytes - 1) / page_bytes, mapped = count * page_bytes;
    region *c = NULL;
    size_t page = 0;
    aic_status status = take_pages(count, page_bytes, &c, &page);
    if (status != AIC_OK) {
        return status;
    }
    *error = aic_code_region_write(&c->memory, page * page_bytes, mapped, image->bytes, image->size);
    if (*error != 0) {
        c->frozen = true; /* it would fail again */
        remove_empty(c);
        return fail_write(*error, mapped);
    }
    mark(c, page, count, true);
    *memory = (aic_code_memory){c->memory.base + page * page_bytes, image->size, mapped};
    return AIC_OK;
}

aic_status aic_code_memory_place(const aic_image *image, aic_code_memory *memory)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    if (image->alignment > page_bytes) {
        return aic_fail(AIC_INTERNAL, SUBJECT, "alignment %zu exceeds pages of %zu bytes", image->alignment,
                        page_bytes);
    }
    int error = 0;
    pthread_mutex_lock(&mutex);
    aic_status status = place(image, page_bytes, memory, &error);
    if ((error == EACCES || error == EPERM) && !files) {
        files = true;
        status = place(image, page_bytes, memory, &error);
    }
    pthread_mutex_unlock(&mutex);
    return status;
}

/* The region that an address is in. */
static region *region_of(const unsigned char *base)
{
    region *c = regions;
    while ((uintptr_t)base - (uintptr_t)c->memory.base >= c->memory.size) {
        c = c->next;
    }
    return c;
}

void aic_code_memory_release(aic_code_memory *memory)
{
    if (memory->base == NULL) {
        return;
    }
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    pthread_mutex_lock(&mutex);
    region *c = region_of(memory->base);
    const size_t at = (size_t)(memory->base - c->memory.base);
    aic_code_region_drop(&c->memory, at, memory->mapped);
    mark(c, at / page_bytes, memory->mapped / page_bytes, false);
    remove_empty(c);
    pthread_mutex_unlock(&mutex);
    memory->base = NULL;
}

size_t aic_code_memory_regions(void)
{
    size_t count = 0;
    pthread_mutex_lock(&mutex);
    for (const region *c = regions; c != NULL; c = c->next) {
        count++;
    }
    pthread_mutex_unlock(&mutex);
    return count;
}
