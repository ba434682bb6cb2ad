/* Field lists at run time: one aic_field a row of an operator's .def list. Text, keys and tests walk them; nothing
 * else knows what a descriptor consists of. */
#pragma once

#include <aic/field.h>
#include <string.h>

typedef enum aic_field_kind {
    AIC_KIND_INT,
    AIC_KIND_REAL,
    AIC_KIND_FLOAT32,
    AIC_KIND_BOOL,
    AIC_KIND_DTYPE,
    AIC_KIND_BITS,
    AIC_KIND_DIMS,
    AIC_KIND_SIZE,
    AIC_KIND_TAG,
#define AIC_ENUM(KIND, type, expected) AIC_KIND_##KIND,
#include <aic/enum.def>
#undef AIC_ENUM
    AIC_KIND_END
} aic_field_kind;

/* The kinds from here on are enumerations. */
#define AIC_KIND_FIRST_ENUM (AIC_KIND_TAG + 1)

typedef struct aic_field {
    const char *name;
    aic_field_kind kind;
    uint32_t count; /* entries; 1: a scalar */
    bool required;
    bool added;    /* left out of texts and identities where it has its fallback */
    size_t offset; /* in the descriptor */
    double fallback;
} aic_field;

/* A named list of fields: what is written "name(key=value, ...)". */
typedef struct aic_record {
    const char *name;
    const aic_field *fields;
    size_t count;
} aic_record;

#define AIC_NEED_REQUIRED true
#define AIC_NEED_OPTIONAL false
#define AIC_NEED_ADDED false
#define AIC_ADDED_REQUIRED false
#define AIC_ADDED_OPTIONAL false
#define AIC_ADDED_ADDED true

/* A row of the table of `type`: #define AIC_FIELD(...) AIC_FIELD_ROW(aic_conv2d_desc, __VA_ARGS__) */
#define AIC_FIELD_ROW(type, kind, name, count, need, fallback)                                                         \
    {#name, AIC_KIND_##kind, count, AIC_NEED_##need, AIC_ADDED_##need, offsetof(type, name), (double)(fallback)},

/* An entry of `size` bytes as a 64-bit pattern. Read without its type: a caller's bool may hold any byte, and loading
 * another than 0 or 1 as a bool is undefined. */
static inline uint64_t aic_entry_word(const void *entry, size_t size)
{
    unsigned char byte;
    uint32_t narrow;
    uint64_t wide;
    switch (size) {
    case sizeof byte:
        memcpy(&byte, entry, sizeof byte);
        return byte;
    case sizeof narrow:
        memcpy(&narrow, entry, sizeof narrow);
        return narrow;
    default:
        memcpy(&wide, entry, sizeof wide);
        return wide;
    }
}

/* Whether a flag is set that may hold any byte. */
static inline bool aic_flag(const bool *flag)
{
    return aic_entry_word(flag, sizeof *flag) != 0;
}

/* Writing a descriptor's fields as key words:
 *
 *     #define AIC_FIELD(kind, name, count, need, fallback) AIC_KEY_FIELD(kind, desc->name, count)
 *
 * Reals go in by their bits, so 0.0 and -0.0 are different keys, as are two NaN; booleans by their byte, which a caller
 * may have filled with anything. `words` and `n` are the caller's. */
#define AIC_KEY_FIELD(kind, member, count)                                                                             \
    for (uint32_t i_ = 0; i_ < (count); i_++) {                                                                        \
        words[n++] = AIC_ENTRY_WORD(kind, member, i_);                                                                 \
    }
#define AIC_ENTRY_WORD(kind, member, index)                                                                            \
    aic_entry_word((const unsigned char *)(const void *)&(member) + (index) * sizeof(AIC_CTYPE_##kind),                \
                   sizeof(AIC_CTYPE_##kind))

/* The same for comparing them with such words: returns 0 from the function where an entry differs. */
#define AIC_COMPARE_FIELD(kind, member, count)                                                                         \
    if (sizeof(AIC_CTYPE_##kind) == sizeof words[0]) {                                                                 \
        if (memcmp(words + n, (const void *)&(member), (count) * sizeof words[0]) != 0) {                              \
            return 0;                                                                                                  \
        }                                                                                                              \
        n += (count);                                                                                                  \
    } else {                                                                                                           \
        for (uint32_t i_ = 0; i_ < (count); i_++) {                                                                    \
            if (words[n++] != AIC_ENTRY_WORD(kind, member, i_)) {                                                      \
                return 0;                                                                                              \
            }                                                                                                          \
        }                                                                                                              \
    }

static inline uint64_t aic_bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint32_t aic_bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A name of at most eight letters as a tag, and back. */
typedef struct aic_tag_name {
    char text[sizeof(uint64_t) + 1];
} aic_tag_name;

static inline uint64_t aic_tag(const char *name)
{
    uint64_t tag = 0;
    for (unsigned i = 0; i < sizeof tag && name[i] != '\0'; i++) {
        tag |= (uint64_t)(unsigned char)name[i] << (8 * i);
    }
    return tag;
}

static inline aic_tag_name aic_tag_text(uint64_t tag)
{
    aic_tag_name name = {""};
    for (unsigned i = 0; i < sizeof tag; i++) {
        name.text[i] = (char)(tag >> (8 * i) & 0xFF);
    }
    return name;
}

/* Word of a value of an enumeration ("cube") or of a type, NULL for values that are none; the value of a word of an
 * enumeration; what the words are, for messages. */
const char *aic_enum_word(aic_field_kind kind, uint64_t value);
bool aic_enum_value(aic_field_kind kind, const char *word, size_t length, uint64_t *value);
const char *aic_enum_expected(aic_field_kind kind);
/* Word number `index` of a kind, of those that are printed and those that are read; NULL past the last. */
const char *aic_enum_listed(aic_field_kind kind, size_t index);

/* Goes on with a hash (bytes.h) of what the kind's words mean; of a kind that is no enumeration it stays. */
uint64_t aic_enum_hash(uint64_t hash, aic_field_kind kind);

/* Whether texts and identities have the field: all but those that were added later and have their fallback. */
bool aic_field_present(const aic_field *field, const void *desc);

/* Entries of a field that operator text shows: all, or for DIMS those up to the last that is not 0. */
uint32_t aic_field_shown(const aic_field *field, const void *desc);

/* Puts every field's fallback into a descriptor of `size` bytes, padding zeroed. */
void aic_fields_init(const aic_field *fields, size_t count, void *desc, size_t size);

/* Entry `index` of a field as a 64-bit pattern: integers and enumerations by value, reals by their bits. */
uint64_t aic_field_word(const aic_field *field, const void *desc, uint32_t index);

/* Whether all fields have the same words. What lies between fields, which nobody need set, does not count. */
bool aic_record_equal(const aic_record *record, const void *a, const void *b);

/* A hash of what a record's words mean: of its name and its fields' names, kinds and sizes, and of the words that name
 * the values of enumerations. Records that were made with another list of fields have another one, but for fields that
 * were added, which identities have only where they count. */
uint64_t aic_record_signature(const aic_record *record);

/* Stores an entry from such a pattern; for tests and parsers. */
void aic_field_set_word(const aic_field *field, void *desc, uint32_t index, uint64_t word);
