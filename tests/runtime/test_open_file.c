/* Files that others could have prepared, and writes that the system refuses: a rule, and a message, where there was a
 * signal, a wait or somebody else's file. */
#include "runtime/code/code_region.h"
#include "runtime/observe/profile.h"
#include "runtime/observe/profile_kinds.h"
#include "runtime/system/hold_signals.h"
#include "runtime/system/open_file.h"
#include "runtime/system/replace_file.h"
#include "tests/child.h"
#include "tests/disk_case.h"
#include "tests/tune_case.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

Suite *suite_open_file(void);

/* ---- what lies in the way ---- */

static void put_file(const char *path)
{
    FILE *file = fopen(path, "w");
    child_expect(file != NULL && fputs("kept\n", file) >= 0 && fclose(file) == 0 && chmod(path, 0600) == 0, path);
}

static void put_pipe(const char *path)
{
    child_expect(mkfifo(path, 0600) == 0, path);
}

/* The name beside `path` that a link leads to or shares. */
static const char *beside(const char *path)
{
    static char other[256];
    snprintf(other, sizeof other, "%s.other", path);
    return other;
}

static void put_link(const char *path)
{
    put_file(beside(path));
    child_expect(symlink(beside(path), path) == 0, path);
}

static void put_hard_link(const char *path)
{
    put_file(beside(path));
    child_expect(link(beside(path), path) == 0, path);
}

static void put_folder(const char *path)
{
    child_expect(mkdir(path, 0700) == 0, path);
}

static void put_open_file(const char *path)
{
    put_file(path);
    child_expect(chmod(path, 0622) == 0, path);
}

static void put_foreign_file(const char *path) /* as root only */
{
    put_file(path);
    child_expect(chown(path, 65534, 65534) == 0 && chmod(path, 0666) == 0, path);
}

static void put_nothing(const char *path)
{
    (void)path;
}

#define NO_FILE "it is no file"

/* For each rule what the file is refused for, NULL: it is opened. */
static const struct {
    const char *name;
    void (*put)(const char *path);
    const char *refused[AIC_FILE_SHARED + 1];
    bool as_root;
} OBSTACLES[] = {
    {"nothing", put_nothing, {NULL, NULL, NULL, NULL}, false},
    {"file", put_file, {NULL, NULL, NULL, NULL}, false},
    {"pipe", put_pipe, {NO_FILE, NO_FILE, NO_FILE, NO_FILE}, false},
    {"link", put_link, {NULL, "it is a link", "it is a link", "it is a link"}, false},
    {"hard_link", put_hard_link, {NULL, NULL, NULL, "it has another name, too"}, false},
    {"folder", put_folder, {NO_FILE, NO_FILE, NO_FILE, NO_FILE}, false},
    {"open_file", put_open_file, {NULL, NULL, "others may write to it", NULL}, false},
    {"foreign_file", put_foreign_file, {NULL, NULL, "it belongs to another user", "it belongs to another user"}, true},
};
enum { OBSTACLES_COUNT = sizeof OBSTACLES / sizeof OBSTACLES[0] };

static void expect_opened(const char *path, int flags, aic_file_rule rule, const char *refused)
{
    struct stat info = {.st_mode = 0};
    const char *problem;
    const int file = aic_open_file(AT_FDCWD, path, flags, 0600, rule, &info, &problem);
    const int error = errno;
    ck_assert_msg((file >= 0) == (refused == NULL), "%s, rule %d: %s", path, (int)rule, problem);
    if (file >= 0) {
        ck_assert_ptr_null(problem);
        ck_assert(S_ISREG(info.st_mode));
        ck_assert((fcntl(file, F_GETFD) & FD_CLOEXEC) != 0);
        (void)close(file);
    } else if (error == EISDIR) { /* a folder that is to be written */
        ck_assert_ptr_null(problem);
    } else {
        ck_assert_str_eq(problem, refused);
        ck_assert_int_eq(aic_file_status(error), AIC_INVALID_ARGUMENT);
    }
}

