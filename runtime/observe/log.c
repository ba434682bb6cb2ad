/* Verbose lines and dump files; see log.h. */
#define _GNU_SOURCE /* gettid */
#include "runtime/observe/log.h"
#include "frontend/core/diag.h"
#include "runtime/generator/generator.h"
#include "runtime/generator/worker.h"
#include "runtime/system/hold_signals.h"
#include "runtime/system/replace_file.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CSV_LINE_MAX = 4096, CSV_TEXT_MAX = 3000 };
#define LINE_MAX_BYTES 4096
#define PATH_BYTES 1024

uint64_t aic_log_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void write_line(const char *text, size_t length)
{
    const int cancellation = aic_cancellation_disable();
    aic_held_signals held;
    aic_signals_hold(AIC_SIGNALS_OF_WRITES, &held);
    fwrite(text, 1, length, stderr); /* one call: lines of several threads do not mix */
    aic_signals_release(&held);
    aic_cancellation_restore(cancellation);
}

/* Hands a line to a context's log; false when it has none. The line may be about what the log itself does. */
static bool hand_over(const aic_hooks *hooks, int level, const char *line)
{
    const int cancellation = aic_cancellation_disable();
    const bool told = aic_tell(hooks, level, line);
    aic_cancellation_restore(cancellation);
    return told;
}

void aic_log(int level, const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    const aic_thread *thread = aic_thread_peek();
    enum { PREFIX = 8 };
    if (aic_telling()) {
        return;
    }
    size_t length = (size_t)snprintf(line, sizeof line, "aicjit: "); /* PREFIX bytes, for standard error */
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(line + length, sizeof line - length - 1, format, arguments);
    va_end(arguments);
    if (written > 0) {
        size_t room = sizeof line - length - 2;
        length += (size_t)written < room ? (size_t)written : room;
    }
    if (!hand_over(thread != NULL ? thread->hooks : NULL, level, line + PREFIX)) {
        line[length++] = '\n';
        write_line(line, length);
    }
}

void aic_log_kernel(const aic_code *code, const aic_spec *shown, bool loaded)
{
    char text[3072]; /* of six operators */
    if (code->count > 1 || aic_spec_print(shown, text, sizeof text, NULL) != AIC_OK) {
        snprintf(text, sizeof text, "%s(...)", code->subject);
    }
    if (loaded) {
        aic_log(1, "loaded %s isa=%s %s link=%.3fms bytes=%zu %s", text, code->target->name, code->schedule,
                (double)code->link_ns / 1e6, code->code_bytes, code->symbol);
        return;
    }
    aic_log(1, "compiled %s isa=%s %s emit=%.3fms codegen=%.3fms link=%.3fms bytes=%zu parts=%u+%u+%u %s", text,
            code->target->name, code->schedule, (double)code->emit_ns / 1e6, (double)code->codegen_ns / 1e6,
            (double)code->link_ns / 1e6, code->code_bytes, code->parts[AIC_PART_READY], code->parts[AIC_PART_LOADED],
            code->parts[AIC_PART_MADE], code->symbol);
}

void aic_log_parts(const aic_object *object)
{
    static const char *const ORIGINS[AIC_PART_ORIGINS] = {"ready", "loaded", "made"};
    for (size_t i = 0; i < object->parts; i++) {
        aic_log(2, "part %s %s %.3fms", object->part[i].name, ORIGINS[object->part[i].origin],
                (double)object->part[i].ns / 1e6);
    }
}

/* ---- CSV ---- */

static const struct {
    const char *name;
    aic_verbose_category category;
} categories[] = {{"create", AIC_VERBOSE_CREATE},
                  {"exec", AIC_VERBOSE_EXEC},
                  {"cache", AIC_VERBOSE_CACHE},
                  {"dispatch", AIC_VERBOSE_DISPATCH}};

enum { CATEGORIES = sizeof categories / sizeof categories[0] };

/* The category that the first `length` characters name; 0: none. */
static unsigned category_named(const char *name, size_t length)
{
    for (size_t i = 0; i < CATEGORIES; i++) {
        if (strlen(categories[i].name) == length && memcmp(categories[i].name, name, length) == 0) {
            return (unsigned)categories[i].category;
        }
    }
    return 0;
}

aic_status aic_log_parse(const char *text, int *level, unsigned *chosen)
{
    *level = 0;
    *chosen = 0;
    if (text[0] >= '0' && text[0] <= '2' && text[1] == '\0') {
        *level = text[0] - '0';
        return AIC_OK;
    }
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        const unsigned category = category_named(at, length);
        if (category == 0) {
            return aic_fail(AIC_INVALID_ARGUMENT, "AIC_VERBOSE",
                            "\"%.80s\" is none of 0, 1, 2, and no list of create, exec, cache, dispatch", text);
        }
        *chosen |= category;
        at += length;
        if (*at == '\0') {
            return AIC_OK;
        }
    }
}

