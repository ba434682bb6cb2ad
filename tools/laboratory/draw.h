/* Pictures of operands as the documents lay them out: what `aicjit draw` writes. */
#pragma once

#include "tools/operands.h"

#include <stdio.h>

typedef struct drawing {
    const char *text; /* of the specification */
    aic_spec *spec;
    const cli_operands *operands;
    size_t result;                          /* number of the operand that is written */
    aic_finding *findings;                  /* one an element of the result; NULL: not known */
    int64_t element;                        /* of the result, whose inputs are marked; -1: none */
    unsigned char *reads[AIC_OPERANDS_MAX]; /* of each operand, an element: whether it is made from that one */
} drawing;

/* A drawing by itself, and a page with it; for page_write(), from is a drawing. */
void draw_svg(FILE *out, const void *from);
void draw_html(FILE *out, const void *from);
