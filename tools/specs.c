/* Lists of specifications. */
#include "tools/specs.h"

#include "tools/benchline.h"
#include "tools/harness/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_BYTES_MAX = 64 * 1024 };

static int add(spec_list *list, const aic_spec *spec)
{
    if ((list->count & (list->count - 1)) == 0) { /* a power of two: full */
        size_t capacity = list->count == 0 ? 1 : list->count * 2;
        aic_spec *items = realloc(list->items, capacity * sizeof *items);
        if (items == NULL) {
            return cli_fail_memory("the list of operators", capacity * sizeof *items);
        }
        list->items = items;
    }
    list->items[list->count++] = *spec;
    return CLI_DONE;
}

static int add_text(const cli_session *session, const char *text, const char *dt, spec_list *list)
{
    aic_spec spec;
    int status = cli_check_arch(session, text);
    if (status != CLI_DONE) {
        return status;
    }
    if (benchline_recognise(text)) {
        if (dt == NULL) {
            return cli_fail(CLI_WRONG, "--dt: is missing: a line of the benchmark format names no element type, legal "
                                       "are int8 and float16");
        }
        status = benchline_parse(text, aic_dtype_parse(dt), &spec);
        if (status == CLI_DONE && aic_spec_validate(&spec, &session->semantics) != AIC_OK) {
            status = cli_fail_library(NULL, AIC_INVALID_ARGUMENT);
        }
    } else {
        status = cli_parse_spec(session, text, &spec);
    }
    return status == CLI_DONE ? add(list, &spec) : status;
}

/* Puts "FILE:LINE: " in front of the message. */
static int locate(int status, const char *path, size_t line)
{
    char message[900];
    (void)snprintf(message, sizeof message, "%s", cli_fail_message());
    cli_fail_clear();
    return cli_fail(status, "%.200s:%zu: %s", path, line, message);
}

/* Cuts blanks at both ends and takes comments for empty. */
static char *trim(char *line)
{
    line += strspn(line, " \t\r\n\v\f");
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r\n\v\f", line[length - 1]) != NULL) {
        line[--length] = '\0';
    }
    if (line[0] == '#') {
        line[0] = '\0';
    }
    return line;
}

static int add_lines(const cli_session *session, FILE *file, const char *path, const char *dt, spec_list *list)
{
    char *line = malloc(LINE_BYTES_MAX);
    if (line == NULL) {
        return cli_fail_memory(path, LINE_BYTES_MAX);
    }
    int status = CLI_DONE;
    for (size_t number = 1; status == CLI_DONE && fgets(line, LINE_BYTES_MAX, file) != NULL; number++) {
        size_t length = strlen(line);
        if ((length == 0 || line[length - 1] != '\n') && !feof(file)) {
            status = cli_fail(CLI_WRONG, "%.200s:%zu: the line holds a zero byte or more than %d bytes", path, number,
                              LINE_BYTES_MAX - 2);
            break;
        }
        char *text = trim(line);
        if (*text != '\0') {
            status = add_text(session, text, dt, list);
            status = status == CLI_DONE ? status : locate(status, path, number);
        }
    }
    if (status == CLI_DONE && ferror(file)) {
        status = cli_fail(CLI_SYSTEM, "--batch: \"%s\": %s", path, strerror(errno));
    }
    free(line);
    return status;
}

static int add_file(const cli_session *session, const char *path, const char *dt, spec_list *list)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (fd == -1 || fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
        int error = fd == -1 ? errno : EISDIR;
        if (fd != -1) {
            (void)close(fd);
        }
        return cli_fail(CLI_WRONG, "--batch: \"%s\" cannot be read: %s", path, strerror(error));
    }
    FILE *file = fdopen(fd, "r");
    if (file == NULL) {
        (void)close(fd);
        return cli_fail(CLI_SYSTEM, "--batch: \"%s\": %s", path, strerror(errno));
    }
    int status = add_lines(session, file, path, dt, list);
    (void)fclose(file);
    return status;
}

int spec_list_read(const cli_session *session, const args_list *texts, const char *batch, const char *dt,
                   spec_list *list)
{
    *list = (spec_list){0};
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < texts->count; i++) {
        status = add_text(session, texts->items[i], dt, list);
    }
    if (status == CLI_DONE && batch != NULL) {
        status = add_file(session, batch, dt, list);
    }
    if (status != CLI_DONE) {
        spec_list_free(list);
    }
    return status;
}

void spec_list_free(spec_list *list)
{
    free(list->items);
    *list = (spec_list){0};
}
