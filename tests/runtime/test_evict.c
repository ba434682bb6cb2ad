/* Limits of the memory cache: what is given up, what stays, and that nobody reads or runs what is gone. */
#include "frontend/core/memory.h"
#include "frontend/text/text.h"
#include "runtime/cache/evict.h"
#include "runtime/code/code.h"
#include "runtime/request/pipeline.h"
#include "tests/conv_case.h"
#include "tests/specs.h"
#include <aic/aic.h>

#include <check.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_evict(void);

/* ---- removal under readers ---- */

enum { READERS = 6, KEYS = 300, ROUNDS = 40 };

typedef struct race {
    aic_cache cache;
    atomic_bool stop;
    atomic_uint wrong, hits;
} race;

static void drop_number(aic_retired *retired)
{
    aic_cache_entry *entry = (aic_cache_entry *)((char *)retired - offsetof(aic_cache_entry, retired));
    *(uint64_t *)entry->value = UINT64_MAX; /* a reader sees it from now on */
    free(entry->value);
    aic_memory_free(entry);
}

static bool admit_all(aic_cache_entry *entry)
{
    entry->weight = 3;
    return true;
}

static aic_cache_key key_of(const uint64_t *number)
{
    return (aic_cache_key){number, sizeof *number, *number * UINT64_C(0x9E3779B97F4A7C15) >> 7};
}

static void *read_numbers(void *argument)
{
    race *r = argument;
    for (uint64_t i = 0; !atomic_load_explicit(&r->stop, memory_order_relaxed); i++) {
        const uint64_t number = i * 7919 % KEYS;
        const aic_cache_key key = key_of(&number);
        aic_presence *p = aic_grace_enter();
        const aic_cache_entry *entry = aic_cache_find(&r->cache, &key);
        if (entry != NULL) {
            aic_cache_touch(&r->cache, entry);
            atomic_fetch_add_explicit(&r->hits, 1, memory_order_relaxed);
            atomic_fetch_add_explicit(&r->wrong, *(uint64_t *)entry->value != number, memory_order_relaxed);
        }
        aic_grace_leave(p);
    }
    return NULL;
}

static void put_number(aic_cache *cache, uint64_t number)
{
    const aic_cache_key key = key_of(&number);
    const aic_cache_entry *entry;
    aic_flight *flight;
    ck_assert_int_eq(aic_cache_claim(cache, &key, &entry, &flight), AIC_OK);
    if (flight != NULL) {
        uint64_t *value = malloc(sizeof *value);
        ck_assert_ptr_nonnull(value);
        *value = number;
        aic_cache_publish(cache, flight, AIC_OK, value);
    }
}

static void remove_number(aic_cache *cache, uint64_t number)
{
    const aic_cache_key key = key_of(&number);
    pthread_mutex_lock(&aic_cache_mutex);
    const aic_cache_entry *entry = aic_cache_find(cache, &key);
    if (entry != NULL) {
        aic_cache_remove(cache, (aic_cache_entry *)(uintptr_t)entry);
    }
    pthread_mutex_unlock(&aic_cache_mutex);
}

START_TEST(readers_and_removal)
{
    race *r = calloc(1, sizeof *r);
    pthread_t thread[READERS];
    ck_assert_ptr_nonnull(r);
    ck_assert_int_eq(aic_cache_init(&r->cache), AIC_OK);
    r->cache.admit = admit_all;
    r->cache.drop = drop_number;
    for (int i = 0; i < READERS; i++) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, read_numbers, r), 0);
    }
    for (uint64_t round = 0; round < ROUNDS || atomic_load(&r->hits) < 1000; round++) {
        for (uint64_t i = 0; i < KEYS; i++) {
            put_number(&r->cache, i);
        }
        for (uint64_t i = 0; i < KEYS; i++) {
            remove_number(&r->cache, (i * 31 + round) % KEYS);
            aic_reclaim();
        }
        ck_assert_uint_eq(atomic_load(&r->cache.entries), 0);
        ck_assert_uint_eq(atomic_load(&r->cache.weight), 0);
    }
    atomic_store(&r->stop, true);
    for (int i = 0; i < READERS; i++) {
        pthread_join(thread[i], NULL);
    }
    ck_assert_uint_eq(atomic_load(&r->wrong), 0);
    aic_reclaim();
    aic_cache_destroy(&r->cache, free);
    free(r);
}
END_TEST