START_TEST(rules_of_files)
{
    tune_folder f;
    tune_folder_open(&f);
    for (int i = 0; i < OBSTACLES_COUNT; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", f.folder, OBSTACLES[i].name);
        for (int rule = AIC_FILE_CHOSEN; rule <= AIC_FILE_SHARED && (geteuid() == 0 || !OBSTACLES[i].as_root); rule++) {
            OBSTACLES[i].put(path);
            const char *refused = OBSTACLES[i].refused[rule];
            expect_opened(path, O_WRONLY | O_CREAT | O_APPEND, (aic_file_rule)rule, refused);
            expect_opened(path, O_RDONLY, (aic_file_rule)rule, refused);
            ck_assert(remove(path) == 0);
            (void)remove(beside(path));
        }
    }
    expect_opened("/dev/null", O_RDONLY, AIC_FILE_CHOSEN, NO_FILE);
    tune_folder_close(&f);
    const char *problem;
    ck_assert_int_eq(aic_open_file(AT_FDCWD, f.file, O_RDONLY, 0, AIC_FILE_SHARED, NULL, &problem), -1);
    ck_assert_int_eq(errno, ENOENT);
    ck_assert_ptr_null(problem);
}
END_TEST

/* perf's map lies in everybody's folder: whatever waits there is refused at once, and stays as it is. */
static void start_over_obstacle(void *argument)
{
    const int i = *(const int *)argument;
    const char *refused = OBSTACLES[i].refused[AIC_FILE_SHARED];
    char path[64], text[8] = "";
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    (void)remove(path); /* that of a process which had this number before */
    OBSTACLES[i].put(path);
    const aic_status status = aic_profile_start(AIC_PROFILE_PERF);
    char message[AIC_MESSAGE_MAX];
    snprintf(message, sizeof message, "%s", aic_last_error());
    FILE *file = OBSTACLES[i].put != put_pipe && OBSTACLES[i].put != put_folder ? fopen(path, "r") : NULL;
    const size_t length = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = '\0';
    (void)remove(path);
    (void)remove(beside(path));
    child_expect(status == (refused == NULL ? AIC_OK : AIC_INVALID_ARGUMENT), "status");
    child_expect(refused == NULL || strstr(message, "\"perf\"") != NULL, "message");
    /* The system may be told to refuse files of others in such folders by itself (fs.protected_regular). */
    const bool by_system = OBSTACLES[i].put == put_folder || strstr(message, strerror(EACCES)) != NULL;
    child_expect(refused == NULL || by_system || strstr(message, refused) != NULL, "reason");
    child_expect(file == NULL || OBSTACLES[i].put == put_nothing || strcmp(text, "kept\n") == 0, "content");
}

START_TEST(obstacles_of_the_map)
{
    for (int i = 0; i < OBSTACLES_COUNT; i++) {
        if (geteuid() == 0 || !OBSTACLES[i].as_root) {
            const char *ended = child_run(start_over_obstacle, &i);
            ck_assert_msg(ended[0] == '\0', "%s: %s", OBSTACLES[i].name, ended);
        }
    }
}
END_TEST

/* A map that an earlier process has left is cut, but not what another name of it leads to. */
static void start_over_old_hard_link(void *unused)
{
    (void)unused;
    char path[64];
    struct stat info = {.st_size = 0};
    const struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    put_hard_link(path);
    child_expect(utimensat(AT_FDCWD, path, times, 0) == 0, "time");
    const aic_status status = aic_profile_start(AIC_PROFILE_PERF);
    const bool kept = stat(beside(path), &info) == 0 && info.st_size == 5;
    (void)remove(path);
    (void)remove(beside(path));
    child_expect(status == AIC_INVALID_ARGUMENT && kept, "refused and kept");
}

START_TEST(old_map_with_another_name)
{
    ck_assert_str_eq(child_run(start_over_old_hard_link, NULL), "");
}
END_TEST

/* ---- writes that the system refuses ---- */

enum { LIMIT = 64 }; /* bytes of a file */

/* No test framework in between: it has files of its own. */
static struct rlimit limit_files(rlim_t bytes)
{
    struct rlimit old, now;
    (void)getrlimit(RLIMIT_FSIZE, &old);
    now = (struct rlimit){bytes, old.rlim_max};
    (void)setrlimit(RLIMIT_FSIZE, &now);
    return old;
}

static void end_limit(struct rlimit old)
{
    (void)setrlimit(RLIMIT_FSIZE, &old);
}

static bool is_pending(int number)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, number) == 1;
}

