/* Parts in memory; see part_cache.h. */
#include "runtime/cache/part_cache.h"
#include "frontend/core/bytes.h"
#include "frontend/core/diag.h"
#include "frontend/core/memory.h"
#include "runtime/cache/evict.h"

#include <stddef.h>
#include <stdlib.h>

/* A part, held by the cache and by those that link it. */
typedef struct held_part {
    atomic_size_t holds;
    bool loaded; /* from a file */
    aic_piece piece;
} held_part;

/* About what a part takes besides its piece. */
enum { ENTRY_BYTES = sizeof(aic_cache_entry) + sizeof(held_part) + AIC_PART_IDENTITY_MAX };

static void hold(held_part *part)
{
    /* relaxed: whoever holds it more has got it from the cache, which holds it. */
    atomic_fetch_add_explicit(&part->holds, 1, memory_order_relaxed);
}

static void release(void *value)
{
    held_part *part = value;
    /* acq_rel: the last one to release sees all that others did with it. */
    if (atomic_fetch_sub_explicit(&part->holds, 1, memory_order_acq_rel) == 1) {
        aic_piece_free(&part->piece);
        aic_memory_free(part);
    }
}

/* ---- the cache's own ---- */

static bool admit(aic_cache_entry *entry)
{
    const held_part *part = entry->value;
    entry->weight = part->piece.size + ENTRY_BYTES;
    return true;
}

static void drop(aic_retired *retired)
{
    aic_cache_entry *entry = (aic_cache_entry *)((char *)retired - offsetof(aic_cache_entry, retired));
    release(entry->value);
    aic_memory_free(entry);
}

static bool exceeds(const aic_part_cache *parts, uint64_t limit)
{
    return atomic_load_explicit(&parts->cache.weight, memory_order_relaxed) > limit;
}

/* Where a sixteenth of the room is to be free. */
static bool is_full(const void *user)
{
    const aic_part_cache *parts = user;
    return exceeds(parts, parts->most - parts->most / 16);
}

static bool remove_part(void *user, aic_cache_entry *entry)
{
    aic_part_cache *parts = user;
    aic_cache_remove(&parts->cache, entry);
    return true;
}

static void keep_limit(aic_part_cache *parts)
{
    if (!exceeds(parts, parts->most)) {
        return;
    }
    pthread_mutex_lock(&aic_cache_mutex);
    aic_evict_oldest(&parts->cache, is_full, remove_part, parts);
    pthread_mutex_unlock(&aic_cache_mutex);
}

/* What a part is made of. */
typedef struct wish {
    const aic_part_identity *identity;
    aic_status (*make)(void *what, aic_piece *piece);
    void *what;
} wish;

/* ---- ready-made parts ---- */

/* In the place of a file that is not there, or not to be used. */
static aic_ready_parts *no_parts(void)
{
    static const char nothing;
    return (aic_ready_parts *)(uintptr_t)&nothing;
}

static bool find_ready(aic_part_cache *parts, const aic_part_identity *identity, aic_piece *piece)
{
    /* acquire, release: what was read of the file comes with its address. */
    aic_ready_parts *ready = atomic_load_explicit(&parts->ready, memory_order_acquire), *first = NULL;
    if (ready == NULL) {
        ready = parts->disk->ready_made ? aic_ready_parts_open(parts->level) : NULL;
        ready = ready != NULL ? ready : no_parts();
        if (!atomic_compare_exchange_strong_explicit(&parts->ready, &first, ready, memory_order_acq_rel,
                                                     memory_order_acquire)) {
            aic_ready_parts_close(ready != no_parts() ? ready : NULL);
            ready = first;
        }
    }
    return ready != no_parts() && aic_ready_parts_find(ready, identity, piece);
}

/* ---- for the generator ---- */

static bool load(aic_part_cache *parts, const aic_part_identity *identity, aic_piece *piece)
{
    /* relaxed: a part more or less. */
    const bool loaded = !atomic_load_explicit(&parts->distrusted, memory_order_relaxed) &&
                        (find_ready(parts, identity, piece) || aic_disk_load_part(parts->disk, identity, piece));
    if (loaded) {
        atomic_store_explicit(&parts->loaded, true, memory_order_relaxed);
    }
    return loaded;
}

