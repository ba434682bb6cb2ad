/* The memory cache; see cache.h for what it promises. */
#include "runtime/cache/cache.h"
#include "frontend/core/diag.h"
#include "frontend/core/memory.h"
#include "runtime/system/fork.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_CAPACITY 64

struct aic_flight {
    aic_flight *next;
    aic_cache_entry *entry; /* made with the claim, so that publishing needs no memory */
    unsigned generation;    /* of the process that its thread belongs to */
    pthread_cond_t end;
    size_t waiters;
    bool ended;
    aic_status status;
    char message[512];
};

/* Stands in the slots of removed entries, so that probe sequences go on behind them. */
static aic_cache_entry mark = {.size = AIC_CACHE_MARK_SIZE};

pthread_mutex_t aic_cache_mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned generation; /* forks between the first process and this one */

static void after_fork_in_child(void)
{
    generation++;
}

const aic_fork_lock aic_cache_fork = {&aic_cache_mutex, &(const aic_fork_part){.in_child = after_fork_in_child}};

static aic_cache_table *table_new(size_t capacity)
{
    aic_cache_table *table = aic_memory_zeros(sizeof *table + capacity * sizeof table->slot[0]);
    if (table != NULL) {
        table->mask = capacity - 1;
    }
    return table;
}

aic_status aic_cache_init(aic_cache *cache)
{
    aic_cache_table *table = aic_fork_is_watched() ? table_new(FIRST_CAPACITY) : NULL;
    if (table == NULL) {
        return aic_fail_memory("cache", FIRST_CAPACITY * sizeof(void *));
    }
    atomic_init(&cache->table, table);
    atomic_init(&cache->tick, 1);
    atomic_init(&cache->entries, 0);
    atomic_init(&cache->weight, 0);
    cache->admit = NULL;
    cache->drop = NULL;
    cache->marks = 0;
    cache->flights = NULL;
    cache->flight_count = 0;
    return AIC_OK;
}

/* Removes flights of threads that this process does not have because it was forked; the mutex is held, or no other
 * thread uses the cache. A condition with waiters must not be destroyed, so theirs are not. */
static void drop_lost_flights(aic_cache *cache)
{
    aic_flight **link = &cache->flights;
    while (*link != NULL) {
        aic_flight *flight = *link;
        if (flight->generation == generation) {
            link = &flight->next;
            continue;
        }
        *link = flight->next;
        cache->flight_count--;
        aic_memory_free(flight->entry);
        aic_memory_free(flight);
    }
}

void aic_cache_destroy(aic_cache *cache, void (*release)(void *value))
{
    aic_cache_table *table = atomic_load_explicit(&cache->table, memory_order_relaxed);
    for (size_t i = 0; table != NULL && i <= table->mask; i++) {
        aic_cache_entry *entry = atomic_load_explicit(&table->slot[i], memory_order_relaxed);
        if (entry != NULL && entry != &mark) {
            release(entry->value);
            aic_memory_free(entry);
        }
    }
    aic_memory_free(table);
    drop_lost_flights(cache);
}

const aic_cache_entry *aic_cache_find_slot(const aic_cache *cache, const aic_cache_key *key, size_t *slot)
{
    /* acquire: pairs with the release in reserve(), the table's content comes with its address. */
    const aic_cache_table *table = atomic_load_explicit(&cache->table, memory_order_acquire);
    for (size_t i = key->hash & table->mask;; i = (i + 1) & table->mask) {
        /* acquire: pairs with the release in aic_cache_publish(), the entry and its value come with its address. */
        const aic_cache_entry *entry = atomic_load_explicit(&table->slot[i], memory_order_acquire);
        if (entry == NULL || aic_cache_entry_matches(entry, key)) {
            *slot = i;
            return entry;
        }
    }
}

/* Stores an entry in the first slot of its probe sequence that is empty or has the mark; the mutex is held. Returns
 * whether the slot had the mark. */