/* ---- many kernels that nobody compiled ---- */

/* A context with limits, its kernels on disk in `folder`; NULL: there is none. */
static aic_context *context_with(uint64_t kernels, uint64_t bytes, const char *folder)
{
    aic_context_options options = aic_context_options_init();
    options.cache_kernels = kernels;
    options.cache_bytes = bytes;
    options.cache = folder != NULL ? "rw" : "off";
    options.cache_dir = folder;
    aic_context *context;
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    return context;
}

static aic_cache_stats stats_of(aic_context *context)
{
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(context, &stats), AIC_OK);
    return stats;
}

/* Puts a value into one of a context's caches. */
static void publish(aic_cache *cache, uint64_t number, void *value)
{
    const aic_cache_key key = key_of(&number);
    const aic_cache_entry *entry;
    aic_flight *flight;
    ck_assert_int_eq(aic_cache_claim(cache, &key, &entry, &flight), AIC_OK);
    ck_assert_ptr_nonnull(flight);
    aic_cache_publish(cache, flight, AIC_OK, value);
}

static aic_code *code_new(aic_context *context, const aic_spec *spec)
{
    static unsigned char bytes[5000];
    const aic_image image = {
        .bytes = bytes,
        .size = sizeof bytes,
        .alignment = 64,
        .function = {0, AIC_NO_FUNCTION, AIC_NO_FUNCTION, AIC_NO_FUNCTION},
    };
    aic_code *code;
    ck_assert_int_eq(aic_code_create(spec, 1, 0, context, &code), AIC_OK);
    ck_assert_msg(aic_code_place(code, &image) == AIC_OK, "%s", aic_last_error());
    return code;
}

/* Pages of this process that are code memory, as the kernel counts them, must not be more than the limit and a tenth.
 */
START_TEST(hundred_thousand_shapes)
{
    enum { SHAPES = 100000, LIMIT = 16 << 20 };
    const aic_spec spec = spec_of("texpands(dtype=float32, rows=2, cols=8)");
    aic_context *context = context_with(0, LIMIT, NULL);
    const size_t before = aic_code_memory_regions();
    for (uint64_t i = 0; i < SHAPES; i++) {
        aic_code *code = code_new(context, &spec);
        publish(&context->kernels, i, code);
        aic_code_hold(code);
        publish(&context->by_request, i, code);
        aic_evict(context);
        aic_reclaim();
        if (i % 1000 == 0) {
            ck_assert_uint_le(stats_of(context).mapped_bytes, LIMIT);
            ck_assert_uint_le((aic_code_memory_regions() - before) << 20, LIMIT + LIMIT / 10);
        }
    }
    const aic_cache_stats stats = stats_of(context);
    const uint64_t bytes = stats.mapped_bytes + stats.kernels * sizeof(aic_code);
    ck_assert_uint_le(bytes, LIMIT);
    ck_assert_uint_ge(bytes, LIMIT / 10 * 8); /* texts, identities and entries have the rest */
    ck_assert_uint_eq(stats.evictions + stats.kernels, SHAPES);
    aic_context_destroy(context);
    ck_assert_uint_le(aic_code_memory_regions(), before + 1);
}
END_TEST

/* The limit is that of all memory that kernels take, as malloc() counts it. */
START_TEST(memory_besides_code)
{
    enum { SHAPES = 3000, LIMIT = 4 << 20 };
    aic_context *context = context_with(0, LIMIT, NULL);
    aic_spec spec = spec_of("texpands(dtype=float32, rows=2, cols=8)");
    const size_t before = mallinfo2().uordblks;
    char *made;
    for (uint64_t i = 0; i < SHAPES; i++) {
        aic_code *code = code_new(context, &spec);
        ck_assert_int_eq(aic_spec_print_new(&spec, &made), AIC_OK);
        code->text = made;
        publish(&context->kernels, i, code);
        aic_code_hold(code);
        publish(&context->by_request, i, code);
        aic_evict(context);
        aic_reclaim();
        const size_t heap = mallinfo2().uordblks, grown = heap > before ? heap - before : 0;
        ck_assert_uint_le(grown + stats_of(context).mapped_bytes, LIMIT + LIMIT / 8);
    }
    ck_assert_uint_gt(stats_of(context).evictions, 0);
    aic_context_destroy(context);
}
END_TEST

