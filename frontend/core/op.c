/* The table of operators. */
#include "frontend/core/op.h"

#include "frontend/core/size.h"

#include <string.h>

const aic_op_info *const aic_op_table[AIC_OP_END] = {
#define AIC_OP(ENUM, name, count, params, args) [AIC_OP_##ENUM] = &aic_op_##name,
#include <aic/ops.def>
#undef AIC_OP
};

const char *aic_op_name(aic_op op)
{
    const aic_op_info *info = aic_op_get(op);
    return info ? info->record.name : NULL;
}

aic_op aic_op_parse(const char *name)
{
    for (int op = AIC_OP_NONE + 1; name && op < AIC_OP_END; op++) {
        if (strcmp(aic_op_table[op]->record.name, name) == 0) {
            return (aic_op)op;
        }
    }
    return AIC_OP_NONE;
}

void aic_accessed(int64_t bytes[AIC_OPERANDS_MAX], int index, int64_t elements, aic_dtype dtype)
{
    const int64_t touched = aic_size_multiply(elements, (int64_t)aic_dtype_size(dtype));
    bytes[index] = touched < bytes[index] ? touched : bytes[index];
}
