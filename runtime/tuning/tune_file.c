/* Reading, merging and writing tuning files; see tune_file.h. */
#include "runtime/tuning/tune_file.h"
#include "frontend/core/diag.h"
#include "frontend/core/list.h"
#include "runtime/observe/log.h"
#include "runtime/system/open_file.h"
#include "runtime/system/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char FIRST_LINE[] = "# aicjit tuning file, version 1";
static const char FIRST_WORDS[] = "# aicjit tuning file, version "; /* of any version */
enum { BYTES_MAX = 1 << 28 };

/* Opens messages. */
#define SUBJECT "tuning file"

void aic_tune_file_free(aic_tune_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        aic_tune_record_free(&file->record[i]);
    }
    for (size_t i = 0; i < file->comments; i++) {
        free(file->comment[i]);
    }
    free(file->record);
    free(file->comment);
    *file = (aic_tune_file){.count = 0};
}

/* ---- lists ---- */

aic_status aic_tune_file_add(aic_tune_file *file, aic_tune_record *record)
{
    if (!aic_list_grow(&file->record, file->count, sizeof *record)) {
        aic_tune_record_free(record);
        return aic_fail_memory(SUBJECT, 2 * file->count * sizeof *record);
    }
    file->record[file->count++] = *record;
    *record = (aic_tune_record){.line = NULL};
    return AIC_OK;
}

static aic_status add_comment(aic_tune_file *file, const char *line, size_t length)
{
    char *copy = aic_list_grow(&file->comment, file->comments, sizeof copy) ? strndup(line, length) : NULL;
    if (copy == NULL) {
        return aic_fail_memory(SUBJECT, length);
    }
    file->comment[file->comments++] = copy;
    return AIC_OK;
}

/* By text, and by place where that is the same. */
static int compare_comments(const void *a, const void *b)
{
    char *const *const *left = a, *const *const *right = b;
    const int order = strcmp(**left, **right);
    return order != 0 ? order : (*left > *right) - (*left < *right);
}

/* Keeps the first of comments that are the same. */
static aic_status tidy_comments(aic_tune_file *file)
{
    const size_t bytes = file->comments * sizeof(char **);
    char ***sorted = file->comments > 1 ? malloc(bytes) : NULL;
    if (sorted == NULL) {
        return file->comments > 1 ? aic_fail_memory(SUBJECT, bytes) : AIC_OK;
    }
    for (size_t i = 0; i < file->comments; i++) {
        sorted[i] = &file->comment[i];
    }
    qsort(sorted, file->comments, sizeof *sorted, compare_comments);
    for (size_t i = file->comments - 1; i > 0; i--) {
        if (strcmp(*sorted[i], *sorted[i - 1]) == 0) {
            free(*sorted[i]);
            *sorted[i] = NULL;
        }
    }
    free(sorted);
    size_t kept = 0;
    for (size_t i = 0; i < file->comments; i++) {
        if (file->comment[i] != NULL) {
            file->comment[kept++] = file->comment[i];
        }
    }
    file->comments = kept;
    return AIC_OK;
}

/* Sorts, and keeps the best record of every key. */
static void tidy_records(aic_tune_file *file)
{
    if (file->count == 0) {
        return;
    }
    qsort(file->record, file->count, sizeof *file->record, aic_tune_record_compare);
    size_t kept = 0;
    for (size_t i = 1; i < file->count; i++) {
        aic_tune_record *best = &file->record[kept], *next = &file->record[i];
        if (!aic_tune_record_same(best, next)) {
            file->record[++kept] = *next;
        } else if (aic_tune_record_beats(next, best)) {
            aic_tune_record_free(best);
            *best = *next;
        } else {
            aic_tune_record_free(next);
        }
    }
    file->count = kept + 1;
}

static aic_status tidy(aic_tune_file *file)
{
    tidy_records(file);
    return tidy_comments(file);
}

const aic_tune_record *aic_tune_file_find(const aic_tune_file *file, const char *key)
{
    const size_t length = strlen(key);
    size_t low = 0, high = file->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const aic_tune_record *record = &file->record[middle];
        const int order = strncmp(record->line, key, length);
        if (order == 0 && record->key == length) {
            return record;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

/* ---- reading ---- */

/* The content of an open file, malloc'ed. */
static aic_status read_bytes(int fd, const char *path, char **bytes, size_t *size)
{
    struct stat info;
    if (fstat(fd, &info) != 0 || info.st_size > BYTES_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, SUBJECT, "\"%s\" has more than %d bytes", path, BYTES_MAX);
    }
    const size_t capacity = (size_t)info.st_size + 1;
    char *read_into = malloc(capacity);
    if (read_into == NULL) {
        return aic_fail_memory(SUBJECT, capacity);
    }
    const ssize_t length = aic_file_read(fd, read_into, capacity, 0);
    if (length < 0) {
        free(read_into);
        return aic_fail(AIC_IO, SUBJECT, "\"%s\": %s", path, strerror(errno));
    }
    *bytes = read_into;
    *size = (size_t)length;
    return AIC_OK;
}

/* Judges the first line. */
static aic_status check_first_line(const char *path, const char *line, size_t length)
{
    const size_t whole = sizeof FIRST_LINE - 1, words = sizeof FIRST_WORDS - 1;
    if (length == whole && memcmp(line, FIRST_LINE, whole) == 0) {
        return AIC_OK;
    }
    if (length > words && memcmp(line, FIRST_WORDS, words) == 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, SUBJECT, "\"%s\" is of version %.*s; this library knows version 1", path,
                        (int)(length - words > 20 ? 20 : length - words), line + words);
    }
    return aic_fail(AIC_INVALID_ARGUMENT, SUBJECT, "\"%s\" is no tuning file: its first line is not \"%s\"", path,
                    FIRST_LINE);
}

