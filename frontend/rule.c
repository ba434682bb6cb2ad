/* Rules that the fields of several operators share. */
#include "frontend/rule.h"

#include "frontend/diag.h"

#include <inttypes.h>
#include <stdio.h>

aic_status aic_rule_range(const char *op, const char *field, const char *entry, int64_t value, int64_t low,
                          int64_t high)
{
    if (value >= low && value <= high) {
        return AIC_OK;
    }
    return aic_fail(AIC_INVALID_ARGUMENT, op, "%s: %s%s%" PRId64 " is outside %" PRId64 "..%" PRId64, field,
                    entry ? entry : "", entry ? " = " : "", value, low, high);
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
    return aic_fail(AIC_INVALID_ARGUMENT, op, "%s: value %" PRIu64 " is not %s", field, value, aic_enum_expected(kind));
}

aic_status aic_rule_dtype(const char *op, const char *field, aic_dtype dtype, const aic_dtype *legal, size_t count)
{
    char list[128]; /* "int8, half or float": all types there are fit */
    int used = 0;
    for (size_t i = 0; i < count; i++) {
        if (dtype == legal[i]) {
            return AIC_OK;
        }
        const char *separator = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        used += snprintf(list + used, sizeof list - (size_t)used, "%s%s", separator, aic_dtype_name(legal[i]));
    }
    if (aic_dtype_size(dtype) == 0 && dtype != AIC_DTYPE_NONE) {
        return aic_fail(AIC_INVALID_ARGUMENT, op, "%s: value %" PRIu32 " is not %s", field, (uint32_t)dtype, list);
    }
    return aic_fail(AIC_INVALID_ARGUMENT, op, "%s: %s is not %s", field, aic_dtype_name(dtype), list);
}
