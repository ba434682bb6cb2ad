/* perf's jitdump: jit-PID.dump (linux/tools/perf/Documentation/jitdump-specification.txt). perf notices the file
 * because a page of it is mapped executable, and finds what ran when by the times, which are CLOCK_MONOTONIC's: record
 * with `perf record -k mono`. */
#define _GNU_SOURCE /* gettid */
#include "runtime/observe/log.h"
#include "runtime/observe/profile_kinds.h"
#include "runtime/system/environment.h"
#include "runtime/system/hold_signals.h"
#include "runtime/system/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAGIC = 0x4A695444, VERSION = 1, CODE_LOAD = 0 };

typedef struct file_header {
    uint32_t magic, version, total_size, machine, pad, process;
    uint64_t time, flags;
} file_header;

typedef struct load_record {
    uint32_t id, total_size;
    uint64_t time;
    uint32_t process, thread;
    uint64_t address, code_address, code_size, index;
    /* the function's name with a closing zero, then its code */
} load_record;

static struct {
    int file;       /* -1: not open */
    uint64_t index; /* of the next function */
    void *marker;   /* a page of the file, mapped executable */
} dump = {.file = -1};

/* Writes all parts. 0 or an errno; the record that is cut is the last one that perf reads. */
static int write_all(struct iovec *part, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        size += part[i].iov_len;
    }
    aic_held_signals held;
    aic_signals_hold(AIC_SIGNALS_OF_WRITES, &held);
    const ssize_t written = writev(dump.file, part, count);
    aic_signals_release(&held);
    return written < 0 ? errno : (size_t)written < size ? EIO : 0;
}

/* Opens jit-PID.dump, a new file. 0 or an errno. */
static int open_file(const char **problem)
{
    const char *folder = aic_environment("JITDUMPDIR");
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/jit-%ld.dump", folder != NULL ? folder : ".", (long)getpid());
    if ((size_t)length >= sizeof path) {
        return ENAMETOOLONG;
    }
    if (unlink(path) != 0 && errno != ENOENT) { /* a process of the same number has left it */
        return errno;
    }
    dump.file = aic_open_file(AT_FDCWD, path, O_RDWR | O_CREAT | O_EXCL, 0600, AIC_FILE_SHARED, NULL, problem);
    return dump.file >= 0 ? 0 : errno;
}

/* Writes the header and maps the marker. 0 or an errno. */
static int begin_file(void)
{
    file_header header = {.magic = MAGIC,
                          .version = VERSION,
                          .total_size = sizeof header,
                          .machine = AIC_PROFILE_MACHINE,
                          .process = (uint32_t)getpid(),
                          .time = aic_log_now()};
    struct iovec part = {&header, sizeof header};
    const int error = write_all(&part, 1);
    if (error != 0) {
        return error;
    }
    dump.marker = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, dump.file, 0);
    return dump.marker != MAP_FAILED ? 0 : errno;
}

int aic_profile_jitdump_start(const char **problem)
{
    if (dump.file >= 0) {
        return 0;
    }
    int error = open_file(problem);
    if (error == 0) {
        error = begin_file();
        if (error != 0) {
            close(dump.file);
            dump.file = -1;
        }
    }
    return error;
}

void aic_profile_jitdump_add(const aic_profile_code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        const aic_profile_part *function = &code->part[i];
        const size_t name = strlen(function->label) + 1;
        load_record record = {.id = CODE_LOAD,
                              .total_size = (uint32_t)(sizeof record + name + function->size),
                              .time = aic_log_now(),
                              .process = (uint32_t)getpid(),
                              .thread = (uint32_t)gettid(),
                              .address = function->address,
                              .code_address = function->address,
                              .code_size = function->size,
                              .index = dump.index++};
        /* writev() does not write to what it is given. */
        struct iovec part[] = {{&record, sizeof record},
                               {(void *)(uintptr_t)function->label, name},
                               {(void *)(uintptr_t)function->address, function->size}};
        if (write_all(part, 3) != 0) {
            return; /* a full disk costs names only */
        }
    }
}

void aic_profile_jitdump_forget(void)
{
    if (dump.file >= 0) {
        close(dump.file);
        dump.file = -1;
    }
}
