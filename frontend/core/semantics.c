/* What the documents leave to the machine: the options of aic_semantics and their ranges. */
#include "frontend/core/diag.h"
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

aic_semantics aic_semantics_init(void)
{
    aic_semantics semantics;
    aic_fields_init(aic_semantics_record.fields, aic_semantics_record.count, &semantics, sizeof semantics);
    return semantics;
}

/* By name of an option that is a number. */
static const struct {
    const char *name;
    int64_t low, high, step;
} semantics_ranges[] = {
#define AIC_RANGE(name, low, high, step) {#name, low, high, step},
#include <aic/semantics.def>
#undef AIC_RANGE
};

static aic_status check_number(const char *name, int64_t value)
{
    size_t i = 0;
    while (strcmp(semantics_ranges[i].name, name) != 0) {
        i++;
    }
    const int64_t low = semantics_ranges[i].low, high = semantics_ranges[i].high, step = semantics_ranges[i].step;
    aic_status status = aic_rule_range(NULL, name, NULL, value, low, high);
    if (status == AIC_OK && value % step != 0) {
        status = aic_fail(AIC_INVALID_ARGUMENT, NULL, "%s: %" PRId64 " is no multiple of %" PRId64, name, value, step);
    }
    return status;
}

static aic_status check_option(const aic_field *field, uint64_t value)
{
    if (field->kind == AIC_KIND_INT) {
        return check_number(field->name, (int64_t)value);
    }
    return aic_rule_enum(NULL, field->name, field->kind, value);
}

aic_status aic_semantics_check(const aic_semantics *semantics)
{
    aic_status status = AIC_OK;
    for (size_t f = 0; f < aic_semantics_record.count && status == AIC_OK; f++) {
        const aic_field *field = &aic_semantics_record.fields[f];
        status = check_option(field, aic_field_word(field, semantics, 0));
    }
    return status;
}