/* Nothing of a signal is left in this thread. */
static void check_signals(void)
{
    sigset_t mask;
    struct sigaction action;
    ck_assert(!is_pending(SIGXFSZ) && !is_pending(SIGPIPE));
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
    ck_assert_int_eq(sigismember(&mask, SIGXFSZ), 0);
    ck_assert_int_eq(sigismember(&mask, SIGPIPE), 0);
    ck_assert_int_eq(sigaction(SIGXFSZ, NULL, &action), 0);
    ck_assert(action.sa_handler == SIG_DFL);
    ck_assert_int_eq(sigaction(SIGPIPE, NULL, &action), 0);
    ck_assert(action.sa_handler == SIG_DFL);
}

START_TEST(limit_of_replaced_files)
{
    tune_folder f;
    tune_folder_open(&f);
    char bytes[2 * LIMIT] = "";
    const struct rlimit old = limit_files(LIMIT);
    const int fits = aic_replace_file(f.file, bytes, LIMIT, true);
    const int error = aic_replace_file(f.file, bytes, sizeof bytes, true);
    end_limit(old);
    check_signals();
    ck_assert_int_eq(fits, 0);
    ck_assert_int_eq(error, EFBIG);
    struct stat info;
    ck_assert_int_eq(stat(f.file, &info), 0);
    ck_assert_int_eq(info.st_size, LIMIT);
    tune_folder_close(&f); /* no temporary file is left: it removes one file */
}
END_TEST

START_TEST(limit_of_tuning_files)
{
    tune_folder f;
    tune_folder_open(&f);
    char input[128];
    size_t records;
    snprintf(input, sizeof input, "%s/input.txt", f.folder);
    tune_put(input, tune_record_of("mmad(dtype=int8, m=16, n=16, k=32)", AIC_TUNE_EFFORT_MEASURE, NULL, 10, 20));
    const char *inputs[] = {input};
    const struct rlimit old = limit_files(LIMIT);
    const aic_status status = aic_tune_merge(inputs, 1, f.file, &records);
    end_limit(old);
    check_signals();
    ck_assert_int_eq(status, AIC_IO);
    ck_assert_msg(strstr(aic_last_error(), "tuning.txt") != NULL, "%s", aic_last_error());
    tune_folder_close(&f);
}
END_TEST

/* A kernel that the disk cache cannot keep is right all the same; one whose dumps were asked for and cannot be written
 * is none. */
START_TEST(limit_of_dumps_and_the_disk_cache)
{
    disk_open();
    aic_context_options options = aic_context_options_init();
    options.cache = "rw";
    options.cache_dir = disk_folder;
    aic_context *context[2];
    ck_assert_int_eq(aic_context_create(&options, &context[0]), AIC_OK);
    options.cache = "off";
    options.dump_dir = disk_folder;
    ck_assert_int_eq(aic_context_create(&options, &context[1]), AIC_OK);
    conv_case *c = disk_small_case();
    aic_status status[2];
    for (int i = 1; i >= 0; i--) { /* the result that is looked at below is the one of the disk cache's context */
        const struct rlimit old = limit_files(LIMIT);
        status[i] = aic_jit_conv2d(context[i], &c->desc, c->buffer[0], c->buffer[1], c->buffer[2]);
        end_limit(old);
        ck_assert_msg(i == 0 || strstr(aic_last_error(), strerror(EFBIG)) != NULL, "%s", aic_last_error());
    }
    check_signals();
    ck_assert_int_eq(status[0], AIC_OK);
    ck_assert_int_eq(status[1], AIC_IO);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "dump_dir: "));
    ck_assert_uint_eq(disk_stats(context[0]).stores, 0);
    conv_case_check_done(c, c->buffer[CONV_DST]);
    conv_case_free(c);
    aic_context_destroy(context[0]);
    aic_context_destroy(context[1]);
    ck_assert_uint_eq(disk_info().files, 0);
    ck_assert_int_eq(rmdir(disk_folder), 0); /* nothing is left in it */
}
END_TEST

/* The files of profilers: the first lines and records are refused, later ones lost. */
static void profile_under_limit(void *unused)
{
    (void)unused;
    char path[64];
    char label[2 * LIMIT];
    memset(label, 'x', sizeof label - 1);
    label[sizeof label - 1] = '\0';
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    child_expect(aic_profile_start(AIC_PROFILE_PERF) == AIC_OK, "perf");
    const struct rlimit old = limit_files(LIMIT / 4);
    child_expect(aic_profile_start(AIC_PROFILE_JITDUMP) == AIC_IO, "jitdump");
    aic_profile_part part = {.address = 1, .size = 1, .label = label};
    const aic_profile_code code = {.count = 1, .part = &part};
    (void)limit_files(LIMIT);
    aic_profile_perf_add(&code);
    aic_profile_perf_add(&code);
    struct stat info = {.st_size = 0};
    const bool good = stat(path, &info) == 0 && info.st_size == LIMIT;
    (void)remove(path);
    child_expect(good, "a map of as much as fits");
    aic_code_region region;
    (void)limit_files(LIMIT); /* also of files without a name */
    child_expect(aic_code_region_map(1 << 16, true, &region) != AIC_OK, "code in a file");
    child_expect(!is_pending(SIGXFSZ), "nothing is left");
    end_limit(old); /* what ran may be written at its end */
}

