/* Dumps of kernels: what each stage contains, and what is no dump. */
#include "tests/context_case.h"

#include <aic/kernel.h>
#include <check.h>
#include <string.h>

Suite *suite_dumps(void);

static aic_context *context;
static conv_case *example;

static void set_up(void)
{
    const aic_conv2d_desc desc = conv_desc(AIC_INT8, 9);
    context = context_new(NULL);
    example = conv_case_new(&desc);
}

static void tear_down(void)
{
    conv_case_free(example);
    aic_context_destroy(context);
}

/* What a dump stage has to contain, for the host's level and for a level and an architecture of the caller's. */
static const struct {
    aic_dump_stage stage;
    const char *isa, *triple, *text;
} dumps[] = {
    {AIC_DUMP_IR, NULL, NULL, "define "},
    {AIC_DUMP_OPT, NULL, NULL, "define "},
    {AIC_DUMP_ASM, NULL, NULL, "aic_conv2d_"},
    {AIC_DUMP_OBJ, NULL, NULL, "\177ELF"},
    {AIC_DUMP_PLAN, NULL, NULL, "schedule("},
    {AIC_DUMP_EXPLAIN, NULL, NULL, "schedule("},
    {AIC_DUMP_ASM, "avx512", "x86_64-linux-gnu", "zmm"},
    {AIC_DUMP_ASM, NULL, "aarch64-linux-gnu", "ret"},
    {AIC_DUMP_OBJ, "generic", "aarch64-linux-gnu", "\177ELF"},
};

START_TEST(dump)
{
    char *bytes = NULL;
    size_t size = 0;
    aic_status status =
        aic_dump(context, &example->spec, NULL, dumps[_i].stage, dumps[_i].isa, dumps[_i].triple, &bytes, &size);
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    ck_assert_uint_ge(size, strlen(dumps[_i].text));
    ck_assert_int_eq(bytes[size], 0);
    ck_assert_ptr_nonnull(strstr(bytes, dumps[_i].text));
    aic_free(bytes);
}
END_TEST

START_TEST(bad_dumps)
{
    static const struct {
        const char *schedule;
        int stage;
        const char *isa, *triple;
    } bad[] = {
        {NULL, 99, NULL, NULL},
        {NULL, -1, NULL, NULL},
        {NULL, AIC_DUMP_IR, "avx9", NULL},
        {NULL, AIC_DUMP_IR, "avx2", "aarch64-linux-gnu"},
        {NULL, AIC_DUMP_IR, NULL, "vax-dec-vms"},
        {"nonsense", AIC_DUMP_IR, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *bytes = NULL;
        size_t size = 7;
        ck_assert_int_eq(aic_dump(context, &example->spec, bad[i].schedule, (aic_dump_stage)bad[i].stage, bad[i].isa,
                                  bad[i].triple, &bytes, &size),
                         AIC_INVALID_ARGUMENT);
        ck_assert_ptr_null(bytes);
        ck_assert_uint_eq(size, 7);
    }
}
END_TEST

Suite *suite_dumps(void)
{
    Suite *suite = suite_create("dumps");
    TCase *tcase = tcase_create("dumps");
    tcase_set_timeout(tcase, 300);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, dump, 0, sizeof dumps / sizeof dumps[0]);
    tcase_add_test(tcase, bad_dumps);
    suite_add_tcase(suite, tcase);
    return suite;
}
