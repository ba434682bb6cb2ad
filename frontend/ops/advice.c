/* aic_spec_advise(): requests that are legal and hardly mean what they say, a function an operator, a field each with
 * the reason; alone or as a stage of a chain, as the readings of the request have it. What only takes no effect counts
 * where a caller gave a value for it: such fields are looked at as they were given, all others after sizes have been
 * filled in. */
#include "frontend/core/chain.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "frontend/core/thread.h"
#include "frontend/ops/arith/arith.h"
#include "frontend/ops/fixpipe.h"
#include <aic/fixpipe.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WHAT_MAX = 96 };

/* A stage, and the text of what was found. */
typedef struct place {
    const aic_stage *given, *stage; /* as the caller has it; resolved */
    const aic_spec *spec;           /* resolved */
    int number;                     /* of the stage, from 0 */
    const aic_semantics *semantics; /* whose readings decide what a value means */
    const void *const *operands;    /* the stage's own; NULL: data are not looked at */
    char *text;                     /* AIC_MESSAGE_MAX bytes, of which *used are */
    size_t *used;
} place;

/* Adds "field: what: reason"; what: the value, by a format, "" where the reason says it all. */
__attribute__((format(printf, 4, 5))) static void say(place *p, const char *field, const char *reason,
                                                      const char *format, ...)
{
    char what[WHAT_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    const int length =
        snprintf(p->text + *p->used, AIC_MESSAGE_MAX - *p->used, "%s%s: %s: %s%s%s", *p->used > 0 ? "; " : "",
                 aic_op_get(p->stage->op)->record.name, field, what, what[0] ? ": " : "", reason);
    *p->used = *p->used + (size_t)length < AIC_MESSAGE_MAX ? *p->used + (size_t)length : AIC_MESSAGE_MAX - 1;
}

static void say_where(place *p, bool doubtful, const char *field, const char *reason)
{
    if (doubtful) {
        say(p, field, reason, "%s", "");
    }
}

static void say_integer(place *p, bool doubtful, const char *field, int64_t value, const char *reason)
{
    if (doubtful) {
        say(p, field, reason, "%" PRId64, value);
    }
}

static void say_real(place *p, bool doubtful, const char *field, double value, const char *reason)
{
    if (doubtful) {
        say(p, field, reason, "%g", value);
    }
}

/* ---- types of accumulators ---- */

/* Of a stage between others: tensor arithmetic. */
static bool works_on_bits(const aic_stage *stage)
{
    const aic_atomic_op op = stage->desc.tensor_arithmetic.op;
    return aic_arith_op_get(op)->dtype != AIC_FLOAT32 && op != AIC_ATOMIC_BM_CPY;
}

/* Where the stage takes accumulators of the type `left` for ones of the type `read`, and nobody has made them such:
 * neither operations on bits nor the values that sums start from, as for numbers around 1.5 * 2^23, whose bits are an
 * integer's. */
static void say_read(place *p, const char *field, aic_dtype left, aic_dtype read)
{
    if (p->number == 0) {
        return;
    }
    const aic_accumulator first = aic_chain_accumulator(p->spec, 0);
    const aic_accumulator before = aic_chain_accumulator(p->spec, p->number - 1);
    bool plain = first.start == AIC_START_ZERO;
    for (int s = 1; s < p->number; s++) {
        plain &= !works_on_bits(&p->spec->stage[s]);
    }
    if (plain && before.dtype == left && read != left) {
        say(p, field,
            left == AIC_INT32 ? "the bits of int32 are taken for floats, without a conversion"
                              : "the bits of floats are taken for int32, without a conversion",
            "%s of %s", aic_dtype_name(left), first.producer);
    }
}

/* ---- conv2d and mmad ---- */

static void advise_conv2d(place *p)
{
    const aic_conv2d_desc *given = &p->given->desc.conv2d, *d = &p->stage->desc.conv2d;
    const bool unpadded = (given->pad[0] | given->pad[1] | given->pad[2] | given->pad[3]) == 0;
    say_real(p, given->pad_value != 0 && unpadded, "pad_value", given->pad_value,
             "pad is 0 on every side, so that it is read nowhere");
    for (int i = 0; i < 4; i++) { /* left, right, top, bottom */
        const int axis = i < 2 ? 1 : 0;
        if (d->pad[i] > d->dilation[axis] * (d->kernel_shape[1 + axis] - 1)) {
            say_integer(p, true, "pad", d->pad[i],
                        "no less than the kernel spans: results at that edge see padding only");
            break;
        }
    }
}

static void advise_mmad(place *p)
{
    const aic_mmad_desc *d = &p->stage->desc.mmad;
    say_where(p, d->m == 0 || d->n == 0 || d->k == 0, "m", "m, n or k is 0: nothing is read or written");
}

/* ---- fixpipe ---- */

/* What quantisation words hardly mean, a bit each. */
static const char *const word_reasons[] = {
    "its scale is 0: the sums have no effect",
    "its scale is negative behind reluEn=true: no result is above the offset",
    "says by bit 46 that results are 0..255, but dst is int8: bytes are stored as they are",
    "says by bit 46 that results are -128..127, but dst is uint8: bytes are stored as they are",
    "its offset takes every result to 0",
    "its offset takes every result to the largest",
    "its offset has no effect: results of floats have none",
    "its shift (MCB) has no effect: only REQ8 and VREQ8 have one",
};

enum { WORD_REASONS = sizeof word_reasons / sizeof word_reasons[0] };

/* Which of them hold of a word. Rectified after it was scaled, a product is above 0 where the source is below. Numbers
 * before the offset are in -256..255, unless the reading is another; at the other end only an offset without a sign
 * takes all results to the largest. */
static unsigned doubts_of(const aic_fixpipe_desc *d, const aic_semantics *s, uint64_t bits)
{
    const aic_quant word = aic_quant_parts(bits);
    const bool bytes = d->dst == AIC_INT8 || d->dst == AIC_UINT8;
    const bool clamps = bytes && s->offset_clamp == AIC_OFFSET_CLAMP_CLAMP;
    const bool negative = s->offset_sign == AIC_OFFSET_SIGN_SIGNED;
    const int largest = word.is_signed ? INT8_MAX : UINT8_MAX;
    const bool doubts[WORD_REASONS] = {
        word.scale == 0,
        d->reluEn && s->relu == AIC_RELU_ORDER_BEFORE && word.scale < 0,
        d->dst == AIC_INT8 && !word.is_signed,
        d->dst == AIC_UINT8 && word.is_signed,
        clamps && negative && !word.is_signed && word.offset <= -255,
        clamps && !negative && (word.offset & 0x1FF) - 256 >= largest,
        !bytes && word.offset != 0,
        d->quantPre != AIC_QUANT_REQ8 && d->quantPre != AIC_QUANT_VREQ8 && word.shift != 0,
    };
    unsigned found = 0;
    for (unsigned i = 0; i < WORD_REASONS; i++) {
        found |= (unsigned)doubts[i] << i;
    }
    return found;
}

/* Of each reason the first word for which it holds. NULL data have none. */
static void advise_words(place *p)
{
    const aic_fixpipe_desc *d = &p->stage->desc.fixpipe;
    const aic_fixpipe_scale scale = aic_fixpipe_scale_of(d->quantPre);
    const bool scalar = scale == AIC_FIXPIPE_SCALAR;
    const void *vector = scale == AIC_FIXPIPE_VECTOR && p->operands != NULL ? p->operands[2] : NULL;
    const uint64_t *words = scalar ? &d->deqScalar : vector;
    for (unsigned i = 0; i < WORD_REASONS && words != NULL; i++) {
        int64_t n = 0;
        const int64_t count = scalar ? 1 : d->nSize;
        while (n < count && (doubts_of(d, p->semantics, words[n]) >> i & 1) == 0) {
            n++;
        }
        if (n < count && scalar) {
            say(p, "deqScalar", word_reasons[i], "0x%" PRIx64, words[n]);
        } else if (n < count) {
            say(p, "cbufWorkspace", word_reasons[i], "the word of column %" PRId64 ", 0x%" PRIx64, n, words[n]);
        }
    }
}

static void advise_fixpipe(place *p)
{
    const aic_fixpipe_desc *given = &p->given->desc.fixpipe, *d = &p->stage->desc.fixpipe;
    say_integer(p, d->nSize > 16 && d->srcStride < d->mSize, "srcStride", d->srcStride,
                "less than mSize: a block of 16 columns begins before the last one ends");
    say_integer(p, d->format == AIC_FORMAT_ROW_MAJOR && d->ndNum > 1 && d->srcNdStride * 16 < d->mSize, "srcNdStride",
                d->srcNdStride, "less than mSize/16: a matrix begins before the last one ends");
    say_where(p, d->ndNum == 0, "ndNum", "0 matrices: nothing is read or written");
    if (given->deqScalar != 0 && aic_fixpipe_scale_of(given->quantPre) != AIC_FIXPIPE_SCALAR) {
        say(p, "deqScalar", "quantPre takes no word of the request, it has no effect", "0x%" PRIx64, given->deqScalar);
    }
    say_read(p, "src", AIC_INT32, d->src);
    say_read(p, "src", AIC_FLOAT32, d->src);
    advise_words(p);
}

/* 2^-25 and less is 0 in float16. */
static void advise_tik_fixpipe(place *p)
{
    const aic_tik_fixpipe_desc *given = &p->given->desc.tik_fixpipe, *d = &p->stage->desc.tik_fixpipe;
    const bool scales = given->quantize_params == AIC_TIK_QUANTIZE_INT322FP16 && !given->mode_param_tensor;
    say_read(p, "src", AIC_INT32, d->src);
    say_read(p, "src", AIC_FLOAT32, d->src);
    say_real(p, scales && fabs(d->mode_param) <= 0x1p-25, "mode_param", d->mode_param,
             "0 in float16: every result is 0, infinite or NaN");
    say_real(p, !scales && given->mode_param != 1, "mode_param", given->mode_param,
             "only int322fp16 without a tensor of scales reads it");
}

/* ---- the data path ---- */

static void advise_nd2nz(place *p)
{
    const aic_nd2nz_desc *d = &p->stage->desc.nd2nz;
    say_where(p, d->ndNum == 0 || d->nValue == 0 || d->dValue == 0, "ndNum",
              "ndNum, nValue or dValue is 0: nothing is read or written");
    say_integer(p, d->nValue > 1 && d->srcDValue < d->dValue, "srcDValue", d->srcDValue,
                "less than dValue: a row of src begins before the last one ends");
}

static void advise_load_data(place *p)
{
    say_where(p, p->stage->desc.load_data.repeatTimes == 0, "repeatTimes", "0: nothing is read or written");
}

static void advise_load_data_transpose(place *p)
{
    const aic_load_data_transpose_desc *given = &p->given->desc.load_data_transpose;
    say_where(p, p->stage->desc.load_data_transpose.repeatTimes == 0, "repeatTimes", "0: nothing is read or written");
    say_integer(p, aic_dtype_size(given->dtype) == 2 && given->dstFracGap != 0, "dstFracGap", given->dstFracGap,
                "no effect on types of 2 bytes, whose squares are one fractal");
}

static void advise_transdata(place *p)
{
    say_where(p, p->stage->desc.transdata.src == p->stage->desc.transdata.dst, "dst",
              "the layout of src: the tensor is copied as it is");
}

static void advise_texpands(place *p)
{
    const aic_texpands_desc *d = &p->stage->desc.texpands;
    const bool read =
        d->layout == AIC_LAYOUT_ND && (d->loc == AIC_LOC_VEC || p->semantics->mat_valid == AIC_MAT_VALID_VALID);
    say_where(p, read && (d->v_row == 0 || d->v_col == 0), "v_row", "v_row or v_col is 0: nothing is written");
}

/* ---- tensor_arithmetic ---- */

/* What the constant that is input1 hardly means. Small whole numbers, but for 0, look like bits; their floats have
 * others. BM_SE may look for such floats. */
static void advise_constant(place *p, const aic_tensor_arithmetic_desc *d, bool floats)
{
    const float x = d->input1_const;
    const bool extreme = d->op == AIC_ATOMIC_BM_MAX || d->op == AIC_ATOMIC_BM_MIN;
    const bool number = extreme && p->semantics->minmax_nan == AIC_MINMAX_NUMBER; /* which wins */
    if (!floats && d->op != AIC_ATOMIC_BM_SE && x != 0 && fabsf(x) <= 0x1p16F && truncf(x) == x) {
        say(p, "input1_const", "the operation is on the bits of the float, not on the number", "%g, bits 0x%08" PRIx32,
            (double)x, aic_bits_of_float(x));
    }
    say_where(p, d->op == AIC_ATOMIC_BM_DIV && x == 0, "input1_const", "0: every result is infinite or NaN");
    say_where(p, floats && isnan(x), "input1_const",
              number ? "NaN: under minmax_nan=number the result is the other input"
                     : "NaN: the result does not depend on the other input");
}

static void advise_tensor_arithmetic(place *p)
{
    const aic_tensor_arithmetic_desc *given = &p->given->desc.tensor_arithmetic, *d = &p->stage->desc.tensor_arithmetic;
    const bool floats = aic_arith_op_get(d->op)->dtype == AIC_FLOAT32;
    const bool constant = d->op != AIC_ATOMIC_BM_CPY && d->input1_is_const;
    const bool selects = given->op == AIC_ATOMIC_BM_SG || given->op == AIC_ATOMIC_BM_SE;
    if (floats) {
        say_read(p, "op", AIC_INT32, AIC_FLOAT32);
    }
    say_real(p, !aic_flag(&given->input0_is_const) && given->input0_const != 0, "input0_const",
             (double)given->input0_const, "no effect without input0_is_const=true");
    say_real(p, !constant && given->input1_const != 0, "input1_const", (double)given->input1_const,
             "no effect without input1_is_const=true, or with BM_CPY");
    if (constant) {
        advise_constant(p, d, floats);
    }
    say_real(p, !selects && given->select_value != 0, "select_value", (double)given->select_value,
             "only BM_SG and BM_SE read it");
    say_integer(p, given->op != AIC_ATOMIC_BM_SHIFT && given->shift_type != 0, "shift_type", given->shift_type,
                "only BM_SHIFT reads it");
}

/* The constant that counts shifts is what its 16 bits say. */
static void advise_tensor_arithmetic_quantized(place *p)
{
    const aic_tensor_arithmetic_quantized_desc *given = &p->given->desc.tensor_arithmetic_quantized;
    const aic_tensor_arithmetic_quantized_desc *d = &p->stage->desc.tensor_arithmetic_quantized;
    const bool mac = given->op == AIC_ATOMIC_BM_MAC, shift = given->op == AIC_ATOMIC_BM_SHIFT;
    const int64_t count =
        aic_flag(&d->input1_sign) ? (int64_t)(int16_t)d->input1_addr : (int64_t)(uint16_t)d->input1_addr;
    say_integer(p, given->op != AIC_ATOMIC_BM_MUL && !mac && given->rshift_bit != 0, "rshift_bit", given->rshift_bit,
                "only BM_MUL and BM_MAC read it");
    say_integer(p, !mac && given->lshift_bit != 0, "lshift_bit", given->lshift_bit, "only BM_MAC reads it");
    say_integer(p, !shift && given->shift_type != 0, "shift_type", given->shift_type, "only BM_SHIFT reads it");
    say_where(p,
              aic_flag(&given->input1_is_const) &&
                  (aic_flag(&given->input1_n_is1) || aic_flag(&given->input1_h_is1) || aic_flag(&given->input1_w_is1)),
              "input1_n_is1", "no effect on a constant input1, nor have input1_h_is1 and input1_w_is1");
    say_integer(p, shift && d->input1_is_const && (count >= 16 || count <= -16), "input1_addr", count,
                "a shift by 16 or more leaves nothing of the value");
}

/* ---- the call ---- */

static void (*const advise[AIC_OP_END])(place *p) = {
#define AIC_OP(ENUM, name, count, params, args) [AIC_OP_##ENUM] = advise_##name,
#include <aic/ops.def>
#undef AIC_OP
};

/* The operands of the last stage in its own order, as far as the call has them. */
static void own_operands(const aic_spec *resolved, const aic_semantics *semantics, void *const operands[],
                         const void *own[AIC_OPERANDS_MAX])
{
    aic_data_check order;
    aic_data_check_of(resolved, semantics, &order);
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        own[i] = order.from[i] == AIC_ACCUMULATED ? NULL : operands[order.from[i]];
    }
}

