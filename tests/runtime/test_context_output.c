/* What contexts say: lines on standard error and in the log, dumps. */
#include "tests/context_case.h"
#include "tests/disk_case.h"
#include "tests/specs.h"

#include <check.h>
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *suite_context_output(void);

/* ---- standard error and dumps ---- */

/* Runs one case twice in a context of this verbosity and returns what came on standard error; free() it. */
static char *listen(int verbose, const char *dump_dir, conv_case *c)
{
    aic_context_options options = aic_context_options_init();
    options.verbose = verbose;
    options.dump_dir = dump_dir;
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    ck_assert_int_ge(dup2(fileno(file), STDERR_FILENO), 0);
    aic_context *context = context_new(&options);
    run_in(context, c);
    run_in(context, c);
    aic_context_destroy(context);
    fflush(stderr);
    ck_assert_int_ge(dup2(saved, STDERR_FILENO), 0);
    close(saved);
    char *text = calloc(1, 16384);
    ck_assert_ptr_nonnull(text);
    rewind(file);
    (void)!fread(text, 1, 16383, file);
    fclose(file);
    return text;
}

static size_t lines(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++) {
        count += *text == '\n';
    }
    return count;
}

START_TEST(verbose)
{
    unsetenv("AIC_DUMP_DIR");
    aic_conv2d_desc desc = conv_desc(AIC_FLOAT16, 6);
    conv_case *c = conv_case_new(&desc);
    char spec[512];
    ck_assert_int_eq(aic_spec_print(&c->spec, spec, sizeof spec, NULL), AIC_OK);

    char *text = listen(0, NULL, c);
    ck_assert_str_eq(text, "");
    free(text);

    text = listen(1, NULL, c);
    ck_assert_uint_eq(lines(text), 1);
    const char *const parts[] = {
        "aicjit: ", spec, "isa=", "schedule(", "emit=", "codegen=", "link=", "bytes=", "parts="};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        ck_assert_msg(strstr(text, parts[i]) != NULL, "no \"%s\" in %s", parts[i], text);
    }
    free(text);

    text = listen(2, NULL, c);
    size_t parts_made = 0;
    for (const char *at = text; (at = strstr(at, "aicjit: part ")) != NULL; at++) {
        parts_made++;
    }
    ck_assert_uint_eq(lines(text), 3 + parts_made);
    ck_assert_ptr_nonnull(strstr(text, "aicjit: miss aic_conv2d_"));
    ck_assert_ptr_nonnull(strstr(text, "aicjit: hit aic_conv2d_"));
    free(text);
    conv_case_free(c);
}
END_TEST

enum { SUFFIXES = 4 };

/* Removes the folder's files and the folder; returns how many there were and how many of each suffix. */
static int clear_folder(const char *path, int counts[SUFFIXES])
{
    static const char *const suffixes[SUFFIXES] = {".ll", ".s", ".o", ".txt"};
    int files = 0;
    DIR *folder = opendir(path);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        files++;
        for (int i = 0; i < SUFFIXES; i++) {
            const char *dot = strrchr(entry->d_name, '.');
            counts[i] += dot != NULL && strcmp(dot, suffixes[i]) == 0;
        }
        char name[512];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        ck_assert_int_eq(unlink(name), 0);
    }
    closedir(folder);
    ck_assert_int_eq(rmdir(path), 0);
    return files;
}

/* A folder for dumps that goes away when the context is made, then comes back. */
static void lose_dumps(const char *dump_dir, conv_case *c)
{
    aic_context_options options = aic_context_options_init();
    options.dump_dir = dump_dir;
    aic_context *context = context_new(&options);
    ck_assert_int_eq(rmdir(dump_dir), 0);
    conv_case_reset(c);
    ck_assert_int_eq(aic_jit_conv2d(context, &c->desc, c->buffer[0], c->buffer[1], c->buffer[2]), AIC_IO);
    ck_assert_msg(strstr(aic_last_error(), "dump_dir: ") != NULL && strstr(aic_last_error(), dump_dir) != NULL, "%s",
                  aic_last_error());
    ck_assert_int_eq(mkdir(dump_dir, 0700), 0);
    run_in(context, c);
    aic_context_destroy(context);
    int counts[SUFFIXES] = {0};
    ck_assert_int_eq(clear_folder(dump_dir, counts), SUFFIXES);
}

