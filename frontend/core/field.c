/* Field lists at run time: entries of a descriptor as 64-bit words. */
#include "frontend/core/field.h"

#include "frontend/core/bytes.h"

/* Storage of one entry by kind. */
static const size_t entry_sizes[] = {
    [AIC_KIND_INT] = sizeof(int64_t),  [AIC_KIND_REAL] = sizeof(double),     [AIC_KIND_FLOAT32] = sizeof(float),
    [AIC_KIND_BOOL] = sizeof(bool),    [AIC_KIND_DTYPE] = sizeof(aic_dtype), [AIC_KIND_BITS] = sizeof(uint64_t),
    [AIC_KIND_DIMS] = sizeof(int64_t), [AIC_KIND_SIZE] = sizeof(int64_t),    [AIC_KIND_TAG] = sizeof(uint64_t),
#define AIC_ENUM(KIND, type, expected) [AIC_KIND_##KIND] = sizeof(type),
#include <aic/enum.def>
#undef AIC_ENUM
};

_Static_assert(sizeof(bool) == 1, "a bool is one byte");
_Static_assert(sizeof(aic_dtype) == sizeof(uint32_t), "enumerations are 32 bits wide");
#define AIC_ENUM(KIND, type, expected) _Static_assert(sizeof(type) == sizeof(uint32_t), #type " is 32 bits wide");
#include <aic/enum.def>
#undef AIC_ENUM

uint32_t aic_field_shown(const aic_field *field, const void *desc)
{
    uint32_t shown = field->count;
    while (field->kind == AIC_KIND_DIMS && shown > (field->required ? 1 : 0) &&
           aic_field_word(field, desc, shown - 1) == 0) {
        shown--;
    }
    return shown;
}

static size_t entry_offset(const aic_field *field, uint32_t index)
{
    return field->offset + index * entry_sizes[field->kind];
}

uint64_t aic_field_word(const aic_field *field, const void *desc, uint32_t index)
{
    return aic_entry_word((const unsigned char *)desc + entry_offset(field, index), entry_sizes[field->kind]);
}

void aic_field_set_word(const aic_field *field, void *desc, uint32_t index, uint64_t word)
{
    unsigned char *entry = (unsigned char *)desc + entry_offset(field, index);
    uint32_t narrow = (uint32_t)word;
    switch (entry_sizes[field->kind]) {
    case sizeof(unsigned char):
        *entry = (unsigned char)word;
        break;
    case sizeof narrow:
        memcpy(entry, &narrow, sizeof narrow);
        break;
    default:
        memcpy(entry, &word, sizeof word);
        break;
    }
}

/* The pattern of a field's fallback, which every entry has. */
static uint64_t fallback_word(const aic_field *field)
{
    return field->kind == AIC_KIND_REAL      ? aic_bits_of_double(field->fallback)
           : field->kind == AIC_KIND_FLOAT32 ? aic_bits_of_float((float)field->fallback)
                                             : (uint64_t)(int64_t)field->fallback;
}

bool aic_field_present(const aic_field *field, const void *desc)
{
    bool present = !field->added;
    for (uint32_t i = 0; i < field->count; i++) {
        present = present || aic_field_word(field, desc, i) != fallback_word(field);
    }
    return present;
}

void aic_fields_init(const aic_field *fields, size_t count, void *desc, size_t size)
{
    memset(desc, 0, size);
    memcpy(desc, &size, sizeof size); /* structures begin with their own */
    for (size_t f = 0; f < count; f++) {
        const uint64_t word = fallback_word(&fields[f]);
        for (uint32_t i = 0; i < fields[f].count; i++) {
            aic_field_set_word(&fields[f], desc, i, word);
        }
    }
}

bool aic_record_equal(const aic_record *record, const void *a, const void *b)
{
    for (size_t f = 0; f < record->count; f++) {
        for (uint32_t i = 0; i < record->fields[f].count; i++) {
            if (aic_field_word(&record->fields[f], a, i) != aic_field_word(&record->fields[f], b, i)) {
                return false;
            }
        }
    }
    return true;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return aic_hash_more(hash, text, strlen(text) + 1);
}

uint64_t aic_record_signature(const aic_record *record)
{
    uint64_t hash = hash_text(AIC_HASH_BEGIN, record->name);
    for (size_t f = 0; f < record->count && !record->fields[f].added; f++) { /* these are the last */
        const aic_field *field = &record->fields[f];
        const unsigned char form[] = {(unsigned char)field->kind, (unsigned char)field->count,
                                      (unsigned char)entry_sizes[field->kind]};
        hash = hash_text(hash, field->name);
        hash = aic_hash_more(hash, form, sizeof form);
        hash = aic_enum_hash(hash, field->kind);
    }
    return aic_hash_end(hash);
}
