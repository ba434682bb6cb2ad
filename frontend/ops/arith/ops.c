/* The operations of tensor arithmetic, one row each (tensor arithmetic, BmAtomicOp and the tables of both entries).
 * What they compute is in the reference and in the generator. */
#include "frontend/ops/arith/arith.h"

#include "frontend/core/rule.h"

enum { NONE = 0, NARROW = 8, WIDE = 16, EITHER = NARROW + WIDE, SAME = 0 };

static const aic_arith_op ops[] = {
    {AIC_ATOMIC_BM_ADD, false, false, AIC_FLOAT32, EITHER, EITHER},
    {AIC_ATOMIC_BM_SUB, false, false, AIC_FLOAT32, EITHER, EITHER},
    {AIC_ATOMIC_BM_MUL, false, false, AIC_FLOAT32, NARROW, EITHER},
    {AIC_ATOMIC_BM_DIV, false, false, AIC_FLOAT32, NONE, NONE},
    {AIC_ATOMIC_BM_MAC, false, true, AIC_FLOAT32, NARROW, WIDE},
    {AIC_ATOMIC_BM_MAX, false, false, AIC_FLOAT32, EITHER, SAME},
    {AIC_ATOMIC_BM_MIN, false, false, AIC_FLOAT32, EITHER, SAME},
    {AIC_ATOMIC_BM_AND, false, false, AIC_UINT32, EITHER, SAME},
    {AIC_ATOMIC_BM_OR, false, false, AIC_UINT32, EITHER, SAME},
    {AIC_ATOMIC_BM_XOR, false, false, AIC_UINT32, EITHER, SAME},
    {AIC_ATOMIC_BM_SHIFT, false, false, AIC_UINT32, WIDE, WIDE},
    {AIC_ATOMIC_BM_SG, false, false, AIC_FLOAT32, NONE, NONE},
    {AIC_ATOMIC_BM_SE, false, false, AIC_UINT32, NONE, NONE},
    {AIC_ATOMIC_BM_CPY, true, false, AIC_UINT32, NARROW, NARROW},
};

enum { OPS = sizeof ops / sizeof ops[0] };

const aic_arith_op *aic_arith_op_get(aic_atomic_op number)
{
    for (size_t i = 0; i < OPS; i++) {
        if (ops[i].number == number) {
            return &ops[i];
        }
    }
    return NULL;
}

void aic_arith_check_op(aic_verdict *v, const aic_arith *p, bool fixed)
{
    uint32_t legal[OPS];
    size_t count = 0;
    for (size_t i = 0; i < OPS; i++) {
        if (!fixed || ops[i].input_bits != NONE) {
            legal[count++] = ops[i].number;
        }
    }
    aic_rule_word(v, AIC_ARITH_RULE_op, "op", AIC_KIND_ATOMIC_OP, p->number, legal, count, "");
}
