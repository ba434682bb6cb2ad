/* The arithmetic of epilogues on one packet (AscendC Fixpipe; TIK conv2d). */
#include "codegen/parts/packet.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts/elementwise_value.h"

#include <float.h>
#include <string.h>

/* Bits of the largest finite numbers. */
enum { HALF_MAX = 0x7bff, BFLOAT16_MAX = 0x7f7f, SIGN16 = 0x8000, DEFAULT_NAN = 0x7fc00000 };

static bool is_float(const aic_scaling *p)
{
    return p->source == AIC_FLOAT32;
}

/* Whether the final conversion turns every NaN into +0. */
static bool drops_nan(const aic_scaling *p)
{
    return aic_gives_bytes(p) || (p->target != p->source && p->saturate);
}

/* Whether products can be NaN. Scales that are halves of a tensor may be infinite; those of words are finite. */
static bool may_be_nan(const aic_scaling *p)
{
    return is_float(p) || p->scale == AIC_SCALE_HALVES;
}

/* ---- steps, in their order ---- */

/* Replaces infinities by the largest finite numbers and NaN by +0. */
static LLVMValueRef saturate_source(aic_emit *e, LLVMValueRef x)
{
    LLVMValueRef bounded = aic_clamp_float(e, x, -(double)FLT_MAX, (double)FLT_MAX);
    return LLVMBuildSelect(e->builder, LLVMBuildFCmp(e->builder, LLVMRealORD, x, x, ""), bounded,
                           aic_zero(LLVMTypeOf(x)), "");
}

/* Adds the bias. Integers are clamped first, so that the addition does not overflow: limit_bias() in table.c. */
static LLVMValueRef add_bias(aic_emit *e, const aic_parameters *parameters, unsigned i, LLVMValueRef x)
{
    if (parameters->bias_high[i] == NULL) {
        return LLVMBuildFAdd(e->builder, x, parameters->bias[i], "");
    }
    x = aic_vector_max(e, aic_vector_min(e, x, parameters->bias_high[i]), parameters->bias_low[i]);
    return LLVMBuildAdd(e->builder, x, parameters->bias[i], "");
}

/* Replaces everything that is not above 0 by +0, but not NaN. If a later step drops NaN anyway, an integer maximum
 * does, which goes by the sign bit. */
static LLVMValueRef rectify(aic_emit *e, const aic_scaling *p, LLVMValueRef x)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef type = LLVMTypeOf(x), words = aic_vector(e->i32, LLVMGetVectorSize(type));
    if (type == words || drops_nan(p)) {
        x = aic_vector_max(e, LLVMBuildBitCast(b, x, words, ""), aic_zero(words));
        return LLVMBuildBitCast(b, x, type, "");
    }
    return LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealUGT, x, aic_zero(type), ""), x, aic_zero(type), "");
}

/* The state of a vector of accumulators while the steps are applied to it. */
typedef struct passage {
    const aic_parameters *parameters;
    const aic_accumulators *from;
    unsigned vector;                           /* its index in the packet */
    LLVMValueRef x;                            /* its current value */
    int stage;                                 /* the stage of the chain that has produced x, from 1 on */
    LLVMValueRef left[AIC_EPILOGUE_STEPS + 2]; /* the values that earlier stages have produced */
} passage;

static LLVMValueRef words_of(aic_emit *e, LLVMValueRef x)
{
    return LLVMBuildBitCast(e->builder, x, aic_vector(e->i32, LLVMGetVectorSize(LLVMTypeOf(x))), "");
}

static LLVMValueRef floats_of(aic_emit *e, LLVMValueRef x)
{
    return LLVMBuildBitCast(e->builder, x, aic_vector(e->f32, LLVMGetVectorSize(LLVMTypeOf(x))), "");
}

/* The arithmetic of a step, on words: on the accumulators, and on what may be a constant. */
static aic_elementwise_value value_of(const aic_strip_key *k, unsigned step)
{
    enum { WORD_BITS = 32 };
    return (aic_elementwise_value){.op = (aic_elementwise_op)k->value[step],
                                   .a.bits = WORD_BITS,
                                   .b = {.is_constant = k->b[step], .constant = k->b_word[step], .bits = WORD_BITS},
                                   .out.bits = WORD_BITS,
                                   .select = (uint32_t)k->select[step],
                                   .arithmetic = k->arithmetic[step],
                                   .fused = k->fused[step],
                                   .number = k->number[step]};
}