/* A kernel that is requested in more and more ways takes no more and more memory, and stays as long as one is in use.
 */
START_TEST(many_requests_for_a_kernel)
{
    enum { REQUESTS = 5000, LIMIT = 16 };
    const aic_spec spec = spec_of("texpands(dtype=float32, rows=2, cols=8)");
    aic_context *context = context_with(LIMIT, 0, NULL);
    aic_code *code = code_new(context, &spec);
    publish(&context->kernels, 0, code);
    for (uint64_t i = 0; i < REQUESTS; i++) {
        aic_code_hold(code);
        publish(&context->by_request, i, code);
        aic_evict(context);
        aic_reclaim();
        ck_assert_uint_le(atomic_load(&context->by_request.entries), 5 * LIMIT);
    }
    ck_assert_uint_eq(stats_of(context).kernels, 1);
    ck_assert_uint_eq(stats_of(context).evictions, 0);
    aic_context_destroy(context);
}
END_TEST

/* A request that has found a kernel which is removed before it is published itself keeps nothing. */
START_TEST(removed_in_between)
{
    const aic_spec spec = spec_of("texpands(dtype=float32, rows=2, cols=8)");
    aic_context *context = context_with(1, 0, NULL);
    aic_code *code = code_new(context, &spec), *other = code_new(context, &spec);
    aic_presence *p = aic_grace_enter();
    publish(&context->kernels, 0, code);
    aic_code_hold(code);
    publish(&context->by_request, 0, code);
    aic_code_hold(code); /* the request that is on its way */
    publish(&context->kernels, 1, other);
    aic_code_hold(other);
    publish(&context->by_request, 1, other);
    aic_code_release(code); /* so that it counts as not held */
    aic_evict(context);
    ck_assert_uint_eq(stats_of(context).kernels, 1);
    aic_code_hold(code);
    publish(&context->by_request, 2, code);
    ck_assert_uint_eq(atomic_load(&context->by_request.entries), 1);
    aic_grace_leave(p);
    aic_reclaim();
    ck_assert_uint_eq(stats_of(context).evictions, 1);
    aic_context_destroy(context);
}
END_TEST

/* ---- kernels ---- */

static conv_case *case_of(int64_t width)
{
    const aic_conv2d_desc desc = conv_desc(AIC_INT8, width);
    return conv_case_new(&desc);
}

static void call(aic_context *context, conv_case *c)
{
    conv_case_reset(c);
    ck_assert_msg(aic_jit_conv2d(context, &c->desc, c->buffer[0], c->buffer[1], c->buffer[2]) == AIC_OK, "%s",
                  aic_last_error());
    conv_case_check_done(c, c->buffer[0]);
}

/* What was used last stays, what was used first goes. */
START_TEST(least_recently_used)
{
    enum { LIMIT = 4 };
    conv_case *c[LIMIT + 1];
    aic_context *context = context_with(LIMIT, 0, NULL);
    for (int i = 0; i <= LIMIT; i++) {
        c[i] = case_of(5 + i);
    }
    for (int i = 0; i < LIMIT; i++) {
        call(context, c[i]);
    }
    ck_assert_uint_eq(stats_of(context).evictions, 0);
    call(context, c[0]); /* number 1 is the oldest now */
    call(context, c[LIMIT]);
    ck_assert_uint_eq(stats_of(context).evictions, 1);
    ck_assert_uint_eq(stats_of(context).kernels, LIMIT);
    ck_assert_uint_eq(stats_of(context).compiles, LIMIT + 1);
    for (int i = 0; i <= LIMIT; i++) {
        if (i != 1) {
            call(context, c[i]);
        }
    }
    ck_assert_uint_eq(stats_of(context).compiles, LIMIT + 1);
    call(context, c[1]); /* comes back, in the place of number 0 */
    ck_assert_uint_eq(stats_of(context).compiles, LIMIT + 2);
    ck_assert_uint_eq(stats_of(context).evictions, 2);
    for (int i = 0; i <= LIMIT; i++) {
        conv_case_free(c[i]);
    }
    aic_context_destroy(context);
}
END_TEST

/* Threads note where they found the entry of a request, by the descriptor's address. One descriptor that changes all
 * the time, called in two contexts, one of which removes entries and puts others into their slots. */
