/* Lists of specifications. */
#include "tools/specs.h"

#include "tools/harness/fail.h"
#include "tools/textfile.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES_MAX = 64 * 1024, OPERATORS_MAX = 1 << 18 };

/* Takes the specification over. */
static int add(spec_list *list, aic_spec *spec, const spec_label *label)
{
    if ((list->count & (list->count - 1)) == 0) { /* a power of two: full */
        const size_t capacity = list->count == 0 ? 1 : list->count * 2;
        aic_spec **items = realloc(list->items, capacity * sizeof *items);
        list->items = items != NULL ? items : list->items;
        spec_label *labels = items != NULL ? realloc(list->labels, capacity * sizeof *labels) : NULL;
        if (labels == NULL) {
            aic_spec_destroy(spec);
            return cli_fail_memory("the list of operators", capacity * (sizeof *items + sizeof *labels));
        }
        list->labels = labels;
    }
    list->labels[list->count] = *label;
    list->items[list->count++] = spec;
    return CLI_DONE;
}

/* An operator, or a convolution in benchdnn's format. */
static int add_text(const cli_session *session, const char *text, spec_list *list)
{
    aic_spec *spec = NULL;
    spec_label label = {""};
    const int status = cli_parse_spec(session, text, &spec);
    if (benchline_recognise(text)) {
        benchline_name(text, label.text);
    }
    return status == CLI_DONE ? add(list, spec, &label) : status;
}

/* ---- batch files ---- */

/* A file that is being read. */
typedef struct batch {
    const cli_session *session;
    const spec_source *source;
    spec_list *list;
    char *at;        /* of the file's content: what was not read yet */
    const char *end; /* of the content */
    size_t line;     /* number of the last line read */
    char *text;      /* LINE_BYTES_MAX */
} batch;

/* Puts "FILE:LINE: " in front of the message. */
static int locate(const batch *b, int status, size_t line)
{
    char place[PATH_MAX + 32];
    (void)snprintf(place, sizeof place, "%.*s:%zu", PATH_MAX, b->source->batch, line);
    cli_fail_in(place);
    return status;
}

/* Reports and counts what is refused, so that the reading goes on. */
static int refuse(batch *b, int status, size_t line)
{
    if (status == CLI_DONE) {
        return status;
    }
    status = locate(b, status, line);
    if (status == CLI_WRONG) {
        cli_show_failure("aicjit");
        b->list->refused++;
        status = CLI_DONE;
    }
    return status;
}

/* Cuts blanks at both ends. */
static char *trim(char *line)
{
    line += strspn(line, " \t\r\n\v\f");
    size_t length = strlen(line);
    while (length > 0 && strchr(" \t\r\n\v\f", line[length - 1]) != NULL) {
        line[--length] = '\0';
    }
    return line;
}

/* Reads a line without its end into b->text + used. False at the end of the file. *fits is false for one that holds a
 * zero byte or is too long, which is left out. */
static bool read_line(batch *b, size_t used, bool *fits)
{
    size_t length = 0;
    const char *line = textfile_line(&b->at, b->end, &length);
    if (line == NULL) {
        return false;
    }
    *fits = strlen(line) == length && length < LINE_BYTES_MAX - used;
    memcpy(b->text + used, line, *fits ? length + 1 : 0);
    b->line++;
    return true;
}

/* Parts of a line in benchdnn's format. */
static int add_parts(batch *b, const char *text, size_t line)
{
    int status = CLI_DONE;
    size_t length = 0;
    benchline_kind kind;
    while (status == CLI_DONE && (kind = benchline_part(&text, &length)) != BENCHLINE_END) {
        b->list->options += kind == BENCHLINE_OPTION;
        b->list->comments += kind == BENCHLINE_COMMENT;
        if (kind == BENCHLINE_PROBLEM) {
            char *problem = strndup(text, length);
            if (problem == NULL) {
                return cli_fail_memory("a line", length);
            }
            status = add_text(b->session, problem, b->list);
            /* Without a type no line can be read: the first one ends the reading. */
            status = b->session->dt == NULL ? locate(b, status, line) : refuse(b, status, line);
            free(problem);
        }
        text += length;
    }
    return status;
}

