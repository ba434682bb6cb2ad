/* The version, as the header states it and as the library answers. */
#include <aic/aic.h>

#include <check.h>
#include <stdio.h>

Suite *suite_version(void);

START_TEST(library_is_of_the_headers_version)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", AIC_VERSION_MAJOR, AIC_VERSION_MINOR, AIC_VERSION_PATCH);
    ck_assert_str_eq(aic_version(), expected);
}
END_TEST

Suite *suite_version(void)
{
    Suite *suite = suite_create("version");
    TCase *tests = tcase_create("version");
    tcase_add_test(tests, library_is_of_the_headers_version);
    suite_add_tcase(suite, tests);
    return suite;
}
