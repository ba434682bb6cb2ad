/* What the documents leave to the machine: the options of aic_semantics and their ranges. */
#include "frontend/core/rule.h"
#include "frontend/core/spec.h"

#include <inttypes.h>
#include <string.h>

static const aic_field semantics_fields[] = {
#define AIC_FIELD(...) AIC_FIELD_ROW(aic_semantics, __VA_ARGS__)
#include <aic/choices.def>
#include <aic/semantics.def>
#undef AIC_FIELD
};

const aic_record aic_semantics_record = {"semantics", semantics_fields,
                                         sizeof semantics_fields / sizeof semantics_fields[0]};

enum {
#define AIC_RULE(id, fields, text, origin, source) RULE_##id,
#include <aic/semantics.def>
#undef AIC_RULE
    RULES
};

_Static_assert((int)RULES <= (int)AIC_RULES_MAX, "a verdict has a bit for each");

#define NAME "semantics"

static const aic_rule provenance[] = {
#define AIC_RULE(id, fields, text, origin, source) AIC_RULE_ROW(NAME, id, fields, text, origin, source)
#include <aic/semantics.def>
#undef AIC_RULE
#define AIC_MEANING(field, text, origin, source) AIC_MEANING_ROW(NAME, field, text, origin, source)
#define AIC_DEFAULT(field, origin, source) AIC_DEFAULT_ROW(NAME, field, origin, source)
#include <aic/semantics.def>
#undef AIC_MEANING
#undef AIC_DEFAULT
};

const aic_rule_list aic_semantics_rules = {provenance, sizeof provenance / sizeof provenance[0]};

/* By name of an option that is a number. */
static const struct {
    const char *name;
    int rule;
    int64_t low, high, step;
} semantics_ranges[] = {
#define AIC_RANGE(name, low, high, step) {#name, RULE_##name, low, high, step},
#include <aic/semantics.def>
#undef AIC_RANGE
};

static void check_number(aic_verdict *v, const char *name, int64_t value)
{
    size_t i = 0;
    while (strcmp(semantics_ranges[i].name, name) != 0) {
        i++;
    }
    const int64_t low = semantics_ranges[i].low, high = semantics_ranges[i].high, step = semantics_ranges[i].step;
    if (aic_rule_range(v, semantics_ranges[i].rule, name, NULL, value, low, high) && value % step != 0) {
        aic_break(v, semantics_ranges[i].rule, "%s: %" PRId64 " is no multiple of %" PRId64, name, value, step);
    }
}

aic_status aic_semantics_check(const aic_semantics *semantics)
{
    aic_verdict v = {.rules = provenance};
    if (semantics->size != sizeof *semantics) { /* aic_semantics_of() has refused it, with a message */
        return semantics->size == SIZE_MAX ? AIC_UNSUPPORTED : AIC_INVALID_ARGUMENT;
    }
    for (size_t f = 0; f < aic_semantics_record.count; f++) {
        const aic_field *field = &aic_semantics_record.fields[f];
        const uint64_t value = aic_field_word(field, semantics, 0);
        if (field->kind == AIC_KIND_INT) {
            check_number(&v, field->name, (int64_t)value);
        } else {
            aic_rule_enum(&v, RULE_word, field->name, field->kind, value);
        }
    }
    return v.status;
}
