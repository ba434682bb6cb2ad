/* Writes operator text in its canonical form: every key but those that were added and have their default, in the order
 * of the field list, one spelling. Values that have no other one, as fields without effect may have, are "?" and a
 * number. */
#include "frontend/text/text.h"

#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/text/number.h"
#include "frontend/text/sink.h"

#include <inttypes.h>
#include <stdio.h>

/* Whether the text of a number stands for all of its bits: of the many that are no number it does for one. */
static bool tells_bits(double value)
{
    double back = 0;
    char text[AIC_NUMBER_TEXT_MAX];
    aic_number_print(value, text);
    return aic_number_parse(text, strlen(text), &back) == AIC_NUMBER_OK &&
           aic_bits_of_double(back) == aic_bits_of_double(value);
}

/* One entry. */
static void put_entry(aic_sink *out, const aic_field *field, const void *desc, uint32_t index)
{
    const uint64_t word = aic_field_word(field, desc, index);
    const char *name = NULL;
    char number[AIC_NUMBER_TEXT_MAX];
    double real;
    uint32_t single;
    float narrow;
    aic_tag_name tag;
    switch (field->kind) {
    case AIC_KIND_REAL:
        memcpy(&real, &word, sizeof real);
        if (tells_bits(real)) {
            name = number;
            aic_number_print(real, number);
        }
        break;
    case AIC_KIND_FLOAT32:
        single = (uint32_t)word;
        memcpy(&narrow, &single, sizeof narrow);
        name = number;
        aic_float_print(narrow, number);
        break;
    case AIC_KIND_BOOL:
        name = word == 0 ? "false" : word == 1 ? "true" : NULL;
        break;
    case AIC_KIND_BITS:
        name = number;
        snprintf(number, sizeof number, "0x%" PRIx64, word);
        break;
    case AIC_KIND_TAG:
        tag = aic_tag_text(word);
        name = tag.text;
        break;
    case AIC_KIND_INT:
    case AIC_KIND_DIMS:
        break;
    case AIC_KIND_SIZE:
        name = (int64_t)word == AIC_NOT_GIVEN ? "none" : (int64_t)word == AIC_DYNAMIC ? "dyn" : NULL;
        break;
    default:
        name = aic_enum_word(field->kind, word);
        break;
    }
    if (!name) {
        const bool integer =
            field->kind == AIC_KIND_INT || field->kind == AIC_KIND_DIMS || field->kind == AIC_KIND_SIZE;
        name = number;
        if (integer) {
            snprintf(number, sizeof number, "%" PRId64, (int64_t)word);
        } else {
            snprintf(number, sizeof number, "?0x%" PRIx64, word);
        }
    }
    aic_sink_put(out, name);
}

static void put_record(aic_sink *out, const aic_record *record, const void *desc)
{
    aic_sink_put(out, record->name);
    for (size_t f = 0; f < record->count; f++) {
        const aic_field *field = &record->fields[f];
        if (!aic_field_present(field, desc)) {
            continue;
        }
        aic_sink_put(out, f == 0 ? "(" : ", ");
        aic_sink_put(out, field->name);
        aic_sink_put(out, field->count > 1 ? "=[" : "=");
        const uint32_t shown = aic_field_shown(field, desc);
        for (uint32_t i = 0; i < shown; i++) {
            aic_sink_put(out, i > 0 ? "," : "");
            put_entry(out, field, desc, i);
        }
        aic_sink_put(out, field->count > 1 ? "]" : "");
    }
    aic_sink_put(out, record->count == 0 ? "()" : ")");
}

static void put_spec(aic_sink *out, const aic_spec *spec)
{
    for (int32_t i = 0; i < spec->count; i++) {
        aic_sink_put(out, i > 0 ? " | " : "");
        const aic_op_info *op = aic_op_get(spec->stage[i].op);
        aic_stage stage = spec->stage[i];
        if (op->fill_in) {
            op->fill_in(&stage.desc);
        }
        put_record(out, &op->record, &stage.desc);
    }
}

/* Something to be written, and how. */
typedef struct source {
    const aic_spec *spec;
    const aic_record *record; /* when spec is NULL */
    const void *fields;
} source;

static void put_source(aic_sink *out, const void *what)
{
    const source *from = what;
    if (from->spec) {
        put_spec(out, from->spec);
    } else {
        put_record(out, from->record, from->fields);
    }
}

aic_status aic_record_print(const aic_record *record, const void *fields, char *buffer, size_t capacity, size_t *length)
{
    return aic_sink_write(put_source, &(source){.record = record, .fields = fields}, buffer, capacity, length);
}

aic_status aic_record_print_new(const aic_record *record, const void *fields, char **text)
{
    return aic_sink_new(put_source, &(source){.record = record, .fields = fields}, text);
}

aic_status aic_spec_print(const aic_spec *spec, char *buffer, size_t capacity, size_t *length)
{
    aic_status status = aic_spec_check_stages(spec);
    return status == AIC_OK ? aic_sink_write(put_source, &(source){.spec = spec}, buffer, capacity, length) : status;
}

aic_status aic_spec_print_new(const aic_spec *spec, char **text)
{
    aic_status status = aic_spec_check_stages(spec);
    return status == AIC_OK ? aic_sink_new(put_source, &(source){.spec = spec}, text) : status;
}