START_TEST(limit_of_profiles)
{
    tune_folder f;
    tune_folder_open(&f);
    setenv("JITDUMPDIR", f.folder, 1);
    ck_assert_str_eq(child_run(profile_under_limit, NULL), "");
    unsetenv("JITDUMPDIR");
    tune_folder_close(&f);
}
END_TEST

/* Lines for a reader who has gone, and beyond the limit. */
START_TEST(lines_that_nobody_takes)
{
    aic_context_options options = aic_context_options_init();
    options.verbose = 2;
    aic_context *context = NULL;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    conv_case *c = disk_small_case();
    FILE *file = tmpfile();
    int ends[2];
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(close(ends[0]), 0);
    (void)fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    (void)dup2(ends[1], STDERR_FILENO);
    const aic_status piped = aic_jit_conv2d(context, &c->desc, c->buffer[0], c->buffer[1], c->buffer[2]);
    (void)dup2(fileno(file), STDERR_FILENO);
    const struct rlimit old = limit_files(1);
    const aic_status limited = aic_jit_conv2d(context, &c->desc, c->buffer[0], c->buffer[1], c->buffer[2]);
    end_limit(old);
    (void)dup2(kept, STDERR_FILENO);
    clearerr(stderr);
    check_signals();
    ck_assert_int_eq(piped, AIC_OK);
    ck_assert_int_eq(limited, AIC_OK);
    (void)close(kept);
    (void)close(ends[1]);
    (void)fclose(file);
    conv_case_free(c);
    aic_context_destroy(context);
}
END_TEST

/* A signal that somebody else has sent stays. */
START_TEST(signals_of_others)
{
    sigset_t mask, before;
    aic_held_signals held;
    int ends[2], number;
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(close(ends[0]), 0);
    sigemptyset(&mask);
    sigaddset(&mask, SIGPIPE);
    sigaddset(&mask, SIGUSR1);
    ck_assert_int_eq(pthread_sigmask(SIG_BLOCK, &mask, &before), 0);
    for (int sent = 0; sent < 2; sent++) {
        if (sent != 0) {
            ck_assert_int_eq(pthread_kill(pthread_self(), SIGPIPE), 0);
        }
        aic_signals_hold(sent != 0 ? AIC_SIGNALS_ALL : AIC_SIGNALS_OF_WRITES, &held);
        ck_assert_int_eq(pthread_kill(pthread_self(), SIGUSR1), 0);
        ck_assert_int_eq(write(ends[1], "", 1), -1);
        ck_assert(is_pending(SIGPIPE));
        aic_signals_release(&held);
        ck_assert_int_eq(errno, EPIPE);
        ck_assert(is_pending(SIGPIPE) == (sent != 0));
        ck_assert(is_pending(SIGUSR1));
        ck_assert_int_eq(sigwait(&mask, &number), 0);
    }
    ck_assert_int_eq(sigwait(&mask, &number), 0); /* the other of the two */
    ck_assert(!is_pending(SIGPIPE) && !is_pending(SIGUSR1));
    ck_assert_int_eq(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
    (void)close(ends[1]);
}
END_TEST

Suite *suite_open_file(void)
{
    Suite *suite = suite_create("open_file");
    TCase *tcase = tcase_create("open_file");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, rules_of_files);
    tcase_add_test(tcase, obstacles_of_the_map);
    tcase_add_test(tcase, old_map_with_another_name);
    tcase_add_test(tcase, limit_of_replaced_files);
    tcase_add_test(tcase, limit_of_tuning_files);
    tcase_add_test(tcase, limit_of_dumps_and_the_disk_cache);
    tcase_add_test(tcase, limit_of_profiles);
    tcase_add_test(tcase, lines_that_nobody_takes);
    tcase_add_test(tcase, signals_of_others);
    suite_add_tcase(suite, tcase);
    return suite;
}
