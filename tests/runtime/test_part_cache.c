/* The cache of parts: what one kernel has left is taken for the next one, by threads and after a fork, too, and no more
 * is kept than the limit says. */
#include "codegen/target/target.h"
#include "runtime/request/context.h"
#include "tests/child.h"
#include "tests/context_case.h"
#include "tests/levels.h"
#include "tests/specs.h"

#include <check.h>
#include <pthread.h>

Suite *suite_part_cache(void);

/* With this limit of the bytes of kernels; 0: none. */
static aic_context *open_context(uint64_t bytes)
{
    aic_context_options options = aic_context_options_init();
    options.isa = levels_name(0);
    options.cache_bytes = bytes;
    return context_new(&options);
}

START_TEST(found_again)
{
    aic_context *context = open_context(0), *other = open_context(0);
    const aic_kernel_info first = conv_kernel_info(context, 16), second = conv_kernel_info(context, 24),
                          elsewhere = conv_kernel_info(other, 24);
    ck_assert_uint_gt(first.parts_made, 0);
    ck_assert_uint_eq(first.parts_ready + first.parts_loaded, 0);
    ck_assert_uint_eq(second.parts_made, 0);
    ck_assert_uint_eq(second.parts_ready, first.parts_made);
    ck_assert_uint_eq(elsewhere.parts_ready, 0); /* contexts have nothing in common */
    ck_assert_uint_gt(first.make_ns, 0);
    aic_context_destroy(context);
    aic_context_destroy(other);
}
END_TEST

