/* Choices and profiles by name; the lists are aic/choices.def and aic/profiles.def. */
#include "frontend/core/choice.h"

#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/text/sink.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* ---- the lists ---- */

static const aic_choice choices[] = {
#define AIC_CHOICE(key, row, meaning) {sizeof(aic_choice), #key, row, meaning},
#include <aic/choices.def>
#undef AIC_CHOICE
};

#define DOCUMENTED "documented"
#define VENDOR "vendor"
#define INFERRED "inferred"
#define CHOSEN "chosen"
#define OTHER "other"

static const aic_reading readings[] = {
#define AIC_READING(key, value, origin, meaning) {sizeof(aic_reading), #key, value, origin, meaning},
#include <aic/choices.def>
#undef AIC_READING
};

static const aic_profile profiles[] = {
#define AIC_PROFILE(name, meaning) {sizeof(aic_profile), #name, meaning},
#include <aic/profiles.def>
#undef AIC_PROFILE
};

static const struct {
    const char *profile, *key, *value;
} profile_reads[] = {
#define AIC_PROFILE_READS(profile, key, value) {#profile, #key, value},
#include <aic/profiles.def>
#undef AIC_PROFILE_READS
};

const aic_choice *aic_choice_at(size_t index)
{
    return index < COUNT(choices) ? &choices[index] : NULL;
}

const aic_reading *aic_reading_at(size_t index)
{
    return index < COUNT(readings) ? &readings[index] : NULL;
}

const aic_profile *aic_profile_at(size_t index)
{
    return index < COUNT(profiles) ? &profiles[index] : NULL;
}

/* ---- choices as members of aic_semantics ---- */

/* NULL for what is no choice: a member such as `lanes`, or nothing at all. */
static const aic_field *field_of(const char *key)
{
    size_t i = 0;
    while (i < COUNT(choices) && strcmp(choices[i].key, key) != 0) {
        i++;
    }
    for (size_t f = 0; i < COUNT(choices) && f < aic_semantics_record.count; f++) {
        if (strcmp(aic_semantics_record.fields[f].name, key) == 0) {
            return &aic_semantics_record.fields[f];
        }
    }
    return NULL;
}

static bool is_default(const aic_field *field, const aic_semantics *semantics)
{
    const aic_semantics defaults = aic_semantics_init();
    return aic_field_word(field, semantics, 0) == aic_field_word(field, &defaults, 0);
}

/* Names in a row, each behind ", ". */
enum { SEPARATOR = sizeof ", " - 1 };

static const char choice_names[] =
#define AIC_CHOICE(key, row, meaning) ", " #key
#include <aic/choices.def>
#undef AIC_CHOICE
    ;

static const char profile_names[] =
#define AIC_PROFILE(name, meaning) ", " #name
#include <aic/profiles.def>
#undef AIC_PROFILE
    ;

static aic_status fail_unknown_key(const char *key)
{
    return aic_fail(AIC_INVALID_ARGUMENT, NULL, "choice: \"%.40s\" is none of %s", key, choice_names + SEPARATOR);
}

aic_status aic_semantics_choose(aic_semantics *semantics, const char *key, const char *value)
{
    if (!semantics || !key || !value) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "choice: semantics, key or value is NULL");
    }
    uint64_t word;
    const aic_field *field = field_of(key);
    if (!field) {
        return fail_unknown_key(key);
    }
    if (!aic_enum_value(field->kind, value, strlen(value), &word)) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "choice: %s: \"%.40s\" is not %s", key, value,
                        aic_enum_expected(field->kind));
    }
    aic_semantics own = aic_semantics_init();
    aic_status status = aic_structure_take("semantics", semantics, &own, sizeof own);
    if (status == AIC_OK) {
        aic_field_set_word(field, &own, 0, word);
        status = aic_structure_give("semantics", semantics, &own, sizeof own);
    }
    return status;
}

