/* What a map computes from the elements of its streams. */
#ifndef AIC_MAP_VALUE_H
#define AIC_MAP_VALUE_H

#include "codegen/llvm/emit.h"

/* Streams of a map: an input's words, those of the batches behind them where two words make one of the output's, and
 * the output's old words, those of the batches behind them where one word makes two of the output's. */
enum {
    AIC_MAP_A,
    AIC_MAP_A_NEXT,
    AIC_MAP_B,
    AIC_MAP_B_NEXT,
    AIC_MAP_OLD,
    AIC_MAP_OLD_NEXT,
    AIC_MAP_STREAMS,
};

/* Rows of the table in map_value.c. */
typedef enum aic_map_op {
    AIC_MAP_COPY,
    AIC_MAP_ADD,
    AIC_MAP_SUB,
    AIC_MAP_MUL,
    AIC_MAP_DIV,
    AIC_MAP_MAC, /* the old output + a*b */
    AIC_MAP_MAX,
    AIC_MAP_MIN,
    AIC_MAP_AND,
    AIC_MAP_OR,
    AIC_MAP_XOR,
    AIC_MAP_SHIFT,
    AIC_MAP_GREATER, /* a > b ? select : 0 */
    AIC_MAP_EQUAL,   /* a == b ? select : 0 */
} aic_map_op;

typedef struct aic_map_input {
    bool is_constant;
    int64_t constant; /* 32 bits: the word; else the value; of COPY the bits of a box's element */
    unsigned bits;    /* of an element: 32, or 16 or 8, packed in words; of COPY those of a box's element */
    bool sign;
    bool spread; /* the lowest element of a word stands for all */
} aic_map_input;

typedef struct aic_map_value {
    aic_map_op op;
    aic_map_input a, b, out; /* out: bits and sign */
    uint32_t select;
    bool arithmetic;     /* SHIFT: right shifts repeat the sign */
    bool half_up;        /* the right shift below adds one half before */
    int64_t left, right; /* shifts of the old output and of the result, elements of 16 and 8 bits */
} aic_map_value;

/* Which elements of the output's words a box computes. */
typedef struct aic_map_part {
    unsigned half;  /* 16 bits from 8: 1 for the upper half of the inputs' words */
    unsigned count; /* the lowest ones of a word, the others keep their value; 0: all */
} aic_map_part;

const char *aic_map_op_name(aic_map_op op);

/* Whether the result depends on the old output's elements; whether it computes with floats. */
bool aic_map_reads_old(const aic_map_value *value);
bool aic_map_is_float(const aic_map_value *value);

/* Vector instructions for a vector of results, roughly. */
double aic_map_operations(const aic_map_value *value);

/* The words <n x i32> of the output from those of the streams; NULL for streams that are not read. Elements of boxes
 * that are no words, but 1 or 2 bytes, can only be copied. */
LLVMValueRef aic_emit_map_value(aic_emit *e, const aic_map_value *value, const aic_map_part *part,
                                LLVMValueRef stream[AIC_MAP_STREAMS], unsigned n);

#endif
