/* Writing and reading flat JSON objects. */
#include "tools/json.h"

#include "tools/json_write.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_put_string(FILE *out, const char *text)
{
    json_put_bytes(out, text, strlen(text));
}

void json_put_bytes(FILE *out, const char *text, size_t length)
{
    (void)putc('"', out);
    for (const char *end = text + length; text != end;) {
        if ((unsigned char)*text < 0x20) {
            (void)fprintf(out, "\\u%04x", (unsigned)*text++);
        } else {
            (void)fputs(*text == '"' || *text == '\\' ? "\\" : "", out);
            text += utf8_put(out, text, (size_t)(end - text));
        }
    }
    (void)putc('"', out);
}

static char *skip(char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* The character that stands behind a backslash, as what it means; 0 for none. *length is how long the escape is. Those
 * of \u beyond ASCII become '?': no text of ours has them. */
static char escape(const char *at, size_t *length)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *letter = *at == '\0' ? NULL : strchr(letters, *at);
    *length = 1;
    if (letter != NULL) {
        return meanings[letter - letters];
    }
    char digits[5] = "";
    if (*at != 'u') {
        return '\0';
    }
    for (size_t i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)at[1 + i])) {
            return '\0';
        }
        digits[i] = at[1 + i];
    }
    *length = 5;
    const long code = strtol(digits, NULL, 16);
    return code > 0 && code < 0x7f ? (char)code : '?';
}

/* Reads a string in place; NULL when there is none. *behind is what follows it. */
static char *read_string(char *at, char **behind)
{
    if (*at != '"') {
        return NULL;
    }
    char *text = ++at, *to = text;
    while (*at != '"') {
        size_t length = 1;
        char c = *at;
        if (c == '\\') {
            c = escape(++at, &length);
        }
        if (c == '\0') {
            return NULL;
        }
        *to++ = c;
        at += length;
    }
    *to = '\0';
    *behind = at + 1;
    return text;
}

/* Reads a number or a word; false when there is neither. */
static bool read_plain(char *at, double *number, char **behind)
{
    static const struct {
        const char *word;
        double value;
    } WORDS[] = {{"true", 1}, {"false", 0}, {"null", NAN}};
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        const size_t length = strlen(WORDS[i].word);
        if (strncmp(at, WORDS[i].word, length) == 0) {
            *number = WORDS[i].value;
            *behind = at + length;
            return true;
        }
    }
    *number = strtod(at, behind); /* which reads more than JSON has: 0x10, inf */
    return (isdigit((unsigned char)*at) || *at == '-') && *behind != at && isfinite(*number) &&
           strspn(at, "+-.0123456789eE") >= (size_t)(*behind - at);
}

static char *read_members(char *at, json_visitor visit, void *user);

/* key ":" value; the character behind it, NULL when there is no member. visit NULL: it is one of an inner object. */
static char *read_member(char *at, json_visitor visit, void *user)
{
    const char *key = read_string(at, &at), *text;
    double number = NAN;
    at = key != NULL ? skip(at) : NULL;
    if (at == NULL || *at != ':') {
        return NULL;
    }
    at = skip(at + 1);
    if (*at == '{' && visit != NULL) {
        at = read_members(at, NULL, NULL);
        return at != NULL ? skip(at) : NULL;
    }
    text = *at == '"' ? read_string(at, &at) : NULL;
    if (text == NULL && !read_plain(at, &number, &at)) {
        return NULL;
    }
    if (visit != NULL) {
        visit(user, key, text, number);
    }
    return skip(at);
}

/* "{" members "}"; the character behind it, NULL when there is no object. */
static char *read_members(char *at, json_visitor visit, void *user)
{
    if (*at++ != '{') {
        return NULL;
    }
    at = skip(at);
    while (*at != '}') {
        at = read_member(at, visit, user);
        if (at == NULL || (*at != ',' && *at != '}')) {
            return NULL;
        }
        if (*at == ',') {
            at = skip(at + 1);
            if (*at != '"') {
                return NULL;
            }
        }
    }
    return at + 1;
}

bool json_read_object(char *line, json_visitor visit, void *user)
{
    const char *behind = read_members(skip(line), visit, user);
    return behind != NULL && behind[strspn(behind, " \t\r\n")] == '\0';
}
