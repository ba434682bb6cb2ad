/* Verbose lines and dump files; see log.h. */
#include "runtime/log.h"
#include "runtime/generator.h"
#include "runtime/replace_file.h"
#include "runtime/worker.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

void aic_log_compile(const aic_code *code, const aic_spec *shown)
{
    char text[512];
    if (code->count > 1 || aic_spec_print(shown, text, sizeof text, NULL) != AIC_OK) {
        snprintf(text, sizeof text, "%s(...)", code->subject);
    }
    aic_log("compiled %s isa=%s %s emit=%.3fms codegen=%.3fms link=%.3fms bytes=%zu %s", text, code->target->name,
            code->schedule, (double)code->emit_ns / 1e6, (double)code->codegen_ns / 1e6, (double)code->link_ns / 1e6,
            code->code_bytes, code->symbol);
}

static void dump_file(const aic_context *context, const char *symbol, const char *suffix, const char *bytes,
                      size_t size)
{
    char path[PATH_BYTES];
    const int length = snprintf(path, sizeof path, "%s/%s.%s", context->dump_dir, symbol, suffix);
    const int error = length < 0 || length >= PATH_BYTES ? ENAMETOOLONG : aic_replace_file(path, bytes, size, false);
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
        if (aic_generator()->dump(request, texts[i].stage, &bytes, &size) == AIC_OK) {
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
