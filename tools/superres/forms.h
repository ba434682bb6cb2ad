/* What a layer is in operators: texts with placeholders for its sizes, and which buffer is which operand. */
#ifndef AIC_SUPERRES_FORMS_H
#define AIC_SUPERRES_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an operand is. */
typedef enum buffer {
    BUFFER_NONE,    /* one that the operator does not take */
    BUFFER_IN,      /* the layer's feature map */
    BUFFER_OUT,     /* its result, the next layer's feature map */
    BUFFER_SUMS,    /* accumulators */
    BUFFER_SCALED,  /* the same, times the slope */
    BUFFER_WEIGHTS, /* constants of the layer, a number a channel but for the weights */
    BUFFER_START,
    BUFFER_SLOPE,
    BUFFER_FACTOR,
    BUFFER_WORDS,
    BUFFER_PIXELS,  /* the picture, float32 [3, H*W] */
    BUFFER_VALUES,  /* the last layer's result, [H*W, 48], float32 or uint8 */
    BUFFER_PLANES,  /* uint8 [3, 4H, 4W] */
    BUFFER_PICTURE, /* uint8 [4H, 4W, 3] */
    BUFFER_KINDS
} buffer;

enum { FORM_OPERANDS = 8, FORM_TEXT = 1200 };

typedef struct form {
    const char *text; /* NULL: the end of a list */
    buffer operand[FORM_OPERANDS];
    int operands; /* in calling order */
} form;

/* Which operators: SEPARATE, each step of the documents with its tensors in memory, or CHAIN, a layer as one kernel.
 * The bits of the result are the same. */
typedef enum form_style { FORM_SEPARATE, FORM_CHAIN } form_style;

/* The list of a layer. */
const form *forms_of_layer(bool int8, bool last, bool as_float, form_style style);

/* What makes the picture of the last layer's bytes: the pixel shuffle, and colours from planes to pixels. */
const form *forms_of_picture(void);

/* Values of the placeholders. */
typedef struct form_sizes {
    int64_t c1, c0; /* blocks and their channels, of the feature map */
    int64_t h, w;   /* of the picture */
    int64_t cout;   /* output channels, rounded up */
    int64_t pad;    /* pad_value */
    bool fast;      /* accumulate=fast */
} form_sizes;

/* Writes `from` with its placeholders filled in. False when it does not fit. */
bool form_expand(char text[FORM_TEXT], const char *from, const form_sizes *sizes);

#endif
