/* The wrappers; see calls.h. CMake reads the names behind FAULT, TRACK and BOTH and tells the linker.
 *
 *     FAULT(ret, name, params, args, failed, error)           fails by returning `failed` with errno set
 *     BOTH(ret, name, params, args, failed, error, counts)    the same; `counts` follows a call that was made, whose
 *                                                             value is `result`; or by hand, in a comment
 *     TRACK(ret, name, params, args, counts)                  never fails, or a caller could do nothing about it */
#define _GNU_SOURCE
#include "tests/faults/calls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

const char *const calls_resource_name[CALLS_RESOURCES] = {
    [CALLS_MEMORY] = "blocks of memory", [CALLS_FILES] = "descriptors", [CALLS_STREAMS] = "streams",
    [CALLS_MAPPINGS] = "mapped pages",   [CALLS_THREADS] = "threads",   [CALLS_MUTEXES] = "locked mutexes"};

static atomic_long held[CALLS_RESOURCES], count, first, last;
static _Atomic(const char *) failed_name;
static atomic_bool protecting_failed;
static atomic_bool counting, paused, cutting;

enum { ORIGINS_MAX = 4096, FRAMES = 12 };

/* By number less 1; memory that children share. The lowest bit is set of calls of mprotect(). */
static uint64_t *origins;

static void note_origin(long number, const char *name)
{
    enum { SPREAD = 29 };
    void *frame[FRAMES];
    const int frames = backtrace(frame, FRAMES);
    uint64_t hash = 1;
    for (int i = 0; i < frames; i++) {
        hash = (hash ^ (uintptr_t)frame[i]) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> SPREAD;
    }
    if (number <= ORIGINS_MAX && origins != NULL) {
        origins[number - 1] = (hash & ~UINT64_C(1)) | (strcmp(name, "mprotect") == 0 ? 1 : 0);
    }
}

uint64_t calls_origin(long number)
{
    return origins != NULL && number <= ORIGINS_MAX ? origins[number - 1] : 0;
}

bool calls_protects(long number)
{
    return (calls_origin(number) & 1) != 0;
}

static void forget_origins(void)
{
    const size_t size = ORIGINS_MAX * sizeof *origins;
    if (origins == NULL) {
        void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        origins = shared == MAP_FAILED ? NULL : shared;
    }
    if (origins != NULL) {
        memset(origins, 0, size);
    }
    void *frame[1];
    (void)backtrace(frame, 1); /* the first call loads a library */
}

void calls_begin(calls_mode mode, long number)
{
    if (mode == CALLS_COUNT) {
        forget_origins();
    }
    atomic_store(&count, 0);
    atomic_store(&failed_name, NULL);
    atomic_store(&protecting_failed, false);
    atomic_store(&first, mode == CALLS_COUNT ? 0 : number);
    atomic_store(&last, mode == CALLS_ALL ? __LONG_MAX__ : number);
    atomic_store(&cutting, mode == CALLS_CUT);
    atomic_store(&counting, mode != CALLS_CUT);
}

long calls_end(void)
{
    atomic_store(&cutting, false);
    atomic_store(&counting, false);
    return atomic_load(&count);
}

void calls_pause(bool pause)
{
    atomic_store(&paused, pause);
}

const char *calls_failed(void)
{
    return atomic_load(&failed_name);
}

bool calls_protecting_failed(void)
{
    return atomic_load(&protecting_failed);
}

long calls_held(calls_resource resource)
{
    return atomic_load(&held[resource]);
}

static void hold(calls_resource resource, long more)
{
    atomic_fetch_add(&held[resource], more);
}

/* How much of the size a call does; 0: it is interrupted. */
static size_t cut(size_t size)
{
    static atomic_uint turn;
    if (!atomic_load(&cutting) || atomic_load(&paused)) {
        return size;
    }
    return atomic_fetch_add(&turn, 1) % 2 == 0 ? 0 : (size + 1) / 2;
}