/* Loads or makes the part of an entry that is missing, held by the cache and the caller. */
static aic_status load_or_make(aic_part_cache *parts, const wish *w, held_part **made, aic_part_origin *origin)
{
    held_part *part = aic_memory_zeros(sizeof *part);
    if (part == NULL) {
        return aic_fail_memory("part", sizeof *part);
    }
    atomic_init(&part->holds, 2);
    aic_status status = AIC_OK;
    part->loaded = load(parts, w->identity, &part->piece);
    *origin = part->loaded ? AIC_PART_LOADED : AIC_PART_MADE;
    if (!part->loaded) {
        status = w->make(w->what, &part->piece);
        if (status == AIC_OK) {
            (void)aic_disk_store_part(parts->disk, w->identity,
                                      &part->piece); /* without it the next process makes it, too */
        }
    }
    if (status != AIC_OK) {
        aic_memory_free(part);
        part = NULL;
    }
    *made = part;
    return status;
}

static aic_status take(aic_part_source *source, const aic_part_identity *identity,
                       aic_status (*make)(void *what, aic_piece *piece), void *what, const aic_piece **piece,
                       aic_part_origin *origin)
{
    aic_part_cache *parts = (aic_part_cache *)source;
    const aic_cache_key key = {identity->bytes, identity->size, aic_checksum(identity->bytes, identity->size)};
    aic_presence *reader = aic_grace_enter();
    const aic_cache_entry *entry = aic_cache_find(&parts->cache, &key);
    aic_flight *flight = NULL;
    held_part *part = NULL;
    aic_status status = AIC_OK;
    if (entry == NULL) {
        status = aic_cache_claim(&parts->cache, &key, &entry, &flight);
    }
    *origin = AIC_PART_READY;
    if (flight != NULL) {
        const wish w = {identity, make, what};
        status = load_or_make(parts, &w, &part, origin);
        aic_cache_publish(&parts->cache, flight, status, part);
    } else if (status == AIC_OK) {
        part = entry->value;
        hold(part);
        aic_cache_touch(&parts->cache, entry);
    }
    aic_grace_leave(reader);
    if (status == AIC_OK) {
        *piece = &part->piece;
        keep_limit(parts);
    }
    return status;
}

static void give_back(aic_part_source *source, const aic_piece *piece)
{
    (void)source;
    release((char *)(uintptr_t)piece - offsetof(held_part, piece));
}

static bool lacks(aic_part_source *source, const aic_part_identity *identity)
{
    aic_part_cache *parts = (aic_part_cache *)source;
    const aic_cache_key key = {identity->bytes, identity->size, aic_checksum(identity->bytes, identity->size)};
    aic_piece piece = {NULL, 0};
    aic_presence *reader = aic_grace_enter();
    bool has = aic_cache_find(&parts->cache, &key) != NULL;
    aic_grace_leave(reader);
    if (!has && !atomic_load_explicit(&parts->distrusted, memory_order_relaxed)) {
        has = find_ready(parts, identity, &piece) || aic_disk_has_part(parts->disk, identity);
        aic_piece_free(&piece);
    }
    return !has;
}

aic_status aic_part_cache_init(aic_part_cache *parts, uint64_t most, const char *level, aic_disk *disk)
{
    const aic_status status = aic_cache_init(&parts->cache);
    parts->source = (aic_part_source){.take = take, .give_back = give_back, .lacks = lacks};
    parts->most = most;
    parts->disk = disk;
    parts->level = level;
    atomic_init(&parts->ready, NULL);
    atomic_init(&parts->loaded, false);
    atomic_init(&parts->distrusted, false);
    parts->cache.admit = admit;
    parts->cache.drop = drop;
    return status;
}

/* Removes it if it is from a file. */
static void remove_loaded(void *user, aic_cache_entry *entry)
{
    const held_part *part = entry->value;
    if (part->loaded) {
        (void)remove_part(user, entry);
    }
}

bool aic_part_cache_distrust(aic_part_cache *parts)
{
    if (!atomic_load(&parts->loaded) || atomic_exchange(&parts->distrusted, true)) {
        return false;
    }
    pthread_mutex_lock(&aic_cache_mutex);
    aic_cache_visit(&parts->cache, remove_loaded, parts);
    pthread_mutex_unlock(&aic_cache_mutex);
    return true;
}

void aic_part_cache_destroy(aic_part_cache *parts)
{
    aic_cache_destroy(&parts->cache, release);
    aic_ready_parts *ready = atomic_load_explicit(&parts->ready, memory_order_relaxed); /* nobody else is there */
    aic_ready_parts_close(ready != no_parts() ? ready : NULL);
}