START_TEST(one_descriptor_many_shapes)
{
    enum { FIRST = 5, WIDTHS = 5, CALLS = 100, LIMIT = 2 };
    conv_case *c[WIDTHS];
    aic_context *const contexts[] = {context_with(LIMIT, 0, NULL), context_with(0, 0, NULL)};
    aic_conv2d_desc desc;
    for (int i = 0; i < WIDTHS; i++) {
        c[i] = case_of(FIRST + i);
    }
    for (int i = 0; i < CALLS; i++) {
        conv_case *now = c[(i / 2 * 3 + i / 7) % WIDTHS]; /* often the same twice */
        desc = now->desc;
        for (int k = 0; k < 2; k++) {
            void *const *b = now->buffer;
            conv_case_reset(now);
            ck_assert_int_eq(aic_jit_conv2d(contexts[(i + k) % 2], &desc, b[0], b[1], b[2]), AIC_OK);
            conv_case_check_done(now, b[0]);
        }
    }
    ck_assert_uint_ge(stats_of(contexts[0]).evictions, LIMIT);
    ck_assert_uint_eq(stats_of(contexts[1]).compiles, WIDTHS);
    for (int i = 0; i < WIDTHS; i++) {
        conv_case_free(c[i]);
    }
    aic_context_destroy(contexts[0]);
    aic_context_destroy(contexts[1]);
}
END_TEST

/* A limit below a single kernel: calls work, nothing is kept. */
START_TEST(no_room_at_all)
{
    conv_case *c = case_of(6);
    aic_context *context = context_with(0, 1, NULL);
    for (int i = 0; i < 3; i++) {
        call(context, c);
        ck_assert_uint_eq(stats_of(context).kernels, 0);
        ck_assert_uint_eq(stats_of(context).mapped_bytes, 0);
    }
    ck_assert_uint_eq(stats_of(context).compiles, 3);
    conv_case_free(c);
    aic_context_destroy(context);
}
END_TEST

