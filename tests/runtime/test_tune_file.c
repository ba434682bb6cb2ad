/* Tuning files: records as text, damage, foreign files, merging, writers at the same time. */
#include "runtime/tuning/tune_file.h"
#include "tests/machines.h"
#include "tests/specs.h"
#include "tests/tune_case.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *suite_tune_file(void);

#define SPEC_A "mmad(dtype=int8, m=16, n=16, k=32)"
#define SPEC_B "mmad(dtype=int8, m=32, n=16, k=32)"
#define SCHEDULE_1 "schedule(kernel=vector, rows=1, cols=1, vectors=1, unroll=1, band=1)"
#define SCHEDULE_2 "schedule(kernel=vector, rows=2, cols=1, vectors=1, unroll=1, band=1)"

enum { PARTIAL = -1 };

static tune_folder temporary;

static void open_temporary(void)
{
    tune_folder_open(&temporary);
}

static void close_temporary(void)
{
    aic_tune_machine_suppose(NULL);
    tune_folder_close(&temporary);
}

/* "FOLDER/NAME" */
static const char *path_in(const char *name)
{
    static char path[2][128];
    static int turn;
    turn = !turn;
    snprintf(path[turn], sizeof path[turn], "%s/%s", temporary.folder, name);
    return path[turn];
}

static aic_tune_file read_file(const char *path)
{
    aic_tune_file file;
    bool exists;
    ck_assert_msg(aic_tune_file_read(path, &file, &exists) == AIC_OK, "%s", aic_last_error());
    ck_assert(exists);
    return file;
}

/* ---- records ---- */

START_TEST(records_read_back)
{
    static const char *const SCHEDULES[] = {SCHEDULE_1, NULL};
    for (int effort = PARTIAL; effort <= AIC_TUNE_EFFORT_PATIENT; effort++) {
        for (int i = 0; i < 2; i++) {
            aic_tune_record record = tune_record_of(SPEC_A, effort, SCHEDULES[i], 1234.5678, 2e9), again;
            bool out_of_memory;
            ck_assert(aic_tune_record_read(record.line, strlen(record.line), &again, &out_of_memory));
            ck_assert_str_eq(record.line, again.line);
            ck_assert_int_eq(again.effort, effort);
            ck_assert(again.tuned.median == 1234.568 && again.standard.median == 2e9);
            ck_assert(again.tuned.low < again.tuned.median && again.tuned.high > again.tuned.median);
            ck_assert((again.schedule == NULL) == (SCHEDULES[i] == NULL));
            ck_assert(aic_tune_record_same(&record, &again));
            ck_assert_ptr_nonnull(strstr(record.line, aic_llvm_version()));
            ck_assert_ptr_nonnull(strstr(record.line, "isa=avx2"));
            ck_assert_ptr_nonnull(strstr(record.line, aic_version()));
            aic_tune_record_free(&record);
            aic_tune_record_free(&again);
        }
    }
}
END_TEST

/* A line in which any one character is another, or that ends early, is no record. */
START_TEST(damage_is_seen)
{
    aic_tune_record record = tune_record_of(SPEC_A, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20), read;
    const size_t length = strlen(record.line);
    char *line = strdup(record.line);
    bool out_of_memory;
    for (size_t i = 0; i < length; i++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            line[i] ^= (char)(1u << bit);
            ck_assert_msg(!aic_tune_record_read(line, length, &read, &out_of_memory), "byte %zu, bit %u", i, bit);
            line[i] ^= (char)(1u << bit);
        }
        ck_assert_msg(!aic_tune_record_read(line, i, &read, &out_of_memory), "%zu bytes", i);
    }
    ck_assert(aic_tune_record_read(line, length, &read, &out_of_memory));
    aic_tune_record_free(&read);
    free(line);
    aic_tune_record_free(&record);
}
END_TEST

