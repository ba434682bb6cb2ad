/* Regions of code memory; see code_region.h. */
#define _GNU_SOURCE /* memfd_create(), O_TMPFILE */
#include "runtime/code/code_region.h"
#include "frontend/core/diag.h"
#include "runtime/system/environment.h"
#include "runtime/system/hold_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SUBJECT "code memory"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* of newer headers: the file may be executable whatever the system's default is */
#endif

/* ---- files without a name ---- */

enum { WAYS = 4 };

/* A file that can be executed, made in one of several ways; -1: this one fails. */
static int open_file(int way)
{
    static const char *const folders[WAYS] = {[2] = "/tmp", [3] = "/var/tmp"};
    if (way == 0) {
        const int file = memfd_create("aicjit", MFD_CLOEXEC | MFD_EXEC);
        return file >= 0 ? file : memfd_create("aicjit", MFD_CLOEXEC);
    }
    const char *folder = way == 1 ? aic_environment("TMPDIR") : folders[way];
    return folder != NULL ? open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600) : -1;
}

static bool set_size(int file, size_t size)
{
    aic_held_signals held;
    aic_signals_hold(AIC_SIGNALS_OF_WRITES, &held);
    const bool set = ftruncate(file, (off_t)size) == 0;
    aic_signals_release(&held);
    return set;
}

/* Maps an open file twice. The descriptor is not needed any longer, and not kept: a program may close it, and have
 * another file of its number. */
static bool map_file(int file, size_t size, aic_code_region *region)
{
    if (!set_size(file, size)) {
        return false;
    }
    void *code = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
    if (code == MAP_FAILED) {
        return false;
    }
    void *open = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (open == MAP_FAILED) {
        munmap(code, size);
        return false;
    }
    (void)mprotect(open, size, PROT_NONE);
    *region = (aic_code_region){code, open, size};
    return true;
}

static aic_status map_some_file(size_t size, aic_code_region *region)
{
    bool mapped = false;
    int error = 0;
    for (int way = 0; way < WAYS && !mapped; way++) {
        const int file = open_file(way);
        mapped = file >= 0 && map_file(file, size, region);
        error = error == ENOMEM ? ENOMEM : errno; /* which is what the caller can do something about */
        if (file >= 0) {
            (void)close(file);
        }
    }
    if (mapped) {
        return AIC_OK;
    }
    return error == ENOMEM ? aic_fail_memory(SUBJECT, size)
                           : aic_fail(AIC_UNSUPPORTED, SUBJECT,
                                      "neither anonymous memory nor files of memfd_create(), TMPDIR, /tmp or /var/tmp "
                                      "can be made executable: %s",
                                      strerror(error));
}

/* ---- regions ---- */

aic_status aic_code_region_map(size_t size, bool file, aic_code_region *region)
{
    if (file) {
        return map_some_file(size, region);
    }
    unsigned char *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *region = (aic_code_region){base, base, size};
    return base != MAP_FAILED ? AIC_OK : aic_fail_memory(SUBJECT, size);
}

void aic_code_region_unmap(aic_code_region *region)
{
    munmap(region->base, region->size);
    if (region->open != region->base) {
        munmap(region->open, region->size);
    }
}

int aic_code_region_write(const aic_code_region *region, size_t at, size_t pages, const void *bytes, size_t size)
{
    const bool file = region->open != region->base;
    if (mprotect(region->open + at, pages, PROT_READ | PROT_WRITE) != 0) {
        return errno;
    }
    memcpy(region->open + at, bytes, size);
    if (mprotect(region->open + at, pages, file ? PROT_NONE : PROT_READ | PROT_EXEC) != 0) {
        return errno;
    }
    /* A file is memory that others could have opened: what was verified must be what runs. */
    if (file && memcmp(region->base + at, bytes, size) != 0) {
        return EIO;
    }
    /* On AArch64 instructions are fetched past the data cache that the copy went through. */
    __builtin___clear_cache((char *)region->base + at, (char *)region->base + at + size);
    return 0;
}

void aic_code_region_drop(const aic_code_region *region, size_t at, size_t pages)
{
    /* For files this is the mapping's part only; the file keeps the memory for the next image. */
    (void)madvise(region->base + at, pages, MADV_DONTNEED);
}
