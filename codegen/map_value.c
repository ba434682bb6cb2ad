/* Operations of maps: the expression of each on words, and on the elements of 16 and 8 bits in them.
 *
 * Integers are computed exactly in a width that holds every intermediate, then clamped. Where the instruction set has
 * the operation with clamping in the elements' own width, it is used. */
#include "codegen/map_value.h"
#include "codegen/vec.h"

/* An expression on vectors of one type; old: NULL where it is not read. */
typedef struct terms {
    aic_emit *e;
    const aic_map_value *v;
    LLVMTypeRef type;
    LLVMValueRef a, b, old;
} terms;

typedef LLVMValueRef expression(const terms *t);

/* Every lane the low bits of `value`. */
static LLVMValueRef constant(LLVMTypeRef type, int64_t value)
{
    const unsigned above = 64 - LLVMGetIntTypeWidth(LLVMGetElementType(type));
    return aic_const_int(type, (int64_t)((uint64_t)value << above) >> above);
}

/* ---- words ---- */

static LLVMValueRef binary(const terms *t, LLVMOpcode opcode)
{
    return LLVMBuildBinOp(t->e->builder, opcode, t->a, t->b, "");
}

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

/* Arithmetic makes NaNs quiet, but LLVM drops what leaves every number as it is, such as x * 1. */
static LLVMValueRef arithmetic(const terms *t, LLVMOpcode opcode, LLVMValueRef x, LLVMValueRef y)
{
    LLVMValueRef result = LLVMBuildBinOp(t->e->builder, opcode, x, y, "");
    return LLVMIsConstant(x) || LLVMIsConstant(y) ? quiet(t, result) : result;
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

/* Two roundings. */
static LLVMValueRef float_mac(const terms *t)
{
    return arithmetic(t, LLVMFAdd, t->old, binary(t, LLVMFMul));
}

static LLVMValueRef intrinsic(const terms *t, const char *name)
{
    LLVMTypeRef type = LLVMTypeOf(t->a);
    LLVMValueRef args[] = {t->a, t->b};
    return aic_emit_intrinsic(t->e, name, &type, 1, args, 2);
}

/* A NaN comes out of these as it is. */
static LLVMValueRef float_max(const terms *t)
{
    return quiet(t, intrinsic(t, "llvm.maximum"));
}

static LLVMValueRef float_min(const terms *t)
{
    return quiet(t, intrinsic(t, "llvm.minimum"));
}

static LLVMValueRef bits_and(const terms *t)
{
    return binary(t, LLVMAnd);
}

static LLVMValueRef bits_or(const terms *t)
{
    return binary(t, LLVMOr);
}

static LLVMValueRef bits_xor(const terms *t)
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

/* ---- integers, in a type that holds every intermediate ---- */

static LLVMValueRef integer_add(const terms *t)
{
    return binary(t, LLVMAdd);
}

static LLVMValueRef integer_sub(const terms *t)
{
    return binary(t, LLVMSub);
}

static LLVMValueRef shift_rounding(const terms *t, LLVMValueRef value)
{
    int64_t most = (int64_t)LLVMGetIntTypeWidth(LLVMGetElementType(t->type)) - 1;
    if (t->v->right == 0) {
        return value;
    }
    if (t->v->half_up) {
        LLVMValueRef half = constant(t->type, INT64_C(1) << (t->v->right - 1));
        value = LLVMBuildAdd(t->e->builder, value, half, "");
    }
    int64_t count = t->v->right < most ? t->v->right : most; /* beyond, nothing but signs is left */
    return LLVMBuildAShr(t->e->builder, value, constant(t->type, count), "");
}

static LLVMValueRef integer_mul(const terms *t)
{
    return shift_rounding(t, binary(t, LLVMMul));
}

static LLVMValueRef integer_mac(const terms *t)
{
    LLVMValueRef old = LLVMBuildShl(t->e->builder, t->old, constant(t->type, t->v->left), "");
    return shift_rounding(t, LLVMBuildAdd(t->e->builder, binary(t, LLVMMul), old, ""));
}

static LLVMValueRef integer_max(const terms *t)
{
    return aic_vector_max(t->e, t->a, t->b);
}

static LLVMValueRef integer_min(const terms *t)
{
    return aic_vector_min(t->e, t->a, t->b);
}

/* Of patterns of 16 bits by counts of any size, in 32 bits: 16 and more shift everything out. */
static LLVMValueRef integer_shift(const terms *t)
{
    LLVMBuilderRef b = t->e->builder;
    LLVMValueRef zero = aic_zero(t->type), most = constant(t->type, 16);
    LLVMValueRef pattern = LLVMBuildAnd(b, t->a, constant(t->type, 0xffff), "");
    LLVMValueRef left = aic_vector_min(t->e, aic_vector_max(t->e, t->b, zero), most);
    LLVMValueRef right = aic_vector_min(t->e, aic_vector_max(t->e, LLVMBuildNeg(b, t->b, ""), zero), most);
    LLVMValueRef raised = LLVMBuildShl(b, pattern, left, "");
    LLVMValueRef lowered = LLVMBuildAShr(b, t->v->arithmetic ? t->a : pattern, right, "");
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGE, t->b, zero, ""), raised, lowered, "");
}

