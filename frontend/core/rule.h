/* Rules that the fields of several operators share, with one wording. `op` and `field` open the message; each returns
 * AIC_OK or AIC_INVALID_ARGUMENT. */
#ifndef AIC_RULE_H
#define AIC_RULE_H

#include "frontend/core/field.h"

/* A pointer that a public function cannot do without: not NULL. */
aic_status aic_rule_given(const char *name, const void *pointer);

/* low..high, both included. entry: the name of an entry of a vector field, NULL for a scalar. */
aic_status aic_rule_range(const char *op, const char *field, const char *entry, int64_t value, int64_t low,
                          int64_t high);

/* A list of such rules over scalar INT fields, in the order in which they are checked. */
typedef struct aic_range {
    const char *field;
    size_t offset; /* in the descriptor */
    int64_t low, high;
} aic_range;

aic_status aic_rule_ranges(const char *op, const void *desc, const aic_range *ranges, size_t count);

/* Read as a byte: a caller's bool may hold any. */
aic_status aic_rule_bool(const char *op, const char *field, const bool *flag);

/* One of the words of an enumeration kind. */
aic_status aic_rule_enum(const char *op, const char *field, aic_field_kind kind, uint64_t value);

/* One of `count` types. */
aic_status aic_rule_dtype(const char *op, const char *field, aic_dtype dtype, const aic_dtype *legal, size_t count);

/* One of `count` values of an enumeration kind. */
aic_status aic_rule_word(const char *op, const char *field, aic_field_kind kind, uint32_t value, const uint32_t *legal,
                         size_t count);

/* One of `count` layouts. */
aic_status aic_rule_layout(const char *op, const char *field, aic_layout layout, const aic_layout *legal, size_t count);

#endif
