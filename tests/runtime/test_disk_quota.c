/* The disk cache: its quota, and times of use whatever the clock says. */
#include "tests/disk_case.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

Suite *suite_disk_quota(void);

static void trim_to(uint64_t limit)
{
    const int open_one = open(disk_folder, O_RDONLY | O_DIRECTORY);
    ck_assert_int_ge(open_one, 0);
    aic_disk_trim(open_one, limit);
    close(open_one);
}

START_TEST(least_recently_used)
{
    disk_put_file("aic_a.kernel", 1000, 40000);
    disk_put_file("aic_b.kernel", 1000, 20000);
    disk_put_file("aic_c.kernel", 1000, 30000);
    disk_put_file("aic_d.kernel", 1000, -3600 * 24 * 30); /* used in a month: nobody knows when */
    disk_put_file("other", 5000, 90000);
    trim_to(4000);
    ck_assert(disk_is_there("aic_a.kernel") && disk_is_there("aic_b.kernel") && disk_is_there("aic_c.kernel") &&
              disk_is_there("aic_d.kernel"));
    trim_to(3500);
    ck_assert(!disk_is_there("aic_d.kernel") && disk_is_there("aic_a.kernel"));
    trim_to(2500);
    ck_assert(!disk_is_there("aic_a.kernel") && disk_is_there("aic_c.kernel"));
    trim_to(1200);
    ck_assert(!disk_is_there("aic_c.kernel") && disk_is_there("aic_b.kernel") && disk_is_there("other"));
}
END_TEST

START_TEST(unfinished_files)
{
    disk_put_file(".aic_a.kernel.1.2", 1000, 7200);
    disk_put_file(".aic_b.kernel.1.2", 1000, 60);
    disk_put_file(".other", 1000, 90000);
    trim_to(1 << 20);
    ck_assert(!disk_is_there(".aic_a.kernel.1.2") && disk_is_there(".aic_b.kernel.1.2") && disk_is_there(".other"));
}
END_TEST

/* Names that only look like ours, folders, and what is being written make no room. */
START_TEST(others_stay)
{
    char folder[80];
    snprintf(folder, sizeof folder, "%s/aic_d.kernel", disk_folder);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    disk_put_file("aic_a.kernels", 1000, 40000);
    disk_put_file(".aic_a.kernels.1.2", 1000, 40000);
    disk_put_file(".aic_b.kernel.1.2", 1000, 60);
    disk_put_file("aic_a.kernels.kernel", 1000, 20000);
    trim_to(10);
    ck_assert(disk_is_there("aic_a.kernels") && disk_is_there(".aic_a.kernels.1.2") &&
              disk_is_there(".aic_b.kernel.1.2") && disk_is_there("aic_d.kernel"));
    ck_assert(!disk_is_there("aic_a.kernels.kernel"));
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

/* A hit is a use, also when the clock was ahead once. */
START_TEST(time_of_use)
{
    static const long ages[] = {100000, -100000};
    conv_case *c = disk_small_case();
    (void)disk_call_anew(c, "rw");
    for (int i = 0; i < 2; i++) {
        struct stat info;
        disk_set_age(disk_only_file() + strlen(disk_folder) + 1, ages[i]);
        disk_deed d = disk_call_anew(c, "ro"); /* which changes nothing */
        disk_check_deed(&d, 0, 1, 0);
        ck_assert_int_eq(stat(disk_only_file(), &info), 0);
        ck_assert_int_gt(labs((long)(time(NULL) - info.st_mtime)), 50000);
        d = disk_call_anew(c, "rw");
        disk_check_deed(&d, 0, 1, 0);
        ck_assert_int_eq(stat(disk_only_file(), &info), 0);
        ck_assert_int_lt(labs((long)(time(NULL) - info.st_mtime)), 60);
    }
    conv_case_free(c);
}
END_TEST

START_TEST(quota_of_a_context)
{
    enum { LIMIT = 40000, KERNELS = 40 };
    aic_context_options options = aic_context_options_init();
    options.cache = "rw", options.cache_dir = disk_folder, options.cache_disk_bytes = LIMIT;
    aic_context *context;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    for (int i = 0; i < KERNELS; i++) {
        char text[128];
        aic_kernel_info info = aic_kernel_info_init();
        snprintf(text, sizeof text, "transdata(dtype=int8, src=ND, dst=ND, shape=[16,%d])", 32 * (i + 1));
        aic_kernel_destroy(disk_kernel(context, text, &info));
        aic_disk_cache_info disk = aic_disk_cache_info_init();
        ck_assert_int_eq(aic_disk_cache_stat(context, &disk), AIC_OK);
        ck_assert_uint_le(disk.bytes, LIMIT);
        ck_assert_uint_eq(disk.limit, LIMIT);
        ck_assert_uint_ge(disk.files, 1);
    }
    ck_assert_uint_eq(disk_stats(context).stores, KERNELS);
    aic_context_destroy(context);
}
END_TEST

/* A context that has written one kernel knows nothing of those before it, as a process does not: looks at the quota
 * come by chance, in proportion to what is written. */
START_TEST(quota_of_many_that_write_little)
{
    enum { LIMIT = 200000, KERNELS = 250 }; /* of 2400 bytes: a look in three writes */
    aic_context_options options = aic_context_options_init();
    aic_disk_cache_info disk = aic_disk_cache_info_init();
    options.cache = "rw", options.cache_dir = disk_folder, options.cache_disk_bytes = LIMIT;
    for (int i = 0; i < KERNELS; i++) {
        char text[128];
        aic_kernel_info info = aic_kernel_info_init();
        aic_context *context;
        ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
        snprintf(text, sizeof text, "transdata(dtype=int8, src=ND, dst=ND, shape=[16,%d])", 32 * (i + 1));
        aic_kernel_destroy(disk_kernel(context, text, &info));
        ck_assert_int_eq(aic_disk_cache_stat(context, &disk), AIC_OK);
        ck_assert_uint_le(disk.bytes, 2 * LIMIT);
        aic_context_destroy(context);
    }
    ck_assert_uint_lt(disk.files, KERNELS);
}
END_TEST

Suite *suite_disk_quota(void)
{
    Suite *suite = suite_create("quota of the disk cache");
    TCase *tcase = tcase_create("quota of the disk cache");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, disk_open, disk_close);
    tcase_add_test(tcase, least_recently_used);
    tcase_add_test(tcase, unfinished_files);
    tcase_add_test(tcase, others_stay);
    tcase_add_test(tcase, time_of_use);
    tcase_add_test(tcase, quota_of_a_context);
    tcase_add_test(tcase, quota_of_many_that_write_little);
    suite_add_tcase(suite, tcase);
    return suite;
}
