/* The lexical part of PTO-AS; see pto_reader.h. The <ctype.h> functions heed the locale and are not used. */
#include "frontend/pto/reader.h"

#include "frontend/core/diag.h"
#include "frontend/text/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_MAX = 40, MESSAGE_MAX = 400, NAME_MAX_LENGTH = 255 };

/* ---- messages ---- */

void aic_pto_locate(const aic_pto_reader *in, const char *where, size_t *line, size_t *column)
{
    const char *start = in->text;
    *line = 1;
    for (const char *c = in->text; c < where; c++) {
        if (*c == '\n') {
            start = c + 1;
            ++*line;
        }
    }
    *column = (size_t)(where - start) + 1;
}

aic_status aic_pto_fail(aic_pto_reader *in, const char *where, const char *format, ...)
{
    if (in->status != AIC_OK) {
        return in->status;
    }
    char message[MESSAGE_MAX];
    size_t line, column;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    aic_pto_locate(in, where, &line, &column);
    in->status = aic_fail(AIC_INVALID_ARGUMENT, "texpands", "%s (line %zu, column %zu)", message, line, column);
    return aic_fail_source(in->status, in->about != NULL ? in->about : aic_request_rule(AIC_REQUEST_statement));
}

void aic_pto_fail_word(aic_pto_reader *in, aic_pto_word word, const char *key, const char *expected)
{
    const bool cut = word.length > SHOWN_MAX;
    (void)aic_pto_fail(in, word.start, "%s%s%.*s%s is not %s", key, key[0] != '\0' ? ": " : "",
                       (int)(cut ? SHOWN_MAX : word.length), word.start, cut ? "..." : "", expected);
}

/* What stands at the reader. */
static void show_next(const aic_pto_reader *in, char shown[SHOWN_MAX])
{
    if (in->at == in->end) {
        snprintf(shown, SHOWN_MAX, "the end of the text");
    } else if (*in->at == '\n') {
        snprintf(shown, SHOWN_MAX, "the end of the line");
    } else {
        const unsigned char c = (unsigned char)*in->at;
        snprintf(shown, SHOWN_MAX, c > ' ' && c < 0x7F ? "'%c'" : "byte 0x%02X", c);
    }
}

/* ---- characters ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex_digit(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

bool aic_pto_word_is(aic_pto_word word, const char *text)
{
    return strlen(text) == word.length && memcmp(word.start, text, word.length) == 0;
}

/* ---- white space ---- */

static bool at_comment(const aic_pto_reader *in)
{
    return in->at < in->end && (*in->at == '#' || (*in->at == '/' && in->end - in->at > 1 && in->at[1] == '/'));
}

static void skip_line(aic_pto_reader *in)
{
    const char *end = memchr(in->at, '\n', (size_t)(in->end - in->at));
    in->at = end ? end : in->end;
}

void aic_pto_skip(aic_pto_reader *in)
{
    for (;;) {
        while (in->at < in->end && (is_one_of(*in->at, " \t\r\v\f") || (in->spans_lines && *in->at == '\n'))) {
            in->at++;
        }
        if (!in->spans_lines || !at_comment(in)) {
            return;
        }
        skip_line(in);
    }
}

bool aic_pto_line_ends(aic_pto_reader *in)
{
    aic_pto_skip(in);
    if (at_comment(in)) {
        skip_line(in);
    }
    return in->at == in->end || *in->at == '\n';
}

/* ---- signs and words ---- */

bool aic_pto_comes(aic_pto_reader *in, char sign)
{
    aic_pto_skip(in);
    return in->status == AIC_OK && in->at < in->end && *in->at == sign;
}

bool aic_pto_take(aic_pto_reader *in, char sign)
{
    const bool comes = aic_pto_comes(in, sign);
    in->at += comes;
    return comes;
}

static void fail_expected(aic_pto_reader *in, const char *what)
{
    char shown[SHOWN_MAX];
    show_next(in, shown);
    (void)aic_pto_fail(in, in->at, "expected %s instead of %s", what, shown);
}

void aic_pto_expect_line_end(aic_pto_reader *in)
{
    if (!aic_pto_line_ends(in)) {
        fail_expected(in, "the end of the line");
    }
}

void aic_pto_expect(aic_pto_reader *in, char sign)
{
    const char what[] = {'\'', sign, '\'', '\0'};
    if (!aic_pto_take(in, sign)) {
        fail_expected(in, what);
    }
}

/* What stands between start and the reader; fails if it is nothing. */
static aic_pto_word word_from(aic_pto_reader *in, const char *start, const char *what)
{
    if (in->at == start) {
        fail_expected(in, what);
    }
    return in->status == AIC_OK ? (aic_pto_word){start, (size_t)(in->at - start)} : (aic_pto_word){"", 0};
}

aic_pto_word aic_pto_read_word(aic_pto_reader *in, aic_pto_words kind, const char *what)
{
    const char *more = kind == AIC_PTO_LITERAL ? "_.?+-" : "_.";
    aic_pto_skip(in);
    const char *start = in->at;
    while (in->at < in->end && (is_letter(*in->at) || is_digit(*in->at) || is_one_of(*in->at, more))) {
        in->at++;
    }
    return word_from(in, start, what);
}

aic_pto_word aic_pto_read_ssa(aic_pto_reader *in)
{
    aic_pto_expect(in, '%');
    const char *start = in->at;
    while (in->at < in->end && (is_letter(*in->at) || is_digit(*in->at) || *in->at == '_' ||
                                (in->at > start && is_one_of(*in->at, ".$-")))) {
        in->at++;
    }
    const aic_pto_word name = word_from(in, start, "a name behind '%'");
    if (name.length > NAME_MAX_LENGTH) {
        (void)aic_pto_fail(in, start, "a name of %zu characters is longer than %d", name.length, NAME_MAX_LENGTH);
    }
    return name;
}

/* ---- numbers; a word is empty only behind a failure ---- */

/* Skips characters of a class. */
static size_t run(aic_pto_word word, size_t at, bool (*is)(char c))
{
    while (at < word.length && is(word.start[at])) {
        at++;
    }
    return at;
}

bool aic_pto_is_integer(aic_pto_word word)
{
    size_t at = word.start[0] == '-' ? 1 : 0;
    if (word.length - at > 2 && word.start[at] == '0' && word.start[at + 1] == 'x') {
        return run(word, at + 2, is_hex_digit) == word.length;
    }
    return word.length > at && run(word, at, is_digit) == word.length;
}

bool aic_pto_is_float(aic_pto_word word)
{
    const size_t start = word.start[0] == '-' ? 1 : 0;
    const size_t point = run(word, start, is_digit);
    if (point == start || point == word.length || word.start[point] != '.') {
        return false;
    }
    size_t at = run(word, point + 1, is_digit);
    if (at == point + 1 || at == word.length) {
        return at != point + 1;
    }
    if (word.start[at] != 'e' && word.start[at] != 'E') {
        return false;
    }
    at++;
    at += at < word.length && (word.start[at] == '+' || word.start[at] == '-');
    return at < word.length && run(word, at, is_digit) == word.length;
}

int64_t aic_pto_integer(aic_pto_reader *in, aic_pto_word word, const char *key)
{
    int64_t value = 0;
    if (!aic_pto_is_integer(word)) {
        aic_pto_fail_word(in, word, key, "an integer");
    } else if (aic_integer_parse(word.start, word.length, &value) != AIC_NUMBER_OK) {
        aic_pto_fail_word(in, word, key, "an integer of 64 bits");
    }
    return value;
}
