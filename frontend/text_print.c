/* Writes operator text in its canonical form: every key, in the order of the field list, one spelling. */
#include "frontend/text.h"

#include "frontend/diag.h"
#include "frontend/number.h"
#include "frontend/op.h"

#include <inttypes.h>
#include <stdio.h>

/* Text under way: counts every byte, keeps those that fit. */
typedef struct sink {
    char *buffer;
    size_t capacity;
    size_t length;
} sink;

static void put(sink *out, const char *text)
{
    for (; *text; text++, out->length++) {
        if (out->length < out->capacity) {
            out->buffer[out->length] = *text;
        }
    }
}

/* One entry. Values outside an enumeration come out as numbers: they are for messages, and do not read back. */
static aic_status put_entry(sink *out, const aic_field *field, const void *desc, uint32_t index)
{
    const uint64_t word = aic_field_word(field, desc, index);
    const char *name = NULL;
    char number[AIC_NUMBER_TEXT_MAX];
    double real;
    uint32_t single;
    float narrow;
    switch (field->kind) {
    case AIC_KIND_REAL:
        memcpy(&real, &word, sizeof real);
        name = number;
        if (aic_number_print(real, number) != AIC_OK) {
            return aic_fail_memory(field->name, sizeof number);
        }
        break;
    case AIC_KIND_FLOAT32:
        single = (uint32_t)word;
        memcpy(&narrow, &single, sizeof narrow);
        name = number;
        if (aic_float_print(narrow, number) != AIC_OK) {
            return aic_fail_memory(field->name, sizeof number);
        }
        break;
    case AIC_KIND_BOOL:
        name = word == 0 ? "false" : word == 1 ? "true" : NULL;
        break;
    case AIC_KIND_DTYPE:
        name = aic_dtype_size((aic_dtype)word) || word == AIC_DTYPE_NONE ? aic_dtype_name((aic_dtype)word) : NULL;
        break;
    case AIC_KIND_BITS:
        name = number;
        snprintf(number, sizeof number, "0x%" PRIx64, word);
        break;
    case AIC_KIND_INT:
    case AIC_KIND_DIMS:
        break;
    default:
        name = aic_enum_word(field->kind, word);
        break;
    }
    if (!name) {
        snprintf(number, sizeof number, "%" PRId64, (int64_t)word);
        name = number;
    }
    put(out, name);
    return AIC_OK;
}

static aic_status put_record(sink *out, const aic_record *record, const void *desc)
{
    put(out, record->name);
    for (size_t f = 0; f < record->count; f++) {
        const aic_field *field = &record->fields[f];
        put(out, f == 0 ? "(" : ", ");
        put(out, field->name);
        put(out, field->count > 1 ? "=[" : "=");
        const uint32_t shown = aic_field_shown(field, desc);
        for (uint32_t i = 0; i < shown; i++) {
            put(out, i > 0 ? "," : "");
            aic_status status = put_entry(out, field, desc, i);
            if (status != AIC_OK) {
                return status;
            }
        }
        put(out, field->count > 1 ? "]" : "");
    }
    put(out, ")");
    return AIC_OK;
}

static aic_status put_spec(sink *out, const aic_spec *spec)
{
    for (int32_t i = 0; i < spec->count; i++) {
        put(out, i > 0 ? " | " : "");
        aic_status status = put_record(out, &aic_op_get(spec->stage[i].op)->record, &spec->stage[i].desc);
        if (status != AIC_OK) {
            return status;
        }
    }
    return AIC_OK;
}

/* Something to be written, and how. */
typedef struct source {
    const aic_spec *spec;
    const aic_record *record; /* when spec is NULL */
    const void *fields;
} source;

static aic_status put_source(sink *out, const source *from)
{
    return from->spec ? put_spec(out, from->spec) : put_record(out, from->record, from->fields);
}

static aic_status print(const source *from, char *buffer, size_t capacity, size_t *length)
{
    sink measure = {NULL, 0, 0}; /* first, so that a buffer that is too small stays as it was */
    aic_status status = put_source(&measure, from);
    if (status != AIC_OK) {
        return status;
    }
    if (length) {
        *length = measure.length;
    }
    if (capacity == 0) {
        return AIC_OK;
    }
    if (!buffer || measure.length >= capacity) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "the text needs %zu bytes, the buffer has %zu", measure.length + 1,
                        buffer ? capacity : 0);
    }
    sink out = {buffer, capacity, 0};
    status = put_source(&out, from);
    if (status == AIC_OK) {
        buffer[out.length] = '\0';
    }
    return status;
}

aic_status aic_record_print(const aic_record *record, const void *fields, char *buffer, size_t capacity, size_t *length)
{
    return print(&(source){.record = record, .fields = fields}, buffer, capacity, length);
}

aic_status aic_spec_print(const aic_spec *spec, char *buffer, size_t capacity, size_t *length)
{
    if (!spec || spec->count < 1 || spec->count > AIC_STAGES_MAX) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "the specification is NULL or has no 1..%d operators",
                        AIC_STAGES_MAX);
    }
    for (int32_t i = 0; i < spec->count; i++) {
        if (!aic_op_get(spec->stage[i].op)) {
            return aic_fail(AIC_INVALID_ARGUMENT, NULL, "stage %d: operator %u is outside 1..%d", (int)i + 1,
                            (unsigned)spec->stage[i].op, AIC_OP_END - 1);
        }
    }
    return print(&(source){.spec = spec}, buffer, capacity, length);
}
