/* UTF-8; see utf8.h. */
#include "tools/utf8.h"

#include <stdbool.h>

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

size_t utf8_length(const char *text, size_t length)
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
    const size_t whole = utf8_length(text, length);
    if (whole == 0) {
        (void)fputs("\xEF\xBF\xBD", out);
        return 1;
    }
    (void)fwrite(text, 1, whole, out);
    return whole;
}