static const char *category_name(aic_verbose_category category)
{
    size_t i = 0;
    while (i + 1 < CATEGORIES && categories[i].category != category) {
        i++;
    }
    return categories[i].name;
}

/* A line on its way; what does not fit is left out, but the last byte is always there for the newline. */
typedef struct csv_line {
    char text[CSV_LINE_MAX];
    size_t length;
} csv_line;

static __attribute__((format(printf, 2, 3))) void put(csv_line *line, const char *format, ...)
{
    const size_t room = sizeof line->text - line->length;
    va_list arguments;
    va_start(arguments, format);
    const int written = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    if (written > 0) {
        line->length += (size_t)written < room ? (size_t)written : room - 1;
    }
}

/* A column in quotes, at most CSV_TEXT_MAX characters of it. Neither operator text nor schedules have quotes. */
static void put_quoted(csv_line *line, const char *text)
{
    const bool cut = strlen(text) > CSV_TEXT_MAX;
    put(line, ",\"%.*s%s\"", CSV_TEXT_MAX, text, cut ? "..." : "");
}

/* A time in nanoseconds, nothing for another category than the one that has it. */
static void put_time(csv_line *line, bool present, uint64_t ns)
{
    if (present) {
        put(line, ",%" PRIu64, ns);
    } else {
        put(line, ",");
    }
}

void aic_log_csv(const aic_code *code, const aic_log_event *event)
{
    static atomic_bool headed;
    static const char HEAD[] = "aicjit,category,time_ns,thread,operator,kernel,isa,schedule,origin,outcome,threads,"
                               "emit_ns,codegen_ns,link_ns,exec_ns,bytes\n";
    const bool create = event->category == AIC_VERBOSE_CREATE, exec = event->category == AIC_VERBOSE_EXEC;
    csv_line line = {.length = 0};
    const bool own = code->hooks.log != NULL;
    if (aic_telling()) {
        return;
    }
    if (!own && !atomic_exchange_explicit(&headed, true, memory_order_relaxed)) {
        write_line(HEAD, sizeof HEAD - 1);
    }
    put(&line, "aicjit,%s,%" PRIu64 ",%ld", category_name(event->category), aic_log_now(), (long)gettid());
    put_quoted(&line, event->text != NULL ? event->text : code->text);
    put(&line, ",%s,%s", code->symbol, code->target->name);
    put_quoted(&line, code->schedule);
    put(&line, ",%s,%s,%d", event->origin != NULL ? event->origin : "", event->outcome, code->workers);
    put_time(&line, create, code->emit_ns);
    put_time(&line, create, code->codegen_ns);
    put_time(&line, create, code->link_ns);
    put_time(&line, exec, event->exec_ns);
    put(&line, ",%zu", code->code_bytes);
    line.text[line.length] = '\0';
    if (hand_over(&code->hooks, (int)event->category, line.text)) {
        return;
    }
    line.text[line.length++] = '\n';
    write_line(line.text, line.length);
}

static aic_status dump_file(const aic_context *context, const char *symbol, const char *suffix, const char *bytes,
                            size_t size)
{
    char path[PATH_BYTES];
    const int length = snprintf(path, sizeof path, "%s/%s.%s", context->dump_dir, symbol, suffix);
    const int error = length >= PATH_BYTES ? ENAMETOOLONG : aic_replace_file(path, bytes, size, false);
    if (error != 0) {
        return aic_fail(AIC_IO, "dump_dir", "\"%s/%s.%s\" cannot be written: %s", context->dump_dir, symbol, suffix,
                        strerror(error));
    }
    return AIC_OK;
}

/* One of the texts that the generator makes of a request. */
static aic_status dump_text(const aic_context *context, const aic_codegen_request *request, aic_dump_stage stage,
                            const char *suffix)
{
    char *bytes;
    size_t size;
    aic_status status = aic_generator()->dump(request, stage, &bytes, &size);
    if (status == AIC_OK) {
        status = dump_file(context, request->symbol, suffix, bytes, size);
        free(bytes);
    }
    return status;
}

aic_status aic_log_dump(const aic_context *context, const aic_codegen_request *request, const aic_object *object)
{
    char *text;
    aic_status status = dump_text(context, request, AIC_DUMP_IR, "ll");
    status = status == AIC_OK ? dump_text(context, request, AIC_DUMP_ASM, "s") : status;
    status = status == AIC_OK ? dump_file(context, request->symbol, "o", object->bytes, object->size) : status;
    status = status == AIC_OK ? aic_identity_print(request, &text) : status;
    if (status == AIC_OK) {
        status = dump_file(context, request->symbol, "txt", text, strlen(text));
        free(text);
    }
    return status;
}
