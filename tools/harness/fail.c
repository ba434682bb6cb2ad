/* The message of a failed run. */
#include "tools/harness/fail.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE_MAX = 16384, PLACE_MAX = 4200 }; /* paths of any length, and what is wrong with them */
static char message[MESSAGE_MAX];
static char others[16384]; /* the library's other messages for the same request, texts one behind the other */
static size_t others_used;

int cli_fail(int status, const char *format, ...)
{
    if (message[0] != '\0') {
        return status;
    }
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (char *c = message; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F) {
            *c = '?';
        }
    }
    return status;
}

int cli_status(const char *context, aic_status status)
{
    const char *other;
    if (status == AIC_OK) {
        return CLI_DONE;
    }
    for (size_t i = 1; message[0] == '\0' && (other = aic_last_error_at(i)) != NULL; i++) {
        const int length = snprintf(others + others_used, sizeof others - others_used, "%s", other);
        others_used += length >= 0 && (size_t)length < sizeof others - others_used ? (size_t)length + 1 : 0;
    }
    return context == NULL ? cli_fail(aic_status_exit(status), "%s", aic_last_error())
                           : cli_fail(aic_status_exit(status), "%s: %s", context, aic_last_error());
}

int cli_fail_memory(const char *what, uint64_t bytes)
{
    return cli_fail(CLI_SYSTEM, "%s: %" PRIu64 " bytes of memory cannot be had", what, bytes);
}

int cli_memory(guard_buffer *buffer, const char *what, uint64_t bytes)
{
    return guard_open(buffer, bytes, 64, GUARD_BEFORE) ? CLI_DONE : cli_fail_memory(what, bytes);
}

void cli_show_warning(void)
{
    const char *warning = aic_take_warning();
    if (warning != NULL) {
        (void)fprintf(stderr, "aicjit: warning: %s\n", warning);
    }
}

void cli_show_advice(const char *warning, const aic_spec *spec, const aic_semantics *semantics, void *const operands[],
                     size_t count)
{
    (void)aic_take_warning();
    const char *advice = aic_spec_advise(spec, semantics, operands, count) == AIC_OK ? aic_take_warning() : NULL;
    if (warning[0] != '\0' && (advice == NULL || strstr(advice, warning) == NULL)) {
        (void)fprintf(stderr, "aicjit: warning: %s\n", warning);
    }
    if (advice != NULL) {
        (void)fprintf(stderr, "aicjit: warning: %s\n", advice);
    }
}

bool cli_about_contents(const char *warning)
{
    return strstr(warning, ": cbufWorkspace: ") != NULL;
}

void cli_show_warning_of_request(void)
{
    const char *warning = aic_take_warning();
    if (warning != NULL && !cli_about_contents(warning)) {
        (void)fprintf(stderr, "aicjit: warning: %s\n", warning);
    }
}

const char *cli_fail_message(void)
{
    return message;
}

void cli_fail_clear(void)
{
    message[0] = '\0';
    others_used = 0;
}

void cli_fail_in(const char *place)
{
    char text[sizeof message];
    memcpy(text, message, sizeof text);
    (void)snprintf(message, sizeof message, "%.*s: %.*s", PLACE_MAX, place, MESSAGE_MAX - PLACE_MAX - 8, text);
}

void cli_show_failure(const char *program)
{
    if (message[0] != '\0') {
        (void)fprintf(stderr, "%s: %s\n", program, message);
    }
    for (size_t at = 0; at < others_used; at += strlen(others + at) + 1) {
        (void)fprintf(stderr, "%s: also: %s\n", program, others + at);
    }
    cli_fail_clear();
}

/* Whether standard output is a pipe whose other end is closed; the write that failed may have been long ago. */
static bool reader_is_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

static int put_error; /* errno of the first cli_put() that failed; 0: none has */

void cli_put(const char *bytes, size_t size)
{
    errno = 0;
    if (fwrite(bytes, 1, size, stdout) != size && put_error == 0) {
        put_error = errno;
    }
}

int cli_flush_output(void)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        const int error = put_error != 0 ? put_error : errno;
        if (error == EPIPE || reader_is_gone()) { /* it has seen enough, and needs no message */
            return CLI_SYSTEM;
        }
        return cli_fail(CLI_SYSTEM, "standard output: %s", error != 0 ? strerror(error) : "write failed");
    }
    return CLI_DONE;
}
