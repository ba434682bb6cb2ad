/* Rules that the fields of several operators share. */
#include "frontend/core/rule.h"

#include "frontend/core/diag.h"

#include <inttypes.h>
#include <stdio.h>

aic_status aic_rule_given(const char *name, const void *pointer)
{
    return pointer ? AIC_OK : aic_fail(AIC_INVALID_ARGUMENT, name, "is NULL");
}

aic_status aic_rule_range(const char *op, const char *field, const char *entry, int64_t value, int64_t low,
                          int64_t high)
{
    if (value >= low && value <= high) {
        return AIC_OK;
    }
    return aic_fail(AIC_INVALID_ARGUMENT, op, "%s: %s%s%" PRId64 " is outside %" PRId64 "..%" PRId64, field,
                    entry ? entry : "", entry ? " = " : "", value, low, high);
}

aic_status aic_rule_ranges(const char *op, const void *desc, const aic_range *ranges, size_t count)
{
    aic_status status = AIC_OK;
    for (size_t i = 0; i < count && status == AIC_OK; i++) {
        int64_t value;
        memcpy(&value, (const unsigned char *)desc + ranges[i].offset, sizeof value);
        status = aic_rule_range(op, ranges[i].field, NULL, value, ranges[i].low, ranges[i].high);
    }
    return status;
}

aic_status aic_rule_bool(const char *op, const char *field, const bool *flag)
{
    unsigned char byte;
    memcpy(&byte, flag, sizeof byte);
    if (byte <= 1) {
        return AIC_OK;
    }
    return aic_fail(AIC_INVALID_ARGUMENT, op, "%s: value %u is not true or false", field, (unsigned)byte);
}

aic_status aic_rule_enum(const char *op, const char *field, aic_field_kind kind, uint64_t value)
{
    if (aic_enum_word(kind, value)) {
        return AIC_OK;
    }
    return aic_fail(AIC_INVALID_ARGUMENT, op, "%s: value %" PRId32 " is not %s", field, (int32_t)value,
                    aic_enum_expected(kind));
}

/* What the legal values of a field are called, for messages: "int8, half or float". All types and layouts fit. */
typedef struct name_list {
    char text[160];
    size_t used;
} name_list;

static void list_name(name_list *list, size_t index, size_t count, const char *name)
{
    const char *separator = index == 0 ? "" : index + 1 == count ? " or " : ", ";
    const int written = snprintf(list->text + list->used, sizeof list->text - list->used, "%s%s", separator, name);
    list->used += written > 0 ? (size_t)written : 0;
}

/* name NULL: the value has none. */
static aic_status refuse(const char *op, const char *field, const char *name, uint32_t value, const name_list *legal)
{
    if (name) {
        return aic_fail(AIC_INVALID_ARGUMENT, op, "%s: %s is not %s", field, name, legal->text);
    }
    return aic_fail(AIC_INVALID_ARGUMENT, op, "%s: value %" PRId32 " is not %s", field, (int32_t)value, legal->text);
}

aic_status aic_rule_dtype(const char *op, const char *field, aic_dtype dtype, const aic_dtype *legal, size_t count)
{
    name_list list = {.used = 0};
    for (size_t i = 0; i < count; i++) {
        if (dtype == legal[i]) {
            return AIC_OK;
        }
        list_name(&list, i, count, aic_dtype_name(legal[i]));
    }
    const bool named = aic_dtype_size(dtype) != 0 || dtype == AIC_DTYPE_NONE;
    return refuse(op, field, named ? aic_dtype_name(dtype) : NULL, (uint32_t)dtype, &list);
}

aic_status aic_rule_word(const char *op, const char *field, aic_field_kind kind, uint32_t value, const uint32_t *legal,
                         size_t count)
{
    name_list list = {.used = 0};
    for (size_t i = 0; i < count; i++) {
        if (value == legal[i]) {
            return AIC_OK;
        }
        list_name(&list, i, count, aic_enum_word(kind, legal[i]));
    }
    return refuse(op, field, aic_enum_word(kind, value), value, &list);
}

aic_status aic_rule_layout(const char *op, const char *field, aic_layout layout, const aic_layout *legal, size_t count)
{
    uint32_t values[AIC_LAYOUT_2N + 1];
    for (size_t i = 0; i < count; i++) {
        values[i] = legal[i];
    }
    return aic_rule_word(op, field, AIC_KIND_LAYOUT, layout, values, count);
}
