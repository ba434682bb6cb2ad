/* The number of threads of a context: options, the environment, affinity, and the quota of a control group. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "codegen/machine.h"
#include "runtime/request/context.h"
#include "tests/shared_case.h"

#include <check.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

Suite *suite_thread_count(void);

static void refuse_options(const aic_context_options *options, const char *message)
{
    aic_context *context;
    ck_assert_int_eq(aic_context_create(options, &context), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), message);
}

START_TEST(numbers)
{
    static const char *const bad[] = {"0", "-1", "1025", "two", "2 ", " 2", "+2", "2.0", "99999999999999999999"};
    aic_context_options options = aic_context_options_init();
    options.threads = -1;
    refuse_options(&options, "threads: -1 is outside 0..1024");
    options.threads = 1025;
    refuse_options(&options, "threads: 1025 is outside 0..1024");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char message[128];
        setenv("AIC_NUM_THREADS", bad[i], 1);
        (void)snprintf(message, sizeof message, "AIC_NUM_THREADS: \"%s\" is no integer in 1..1024", bad[i]);
        refuse_options(NULL, message);
    }
    aic_context *context = shared_context(5, NULL); /* an option goes before the environment */
    ck_assert_int_eq(aic_context_threads(context), 5);
    aic_context_destroy(context);
    setenv("AIC_NUM_THREADS", "1024", 1);
    context = shared_context_of(NULL);
    ck_assert_int_eq(aic_context_threads(context), 1024);
    aic_context_destroy(context);
    setenv("AIC_NUM_THREADS", "", 1); /* empty is not set */
    aic_processors processors;
    aic_processors_find(&processors);
    aic_processors_limit(&processors, aic_processors_quota(""));
    context = shared_context_of(NULL);
    ck_assert_int_eq(aic_context_threads(context), processors.count);
    aic_context_destroy(context);
}
END_TEST

START_TEST(affinity)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    aic_context *context = shared_context_of(NULL);
    ck_assert_int_eq(aic_context_threads(context), 1);
    aic_context_destroy(context);
}
END_TEST

