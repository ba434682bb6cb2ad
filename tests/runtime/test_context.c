/* Contexts: options, environment, statistics, lifetime, memory of the caller. */
#include "frontend/core/stage.h"
#include "tests/context_case.h"
#include "tests/specs.h"

#include <check.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_context(void);

/* Asserts that creation is refused with this status and a message that begins like this. */
static void refuse(const aic_context_options *options, aic_status status, const char *beginning)
{
    aic_context *context = NULL;
    ck_assert_int_eq(aic_context_create(options, &context), status);
    ck_assert_ptr_null(context);
    ck_assert_msg(strncmp(aic_last_error(), beginning, strlen(beginning)) == 0, "%s", aic_last_error());
}

/* ---- options and environment ---- */

START_TEST(levels)
{
    unsetenv("AIC_MAX_ISA");
    const char *best = NULL, *name;
    for (size_t i = 0; (name = aic_isa_name(i)) != NULL; i++) {
        aic_status check = aic_isa_check(name);
        aic_context_options options = aic_context_options_init();
        options.isa = name;
        aic_context *context;
        ck_assert_int_eq(aic_context_create(&options, &context), check);
        if (check == AIC_OK) {
            ck_assert_str_eq(aic_context_isa(context), name);
            aic_context_destroy(context);
            best = aic_isa_emulated(name) ? best : name; /* nobody gets an emulator without AIC_MAX_ISA */
        } else {
            ck_assert_int_eq(check, AIC_UNSUPPORTED);
            ck_assert(!aic_isa_emulated(name));
            ck_assert_ptr_nonnull(strstr(aic_last_error(), name));
        }
    }
    ck_assert_ptr_nonnull(best);
    aic_context *context = context_new(NULL);
    ck_assert_str_eq(aic_context_isa(context), best);
    aic_context_destroy(context);
    ck_assert_str_eq(aic_isa_name(0), "generic");
    ck_assert(!aic_isa_emulated("generic") && !aic_isa_emulated("avx9") && !aic_isa_emulated(NULL));
}
END_TEST

START_TEST(bad_options)
{
    aic_context_options options = aic_context_options_init();
    options.isa = "avx9";
    refuse(&options, AIC_INVALID_ARGUMENT, "isa: \"avx9\" is no instruction set level; levels: generic, ");
    options.isa = NULL;
    options.verbose = 3;
    refuse(&options, AIC_INVALID_ARGUMENT, "verbose: 3 is outside -1..2");
    options.verbose = -2;
    refuse(&options, AIC_INVALID_ARGUMENT, "verbose: -2 ");
    options.verbose = 0;
    options.semantics.limits = (aic_limits)2;
    refuse(&options, AIC_INVALID_ARGUMENT, "limits: value 2 is not document or host");
    options.semantics = aic_semantics_init();
    options.semantics.overflow = (aic_overflow)77;
    refuse(&options, AIC_INVALID_ARGUMENT, "overflow: value 77 is not saturate or ieee");
    ck_assert_int_eq(aic_context_create(NULL, NULL), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_isa_check(NULL), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_isa_check(""), AIC_INVALID_ARGUMENT);
    aic_context_destroy(NULL);
}
END_TEST

START_TEST(environment)
{
    setenv("AIC_MAX_ISA", "nonsense", 1);
    refuse(NULL, AIC_INVALID_ARGUMENT, "AIC_MAX_ISA: \"nonsense\" ");
    aic_context_options options = aic_context_options_init();
    options.isa = "generic"; /* an option goes before the environment */
    aic_context_destroy(context_new(&options));

    setenv("AIC_MAX_ISA", "generic", 1);
    aic_context *context = context_new(NULL);
    ck_assert_str_eq(aic_context_isa(context), "generic");
    aic_context_destroy(context);

    static const char *const bad[] = {"3", "-1", "yes", "11", "1 "};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        setenv("AIC_VERBOSE", bad[i], 1);
        refuse(NULL, AIC_INVALID_ARGUMENT, "AIC_VERBOSE: ");
    }
    setenv("AIC_VERBOSE", "", 1); /* empty is not set */
    aic_context_destroy(context_new(NULL));
}
END_TEST

