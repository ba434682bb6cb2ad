/* Words of the enumerations that fields hold; the list is aic/enum.def. */
#include "frontend/core/field.h"

#include "frontend/core/bytes.h"
#include "frontend/core/diag.h"
#include <aic/op.h>

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

/* The first row of a kind, whose rows follow one another: aic/enum.def has the kinds in their order. Rules ask for
 * words of every choice of every specification. */
static size_t first_of(aic_field_kind kind)
{
    size_t low = 0, high = WORDS;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (words[middle].kind < kind) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const char *aic_enum_word(aic_field_kind kind, uint64_t value)
{
    if (kind == AIC_KIND_DTYPE) { /* whose list is aic/dtype.def */
        const aic_dtype dtype = (aic_dtype)value;
        return aic_dtype_size(dtype) != 0 || value == AIC_DTYPE_NONE ? aic_dtype_name(dtype) : NULL;
    }
    for (size_t i = first_of(kind); i < WORDS && words[i].kind == kind; i++) {
        if (words[i].value == value) {
            return words[i].word;
        }
    }
    return NULL;
}

bool aic_enum_value(aic_field_kind kind, const char *word, size_t length, uint64_t *value)
{
    for (size_t i = first_of(kind); i < WORDS && words[i].kind == kind; i++) {
        if (strlen(words[i].word) == length && memcmp(words[i].word, word, length) == 0) {
            *value = words[i].value;
            return true;
        }
    }
    return false;
}

const char *aic_enum_listed(aic_field_kind kind, size_t index)
{
    for (size_t i = first_of(kind); i < WORDS && words[i].kind == kind; i++) {
        if (index-- == 0) {
            return words[i].word;
        }
    }
    return NULL;
}

uint64_t aic_enum_hash(uint64_t hash, aic_field_kind kind)
{
    for (size_t i = first_of(kind); i < WORDS && words[i].kind == kind; i++) {
        const unsigned char value = (unsigned char)words[i].value;
        hash = aic_hash_more(aic_hash_more(hash, &value, 1), words[i].word, strlen(words[i].word) + 1);
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

/* ---- by the enumeration's name, for callers ---- */

static const struct {
    const char *name; /* "aic_layout" */
    aic_field_kind kind;
} enumerations[] = {
#define AIC_ENUM(KIND, type, expected) {#type, AIC_KIND_##KIND},
#include <aic/enum.def>
#undef AIC_ENUM
};

/* AIC_KIND_END: there is none of this name. */
static aic_field_kind kind_of(const char *name)
{
    enum { PREFIX = sizeof "aic_" - 1 };
    for (size_t i = 0; name != NULL && i < sizeof enumerations / sizeof enumerations[0]; i++) {
        if (strcmp(enumerations[i].name + PREFIX, name) == 0) {
            return enumerations[i].kind;
        }
    }
    return AIC_KIND_END;
}

const char *aic_word(const char *kind, int value)
{
    if (kind != NULL && strcmp(kind, "dtype") == 0) {
        return aic_dtype_size((aic_dtype)value) != 0 ? aic_dtype_name((aic_dtype)value) : NULL;
    }
    const aic_field_kind found = kind_of(kind);
    return found != AIC_KIND_END && value >= 0 ? aic_enum_word(found, (uint64_t)value) : NULL;
}

aic_status aic_value(const char *kind, const char *word, int *value)
{
    if (kind == NULL || word == NULL || value == NULL) {
        return aic_fail(AIC_INVALID_ARGUMENT, kind == NULL ? "kind" : word == NULL ? "word" : "value", "is NULL");
    }
    const bool is_type = strcmp(kind, "dtype") == 0;
    const aic_field_kind found = kind_of(kind);
    if (!is_type && found == AIC_KIND_END) {
        return aic_fail(AIC_INVALID_ARGUMENT, "kind", "\"%.40s\" is no enumeration", kind);
    }
    uint64_t number = is_type ? aic_dtype_parse(word) : 0;
    if (is_type ? number == AIC_DTYPE_NONE : !aic_enum_value(found, word, strlen(word), &number)) {
        return aic_fail(AIC_INVALID_ARGUMENT, kind, "\"%.40s\" is not %s", word,
                        is_type ? "a type" : aic_enum_expected(found));
    }
    *value = (int)number;
    return AIC_OK;
}
