/* The plain-C reference of both entries of tensor arithmetic: element by element, every one read before its result is
 * written. It shares nothing with the generator. Written to be read, not to be fast. */
#include "frontend/ops/arith/arith.h"

#include <string.h>

/* Where an operand's words are: its buffer, or the memory that all are in. */
static unsigned char *base_of(const aic_arith *p, void *const operands[], int i)
{
    return operands[p->memory == AIC_MEMORY_LOCAL ? 0 : i];
}

static uint32_t load(const aic_arith *p, void *const operands[], int i, const int64_t at[AIC_ARITH_RANK])
{
    uint32_t word;
    memcpy(&word, base_of(p, operands, i) + aic_arith_word(p, &p->operand[i], at) * (int64_t)sizeof word, sizeof word);
    return word;
}

static void store(const aic_arith *p, void *const operands[], const int64_t at[AIC_ARITH_RANK], uint32_t word)
{
    const int64_t place = aic_arith_word(p, &p->operand[AIC_ARITH_OUTPUT], at);
    memcpy(base_of(p, operands, AIC_ARITH_OUTPUT) + place * (int64_t)sizeof word, &word, sizeof word);
}

/* ---- 32-bit entry ---- */

static uint32_t word_input(const aic_arith *p, void *const operands[], int i, const int64_t at[AIC_ARITH_RANK])
{
    switch (p->operand[i].source) {
    case AIC_ARITH_TENSOR:
        return load(p, operands, i, at);
    case AIC_ARITH_CONSTANT:
        return (uint32_t)p->operand[i].constant;
    default:
        return 0; /* the operation does not look at it */
    }
}

static void word_element(const aic_arith *p, void *const operands[], const int64_t at[AIC_ARITH_RANK])
{
    const uint32_t a = word_input(p, operands, AIC_ARITH_INPUT0, at);
    const uint32_t b = word_input(p, operands, AIC_ARITH_INPUT1, at);
    const uint32_t old = load(p, operands, AIC_ARITH_OUTPUT, at);
    store(p, operands, at, aic_arith_op_get(p->number)->word(p, a, b, old));
}

/* ---- fixed-point entry ---- */

/* The element in a word. */
static int64_t extract(const aic_arith_operand *o, uint32_t word, const int64_t at[AIC_ARITH_RANK])
{
    const int64_t range = INT64_C(1) << o->bits;
    const int64_t value = word >> aic_arith_part(o, at) * o->bits & (range - 1);
    return o->sign && value >= range / 2 ? value - range : value;
}

static uint32_t insert(const aic_arith_operand *o, uint32_t word, const int64_t at[AIC_ARITH_RANK], int64_t value)
{
    const uint32_t mask = (UINT32_C(1) << o->bits) - 1;
    const int64_t position = aic_arith_part(o, at) * o->bits;
    return (word & ~(mask << position)) | ((uint32_t)value & mask) << position;
}

static int64_t integer_input(const aic_arith *p, void *const operands[], int i, const int64_t at[AIC_ARITH_RANK])
{
    const aic_arith_operand *o = &p->operand[i];
    switch (o->source) {
    case AIC_ARITH_TENSOR:
        return extract(o, load(p, operands, i, at), at);
    case AIC_ARITH_CONSTANT:
        return o->constant;
    default:
        return 0;
    }
}

static int64_t clamp(const aic_arith_operand *o, int64_t value)
{
    const int64_t range = INT64_C(1) << o->bits;
    const int64_t low = o->sign ? -range / 2 : 0, high = low + range - 1;
    return value < low ? low : value > high ? high : value;
}

static void integer_element(const aic_arith *p, void *const operands[], const int64_t at[AIC_ARITH_RANK])
{
    const aic_arith_op *op = aic_arith_op_get(p->number);
    const aic_arith_operand *output = &p->operand[AIC_ARITH_OUTPUT];
    const int64_t a = integer_input(p, operands, AIC_ARITH_INPUT0, at);
    const int64_t b = integer_input(p, operands, AIC_ARITH_INPUT1, at);
    const uint32_t word = load(p, operands, AIC_ARITH_OUTPUT, at);
    const int64_t result = op->integer(p, a, b, extract(output, word, at));
    store(p, operands, at, insert(output, word, at, op->clamped ? clamp(output, result) : result));
}

/* ---- both ---- */

aic_status aic_arith_reference(const aic_arith *p, void *const operands[])
{
    const bool words = p->operand[AIC_ARITH_OUTPUT].bits == 32;
    int64_t at[AIC_ARITH_RANK];
    for (at[0] = 0; at[0] < p->shape[0]; at[0]++) {
        for (at[1] = 0; at[1] < p->shape[1]; at[1]++) {
            for (at[2] = 0; at[2] < p->shape[2]; at[2]++) {
                for (at[3] = 0; at[3] < p->shape[3]; at[3]++) {
                    (words ? word_element : integer_element)(p, operands, at);
                }
            }
        }
    }
    return AIC_OK;
}
