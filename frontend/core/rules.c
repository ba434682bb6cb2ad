/* The rules of all operators and of what they share, as one list; see aic/rules.h. */
#include <aic/rules.h>

#include "frontend/core/op.h"
#include "frontend/core/rule.h"
#include "frontend/core/spec.h"

static const aic_rule request[] = {
#define AIC_RULE(id, fields, text, origin, source) AIC_RULE_ROW("request", id, fields, text, origin, source)
#include <aic/request.def>
#undef AIC_RULE
};

aic_verdict aic_request_verdict(const char *subject)
{
    return (aic_verdict){.subject = subject, .rules = request};
}

const aic_rule *aic_request_rule(int rule)
{
    return &request[rule];
}

enum { SEMANTICS = AIC_OP_END, REQUEST, END };

static aic_rule_list list_of(int op)
{
    const aic_op_info *info = aic_op_get((aic_op)op);
    return op == SEMANTICS ? aic_semantics_rules
           : op == REQUEST ? (aic_rule_list){request, sizeof request / sizeof request[0]}
                           : (aic_rule_list){info->rules, info->rule_count};
}

const aic_rule *aic_rule_at(size_t index)
{
    for (int op = AIC_OP_NONE + 1; op < END; op++) {
        const aic_rule_list list = list_of(op);
        if (index < list.count) {
            return &list.rules[index];
        }
        index -= list.count;
    }
    return NULL;
}