/* Lines that are whole and say what no record does: the sum is right, the rest is not. */
START_TEST(nonsense_is_refused)
{
    static const char *const PARTS[][2] = {
        {"effort=measure", "effort=lots"},
        {"effort=measure", "measure"},
        {"schedule(", "plan("},
        {"tuned=10.000", "tuned=0.000"},
        {"tuned=10.000", "tuned=1e1"},
        {"tuned=10.000", "tuned=nan"},
        {"tuned=10.000", "tuned=-10.000"},
        {"tuned=10.000", "tuned=10.0000"},
        {"tuned=10.000", "tuned=10.0.00"},
        {"tuned=10.000", "tuned=10.00/"},
        {"tuned=10.000", "tuned=1234567890123456.000"},
        {"tuned=10.000 (", "tuned=10.000"},
        {"10.100) ns\tdefault", "10.100)\tdefault"},
        {"10.100) ns\tdefault", "10.100\tdefault"},
        {"10.100) ns\tdefault", "9.100) ns\tdefault"},
        {"10.100) ns\tdefault", "10.100) ns ns\tdefault"},
        {"schedule(", "schedules("},
        {"mmad(", "\tmmad("},
        {"(9.900..", "(99.900.."},
        {"(9.900..", "(9.900--"},
        {"tuned=10.000 (", "tuned=10.000\t("},
        {SCHEDULE_1, "defaulx"},
        {"mmad(", "Mmad("},
        {"mmad(", "{mad("},
        {"default=20.000", "other=20.000"},
        {"rule=", "rules="},
        {"semantics(", "options("},
        {" ns\tdefault", " ms\tdefault"},
        {"tuned=10.000", "tuned=99999999999999999999.000"},
    };
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        aic_tune_record record = tune_record_of(SPEC_A, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20), read;
        char line[4096];
        bool out_of_memory;
        char *at = strstr(record.line, PARTS[i][0]);
        ck_assert_msg(at != NULL, "%s is not in %s", PARTS[i][0], record.line);
        const int length = snprintf(line, sizeof line, "%.*s%s%s", (int)(at - record.line), record.line, PARTS[i][1],
                                    at + strlen(PARTS[i][0]));
        uint64_t sum = UINT64_C(0xCBF29CE484222325);
        char *end = strstr(line, "\tsum=");
        for (const char *c = line; c < end; c++) {
            sum = (sum ^ (unsigned char)*c) * UINT64_C(0x100000001B3);
        }
        snprintf(end, sizeof line - (size_t)(end - line), "\tsum=%016llx", (unsigned long long)sum);
        ck_assert_msg(!aic_tune_record_read(line, (size_t)length, &read, &out_of_memory), "%s", line);
        aic_tune_record_free(&record);
    }
}
END_TEST

/* Whichever way two records of one key come together, the same one stays. */
START_TEST(the_better_record_stays)
{
    const struct {
        int effort;
        const char *schedule;
        double tuned, standard;
    } rows[] = {
        {AIC_TUNE_EFFORT_PATIENT, NULL, 100, 100},
        {AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 50, 100},
        {AIC_TUNE_EFFORT_MEASURE, SCHEDULE_2, 160, 200},
        {AIC_TUNE_EFFORT_MEASURE, NULL, 90, 90},
        {PARTIAL, SCHEDULE_1, 1, 100},
    };
    enum { ROWS = sizeof rows / sizeof *rows }; /* the better ones first */
    for (int a = 0; a < ROWS; a++) {
        for (int b = 0; b < ROWS; b++) {
            const char *path = path_in("pair.txt");
            tune_put(path, tune_record_of(SPEC_A, rows[a].effort, rows[a].schedule, rows[a].tuned, rows[a].standard));
            tune_put(path, tune_record_of(SPEC_A, rows[b].effort, rows[b].schedule, rows[b].tuned, rows[b].standard));
            aic_tune_file file = read_file(path);
            const int best = a < b ? a : b;
            ck_assert_uint_eq(file.count, 1);
            ck_assert_int_eq(file.record[0].effort, rows[best].effort);
            ck_assert(file.record[0].tuned.median == rows[best].tuned);
            aic_tune_file_free(&file);
            ck_assert_int_eq(unlink(path), 0);
        }
    }
}
END_TEST

