/* Words of the enumerations that fields hold; the list is aic/enum.def. */
#include "frontend/core/field.h"

#include "frontend/core/bytes.h"

typedef struct word_row {
    aic_field_kind kind;
    uint64_t value;
    const char *word;
} word_row;

static const word_row words[] = {
#define AIC_WORD(KIND, value, word) {AIC_KIND_##KIND, value, word},
#include <aic/enum.def>
#undef AIC_WORD
};

#define WORDS (sizeof words / sizeof words[0])

const char *aic_enum_word(aic_field_kind kind, uint64_t value)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (words[i].kind == kind && words[i].value == value) {
            return words[i].word;
        }
    }
    return NULL;
}

bool aic_enum_value(aic_field_kind kind, const char *word, size_t length, uint64_t *value)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (words[i].kind == kind && strlen(words[i].word) == length && memcmp(words[i].word, word, length) == 0) {
            *value = words[i].value;
            return true;
        }
    }
    return false;
}

const char *aic_enum_listed(aic_field_kind kind, size_t index)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (words[i].kind == kind && index-- == 0) {
            return words[i].word;
        }
    }
    return NULL;
}

uint64_t aic_enum_hash(uint64_t hash, aic_field_kind kind)
{
    for (size_t i = 0; i < WORDS; i++) {
        if (words[i].kind == kind) {
            const unsigned char value = (unsigned char)words[i].value;
            hash = aic_hash_more(aic_hash_more(hash, &value, 1), words[i].word, strlen(words[i].word) + 1);
        }
    }
    return hash;
}

const char *aic_enum_expected(aic_field_kind kind)
{
    static const char *const expected[AIC_KIND_END] = {
#define AIC_ENUM(KIND, type, expected) [AIC_KIND_##KIND] = expected,
#include <aic/enum.def>
#undef AIC_ENUM
    };
    return expected[kind];
}
