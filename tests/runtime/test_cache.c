/* The memory cache by itself: hits, equality, growth, one flight a key, failures, many threads. */
#include "frontend/core/diag.h"
#include "runtime/cache/cache.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

Suite *suite_cache(void);

#define THREADS 8

typedef uint64_t words[10];

/* A key of `count` of these words. */
static aic_cache_key key_of_words(const words word, size_t count, uint64_t hash)
{
    return (aic_cache_key){word, count * sizeof word[0], hash};
}

/* The key of a number, whose bytes are in `room`. */
static aic_cache_key key_of(uint64_t number, words room)
{
    room[0] = 42;
    room[1] = number;
    room[2] = ~number;
    return key_of_words(room, 3, number * UINT64_C(0x9E3779B97F4A7C15));
}

static void *value_of(uint64_t number)
{
    return (void *)(uintptr_t)(number + 1);
}

static void release_nothing(void *value)
{
    ck_assert_ptr_nonnull(value);
}

static aic_cache *cache_new(void)
{
    aic_cache *cache = malloc(sizeof *cache);
    ck_assert_ptr_nonnull(cache);
    ck_assert_int_eq(aic_cache_init(cache), AIC_OK);
    return cache;
}

static void cache_free(aic_cache *cache)
{
    aic_cache_destroy(cache, release_nothing);
    free(cache);
}

static void put(aic_cache *cache, const aic_cache_key *key, void *value)
{
    const aic_cache_entry *entry;
    aic_flight *flight;
    ck_assert_int_eq(aic_cache_claim(cache, key, &entry, &flight), AIC_OK);
    ck_assert_ptr_null(entry);
    ck_assert_ptr_nonnull(flight);
    aic_cache_publish(cache, flight, AIC_OK, value);
}

START_TEST(miss_then_hit)
{
    aic_cache *cache = cache_new();
    words room, other_room;
    const aic_cache_key key = key_of(1, room), other = key_of(2, other_room);
    ck_assert_ptr_null(aic_cache_find(cache, &key));
    put(cache, &key, value_of(1));
    room[0] = 0; /* the cache has its own copy */
    ck_assert_ptr_null(aic_cache_find(cache, &key));
    room[0] = 42;

    const aic_cache_entry *found = aic_cache_find(cache, &key);
    ck_assert_ptr_nonnull(found);
    ck_assert_ptr_eq(found->value, value_of(1));
    ck_assert_ptr_null(aic_cache_find(cache, &other));

    /* A claim that comes late finds the entry. */
    const aic_cache_entry *entry;
    aic_flight *flight;
    ck_assert_int_eq(aic_cache_claim(cache, &key, &entry, &flight), AIC_OK);
    ck_assert_ptr_eq(entry, found);
    ck_assert_ptr_null(flight);
    cache_free(cache);
}
END_TEST

/* Keys whose hashes collide, one a prefix of the other or different in a single word, are different keys. */
START_TEST(equal_hashes)
{
    aic_cache *cache = cache_new();
    const uint64_t hash = 63; /* the last slot of the first table: probing wraps around */
    for (size_t count = 0; count < 10; count++) {
        words word = {0};
        const aic_cache_key key = key_of_words(word, count, hash);
        put(cache, &key, value_of(count));
        if (count > 0) {
            word[count - 1] = UINT64_C(1) << 63;
            put(cache, &key, value_of(100 + count));
        }
    }
    for (size_t count = 1; count < 10; count++) {
        words word = {0};
        const aic_cache_key key = key_of_words(word, count, hash);
        ck_assert_ptr_eq(aic_cache_find(cache, &key)->value, value_of(count));
        word[count - 1] = UINT64_C(1) << 63;
        ck_assert_ptr_eq(aic_cache_find(cache, &key)->value, value_of(100 + count));
        word[0] ^= 2;
        ck_assert_ptr_null(aic_cache_find(cache, &key));
    }
    cache_free(cache);
}
END_TEST

START_TEST(growth)
{
    enum { KEYS = 20000 };
    aic_cache *cache = cache_new();
    for (uint64_t i = 0; i < KEYS; i++) {
        words room;
        const aic_cache_key key = key_of(i, room);
        put(cache, &key, value_of(i));
    }
    ck_assert_uint_eq(atomic_load(&cache->entries), KEYS);
    for (uint64_t i = 0; i < KEYS; i++) {
        words room;
        const aic_cache_key key = key_of(i, room);
        const aic_cache_entry *entry = aic_cache_find(cache, &key);
        ck_assert_ptr_nonnull(entry);
        ck_assert_ptr_eq(entry->value, value_of(i));
    }
    words room;
    const aic_cache_key absent = key_of(KEYS, room);
    ck_assert_ptr_null(aic_cache_find(cache, &absent));
    cache_free(cache);
}
END_TEST

START_TEST(failure_is_not_kept)
{
    aic_cache *cache = cache_new();
    words room;
    const aic_cache_key key = key_of(5, room);
    for (int attempt = 0; attempt < 3; attempt++) {
        const aic_cache_entry *entry;
        aic_flight *flight;
        ck_assert_int_eq(aic_cache_claim(cache, &key, &entry, &flight), AIC_OK);
        ck_assert_ptr_nonnull(flight);
        aic_cache_publish(cache, flight, aic_fail(AIC_COMPILE, "test", "refused"), NULL);
        ck_assert_ptr_null(aic_cache_find(cache, &key));
        ck_assert_uint_eq(atomic_load(&cache->entries), 0);
    }
    put(cache, &key, value_of(5));
    ck_assert_ptr_eq(aic_cache_find(cache, &key)->value, value_of(5));
    cache_free(cache);
}
END_TEST

/* ---- threads ---- */