/* ---- files ---- */

START_TEST(files_read_back)
{
    aic_tune_file file;
    bool exists;
    ck_assert_int_eq(aic_tune_file_read(temporary.file, &file, &exists), AIC_OK);
    ck_assert(!exists);
    tune_put(temporary.file, tune_record_of(SPEC_A, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20));
    tune_put(temporary.file, tune_record_of(SPEC_B, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_2, 10, 20));
    aic_tune_machine_suppose("another machine");
    tune_put(temporary.file, tune_record_of(SPEC_A, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_2, 10, 20));
    aic_tune_machine_suppose(NULL);
    file = read_file(temporary.file);
    ck_assert_uint_eq(file.count, 3);
    ck_assert_uint_eq(file.damaged, 0);
    char host[AIC_TUNE_HOST_MAX];
    aic_tune_host(machine_of(NULL), host);
    size_t usable = 0;
    for (size_t i = 0; i < file.count; i++) {
        char *key = strndup(file.record[i].line, file.record[i].key);
        ck_assert_ptr_eq(aic_tune_file_find(&file, key), &file.record[i]);
        key[file.record[i].key - 1]++;
        ck_assert_ptr_null(aic_tune_file_find(&file, key));
        key[file.record[i].key - 1] = '\0'; /* a key that begins another */
        ck_assert_ptr_null(aic_tune_file_find(&file, key));
        free(key);
        usable += aic_tune_record_is_usable(&file.record[i], host);
    }
    ck_assert_uint_eq(usable, 2);
    aic_tune_file_free(&file);
}
END_TEST

/* Comments, blank lines, line ends of other systems, and a last line without an end. */
START_TEST(people_may_write_in_files)
{
    aic_tune_record record = tune_record_of(SPEC_A, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20);
    char text[4096];
    snprintf(text, sizeof text, "# aicjit tuning file, version 1\r\n\r\n# mine\n\n%s", record.line);
    tune_write_text(temporary.file, text);
    aic_tune_record_free(&record);
    tune_put(temporary.file, tune_record_of(SPEC_B, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20));
    aic_tune_file file = read_file(temporary.file);
    ck_assert_uint_eq(file.count, 2);
    ck_assert_uint_eq(file.comments, 1);
    ck_assert_str_eq(file.comment[0], "# mine");
    aic_tune_file_free(&file);
}
END_TEST

/* Time grows with the lines, not with their square, which this many would take minutes for. */
START_TEST(many_comments)
{
    enum { COMMENTS = 400000, LINE = 16 };
    char *text = malloc((size_t)COMMENTS * LINE + 64), *at = text;
    ck_assert_ptr_nonnull(text);
    at += sprintf(at, "# aicjit tuning file, version 1\n");
    for (int i = 0; i < COMMENTS; i++) {
        at += sprintf(at, "# %d\n", (i < COMMENTS / 2 ? i : COMMENTS - i)); /* most of them twice */
    }
    tune_write_text(temporary.file, text);
    free(text);
    aic_tune_file file = read_file(temporary.file);
    ck_assert_uint_eq(file.comments, COMMENTS / 2 + 1);
    for (int i = 0; i <= COMMENTS / 2; i++) { /* in the order in which each was there first */
        char line[LINE];
        snprintf(line, sizeof line, "# %d", i < COMMENTS / 2 ? i : COMMENTS / 2);
        ck_assert(strcmp(file.comment[i], line) == 0);
    }
    aic_tune_file_free(&file);
}
END_TEST