START_TEST(dump_folder)
{
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 6);
    conv_case *c = conv_case_new(&desc);
    char path[] = "/tmp/aicjit-test-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(path));
    char *text = listen(0, path, c);
    ck_assert_str_eq(text, "");
    free(text);
    int counts[SUFFIXES] = {0};
    ck_assert_int_eq(clear_folder(path, counts), SUFFIXES); /* and no temporary file */
    for (int i = 0; i < SUFFIXES; i++) {
        ck_assert_int_eq(counts[i], 1);
    }

    /* The folder is gone: the context makes it. When it goes later there is no kernel, and the output is as before. */
    text = listen(0, path, c);
    ck_assert_str_eq(text, "");
    free(text);
    ck_assert_int_eq(clear_folder(path, counts), SUFFIXES);
    lose_dumps(path, c);
    conv_case_free(c);

    /* Nor can it be made, or it is none; a program may be written and executed as a folder may. */
    char inner[sizeof path + 16], program[] = "/tmp/aicjit-test-XXXXXX";
    snprintf(inner, sizeof inner, "%s/none", path);
    const int file = mkstemp(program);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(fchmod(file, 0700), 0);
    ck_assert_int_eq(close(file), 0);
    const char *wrong[] = {inner, "/dev/null", program};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        aic_context_options options = aic_context_options_init();
        aic_context *context = NULL;
        options.dump_dir = wrong[i];
        ck_assert_int_eq(aic_context_create(&options, &context), AIC_INVALID_ARGUMENT);
        ck_assert_msg(strstr(aic_last_error(), "dump_dir: ") && strstr(aic_last_error(), wrong[i]), "%s",
                      aic_last_error());
    }
    ck_assert_int_eq(unlink(program), 0);
}
END_TEST

/* ---- the log ---- */

typedef struct told {
    pthread_mutex_t mutex;
    int of_level[3], refused, csv; /* refused: files that are not used, of level 1 */
    char last[3][512], last_csv[1024];
} told;

static void take_line(void *data, int level, const char *line)
{
    told *l = data;
    ck_assert_ptr_null(strchr(line, '\n'));
    ck_assert_int_eq(aic_isa_check("no such level"), AIC_INVALID_ARGUMENT); /* a log may call the library */
    pthread_mutex_lock(&l->mutex);
    if (level <= 2) {
        l->of_level[level]++;
        l->refused += level == 1 && strstr(line, " is not used: ") != NULL;
        snprintf(l->last[level], sizeof l->last[level], "%s", line);
    } else {
        l->csv++;
        snprintf(l->last_csv, sizeof l->last_csv, "%s", line);
    }
    pthread_mutex_unlock(&l->mutex);
}

static aic_context *logging_context(told *l, int level)
{
    *l = (told){.mutex = PTHREAD_MUTEX_INITIALIZER};
    aic_context_options options = aic_context_options_init();
    options.log = take_line;
    options.log_data = l;
    options.verbose = level;
    options.cache = "off";
    options.threads = 1; /* no line about a pool */
    return context_new(&options);
}

/* Lines of the levels and categories go to the log, and not to standard error. */
START_TEST(lines_go_to_the_log)
{
    told l;
    aic_context *context = logging_context(&l, 2);
    aic_conv2d_desc desc = conv_desc(AIC_INT8, 9);
    conv_case *c = conv_case_new(&desc);
    fclose(stderr);
    stderr = tmpfile();
    const int of_opening = l.of_level[1]; /* on some hosts */
    run_in(context, c);
    ck_assert_int_eq(l.of_level[1], of_opening + 1);
    ck_assert_msg(strncmp(l.last[1], "compiled conv2d(", 16) == 0, "%s", l.last[1]);
    const int after_one = l.of_level[2];
    ck_assert_int_ge(after_one, 1);
    run_in(context, c);
    ck_assert_int_eq(l.of_level[2], after_one + 1);
    ck_assert_msg(strncmp(l.last[2], "hit ", 4) == 0, "%s", l.last[2]);
    aic_context_destroy(context);
    context = logging_context(&l, AIC_VERBOSE_CREATE | AIC_VERBOSE_EXEC);
    run_in(context, c);
    ck_assert_int_eq(l.csv, 2);
    ck_assert_int_eq(l.of_level[0], 0);
    ck_assert_int_eq((int)ftell(stderr), 0);
    aic_context_destroy(context);
    conv_case_free(c);
}
END_TEST