static aic_status read_line(aic_tune_file *file, const char *line, size_t length, size_t number)
{
    aic_tune_record record;
    bool out_of_memory = false;
    if (length == 0) {
        return AIC_OK;
    }
    if (line[0] == '#') {
        return add_comment(file, line, length);
    }
    if (aic_tune_record_read(line, length, &record, &out_of_memory)) {
        return aic_tune_file_add(file, &record);
    }
    if (out_of_memory) {
        return aic_fail_memory(SUBJECT, length);
    }
    file->first_damaged = file->damaged++ == 0 ? number : file->first_damaged;
    return AIC_OK;
}

static aic_status read_lines(const char *path, const char *bytes, size_t size, aic_tune_file *file)
{
    aic_status status = AIC_OK;
    size_t number = 1;
    for (const char *at = bytes, *end = bytes + size; at < end && status == AIC_OK; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline != NULL ? newline : end) - at);
        const char *next = at + length + 1;
        length -= length > 0 && at[length - 1] == '\r';
        status = number == 1 ? check_first_line(path, at, length) : read_line(file, at, length, number);
        at = next;
    }
    return status;
}

static aic_status read_open(int fd, const char *path, aic_tune_file *file)
{
    char *bytes = NULL;
    size_t size = 0;
    *file = (aic_tune_file){.count = 0};
    aic_status status = read_bytes(fd, path, &bytes, &size);
    if (status != AIC_OK) {
        return status;
    }
    status = read_lines(path, bytes, size, file);
    free(bytes);
    status = status == AIC_OK ? tidy(file) : status;
    if (status != AIC_OK) {
        aic_tune_file_free(file);
    }
    return status;
}

aic_status aic_tune_file_read(const char *path, aic_tune_file *file, bool *exists)
{
    const char *problem;
    const int fd = aic_open_file(AT_FDCWD, path, O_RDONLY, 0, AIC_FILE_CHOSEN, NULL, &problem);
    *exists = fd >= 0;
    *file = (aic_tune_file){.count = 0};
    if (fd < 0) {
        return errno == ENOENT ? AIC_OK : aic_tune_fail_open(path, "read", errno, problem);
    }
    aic_status status = read_open(fd, path, file);
    (void)close(fd);
    return status;
}

/* ---- writing ---- */

/* The content of the file, malloc'ed. */
static char *compose(const aic_tune_file *file, size_t *size)
{
    size_t bytes = sizeof FIRST_LINE;
    for (size_t i = 0; i < file->comments; i++) {
        bytes += strlen(file->comment[i]) + 1;
    }
    for (size_t i = 0; i < file->count; i++) {
        bytes += strlen(file->record[i].line) + 1;
    }
    char *text = malloc(bytes + 1), *at = text;
    if (text == NULL) {
        (void)aic_fail_memory(SUBJECT, bytes + 1);
        return NULL;
    }
    at += sprintf(at, "%s\n", FIRST_LINE);
    for (size_t i = 0; i < file->comments; i++) {
        at += sprintf(at, "%s\n", file->comment[i]);
    }
    for (size_t i = 0; i < file->count; i++) {
        at += sprintf(at, "%s\n", file->record[i].line);
    }
    *size = (size_t)(at - text);
    return text;
}

/* Gives a damaged file a second name, PATH.damaged or PATH.damaged.N, under which it stays. `given` is what the caller
 * calls it. */
static aic_status keep_damaged(const char *path, const char *given, const aic_tune_file *file)
{
    enum { NAMES_MAX = 1000 };
    char name[PATH_MAX];
    int error = EEXIST;
    for (int i = 0; i < NAMES_MAX && error == EEXIST; i++) {
        const int length = i == 0 ? snprintf(name, sizeof name, "%s.damaged", path)
                                  : snprintf(name, sizeof name, "%s.damaged.%d", path, i);
        error = (size_t)length >= sizeof name ? ENAMETOOLONG : link(path, name) == 0 ? 0 : errno;
    }
    if (error != 0) {
        return aic_fail(AIC_IO, SUBJECT, "\"%s\": line %zu is damaged, and the file cannot be kept as \"%s\": %s", path,
                        file->first_damaged, name, strerror(error));
    }
    aic_warn(SUBJECT,
             "\"%s\" had %zu damaged lines, the first is line %zu; the others were kept, and the file as it "
             "was is \"%s\"",
             given, file->damaged, file->first_damaged, name);
    return AIC_OK;
}