/* Whether a step from number `first` on, or what follows them all, takes the words for integers. */
static bool takes_bits(const aic_strip_key *k, unsigned first)
{
    bool takes = !is_float(&k->scaling);
    for (unsigned s = first; s < k->steps; s++) {
        const aic_elementwise_value v = value_of(k, s);
        takes |= k->op[s] == AIC_STEP_ARITHMETIC && v.op != AIC_ELEMENTWISE_COPY && !aic_elementwise_is_float(&v);
    }
    return takes;
}

/* Words with every NaN the default one, whose bits the references have, too. */
static LLVMValueRef with_default_nan(aic_emit *e, LLVMValueRef words)
{
    LLVMValueRef x = floats_of(e, words), nan = aic_const_int(LLVMTypeOf(words), DEFAULT_NAN);
    return LLVMBuildSelect(e->builder, LLVMBuildFCmp(e->builder, LLVMRealUNO, x, x, ""), nan, words, "");
}

/* The same words, of which LLVM knows nothing. When it selects instructions it folds operations whose operands turn out
 * to be constant, such as a quotient of words that BM_AND has made 0; and a comparison with the NaN that comes of it,
 * in a vector, it folds to anything (seen in 19 and 22). */
static LLVMValueRef unknown(aic_emit *e, LLVMValueRef words)
{
    LLVMValueRef x = floats_of(e, words);
    LLVMTypeRef type = LLVMTypeOf(x);
    return words_of(e, aic_emit_intrinsic(e, "llvm.arithmetic.fence", &type, 1, &x, 1));
}

static LLVMValueRef compute(aic_emit *e, const aic_strip_key *k, unsigned number, passage *way)
{
    const aic_elementwise_value value = value_of(k, number);
    static const aic_elementwise_part whole = {.count = 0};
    LLVMValueRef stream[AIC_ELEMENTWISE_STREAMS] = {NULL}, words = words_of(e, way->x);
    words = k->sums[number] && takes_bits(k, number) ? with_default_nan(e, words) : words;
    way->left[way->stage++] = words;
    stream[AIC_ELEMENTWISE_A] = stream[AIC_ELEMENTWISE_OLD] = words;
    stream[AIC_ELEMENTWISE_B] =
        k->stage[number] != 0 ? way->left[k->stage[number]] : way->from->input[number][way->vector];
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(words));
    LLVMValueRef result = unknown(e, aic_emit_elementwise_value(e, &value, &whole, stream, lanes));
    const bool may_be_nan = aic_elementwise_is_float(&value) && value.op != AIC_ELEMENTWISE_GREATER;
    return may_be_nan && takes_bits(k, number + 1) ? with_default_nan(e, result) : result;
}

static LLVMValueRef take_step(aic_emit *e, const aic_strip_key *k, unsigned number, passage *way)
{
    const aic_scaling *p = &k->scaling;
    /* If the conversion saturates and nothing comes between, saturating before it would change nothing. */
    const bool itself = k->steps == 1 && p->scale == AIC_SCALE_NONE && p->target != p->source && p->saturate;
    LLVMValueRef x = way->x;
    switch ((aic_step_op)k->op[number]) {
    case AIC_STEP_SATURATE:
        return itself ? x : saturate_source(e, floats_of(e, x));
    case AIC_STEP_BIAS:
        x = p->bias == AIC_FLOAT32 ? floats_of(e, x) : words_of(e, x);
        return add_bias(e, way->parameters, way->vector, x);
    case AIC_STEP_ARITHMETIC:
        return compute(e, k, number, way);
    }
    return x;
}

static const char *const STEP_NAMES[] = {
    [AIC_STEP_SATURATE] = "saturated",
    [AIC_STEP_BIAS] = "biased",
    [AIC_STEP_ARITHMETIC] = "computed",
};

/* Vector i of the packet after all steps and the rectification of the source, before scaling: floats or integers. */
static LLVMValueRef unscaled(aic_emit *e, const aic_strip_key *k, const aic_parameters *parameters,
                             const aic_accumulators *from, unsigned i)
{
    const aic_scaling *p = &k->scaling;
    passage way = {.parameters = parameters, .from = from, .vector = i, .stage = 1, .x = from->sum[i]};
    for (unsigned s = 0; s < k->steps; s++) {
        way.x = take_step(e, k, s, &way);
        aic_name(e, way.x, "%s.v%u", STEP_NAMES[k->op[s]], i);
    }
    LLVMValueRef x = is_float(p) ? floats_of(e, way.x) : words_of(e, way.x);
    if (p->relu == AIC_RELU_SOURCE && !aic_gives_bytes(p)) { /* for bytes rectification is part of LEAST */
        x = rectify(e, p, x);
        aic_name(e, x, "rectified.v%u", i);
    }
    return x;
}

