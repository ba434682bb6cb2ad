/* Rules and what they say. A rule is a row of its operator's list (AIC_RULE in aic/field.h); operator.inc makes a
 * number RULE_id and an entry of the operator's table of it. Whoever validates a request carries a verdict along and
 * goes on to the rules that can be looked at although some are broken, so that a caller learns all of them.
 *
 * `field` opens a message. Functions return whether the rule holds. */
#pragma once

#include "frontend/core/field.h"
#include <aic/rules.h>

typedef struct aic_verdict {
    const char *subject;   /* opens messages: the operator; NULL: nothing does */
    const aic_rule *rules; /* the list that numbers of rules count in */
    uint64_t broken;       /* bit i: rule number i is */
    aic_status status;     /* of the first broken rule; AIC_OK: there is none */
    bool below;            /* messages go below those of a verdict before this one */
} aic_verdict;

enum { AIC_RULES_MAX = 64 };

/* All entries of a list. */
typedef struct aic_rule_list {
    const aic_rule *rules;
    size_t count;
} aic_rule_list;

/* Rows of a list as entries; a source as messages have it. */
#define AIC_ORIGIN(origin, source) AIC_ORIGIN_##origin AIC_BEFORE_##origin source
#define AIC_ORIGIN_DOCUMENTED "documented",
#define AIC_ORIGIN_VENDOR "vendor",
#define AIC_ORIGIN_INFERRED "inferred",
#define AIC_ORIGIN_CHOSEN "chosen",
#define AIC_BEFORE_DOCUMENTED
#define AIC_BEFORE_VENDOR "public vendor source: "
#define AIC_BEFORE_INFERRED "inferred: "
#define AIC_BEFORE_CHOSEN "our choice: "
#define AIC_RULE_ROW(op, id, fields, text, origin, source)                                                             \
    {sizeof(aic_rule), op, "rule", #id, fields, text, AIC_ORIGIN(origin, source)},
#define AIC_MEANING_ROW(op, field, text, origin, source)                                                               \
    {sizeof(aic_rule), op, "field", #field, #field, text, AIC_ORIGIN(origin, source)},
#define AIC_DEFAULT_ROW(op, field, origin, source)                                                                     \
    {sizeof(aic_rule), op, "default", #field, #field, "", AIC_ORIGIN(origin, source)},

/* Notes a broken rule with its message, "subject: message [source]", and returns false. The first one is the thread's
 * error, others go below it (aic_last_error_at()). */
bool aic_break(aic_verdict *verdict, int rule, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same where the failure is another than AIC_INVALID_ARGUMENT. */
bool aic_break_as(aic_verdict *verdict, aic_status status, int rule, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether no rule of those from number `first` to number `last` is broken. */
static inline bool aic_kept(const aic_verdict *verdict, int first, int last)
{
    const uint64_t upto = UINT64_MAX >> (AIC_RULES_MAX - 1 - last);
    return (verdict->broken & upto & ~((UINT64_C(1) << first) - 1)) == 0;
}

/* The rules that requests of all operators share. */
enum {
#define AIC_RULE(id, fields, text, origin, source) AIC_REQUEST_##id,
#include <aic/request.def>
#undef AIC_RULE
    AIC_REQUEST_RULES
};

aic_verdict aic_request_verdict(const char *subject);
const aic_rule *aic_request_rule(int rule);

/* A pointer that a public function cannot do without: not NULL. */
aic_status aic_rule_given(const char *name, const void *pointer);

/* low..high, both included. entry: the name of an entry of a vector field, NULL for a scalar. */
bool aic_rule_range(aic_verdict *verdict, int rule, const char *field, const char *entry, int64_t value, int64_t low,
                    int64_t high);

/* Read as a byte: a caller's bool may hold any. */
bool aic_rule_bool(aic_verdict *verdict, int rule, const char *field, const bool *flag);

/* One of the words of an enumeration kind. */
bool aic_rule_enum(aic_verdict *verdict, int rule, const char *field, aic_field_kind kind, uint64_t value);

/* One of `count` types. where: goes behind the message, to say on what the list depends; "" for nothing. */
bool aic_rule_dtype(aic_verdict *verdict, int rule, const char *field, aic_dtype dtype, const aic_dtype *legal,
                    size_t count, const char *where);

/* One of `count` values of an enumeration kind. */
bool aic_rule_word(aic_verdict *verdict, int rule, const char *field, aic_field_kind kind, uint32_t value,
                   const uint32_t *legal, size_t count, const char *where);

/* One of `count` layouts. */
bool aic_rule_layout(aic_verdict *verdict, int rule, const char *field, aic_layout layout, const aic_layout *legal,
                     size_t count, const char *where);