/* A bad value is a status of the first call, and of every call until it is put right. */
START_TEST(default_context)
{
    const char *fork_mode = getenv("CK_FORK");
    if (fork_mode != NULL && strcmp(fork_mode, "no") == 0) {
        return; /* an earlier test has made the process's default context */
    }
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 6);
    conv_case *c = conv_case_new(&desc);
    setenv("AIC_MAX_ISA", "nonsense", 1);
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(aic_jit_conv2d(NULL, &c->desc, c->buffer[0], c->buffer[1], c->buffer[2]),
                         AIC_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(aic_last_error(), "AIC_MAX_ISA"));
        ck_assert_ptr_null(aic_context_isa(NULL));
        conv_case_check_untouched(c);
    }
    setenv("AIC_MAX_ISA", "generic", 1);
    run_in(NULL, c);
    ck_assert_str_eq(aic_context_isa(NULL), "generic");
    conv_case_free(c);
}
END_TEST

START_TEST(limits)
{
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 3); /* W == Kw, H > Kh */
    aic_spec spec = aic_spec_of(AIC_OP_CONV2D, &desc);
    aic_context *document = context_new(NULL);
    aic_kernel *kernel = NULL;
    ck_assert_int_eq(aic_kernel_create(document, &spec, NULL, &kernel), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_null(kernel);
    aic_context_destroy(document);

    aic_context_options options = aic_context_options_init();
    options.semantics.limits = AIC_LIMITS_HOST;
    aic_context *host = context_new(&options);
    ck_assert_int_eq(aic_kernel_create(host, &spec, NULL, &kernel), AIC_OK);
    aic_kernel_destroy(kernel);
    aic_context_destroy(host);
}
END_TEST

/* One name a kernel: the same specification under other semantics is other code. */
START_TEST(names_differ_by_semantics)
{
    const aic_spec spec = spec_of("mmad(dtype=float16, m=3, n=5, k=7) | fixpipe(dst=float16, src=float32, "
                                  "quantPre=F322F16)");
    char names[2][128];
    uint16_t results[2][15];
    for (int mode = AIC_OVERFLOW_SATURATE; mode <= AIC_OVERFLOW_IEEE; mode++) {
        aic_context_options options = aic_context_options_init();
        options.semantics.overflow = (aic_overflow)mode;
        aic_context *context = context_new(&options);
        aic_kernel *kernel;
        aic_kernel_info info = aic_kernel_info_init();
        ck_assert_int_eq(aic_kernel_create(context, &spec, NULL, &kernel), AIC_OK);
        ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
        snprintf(names[mode], sizeof names[mode], "%s", info.name);
        uint16_t a[21], b[35];
        for (size_t i = 0; i < 35; i++) {
            a[i % 21] = b[i] = 0x7BFF; /* the largest half */
        }
        void *const operands[] = {results[mode], a, b, NULL};
        ck_assert_int_eq(aic_kernel_call(kernel, operands, 4), AIC_OK);
        aic_kernel_destroy(kernel);
        aic_context_destroy(context);
    }
    ck_assert_str_ne(names[0], names[1]);
    ck_assert_uint_eq(results[AIC_OVERFLOW_SATURATE][14], 0x7BFF);
    ck_assert_uint_eq(results[AIC_OVERFLOW_IEEE][14], 0x7C00);
}
END_TEST

/* A pipeline that names an unknown pass makes no context. */
START_TEST(pass_pipeline)
{
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 6);
    conv_case *c = conv_case_new(&desc);
    aic_context_options options = aic_context_options_init();
    options.passes = "no-such-pass";
    aic_context *context = NULL;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "no-such-pass"));
    ck_assert_ptr_null(context);

    options.passes = "instcombine,gvn";
    context = context_new(&options);
    run_in(context, c);
    aic_context_destroy(context);
    conv_case_free(c);
}
END_TEST

/* ---- cache and lifetime ---- */

