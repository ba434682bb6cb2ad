/* See half_case.h. */
#include "tests/half_case.h"
#include "frontend/random/rng.h"
#include "tests/claims.h"
#include "tests/conv_case.h"
#include "tests/specs.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static void *zeros(int64_t bytes)
{
    return memset(aligned_block((size_t)bytes), 0, (size_t)bytes);
}

void half_case_fill(half_case *c, int operand)
{
    uint64_t state = claims_seed(7 + (uint64_t)operand);
    uint16_t *halves = c->data[operand];
    for (int64_t i = 0; i < c->operand[operand].elements; i++) {
        const uint64_t bits = aic_rng_next(&state);
        halves[i] = (uint16_t)((bits & 0x83ff) | (10 + (bits >> 32) % 6) << 10);
    }
}

void half_case_open(half_case *c, const char *text)
{
    size_t count;
    c->spec = spec_of(text);
    ck_assert_int_eq(aic_spec_operands(&c->spec, NULL, c->operand, &count), AIC_OK);
    ck_assert_uint_eq(count, HALF_OPERANDS);
    for (size_t i = 0; i < count; i++) {
        c->data[i] = zeros(c->operand[i].bytes);
    }
    c->expected = zeros(c->operand[HALF_OUT].bytes);
}

void half_case_close(half_case *c)
{
    for (size_t i = 0; i < HALF_OPERANDS; i++) {
        free(c->data[i]);
    }
    free(c->expected);
}
