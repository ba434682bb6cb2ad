/* Operands and their elements as people read them. */
#include "tools/harness/operand_text.h"

#include <inttypes.h>
#include <stdio.h>

void shape_text(int32_t rank, const int64_t *shape, char text[OPERAND_TEXT_MAX])
{
    size_t used = (size_t)snprintf(text, OPERAND_TEXT_MAX, "[");
    for (int32_t i = 0; i < rank && used < OPERAND_TEXT_MAX; i++) {
        used += (size_t)snprintf(text + used, OPERAND_TEXT_MAX - used, "%s%" PRId64, i == 0 ? "" : ",", shape[i]);
    }
    if (used < OPERAND_TEXT_MAX) {
        (void)snprintf(text + used, OPERAND_TEXT_MAX - used, "]");
    }
}

void operand_text(const aic_operand *operand, char text[OPERAND_TEXT_MAX])
{
    char shape[OPERAND_TEXT_MAX];
    shape_text(operand->rank, operand->shape, shape);
    (void)snprintf(text, OPERAND_TEXT_MAX, "%s%.170s", aic_dtype_name(operand->dtype), shape);
}

void index_text(int32_t rank, const int64_t *shape, int64_t index, char text[OPERAND_TEXT_MAX])
{
    int64_t at[AIC_RANK_MAX] = {0};
    for (int32_t i = rank; i-- > 0;) {
        at[i] = shape[i] > 0 ? index % shape[i] : 0;
        index = shape[i] > 0 ? index / shape[i] : 0;
    }
    shape_text(rank, at, text);
}