/* Numbers a call; whether it fails. */
static bool fails(const char *name)
{
    if (!atomic_load(&counting) || atomic_load(&paused)) {
        return false;
    }
    const long number = atomic_fetch_add(&count, 1) + 1, from = atomic_load(&first);
    if (from == 0) {
        note_origin(number, name);
    }
    if (from == 0 || number < from || number > atomic_load(&last)) {
        return false;
    }
    if (number != from && strcmp(name, "unlinkat") == 0) {
        return false; /* what is removed because another call failed */
    }
    const char *none = NULL;
    atomic_compare_exchange_strong(&failed_name, &none, name);
    if (strcmp(name, "mprotect") == 0) {
        atomic_store(&protecting_failed, true);
    }
    return true;
}

#define BOTH(ret, name, params, args, failed, error, counts)                                                           \
    ret __real_##name params;                                                                                          \
    ret __wrap_##name params;                                                                                          \
    ret __wrap_##name params                                                                                           \
    {                                                                                                                  \
        if (fails(#name)) {                                                                                            \
            errno = error;                                                                                             \
            return failed;                                                                                             \
        }                                                                                                              \
        ret result = __real_##name args;                                                                               \
        const int kept = errno;                                                                                        \
        counts;                                                                                                        \
        errno = kept;                                                                                                  \
        return result;                                                                                                 \
    }
#define FAULT(ret, name, params, args, failed, error) BOTH(ret, name, params, args, failed, error, (void)0)
#define TRACK(ret, name, params, args, counts)                                                                         \
    ret __real_##name params;                                                                                          \
    ret __wrap_##name params;                                                                                          \
    ret __wrap_##name params                                                                                           \
    {                                                                                                                  \
        counts;                                                                                                        \
        return __real_##name args;                                                                                     \
    }

/* Mappings may be given back in parts: pages are counted. */
static size_t pages(size_t size)
{
    enum { PAGE = 4096 };
    return (size + PAGE - 1) / PAGE;
}

/* ---- memory ---- */

BOTH(void *, malloc, (size_t size), (size), NULL, ENOMEM, hold(CALLS_MEMORY, result != NULL))
BOTH(void *, calloc, (size_t n, size_t size), (n, size), NULL, ENOMEM, hold(CALLS_MEMORY, result != NULL))
BOTH(void *, realloc, (void *old, size_t size), (old, size), NULL, ENOMEM,
     hold(CALLS_MEMORY, result != NULL && old == NULL))
BOTH(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size), NULL, ENOMEM,
     hold(CALLS_MEMORY, result != NULL))
BOTH(char *, strdup, (const char *text), (text), NULL, ENOMEM, hold(CALLS_MEMORY, result != NULL))
BOTH(char *, strndup, (const char *text, size_t size), (text, size), NULL, ENOMEM, hold(CALLS_MEMORY, result != NULL))
BOTH(char *, realpath, (const char *path, char *resolved), (path, resolved), NULL, ENOMEM,
     hold(CALLS_MEMORY, result != NULL && resolved == NULL))
TRACK(void, free, (void *memory), (memory), hold(CALLS_MEMORY, -(memory != NULL)))
BOTH(void *, mmap, (void *at, size_t size, int protection, int flags, int file, off_t offset),
     (at, size, protection, flags, file, offset), MAP_FAILED, ENOMEM,
     hold(CALLS_MAPPINGS, result != MAP_FAILED ? (long)pages(size) : 0))
TRACK(int, munmap, (void *at, size_t size), (at, size), hold(CALLS_MAPPINGS, -(long)pages(size)))
/* Where it is the only call that fails, by a rule of the system; else for the same reason as the others. */
FAULT(int, mprotect, (void *at, size_t size, int protection), (at, size, protection), -1,
      atomic_load(&first) == atomic_load(&last) ? EACCES : ENOMEM)

/* ---- files ---- */