/* ---- the table ---- */

static const struct {
    const char *name;
    bool floats, reads_old;
    double operations; /* on words */
    expression *word, *integer;
    /* Elements of 16 and 8 bits: bitwise, without signs and clamping; or the intrinsics that clamp by themselves where
     * all have one sign and width. */
    bool bitwise;
    const char *with_sign, *without_sign;
} OPS[] = {
    [AIC_MAP_COPY] = {"copy", false, false, 0, NULL, NULL, true, NULL, NULL},
    [AIC_MAP_ADD] = {"add", true, false, 1, float_add, integer_add, false, "llvm.sadd.sat", "llvm.uadd.sat"},
    [AIC_MAP_SUB] = {"subtract", true, false, 1, float_sub, integer_sub, false, "llvm.ssub.sat", "llvm.usub.sat"},
    [AIC_MAP_MUL] = {"multiply", true, false, 1, float_mul, integer_mul, false, NULL, NULL},
    [AIC_MAP_DIV] = {"divide", true, false, 10, float_div, NULL, false, NULL, NULL},
    [AIC_MAP_MAC] = {"multiply and add", true, true, 2, float_mac, integer_mac, false, NULL, NULL},
    [AIC_MAP_MAX] = {"maximum", true, false, 8, float_max, integer_max, false, "llvm.smax", "llvm.umax"},
    [AIC_MAP_MIN] = {"minimum", true, false, 8, float_min, integer_min, false, "llvm.smin", "llvm.umin"},
    [AIC_MAP_AND] = {"and", false, false, 1, bits_and, bits_and, true, NULL, NULL},
    [AIC_MAP_OR] = {"or", false, false, 1, bits_or, bits_or, true, NULL, NULL},
    [AIC_MAP_XOR] = {"exclusive or", false, false, 1, bits_xor, bits_xor, true, NULL, NULL},
    [AIC_MAP_SHIFT] = {"shift", false, false, 7, bits_shift, integer_shift, false, NULL, NULL},
    [AIC_MAP_GREATER] = {"select greater", true, false, 2, float_greater, NULL, false, NULL, NULL},
    [AIC_MAP_EQUAL] = {"select equal", false, false, 2, bits_equal, NULL, false, NULL, NULL},
};

enum { WORD_BITS = 32 };

const char *aic_map_op_name(aic_map_op op)
{
    return OPS[op].name;
}

bool aic_map_reads_old(const aic_map_value *value)
{
    return OPS[value->op].reads_old;
}

