/* Files of operator texts: a line each, with '#' comments and blank lines. */
#include "tests/bench/common.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Cuts blanks at both ends. */
static char *trim(char *line)
{
    static const char BLANKS[] = " \t\r\n\v\f";
    line += strspn(line, BLANKS);
    size_t length = strlen(line);
    while (length > 0 && strchr(BLANKS, line[length - 1]) != NULL) {
        line[--length] = '\0';
    }
    return line;
}

/* What is wrong with a line; NULL: nothing. */
static const char *read_line(const char *text, size_t line, bench_take_spec take, void *argument)
{
    aic_spec *spec = NULL;
    if (text[0] == '\0' || text[0] == '#') {
        return NULL;
    }
    if (aic_spec_parse(text, &spec) != AIC_OK || aic_spec_validate(spec, NULL) != AIC_OK) {
        aic_spec_destroy(spec);
        return aic_last_error();
    }
    return take(argument, text, spec, line);
}

bool bench_read_specs(const char *path, bench_take_spec take, void *argument)
{
    char *text = NULL;
    size_t room = 0, line = 0;
    ssize_t length = -1;
    bool good = true;
    errno = 0;
    FILE *file = fopen(path, "re");
    while (file != NULL && (length = getline(&text, &room, file)) >= 0) {
        line++;
        const char *wrong =
            strlen(text) != (size_t)length ? "a zero byte" : read_line(trim(text), line, take, argument);
        if (wrong != NULL) {
            fprintf(stderr, "%s: %s:%zu: %s\n", bench_program(), path, line, wrong);
            good = false;
        }
    }
    if (file == NULL || ferror(file) != 0) {
        fprintf(stderr, "%s: %s: it cannot be read: %s\n", bench_program(), path, strerror(errno));
        good = false;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    free(text);
    return good;
}