/* BOTH by hand: they may be cut short. */
#define CUT(name, params, args, size, error)                                                                           \
    ssize_t __real_##name params;                                                                                      \
    ssize_t __wrap_##name params;                                                                                      \
    ssize_t __wrap_##name params                                                                                       \
    {                                                                                                                  \
        const size_t given = size;                                                                                     \
        if (fails(#name)) {                                                                                            \
            errno = error;                                                                                             \
            return -1;                                                                                                 \
        }                                                                                                              \
        size = cut(given);                                                                                             \
        if (size == 0 && given != 0) {                                                                                 \
            errno = EINTR;                                                                                             \
            return -1;                                                                                                 \
        }                                                                                                              \
        return __real_##name args;                                                                                     \
    }
CUT(pread, (int file, void *to, size_t size, off_t at), (file, to, size, at), size, EIO)
CUT(write, (int file, const void *from, size_t size), (file, from, size), size, ENOSPC)
FAULT(ssize_t, writev, (int file, const struct iovec *part, int n), (file, part, n), -1, ENOSPC)
FAULT(int, fsync, (int file), (file), -1, EIO)
FAULT(int, ftruncate, (int file, off_t size), (file, size), -1, EIO)
FAULT(int, fchmod, (int file, mode_t mode), (file, mode), -1, EPERM)
FAULT(int, fstat, (int file, struct stat *info), (file, info), -1, EIO)
FAULT(int, stat, (const char *path, struct stat *info), (path, info), -1, EACCES)
FAULT(int, lstat, (const char *path, struct stat *info), (path, info), -1, EACCES)
FAULT(int, access, (const char *path, int mode), (path, mode), -1, EACCES)
FAULT(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, ENOSPC)
FAULT(int, rename, (const char *from, const char *to), (from, to), -1, EIO)
TRACK(int, unlink, (const char *path), (path), (void)0)
FAULT(int, renameat, (int from_folder, const char *from, int to_folder, const char *to),
      (from_folder, from, to_folder, to), -1, EIO)
FAULT(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags), -1, EBUSY)
FAULT(int, fstatat, (int folder, const char *path, struct stat *info, int flags), (folder, path, info, flags), -1, EIO)
BOTH(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1, EMFILE, hold(CALLS_FILES, result >= 0))
BOTH(DIR *, fdopendir, (int file), (file), NULL, ENOMEM,
     (hold(CALLS_STREAMS, result != NULL), hold(CALLS_FILES, -(result != NULL))))
BOTH(DIR *, opendir, (const char *path), (path), NULL, EMFILE, hold(CALLS_STREAMS, result != NULL))
TRACK(int, closedir, (DIR * folder), (folder), hold(CALLS_STREAMS, -1))
FAULT(int, flock, (int file, int operation), (file, operation), -1, ENOLCK)

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...); /* BOTH(open) by hand: its arguments vary */

int __wrap_open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (fails("open")) {
        errno = EMFILE;
        return -1;
    }
    const int file = __real_open(path, flags, mode);
    hold(CALLS_FILES, file >= 0);
    return file;
}

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...); /* BOTH(openat) by hand, as open() */

int __wrap_openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (fails("openat")) {
        errno = EMFILE;
        return -1;
    }
    const int file = __real_openat(folder, path, flags, mode);
    hold(CALLS_FILES, file >= 0);
    return file;
}

int __real_close(int file);
int __wrap_close(int file); /* BOTH(close) by hand: the descriptor is closed all the same */

int __wrap_close(int file)
{
    const bool bad = fails("close");
    const int result = __real_close(file);
    hold(CALLS_FILES, -1);
    errno = bad ? EIO : errno;
    return bad ? -1 : result;
}

/* ---- streams ---- */

BOTH(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE,
     hold(CALLS_STREAMS, result != NULL))
BOTH(FILE *, open_memstream, (char **text, size_t *size), (text, size), NULL, ENOMEM,
     (hold(CALLS_STREAMS, result != NULL), hold(CALLS_MEMORY, result != NULL)))
