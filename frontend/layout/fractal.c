/* What the operators that move fractals share; see fractal.h. */
#include "frontend/layout/fractal.h"

#include "frontend/random/rng.h"

#include <string.h>

static const aic_dtype moved[] = {AIC_INT8,   AIC_UINT8,   AIC_INT16,    AIC_UINT16, AIC_INT32,
                                  AIC_UINT32, AIC_FLOAT16, AIC_BFLOAT16, AIC_FLOAT32};

#define MOVED (sizeof moved / sizeof moved[0])

bool aic_rule_moved_dtype(aic_verdict *verdict, int rule, aic_dtype dtype)
{
    return aic_rule_dtype(verdict, rule, "dtype", dtype, moved, MOVED, "");
}

void aic_rule_ranges(aic_verdict *verdict, const void *desc, const aic_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t value;
        memcpy(&value, (const unsigned char *)desc + ranges[i].offset, sizeof value);
        aic_rule_range(verdict, ranges[i].rule, ranges[i].field, NULL, value, ranges[i].low, ranges[i].high);
    }
}

size_t aic_moved_operands(aic_dtype dtype, int64_t dst, int64_t src, aic_operand operands[AIC_OPERANDS_MAX])
{
    operands[0] = (aic_operand){
        .name = "dst", .direction = AIC_DIRECTION_OUT, .dtype = dtype, .rank = 1, .shape = {dst}, .strided = true};
    operands[1] = (aic_operand){
        .name = "src", .direction = AIC_DIRECTION_IN, .dtype = dtype, .rank = 1, .shape = {src}, .strided = true};
    return 2;
}

aic_dtype aic_random_moved_dtype(uint64_t *state)
{
    return moved[aic_rng_range(state, 0, (int64_t)MOVED - 1)];
}
