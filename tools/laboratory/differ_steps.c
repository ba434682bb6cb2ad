/* Two traces side by side; see differ.h. */
#include "tools/laboratory/differ.h"

#include "tools/json_write.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Where the value of a step begins at the earliest: aic_trace() fills names up to there. */
enum { INDENT = 2, NAME_COLUMNS = 24 };

/* More pairs of lines than this are not searched for those that belong together. */
enum { PAIRS_MAX = 1 << 24 };

/* ---- lines ---- */

static differ_line line_of(char *text)
{
    differ_line line = {text, "", strlen(text)};
    const char *equals = strstr(text, "] = "); /* the last line: "dst[0,3] = 5" */
    if (strncmp(text, "  ", INDENT) != 0) {
        if (equals != NULL) {
            line.name_length = (size_t)(equals + 1 - text);
            line.value = equals + strlen("] = ");
        }
        return line;
    }
    line.line = text += INDENT;
    line.name_length = strlen(text);
    if (line.name_length > NAME_COLUMNS) { /* a longer name ends with its word */
        line.name_length = NAME_COLUMNS + strcspn(text + NAME_COLUMNS, " ");
        line.value = text + line.name_length + strspn(text + line.name_length, " ");
    }
    while (line.name_length > 0 && text[line.name_length - 1] == ' ') {
        line.name_length--;
    }
    return line;
}

/* Cuts the text, malloc'ed, into lines, those of the readings left out. */
static differ_line *cut(char *text, size_t *count)
{
    size_t lines = 1;
    for (const char *at = text; *at != '\0'; at++) {
        lines += *at == '\n';
    }
    differ_line *list = calloc(lines, sizeof *list);
    *count = 0;
    for (char *rest = text; list != NULL && rest != NULL && *rest != '\0';) {
        char *line = strsep(&rest, "\n");
        if (strncmp(line, "choices: ", strlen("choices: ")) != 0) {
            list[(*count)++] = line_of(line);
        }
    }
    return list;
}

static bool same_name(const differ_line *a, const differ_line *b)
{
    return a->name_length == b->name_length && memcmp(a->line, b->line, a->name_length) == 0;
}

/* ---- which step is which ---- */

/* The longest row of names that both have, as lengths for what is left of each, (n + 1) x (m + 1). */
static uint32_t *common_lengths(const differ_line *a, size_t n, const differ_line *b, size_t m)
{
    uint32_t *length = calloc((n + 1) * (m + 1), sizeof *length);
    for (size_t i = n; length != NULL && i-- > 0;) {
        for (size_t j = m; j-- > 0;) {
            const uint32_t down = length[(i + 1) * (m + 1) + j], right = length[i * (m + 1) + j + 1];
            length[i * (m + 1) + j] = same_name(&a[i], &b[j]) ? length[(i + 1) * (m + 1) + j + 1] + 1
                                      : down > right          ? down
                                                              : right;
        }
    }
    return length;
}

/* Whether a step gives the same: the values are alike, or one says more in front of the other, as a block's sum is in
 * front of the accumulator. */
static bool same_result(const differ_line *a, const differ_line *b)
{
    const size_t left = strlen(a->value), right = strlen(b->value);
    const differ_line *longer = left > right ? a : b;
    const size_t more = left > right ? left - right : right - left, separator = strlen(", ");
    const char *tail = longer->value + more;
    return same_name(a, b) && strcmp(tail, longer == a ? b->value : a->value) == 0 &&
           (more == 0 || (*tail != '\0' && more >= separator && strncmp(tail - separator, ", ", separator) == 0));
}

static void add_row(differ_steps *steps, const differ_line *a, const differ_line *b)
{
    differ_row *row = &steps->rows[steps->count];
    row->side[0] = a != NULL ? *a : (differ_line){NULL, NULL, 0};
    row->side[1] = b != NULL ? *b : (differ_line){NULL, NULL, 0};
    row->same = a != NULL && b != NULL && same_result(a, b);
    if (!row->same && steps->first == SIZE_MAX) {
        steps->first = steps->count;
    }
    steps->count++;
}