/* A log that makes and calls another kernel of its context, and is refused one. */
typedef struct busy {
    aic_context *context;
    int lines, failed;
} busy;

static void do_more(void *data, int level, const char *line)
{
    static _Alignas(64) int32_t c[16 * 16];
    static _Alignas(64) int8_t a[16 * 32], b[32 * 16];
    busy *own = data;
    (void)level, (void)line;
    if (own->lines++ > 100 || own->context == NULL) {
        return;
    }
    const aic_spec spec = spec_of("mmad(dtype=int8, m=16, n=16, k=32)"), wrong = {.count = 0};
    aic_kernel *kernel = NULL;
    own->failed += aic_kernel_create(own->context, &spec, NULL, &kernel) != AIC_OK;
    own->failed += kernel == NULL || aic_kernel_call(kernel, (void *[]){c, a, b}, 3) != AIC_OK;
    own->failed += aic_kernel_create(own->context, &wrong, NULL, &kernel) == AIC_OK;
    aic_kernel_destroy(kernel);
}

/* Nothing is told of what a log does, on threads of the library neither, and the message of a failure that it is told
 * of stays. */
START_TEST(logs_may_make_kernels)
{
    static _Alignas(64) int32_t c[2][16 * 16];
    static _Alignas(64) int8_t a[2][16 * 32], b[32 * 16];
    const size_t overlapping[] = {sizeof c[0][0], sizeof a[0], 0};
    const int levels[] = {1, 2, AIC_VERBOSE_CREATE | AIC_VERBOSE_EXEC | AIC_VERBOSE_CACHE | AIC_VERBOSE_DISPATCH};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        int lines[2];
        for (int does_more = 0; does_more < 2; does_more++) {
            busy own = {.context = NULL};
            aic_context_options options = aic_context_options_init();
            options.log = do_more, options.log_data = &own;
            options.verbose = levels[i];
            options.cache = "off";
            options.threads = 1;
            aic_context *context = context_new(&options);
            own.lines = 0;
            own.context = does_more != 0 ? context : NULL;
            const aic_spec spec = spec_of("mmad(dtype=int8, m=16, n=16, k=32, init_c=false)");
            aic_kernel *kernel = NULL;
            ck_assert_int_eq(aic_kernel_create(context, &spec, NULL, &kernel), AIC_OK);
            ck_assert_int_eq(aic_kernel_call_batch(kernel, (void *[]){c, a, b}, overlapping, 2), AIC_INVALID_ARGUMENT);
            ck_assert_msg(strstr(aic_last_error(), "stride") != NULL, "%s", aic_last_error());
            ck_assert_int_eq(own.failed, 0);
            lines[does_more] = own.lines;
            own.context = NULL;
            aic_kernel_destroy(kernel);
            aic_context_destroy(context);
        }
        ck_assert_int_gt(lines[0], 0);
        ck_assert_int_eq(lines[1], lines[0]);
    }
}
END_TEST