START_TEST(statistics)
{
    aic_context *context = context_new(NULL);
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(context, &stats), AIC_OK);
    ck_assert_uint_eq(stats.kernels + stats.compiles + stats.code_bytes, 0);
    ck_assert_int_eq(aic_context_cache_stats(context, NULL), AIC_INVALID_ARGUMENT);
    for (int64_t round = 1; round <= 3; round++) {
        aic_conv2d_desc desc = conv_desc(AIC_INT8, 4 + round);
        conv_case *c = conv_case_new(&desc);
        uint64_t bytes_before = stats.code_bytes;
        run_in(context, c);
        run_in(context, c);
        ck_assert_int_eq(aic_context_cache_stats(context, &stats), AIC_OK);
        ck_assert_uint_eq(stats.kernels, round);
        ck_assert_uint_eq(stats.compiles, round);
        ck_assert_uint_gt(stats.code_bytes, bytes_before);
        conv_case_free(c);
    }
    aic_context_destroy(context);
}
END_TEST

typedef struct watch {
    aic_context *context;
    atomic_bool stop;
    int wrong;
} watch;

/* Looks at the statistics all the time: kernels never become fewer. */
static void *watch_statistics(void *argument)
{
    watch *w = argument;
    aic_cache_stats before = aic_cache_stats_init(), now = aic_cache_stats_init();
    while (!atomic_load(&w->stop)) {
        w->wrong += aic_context_cache_stats(w->context, &now) != AIC_OK || now.kernels < before.kernels;
        before = now;
    }
    return NULL;
}

/* Spellings of one kernel are no kernels, at no time. */
START_TEST(statistics_of_spellings)
{
    enum { KERNELS = 8 };
    watch w = {.context = context_new(NULL)};
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, watch_statistics, &w), 0);
    for (int i = 1; i <= KERNELS; i++) {
        for (int spelling = 0; spelling < 4; spelling++) {
            char text[256];
            const int given_n = spelling & 1 ? 16 * i : 0, given_m = spelling & 2 ? 5 : 0;
            snprintf(text, sizeof text,
                     "mmad(dtype=int8, m=5, n=%d, k=32) | fixpipe(src=int32, dst=float16, quantPre=DEQF16, nSize=%d, "
                     "mSize=%d)",
                     16 * i, given_n, given_m);
            const aic_spec spec = spec_of(text);
            aic_kernel *kernel;
            ck_assert_msg(aic_kernel_create(w.context, &spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
            aic_kernel_destroy(kernel);
        }
    }
    atomic_store(&w.stop, true);
    pthread_join(thread, NULL);
    ck_assert_int_eq(w.wrong, 0);
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(w.context, &stats), AIC_OK);
    ck_assert_uint_eq(stats.kernels, KERNELS);
    ck_assert_uint_eq(stats.compiles, KERNELS);
    aic_context_destroy(w.context);
}
END_TEST

START_TEST(kernel_outlives_context)
{
    aic_conv2d_desc desc = conv_desc(AIC_FLOAT16, 7);
    conv_case *c = conv_case_new(&desc);
    aic_context *context = context_new(NULL);
    aic_kernel *kernel, *second;
    ck_assert_int_eq(aic_kernel_create(context, &c->spec, NULL, &kernel), AIC_OK);
    ck_assert_int_eq(aic_kernel_create(context, &c->spec, NULL, &second), AIC_OK);
    aic_context_destroy(context);
    aic_kernel_destroy(second);
    ck_assert_int_eq(aic_kernel_call(kernel, c->buffer, CONV_OPERANDS), AIC_OK);
    conv_case_check_done(c, c->buffer[0]);
    aic_kernel_info info = aic_kernel_info_init();
    ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
    ck_assert_int_eq(strncmp(info.name, "aic_conv2d_", 11), 0);
    aic_kernel_destroy(kernel);
    conv_case_free(c);
}
END_TEST

/* Contexts share nothing: the same shape is a kernel in each, and each gives its memory back. */
START_TEST(many_contexts)
{
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 6);
    conv_case *c = conv_case_new(&desc);
    aic_context *kept[2] = {context_new(NULL), context_new(NULL)};
    for (int i = 0; i < 8; i++) {
        aic_context *context = context_new(NULL);
        run_in(context, c);
        run_in(kept[i % 2], c);
        aic_context_destroy(context);
    }
    for (int i = 0; i < 2; i++) {
        aic_cache_stats stats = aic_cache_stats_init();
        ck_assert_int_eq(aic_context_cache_stats(kept[i], &stats), AIC_OK);
        ck_assert_uint_eq(stats.compiles, 1);
        aic_context_destroy(kept[i]);
    }
    conv_case_free(c);
}
END_TEST

