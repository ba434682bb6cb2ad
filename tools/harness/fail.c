/* The message of a failed run. */
#include "tools/harness/fail.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static char message[1024];

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

int cli_fail_library(const char *context, aic_status failed)
{
    int status = aic_status_exit(failed);
    return context == NULL ? cli_fail(status, "%s", aic_last_error())
                           : cli_fail(status, "%s: %s", context, aic_last_error());
}

int cli_fail_memory(const char *what, uint64_t bytes)
{
    return cli_fail(CLI_SYSTEM, "%s: %" PRIu64 " bytes of memory cannot be had", what, bytes);
}

void cli_show_warning(void)
{
    const char *warning = aic_take_warning();
    if (warning != NULL) {
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
}

int cli_flush_output(void)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return cli_fail(CLI_SYSTEM, "standard output: %s", errno != 0 ? strerror(errno) : "write failed");
    }
    return CLI_DONE;
}