typedef struct crowd {
    aic_cache *cache;
    pthread_barrier_t start;
    uint64_t keys;
    atomic_uint made[1024]; /* flights per key */
    atomic_uint wrong;      /* values that are not the key's */
    atomic_uint failed;     /* claims that reported the failure of another thread */
    atomic_uint published;  /* keys 0 .. published-1 are in the cache */
    aic_status status;      /* what publishers publish */
} crowd;

static crowd *crowd_new(uint64_t keys, aic_status status)
{
    crowd *c = calloc(1, sizeof *c);
    ck_assert_ptr_nonnull(c);
    c->cache = cache_new();
    c->keys = keys;
    c->status = status;
    ck_assert_int_eq(pthread_barrier_init(&c->start, NULL, THREADS), 0);
    return c;
}

static void crowd_run(crowd *c, void *(*body)(void *))
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, body, c), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
}

static void crowd_free(crowd *c)
{
    pthread_barrier_destroy(&c->start);
    cache_free(c->cache);
    free(c);
}

/* Gets every key's value as the pipeline does. */
static void *get_all(void *argument)
{
    crowd *c = argument;
    pthread_barrier_wait(&c->start);
    for (uint64_t i = 0; i < c->keys; i++) {
        words room;
        const aic_cache_key key = key_of(i, room);
        aic_presence *presence = aic_grace_enter();
        const aic_cache_entry *entry = aic_cache_find(c->cache, &key);
        aic_flight *flight = NULL;
        aic_status status = entry == NULL ? aic_cache_claim(c->cache, &key, &entry, &flight) : AIC_OK;
        if (flight != NULL) {
            atomic_fetch_add(&c->made[i], 1);
            usleep(100); /* let the others arrive */
            if (c->status != AIC_OK) {
                aic_fail(c->status, "test", "key %u refused", (unsigned)i);
            }
            aic_cache_publish(c->cache, flight, c->status, value_of(i));
        } else if (status != AIC_OK) {
            char expected[64];
            snprintf(expected, sizeof expected, "test: key %u refused", (unsigned)i);
            atomic_fetch_add(strcmp(aic_last_error(), expected) == 0 ? &c->failed : &c->wrong, 1);
        } else if (entry->value != value_of(i)) {
            atomic_fetch_add(&c->wrong, 1);
        }
        aic_grace_leave(presence);
    }
    return NULL;
}

START_TEST(one_flight_a_key)
{
    crowd *c = crowd_new(1000, AIC_OK);
    crowd_run(c, get_all);
    for (uint64_t i = 0; i < c->keys; i++) {
        ck_assert_uint_eq(atomic_load(&c->made[i]), 1);
    }
    ck_assert_uint_eq(atomic_load(&c->wrong), 0);
    ck_assert_uint_eq(atomic_load(&c->failed), 0);
    ck_assert_uint_eq(atomic_load(&c->cache->entries), 1000);
    crowd_free(c);
}
END_TEST

/* Every thread either made the attempt itself or has the failure, with the message of the one that made it. */
START_TEST(failure_reaches_all)
{
    crowd *c = crowd_new(100, AIC_COMPILE);
    crowd_run(c, get_all);
    unsigned made = 0;
    for (uint64_t i = 0; i < c->keys; i++) {
        ck_assert_uint_ge(atomic_load(&c->made[i]), 1);
        made += atomic_load(&c->made[i]);
    }
    ck_assert_uint_eq(atomic_load(&c->wrong), 0);
    ck_assert_uint_eq(made + atomic_load(&c->failed), 100 * THREADS);
    ck_assert_uint_gt(atomic_load(&c->failed), 0);
    ck_assert_uint_eq(atomic_load(&c->cache->entries), 0);
    crowd_free(c);
}
END_TEST

/* The first to come writes, the others look up what is published already, while the table grows. */
static void *write_or_read(void *argument)
{
    crowd *c = argument;
    if (pthread_barrier_wait(&c->start) == PTHREAD_BARRIER_SERIAL_THREAD) {
        for (uint64_t i = 0; i < c->keys; i++) {
            words room;
            const aic_cache_key key = key_of(i, room);
            put(c->cache, &key, value_of(i));
            atomic_store_explicit(&c->published, (unsigned)i + 1, memory_order_release);
        }
        return NULL;
    }
    unsigned published = 0;
    while (published < c->keys) {
        published = atomic_load_explicit(&c->published, memory_order_acquire);
        for (uint64_t i = 0; i < published; i += 1 + published / 50) {
            words room;
            const aic_cache_key key = key_of(i, room);
            aic_presence *presence = aic_grace_enter();
            const aic_cache_entry *entry = aic_cache_find(c->cache, &key);
            if (entry == NULL || entry->value != value_of(i)) {
                atomic_fetch_add(&c->wrong, 1);
            }
            aic_grace_leave(presence);
        }
    }
    return NULL;
}

START_TEST(reads_during_growth)
{
    crowd *c = crowd_new(5000, AIC_OK);
    crowd_run(c, write_or_read);
    ck_assert_uint_eq(atomic_load(&c->wrong), 0);
    crowd_free(c);
}
END_TEST

Suite *suite_cache(void)
{
    Suite *suite = suite_create("cache");
    TCase *tcase = tcase_create("cache");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, miss_then_hit);
    tcase_add_test(tcase, equal_hashes);
    tcase_add_test(tcase, growth);
    tcase_add_test(tcase, failure_is_not_kept);
    tcase_add_test(tcase, one_flight_a_key);
    tcase_add_test(tcase, failure_reaches_all);
    tcase_add_test(tcase, reads_during_growth);
    suite_add_tcase(suite, tcase);
    return suite;
}
