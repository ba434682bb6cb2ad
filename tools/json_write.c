/* JSON for programs; see json_write.h. */
#include "tools/json_write.h"

#include "tools/json.h"

#include <inttypes.h>
#include <math.h>
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
