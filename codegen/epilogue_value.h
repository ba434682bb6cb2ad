/* Between the parts of the epilogue: one vector of accumulators and the parameters of its columns. */
#ifndef AIC_EPILOGUE_VALUE_H
#define AIC_EPILOGUE_VALUE_H

#include "codegen/epilogue.h"

enum { AIC_EPILOGUE_LANES = 16 }; /* columns of a block, lanes of every value here */

/* What the arithmetic needs to know of a column. A table holds those that differ from column to column, block by block:
 * [block of 16 columns][parameter][16] words of 32 bits. The others are constants, or not needed. */
typedef enum aic_parameter {
    AIC_PARAMETER_BIAS,
    AIC_PARAMETER_SHIFT,     /* to the right */
    AIC_PARAMETER_SHIFT_LOW, /* limits of what was shifted */
    AIC_PARAMETER_SHIFT_HIGH,
    AIC_PARAMETER_SCALE,  /* float */
    AIC_PARAMETER_OFFSET, /* added to the bits of a rounded number, see epilogue_value.c */
    AIC_PARAMETER_LOW,    /* of the result */
    AIC_PARAMETER_HIGH,
    AIC_PARAMETERS
} aic_parameter;

typedef struct aic_parameters {
    LLVMValueRef value[AIC_PARAMETERS]; /* <16 x i32> or <16 x float>; NULL: not needed */
} aic_parameters;

/* Whether the table holds this parameter. */
bool aic_epilogue_in_table(const aic_epilogue *p, aic_parameter parameter);
int64_t aic_epilogue_block_bytes(const aic_epilogue *p); /* of the table, for a block of columns */

/* Parameters of a block of columns; `entry` points at its part of the table. */
void aic_epilogue_parameters(aic_emit *e, const aic_epilogue *p, LLVMValueRef entry, aic_parameters *parameters);

/* All of them, from 16 quantisation words, <16 x i64>. */
void aic_epilogue_decode(aic_emit *e, LLVMValueRef words, aic_parameters *parameters);

/* From accumulators, <16 x i32>, to results, <16 x integer of the target's size>. */
LLVMValueRef aic_epilogue_value(aic_emit *e, const aic_epilogue *p, const aic_parameters *parameters,
                                LLVMValueRef accumulators);

#endif
