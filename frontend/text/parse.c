/* Reads operator text.
 *
 *     text   = stage { "|" stage }
 *     stage  = name "(" [ key "=" value { "," key "=" value } ] ")"
 *     value  = word | "[" word { "," word } "]" | quant
 *     quant  = "quant" "(" word [ "," word "," word ] ")", where 64 bits may be (quant.c)
 *     word   = one or more of A-Z a-z 0-9 _ . + - ?
 *
 * White space is free between words and signs. One pass, no recursion, no allocation: the first error ends it, and
 * its message names operator, key and column. Whether values are legal is not judged here. A text that begins like a
 * statement of PTO-AS is read as one (pto_as.c). */
#include "frontend/core/diag.h"
#include "frontend/core/op.h"
#include "frontend/core/rule.h"
#include "frontend/pto/as.h"
#include "frontend/text/nearest.h"
#include "frontend/text/number.h"
#include "frontend/text/quant.h"
#include "frontend/text/sink.h"
#include "frontend/text/text.h"
#include <aic/pto.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A word of the text. */
typedef struct word {
    const char *start;
    size_t length;
} word;

typedef struct reader {
    const char *text;
    const char *at;
    const aic_record *record; /* being read, or NULL */
    const aic_field *field;   /* key being read, or NULL */
    bool no_key;              /* what was read is not a key */
} reader;

/* ---- messages ---- */

/* The keys of any operator fit. */
enum { KEYS_MAX = 448 };

/* Where a key comes from that is read; else the rules of texts. */
static const aic_rule *source_of(const reader *in)
{
    for (int op = AIC_OP_NONE + 1; in->field != NULL && op < AIC_OP_END; op++) {
        const aic_op_info *info = aic_op_get((aic_op)op);
        for (size_t i = 0; &info->record == in->record && i < info->rule_count; i++) {
            if (strcmp(info->rules[i].kind, "field") == 0 && strcmp(info->rules[i].id, in->field->name) == 0) {
                return &info->rules[i];
            }
        }
    }
    return aic_request_rule(in->no_key ? AIC_REQUEST_key : AIC_REQUEST_text);
}

