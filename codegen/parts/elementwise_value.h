/* What an element-wise kernel computes from the elements of its streams. */
#pragma once

#include "codegen/llvm/emit.h"

/* Streams of an element-wise kernel: the words of both inputs and the old words of the output. The _NEXT streams are
 * the words of the following batches: of an input where two of its words make one of the output's, of the output where
 * one word of an input makes two of its own. */
enum {
    AIC_ELEMENTWISE_A,
    AIC_ELEMENTWISE_A_NEXT,
    AIC_ELEMENTWISE_B,
    AIC_ELEMENTWISE_B_NEXT,
    AIC_ELEMENTWISE_OLD,
    AIC_ELEMENTWISE_OLD_NEXT,
    AIC_ELEMENTWISE_STREAMS,
};

/* Rows of the table in elementwise_value.c. */
typedef enum aic_elementwise_op {
    AIC_ELEMENTWISE_COPY,
    AIC_ELEMENTWISE_ADD,
    AIC_ELEMENTWISE_SUB,
    AIC_ELEMENTWISE_MUL,
    AIC_ELEMENTWISE_DIV,
    AIC_ELEMENTWISE_MAC, /* the old output + a*b */
    AIC_ELEMENTWISE_MAX,
    AIC_ELEMENTWISE_MIN,
    AIC_ELEMENTWISE_AND,
    AIC_ELEMENTWISE_OR,
    AIC_ELEMENTWISE_XOR,
    AIC_ELEMENTWISE_SHIFT,
    AIC_ELEMENTWISE_GREATER, /* a > b ? select : 0 */
    AIC_ELEMENTWISE_EQUAL,   /* a == b ? select : 0 */
} aic_elementwise_op;

typedef struct aic_elementwise_input {
    bool is_constant;
    int64_t constant; /* the word where bits is 32, else the value; of COPY the bits of a box's element */
    unsigned bits;    /* of an element: 32, or 16 or 8, packed in words; of COPY those of a box's element */
    bool sign;
    bool spread; /* the lowest element of a word is taken for all elements of it */
} aic_elementwise_input;

typedef struct aic_elementwise_value {
    aic_elementwise_op op;
    aic_elementwise_input a, b, out; /* out: bits and sign */
    uint32_t select;
    bool arithmetic;     /* of SHIFT alone, and of numbers with signs: right shifts repeat the sign */
    bool half_up;        /* the right shift of the result rounds: one half is added first */
    bool fused;          /* MAC of floats rounds once */
    bool number;         /* MAX and MIN of floats take the number where one of both is NaN */
    int64_t left, right; /* of elements of 16 and 8 bits: the old output is shifted left, the result right */
} aic_elementwise_value;

/* Which elements of the output's words a box computes. */
typedef struct aic_elementwise_part {
    unsigned half;  /* 16 bits from 8: 1 for the upper half of the inputs' words */
    unsigned count; /* so many elements, the lowest of each word; the others keep their value; 0: all */
} aic_elementwise_part;

const char *aic_elementwise_op_name(aic_elementwise_op op);

/* Whether the result depends on the old output's elements; whether it computes with floats. */
bool aic_elementwise_reads_old(const aic_elementwise_value *value);
bool aic_elementwise_is_float(const aic_elementwise_value *value);

/* About how many vector instructions compute a vector of results. */
double aic_elementwise_operations(const aic_elementwise_value *value);

/* Computes n words <n x i32> of the output from those of the streams, of which those that are not read are NULL. Boxes
 * whose elements are 1 or 2 bytes can only be copied. */
LLVMValueRef aic_emit_elementwise_value(aic_emit *e, const aic_elementwise_value *value,
                                        const aic_elementwise_part *part, LLVMValueRef stream[AIC_ELEMENTWISE_STREAMS],
                                        unsigned n);