bool aic_map_is_float(const aic_map_value *value)
{
    return value->out.bits == WORD_BITS && OPS[value->op].floats;
}

double aic_map_operations(const aic_map_value *value)
{
    enum { WIDENING = 4 };
    return OPS[value->op].operations * (value->out.bits == WORD_BITS ? 1 : WIDENING);
}

/* ---- elements of words ---- */

static LLVMTypeRef elements(aic_emit *e, unsigned bits, unsigned count)
{
    return aic_vector(LLVMIntTypeInContext(e->context, bits), count);
}

static bool clamps_itself(const aic_map_value *v)
{
    const bool alike =
        v->a.bits == v->out.bits && v->b.bits == v->out.bits && v->a.sign == v->out.sign && v->b.sign == v->out.sign;
    return alike && OPS[v->op].with_sign != NULL;
}

/* Bits that hold every intermediate of an operation on integers. */
static unsigned width_of(const aic_map_value *v)
{
    if (OPS[v->op].bitwise || clamps_itself(v)) {
        return v->a.bits;
    }
    if (v->op == AIC_MAP_MUL) { /* products of signed elements have 15 bits and a sign, and room for a half below it */
        return v->a.sign && v->b.sign && (!v->half_up || v->right < 15) ? 16 : 32;
    }
    if (v->op == AIC_MAP_MAC) {
        return v->left <= 13 && v->right <= 29 ? 32 : 64;
    }
    return v->op == AIC_MAP_SHIFT ? 32 : 2 * v->a.bits;
}

/* Elements of the words, as many as an output's word has: number j of word i is number base(i) + step*j of `words`, or
 * of `next` where it lies behind them. */
static LLVMValueRef pick(aic_emit *e, const aic_map_input *in, const aic_map_value *v, unsigned half,
                         LLVMValueRef words, LLVMValueRef next, unsigned n)
{
    const unsigned per_in = WORD_BITS / in->bits, per_out = WORD_BITS / v->out.bits, count = per_in * n;
    LLVMValueRef from[64];
    LLVMValueRef low = LLVMBuildBitCast(e->builder, words, elements(e, in->bits, count), "");
    if (per_in == per_out && !in->spread) {
        return low;
    }
    LLVMValueRef high = next != NULL ? LLVMBuildBitCast(e->builder, next, elements(e, in->bits, count), "")
                                     : LLVMGetPoison(LLVMTypeOf(low));
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < per_out; j++) {
            unsigned at = in->spread ? 0 : half * per_out + j;
            unsigned behind = at / per_in * count; /* in the other vector */
            from[i * per_out + j] = LLVMConstInt(e->i32, behind + i * per_in + at % per_in, false);
        }
    }
    return LLVMBuildShuffleVector(e->builder, low, high, LLVMConstVector(from, n * per_out), "");
}

static LLVMValueRef widen(aic_emit *e, LLVMValueRef value, bool sign, LLVMTypeRef type)
{
    if (LLVMTypeOf(value) == type) {
        return value;
    }
    return sign ? LLVMBuildSExt(e->builder, value, type, "") : LLVMBuildZExt(e->builder, value, type, "");
}

static LLVMValueRef clamped(aic_emit *e, LLVMValueRef value, const aic_map_input *out)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    const int64_t range = INT64_C(1) << out->bits, low = out->sign ? -range / 2 : 0, high = low + range - 1;
    if (LLVMGetIntTypeWidth(LLVMGetElementType(type)) > out->bits) {
        value = aic_vector_min(e, value, constant(type, high));
        return aic_vector_max(e, value, constant(type, low));
    }
    /* As wide as the output, and signed: too small, or within. */
    return out->sign ? value : aic_vector_max(e, value, aic_zero(type));
}

/* The result in the width of the output's elements. */
static LLVMValueRef finish(aic_emit *e, const aic_map_value *v, LLVMValueRef result, LLVMTypeRef type)
{
    if (!OPS[v->op].bitwise && !clamps_itself(v) && v->op != AIC_MAP_SHIFT) {
        result = clamped(e, result, &v->out);
    }
    return LLVMTypeOf(result) == type ? result : LLVMBuildTrunc(e->builder, result, type, "");
}