/* Moves the records from `added` to `file`. */
static aic_status move_records(aic_tune_file *file, aic_tune_file *added)
{
    aic_status status = AIC_OK;
    for (size_t i = 0; i < added->count && status == AIC_OK; i++) {
        status = aic_tune_file_add(file, &added->record[i]);
    }
    aic_tune_file_free(added);
    return status == AIC_OK ? tidy(file) : status;
}

/* Writes the file in place of the one at `path`, which is locked. */
static aic_status write_file(const char *path, const char *given, const aic_tune_file *file)
{
    size_t size;
    char *text = compose(file, &size);
    if (text == NULL) {
        return AIC_OUT_OF_MEMORY;
    }
    aic_status status = file->damaged > 0 ? keep_damaged(path, given, file) : AIC_OK;
    if (status == AIC_OK) {
        const int error = aic_replace_file(path, text, size, true);
        status = error == 0 ? AIC_OK : aic_tune_fail_open(given, "written", error, NULL);
    }
    free(text);
    return status;
}

aic_status aic_tune_file_merge(const char *path, aic_tune_file *added, double patience, size_t *records)
{
    aic_tune_lock lock = {.fd = -1};
    aic_tune_file file;
    aic_status status = aic_tune_lock_take(path, patience, &lock);
    if (status != AIC_OK) {
        aic_tune_file_free(added);
        return status;
    }
    status = read_open(lock.fd, path, &file);
    if (status == AIC_OK) {
        status = move_records(&file, added);
        status = status == AIC_OK ? write_file(lock.path, path, &file) : status;
        if (status == AIC_OK && records != NULL) {
            *records = file.count;
        }
        aic_tune_file_free(&file);
    }
    aic_tune_file_free(added);
    aic_tune_lock_release(&lock);
    return status;
}

/* ---- one writer at a time ---- */

aic_status aic_tune_fail_open(const char *path, const char *what, int error, const char *problem)
{
    return aic_fail(aic_file_status(error), "tuning file", "\"%s\" cannot be %s: %s", path, what,
                    problem != NULL ? problem : strerror(error));
}

static double seconds_now(void)
{
    return (double)aic_log_now() * 1e-9;
}

static aic_status fail_wait(const char *path, double patience)
{
    return aic_fail(AIC_IO, "tuning file", "\"%s\" is locked by another process for more than %.0f s", path, patience);
}

/* Waits for the lock on an open file until `until`; tries again and again, as a wait that the system does could last
 * for ever. 0 or an errno, EWOULDBLOCK when the time is up. */
static int wait_for_lock(int fd, double until)
{
    static const struct timespec PAUSE = {.tv_nsec = 10 * 1000 * 1000};
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return errno;
        }
        if (seconds_now() >= until) {
            return EWOULDBLOCK;
        }
        (void)nanosleep(&PAUSE, NULL);
    }
    return 0;
}

/* Whether the open file is still the one under its name: another writer may have replaced it while we waited. */
static bool is_current(int fd, const char *path)
{
    struct stat open_file, named_file;
    return fstat(fd, &open_file) == 0 && stat(path, &named_file) == 0 && open_file.st_dev == named_file.st_dev &&
           open_file.st_ino == named_file.st_ino;
}

aic_status aic_tune_lock_take(const char *path, double patience, aic_tune_lock *lock)
{
    const double until = seconds_now() + patience;
    for (;;) {
        const char *problem;
        const int fd = aic_open_file(AT_FDCWD, path, O_RDWR | O_CREAT, 0666, AIC_FILE_CHOSEN, NULL, &problem);
        if (fd < 0) {
            return aic_tune_fail_open(path, "written", errno, problem);
        }
        int error = wait_for_lock(fd, until);
        if (error == 0 && is_current(fd, path)) {
            char *real = realpath(path, NULL);
            if (real != NULL) {
                *lock = (aic_tune_lock){fd, real};
                return AIC_OK;
            }
            error = errno != ENOENT ? errno : 0; /* gone again: once more from the beginning */
        }
        (void)close(fd);
        if (error != 0 || seconds_now() >= until) {
            return error == 0 || error == EWOULDBLOCK ? fail_wait(path, patience)
                                                      : aic_tune_fail_open(path, "locked", error, NULL);
        }
    }
}

void aic_tune_lock_release(aic_tune_lock *lock)
{
    /* Closing alone leaves the lock to a process that was forked meanwhile. */
    (void)flock(lock->fd, LOCK_UN);
    (void)close(lock->fd);
    free(lock->path);
}