/* A batch is one line, with its outcome, whether it is run or refused. */
START_TEST(batches_go_to_the_log)
{
    static _Alignas(64) int32_t c[2][16 * 16];
    static _Alignas(64) int8_t a[2][16 * 32], b[32 * 16];
    void *operands[] = {c, a, b};
    const size_t strides[] = {sizeof c[0], sizeof a[0], 0}, overlapping[] = {sizeof c[0][0], sizeof a[0], 0};
    told l;
    aic_context *context = logging_context(&l, AIC_VERBOSE_EXEC);
    const aic_spec spec = spec_of("mmad(dtype=int8, m=16, n=16, k=32)");
    aic_kernel *kernel = NULL;
    ck_assert_int_eq(aic_kernel_create(context, &spec, NULL, &kernel), AIC_OK);
    const int before = l.csv;
    ck_assert_int_eq(aic_kernel_call_batch(kernel, operands, strides, 2), AIC_OK);
    ck_assert_int_eq(l.csv, before + 1);
    ck_assert_msg(strncmp(l.last_csv, "aicjit,exec,", 12) == 0 && strstr(l.last_csv, "plain") != NULL, "%s",
                  l.last_csv);
    ck_assert_int_eq(aic_kernel_call_batch(kernel, operands, overlapping, 2), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(l.csv, before + 2);
    ck_assert_msg(strstr(l.last_csv, aic_status_name(AIC_INVALID_ARGUMENT)) != NULL, "%s", l.last_csv);
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
}
END_TEST

/* A warning goes to the log once, wherever it comes about, and is there for aic_take_warning() all the same. */
START_TEST(warnings_go_to_the_log)
{
    told l = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    aic_context_options options = aic_context_options_init();
    options.log = take_line;
    options.log_data = &l;
    options.tuning_db = "/nowhere/tuning.txt";
    aic_context *context = context_new(&options); /* on the caller's thread */
    ck_assert_int_eq(l.of_level[0], 1);
    ck_assert_msg(strstr(l.last[0], "/nowhere/tuning.txt") != NULL, "%s", l.last[0]);
    ck_assert_str_eq(aic_take_warning(), l.last[0]);
    aic_context_destroy(context);

    /* Of each file of the disk cache that is damaged: a kernel, looked for on the caller's thread, and parts, on the
     * generator's. */
    static char path[DISK_FILES_MAX][DISK_PATH];
    static const char *const prefixes[] = {"aic_", "part_"};
    int files = 0;
    disk_open();
    conv_case *c = disk_small_case();
    disk_deed deed = disk_call_anew(c, "rw");
    ck_assert_uint_eq(deed.stats.stores, 1);
    for (int i = 0; i < 2; i++) {
        for (size_t f = disk_files(prefixes[i], path); f > 0; f--) {
            disk_spoil_byte(path[f - 1]);
            files++;
        }
    }
    ck_assert_int_ge(files, 2);
    options.tuning_db = "";
    options.cache = "ro", options.cache_dir = disk_folder;
    options.threads = 1; /* several would load parts, and warn, in any order */
    context = context_new(&options);
    const int before = l.of_level[0];
    run_in(context, c);
    ck_assert_int_eq(l.of_level[0], before + files);
    ck_assert_str_eq(aic_take_warning(), l.last[0]);
    ck_assert_int_eq(l.refused, 0);
    aic_context_destroy(context);
    options.verbose = 1;
    context = context_new(&options);
    run_in(context, c);
    ck_assert_int_eq(l.refused, files);
    conv_case_free(c);
    aic_context_destroy(context);
    disk_close();
}
END_TEST

/* What a call warns of. */
START_TEST(calls_warn_the_log)
{
    told l;
    aic_context *context = logging_context(&l, 0);
    aic_fixpipe_desc desc = aic_fixpipe_desc_init();
    desc.src = desc.dst = AIC_FLOAT32;
    desc.nSize = desc.dstStride = 16, desc.mSize = desc.srcStride = 1, desc.ndNum = 0;
    float src[16] = {0}, dst[16] = {0};
    for (int i = 1; i <= 2; i++) {
        ck_assert_msg(aic_jit_fixpipe(context, &desc, dst, src, NULL) == AIC_OK, "%s", aic_last_error());
        ck_assert_int_eq(l.of_level[0], i);
    }
    aic_context_destroy(context);
}
END_TEST

Suite *suite_context_output(void)
{
    Suite *suite = suite_create("context_output");
    TCase *tcase = tcase_create("context_output");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, save_environment, restore_environment);
    tcase_add_test(tcase, verbose);
    tcase_add_test(tcase, dump_folder);
    tcase_add_test(tcase, lines_go_to_the_log);
    tcase_add_test(tcase, logs_may_make_kernels);
    tcase_add_test(tcase, batches_go_to_the_log);
    tcase_add_test(tcase, warnings_go_to_the_log);
    tcase_add_test(tcase, calls_warn_the_log);
    suite_add_tcase(suite, tcase);
    return suite;
}