/* Fails with "OPERATOR: KEY: message (column N) [SOURCE]"; `where` points into the text. */
__attribute__((format(printf, 3, 4))) static aic_status fail_at(const reader *in, const char *where, const char *format,
                                                                ...)
{
    char message[KEYS_MAX + 64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const aic_status status =
        aic_fail(AIC_INVALID_ARGUMENT, in->record ? in->record->name : NULL, "%s%s%s (column %zu)",
                 in->field ? in->field->name : "", in->field ? ": " : "", message, (size_t)(where - in->text) + 1);
    return aic_fail_source(status, source_of(in));
}

/* "; did you mean stride?", or nothing. */
typedef struct hint {
    char text[64];
} hint;

static hint hint_of(const aic_nearest *search)
{
    hint h = {""};
    if (search->best) {
        snprintf(h.text, sizeof h.text, "; did you mean %s?", search->best);
    }
    return h;
}

#define SHOWN_MAX 40

typedef struct shown {
    char text[SHOWN_MAX + 4];
} shown;

/* A word as a message shows it: cut when long. Words hold printable characters only. */
static shown show(word w)
{
    shown s;
    snprintf(s.text, sizeof s.text, "%.*s%s", (int)(w.length < SHOWN_MAX ? w.length : SHOWN_MAX), w.start,
             w.length > SHOWN_MAX ? "..." : "");
    return s;
}

/* What stands in the text at the reader, for "expected ..." messages. */
static shown show_next(const reader *in)
{
    shown s;
    const unsigned char c = (unsigned char)*in->at;
    if (c == '\0') {
        snprintf(s.text, sizeof s.text, "the end of the text");
    } else {
        snprintf(s.text, sizeof s.text, c > ' ' && c < 0x7F ? "'%c'" : "byte 0x%02X", c);
    }
    return s;
}

/* ---- words and signs ---- */

static void skip_space(reader *in)
{
    in->at += strspn(in->at, " \t\r\n\v\f");
}

/* Takes the sign `c` if it comes next. */
static bool take(reader *in, char c)
{
    skip_space(in);
    if (*in->at != c) {
        return false;
    }
    in->at++;
    return true;
}

static aic_status expect(reader *in, char c)
{
    return take(in, c) ? AIC_OK : fail_at(in, in->at, "expected '%c' instead of %s", c, show_next(in).text);
}

/* Reads a word; `what` names it in the message. */
static aic_status read_word(reader *in, const char *what, word *w)
{
    skip_space(in);
    w->start = in->at;
    w->length = strspn(in->at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-?");
    if (w->length == 0) {
        return fail_at(in, in->at, "expected %s instead of %s", what, show_next(in).text);
    }
    in->at += w->length;
    return AIC_OK;
}

static bool word_is(word w, const char *text)
{
    return strlen(text) == w.length && memcmp(w.start, text, w.length) == 0;
}

/* ---- values ---- */

static aic_status fail_value(const reader *in, word w, const char *expected)
{
    return fail_at(in, w.start, "%s is not %s", show(w).text, expected);
}

/* What becomes of a number that was read; `fitting`: what one is that is not too big. */
static aic_status judge_number(const reader *in, word w, aic_number_result result, const char *number,
                               const char *fitting)
{
    return result == AIC_NUMBER_OK ? AIC_OK : fail_value(in, w, result == AIC_NUMBER_TOO_BIG ? fitting : number);
}

static aic_status value_int(const reader *in, word w, uint64_t *value)
{
    int64_t integer = 0;
    const aic_number_result result = aic_integer_parse(w.start, w.length, &integer);
    *value = (uint64_t)integer;
    return judge_number(in, w, result, "an integer", "an integer of 64 bits");
}

/* 0 would end the list of entries. */
static aic_status value_dim(const reader *in, word w, uint64_t *value)
{
    aic_status status = value_int(in, w, value);
    return status == AIC_OK && *value == 0 ? fail_at(in, w.start, "0 is outside 1..%" PRId64, INT64_MAX) : status;
}

static aic_status value_real(const reader *in, word w, uint64_t *value)
{
    double real = 0;
    const aic_number_result result = aic_number_parse(w.start, w.length, &real);
    *value = aic_bits_of_double(real);
    return judge_number(in, w, result, "a number", "a number of double precision");
}

static aic_status value_float32(const reader *in, word w, uint64_t *value)
{
    float real = 0;
    const aic_number_result result = aic_float_parse(w.start, w.length, &real);
    *value = aic_bits_of_float(real);
    return judge_number(in, w, result, "a number", "a number of single precision or its 32 bits");
}

static aic_status value_bool(const reader *in, word w, uint64_t *value)
{
    *value = word_is(w, "true") || word_is(w, "True");
    return *value || word_is(w, "false") || word_is(w, "False") ? AIC_OK : fail_value(in, w, "true or false");
}

static aic_status value_dtype(const reader *in, word w, uint64_t *value)
{
    aic_nearest near = {.word = w.start, .length = w.length};
    char name[16] = ""; /* longer than any name or alias */
    if (w.length < sizeof name) {
        memcpy(name, w.start, w.length);
    }
    *value = aic_dtype_parse(name);
    if (*value != AIC_DTYPE_NONE) {
        return AIC_OK;
    }
    for (int dtype = 1; aic_dtype_size((aic_dtype)dtype) > 0; dtype++) {
        aic_nearest_try(&near, aic_dtype_name((aic_dtype)dtype));
    }
    return fail_at(in, w.start, "%s is not a data type (int8, float16, ...)%s", show(w).text, hint_of(&near).text);
}

static aic_status value_bits(const reader *in, word w, uint64_t *value)
{
    return aic_bits_parse(w.start, w.length, value) == AIC_NUMBER_OK
               ? AIC_OK
               : fail_value(in, w, "an integer of 64 bits without a sign, or quant(...)");
}

static aic_status value_enum(const reader *in, word w, uint64_t *value)
{
    if (aic_enum_value(in->field->kind, w.start, w.length, value)) {
        return AIC_OK;
    }
    aic_nearest near = {.word = w.start, .length = w.length};
    const char *name;
    for (size_t i = 0; (name = aic_enum_listed(in->field->kind, i)) != NULL; i++) {
        aic_nearest_try(&near, name);
    }
    return fail_at(in, w.start, "%s is not %s%s", show(w).text, aic_enum_expected(in->field->kind),
                   hint_of(&near).text);
}

static aic_status value_size(const reader *in, word w, uint64_t *value)
{
    if (word_is(w, "none")) {
        *value = (uint64_t)AIC_NOT_GIVEN;
        return AIC_OK;
    }
    if (word_is(w, "dyn") || word_is(w, "?")) {
        *value = (uint64_t)AIC_DYNAMIC;
        return AIC_OK;
    }
    return value_int(in, w, value);
}

static aic_status value_tag(const reader *in, word w, uint64_t *value)
{
    aic_tag_name name = {""};
    if (w.length >= sizeof name.text) {
        return fail_value(in, w, "a name of at most eight letters");
    }
    memcpy(name.text, w.start, w.length);
    *value = aic_tag(name.text);
    return AIC_OK;
}

/* By field kind: reads a word as an entry of that kind. */
static aic_status (*const value_readers[])(const reader *in, word w, uint64_t *value) = {
    [AIC_KIND_INT] = value_int,   [AIC_KIND_REAL] = value_real,   [AIC_KIND_FLOAT32] = value_float32,
    [AIC_KIND_BOOL] = value_bool, [AIC_KIND_DTYPE] = value_dtype, [AIC_KIND_BITS] = value_bits,
    [AIC_KIND_DIMS] = value_dim,  [AIC_KIND_SIZE] = value_size,   [AIC_KIND_TAG] = value_tag,
#define AIC_ENUM(KIND, type, expected) [AIC_KIND_##KIND] = value_enum,
#include <aic/enum.def>
#undef AIC_ENUM
};

/* "?" and a number: bits that no other text of the field's kind stands for. */
static aic_status value_odd(const reader *in, word w, uint64_t *value)
{
    const char *name = NULL;
    uint64_t bits = 0;
    bool fits = aic_bits_parse(w.start + 1, w.length - 1, &bits) == AIC_NUMBER_OK;
    *value = bits;
    if (in->field->kind == AIC_KIND_BOOL) {
        fits = fits && bits > 1 && bits <= UINT8_MAX;
    } else if (in->field->kind == AIC_KIND_REAL) {
        double real;
        memcpy(&real, &bits, sizeof real);
        fits = fits && real != real; /* the bits of one that is no number */
    } else {
        name = fits ? aic_enum_word(in->field->kind, bits) : NULL;
        fits = fits && bits <= UINT32_MAX && name == NULL;
    }
    return fits ? AIC_OK
                : fail_at(in, w.start, "%s is not a \"?\" and a number for which there is no word", show(w).text);
}

/* Whether such bits are something else than the values that the rest of the text has. */
static bool has_odd(aic_field_kind kind)
{
    return kind == AIC_KIND_BOOL || kind == AIC_KIND_REAL || kind == AIC_KIND_DTYPE || kind >= AIC_KIND_FIRST_ENUM;
}

/* A quantisation word by its parts, where 64 bits may be; *found: there is one. */
static aic_status read_quant(reader *in, bool *found, uint64_t *value)
{
    const char *at = in->at;
    const aic_quant_result result = in->field->kind == AIC_KIND_BITS ? aic_quant_read(&at, value) : AIC_QUANT_NONE;
    *found = result != AIC_QUANT_NONE;
    if (*found && result != AIC_QUANT_OK) {
        return fail_at(in, at, "%s", aic_quant_fault(result, at).text);
    }
    in->at = *found ? at : in->at;
    return AIC_OK;
}

static aic_status read_entry(reader *in, void *desc, uint32_t index)
{
    word w;
    bool found = false;
    uint64_t value = 0;
    const aic_status failed = read_quant(in, &found, &value);
    if (failed != AIC_OK) {
        return failed;
    }
    if (found) {
        aic_field_set_word(in->field, desc, index, value);
        return AIC_OK;
    }
    aic_status status = read_word(in, "a value", &w);
    if (status == AIC_OK && w.start[0] == '?' && has_odd(in->field->kind)) {
        status = value_odd(in, w, &value);
    } else if (status == AIC_OK) {
        status = value_readers[in->field->kind](in, w, &value);
    }
    if (status == AIC_OK) {
        aic_field_set_word(in->field, desc, index, value);
    }
    return status;
}

/* "[a, b, ...]" with exactly the field's number of entries; of DIMS there may be fewer, and none where it is optional.
 */
static aic_status read_vector(reader *in, void *desc)
{
    aic_status status = expect(in, '[');
    uint32_t given = 0;
    while (status == AIC_OK && !(given == 0 && take(in, ']'))) {
        if (given == in->field->count) {
            return fail_at(in, in->at, "more than %u entries", in->field->count);
        }
        status = read_entry(in, desc, given++);
        if (status == AIC_OK && !take(in, ',')) {
            status = expect(in, ']');
            break;
        }
    }
    bool fewer = in->field->kind == AIC_KIND_DIMS && (given > 0 || !in->field->required);
    if (status == AIC_OK && given != in->field->count && !fewer) {
        status = fail_at(in, in->at, "%u entries instead of %u", given, in->field->count);
    }
    return status;
}

/* ---- keys, stages, chains ---- */

/* The keys of a record for messages: "dtype, fm_shape, ...". */
static void list_keys(const aic_record *record, char *buffer, size_t capacity)
{
    for (size_t f = 0; f < record->count; f++) {
        aic_text_join(buffer, capacity, ", ", record->fields[f].name);
    }
}

/* key "=" value. `seen` has a bit for every field of the record. */
static aic_status read_pair(reader *in, void *desc, uint64_t *seen)
{
    word key;
    in->field = NULL;
    aic_status status = read_word(in, "a key", &key);
    if (status != AIC_OK) {
        return status;
    }
    size_t f = 0;
    while (f < in->record->count && !word_is(key, in->record->fields[f].name)) {
        f++;
    }
    if (f == in->record->count) {
        aic_nearest near = {.word = key.start, .length = key.length};
        for (f = 0; f < in->record->count; f++) {
            aic_nearest_try(&near, in->record->fields[f].name);
        }
        char keys[KEYS_MAX] = "";
        list_keys(in->record, keys, sizeof keys);
        in->no_key = true;
        return fail_at(in, key.start, "%s: unknown key%s%s the keys are %s", show(key).text, hint_of(&near).text,
                       near.best ? "" : ";", keys);
    }
    in->field = &in->record->fields[f];
    if (*seen >> f & 1) {
        return fail_at(in, key.start, "given twice");
    }
    *seen |= UINT64_C(1) << f;
    status = expect(in, '=');
    if (status == AIC_OK) {
        status = in->field->count > 1 ? read_vector(in, desc) : read_entry(in, desc, 0);
    }
    in->field = status == AIC_OK ? NULL : in->field;
    return status;
}

static aic_status check_required(reader *in, const char *end, uint64_t seen)
{
    for (size_t f = 0; f < in->record->count; f++) {
        if (in->record->fields[f].required && !(seen >> f & 1)) {
            in->field = &in->record->fields[f];
            return fail_at(in, end, "this key is required and missing");
        }
    }
    return AIC_OK;
}

/* "(" [ pair { "," pair } ] ")"; bit f of *seen: field f is given. */
static aic_status read_given_fields(reader *in, const aic_record *record, void *fields, uint64_t *seen)
{
    *seen = 0;
    in->record = record;
    aic_status status = expect(in, '(');
    bool closed = status == AIC_OK && take(in, ')');
    while (status == AIC_OK && !closed) {
        status = read_pair(in, fields, seen);
        if (status == AIC_OK && !take(in, ',')) {
            closed = take(in, ')');
            status = closed ? AIC_OK : fail_at(in, in->at, "expected ',' or ')' instead of %s", show_next(in).text);
        }
    }
    return status;
}

/* The same, with all that is required. */
static aic_status read_fields(reader *in, const aic_record *record, void *fields)
{
    uint64_t seen;
    const aic_status status = read_given_fields(in, record, fields, &seen);
    return status == AIC_OK ? check_required(in, in->at - 1, seen) : status;
}

static aic_status read_end(reader *in, const char *expected)
{
    in->record = NULL;
    skip_space(in);
    return *in->at == '\0' ? AIC_OK : fail_at(in, in->at, "expected %s instead of %s", expected, show_next(in).text);
}

/* "conv2d, mmad, ...", and which of them is meant. */
static void list_operators(aic_nearest *near, char *buffer, size_t capacity)
{
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        aic_nearest_try(near, aic_op_name((aic_op)op));
        aic_text_join(buffer, capacity, ", ", aic_op_name((aic_op)op));
    }
}

static aic_status read_stage(reader *in, aic_stage *stage)
{
    word name;
    in->record = NULL;
    in->field = NULL;
    aic_status status = read_word(in, "the name of an operator", &name);
    if (status != AIC_OK) {
        return status;
    }
    for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
        const aic_op_info *info = aic_op_get((aic_op)op);
        if (word_is(name, info->record.name)) {
            stage->op = (aic_op)op;
            info->init(&stage->desc);
            status = read_fields(in, &info->record, &stage->desc);
            if (status == AIC_OK && info->fill_in) {
                info->fill_in(&stage->desc);
            }
            return status;
        }
    }
    aic_nearest near = {.word = name.start, .length = name.length};
    char names[KEYS_MAX] = "";
    list_operators(&near, names, sizeof names);
    return fail_at(in, name.start, "%s: unknown operator%s%s the operators are %s", show(name).text,
                   hint_of(&near).text, near.best ? "" : ";", names);
}