static int add_line(batch *b, const char *text, size_t line)
{
    if (text[0] == '#') {
        b->list->comments++;
        return CLI_DONE;
    }
    if (text[0] == '\0') {
        return CLI_DONE;
    }
    return benchline_recognise(text) ? add_parts(b, text, line) : refuse(b, add_text(b->session, text, b->list), line);
}

/* Whether the next line continues this one: a backslash ends it, and not in a comment, which cannot be continued. */
static bool is_continued(const char *text)
{
    size_t length = 0;
    const char *at = text;
    benchline_kind kind = BENCHLINE_END;
    for (benchline_kind next; (next = benchline_part(&at, &length)) != BENCHLINE_END; at += length) {
        kind = next;
    }
    return kind != BENCHLINE_END && kind != BENCHLINE_COMMENT && at[-1] == '\\';
}

static int add_lines(batch *b)
{
    int status = CLI_DONE;
    size_t used = 0, first = 1; /* of the text, the part that is continued, and the line where it begins */
    bool fits = true;
    while (status == CLI_DONE && b->list->count <= OPERATORS_MAX && read_line(b, used, &fits)) {
        first = used == 0 ? b->line : first;
        if (!fits) {
            status = refuse(
                b, cli_fail(CLI_WRONG, "the line holds a zero byte or more than %d bytes", LINE_BYTES_MAX - 2), first);
            used = 0;
            continue;
        }
        char *added = trim(b->text + used);
        if (used > 0 && (added[0] == '#' || added[0] == '\0')) { /* neither ends what is continued */
            status = add_line(b, added, b->line);
            continue;
        }
        memmove(b->text + used, added, strlen(added) + 1);
        if (is_continued(b->text + used)) {
            used += strlen(b->text + used) - 1;
            continue;
        }
        used = 0;
        status = add_line(b, b->text, first);
    }
    b->text[used] = '\0';
    status = status == CLI_DONE && used > 0 ? add_line(b, b->text, first) : status;
    return status == CLI_DONE && b->list->count > OPERATORS_MAX
               ? cli_fail(CLI_WRONG, "--batch: \"%s\" has more than %d operators", b->source->batch, OPERATORS_MAX)
               : status;
}

static int add_file(const cli_session *session, const spec_source *source, spec_list *list)
{
    batch b = {.session = session, .source = source, .list = list};
    char *content = NULL;
    size_t length;
    int status = textfile_read("--batch", source->batch, TEXTFILE_BYTES_MAX, &content, &length);
    if (status != CLI_DONE) {
        return status;
    }
    b.at = content;
    b.end = content + length;
    b.text = malloc(LINE_BYTES_MAX);
    status = b.text == NULL ? cli_fail_memory(source->batch, LINE_BYTES_MAX) : add_lines(&b);
    free(b.text);
    free(content);
    return status;
}

int spec_list_read(const cli_session *session, const spec_source *source, spec_list *list)
{
    *list = (spec_list){0};
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < source->texts->count; i++) {
        status = add_text(session, source->texts->items[i], list);
    }
    if (status == CLI_DONE && source->batch != NULL) {
        status = add_file(session, source, list);
    }
    if (status != CLI_DONE) {
        spec_list_free(list);
    }
    return status;
}

bool spec_list_empty(const spec_list *list, const spec_source *source)
{
    return list->count == 0 && (list->refused == 0 || source->skip_refused);
}

void spec_list_report(const spec_list *list, const spec_source *source, FILE *stream)
{
    if (list->options + list->comments + list->refused > 0) {
        (void)fprintf(stream, "%s: %zu read, %zu refused; skipped: %zu options, %zu comments\n", source->batch,
                      list->count - source->texts->count, list->refused, list->options, list->comments);
    }
}

int spec_list_status(const spec_list *list, const spec_source *source, int status)
{
    const bool wrong = list->refused > 0 && !source->skip_refused;
    return wrong && status != CLI_SYSTEM ? CLI_WRONG : status;
}

void spec_list_free(spec_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        aic_spec_destroy(list->items[i]);
    }
    free(list->items);
    free(list->labels);
    *list = (spec_list){0};
}