/* The second kernel needs no compilation, as the first one has left its parts. */
static void check_shared(aic_context *context, const char *const text[2])
{
    uint32_t made[2], ready[2];
    for (int i = 0; i < 2; i++) {
        const aic_spec spec = spec_of(text[i]);
        aic_kernel *kernel;
        aic_kernel_info info = aic_kernel_info_init();
        ck_assert_msg(aic_kernel_create(context, &spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
        ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
        made[i] = info.parts_made;
        ready[i] = info.parts_ready;
        aic_kernel_destroy(kernel);
    }
    ck_assert_msg(made[0] > 0, "%s", text[0]);
    ck_assert_uint_eq(ready[0], 0);
    ck_assert_msg(made[1] == 0, "%u parts made for %s", made[1], text[1]);
    ck_assert_uint_eq(ready[1], made[0]);
}

/* Kernels of loops, that need no compilation where another shape has left its parts. */
START_TEST(loops_found_again)
{
    static const char *const texts[][2] = {
        {"tensor_arithmetic(op=BM_MUL, shape=[1,16,16,64])", "tensor_arithmetic(op=BM_MUL, shape=[1,16,9,64])"},
        {"tensor_arithmetic(op=BM_ADD, shape=[1,2,12,48], input1_stride=[0,48,0,1])",
         "tensor_arithmetic(op=BM_ADD, shape=[1,5,7,48], input1_stride=[0,48,0,1])"},
        {"tensor_arithmetic_quantized(op=BM_SUB, shape=[4,16,16,64])",
         "tensor_arithmetic_quantized(op=BM_SUB, shape=[4,16,9,64])"},
        {"texpands(dtype=float32, rows=64, cols=1024)", "texpands(dtype=float32, rows=48, cols=512)"},
        /* runs that end with other rests */
        {"tensor_arithmetic(op=BM_ADD, shape=[1,5,33,71])", "tensor_arithmetic(op=BM_ADD, shape=[1,7,41,64])"},
        {"tensor_arithmetic(op=BM_ADD, shape=[1,5,63,71], input1_stride=[0,1,0,0])",
         "tensor_arithmetic(op=BM_ADD, shape=[1,6,61,73], input1_stride=[0,1,0,0])"},
    };
    aic_context *context = open_context(0);
    check_shared(context, texts[_i]);
    aic_context_destroy(context);
}
END_TEST

/* Where the level has masks, how many elements fill no vector makes no other part. */
START_TEST(ends_found_again)
{
    static const char *const texts[][2] = {
        {"tensor_arithmetic(op=BM_MIN, shape=[1,2,19,33], input0_stride=[1292,646,34,1])",
         "tensor_arithmetic(op=BM_MIN, shape=[1,2,19,47], input0_stride=[1900,950,50,1])"},
        {"texpands(dtype=float16, rows=32, cols=128, v_row=18, v_col=65)",
         "texpands(dtype=float16, rows=48, cols=128, v_row=37, v_col=94)"},
        {"nd2nz(dtype=float16, nValue=45, dValue=71, srcDValue=80, dstNzC0Stride=48)",
         "nd2nz(dtype=int8, nValue=45, dValue=141, srcDValue=150, dstNzC0Stride=48)"},
        {"mmad(dtype=int8, m=49, n=37, k=64, init_c=false)", "mmad(dtype=int8, m=49, n=47, k=64, init_c=false)"},
        {"fixpipe(src=int32, dst=int8, nSize=37, mSize=64, srcStride=64, dstStride=64, quantPre=VREQ8)",
         "fixpipe(src=int32, dst=int8, nSize=47, mSize=64, srcStride=64, dstStride=96, quantPre=VREQ8)"},
    };
    const aic_target *target = aic_target_find(AIC_ARCH_X86_64, levels_name(_i));
    for (size_t i = 0; aic_has_masks(target) && i < sizeof texts / sizeof texts[0]; i++) {
        aic_context *context = levels_context(_i, 1);
        check_shared(context, texts[i]);
        aic_context_destroy(context);
    }
}
END_TEST

/* No more bytes than the limit says, an eighth of that of kernels: each part goes when the next one is made. */
START_TEST(limited)
{
    aic_context *context = open_context(8);
    const aic_kernel_info first = conv_kernel_info(context, 16), second = conv_kernel_info(context, 24);
    ck_assert_uint_gt(second.parts_made, 0);
    ck_assert_uint_eq(second.parts_made, first.parts_made);
    ck_assert_uint_eq(context->parts.cache.weight, 0);
    aic_context_destroy(context);
}
END_TEST

typedef struct maker {
    aic_context *context;
    int64_t width;
    aic_kernel_info info;
    pthread_t thread;
} maker;

static void *run_maker(void *argument)
{
    maker *m = argument;
    m->info = conv_kernel_info(m->context, m->width);
    return NULL;
}

/* Several threads want it at the same time: one makes it. */
START_TEST(made_once)
{
    enum { MAKERS = 8 };
    maker all[MAKERS];
    aic_context *context = open_context(0), *alone = open_context(0);
    const uint32_t parts = conv_kernel_info(alone, 12).parts_made;
    uint32_t made = 0, ready = 0;
    for (int i = 0; i < MAKERS; i++) {
        all[i] = (maker){.context = context, .width = 12 + 4 * i};
        ck_assert_int_eq(pthread_create(&all[i].thread, NULL, run_maker, &all[i]), 0);
    }
    for (int i = 0; i < MAKERS; i++) {
        ck_assert_int_eq(pthread_join(all[i].thread, NULL), 0);
        made += all[i].info.parts_made;
        ready += all[i].info.parts_ready;
    }
    ck_assert_uint_eq(made, parts);
    ck_assert_uint_eq(ready, (MAKERS - 1) * parts);
    aic_context_destroy(context);
    aic_context_destroy(alone);
}
END_TEST

#if !defined(AIC_SANITIZED) /* a child of a process with threads finds a sanitizer's allocator as they left it */

static void make_in_child(void *context)
{
    const aic_kernel_info ready = conv_kernel_info(context, 28), made = conv_kernel_info(context, 32);
    child_expect(ready.parts_ready > 0 && ready.parts_made == 0, "a part that was there before the fork");
    child_expect(made.parts_ready > 0, "a part after the fork");
}

/* Children of a process whose other threads are making parts: what is ready is found, what was being made is made. */
START_TEST(forked)
{
    aic_context *context = open_context(0);
    maker busy = {.context = context, .width = 20};
    (void)conv_kernel_info(context, 16);
    ck_assert_int_eq(pthread_create(&busy.thread, NULL, run_maker, &busy), 0);
    for (int i = 0; i < 5; i++) {
        ck_assert_str_eq(child_run(make_in_child, context), "");
    }
    ck_assert_int_eq(pthread_join(busy.thread, NULL), 0);
    aic_context_destroy(context);
}
END_TEST

#endif

Suite *suite_part_cache(void)
{
    Suite *suite = suite_create("part_cache");
    TCase *cache = tcase_create("cache");
    tcase_set_timeout(cache, 60);
#if defined(__x86_64__)
    tcase_add_test(cache, found_again);
    tcase_add_loop_test(cache, loops_found_again, 0, 6);
    tcase_add_loop_test(cache, ends_found_again, 0, levels_count());
    tcase_add_test(cache, limited);
    tcase_add_test(cache, made_once);
#if !defined(AIC_SANITIZED)
    tcase_add_test(cache, forked);
#endif
#endif
    suite_add_tcase(suite, cache);
    return suite;
}
