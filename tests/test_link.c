/* Linking by itself: objects that cannot be linked, lifetimes, and memory that runs out. */
#include "runtime/jit.h"
#include "tests/conv_case.h"
#include "tests/memory_limit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_link(void);

static conv_case *example;
static aic_linker *linker;
static char symbol[128];
enum { FUNCTIONS = (1 << AIC_FUNCTIONS) - 1 }; /* of every role */

static char *object;
static size_t object_size;

/* The object of an example, as the generator makes it. */
static void set_up(void)
{
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 6);
    example = conv_case_new(&desc);
    aic_kernel *kernel;
    aic_kernel_info info;
    ck_assert_int_eq(aic_kernel_create(NULL, &example->spec, NULL, &kernel), AIC_OK);
    ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
    snprintf(symbol, sizeof symbol, "%s", info.name);
    aic_kernel_release(kernel);
    ck_assert_int_eq(aic_dump(NULL, &example->spec, NULL, AIC_DUMP_OBJ, NULL, NULL, &object, &object_size), AIC_OK);
    ck_assert_int_eq(aic_linker_create(&linker), AIC_OK);
}

static void tear_down(void)
{
    if (linker != NULL) {
        aic_linker_destroy(linker);
    }
    aic_free(object);
    conv_case_free(example);
}

static void check_runs(const aic_image *image)
{
    void *workspace = aligned_block(1 << 20);
    conv_case_reset(example);
    ((aic_conv2d_fn)image->function[AIC_FUNCTION_ENTRY])(example->buffer[0], example->buffer[1], example->buffer[2],
                                                         workspace);
    conv_case_check_done(example, example->buffer[0]);
    free(workspace);
}

static void check_links(void)
{
    aic_image image;
    aic_status status = aic_linker_link(linker, symbol, object, object_size, FUNCTIONS, &image);
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    ck_assert(image.function[AIC_FUNCTION_PACK] != NULL && image.function[AIC_FUNCTION_PHASE] != NULL);
    check_runs(&image);
    aic_image_release(&image);
}

START_TEST(link_and_release)
{
    for (int i = 0; i < 10; i++) {
        check_links(); /* the name is free again each time */
    }
}
END_TEST

/* What cannot be linked is a status, and the next object links. */
START_TEST(bad_objects)
{
    aic_image image;
    ck_assert_int_eq(aic_linker_link(linker, symbol, "no object", 9, FUNCTIONS, &image), AIC_COMPILE);
    ck_assert_int_eq(aic_linker_link(linker, symbol, object, 100, FUNCTIONS, &image), AIC_COMPILE);
    ck_assert_int_eq(aic_linker_link(linker, symbol, object, 0, FUNCTIONS, &image), AIC_COMPILE);
    ck_assert_int_eq(aic_linker_link(linker, "no_such_name", object, object_size, FUNCTIONS, &image), AIC_COMPILE);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "no_such_name"));
    check_links();
}
END_TEST

START_TEST(name_in_use)
{
    aic_image first, second;
    ck_assert_int_eq(aic_linker_link(linker, symbol, object, object_size, FUNCTIONS, &first), AIC_OK);
    ck_assert_int_eq(aic_linker_link(linker, symbol, object, object_size, FUNCTIONS, &second), AIC_COMPILE);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), symbol));
    check_runs(&first);
    aic_image_release(&first);
    check_links();
}
END_TEST

START_TEST(image_outlives_linker)
{
    aic_image image;
    ck_assert_int_eq(aic_linker_link(linker, symbol, object, object_size, FUNCTIONS, &image), AIC_OK);
    aic_linker_destroy(linker);
    linker = NULL;
    check_runs(&image);
    aic_image_release(&image);
}
END_TEST

#ifndef AIC_SANITIZED /* sanitizers reserve more address space than any limit leaves */

static void check_call(aic_context *context, conv_case *c)
{
    conv_case_reset(c);
    aic_status status = aic_jit_conv2d(context, &c->desc, c->buffer[0], c->buffer[1], c->buffer[2]);
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    conv_case_check_done(c, c->buffer[0]);
}

/* With little memory a link or a whole call succeeds or says AIC_OUT_OF_MEMORY; with enough, the same linker and the
 * same context serve the same request, and a kernel made before still runs. _i: how much, in pages. */
START_TEST(little_memory)
{
    aic_context *context;
    aic_image image;
    ck_assert_int_eq(aic_context_create(NULL, &context), AIC_OK);
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 7);
    conv_case *earlier = conv_case_new(&desc);
    check_call(context, earlier);
    conv_case_reset(example);
    struct rlimit old = memory_limit_to((rlim_t)_i * 4096);
    aic_status link_status = aic_linker_link(linker, symbol, object, object_size, FUNCTIONS, &image);
    aic_status call_status =
        aic_jit_conv2d(context, &example->desc, example->buffer[0], example->buffer[1], example->buffer[2]);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &old), 0);

    ck_assert_int_eq(link_status, link_status == AIC_OK ? AIC_OK : AIC_OUT_OF_MEMORY);
    ck_assert_int_eq(call_status, call_status == AIC_OK ? AIC_OK : AIC_OUT_OF_MEMORY);
    if (call_status == AIC_OK) {
        conv_case_check_done(example, example->buffer[0]);
    } else {
        conv_case_check_untouched(example);
    }
    if (link_status == AIC_OK) {
        check_runs(&image);
        aic_image_release(&image);
    }
    check_links();
    check_call(context, example);
    check_call(context, earlier);
    aic_context_destroy(context);
    conv_case_free(earlier);
}
END_TEST

#endif

Suite *suite_link(void)
{
    Suite *suite = suite_create("link");
    TCase *tcase = tcase_create("link");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, link_and_release);
    tcase_add_test(tcase, bad_objects);
    tcase_add_test(tcase, name_in_use);
    tcase_add_test(tcase, image_outlives_linker);
#ifndef AIC_SANITIZED
    tcase_add_loop_test(tcase, little_memory, 0, 64);
#endif
    suite_add_tcase(suite, tcase);
    return suite;
}
