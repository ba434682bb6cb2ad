/* Words of enumerations, from aic/enum.def. */
#include "tools/kinds.h"

#include <stdio.h>
#include <string.h>

static const struct {
    field_kind kind;
    int64_t value;
    const char *word;
} words[] = {
#define AIC_WORD(KIND, value, word) {KIND_##KIND, value, word},
#include <aic/enum.def>
#undef AIC_WORD
};

enum { WORDS = sizeof words / sizeof words[0] };

const char *kind_word(field_kind kind, int64_t value)
{
    size_t i = 0;
    while (i < WORDS && (words[i].kind != kind || words[i].value != value)) {
        i++;
    }
    return i < WORDS ? words[i].word : "?";
}

bool kind_value(field_kind kind, const char *word, int64_t *value)
{
    for (size_t i = 0; word != NULL && i < WORDS; i++) {
        if (words[i].kind == kind && strcmp(words[i].word, word) == 0) {
            *value = words[i].value;
            return true;
        }
    }
    return false;
}

void kind_list(field_kind kind, const char *other, char *text, size_t capacity)
{
    size_t used = 0;
    for (size_t i = 0; i < WORDS && used < capacity; i++) {
        if (words[i].kind == kind && kind_word(kind, words[i].value) == words[i].word) {
            used += (size_t)snprintf(text + used, capacity - used, "%s%s", used > 0 ? "|" : "", words[i].word);
        }
    }
    if (used == 0) {
        (void)snprintf(text, capacity, "%s", other);
    }
}
