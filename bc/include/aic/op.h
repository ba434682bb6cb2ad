/* Operators by number, and the functions that the typed ones of every operator are made of.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_OP_H
#define AIC_OP_H

#include <aic/types.h>

AIC_EXTERN_C_BEGIN

typedef struct aic_context aic_context; /* aic/context.h */
typedef struct aic_kernel aic_kernel;   /* aic/kernel.h */
typedef struct aic_spec aic_spec;       /* aic/spec.h */

typedef enum aic_op {
    AIC_OP_NONE = 0,
    AIC_OP_CONV2D,
    AIC_OP_MMAD,
    AIC_OP_FIXPIPE,
    AIC_OP_TIK_FIXPIPE,
    AIC_OP_ND2NZ,
    AIC_OP_LOAD_DATA,
    AIC_OP_LOAD_DATA_TRANSPOSE,
    AIC_OP_TRANSDATA,
    AIC_OP_TENSOR_ARITHMETIC,
    AIC_OP_TENSOR_ARITHMETIC_QUANTIZED,
    AIC_OP_TEXPANDS,
    AIC_OP_END
} aic_op;

/* Numbers of the operands of every operator in calling order: AIC_CONV2D_DST 0, AIC_CONV2D_FEATURE_MAP 1, ... In a
 * chain the numbers are those of aic_spec_operands(). */
enum {
    AIC_CONV2D_DST = 0,
    AIC_CONV2D_FEATURE_MAP = 1,
    AIC_CONV2D_WEIGHT = 2,
    AIC_MMAD_C = 0,
    AIC_MMAD_A = 1,
    AIC_MMAD_B = 2,
    AIC_FIXPIPE_DST = 0,
    AIC_FIXPIPE_SRC = 1,
    AIC_FIXPIPE_CBUFWORKSPACE = 2,
    AIC_TIK_FIXPIPE_DST = 0,
    AIC_TIK_FIXPIPE_SRC = 1,
    AIC_TIK_FIXPIPE_BIAS = 2,
    AIC_TIK_FIXPIPE_MODE_PARAM = 3,
    AIC_ND2NZ_DST = 0,
    AIC_ND2NZ_SRC = 1,
    AIC_LOAD_DATA_DST = 0,
    AIC_LOAD_DATA_SRC = 1,
    AIC_LOAD_DATA_TRANSPOSE_DST = 0,
    AIC_LOAD_DATA_TRANSPOSE_SRC = 1,
    AIC_TRANSDATA_DST = 0,
    AIC_TRANSDATA_SRC = 1,
    AIC_TENSOR_ARITHMETIC_OUTPUT = 0,
    AIC_TENSOR_ARITHMETIC_INPUT0 = 1,
    AIC_TENSOR_ARITHMETIC_INPUT1 = 2,
    AIC_TENSOR_ARITHMETIC_QUANTIZED_OUTPUT = 0,
    AIC_TENSOR_ARITHMETIC_QUANTIZED_INPUT0 = 1,
    AIC_TENSOR_ARITHMETIC_QUANTIZED_INPUT1 = 2,
    AIC_TEXPANDS_DST = 0,
    AIC_TEXPANDS_SCALAR = 1,
    AIC_TEXPANDS_V_ROW = 2,
    AIC_TEXPANDS_V_COL = 3,
};

/* Text name of an operator ("conv2d"), NULL for values that are none; and back (AIC_OP_NONE). */
AIC_API const char *aic_op_name(aic_op op);
AIC_API aic_op aic_op_parse(const char *name);

/* What aic_jit_conv2d(), aic_spec_create_conv2d(), aic_spec_get_conv2d() and so on call. `desc` is the descriptor of
 * the operator, `count` the number of `operands`, inputs and outputs in calling order; a NULL is passed in the place of
 * those that the operator has beyond them. `stage` counts the operators of a chain from 0. */
AIC_API aic_status aic_jit_operator(aic_context *ctx, aic_op op, const void *desc, const void *const operands[],
                                    size_t count);
AIC_API aic_status aic_spec_create(aic_op op, const void *desc, aic_spec **spec);
AIC_API aic_status aic_spec_get(const aic_spec *spec, size_t stage, aic_op op, void *desc);

/* Words of enumerations, the ones that operator text and options have: `kind` is the enumeration's name without aic_,
 * "quant_pre", "layout", "dtype". aic_word(): of a value, NULL where kind or value are none; static storage.
 * aic_value(): *value gets that of a word; AIC_INVALID_ARGUMENT with the words that there are. */
AIC_API const char *aic_word(const char *kind, int value);
AIC_API aic_status aic_value(const char *kind, const char *word, int *value);

AIC_EXTERN_C_END

#endif