static LLVMValueRef compute(const terms *t)
{
    if (clamps_itself(t->v)) {
        return intrinsic(t, t->v->out.sign ? OPS[t->v->op].with_sign : OPS[t->v->op].without_sign);
    }
    return OPS[t->v->op].integer(t);
}

static LLVMValueRef integer_input(const terms *t, const aic_map_input *in, const aic_map_part *part, LLVMValueRef words,
                                  LLVMValueRef next, unsigned n)
{
    if (in->is_constant) {
        return constant(t->type, in->constant);
    }
    return words == NULL ? NULL : widen(t->e, pick(t->e, in, t->v, part->half, words, next, n), in->sign, t->type);
}

static LLVMValueRef integer_value(aic_emit *e, const aic_map_value *v, const aic_map_part *part,
                                  LLVMValueRef stream[AIC_MAP_STREAMS], unsigned n)
{
    const unsigned count = n * (WORD_BITS / v->out.bits);
    terms t = {.e = e, .v = v, .type = elements(e, width_of(v), count)};
    t.a = integer_input(&t, &v->a, part, stream[AIC_MAP_A], stream[AIC_MAP_A_NEXT], n);
    t.b = integer_input(&t, &v->b, part, stream[AIC_MAP_B], stream[AIC_MAP_B_NEXT], n);
    if (OPS[v->op].reads_old) {
        t.old = integer_input(&t, &v->out, &(aic_map_part){.half = 0}, stream[AIC_MAP_OLD], NULL, n);
    }
    return finish(e, v, compute(&t), elements(e, v->out.bits, count));
}

/* ---- both ---- */

static LLVMValueRef word_input(const terms *t, const aic_map_input *in, LLVMValueRef words)
{
    if (in->is_constant) {
        LLVMTypeRef type = aic_vector(t->e->i32, LLVMGetVectorSize(t->type));
        return LLVMConstBitCast(constant(type, in->constant), t->type);
    }
    return words == NULL ? NULL : LLVMBuildBitCast(t->e->builder, words, t->type, "");
}

static LLVMValueRef word_value(aic_emit *e, const aic_map_value *v, LLVMValueRef stream[AIC_MAP_STREAMS], unsigned n)
{
    terms t = {.e = e, .v = v, .type = aic_vector(OPS[v->op].floats ? e->f32 : e->i32, n)};
    t.a = word_input(&t, &v->a, stream[AIC_MAP_A]);
    t.b = word_input(&t, &v->b, stream[AIC_MAP_B]);
    t.old = OPS[v->op].reads_old ? word_input(&t, &v->out, stream[AIC_MAP_OLD]) : NULL;
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
static LLVMValueRef copied(aic_emit *e, const aic_map_input *a, LLVMValueRef stream, unsigned n)
{
    return a->is_constant ? constant(elements(e, a->bits, n), a->constant) : stream;
}

LLVMValueRef aic_emit_map_value(aic_emit *e, const aic_map_value *v, const aic_map_part *part,
                                LLVMValueRef stream[AIC_MAP_STREAMS], unsigned n)
{
    LLVMValueRef result;
    if (v->op == AIC_MAP_COPY) {
        result = copied(e, &v->a, stream[AIC_MAP_A], n);
    } else if (v->out.bits == WORD_BITS) {
        result = word_value(e, v, stream, n);
    } else {
        result = integer_value(e, v, part, stream, n);
    }
    if (v->op != AIC_MAP_COPY) {
        result = LLVMBuildBitCast(e->builder, result, aic_vector(e->i32, n), "");
    }
    return part->count != 0 ? merge(e, result, stream[AIC_MAP_OLD], part->count * v->out.bits) : result;
}
