/* The rules of all operators and of what they share, as one list; see aic/rules.h. */
#include <aic/rules.h>

#include "frontend/core/op.h"
#include "frontend/core/rule.h"
#include "frontend/core/spec.h"

static aic_rule_list list_of(int op)
{
    const aic_op_info *info = aic_op_get((aic_op)op);
    return info != NULL ? (aic_rule_list){info->rules, info->rule_count} : aic_semantics_rules;
}

const aic_rule *aic_rule_at(size_t index)
{
    for (int op = AIC_OP_NONE + 1; op <= AIC_OP_END; op++) {
        const aic_rule_list list = list_of(op);
        if (index < list.count) {
            return &list.rules[index];
        }
        index -= list.count;
    }
    return NULL;
}
