/* The memory cache: from a key, any bytes, to what was made for it. Knows nothing of kernels or LLVM.
 *
 *     hits     lock-free: atomic loads of a table with open addressing
 *     misses   exactly one thread makes the value of a key, the others wait for it; while it is being made there is a
 *              flight for the key
 *     failure  is returned to every thread that waited and is not kept: the next caller tries again
 *     growth   publishes a new table; the old one is retired (grace.h), so a reader never loses its table
 *     removal  leaves a mark that matches no key in the entry's slot, and retires the entry
 *     fork     a child has none of the threads whose flights it finds: they count as failed, and the next caller tries
 *
 * What a reader finds is valid until it leaves the section that it has found it in (grace.h). A thread that holds the
 * mutex, or has the cache for itself, needs no section. */
#pragma once

#include "runtime/cache/grace.h"
#include <aic/types.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct aic_cache_key {
    const void *bytes;
    size_t size;
    uint64_t hash; /* of the bytes; keys with equal hashes are compared all the same */
} aic_cache_key;

/* A key with its value. Once a reader can see an entry, only `used` and `retired` change. */
typedef struct aic_cache_entry {
    void *value;
    uint64_t hash;
    size_t size;
    atomic_uint_fast64_t used; /* the cache's tick when it was last used */
    size_t weight;             /* set by admit(); 0 without it */
    aic_retired retired;
    unsigned char bytes[];
} aic_cache_entry;

typedef struct aic_cache_table {
    aic_retired retired;
    size_t mask; /* capacity - 1; the capacity is a power of two, and at most half of the slots are in use */
    _Atomic(aic_cache_entry *) slot[];
} aic_cache_table;

/* The size of the entry that stands in the slot of a removed one: no key has it. */
#define AIC_CACHE_MARK_SIZE SIZE_MAX

/* A value that is being made, from aic_cache_claim() to aic_cache_publish() of the same thread. */
typedef struct aic_flight aic_flight;

/* One mutex for all caches: misses are rare and hold it for a moment, and a fork has one to take. */
extern pthread_mutex_t aic_cache_mutex;

typedef struct aic_cache {
    _Atomic(aic_cache_table *) table;
    atomic_uint_fast64_t tick; /* entries published so far: what times of use are counted in */
    atomic_size_t entries;
    atomic_size_t weight; /* of all entries */
    /* For caches from which entries are removed; NULL: none ever is. admit(), under the mutex, says whether a value
     * that was made is kept, and may set the entry's weight; it is handed to the threads that waited for it in any
     * case. drop() frees an entry and gives up its value. */
    bool (*admit)(aic_cache_entry *entry);
    void (*drop)(aic_retired *retired);
    /* Used by misses only, under the mutex, as is the writing of the table. */
    size_t marks; /* slots of entries that were removed */
    aic_flight *flights;
    size_t flight_count;
} aic_cache;

aic_status aic_cache_init(aic_cache *cache);

/* Calls `release` with every value. No other thread may use the cache any more. A cache of zeros that was never
 * initialised has none. */
void aic_cache_destroy(aic_cache *cache, void (*release)(void *value));

static inline bool aic_cache_entry_matches(const aic_cache_entry *entry, const aic_cache_key *key)
{
    return entry->hash == key->hash && entry->size == key->size && memcmp(entry->bytes, key->bytes, key->size) == 0;
}

/* The entry of `key`, or NULL, then *slot is anything. Lock-free, allocates nothing. */
const aic_cache_entry *aic_cache_find_slot(const aic_cache *cache, const aic_cache_key *key, size_t *slot);

static inline const aic_cache_entry *aic_cache_find(const aic_cache *cache, const aic_cache_key *key)
{
    size_t slot;
    return aic_cache_find_slot(cache, key, &slot);
}

/* The entry that is in a slot now, of whatever key; NULL: there is none. Any number is allowed. */
static inline const aic_cache_entry *aic_cache_at(const aic_cache *cache, size_t slot)
{
    /* acquire, twice: as in aic_cache_find_slot(). */
    const aic_cache_table *table = atomic_load_explicit(&cache->table, memory_order_acquire);
    const aic_cache_entry *entry = atomic_load_explicit(&table->slot[slot & table->mask], memory_order_acquire);
    return entry != NULL && entry->size != AIC_CACHE_MARK_SIZE ? entry : NULL;
}

/* After a miss. AIC_OK with *entry: another thread has made it. AIC_OK with *flight: the caller makes the value and
 * must then call aic_cache_publish(). Else the failure of the thread that was making it, or AIC_OUT_OF_MEMORY. */
aic_status aic_cache_claim(aic_cache *cache, const aic_cache_key *key, const aic_cache_entry **entry,
                           aic_flight **flight);

/* Notes that an entry is used. */
static inline void aic_cache_touch(const aic_cache *cache, const aic_cache_entry *entry)
{
    /* relaxed: an approximate order of use is enough. The entry is written only once between two misses, so that
     * threads that use it share its cache line. */
    const uint64_t tick = atomic_load_explicit(&cache->tick, memory_order_relaxed);
    if (atomic_load_explicit(&entry->used, memory_order_relaxed) != tick) {
        atomic_store_explicit(&((aic_cache_entry *)(uintptr_t)entry)->used, tick, memory_order_relaxed);
    }
}

/* Removes an entry; the mutex is held. It is dropped when no reader can be using it any more. */
void aic_cache_remove(aic_cache *cache, aic_cache_entry *entry);

/* Calls visit(user, entry) with every entry; the mutex is held. */
void aic_cache_visit(const aic_cache *cache, void (*visit)(void *user, aic_cache_entry *entry), void *user);

/* Ends a flight: the value becomes visible when status is AIC_OK; else the calling thread's message is handed to
 * all who wait. Cannot fail: memory was reserved by the claim. */
void aic_cache_publish(aic_cache *cache, aic_flight *flight, aic_status status, void *value);
