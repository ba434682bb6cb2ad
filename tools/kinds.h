/* Kinds of fields (aic/field.h) and the words of those that are enumerations (aic/enum.def), for people. */
#pragma once

#include <aic/aic.h>

typedef enum field_kind {
    KIND_INT,
    KIND_REAL,
    KIND_FLOAT32,
    KIND_BOOL,
    KIND_DTYPE,
    KIND_BITS,
    KIND_DIMS,
    KIND_SIZE,
    KIND_TAG,
#define AIC_ENUM(KIND, type, expected) KIND_##KIND,
#include <aic/enum.def>
#undef AIC_ENUM
} field_kind;

/* The word that is printed for a value of an enumeration; "?" for values that are none. */
const char *kind_word(field_kind kind, int64_t value);

/* The value of a word; false for words that are none. */
bool kind_value(field_kind kind, const char *word, int64_t *value);

/* Writes the words that are printed, joined by '|'; of other kinds `other`. */
void kind_list(field_kind kind, const char *other, char *text, size_t capacity);