aic_status aic_record_parse(const aic_record *record, const char *text, void *fields, uint64_t *given)
{
    reader in = {.text = text, .at = text};
    word name;
    aic_status status = read_word(&in, "a name", &name);
    if (status == AIC_OK && !word_is(name, record->name)) {
        status = fail_at(&in, name.start, "expected %s(...) instead of %s", record->name, show(name).text);
    }
    if (status == AIC_OK) {
        status = given != NULL ? read_given_fields(&in, record, fields, given) : read_fields(&in, record, fields);
    }
    return status == AIC_OK ? read_end(&in, "the end of the text") : status;
}

aic_status aic_spec_read(const char *text, aic_spec *spec)
{
    if (!text || !spec) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "the %s is NULL", text ? "specification" : "operator text");
    }
    if (aic_pto_recognise(text)) {
        return aic_pto_read_spec(text, spec);
    }
    reader in = {.text = text, .at = text};
    aic_spec result;
    memset(&result, 0, sizeof result);
    do {
        if (result.count == AIC_STAGES_MAX) {
            in.record = NULL;
            return fail_at(&in, in.at, "more than %d operators in a chain", AIC_STAGES_MAX);
        }
        aic_status status = read_stage(&in, &result.stage[result.count]);
        if (status != AIC_OK) {
            return status;
        }
        result.count++;
    } while (take(&in, '|'));
    aic_status status = read_end(&in, "'|' or the end of the text");
    if (status == AIC_OK) {
        *spec = result;
    }
    return status;
}
