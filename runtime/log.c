/* Verbose lines and dump files; see log.h. */
#include "runtime/log.h"
#include "runtime/worker.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_BYTES 1024
#define PATH_BYTES 1024

uint64_t aic_log_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void aic_log(const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    size_t length = (size_t)snprintf(line, sizeof line, "aicjit: ");
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(line + length, sizeof line - length - 1, format, arguments);
    va_end(arguments);
    if (written > 0) {
        size_t room = sizeof line - length - 2;
        length += (size_t)written < room ? (size_t)written : room;
    }
    line[length++] = '\n';
    const int cancellation = aic_cancellation_disable();
    fwrite(line, 1, length, stderr); /* one call: lines of several threads do not mix */
    aic_cancellation_restore(cancellation);
}

void aic_log_compile(const aic_code *code, const aic_spec *asked)
{
    char text[512];
    if (code->count > 1 || aic_spec_print(asked, text, sizeof text, NULL) != AIC_OK) {
        snprintf(text, sizeof text, "%s(...)", code->subject);
    }
    aic_log("compiled %s isa=%s %s emit=%.3fms codegen=%.3fms link=%.3fms bytes=%zu %s", text, code->target->name,
            code->schedule, (double)code->emit_ns / 1e6, (double)code->codegen_ns / 1e6, (double)code->link_ns / 1e6,
            code->code_bytes, code->symbol);
}

/* Writes all bytes and closes the file; 0 or an errno. */
static int write_and_close(int file, const char *bytes, size_t size)
{
    int error = 0;
    while (size > 0 && error == 0) {
        ssize_t written = write(file, bytes, size);
        if (written >= 0) {
            bytes += written;
            size -= (size_t)written;
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    return close(file) != 0 && error == 0 ? errno : error;
}

/* Creates DIR/SYMBOL.NUMBER, a name that no other thread or process uses, with the mode that the umask gives a new
 * file. The descriptor, or -1 with errno. */
static int create_temporary(const char *directory, const char *symbol, char path[PATH_BYTES])
{
    enum { ATTEMPTS_MAX = 100 }; /* files that a process of the same number has left */
    static _Atomic unsigned counter;
    int file = -1;
    for (int i = 0; i < ATTEMPTS_MAX && file < 0 && (i == 0 || errno == EEXIST); i++) {
        const int length = snprintf(path, PATH_BYTES, "%s/%s.%ld.%u", directory, symbol, (long)getpid(), counter++);
        if (length < 0 || length >= PATH_BYTES) {
            errno = ENAMETOOLONG;
            break;
        }
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return file;
}

/* Writes `path` by way of a temporary name, so that a reader never sees half a file; 0 or an errno. A file that is
 * replaced keeps its mode. */
static int replace_file(const char *path, const char *directory, const char *symbol, const char *bytes, size_t size)
{
    char temporary[PATH_BYTES];
    struct stat old;
    const int file = create_temporary(directory, symbol, temporary);
    if (file < 0) {
        return errno;
    }
    if (stat(path, &old) == 0 && S_ISREG(old.st_mode)) {
        (void)fchmod(file, old.st_mode & 0777);
    }
    int error = write_and_close(file, bytes, size);
    if (error == 0 && rename(temporary, path) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlink(temporary);
    }
    return error;
}

static void dump_file(const aic_context *context, const char *symbol, const char *suffix, const char *bytes,
                      size_t size)
{
    char path[PATH_BYTES];
    sigset_t all, mask;
    const int length = snprintf(path, sizeof path, "%s/%s.%s", context->dump_dir, symbol, suffix);
    int error = length < 0 || length >= PATH_BYTES ? ENAMETOOLONG : 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mask); /* a handler that ends the process must not leave a temporary file */
    error = error != 0 ? error : replace_file(path, context->dump_dir, symbol, bytes, size);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (error != 0 && context->verbose >= 1) {
        aic_log("cannot write %s/%s.%s: %s", context->dump_dir, symbol, suffix, strerror(error));
    }
}

void aic_log_dump(const aic_context *context, const aic_codegen_request *request, const aic_identity *identity,
                  const aic_object *object)
{
    static const struct {
        aic_dump_stage stage;
        const char *suffix;
    } texts[] = {{AIC_DUMP_IR, "ll"}, {AIC_DUMP_ASM, "s"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *bytes;
        size_t size;
        if (aic_generator_linked()->dump(request, texts[i].stage, &bytes, &size) == AIC_OK) {
            dump_file(context, request->symbol, texts[i].suffix, bytes, size);
            free(bytes);
        } else if (context->verbose >= 1) {
            aic_log("cannot dump %s.%s: %s", request->symbol, texts[i].suffix, aic_last_error());
        }
    }
    dump_file(context, request->symbol, "o", object->bytes, object->size);
    char *text;
    if (aic_identity_print(identity->bytes, identity->size, &text) == AIC_OK) {
        dump_file(context, request->symbol, "txt", text, strlen(text));
        free(text);
    } else if (context->verbose >= 1) {
        aic_log("cannot dump %s.txt: %s", request->symbol, aic_last_error());
    }
}
