/* The map of perf: /tmp/perf-PID.map. Other code generators of the process may write the same file, so lines are only
 * appended, each whole. */
#include "runtime/observe/profile_kinds.h"
#include "runtime/system/hold_signals.h"
#include "runtime/system/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 64, LINE_BYTES = 4096, NUMBER_BYTES = 20 };

/* A number to this base; snprintf() may not be called after fork. Returns the end. */
static char *write_number(char *at, uint64_t number, unsigned base)
{
    char digits[NUMBER_BYTES];
    size_t count = 0;
    do {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    return at;
}

static void write_path(char path[PATH_BYTES])
{
    static const char BEGIN[] = "/tmp/perf-", END[] = ".map";
    memcpy(path, BEGIN, sizeof BEGIN - 1);
    char *at = write_number(path + sizeof BEGIN - 1, (uint64_t)getpid(), 10);
    memcpy(at, END, sizeof END);
}

/* The descriptor, or -1 as aic_open_file() says it. */
static int open_map(struct stat *info, const char **problem)
{
    char path[PATH_BYTES];
    write_path(path);
    return aic_open_file(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600, AIC_FILE_SHARED, info, problem);
}

/* When this process began, in seconds since the epoch; 0: it is not known. */
static time_t process_began(void)
{
    enum { FIELDS_BEFORE = 20 }; /* between the program's name and the time, in ticks since the machine's start */
    char text[1024] = "";
    FILE *file = fopen("/proc/self/stat", "re");
    const size_t length = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    text[length] = '\0';
    const char *at = strrchr(text, ')');
    for (int i = 0; i < FIELDS_BEFORE && at != NULL; i++) {
        at = strchr(at + 1, ' ');
    }
    const unsigned long long ticks = at != NULL ? strtoull(at, NULL, 10) : 0;
    struct timespec now, up;
    if (ticks == 0 || clock_gettime(CLOCK_REALTIME, &now) != 0 || clock_gettime(CLOCK_BOOTTIME, &up) != 0) {
        return 0;
    }
    return now.tv_sec - up.tv_sec + (time_t)(ticks / (unsigned long long)sysconf(_SC_CLK_TCK));
}

int aic_profile_perf_start(const char **problem)
{
    enum { ROUNDING = 2 }; /* seconds that the times may be off */
    struct stat info;
    const int file = open_map(&info, problem);
    if (file < 0) {
        return errno;
    }
    /* Written before this process was there: it is of another one. */
    const bool foreign = info.st_size > 0 && info.st_mtime + ROUNDING < process_began();
    const int error = foreign && ftruncate(file, 0) != 0 ? errno : 0;
    close(file);
    return error;
}

void aic_profile_perf_add(const aic_profile_code *code)
{
    const char *problem;
    const int file = open_map(NULL, &problem);
    aic_held_signals held;
    aic_signals_hold(AIC_SIGNALS_OF_WRITES, &held);
    for (size_t i = 0; i < code->count && file >= 0; i++) {
        char line[LINE_BYTES], *at = line;
        const char *label = code->part[i].label;
        at = write_number(at, code->part[i].address, 16);
        *at++ = ' ';
        at = write_number(at, code->part[i].size, 16);
        *at++ = ' ';
        const size_t room = sizeof line - (size_t)(at - line) - 1, length = strlen(label);
        memcpy(at, label, length < room ? length : room);
        at += length < room ? length : room;
        *at++ = '\n';
        if (write(file, line, (size_t)(at - line)) < 0) {
            break; /* a full disk costs names only */
        }
    }
    aic_signals_release(&held);
    if (file >= 0) {
        close(file);
    }
}