/* Files of the system are read when a call may be shared for the first time, and not for a kernel that never is. */
START_TEST(quota_when_needed)
{
    shared_as_usual();
    aic_context *context = shared_context(3, NULL), *other = shared_context(3, NULL), *one = shared_context(1, NULL);
    const struct {
        aic_context *context;
        const char *text;
        bool known;
    } rows[] = {
        {context, "tensor_arithmetic(op=BM_ADD, shape=[1,1,16,16])", false},
        {one, "tensor_arithmetic(op=BM_ADD, shape=[1,8,256,256])", false},
        {context, "tensor_arithmetic(op=BM_ADD, shape=[1,8,256,256])", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        verify_case c;
        shared_case_open(&c, rows[i].text);
        aic_kernel_destroy(shared_kernel(rows[i].context, &c));
        ck_assert_int_eq(rows[i].context->quota != AIC_QUOTA_UNKNOWN, rows[i].known);
        verify_close(&c);
    }
    ck_assert_int_eq(context->quota, aic_processors_quota(""));
    ck_assert_int_eq(aic_context_threads(other), 3);
    ck_assert_int_ne(other->quota, AIC_QUOTA_UNKNOWN);
    aic_context_destroy(context);
    aic_context_destroy(other);
    aic_context_destroy(one);
}
END_TEST

/* A quota limits the threads of a context that are as many as the processors, and tells the pool not to wait. */
START_TEST(quota_limits)
{
    const aic_share all = {.threads = 8, .all = true, .processors = {.count = 8}};
    const aic_share given = {.threads = 8, .processors = {.count = 8}};
    const struct {
        const aic_share *share;
        int quota, threads, processors;
        bool limits;
    } rows[] = {
        {&all, 0, 8, 8, false}, {&all, 3, 3, 3, true},   {&all, 8, 8, 8, true},
        {&all, 9, 8, 8, false}, {&given, 3, 8, 3, true}, {&given, 0, 8, 8, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        aic_share share = *rows[i].share;
        atomic_int known = rows[i].quota;
        aic_share_limit(&share, &known);
        ck_assert_int_eq(share.threads, rows[i].threads);
        ck_assert_int_eq(share.processors.count, rows[i].processors);
        ck_assert_int_eq(share.processors.quota, rows[i].limits);
    }
}
END_TEST

/* ---- quotas ---- */

/* Writes a file of a system that is none, with its folders. */
static void put_file(const char *root, const char *path, const char *content)
{
    char name[512];
    (void)snprintf(name, sizeof name, "%s%s", root, path);
    for (char *slash = name + strlen(root); (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        (void)mkdir(name, 0700);
        *slash = '/';
    }
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(content, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

#define MOUNTS_2 "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n31 22 0:28 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw\n"
#define MOUNTS_1                                                                                                       \
    "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 22 0:27 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"           \
    "31 22 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
#define IN_DOCKER "31 22 0:28 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"

/* Up to four files of a system, and the processors that its quota pays for. */
static const struct quota_row {
    const char *what;
    int processors;
    struct {
        const char *path, *content;
    } file[4];
} quotas[] = {
    {"nothing is there", 0, {{NULL, NULL}}},
    {"no group", 0, {{"/proc/self/mountinfo", MOUNTS_2}, {"/sys/fs/cgroup/cpu.max", "300000 100000\n"}}},
    {"lines that are cut short come before",
     3,
     {{"/proc/self/mountinfo", "30 22\n31 22 0:28 / /a rw - cgroup2\n - cgroup2 c rw\n" MOUNTS_2},
      {"/proc/self/cgroup", "0\n0:cut\n1::/other\n0:cpu:/other\n0::/a\n"},
      {"/sys/fs/cgroup/a/cpu.max", "300000 100000\n"}}},
    {"more processors than there are numbers",
     INT_MAX,
     {{"/proc/self/mountinfo", MOUNTS_2},
      {"/proc/self/cgroup", "0::/\n"},
      {"/sys/fs/cgroup/cpu.max", "9000000000000000000 1000\n"}}},
    {"version 2",
     3,
     {{"/proc/self/mountinfo", MOUNTS_2},
      {"/proc/self/cgroup", "0::/user.slice/a.scope\n"},
      {"/sys/fs/cgroup/user.slice/a.scope/cpu.max", "300000 100000\n"}}},
    {"version 2, no limit",
     0,
     {{"/proc/self/mountinfo", MOUNTS_2},
      {"/proc/self/cgroup", "0::/a\n"},
      {"/sys/fs/cgroup/a/cpu.max", "max 100000\n"}}},
    {"the stricter limit of the group around it",
     2,
     {{"/proc/self/mountinfo", MOUNTS_2},
      {"/proc/self/cgroup", "0::/user.slice/a.scope\n"},
      {"/sys/fs/cgroup/user.slice/a.scope/cpu.max", "300000 100000\n"},
      {"/sys/fs/cgroup/user.slice/cpu.max", "100000 50000\n"}}},
    {"a container that sees its own group as the root",
     2,
     {{"/proc/self/mountinfo", MOUNTS_2},
      {"/proc/self/cgroup", "0::/\n"},
      {"/sys/fs/cgroup/cpu.max", "250000 100000\n"}}},
    {"a group outside the mount",
     2,
     {{"/proc/self/mountinfo", MOUNTS_2},
      {"/proc/self/cgroup", "0::/../b\n"},
      {"/sys/fs/cgroup/cpu.max", "250000 100000\n"}}},
    {"a part of a processor",
     1,
     {{"/proc/self/mountinfo", MOUNTS_2},
      {"/proc/self/cgroup", "0::/\n"},
      {"/sys/fs/cgroup/cpu.max", "20000 100000\n"}}},
    {"a file of nonsense",
     0,
     {{"/proc/self/mountinfo", MOUNTS_2}, {"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "lots\n"}}},
    {"a period of zero",
     0,
     {{"/proc/self/mountinfo", MOUNTS_2}, {"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "100000 0\n"}}},
    {"version 1",
     4,
     {{"/proc/self/mountinfo", MOUNTS_1},
      {"/proc/self/cgroup", "5:cpuset:/other\n4:cpu,cpuacct:/a\n1:name=systemd:/b\n0::/c\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "400000\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"}}},
    {"version 1, no limit",
     0,
     {{"/proc/self/mountinfo", MOUNTS_1},
      {"/proc/self/cgroup", "4:cpu,cpuacct:/a\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n"},
      {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n"}}},
    {"version 1 without a period",
     0,
     {{"/proc/self/mountinfo", IN_DOCKER},
      {"/proc/self/cgroup", "4:cpu:/docker/abc\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"}}},
    {"version 1, a period of nonsense",
     0,
     {{"/proc/self/mountinfo", IN_DOCKER},
      {"/proc/self/cgroup", "4:cpu:/docker/abc\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "long\n"}}},
    {"controllers whose names have the one in them",
     2,
     {{"/proc/self/mountinfo",
       "31 22 0:28 / /c rw - cgroup c rw,xcpu,cpuset\n32 22 0:29 / /d rw - cgroup d xcpu,cpu\n"},
      {"/proc/self/cgroup", "5:xcpu,cpuset:/a\n4:cpuset,cpu:/b\n"},
      {"/d/b/cpu.cfs_quota_us", "200000\n"},
      {"/d/b/cpu.cfs_period_us", "100000\n"}}},
    {"a group of a longer name than the one that is mounted",
     2,
     {{"/proc/self/mountinfo", IN_DOCKER},
      {"/proc/self/cgroup", "4:cpu:/docker/abcd\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}},
    {"another group than the one that is mounted",
     2,
     {{"/proc/self/mountinfo", IN_DOCKER},
      {"/proc/self/cgroup", "4:cpu:/other/group\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}},
    {"a group in the one that is mounted",
     2,
     {{"/proc/self/mountinfo", IN_DOCKER},
      {"/proc/self/cgroup", "4:cpu:/docker/abc/d\n"},
      {"/sys/fs/cgroup/cpu/d/cpu.cfs_quota_us", "200000\n"},
      {"/sys/fs/cgroup/cpu/d/cpu.cfs_period_us", "100000\n"}}},
    {"version 1 in a container",
     2,
     {{"/proc/self/mountinfo", IN_DOCKER},
      {"/proc/self/cgroup", "4:cpu:/docker/abc\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}},
};

enum { QUOTAS = sizeof quotas / sizeof quotas[0] };

START_TEST(quota)
{
    const struct quota_row *row = &quotas[_i];
    char root[] = "/tmp/aicjit-quota-XXXXXX", command[64];
    ck_assert_ptr_nonnull(mkdtemp(root));
    for (size_t i = 0; i < 4 && row->file[i].path != NULL; i++) {
        put_file(root, row->file[i].path, row->file[i].content);
    }
    const int found = aic_processors_quota(root);
    (void)snprintf(command, sizeof command, "rm -rf %s", root);
    ck_assert_int_eq(system(command), 0);
    ck_assert_msg(found == row->processors, "%s: %d", row->what, found);
}
END_TEST

Suite *suite_thread_count(void)
{
    Suite *suite = suite_create("number of threads");
    TCase *cases = tcase_create("number of threads");
    tcase_set_timeout(cases, 60);
    tcase_add_checked_fixture(cases, shared_begin, shared_end);
    tcase_add_test(cases, numbers);
    tcase_add_test(cases, affinity);
    tcase_add_test(cases, quota_when_needed);
    tcase_add_test(cases, quota_limits);
    tcase_add_loop_test(cases, quota, 0, QUOTAS);
    suite_add_tcase(suite, cases);
    return suite;
}
