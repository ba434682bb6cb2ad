/* The memory cache: from a key, any bytes, to what was made for it. Knows nothing of kernels or LLVM.
 *
 *     hits     lock-free: atomic loads of an insert-only table with open addressing
 *     misses   exactly one thread makes the value of a key (it holds the key's flight), the others wait for it
 *     failure  is told to everyone who waited and is not kept: the next caller tries again
 *     growth   publishes a bigger table; old ones are kept until the cache dies, so a reader never loses its table
 *     fork     a child has none of the threads whose flights it finds: they count as failed, and the next caller tries
 *
 * Values are never evicted: an entry stays valid as long as the cache. */
#ifndef AIC_RUNTIME_CACHE_H
#define AIC_RUNTIME_CACHE_H

#include <aic/types.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct aic_cache_key {
    const void *bytes;
    size_t size;
    uint64_t hash; /* of the bytes; keys with equal hashes are told apart all the same */
} aic_cache_key;

/* A key with its value; nothing of it changes once a reader can see it. */
typedef struct aic_cache_entry {
    void *value;
    uint64_t hash;
    size_t size;
    unsigned char bytes[];
} aic_cache_entry;

typedef struct aic_cache_table aic_cache_table;

/* A value in the making; between aic_cache_claim() and aic_cache_publish() it belongs to the claiming thread. */
typedef struct aic_flight aic_flight;

/* One mutex for all caches: misses are rare and hold it for a moment, and a fork has one to take. */
extern pthread_mutex_t aic_cache_mutex;

typedef struct aic_cache {
    _Atomic(aic_cache_table *) table;
    atomic_size_t entries;
    /* Used by misses only, under the mutex, as is the writing of the table. */
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

/* The entry of `key`, or NULL. Lock-free, allocates nothing. */
const aic_cache_entry *aic_cache_find(const aic_cache *cache, const aic_cache_key *key);

/* After a miss. AIC_OK with *entry: another thread has made it. AIC_OK with *flight: the caller makes the value and
 * must then call aic_cache_publish(). Else the failure of the thread that was making it, or AIC_OUT_OF_MEMORY. */
aic_status aic_cache_claim(aic_cache *cache, const aic_cache_key *key, const aic_cache_entry **entry,
                           aic_flight **flight);

/* Ends a flight: the value becomes visible when status is AIC_OK; else the calling thread's message is handed to
 * all who wait. Cannot fail: memory was reserved by the claim. */
void aic_cache_publish(aic_cache *cache, aic_flight *flight, aic_status status, void *value);

#endif
