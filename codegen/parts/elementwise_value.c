/* Operations of element-wise kernels: the expression of each on words; elementwise_integer.c has those on elements of
 * 16 and 8 bits. */
#include "codegen/parts/elementwise_terms.h"

enum { WORD_BITS = 32 };

/* ---- words ---- */

/* Every NaN of `value` a quiet one. */
static LLVMValueRef quiet(const terms *t, LLVMValueRef value)
{
    enum { QUIET_NAN = 0x7FC00000 };
    LLVMBuilderRef b = t->e->builder;
    LLVMTypeRef words = aic_vector(t->e->i32, LLVMGetVectorSize(t->type));
    LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, value, value, "");
    LLVMValueRef bits = LLVMBuildBitCast(b, value, words, "");
    return LLVMBuildBitCast(b, LLVMBuildSelect(b, is_nan, constant(words, QUIET_NAN), bits, ""), t->type, "");
}

/* Whether arithmetic with this constant may be no arithmetic in LLVM's eyes: x + 0, x * 1, x / -1, or a constant NaN.
 */
static bool may_be_dropped(const aic_elementwise_input *in)
{
    enum { MAGNITUDE = INT32_MAX, ONE = 0x3F800000, INFINITY_BITS = 0x7F800000 };
    const int64_t word = in->constant & MAGNITUDE;
    return in->is_constant && (word == 0 || word == ONE || word > INFINITY_BITS);
}

/* Arithmetic makes NaNs quiet, but LLVM drops what leaves every number as it is, such as x * 1. */
static LLVMValueRef arithmetic(const terms *t, LLVMOpcode opcode, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef result = LLVMBuildBinOp(t->e->builder, opcode, x, y, "");
    const bool folded = LLVMIsConstant(y) && (LLVMIsConstant(x) || y != t->b); /* to who knows what */
    return folded || may_be_dropped(&t->v->a) || may_be_dropped(&t->v->b) ? quiet(t, result) : result;
}

static LLVMValueRef float_add(const terms *t)
{
    return arithmetic(t, LLVMFAdd, t->a, t->b);
}

static LLVMValueRef float_sub(const terms *t)
{
    return arithmetic(t, LLVMFSub, t->a, t->b);
}

static LLVMValueRef float_mul(const terms *t)
{
    return arithmetic(t, LLVMFMul, t->a, t->b);
}

static LLVMValueRef float_div(const terms *t)
{
    return arithmetic(t, LLVMFDiv, t->a, t->b);
}

/* a*b + old with one rounding. */
static LLVMValueRef fused_mac(const terms *t)
{
    if ((t->e->target->has & AIC_HAS_FMA) != 0) {
        return quiet(t, aic_fma(t->e, t->a, t->b, t->old));
    }
    return quiet(t, aic_fma_exact(t->e, t->a, t->b, t->old));
}

/* Two roundings, or one. */
static LLVMValueRef float_mac(const terms *t)
{
    if (t->v->fused) {
        return fused_mac(t);
    }
    return arithmetic(t, LLVMFAdd, t->old, binary(t, LLVMFMul));
}

/* A NaN comes out of these as it is; of a NaN and a number the one that is asked for. */
static LLVMValueRef extreme(const terms *t, const char *name)
{
    LLVMBuilderRef b = t->e->builder;
    LLVMValueRef result = intrinsic(t, name);
    if (t->v->number) {
        result = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, t->b, t->b, ""), t->a, result, "");
        result = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUNO, t->a, t->a, ""), t->b, result, "");
    }
    return quiet(t, result);
}

static LLVMValueRef float_max(const terms *t)
{
    return extreme(t, "llvm.maximum");
}

static LLVMValueRef float_min(const terms *t)
{
    return extreme(t, "llvm.minimum");
}

LLVMValueRef aic_bits_and(const terms *t)
{
    return binary(t, LLVMAnd);
}

LLVMValueRef aic_bits_or(const terms *t)
{
    return binary(t, LLVMOr);
}

LLVMValueRef aic_bits_xor(const terms *t)
{
    return binary(t, LLVMXor);
}

static LLVMValueRef selected(const terms *t, LLVMValueRef condition)
{
    LLVMTypeRef words = aic_vector(t->e->i32, LLVMGetVectorSize(t->type));
    return LLVMBuildSelect(t->e->builder, condition, constant(words, t->v->select), aic_zero(words), "");
}

static LLVMValueRef float_greater(const terms *t)
{
    return selected(t, LLVMBuildFCmp(t->e->builder, LLVMRealOGT, t->a, t->b, ""));
}

static LLVMValueRef bits_equal(const terms *t)
{
    return selected(t, LLVMBuildICmp(t->e->builder, LLVMIntEQ, t->a, t->b, ""));
}

/* The low six bits of b are a signed count; right shifts by 1 to 32, the first step apart. */
static LLVMValueRef bits_shift(const terms *t)
{
    LLVMBuilderRef b = t->e->builder;
    LLVMOpcode right = t->v->arithmetic ? LLVMAShr : LLVMLShr;
    LLVMValueRef low = LLVMBuildAnd(b, t->b, constant(t->type, 31), "");
    LLVMValueRef is_right =
        LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, t->b, constant(t->type, 32), ""), aic_zero(t->type), "");
    LLVMValueRef half = LLVMBuildBinOp(b, right, t->a, constant(t->type, 1), "");
    LLVMValueRef rest = LLVMBuildXor(b, low, constant(t->type, 31), ""); /* 31 - low */
    return LLVMBuildSelect(b, is_right, LLVMBuildBinOp(b, right, half, rest, ""), LLVMBuildShl(b, t->a, low, ""), "");
}

