/* Broken rules, and rules that the fields of several operators share; see rule.h. */
#include "frontend/core/rule.h"

#include "frontend/core/diag.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

aic_status aic_rule_given(const char *name, const void *pointer)
{
    return pointer ? AIC_OK : aic_fail(AIC_INVALID_ARGUMENT, name, "is NULL");
}

/* "subject: message [source]"; returns the length of " [source]". A message that leaves no room for the source is cut,
 * which "..." shows. */
__attribute__((format(printf, 3, 0))) static size_t say(const aic_verdict *verdict, int rule, const char *format,
                                                        va_list arguments, char text[AIC_MESSAGE_MAX])
{
    const char *subject = verdict->subject, *source = verdict->rules[rule].source;
    const size_t behind = strlen(source) + sizeof " []" - 1, room = AIC_MESSAGE_MAX - behind;
    const int before = snprintf(text, room, "%s%s", subject != NULL ? subject : "", subject != NULL ? ": " : "");
    size_t used = (size_t)before + (size_t)vsnprintf(text + before, room - (size_t)before, format, arguments);
    if (used >= room) {
        memcpy(text + room - sizeof "...", "...", sizeof "...");
        used = room - 1;
    }
    (void)snprintf(text + used, AIC_MESSAGE_MAX - used, " [%s]", source);
    return behind;
}

__attribute__((format(printf, 4, 0))) static bool note(aic_verdict *verdict, aic_status status, int rule,
                                                       const char *format, va_list arguments)
{
    char text[AIC_MESSAGE_MAX];
    const aic_rule *about = &verdict->rules[rule];
    const size_t source = say(verdict, rule, format, arguments, text);
    verdict->broken |= UINT64_C(1) << rule;
    if (verdict->status == AIC_OK && !verdict->below) {
        (void)aic_fail(status, NULL, "%s", text);
        aic_fail_rule(about, source);
    } else {
        aic_fail_also(text, about);
    }
    verdict->status = verdict->status == AIC_OK ? status : verdict->status;
    return false;
}

bool aic_break(aic_verdict *verdict, int rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(verdict, AIC_INVALID_ARGUMENT, rule, format, arguments);
    va_end(arguments);
    return false;
}

bool aic_break_as(aic_verdict *verdict, aic_status status, int rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(verdict, status, rule, format, arguments);
    va_end(arguments);
    return false;
}

bool aic_rule_range(aic_verdict *verdict, int rule, const char *field, const char *entry, int64_t value, int64_t low,
                    int64_t high)
{
    return (value >= low && value <= high) ||
           aic_break(verdict, rule, "%s: %s%s%" PRId64 " is outside %" PRId64 "..%" PRId64, field, entry ? entry : "",
                     entry ? " = " : "", value, low, high);
}

bool aic_rule_bool(aic_verdict *verdict, int rule, const char *field, const bool *flag)
{
    unsigned char byte;
    memcpy(&byte, flag, sizeof byte);
    return byte <= 1 || aic_break(verdict, rule, "%s: value %u is not true or false", field, (unsigned)byte);
}

bool aic_rule_enum(aic_verdict *verdict, int rule, const char *field, aic_field_kind kind, uint64_t value)
{
    return aic_enum_word(kind, value) ||
           aic_break(verdict, rule, "%s: value %" PRId32 " is not %s", field, (int32_t)value, aic_enum_expected(kind));
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

bool aic_rule_word(aic_verdict *verdict, int rule, const char *field, aic_field_kind kind, uint32_t value,
                   const uint32_t *legal, size_t count, const char *where)
{
    name_list list = {.used = 0};
    for (size_t i = 0; i < count; i++) {
        if (value == legal[i]) {
            return true;
        }
    }
    for (size_t i = 0; i < count; i++) {
        list_name(&list, i, count, aic_enum_word(kind, legal[i]));
    }
    const char *name = aic_enum_word(kind, value);
    return name
               ? aic_break(verdict, rule, "%s: %s is not %s%s", field, name, list.text, where)
               : aic_break(verdict, rule, "%s: value %" PRId32 " is not %s%s", field, (int32_t)value, list.text, where);
}

/* The values of these enumerations are such numbers. */
_Static_assert(sizeof(aic_dtype) == sizeof(uint32_t) && sizeof(aic_layout) == sizeof(uint32_t), "32 bits wide");

bool aic_rule_dtype(aic_verdict *verdict, int rule, const char *field, aic_dtype dtype, const aic_dtype *legal,
                    size_t count, const char *where)
{
    return aic_rule_word(verdict, rule, field, AIC_KIND_DTYPE, dtype, (const uint32_t *)legal, count, where);
}

bool aic_rule_layout(aic_verdict *verdict, int rule, const char *field, aic_layout layout, const aic_layout *legal,
                     size_t count, const char *where)
{
    return aic_rule_word(verdict, rule, field, AIC_KIND_LAYOUT, layout, (const uint32_t *)legal, count, where);
}