/* Damaged lines: what is intact is kept by the next writer, and so is the file as it was. */
START_TEST(damaged_files_are_mended_and_kept)
{
    tune_put(temporary.file, tune_record_of(SPEC_A, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20));
    tune_put(temporary.file, tune_record_of(SPEC_B, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20));
    char *text = tune_read_text(temporary.file);
    text[strlen(text) - 30] ^= 1; /* in the last line */
    for (int time = 0; time < 2; time++) {
        tune_write_text(temporary.file, text);
        aic_tune_file file = read_file(temporary.file);
        ck_assert_uint_eq(file.count, 1);
        ck_assert_uint_eq(file.damaged, 1);
        ck_assert_uint_eq(file.first_damaged, 3);
        aic_tune_file_free(&file);
        (void)aic_take_warning();
        tune_put(temporary.file, tune_record_of(SPEC_B, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_2, 10, 20));
        const char *warning = aic_take_warning();
        ck_assert_msg(warning != NULL && strstr(warning, "line 3") != NULL, "%s", warning);
        char *kept = tune_read_text(path_in(time == 0 ? "tuning.txt.damaged" : "tuning.txt.damaged.1"));
        ck_assert_ptr_nonnull(kept);
        ck_assert_str_eq(kept, text);
        free(kept);
        file = read_file(temporary.file);
        ck_assert_uint_eq(file.count, 2);
        ck_assert_uint_eq(file.damaged, 0);
        aic_tune_file_free(&file);
    }
    free(text);
}
END_TEST

/* What is no tuning file is neither read nor written over. */
/* A search that writes nothing leaves the file, takes nothing from it and says so. */
START_TEST(damaged_files_know_nothing)
{
    static const char TEXT[] = "# aicjit tuning file, version 1\nnonsense\n";
    const aic_spec spec = spec_of(SPEC_A);
    aic_tune_options options = aic_tune_options_init();
    aic_tune_result result = aic_tune_result_init();
    options.effort = AIC_TUNE_EFFORT_ESTIMATE;
    options.db = temporary.file;
    tune_write_text(temporary.file, TEXT);
    ck_assert_msg(aic_tune(NULL, &spec, &options, &result) == AIC_OK, "%s", aic_last_error());
    const char *warning = aic_take_warning();
    ck_assert_msg(warning != NULL && strstr(warning, "none of its records is used") != NULL, "%s",
                  warning != NULL ? warning : "nothing");
    aic_tune_result_destroy(&result);
    char *text = tune_read_text(temporary.file);
    ck_assert_str_eq(text, TEXT);
    free(text);
}
END_TEST

START_TEST(foreign_files_are_left_alone)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"hello\n", "is no tuning file"},
        {"\n# aicjit tuning file, version 1\n", "is no tuning file"},
        {"# aicjit tuning file, version 2\n", "is of version 2; this library knows version 1"},
        {"# aicjit tuning file, version 10\nwhat follows\n", "is of version 10"},
        {"# aicjit tuning file, version", "is no tuning file"},
        {"# the diary of somebody else, which is long\n", "is no tuning file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        aic_tune_file file, added = {.count = 0};
        bool exists;
        tune_write_text(temporary.file, rows[i].text);
        ck_assert_int_eq(aic_tune_file_read(temporary.file, &file, &exists), AIC_INVALID_ARGUMENT);
        ck_assert_msg(strstr(aic_last_error(), rows[i].message) != NULL, "%s", aic_last_error());
        aic_tune_record record = tune_record_of(SPEC_A, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20);
        ck_assert_int_eq(aic_tune_file_add(&added, &record), AIC_OK);
        ck_assert_int_eq(aic_tune_file_merge(temporary.file, &added, 1, NULL), AIC_INVALID_ARGUMENT);
        char *text = tune_read_text(temporary.file);
        ck_assert_str_eq(text, rows[i].text);
        free(text);
    }
    aic_tune_file file;
    bool exists;
    ck_assert_int_eq(aic_tune_file_read(temporary.folder, &file, &exists), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(mkfifo(path_in("pipe"), 0600), 0);
    ck_assert_int_eq(aic_tune_file_read(path_in("pipe"), &file, &exists), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(truncate(temporary.file, (1 << 28) + 1), 0);
    ck_assert_int_eq(aic_tune_file_read(temporary.file, &file, &exists), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "has more than 268435456 bytes") != NULL, "%s", aic_last_error());
    ck_assert_int_eq(aic_tune_merge(NULL, 1, temporary.file, NULL), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "inputs: is NULL");
    ck_assert_int_eq(aic_tune_merge(NULL, 1, NULL, NULL), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "output: is NULL");
    aic_tune_file none = {.count = 0};
    ck_assert_int_eq(aic_tune_file_merge(path_in("no/such/folder.txt"), &none, 1, NULL), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "folder.txt") != NULL, "%s", aic_last_error());
}
END_TEST