static bool table_insert(aic_cache_table *table, aic_cache_entry *entry, memory_order order)
{
    size_t i = entry->hash & table->mask;
    /* relaxed: only writers store, and they hold the mutex. */
    aic_cache_entry *there = atomic_load_explicit(&table->slot[i], memory_order_relaxed);
    while (there != NULL && there != &mark) {
        i = (i + 1) & table->mask;
        there = atomic_load_explicit(&table->slot[i], memory_order_relaxed);
    }
    atomic_store_explicit(&table->slot[i], entry, order);
    return there == &mark;
}

static void free_table(aic_retired *retired)
{
    aic_memory_free((char *)retired - offsetof(aic_cache_table, retired));
}

/* Makes room for one more entry besides those in flight: replaces the table where more than half of its slots would be
 * in use. The new one is twice as large, or as large as before where marks filled the old one. */
static aic_status reserve(aic_cache *cache)
{
    aic_cache_table *old = atomic_load_explicit(&cache->table, memory_order_relaxed);
    size_t needed = atomic_load_explicit(&cache->entries, memory_order_relaxed) + cache->flight_count + 1;
    if (2 * (needed + cache->marks) <= old->mask + 1) {
        return AIC_OK;
    }
    size_t capacity = 4 * needed > old->mask + 1 ? 2 * (old->mask + 1) : old->mask + 1;
    aic_cache_table *table = table_new(capacity);
    if (table == NULL) {
        return aic_fail_memory("cache", capacity * sizeof(void *));
    }
    for (size_t i = 0; i <= old->mask; i++) {
        aic_cache_entry *entry = atomic_load_explicit(&old->slot[i], memory_order_relaxed);
        if (entry != NULL && entry != &mark) {
            /* relaxed: the release of the table's address below publishes all of them. */
            (void)table_insert(table, entry, memory_order_relaxed);
        }
    }
    cache->marks = 0;
    atomic_store_explicit(&cache->table, table, memory_order_seq_cst);
    aic_retire(&old->retired, free_table);
    return AIC_OK;
}

static aic_cache_entry *entry_new(const aic_cache_key *key)
{
    aic_cache_entry *entry = aic_memory_new(sizeof *entry + key->size);
    if (entry != NULL) {
        entry->value = NULL;
        entry->weight = 0;
        atomic_init(&entry->used, 0);
        entry->hash = key->hash;
        entry->size = key->size;
        memcpy(entry->bytes, key->bytes, key->size);
    }
    return entry;
}

/* Adds a flight for the key; the mutex is held. */
static aic_status flight_begin(aic_cache *cache, const aic_cache_key *key, aic_flight **flight)
{
    aic_status status = reserve(cache);
    if (status != AIC_OK) {
        return status;
    }
    aic_flight *made = aic_memory_zeros(sizeof *made);
    aic_cache_entry *entry = entry_new(key);
    if (made == NULL || entry == NULL || pthread_cond_init(&made->end, NULL) != 0) {
        aic_memory_free(made);
        aic_memory_free(entry);
        return aic_fail_memory("cache", sizeof *made + sizeof *entry + key->size);
    }
    made->entry = entry;
    made->generation = generation;
    made->next = cache->flights;
    cache->flights = made;
    cache->flight_count++;
    *flight = made;
    return AIC_OK;
}

static void flight_free(aic_flight *flight)
{
    pthread_cond_destroy(&flight->end);
    aic_memory_free(flight);
}

/* Waits for the flight's end and takes over its result; the mutex is held. */
static aic_status wait_for(aic_flight *flight, const aic_cache_entry **entry)
{
    flight->waiters++;
    while (!flight->ended) {
        pthread_cond_wait(&flight->end, &aic_cache_mutex);
    }
    aic_status status = flight->status;
    if (status == AIC_OK) {
        *entry = flight->entry;
    } else {
        aic_fail(status, NULL, "%s", flight->message);
    }
    if (--flight->waiters == 0) {
        flight_free(flight);
    }
    return status;
}