static aic_kernel *kernel_of(aic_context *context, const conv_case *c)
{
    aic_kernel *kernel;
    ck_assert_msg(aic_kernel_create(context, &c->spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    return kernel;
}

static void call_kernel(const aic_kernel *kernel, conv_case *c)
{
    conv_case_reset(c);
    ck_assert_int_eq(aic_kernel_call(kernel, c->buffer, CONV_OPERANDS), AIC_OK);
    conv_case_check_done(c, c->buffer[0]);
}

START_TEST(handles_stay)
{
    enum { LIMIT = 2, HELD = 4 };
    conv_case *c[HELD + 1];
    aic_kernel *kernel[HELD];
    aic_context *context = context_with(LIMIT, 0, NULL);
    for (int i = 0; i <= HELD; i++) {
        c[i] = case_of(5 + i);
    }
    for (int i = 0; i < HELD; i++) {
        kernel[i] = kernel_of(context, c[i]);
    }
    ck_assert_uint_eq(stats_of(context).kernels, HELD); /* they count, and are found */
    for (int i = 0; i < HELD; i++) {
        call(context, c[i]);
        call_kernel(kernel[i], c[i]);
    }
    ck_assert_uint_eq(stats_of(context).compiles, HELD);
    call(context, c[HELD]); /* the only one that nobody holds */
    ck_assert_uint_eq(stats_of(context).kernels, HELD);
    aic_kernel_destroy(kernel[0]);
    aic_kernel_destroy(kernel[1]);
    call(context, c[HELD]);
    ck_assert_uint_eq(stats_of(context).kernels, LIMIT);
    call_kernel(kernel[2], c[2]);
    aic_context_destroy(context);
    call_kernel(kernel[3], c[3]); /* a handle outlives its context */
    aic_kernel_destroy(kernel[2]);
    aic_kernel_destroy(kernel[3]);
    for (int i = 0; i <= HELD; i++) {
        conv_case_free(c[i]);
    }
}
END_TEST

/* ---- load ---- */

enum { THREADS = 16, CROWD_KEYS = 1000 };

typedef struct crowd {
    aic_context *context;
    int calls; /* of each thread */
    atomic_uint number, wrong;
} crowd;

/* A copy of 16 rows of `column + 1` times 32 bytes, as a descriptor. */
static aic_transdata_desc copy_of(unsigned column)
{
    aic_spec spec;
    char text[128];
    snprintf(text, sizeof text, "transdata(dtype=int8, src=ND, dst=ND, shape=[2,%u])", column + 1);
    if (aic_spec_read(text, &spec) != AIC_OK) {
        abort();
    }
    return spec.stage[0].desc.transdata;
}

/* Calls random ones of the shapes by both ways, holding a kernel from time to time. */
static void *use_many(void *argument)
{
    crowd *all = argument;
    unsigned state = atomic_fetch_add(&all->number, 1) * 2654435761u + 99;
    unsigned char *source = aligned_block(2 * CROWD_KEYS), *target = aligned_block(2 * CROWD_KEYS);
    aic_kernel *held = NULL;
    unsigned held_column = 0;
    for (unsigned i = 0; i < 2 * CROWD_KEYS; i++) {
        source[i] = (unsigned char)(i * 7 + state);
    }
    for (int i = 0; i < all->calls; i++) {
        state = state * 1664525u + 1013904223u;
        const unsigned column = (state >> 8) % CROWD_KEYS;
        const aic_transdata_desc desc = copy_of(column);
        const aic_spec spec = aic_spec_of(AIC_OP_TRANSDATA, &desc);
        memset(target, 0, 2 * CROWD_KEYS);
        bool good;
        if (i % 5 == 0) {
            void *operands[] = {target, source};
            good = held == NULL || aic_kernel_call(held, operands, 2) == AIC_OK;
            good = good && (held == NULL || memcmp(source, target, 2 * (held_column + 1)) == 0);
            aic_kernel_destroy(held);
            good = aic_kernel_create(all->context, &spec, NULL, &held) == AIC_OK && good;
            held_column = column;
        } else {
            good = aic_jit_transdata(all->context, &desc, target, source) == AIC_OK &&
                   memcmp(source, target, 2 * (column + 1)) == 0;
        }
        atomic_fetch_add(&all->wrong, !good);
    }
    aic_kernel_destroy(held);
    free(source);
    free(target);
    return NULL;
}

static void run_crowd(aic_context *context, int calls)
{
    crowd all = {.context = context, .calls = calls};
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&thread[i], NULL, use_many, &all), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    ck_assert_uint_eq(atomic_load(&all.wrong), 0);
}

/* First without limits, every key compiled once; then with limits, kernels coming and going between memory and disk. */
START_TEST(threads_in_random_order)
{
    enum { LIMIT = 100 };
    char folder[] = "/tmp/aicjit-evict-XXXXXX", command[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    aic_context *context = context_with(0, 0, folder);
    run_crowd(context, 1000);
    aic_cache_stats stats = stats_of(context);
    ck_assert_uint_eq(stats.compiles, stats.kernels);
    ck_assert_uint_gt(stats.kernels, CROWD_KEYS / 10 * 9);
    ck_assert_uint_eq(stats.evictions, 0);
    const uint64_t compiled = stats.compiles;
    aic_context_destroy(context);

    context = context_with(LIMIT, 0, folder);
    run_crowd(context, 1000);
    conv_case *last = case_of(6);
    call(context, last); /* a miss when nobody holds anything */
    conv_case_free(last);
    stats = stats_of(context);
    ck_assert_uint_le(stats.kernels, LIMIT);
    ck_assert_uint_le(stats.compiles, CROWD_KEYS + 1 - compiled);
    ck_assert_uint_gt(stats.loads, 1000);
    ck_assert_uint_eq(stats.loads + stats.compiles, stats.evictions + stats.kernels);
    aic_context_destroy(context);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

Suite *suite_evict(void)
{
    Suite *suite = suite_create("evict");
    TCase *tcase = tcase_create("evict");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, readers_and_removal);
    tcase_add_test(tcase, hundred_thousand_shapes);
    tcase_add_test(tcase, memory_besides_code);
    tcase_add_test(tcase, many_requests_for_a_kernel);
    tcase_add_test(tcase, removed_in_between);
    tcase_add_test(tcase, least_recently_used);
    tcase_add_test(tcase, one_descriptor_many_shapes);
    tcase_add_test(tcase, no_room_at_all);
    tcase_add_test(tcase, handles_stay);
    tcase_add_test(tcase, threads_in_random_order);
    suite_add_tcase(suite, tcase);
    return suite;
}
