/* What the expressions of element-wise kernels are made of; elementwise_value.c has those on words,
 * elementwise_integer.c those on the elements of 16 and 8 bits in them. */
#pragma once

#include "codegen/llvm/vec.h"
#include "codegen/parts/elementwise_value.h"

/* The operands of an expression, vectors of one type; `old` is NULL where the output's old value is not read. */
typedef struct terms {
    aic_emit *e;
    const aic_elementwise_value *v;
    LLVMTypeRef type;
    bool sign; /* integers: results have signs */
    LLVMValueRef a, b, old;
} terms;

typedef LLVMValueRef expression(const terms *t);

/* Expressions that words and narrower elements share. */
expression aic_bits_and, aic_bits_or, aic_bits_xor;

/* A vector with the low bits of `value` in every lane. */
static inline LLVMValueRef constant(LLVMTypeRef type, int64_t value)
{
    const unsigned above = 64 - LLVMGetIntTypeWidth(LLVMGetElementType(type));
    return aic_const_int(type, (int64_t)((uint64_t)value << above) >> above);
}

static inline LLVMValueRef binary(const terms *t, LLVMOpcode opcode)
{
    return LLVMBuildBinOp(t->e->builder, opcode, t->a, t->b, "");
}

static inline LLVMValueRef intrinsic(const terms *t, const char *name)
{
    return aic_lanewise(t->e, name, t->a, t->b);
}

/* elementwise_integer.c: computes words <n x i32> of the output whose elements are narrower than words. */
LLVMValueRef aic_emit_elementwise_integer(aic_emit *e, const aic_elementwise_value *v, const aic_elementwise_part *part,
                                          LLVMValueRef stream[AIC_ELEMENTWISE_STREAMS], unsigned n);

/* About how many vector instructions compute a vector of results. */
double aic_elementwise_integer_operations(const aic_elementwise_value *v);