aic_status aic_cache_claim(aic_cache *cache, const aic_cache_key *key, const aic_cache_entry **entry,
                           aic_flight **flight)
{
    *flight = NULL;
    pthread_mutex_lock(&aic_cache_mutex);
    aic_status status = AIC_OK;
    drop_lost_flights(cache);
    *entry = aic_cache_find(cache, key); /* it may have been published since the caller looked */
    if (*entry == NULL) {
        aic_flight *other = cache->flights;
        while (other != NULL && !aic_cache_entry_matches(other->entry, key)) {
            other = other->next;
        }
        status = other != NULL ? wait_for(other, entry) : flight_begin(cache, key, flight);
    }
    pthread_mutex_unlock(&aic_cache_mutex);
    return status;
}

/* Makes an entry visible if it is admitted; the mutex is held. An entry that is not admitted is retired: threads that
 * waited for it can use it until they leave their section. */
static void keep(aic_cache *cache, aic_cache_entry *entry)
{
    const uint64_t tick = atomic_fetch_add_explicit(&cache->tick, 1, memory_order_relaxed) + 1;
    atomic_store_explicit(&entry->used, tick, memory_order_relaxed);
    if (cache->admit != NULL && !cache->admit(entry)) {
        aic_retire(&entry->retired, cache->drop);
        return;
    }
    aic_cache_table *table = atomic_load_explicit(&cache->table, memory_order_relaxed);
    /* release: a reader that finds the entry also sees its value and everything behind it. */
    cache->marks -= table_insert(table, entry, memory_order_release);
    atomic_fetch_add_explicit(&cache->entries, 1, memory_order_relaxed); /* statistics outside the mutex */
    atomic_fetch_add_explicit(&cache->weight, entry->weight, memory_order_relaxed);
}

void aic_cache_remove(aic_cache *cache, aic_cache_entry *entry)
{
    aic_cache_table *table = atomic_load_explicit(&cache->table, memory_order_relaxed);
    size_t i = entry->hash & table->mask;
    while (atomic_load_explicit(&table->slot[i], memory_order_relaxed) != entry) {
        i = (i + 1) & table->mask;
    }
    atomic_store_explicit(&table->slot[i], &mark, memory_order_seq_cst);
    cache->marks++;
    atomic_fetch_sub_explicit(&cache->entries, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&cache->weight, entry->weight, memory_order_relaxed);
    aic_retire(&entry->retired, cache->drop);
}

void aic_cache_visit(const aic_cache *cache, void (*visit)(void *user, aic_cache_entry *entry), void *user)
{
    const aic_cache_table *table = atomic_load_explicit(&cache->table, memory_order_relaxed);
    for (size_t i = 0; i <= table->mask; i++) {
        aic_cache_entry *entry = atomic_load_explicit(&table->slot[i], memory_order_relaxed);
        if (entry != NULL && entry != &mark) {
            visit(user, entry);
        }
    }
}

void aic_cache_publish(aic_cache *cache, aic_flight *flight, aic_status status, void *value)
{
    pthread_mutex_lock(&aic_cache_mutex);
    aic_flight **link = &cache->flights;
    while (*link != flight) {
        link = &(*link)->next;
    }
    *link = flight->next;
    cache->flight_count--;

    flight->ended = true;
    flight->status = status;
    if (status == AIC_OK) {
        flight->entry->value = value;
        keep(cache, flight->entry);
    } else {
        aic_memory_free(flight->entry);
        snprintf(flight->message, sizeof flight->message, "%s", aic_last_error());
    }
    if (flight->waiters == 0) {
        flight_free(flight);
    } else {
        pthread_cond_broadcast(&flight->end);
    }
    pthread_mutex_unlock(&aic_cache_mutex);
}