/* Bytes that the process has from malloc, as the C library counts them: 0 where it does not. */
static size_t allocated(void)
{
#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

/* A context takes with it all that a kernel had in memory, its image, object and keys: none of that is smaller than
 * what may remain here of each. One thread compiles: LLVM's descriptions of a target stay, as many as were in use at a
 * time, half a megabyte each. */
START_TEST(contexts_leave_nothing)
{
    enum { WARM = 64, CONTEXTS = 16, LEFT = 256 }; /* tables of the process have their size after some 20 */
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 9);
    conv_case *c = conv_case_new(&desc);
    aic_context_options options = aic_context_options_init();
    options.threads = 1;
    size_t before = 0;
    for (int i = 0; i < WARM + CONTEXTS; i++) {
        before = i == WARM ? allocated() : before;
        aic_context *context = context_new(&options);
        run_in(context, c);
        aic_context_destroy(context);
    }
    ck_assert_uint_lt(allocated(), before + CONTEXTS * LEFT);
    conv_case_free(c);
}
END_TEST

/* ---- memory of the caller, default context ---- */

enum { REFUSE_NONE = -1 };

typedef struct giver {
    atomic_long blocks, bytes, given; /* that are out; and given so far */
    atomic_long left;                 /* requests that are served; REFUSE_NONE: all */
} giver;

static void *give(void *data, size_t bytes, size_t alignment)
{
    giver *g = data;
    ck_assert(bytes > 0 && alignment > 0 && (alignment & (alignment - 1)) == 0);
    if (g->left != REFUSE_NONE && atomic_fetch_sub(&g->left, 1) <= 0) {
        g->left = 0;
        return NULL;
    }
    g->blocks++;
    g->given++;
    g->bytes += (long)bytes;
    void *memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    memset(memory, 0xA5, bytes); /* nobody may expect zeros */
    return memory;
}

static void take_back(void *data, void *memory, size_t bytes)
{
    giver *g = data;
    memset(memory, 0x5A, bytes);
    g->blocks--;
    g->bytes -= (long)bytes;
    free(memory);
}

static aic_context_options options_of(giver *g)
{
    aic_context_options options = aic_context_options_init();
    options.allocate = give, options.deallocate = take_back, options.allocate_data = g;
    options.cache = "off";
    return options;
}

/* Every block comes back, with its size; also what a handle holds that outlives its context, and a thread. */
START_TEST(memory_of_the_caller)
{
    giver g = {.left = REFUSE_NONE};
    aic_context_options options = options_of(&g);
    options.threads = _i;
    aic_context *context = context_new(&options);
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 9);
    conv_case *c = conv_case_new(&desc);
    aic_kernel *kernel;
    const long opened = g.given;
    ck_assert_int_gt(opened, 0);
    run_in(context, c);
    ck_assert_int_eq(aic_kernel_create(context, &c->spec, NULL, &kernel), AIC_OK);
    ck_assert_ptr_nonnull(aic_kernel_function(kernel, false));
    const long made = g.given;
    ck_assert_int_gt(made, opened + 3);
    for (int i = 0; i < 100; i++) {
        run_in(context, c);
        ck_assert_int_eq(aic_kernel_call(kernel, c->buffer, CONV_OPERANDS), AIC_OK);
    }
    ck_assert_int_eq(g.given, made); /* calls of cached kernels need none */
    aic_context_destroy(context);
    ck_assert_int_eq(aic_kernel_call(kernel, c->buffer, CONV_OPERANDS), AIC_OK);
    conv_case_check_done(c, c->buffer[0]);
    aic_kernel_destroy(kernel);
    ck_assert_int_eq(g.blocks, 1); /* scratch memory */
    aic_thread_trim();
    ck_assert_int_eq(g.blocks, 0);
    ck_assert_int_eq(g.bytes, 0);
    conv_case_free(c);
}
END_TEST

