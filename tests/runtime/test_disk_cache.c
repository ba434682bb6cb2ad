/* The disk cache: kernels come back, folders and modes from the environment, the whole folder. */
#include "frontend/core/spec.h"
#include "tests/child.h"
#include "tests/disk_case.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite_disk_cache(void);

/* A kernel from the disk is what a compiled one is: by its name, its facts and the bytes of its code. */
START_TEST(comes_back)
{
    aic_context *first = disk_context("rw"), *second = disk_context("rw");
    aic_kernel_info made = aic_kernel_info_init(), loaded = aic_kernel_info_init();
    aic_kernel *a = disk_kernel(first, DISK_SPEC[_i], &made), *b = disk_kernel(second, DISK_SPEC[_i], &loaded);
    ck_assert(made.compiled && !made.loaded && !loaded.compiled && loaded.loaded);
    ck_assert_uint_eq(disk_stats(first).compiles, 1);
    ck_assert_uint_eq(disk_stats(second).compiles, 0);
    ck_assert_uint_eq(disk_stats(second).loads, 1);
    ck_assert_str_eq(made.name, loaded.name);
    ck_assert_str_eq(made.schedule, loaded.schedule);
    ck_assert_str_eq(made.origin, loaded.origin);
    ck_assert_uint_eq(made.code_bytes, loaded.code_bytes);
    ck_assert_int_eq(made.threads, loaded.threads);
    ck_assert_uint_eq(loaded.emit_ns + loaded.codegen_ns, 0);
    ck_assert_uint_eq(aic_kernel_workspace_size(a), aic_kernel_workspace_size(b));
    ck_assert_uint_eq(aic_kernel_packed_workspace_size(a), aic_kernel_packed_workspace_size(b));
    size_t bytes[2] = {0, 0};
    aic_status status = AIC_OK;
    for (size_t i = 0; status == AIC_OK || status == AIC_UNSUPPORTED; i++) {
        status = aic_kernel_packed_size(a, i, &bytes[0]);
        ck_assert_int_eq(aic_kernel_packed_size(b, i, &bytes[1]), status);
        ck_assert_uint_eq(bytes[0], bytes[1]);
    }
    aic_kernel_destroy(a);
    aic_kernel_destroy(b);
    aic_context_destroy(first);
    aic_context_destroy(second);
}
END_TEST

START_TEST(results_are_equal)
{
    static const aic_dtype types[] = {AIC_INT8, AIC_FLOAT16};
    const aic_conv2d_desc desc = conv_desc(types[_i], 11);
    conv_case *c = conv_case_new(&desc);
    const disk_deed made = disk_call_anew(c, "rw"), loaded = disk_call_anew(c, "rw");
    disk_check_deed(&made, 1, 0, 1);
    disk_check_deed(&loaded, 0, 1, 0);
    conv_case_free(c);
}
END_TEST

START_TEST(each_mode)
{
    conv_case *c = disk_small_case();
    disk_deed d = disk_call_anew(c, "off");
    disk_check_deed(&d, 1, 0, 0);
    d = disk_call_anew(c, "ro");
    disk_check_deed(&d, 1, 0, 0);
    d = disk_call_anew(c, "rw");
    disk_check_deed(&d, 1, 0, 1);
    d = disk_call_anew(c, "ro");
    disk_check_deed(&d, 0, 1, 0);
    d = disk_call_anew(c, "off");
    disk_check_deed(&d, 1, 0, 0);
    conv_case_free(c);
}
END_TEST

/* Whoever wants dumps gets those of the generator. */
START_TEST(dumps_are_made)
{
    char dumps[96];
    snprintf(dumps, sizeof dumps, "%s/dumps", disk_folder);
    for (int round = 0; round < 2; round++) {
        aic_context_options options = aic_context_options_init();
        options.cache = "rw", options.cache_dir = disk_folder, options.dump_dir = dumps;
        aic_context *context;
        aic_kernel_info info = aic_kernel_info_init();
        ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
        aic_kernel_destroy(disk_kernel(context, DISK_SPEC[0], &info));
        ck_assert_uint_eq(disk_stats(context).compiles, 1);
        aic_context_destroy(context);
    }
}
END_TEST

/* ---- configuration ---- */

static void configure_from(const char *variables[][2], aic_disk *disk, aic_status expected)
{
    static const char *const all[] = {"AIC_CACHE", "AIC_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        unsetenv(all[i]);
    }
    for (size_t i = 0; variables[i][0] != NULL; i++) {
        setenv(variables[i][0], variables[i][1], 1);
    }
    const aic_context_options options = aic_context_options_init();
    child_expect(aic_disk_configure(disk, &options) == expected, "status");
}

static void check_folder(const char *variables[][2], aic_disk_mode mode, const char *expected)
{
    aic_disk disk;
    configure_from(variables, &disk, AIC_OK);
    child_expect(disk.mode == mode, aic_disk_mode_name(disk.mode));
    child_expect(expected == NULL ? disk.folder == NULL : strcmp(disk.folder, expected) == 0, expected);
    aic_disk_free(&disk);
}

