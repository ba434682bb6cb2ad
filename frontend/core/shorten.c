/* See shorten.h. */
#include "frontend/core/shorten.h"

#include <string.h>

static const char GAP[] = "...";

enum {
    GAP_LENGTH = sizeof GAP - 1,
    HEAD = 12,                              /* bytes that stay at least of a quoted part: where it begins, */
    TAIL = 40,                              /* and its end, such as a file's name */
    QUOTED_LEAST = HEAD + TAIL + GAP_LENGTH /* what has no more is not shortened */
};

/* The longest part between two quotation marks; its length, 0: there is none. */
static size_t find_longest(const char *text, const char **longest)
{
    size_t length = 0;
    const char *start = strchr(text, '"'), *end;
    for (; start != NULL && (end = strchr(start + 1, '"')) != NULL; start = strchr(end + 1, '"')) {
        if ((size_t)(end - start - 1) > length) {
            length = (size_t)(end - start - 1);
            *longest = start + 1;
        }
    }
    return length;
}

/* Whether a byte is within a character of UTF-8. */
static int is_inside(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* Leaves out `excess` bytes of a part, or as many as it can, and some more where a character is cut. */
static void cut_middle(char *part, size_t length, size_t excess)
{
    const size_t most = length - HEAD - TAIL - GAP_LENGTH, cut = (excess < most ? excess : most) + GAP_LENGTH;
    size_t head = (length - cut) / 4 > HEAD ? (length - cut) / 4 : HEAD, tail = length - cut - head;
    while (head > 0 && is_inside(part[head])) {
        head--;
    }
    while (tail > 0 && is_inside(part[length - tail])) {
        tail--;
    }
    memcpy(part + head, GAP, GAP_LENGTH);
    memmove(part + head + GAP_LENGTH, part + length - tail, strlen(part + length - tail) + 1);
}

void aic_shorten(char *text, size_t capacity)
{
    const char *longest = NULL;
    size_t used = strlen(text), length;
    while (used >= capacity && (length = find_longest(text, &longest)) > QUOTED_LEAST) {
        cut_middle(text + (longest - text), length, used - capacity + 1);
        used = strlen(text);
    }
    if (used >= capacity) {
        size_t end = capacity - sizeof GAP;
        while (end > 0 && is_inside(text[end])) {
            end--;
        }
        memcpy(text + end, GAP, sizeof GAP);
    }
}
