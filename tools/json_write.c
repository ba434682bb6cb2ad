/* JSON for programs; see json_write.h. */
#include "tools/json_write.h"

#include "tools/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 16 };
static char closing[DEPTH_MAX]; /* brackets to come */
static size_t depth;
static bool has_members; /* in what is open */
static const char *comma = ", ", *colon = ": ";

void json_compact(void)
{
    comma = ",";
    colon = ":";
}

static void begin(const char *key)
{
    if (has_members) {
        printf("%s", comma);
    }
    has_members = true;
    if (key != NULL) {
        json_put_string(stdout, key);
        printf("%s", colon);
    }
}

static void open(const char *key, char opening, char bracket)
{
    begin(key);
    (void)putchar(opening);
    closing[depth++] = bracket;
    has_members = false;
}

void json_object(const char *key)
{
    open(key, '{', '}');
}

void json_array(const char *key)
{
    open(key, '[', ']');
}

void json_end(void)
{
    (void)putchar(closing[--depth]);
    has_members = depth > 0;
    if (depth == 0) {
        (void)putchar('\n');
    }
}

void json_text(const char *key, const char *text)
{
    begin(key);
    if (text == NULL) {
        printf("null");
    } else {
        json_put_string(stdout, text);
    }
}

void json_texts(const char *const members[][2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_text(members[i][0], members[i][1]);
    }
}

void json_piece(const char *key, const char *text, size_t length)
{
    begin(key);
    json_put_bytes(stdout, text, length);
}

void json_words(const char *key, const char *words, char separator)
{
    const char separators[] = {separator, '\0'};
    json_array(key);
    for (const char *at = words; *at != '\0'; at += *at != '\0') {
        const size_t length = strcspn(at, separators);
        json_piece(NULL, at, length);
        at += length;
    }
    json_end();
}

void json_integer(const char *key, int64_t value)
{
    begin(key);
    printf("%" PRId64, value);
}

void json_real(const char *key, double value)
{
    begin(key);
    printf(isfinite(value) ? "%.17g" : "null", value);
}

void json_fixed(const char *key, double value, int decimals)
{
    begin(key);
    printf(isfinite(value) ? "%.*f" : "null", decimals, value);
}

void json_bool(const char *key, bool value)
{
    begin(key);
    printf(value ? "true" : "false");
}

/* ---- UTF-8 ---- */

/* By the first byte: how many, and which second bytes leave out long forms, surrogates and what is beyond U+10FFFF. */
static const struct {
    unsigned char first, last;
    size_t length;
    unsigned char low, high;
} FORMS[] = {
    {0x00, 0x7F, 1, 0x80, 0xBF}, {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

static bool is_within(char byte, unsigned char low, unsigned char high)
{
    return (unsigned char)byte >= low && (unsigned char)byte <= high;
}

/* Bytes of the character that `text` begins with, of at most `length`; 0 where they are none of UTF-8. */
static size_t length_of(const char *text, size_t length)
{
    size_t form = 0;
    while (form < sizeof FORMS / sizeof *FORMS && !is_within(*text, FORMS[form].first, FORMS[form].last)) {
        form++;
    }
    if (form == sizeof FORMS / sizeof *FORMS || FORMS[form].length > length) {
        return 0;
    }
    for (size_t i = 1; i < FORMS[form].length; i++) {
        if (!is_within(text[i], i == 1 ? FORMS[form].low : 0x80, i == 1 ? FORMS[form].high : 0xBF)) {
            return 0;
        }
    }
    return FORMS[form].length;
}

size_t utf8_put(FILE *out, const char *text, size_t length)
{
    const size_t whole = length_of(text, length);
    if (whole == 0) {
        (void)fputs("\xEF\xBF\xBD", out);
        return 1;
    }
    (void)fwrite(text, 1, whole, out);
    return whole;
}