static void configure_all(void *unused)
{
    (void)unused;
    aic_disk disk;
    check_folder((const char *[][2]){{"HOME", "/h"}, {NULL, NULL}}, AIC_DISK_RW, "/h/.cache/aicjit");
    check_folder((const char *[][2]){{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}, {NULL, NULL}}, AIC_DISK_RW, "/x/aicjit");
    check_folder((const char *[][2]){{"HOME", "/h"}, {"XDG_CACHE_HOME", "x"}, {NULL, NULL}}, AIC_DISK_RW,
                 "/h/.cache/aicjit");
    check_folder((const char *[][2]){{"HOME", "/h"}, {"AIC_CACHE_DIR", "/c"}, {"AIC_CACHE", "ro"}, {NULL, NULL}},
                 AIC_DISK_RO, "/c");
    check_folder((const char *[][2]){{"HOME", "/h"}, {"AIC_CACHE", "off"}, {NULL, NULL}}, AIC_DISK_OFF, NULL);
    check_folder((const char *[][2]){{"HOME", ""}, {NULL, NULL}}, AIC_DISK_OFF, NULL);
    check_folder((const char *[][2]){{"HOME", "h"}, {NULL, NULL}}, AIC_DISK_OFF, NULL);
    check_folder((const char *[][2]){{NULL, NULL}}, AIC_DISK_OFF, NULL);
    child_expect(chdir("/usr") == 0, "chdir");
    check_folder((const char *[][2]){{"AIC_CACHE_DIR", "kernels"}, {NULL, NULL}}, AIC_DISK_RW, "/usr/kernels");
    configure_from((const char *[][2]){{"AIC_CACHE", "on"}, {NULL, NULL}}, &disk, AIC_INVALID_ARGUMENT);
    child_expect(strcmp(aic_last_error(), "AIC_CACHE: \"on\" is none of off, ro, rw") == 0, aic_last_error());
}

START_TEST(environment)
{
    ck_assert_str_eq(child_run(configure_all, NULL), "");
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    options.cache = "on";
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "cache: \"on\" is none of off, ro, rw");
}
END_TEST

static void use_own_folder(void *unused)
{
    (void)unused;
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    aic_kernel *kernel;
    aic_spec spec;
    unsetenv("AIC_CACHE_DIR");
    setenv("XDG_CACHE_HOME", disk_folder, 1);
    options.cache = "rw";
    child_expect(aic_context_create(&options, &context) == AIC_OK, "context");
    child_expect(aic_spec_read(DISK_SPEC[0], &spec) == AIC_OK, "specification");
    child_expect(aic_kernel_create(context, &spec, NULL, &kernel) == AIC_OK, "kernel");
    child_expect(disk_stats(context).compiles == 1 && disk_stats(context).stores == 0, "it is made, and not kept");
    child_expect(aic_take_warning() == NULL, "nobody has named the folder");
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
}

/* What is wrong with a folder is told to who has named it. */
START_TEST(own_folders_fail_silently)
{
    disk_put_file("aicjit", 100, 5);
    ck_assert_str_eq(child_run(use_own_folder, NULL), "");
}
END_TEST

/* ---- the whole folder ---- */

static void count_problems(void *user, const char *file, const char *what, const char *problem)
{
    int *counts = user;
    ck_assert(strstr(file, ".kernel") != NULL || problem == NULL);
    counts[problem != NULL] += strstr(file, ".kernel") != NULL;
    ck_assert((problem != NULL) == (what[0] == '\0'));
    ck_assert(problem != NULL || strstr(what, "target ") != NULL);
}

START_TEST(verify_and_clear)
{
    conv_case *c = disk_small_case();
    (void)disk_call_anew(c, "rw");
    char path[512];
    snprintf(path, sizeof path, "%s", disk_only_file());
    aic_context *context = disk_context("rw"), *reader = disk_context("ro");
    aic_kernel_info made = aic_kernel_info_init();
    aic_kernel_destroy(disk_kernel(context, DISK_SPEC[3], &made));
    disk_spoil_byte(path);
    disk_put_file("aic_old-0.0.9-0123.kernel", 100, 5);
    disk_put_file("notes.txt", 100, 5);
    disk_put_file(".aic_a.kernel.1.2", 100, 5);

    aic_disk_cache_info info = aic_disk_cache_info_init();
    int counts[2] = {0, 0};
    ck_assert_int_eq(aic_disk_cache_verify(reader, count_problems, counts, &info), AIC_OK);
    ck_assert_int_eq(counts[0], 1);
    ck_assert_int_eq(counts[1], 2);
    ck_assert_uint_eq(info.files, 3);
    ck_assert_uint_eq(info.current, 2);
    ck_assert_uint_eq(info.refused, 2);
    ck_assert_str_eq(info.folder, disk_folder);
    ck_assert_str_eq(info.mode, "ro");

    uint64_t removed;
    ck_assert_int_eq(aic_disk_cache_clear(reader, &removed), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_disk_cache_clear(context, &removed), AIC_OK);
    ck_assert_uint_eq(removed, 3 + info.parts);
    ck_assert(disk_is_there("notes.txt") && !disk_is_there(".aic_a.kernel.1.2"));
    ck_assert_int_eq(aic_disk_cache_stat(context, &info), AIC_OK);
    ck_assert_uint_eq(info.files + info.bytes, 0);
    ck_assert_int_eq(chmod(disk_folder, 0777), 0);
    ck_assert_int_eq(aic_disk_cache_stat(context, &info), AIC_IO);
    aic_context_destroy(reader);
    aic_context_destroy(context);
    conv_case_free(c);
}
END_TEST

Suite *suite_disk_cache(void)
{
    Suite *suite = suite_create("disk cache");
    TCase *tcase = tcase_create("disk cache");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, disk_open, disk_close);
    tcase_add_loop_test(tcase, comes_back, 0, DISK_SPECS);
    tcase_add_loop_test(tcase, results_are_equal, 0, 2);
    tcase_add_test(tcase, each_mode);
    tcase_add_test(tcase, dumps_are_made);
    tcase_add_test(tcase, environment);
    tcase_add_test(tcase, own_folders_fail_silently);
    tcase_add_test(tcase, verify_and_clear);
    suite_add_tcase(suite, tcase);
    return suite;
}