/* Scales a vector, up to the conversion to the target's type. */
static LLVMValueRef scaled(aic_emit *e, const aic_scaling *p, const aic_parameters *parameters, LLVMValueRef x,
                           unsigned i)
{
    LLVMTypeRef floats = aic_vector(e->f32, LLVMGetVectorSize(LLVMTypeOf(x)));
    if (p->target != p->source && !is_float(p)) {
        x = LLVMBuildSIToFP(e->builder, x, floats, "");
        aic_name(e, x, "float.v%u", i);
    }
    if (p->scale != AIC_SCALE_NONE) {
        x = LLVMBuildFMul(e->builder, x, parameters->scale[i], "");
        aic_name(e, x, "scaled.v%u", i);
    }
    /* Rounding to a shorter float changes no sign, so this may come before it. */
    return p->relu == AIC_RELU_RESULT ? rectify(e, p, x) : x;
}

/* A change that only rare columns of a path need; a branch on `limited` skips it for the others. */
typedef void (*change)(aic_emit *e, const aic_scaling *p, const aic_parameters *parameters, LLVMValueRef *x,
                       unsigned count);

static void change_limited(aic_emit *e, const aic_scaling *p, const aic_parameters *parameters, LLVMValueRef *x,
                           unsigned count, change function)
{
    if (parameters->limited == NULL) {
        function(e, p, parameters, x, count);
        return;
    }
    LLVMValueRef changed[AIC_PACKET_VECTORS];
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder);
    aic_branch branch;
    memcpy(changed, x, count * sizeof *x);
    aic_branch_begin(e, &branch, parameters->limited);
    function(e, p, parameters, changed, count);
    LLVMBasicBlockRef then = LLVMGetInsertBlock(e->builder);
    aic_branch_end(e, &branch);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef either = LLVMBuildPhi(e->builder, LLVMTypeOf(x[i]), "");
        LLVMAddIncoming(either, (LLVMValueRef[]){x[i], changed[i]}, (LLVMBasicBlockRef[]){before, then}, 2);
        x[i] = either;
    }
}

/* Clears the bits that are shifted out. */
static void mask_all(aic_emit *e, const aic_scaling *p, const aic_parameters *parameters, LLVMValueRef *x,
                     unsigned count)
{
    (void)p;
    for (unsigned i = 0; i < count; i++) {
        x[i] = LLVMBuildAnd(e->builder, x[i], parameters->mask[i], "");
        aic_name(e, x[i], "shifted.v%u", i);
    }
}

/* ---- bytes ---- */

/* Limits products to the largest int16 from above, as rounding larger ones would overflow int32. NaN becomes 0. */
static LLVMValueRef bound(aic_emit *e, const aic_scaling *p, LLVMValueRef x)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef high = aic_const_float(type, INT16_MAX);
    LLVMValueRef bounded = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealOLT, x, high, ""), x, high, "");
    if (may_be_nan(p)) {
        bounded = LLVMBuildSelect(b, LLVMBuildFCmp(b, LLVMRealORD, x, x, ""), bounded, aic_zero(type), "");
    }
    return bounded;
}

static void bound_all(aic_emit *e, const aic_scaling *p, const aic_parameters *parameters, LLVMValueRef *x,
                      unsigned count)
{
    (void)parameters;
    for (unsigned i = 0; i < count; i++) {
        x[i] = bound(e, p, x[i]);
        aic_name(e, x[i], "bounded.v%u", i);
    }
}

/* Restores the order of lanes after two rounds of packing, which interleaves parts of registers on some targets. */
static LLVMValueRef unpack_order(aic_emit *e, const aic_packet *packet, LLVMValueRef packed)
{
    const aic_target *target = e->target;
    unsigned from[AIC_LANES_MAX], lanes = packet->lanes;
    aic_limit("bytes of a packet", 4 * lanes, AIC_LANES_MAX);
    for (unsigned i = 0; i < 4 * lanes; i++) { /* lane i of the two pairs, packed once and then again */
        unsigned pair = i / (2 * lanes), lane = aic_pack_lane(target, lanes, 32, i % (2 * lanes));
        from[i] = aic_pack_lane(target, 2 * lanes, 16, pair * 2 * lanes + lane);
    }
    return aic_permute(e, packed, from, 4 * lanes);
}

