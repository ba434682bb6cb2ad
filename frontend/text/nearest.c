/* Distances between words: the least number of letters changed, left out, put in or exchanged with a neighbour (optimal
 * string alignment), by the usual table of distances between beginnings of both words, of which three rows are kept. */
#include "frontend/text/nearest.h"

#include <aic/tool.h>

#include <string.h>

/* Longer words are no typing mistakes of anything. */
enum { LETTERS_MAX = 48 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* a[0..i) and b[0..j) are rows[i % 3][j] apart when row i is done. Both have at most LETTERS_MAX letters. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LETTERS_MAX + 1];
    for (size_t j = 0; j <= b_length; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            const bool equal = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = least(least(row[j - 1], above[j]) + 1, above[j - 1] + !equal);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = least(row[j], two_above[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

void aic_nearest_try(aic_nearest *search, const char *candidate)
{
    const size_t length = strlen(candidate);
    if (search->length == 0 || search->length > LETTERS_MAX || length > LETTERS_MAX) {
        return;
    }
    const size_t most = search->length / 3;
    const size_t d = distance(search->word, search->length, candidate, length);
    if (d <= most && (search->best == NULL || d < search->distance)) {
        search->best = candidate;
        search->distance = d;
    }
}

const char *aic_nearest_word(const char *word, const char *const candidates[], size_t count)
{
    if (word == NULL || candidates == NULL) {
        return NULL;
    }
    aic_nearest search = {.word = word, .length = strlen(word)};
    for (size_t i = 0; i < count; i++) {
        if (candidates[i] != NULL) {
            aic_nearest_try(&search, candidates[i]);
        }
    }
    return search.best;
}