FAULT(char *, fgets, (char *text, int size, FILE *stream), (text, size, stream), NULL, EIO)
FAULT(size_t, fread, (void *to, size_t size, size_t n, FILE *stream), (to, size, n, stream), 0, EIO)
FAULT(size_t, fwrite, (const void *from, size_t size, size_t n, FILE *stream), (from, size, n, stream), 0, ENOSPC)
FAULT(int, ferror, (FILE * stream), (stream), 1, EIO)

int __real_fclose(FILE *stream);
int __wrap_fclose(FILE *stream); /* BOTH(fclose) by hand: the stream is closed all the same */

int __wrap_fclose(FILE *stream)
{
    const bool bad = fails("fclose");
    const int result = __real_fclose(stream);
    hold(CALLS_STREAMS, -1);
    errno = bad ? ENOMEM : errno;
    return bad ? EOF : result;
}

/* Both names that a line is read by; a block that it makes is the caller's. BOTH(getline) and BOTH(__getdelim) by hand.
 */
ssize_t __real_getline(char **line, size_t *size, FILE *stream);
ssize_t __wrap_getline(char **line, size_t *size, FILE *stream);
ssize_t __real___getdelim(char **line, size_t *size, int end, FILE *stream);
ssize_t __wrap___getdelim(char **line, size_t *size, int end, FILE *stream);

ssize_t __wrap___getdelim(char **line, size_t *size, int end, FILE *stream)
{
    if (fails("getline")) {
        errno = ENOMEM;
        return -1;
    }
    const bool had = *line != NULL;
    const ssize_t result = __real___getdelim(line, size, end, stream);
    hold(CALLS_MEMORY, !had && *line != NULL);
    return result;
}

ssize_t __wrap_getline(char **line, size_t *size, FILE *stream)
{
    return __wrap___getdelim(line, size, '\n', stream);
}

/* ---- threads ---- */

BOTH(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument),
     (thread, attributes, function, argument), EAGAIN, errno, hold(CALLS_THREADS, result == 0))
TRACK(int, pthread_join, (pthread_t thread, void **value), (thread, value), hold(CALLS_THREADS, -1))
TRACK(int, pthread_detach, (pthread_t thread), (thread), hold(CALLS_THREADS, -1))
FAULT(int, pthread_attr_init, (pthread_attr_t * attributes), (attributes), ENOMEM, errno)
FAULT(int, pthread_attr_setstacksize, (pthread_attr_t * attributes, size_t size), (attributes, size), EINVAL, errno)
FAULT(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value), ENOMEM, errno)
FAULT(int, pthread_cond_init, (pthread_cond_t * condition, const pthread_condattr_t *attributes),
      (condition, attributes), ENOMEM, errno)
FAULT(int, pthread_condattr_init, (pthread_condattr_t * attributes), (attributes), ENOMEM, errno)
FAULT(int, pthread_condattr_setclock, (pthread_condattr_t * attributes, clockid_t clock), (attributes, clock), EINVAL,
      errno)
TRACK(int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex), hold(CALLS_MUTEXES, 1))
TRACK(int, pthread_mutex_unlock, (pthread_mutex_t * mutex), (mutex), hold(CALLS_MUTEXES, -1))
FAULT(int, sched_getaffinity, (pid_t process, size_t size, cpu_set_t *set), (process, size, set), -1, EINVAL)
FAULT(int, sched_setaffinity, (pid_t process, size_t size, const cpu_set_t *set), (process, size, set), -1, EINVAL)
FAULT(void *, dlopen, (const char *file, int mode), (file, mode), NULL, ENOMEM)
FAULT(void *, dlsym, (void *handle, const char *name), (handle, name), NULL, ENOMEM)
FAULT(int, nanosleep, (const struct timespec *wanted, struct timespec *left), (wanted, left), -1, EINTR)