/* Lines up what is left of both; false when memory ran out. */
static bool line_up(differ_steps *steps, const differ_line *a, size_t n, const differ_line *b, size_t m)
{
    size_t i = 0, j = 0;
    for (; i < n && i < m && same_name(&a[i], &b[i]); i++) {
        add_row(steps, &a[i], &b[i]);
    }
    a += i, b += i, n -= i, m -= i;
    const bool search = n > 0 && m > 0 && n < PAIRS_MAX / m;
    uint32_t *length = search ? common_lengths(a, n, b, m) : NULL;
    if (search && length == NULL) {
        return false;
    }
    for (i = 0; i < n || j < m;) {
        const bool both = i < n && j < m && (length == NULL || same_name(&a[i], &b[j]));
        const bool left = !both && i < n &&
                          (j == m || (length != NULL && length[(i + 1) * (m + 1) + j] >= length[i * (m + 1) + j + 1]));
        const bool right = !both && !left;
        add_row(steps, right ? NULL : &a[i], left ? NULL : &b[j]);
        i += !right;
        j += !left;
    }
    free(length);
    return true;
}

bool differ_steps_open(differ_steps *steps, char *a, char *b)
{
    size_t n = 0, m = 0;
    *steps = (differ_steps){.text = {a, b}, .first = SIZE_MAX};
    differ_line *left = cut(a, &n), *right = cut(b, &m);
    steps->rows = calloc(n + m + 1, sizeof *steps->rows);
    const bool done = left != NULL && right != NULL && steps->rows != NULL && line_up(steps, left, n, right, m);
    steps->first = steps->first < steps->count ? steps->first : steps->count;
    free(left);
    free(right);
    return done;
}

void differ_steps_close(differ_steps *steps)
{
    free(steps->rows);
    free(steps->text[0]);
    free(steps->text[1]);
    *steps = (differ_steps){.rows = NULL};
}

/* ---- text ---- */

void differ_steps_name(const differ_row *row, char *text, size_t capacity)
{
    const differ_line *line = row->side[0].line != NULL ? &row->side[0] : &row->side[1];
    (void)snprintf(text, capacity, "%.*s", (int)line->name_length, line->line);
}

void differ_steps_print(FILE *out, const differ_steps *steps, const char *const title[2])
{
    size_t width = strlen(title[0]);
    for (size_t i = 0; i < steps->count; i++) {
        const char *left = steps->rows[i].side[0].line;
        width = left != NULL && strlen(left) > width ? strlen(left) : width;
    }
    (void)fprintf(out, "  %-*s | %s\n", (int)width, title[0], title[1]);
    for (size_t i = 0; i < steps->count; i++) {
        const differ_row *row = &steps->rows[i];
        const char *left = row->side[0].line != NULL ? row->side[0].line : "";
        const char *right = row->side[1].line != NULL ? row->side[1].line : "";
        (void)fprintf(out, "%c %-*s |%s%s\n",
                      row->same           ? ' '
                      : i == steps->first ? '>'
                                          : '!',
                      (int)width, left, *right == '\0' ? "" : " ", right);
    }
}

void differ_steps_json(const char *key, const differ_steps *steps)
{
    json_array(key);
    for (size_t i = 0; i < steps->count; i++) {
        const differ_row *row = &steps->rows[i];
        const differ_line *left = &row->side[0], *right = &row->side[1];
        char name[128];
        differ_steps_name(row, name, sizeof name);
        json_object(NULL);
        json_text("step", name);
        json_text("a", left->line != NULL ? left->value : NULL);
        json_text("b", right->line != NULL ? right->value : NULL);
        json_bool("same", row->same);
        json_end();
    }
    json_end();
}
