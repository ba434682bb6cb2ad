/* Where everything comes from: each rule, parameter, default and rounding step of the operators, with the document and
 * the place in it, or the reason of a choice. The library's validators, messages, manual and headers are made from the
 * same lists.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_RULES_H
#define AIC_RULES_H

#include <aic/types.h>

AIC_EXTERN_C_BEGIN

/* An entry of the lists. Static storage. */
typedef struct aic_rule {
    size_t size;        /* of this structure */
    const char *op;     /* "conv2d"; "semantics" and "request" for what all share */
    const char *kind;   /* "rule", "field", "default" or "step": something is rounded, clamped or replaced */
    const char *id;     /* unique among the operator's entries of this kind; of fields and defaults the field's name */
    const char *field;  /* of rules: the fields that messages name, "a / b" where they are several; of steps: the choice
                           (aic/choice.h) that can change it, "" where none can; else the field's name */
    const char *text;   /* what holds; of a field what it is; "" for a default, which aic_OP_desc_init() gives */
    const char *origin; /* "documented", "vendor", "inferred" or "chosen" */
    const char *source; /* as messages have it: "TIK conv2d, parameter stride", "public vendor source: ...",
                           "inferred: ...", "our choice: ..." */
} aic_rule;

/* The entries, an operator's together, rules first, in the order in which they are checked; NULL past the last. */
AIC_API const aic_rule *aic_rule_at(size_t index);

/* The rule that message number `index` of the calling thread's last failure is about (aic_last_error_at()); NULL where
 * it is about none, and past the last. */
AIC_API const aic_rule *aic_last_error_rule(size_t index);

AIC_EXTERN_C_END

#endif