/* A link stays one, and what it points to keeps its mode. */
START_TEST(links_are_followed)
{
    struct stat info;
    tune_put(temporary.file, tune_record_of(SPEC_A, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20));
    ck_assert_int_eq(chmod(temporary.file, 0640), 0);
    const char *link_path = path_in("link");
    ck_assert_int_eq(symlink("tuning.txt", link_path), 0);
    tune_put(link_path, tune_record_of(SPEC_B, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20));
    ck_assert_int_eq(lstat(link_path, &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
    ck_assert_int_eq(stat(temporary.file, &info), 0);
    ck_assert_int_eq(info.st_mode & 0777, 0640);
    aic_tune_file file = read_file(temporary.file);
    ck_assert_uint_eq(file.count, 2);
    aic_tune_file_free(&file);
}
END_TEST

/* ---- writers at the same time ---- */

/* Waits no longer than it may, leaves the file alone, and goes on when the lock is free. */
START_TEST(locks_end)
{
    tune_put(temporary.file, tune_record_of(SPEC_A, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20));
    char *before = tune_read_text(temporary.file);
    aic_tune_lock lock;
    aic_tune_file added = {.count = 0};
    aic_tune_record record = tune_record_of(SPEC_B, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20);
    ck_assert_int_eq(aic_tune_lock_take(temporary.file, 1, &lock), AIC_OK);
    ck_assert_int_eq(aic_tune_file_add(&added, &record), AIC_OK);
    ck_assert_int_eq(aic_tune_file_merge(temporary.file, &added, 0.05, NULL), AIC_IO);
    ck_assert_msg(strstr(aic_last_error(), "is locked") != NULL, "%s", aic_last_error());
    char *after = tune_read_text(temporary.file);
    ck_assert_str_eq(before, after);
    aic_tune_lock_release(&lock);
    tune_put(temporary.file, tune_record_of(SPEC_B, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20));
    free(before);
    free(after);
}
END_TEST

/* A process that is forked while a file is locked has the lock, too; it goes when the parent gives it up. */
START_TEST(lock_of_forked_processes)
{
    aic_tune_lock lock, next;
    ck_assert_int_eq(aic_tune_lock_take(temporary.file, 1, &lock), AIC_OK);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        pause();
        _exit(0);
    }
    aic_tune_lock_release(&lock);
    const aic_status status = child > 0 ? aic_tune_lock_take(temporary.file, 0.05, &next) : AIC_INTERNAL;
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    aic_tune_lock_release(&next);
}
END_TEST

/* Processes that write at the same time lose nothing of each other, and readers never see half a file. */
START_TEST(writers_lose_nothing)
{
    enum { WRITERS = 6, RECORDS = 15 };
    pid_t child[WRITERS];
    for (int w = 0; w < WRITERS; w++) {
        child[w] = fork();
        ck_assert_int_ge(child[w], 0);
        for (int i = 0; child[w] == 0 && i < RECORDS; i++) {
            char spec[96];
            snprintf(spec, sizeof spec, "mmad(dtype=int8, m=%d, n=16, k=32)", w * RECORDS + i + 1);
            tune_put(temporary.file, tune_record_of(spec, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20));
            aic_tune_file file = read_file(temporary.file);
            ck_assert_uint_eq(file.damaged, 0);
            aic_tune_file_free(&file);
        }
        if (child[w] == 0) {
            _exit(0);
        }
    }
    for (int w = 0; w < WRITERS; w++) {
        int status = 1;
        ck_assert_int_eq(waitpid(child[w], &status, 0), child[w]);
        ck_assert_int_eq(status, 0);
    }
    aic_tune_file file = read_file(temporary.file);
    ck_assert_uint_eq(file.count, WRITERS * RECORDS);
    aic_tune_file_free(&file);
}
END_TEST

/* ---- aic_tune_merge() ---- */

START_TEST(merging_is_all_or_nothing)
{
    char *a = strdup(path_in("a.txt")), *b = strdup(path_in("b.txt"));
    const char *const inputs[] = {a, b}, *const reverse[] = {b, a};
    size_t records = 0;
    tune_put(a, tune_record_of(SPEC_A, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20));
    tune_put(b, tune_record_of(SPEC_A, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_2, 5, 20));
    tune_put(b, tune_record_of(SPEC_B, AIC_TUNE_EFFORT_MEASURE, SCHEDULE_1, 10, 20));
    ck_assert_int_eq(aic_tune_merge(inputs, 2, temporary.file, &records), AIC_OK);
    ck_assert_uint_eq(records, 2);
    ck_assert_int_eq(aic_tune_merge(reverse, 2, path_in("other.txt"), &records), AIC_OK);
    char *text = tune_read_text(temporary.file), *other = tune_read_text(path_in("other.txt"));
    ck_assert_str_eq(text, other);
    const char *const missing[] = {a, NULL};
    ck_assert_int_eq(aic_tune_merge(missing, 2, temporary.file, &records), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_tune_merge(NULL, 1, temporary.file, &records), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_tune_merge(inputs, 2, NULL, &records), AIC_INVALID_ARGUMENT);
    free(other);
    char *damaged = tune_read_text(b);
    damaged[strlen(damaged) / 2] ^= 2;
    tune_write_text(b, damaged);
    ck_assert_int_eq(aic_tune_merge(inputs, 2, temporary.file, &records), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "b.txt") != NULL, "%s", aic_last_error());
    ck_assert_int_eq(aic_tune_merge(inputs, 2, path_in("new.txt"), &records), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_null(tune_read_text(path_in("new.txt")));
    ck_assert_int_eq(unlink(b), 0);
    ck_assert_int_eq(aic_tune_merge(inputs, 2, temporary.file, &records), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "is not there") != NULL, "%s", aic_last_error());
    other = tune_read_text(temporary.file);
    ck_assert_str_eq(text, other);
    free(other);
    free(text);
    free(damaged);
    free(a);
    free(b);
}
END_TEST

Suite *suite_tune_file(void)
{
    Suite *suite = suite_create("tune_file");
    TCase *cases = tcase_create("files");
    tcase_add_checked_fixture(cases, open_temporary, close_temporary);
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, records_read_back);
    tcase_add_test(cases, damage_is_seen);
    tcase_add_test(cases, nonsense_is_refused);
    tcase_add_test(cases, the_better_record_stays);
    tcase_add_test(cases, files_read_back);
    tcase_add_test(cases, people_may_write_in_files);
    tcase_add_test(cases, many_comments);
    tcase_add_test(cases, damaged_files_are_mended_and_kept);
    tcase_add_test(cases, damaged_files_know_nothing);
    tcase_add_test(cases, foreign_files_are_left_alone);
    tcase_add_test(cases, links_are_followed);
    tcase_add_test(cases, locks_end);
    tcase_add_test(cases, lock_of_forked_processes);
    tcase_add_test(cases, writers_lose_nothing);
    tcase_add_test(cases, merging_is_all_or_nothing);
    suite_add_tcase(suite, cases);
    return suite;
}