/* ---- the table ---- */

static const struct {
    const char *name;
    bool floats, reads_old;
    double operations; /* on words */
    expression *word;
} OPS[] = {
    [AIC_ELEMENTWISE_COPY] = {"copy", false, false, 0, NULL},
    [AIC_ELEMENTWISE_ADD] = {"add", true, false, 1, float_add},
    [AIC_ELEMENTWISE_SUB] = {"subtract", true, false, 1, float_sub},
    [AIC_ELEMENTWISE_MUL] = {"multiply", true, false, 1, float_mul},
    [AIC_ELEMENTWISE_DIV] = {"divide", true, false, 10, float_div},
    [AIC_ELEMENTWISE_MAC] = {"multiply and add", true, true, 2, float_mac},
    [AIC_ELEMENTWISE_MAX] = {"maximum", true, false, 8, float_max},
    [AIC_ELEMENTWISE_MIN] = {"minimum", true, false, 8, float_min},
    [AIC_ELEMENTWISE_AND] = {"and", false, false, 1, aic_bits_and},
    [AIC_ELEMENTWISE_OR] = {"or", false, false, 1, aic_bits_or},
    [AIC_ELEMENTWISE_XOR] = {"exclusive or", false, false, 1, aic_bits_xor},
    [AIC_ELEMENTWISE_SHIFT] = {"shift", false, false, 7, bits_shift},
    [AIC_ELEMENTWISE_GREATER] = {"select greater", true, false, 2, float_greater},
    [AIC_ELEMENTWISE_EQUAL] = {"select equal", false, false, 2, bits_equal},
};

const char *aic_elementwise_op_name(aic_elementwise_op op)
{
    return OPS[op].name;
}

bool aic_elementwise_reads_old(const aic_elementwise_value *value)
{
    return OPS[value->op].reads_old;
}

bool aic_elementwise_is_float(const aic_elementwise_value *value)
{
    return value->out.bits == WORD_BITS && OPS[value->op].floats;
}

double aic_elementwise_operations(const aic_elementwise_value *value)
{
    const bool whole = value->op == AIC_ELEMENTWISE_COPY || value->out.bits == WORD_BITS;
    return whole ? OPS[value->op].operations : aic_elementwise_integer_operations(value);
}

static LLVMValueRef word_input(const terms *t, const aic_elementwise_input *in, LLVMValueRef words)
{
    if (in->is_constant) {
        LLVMTypeRef type = aic_vector(t->e->i32, LLVMGetVectorSize(t->type));
        return LLVMConstBitCast(constant(type, in->constant), t->type);
    }
    return LLVMBuildBitCast(t->e->builder, words, t->type, "");
}

static LLVMValueRef word_value(aic_emit *e, const aic_elementwise_value *v,
                               LLVMValueRef stream[AIC_ELEMENTWISE_STREAMS], unsigned n)
{
    terms t = {.e = e, .v = v, .type = aic_vector(OPS[v->op].floats ? e->f32 : e->i32, n)};
    t.a = word_input(&t, &v->a, stream[AIC_ELEMENTWISE_A]);
    t.b = word_input(&t, &v->b, stream[AIC_ELEMENTWISE_B]);
    t.old = OPS[v->op].reads_old ? word_input(&t, &v->out, stream[AIC_ELEMENTWISE_OLD]) : NULL;
    return OPS[v->op].word(&t);
}

/* The lowest `count` elements of every word new, the others old. */
static LLVMValueRef merge(aic_emit *e, LLVMValueRef words, LLVMValueRef old, unsigned bits)
{
    LLVMTypeRef type = LLVMTypeOf(words);
    const int64_t mask = (INT64_C(1) << bits) - 1;
    LLVMValueRef fresh = LLVMBuildAnd(e->builder, words, constant(type, mask), "");
    LLVMValueRef kept = LLVMBuildAnd(e->builder, old, constant(type, ~mask & UINT32_MAX), "");
    return LLVMBuildOr(e->builder, fresh, kept, "");
}

/* A box's elements, whatever their size. */
static LLVMValueRef copied(aic_emit *e, const aic_elementwise_input *a, LLVMValueRef stream, unsigned n)
{
    return a->is_constant ? constant(aic_vector(LLVMIntTypeInContext(e->context, a->bits), n), a->constant) : stream;
}

LLVMValueRef aic_emit_elementwise_value(aic_emit *e, const aic_elementwise_value *v, const aic_elementwise_part *part,
                                        LLVMValueRef stream[AIC_ELEMENTWISE_STREAMS], unsigned n)
{
    LLVMValueRef result;
    if (v->op == AIC_ELEMENTWISE_COPY) {
        result = copied(e, &v->a, stream[AIC_ELEMENTWISE_A], n);
    } else if (v->out.bits == WORD_BITS) {
        result = word_value(e, v, stream, n);
    } else {
        result = aic_emit_elementwise_integer(e, v, part, stream, n);
    }
    if (v->op != AIC_ELEMENTWISE_COPY) {
        result = LLVMBuildBitCast(e->builder, result, aic_vector(e->i32, n), "");
    }
    return part->count != 0 ? merge(e, result, stream[AIC_ELEMENTWISE_OLD], part->count * v->out.bits) : result;
}