aic_status aic_spec_advise(const aic_spec *spec, const aic_semantics *semantics, void *const operands[], size_t count)
{
    aic_semantics own_semantics;
    const void *own[AIC_OPERANDS_MAX];
    aic_spec resolved = {.count = 0};
    char text[AIC_MESSAGE_MAX] = "";
    size_t used = 0;
    semantics = aic_semantics_of(semantics, &own_semantics);
    const aic_status status = operands ? aic_spec_check_call(spec, semantics, operands, count, &resolved)
                                       : aic_spec_resolve(spec, semantics, &resolved);
    if (status != AIC_OK) {
        return status;
    }
    if (operands) {
        own_operands(&resolved, semantics, operands, own);
    }
    for (int s = 0; s < resolved.count; s++) {
        const bool last = s + 1 == resolved.count; /* the only one that has data to look at */
        place p = {.given = &spec->stage[s],
                   .stage = &resolved.stage[s],
                   .spec = &resolved,
                   .number = s,
                   .semantics = semantics,
                   .operands = operands && last ? own : NULL,
                   .text = text,
                   .used = &used};
        advise[p.stage->op](&p);
    }
    (void)aic_take_warning(); /* what the checks of a call say is in the list */
    if (used > 0) {
        aic_warn(NULL, "%s", text);
    }
    return AIC_OK;
}