static LLVMValueRef to_bytes(aic_emit *e, const aic_scaling *p, const aic_packet *packet,
                             const aic_parameters *parameters, LLVMValueRef *x, unsigned count)
{
    LLVMValueRef half[AIC_PACKET_VECTORS / 2];
    const unsigned vectors = count > 1 ? count : 1;
    if (may_be_nan(p) || parameters->path == AIC_PATH_FULL) {
        change_limited(e, p, parameters, x, count, bound_all);
    }
    for (unsigned i = 0; i < count; i++) {
        x[i] = aic_round(e, x[i]);
        aic_name(e, x[i], "rounded.v%u", i);
    }
    for (unsigned i = 0; i < AIC_PACKET_VECTORS / 2; i++) {
        half[i] = aic_pack(e, x[2 * i % vectors], x[(2 * i + 1) % vectors], false);
        half[i] = LLVMIsNull(parameters->up[i]) ? half[i] : aic_add_saturated(e, half[i], parameters->up[i]);
    }
    LLVMValueRef bytes = unpack_order(e, packet, aic_pack(e, half[0], count > 2 ? half[1] : half[0], false));
    LLVMValueRef bottom = aic_const_int(LLVMTypeOf(bytes), INT8_MIN);
    const bool limits = parameters->path >= AIC_PATH_LIMITS || p->relu == AIC_RELU_SOURCE;
    if (limits && parameters->least != bottom) { /* LLVM's equal constants are the same pointer */
        bytes = aic_vector_max(e, bytes, parameters->least);
    }
    return LLVMIsNull(parameters->down) ? bytes : LLVMBuildAdd(e->builder, bytes, parameters->down, "");
}

/* ---- short floats ---- */

/* Replaces results by +0 where the float was NaN. */
static LLVMValueRef drop_nan(aic_emit *e, const LLVMValueRef *floats, unsigned count, LLVMValueRef results)
{
    LLVMValueRef number[AIC_PACKET_VECTORS];
    for (unsigned i = 0; i < count; i++) {
        number[i] = LLVMBuildFCmp(e->builder, LLVMRealORD, floats[i], floats[i], "");
    }
    return LLVMBuildSelect(e->builder, aic_concat(e, number, count), results, aic_zero(LLVMTypeOf(results)), "");
}

/* Converts to float16 or bfloat16. Saturation is done on the bits of the result, where an infinity is the number behind
 * the largest finite one of its sign. It is not needed where the sum with the bias has been limited: limit_bias(). */
static LLVMValueRef to_short_float(aic_emit *e, const aic_scaling *p, aic_path path, const LLVMValueRef *x,
                                   unsigned count)
{
    const bool half = p->target == AIC_FLOAT16, nan = may_be_nan(p);
    LLVMValueRef y = half ? aic_float_to_half(e, x[0]) : aic_float_to_bfloat16(e, x, count, !p->saturate);
    if (!p->saturate || (aic_limits_sums(p) && path == AIC_PATH_FAST)) {
        return y;
    }
    LLVMTypeRef type = LLVMTypeOf(y);
    const int64_t most = half ? HALF_MAX : BFLOAT16_MAX;
    y = aic_vector_min(e, y, aic_const_int(type, most));
    if (p->relu == AIC_RELU_NONE || (p->relu == AIC_RELU_SOURCE && p->scale != AIC_SCALE_NONE)) {
        y = aic_vector_min_unsigned(e, y, aic_const_int(type, most | SIGN16));
    }
    return nan ? drop_nan(e, x, count, y) : y;
}

LLVMValueRef aic_packet_results(aic_emit *e, const aic_strip_key *k, const aic_packet *packet,
                                const aic_parameters *parameters, const aic_accumulators *from, unsigned count)
{
    const aic_scaling *p = &k->scaling;
    LLVMValueRef x[AIC_PACKET_VECTORS] = {NULL};
    for (unsigned i = 0; i < count; i++) {
        x[i] = unscaled(e, k, parameters, from, i);
    }
    if (parameters->mask[0] != NULL && parameters->path >= AIC_PATH_LIMITS) {
        change_limited(e, p, parameters, x, count, mask_all);
    }
    for (unsigned i = 0; i < count; i++) {
        x[i] = scaled(e, p, parameters, x[i], i);
    }
    if (aic_gives_bytes(p)) {
        return to_bytes(e, p, packet, parameters, x, count);
    }
    if (p->target != p->source) {
        for (unsigned i = count; i < packet->count; i++) {
            x[i] = x[i - count];
        }
        return to_short_float(e, p, parameters->path, x, packet->count);
    }
    for (unsigned i = 0; i < count; i++) {
        x[i] = words_of(e, x[i]);
    }
    return aic_concat(e, x, count);
}