aic_status aic_semantics_apply_profile(aic_semantics *semantics, const char *name)
{
    if (!semantics || !name) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "profile: semantics or name is NULL");
    }
    size_t i = 0;
    while (i < COUNT(profiles) && strcmp(profiles[i].name, name) != 0) {
        i++;
    }
    if (i == COUNT(profiles)) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "profile: \"%.40s\" is none of %s", name,
                        profile_names + SEPARATOR);
    }
    const aic_semantics defaults = aic_semantics_init();
    aic_semantics own = defaults;
    aic_status status = aic_structure_take("semantics", semantics, &own, sizeof own);
    if (status != AIC_OK) {
        return status;
    }
    for (size_t c = 0; c < COUNT(choices); c++) {
        const aic_field *field = field_of(choices[c].key);
        aic_field_set_word(field, &own, 0, aic_field_word(field, &defaults, 0));
    }
    status = aic_structure_give("semantics", semantics, &own, sizeof own);
    for (size_t r = 0; r < COUNT(profile_reads) && status == AIC_OK; r++) {
        if (strcmp(profile_reads[r].profile, name) == 0) {
            status = aic_semantics_choose(semantics, profile_reads[r].key, profile_reads[r].value);
        }
    }
    return status;
}

const char *aic_semantics_choice(const aic_semantics *semantics, const char *key)
{
    aic_semantics own;
    const aic_field *field = semantics && key ? field_of(key) : NULL;
    semantics = aic_semantics_of(semantics, &own);
    return field ? aic_enum_word(field->kind, aic_field_word(field, semantics, 0)) : NULL;
}

static void put_choices(aic_sink *out, const void *from)
{
    const char *separator = "";
    for (size_t c = 0; c < COUNT(choices); c++) {
        const char *value = aic_semantics_choice(from, choices[c].key);
        if (!is_default(field_of(choices[c].key), from)) {
            aic_sink_put(out, separator);
            aic_sink_put(out, choices[c].key);
            aic_sink_put(out, "=");
            aic_sink_put(out, value ? value : "?");
            separator = ", ";
        }
    }
}

aic_status aic_semantics_print_choices(const aic_semantics *semantics, char *buffer, size_t capacity, size_t *length)
{
    aic_semantics own;
    return aic_sink_write(put_choices, aic_semantics_of(semantics, &own), buffer, capacity, length);
}

/* ---- what a specification depends on ---- */

static bool matters(const aic_spec *resolved, const aic_semantics *semantics, const char *key)
{
    bool found = false;
    for (int32_t s = 0; s < resolved->count && !found; s++) {
        found = aic_stage_choice_matters(&resolved->stage[s], semantics, key);
    }
    return found;
}

aic_status aic_spec_choice_matters(const aic_spec *spec, const aic_semantics *semantics, const char *key, bool *result)
{
    aic_semantics own;
    semantics = aic_semantics_of(semantics, &own);
    aic_spec resolved;
    if (!key || !result) {
        return aic_fail(AIC_INVALID_ARGUMENT, NULL, "choice: key or result is NULL");
    }
    if (!field_of(key)) {
        return fail_unknown_key(key);
    }
    aic_status status = aic_spec_resolve(spec, semantics, &resolved);
    if (status == AIC_OK) {
        *result = matters(&resolved, semantics, key);
    }
    return status;
}

/* Kernels are made for any value of these. */
static bool kernels_compute(const char *key)
{
    static const char *const computed[] = {"int_overflow", "offset_sign", "scale_bits", "offset_clamp", "relu",
                                           "overflow",     "rounding",    "mac",        "minmax_nan"};
    size_t i = 0;
    while (i < COUNT(computed) && strcmp(computed[i], key) != 0) {
        i++;
    }
    return i < COUNT(computed);
}

aic_status aic_choices_check(const aic_spec *resolved, const aic_semantics *semantics)
{
    for (size_t c = 0; c < COUNT(choices); c++) {
        const char *key = choices[c].key;
        if (!is_default(field_of(key), semantics) && !kernels_compute(key) && matters(resolved, semantics, key)) {
            char subject[AIC_SUBJECT_MAX];
            aic_spec_subject(resolved, " | ", subject, sizeof subject);
            return aic_fail(AIC_UNSUPPORTED, subject, "only the reference computes %s=%s", key,
                            aic_semantics_choice(semantics, key));
        }
    }
    return AIC_OK;
}

aic_status aic_spec_check_choices(const aic_spec *spec, const aic_semantics *semantics)
{
    aic_semantics own;
    semantics = aic_semantics_of(semantics, &own);
    aic_spec resolved;
    aic_status status = aic_spec_resolve(spec, semantics, &resolved);
    return status == AIC_OK ? aic_choices_check(&resolved, semantics) : status;
}
