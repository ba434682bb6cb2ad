/* A conv2d of float16 alone with its operands, for tests that put what is not finite into them. */
#pragma once

#include "frontend/core/stage.h"

enum { HALF_OUT, HALF_IMAGE, HALF_WEIGHT, HALF_OPERANDS };

typedef struct half_case {
    aic_spec spec;
    aic_operand operand[AIC_OPERANDS_MAX];
    void *
        data[HALF_OPERANDS]; /* 64-byte aligned, zeros: rows of the output that belong to no pixel stay what they are */
    float *expected;         /* of the output's size, zeros */
} half_case;

/* Of operator text; everything is asserted. */
void half_case_open(half_case *c, const char *text);
void half_case_close(half_case *c);

/* Fills an input with numbers between 2^-5 and 2 in magnitude, the same ones each time. */
void half_case_fill(half_case *c, int operand);