/* Whatever request is the first to be refused, it is AIC_OUT_OF_MEMORY, nothing is lost, and the next try works. */
START_TEST(memory_of_the_caller_ends)
{
    giver g = {.left = 0};
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 9);
    conv_case *c = conv_case_new(&desc);
    bool done = false;
    int failed = 0;
    for (int served = 0; !done && served < 1000; served++) {
        aic_context_options options = options_of(&g);
        aic_context *context = NULL;
        g.left = served;
        aic_status status = aic_context_create(&options, &context);
        if (status == AIC_OK) {
            status = aic_jit_conv2d(context, &desc, c->buffer[0], c->buffer[1], c->buffer[2]);
            done = status == AIC_OK && g.left > 0;
            g.left = REFUSE_NONE;
            run_in(context, c);
        }
        ck_assert_msg(status == AIC_OK || status == AIC_OUT_OF_MEMORY, "%s", aic_last_error());
        failed += status != AIC_OK;
        aic_context_destroy(context);
        aic_thread_trim();
        ck_assert_int_eq(g.blocks, 0);
        ck_assert_int_eq(g.bytes, 0);
    }
    ck_assert(done);
    ck_assert_int_gt(failed, 5);
    conv_case_free(c);
}
END_TEST

START_TEST(half_an_allocator)
{
    aic_context_options options = aic_context_options_init();
    options.allocate = give;
    refuse(&options, AIC_INVALID_ARGUMENT, "deallocate: is NULL");
    options.allocate = NULL, options.deallocate = take_back;
    refuse(&options, AIC_INVALID_ARGUMENT, "allocate: is NULL");
}
END_TEST

/* NULL stands for the context that a program has set, and for the library's own before and after. */
START_TEST(default_in_code)
{
    aic_context_options options = aic_context_options_init();
    options.isa = "generic";
    options.threads = 3;
    aic_context *context = context_new(&options), *other = context_new(&options);
    const char *own = aic_context_isa(NULL);
    ck_assert_int_eq(aic_context_set_default(context), AIC_OK);
    ck_assert_str_eq(aic_context_isa(NULL), "generic");
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 9);
    conv_case *c = conv_case_new(&desc);
    run_in(NULL, c);
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(context, &stats), AIC_OK);
    ck_assert_uint_eq(stats.kernels, 1);
    ck_assert_int_eq(aic_context_set_default(other), AIC_OK);
    aic_context_destroy(context); /* is it no more */
    run_in(NULL, c);
    ck_assert_int_eq(aic_context_cache_stats(other, &stats), AIC_OK);
    ck_assert_uint_eq(stats.kernels, 1);
    aic_context_destroy(other);
    ck_assert_str_eq(aic_context_isa(NULL), own);
    ck_assert_int_eq(aic_context_set_default(NULL), AIC_OK);
    ck_assert_str_eq(aic_context_isa(NULL), own);
    run_in(NULL, c);
    conv_case_free(c);
}
END_TEST

Suite *suite_context(void)
{
    Suite *suite = suite_create("context");
    TCase *tcase = tcase_create("context");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, save_environment, restore_environment);
    tcase_add_test(tcase, levels);
    tcase_add_test(tcase, bad_options);
    tcase_add_test(tcase, environment);
    tcase_add_test(tcase, default_context);
    tcase_add_test(tcase, limits);
    tcase_add_test(tcase, names_differ_by_semantics);
    tcase_add_test(tcase, pass_pipeline);
    tcase_add_test(tcase, statistics);
    tcase_add_test(tcase, statistics_of_spellings);
    tcase_add_test(tcase, kernel_outlives_context);
    tcase_add_test(tcase, many_contexts);
    tcase_add_test(tcase, contexts_leave_nothing);
    tcase_add_test(tcase, default_in_code);
    tcase_add_loop_test(tcase, memory_of_the_caller, 1, 3);
    tcase_add_test(tcase, memory_of_the_caller_ends);
    tcase_add_test(tcase, half_an_allocator);
    suite_add_tcase(suite, tcase);
    return suite;
}
