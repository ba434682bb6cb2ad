/* aic_spec_advise(): requests that are legal and hardly mean what they say, one row each with the reason. A row is
 * about a field of an operator, alone or as a stage of a chain, as the readings of the request have it. What only takes
 * no effect counts where a caller gave a value for it: such fields are looked at as they were given, all others after
 * sizes have been filled in. */
#include "frontend/core/chain.h"
#include "frontend/core/diag.h"
#include "frontend/core/rule.h"
#include "frontend/core/spec.h"
#include "frontend/core/thread.h"
#include "frontend/ops/arith/arith.h"
#include "frontend/ops/fixpipe.h"
#include <aic/fixpipe.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WHAT_MAX = 96 };

/* A stage, and where a row says what it found. */
typedef struct place {
    const aic_stage *given, *stage; /* as the caller has it; resolved */
    const aic_spec *spec;           /* resolved */
    int number;                     /* of the stage, from 0 */
    const aic_semantics *semantics; /* whose readings decide what a value means */
    const void *const *operands;    /* the stage's own; NULL: data are not looked at */
    char what[WHAT_MAX];            /* the value, "" where the reason says it all */
} place;

static bool say_integer(place *p, bool doubtful, int64_t value)
{
    snprintf(p->what, sizeof p->what, "%" PRId64, value);
    return doubtful;
}

static bool say_real(place *p, bool doubtful, double value)
{
    snprintf(p->what, sizeof p->what, "%g", value);
    return doubtful;
}

/* ---- types of accumulators ---- */

static bool works_on_bits(const aic_stage *stage)
{
    return stage->op == AIC_OP_TENSOR_ARITHMETIC &&
           aic_arith_op_get(stage->desc.tensor_arithmetic.op)->dtype != AIC_FLOAT32 &&
           stage->desc.tensor_arithmetic.op != AIC_ATOMIC_BM_CPY;
}

/* Whether the stage takes accumulators of the type `left` for ones of the type `read`, and nobody has made them such:
 * neither operations on bits nor the values that sums start from, as for numbers around 1.5 * 2^23, whose bits are an
 * integer's. */
static bool reads_as(place *p, aic_dtype left, aic_dtype read)
{
    if (p->number == 0) {
        return false;
    }
    const aic_accumulator first = aic_chain_accumulator(p->spec, 0);
    const aic_accumulator before = aic_chain_accumulator(p->spec, p->number - 1);
    bool plain = first.start == AIC_START_ZERO;
    for (int s = 1; s < p->number; s++) {
        plain &= !works_on_bits(&p->spec->stage[s]);
    }
    snprintf(p->what, sizeof p->what, "%s of %s", aic_dtype_name(left), first.producer);
    return plain && before.dtype == left && read != left;
}

/* ---- conv2d and mmad ---- */

static bool pads_nothing(place *p)
{
    const aic_conv2d_desc *d = &p->given->desc.conv2d;
    const int64_t pads = d->pad[0] | d->pad[1] | d->pad[2] | d->pad[3];
    return say_real(p, d->pad_value != 0 && pads == 0, d->pad_value);
}

static bool sees_padding_only(place *p)
{
    const aic_conv2d_desc *d = &p->stage->desc.conv2d;
    for (int i = 0; i < 4; i++) { /* left, right, top, bottom */
        const int axis = i < 2 ? 1 : 0;
        const int64_t reach = d->dilation[axis] * (d->kernel_shape[1 + axis] - 1) + 1;
        if (d->pad[i] >= reach) {
            return say_integer(p, true, d->pad[i]);
        }
    }
    return false;
}

static bool multiplies_nothing(place *p)
{
    const aic_mmad_desc *d = &p->stage->desc.mmad;
    return d->m == 0 || d->n == 0 || d->k == 0;
}

/* ---- fixpipe and tik_fixpipe ---- */

static const aic_fixpipe_desc *fixpipe_of(const place *p)
{
    return &p->stage->desc.fixpipe;
}

static bool overlaps_blocks(place *p)
{
    const aic_fixpipe_desc *d = fixpipe_of(p);
    return say_integer(p, d->nSize > 16 && d->srcStride < d->mSize, d->srcStride);
}

static bool overlaps_matrices(place *p)
{
    const aic_fixpipe_desc *d = fixpipe_of(p);
    return say_integer(p, d->ndNum > 1 && d->srcNdStride * 16 < d->mSize, d->srcNdStride);
}

static bool stores_nothing(place *p)
{
    return fixpipe_of(p)->ndNum == 0;
}

static bool needs_no_scalar(place *p)
{
    const aic_fixpipe_desc *d = &p->given->desc.fixpipe;
    snprintf(p->what, sizeof p->what, "0x%" PRIx64, d->deqScalar);
    return d->deqScalar != 0 && aic_fixpipe_scale_of(d->quantPre) != AIC_FIXPIPE_SCALAR;
}

static bool reads_sums_as_floats(place *p)
{
    return reads_as(p, AIC_INT32, fixpipe_of(p)->src);
}

static bool reads_floats_as_integers(place *p)
{
    return reads_as(p, AIC_FLOAT32, fixpipe_of(p)->src);
}

static bool tik_reads_sums_as_floats(place *p)
{
    return reads_as(p, AIC_INT32, p->stage->desc.tik_fixpipe.src);
}

static bool tik_reads_floats_as_integers(place *p)
{
    return reads_as(p, AIC_FLOAT32, p->stage->desc.tik_fixpipe.src);
}

static bool gives_bytes(const aic_fixpipe_desc *d)
{
    return d->dst == AIC_INT8 || d->dst == AIC_UINT8;
}

static bool is_zero(const aic_fixpipe_desc *d, const aic_semantics *s, const aic_quant *word)
{
    (void)d;
    (void)s;
    return word->scale == 0;
}

/* Rectified after it was scaled, a product is above 0 where the source is below. */
static bool is_negative(const aic_fixpipe_desc *d, const aic_semantics *s, const aic_quant *word)
{
    return d->reluEn && s->relu == AIC_RELU_ORDER_BEFORE && word->scale < 0;
}

static bool contradicts_int8(const aic_fixpipe_desc *d, const aic_semantics *s, const aic_quant *word)
{
    (void)s;
    return d->dst == AIC_INT8 && !word->is_signed;
}

static bool contradicts_uint8(const aic_fixpipe_desc *d, const aic_semantics *s, const aic_quant *word)
{
    (void)s;
    return d->dst == AIC_UINT8 && word->is_signed;
}

/* Numbers before the offset are in -256..255, unless the reading is another. */
static bool clamps_all(const aic_fixpipe_desc *d, const aic_semantics *s, const aic_quant *word)
{
    return gives_bytes(d) && s->offset_clamp == AIC_OFFSET_CLAMP_CLAMP && s->offset_sign == AIC_OFFSET_SIGN_SIGNED &&
           !word->is_signed && word->offset <= -255;
}

/* The same at the other end, which only an offset without a sign reaches. */
static bool clamps_all_high(const aic_fixpipe_desc *d, const aic_semantics *s, const aic_quant *word)
{
    const int offset = word->offset & 0x1FF;
    return gives_bytes(d) && s->offset_clamp == AIC_OFFSET_CLAMP_CLAMP && s->offset_sign == AIC_OFFSET_SIGN_UNSIGNED &&
           offset - 256 >= (word->is_signed ? INT8_MAX : UINT8_MAX);
}

static bool has_offset(const aic_fixpipe_desc *d, const aic_semantics *s, const aic_quant *word)
{
    (void)s;
    return !gives_bytes(d) && word->offset != 0;
}

static bool has_shift(const aic_fixpipe_desc *d, const aic_semantics *s, const aic_quant *word)
{
    (void)s;
    return d->quantPre != AIC_QUANT_REQ8 && d->quantPre != AIC_QUANT_VREQ8 && word->shift != 0;
}

/* 2^-25 and less is 0 in float16. */
static bool tik_scales_to_zero(place *p)
{
    const aic_tik_fixpipe_desc *d = &p->stage->desc.tik_fixpipe;
    const bool scales = d->quantize_params == AIC_TIK_QUANTIZE_INT322FP16 && !d->mode_param_tensor;
    return say_real(p, scales && fabs(d->mode_param) <= 0x1p-25, d->mode_param);
}

static bool tik_needs_no_scale(place *p)
{
    const aic_tik_fixpipe_desc *d = &p->given->desc.tik_fixpipe;
    const bool scales = d->quantize_params == AIC_TIK_QUANTIZE_INT322FP16 && !d->mode_param_tensor;
    return say_real(p, !scales && d->mode_param != 1, d->mode_param);
}

/* ---- the data path ---- */

static bool nd2nz_moves_nothing(place *p)
{
    const aic_nd2nz_desc *d = &p->stage->desc.nd2nz;
    return d->ndNum == 0 || d->nValue == 0 || d->dValue == 0;
}

static bool overlaps_rows(place *p)
{
    const aic_nd2nz_desc *d = &p->stage->desc.nd2nz;
    return say_integer(p, d->nValue > 1 && d->srcDValue < d->dValue, d->srcDValue);
}

static bool loads_nothing(place *p)
{
    return p->stage->desc.load_data.repeatTimes == 0;
}

static bool transposes_nothing(place *p)
{
    return p->stage->desc.load_data_transpose.repeatTimes == 0;
}

static bool has_no_second_fractal(place *p)
{
    const aic_load_data_transpose_desc *d = &p->given->desc.load_data_transpose;
    return say_integer(p, aic_dtype_size(d->dtype) == 2 && d->dstFracGap != 0, d->dstFracGap);
}

static bool keeps_layout(place *p)
{
    return p->stage->desc.transdata.src == p->stage->desc.transdata.dst;
}

static bool fills_nothing(place *p)
{
    const aic_texpands_desc *d = &p->stage->desc.texpands;
    const bool read =
        d->layout == AIC_LAYOUT_ND && (d->loc == AIC_LOC_VEC || p->semantics->mat_valid == AIC_MAT_VALID_VALID);
    return read && (d->v_row == 0 || d->v_col == 0);
}

/* ---- tensor_arithmetic ---- */

static const aic_tensor_arithmetic_desc *words_of(const place *p)
{
    return &p->stage->desc.tensor_arithmetic;
}

static bool is_float_operation(const place *p)
{
    return aic_arith_op_get(words_of(p)->op)->dtype == AIC_FLOAT32;
}

static bool takes_constant(const place *p)
{
    return words_of(p)->input1_is_const && words_of(p)->op != AIC_ATOMIC_BM_CPY;
}

static bool computes_with_sums(place *p)
{
    return is_float_operation(p) && reads_as(p, AIC_INT32, AIC_FLOAT32);
}

static bool takes_no_constant0(place *p)
{
    const aic_tensor_arithmetic_desc *d = &p->given->desc.tensor_arithmetic;
    return say_real(p, !d->input0_is_const && d->input0_const != 0, (double)d->input0_const);
}

static bool takes_no_constant1(place *p)
{
    const aic_tensor_arithmetic_desc *d = &p->given->desc.tensor_arithmetic;
    return say_real(p, !takes_constant(p) && d->input1_const != 0, (double)d->input1_const);
}

static bool selects_nothing(place *p)
{
    const aic_tensor_arithmetic_desc *d = &p->given->desc.tensor_arithmetic;
    const bool selects = d->op == AIC_ATOMIC_BM_SG || d->op == AIC_ATOMIC_BM_SE;
    return say_real(p, !selects && d->select_value != 0, (double)d->select_value);
}

static bool shifts_nothing(place *p)
{
    const aic_tensor_arithmetic_desc *d = &p->given->desc.tensor_arithmetic;
    return say_integer(p, d->op != AIC_ATOMIC_BM_SHIFT && d->shift_type != 0, d->shift_type);
}

static bool divides_by_zero(place *p)
{
    return takes_constant(p) && words_of(p)->op == AIC_ATOMIC_BM_DIV && words_of(p)->input1_const == 0;
}

/* BM_MAX and BM_MIN where a number wins. */
static bool prefers_number(const place *p)
{
    return p->semantics->minmax_nan == AIC_MINMAX_NUMBER &&
           (words_of(p)->op == AIC_ATOMIC_BM_MAX || words_of(p)->op == AIC_ATOMIC_BM_MIN);
}

static bool has_nan(const place *p)
{
    return takes_constant(p) && is_float_operation(p) && isnan(words_of(p)->input1_const);
}

static bool computes_with_nan(place *p)
{
    return has_nan(p) && !prefers_number(p);
}

static bool prefers_other(place *p)
{
    return has_nan(p) && prefers_number(p);
}

/* Small whole numbers, but for 0, look like bits; their floats have others. BM_SE may look for such floats. */
static bool takes_bits_of_number(place *p)
{
    const float x = words_of(p)->input1_const;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    snprintf(p->what, sizeof p->what, "%g, bits 0x%08" PRIx32, (double)x, bits);
    return takes_constant(p) && !is_float_operation(p) && words_of(p)->op != AIC_ATOMIC_BM_SE && x != 0 &&
           fabsf(x) <= 0x1p16F && truncf(x) == x;
}

/* ---- tensor_arithmetic_quantized ---- */

static const aic_tensor_arithmetic_quantized_desc *given_of(const place *p)
{
    return &p->given->desc.tensor_arithmetic_quantized;
}

static bool shifts_no_product(place *p)
{
    const aic_tensor_arithmetic_quantized_desc *d = given_of(p);
    return say_integer(p, d->op != AIC_ATOMIC_BM_MUL && d->op != AIC_ATOMIC_BM_MAC && d->rshift_bit != 0,
                       d->rshift_bit);
}

static bool shifts_no_sum(place *p)
{
    return say_integer(p, given_of(p)->op != AIC_ATOMIC_BM_MAC && given_of(p)->lshift_bit != 0,
                       given_of(p)->lshift_bit);
}

static bool quantized_shifts_nothing(place *p)
{
    return say_integer(p, given_of(p)->op != AIC_ATOMIC_BM_SHIFT && given_of(p)->shift_type != 0,
                       given_of(p)->shift_type);
}

static bool broadcasts_constant(place *p)
{
    const aic_tensor_arithmetic_quantized_desc *d = given_of(p);
    return d->input1_is_const && (d->input1_n_is1 || d->input1_h_is1 || d->input1_w_is1);
}

/* The constant is what its 16 bits say. */
static bool shifts_out_all(place *p)
{
    const aic_tensor_arithmetic_quantized_desc *d = &p->stage->desc.tensor_arithmetic_quantized;
    const int64_t count = d->input1_sign ? (int64_t)(int16_t)d->input1_addr : (int64_t)(uint16_t)d->input1_addr;
    return say_integer(p, d->op == AIC_ATOMIC_BM_SHIFT && d->input1_is_const && (count >= 16 || count <= -16), count);
}

/* ---- the list ---- */

/* doubtful, or word for each quantisation word of a fixpipe, whose field is then deqScalar or cbufWorkspace. */
static const struct {
    aic_op op;
    const char *field;
    bool (*doubtful)(place *p);
    bool (*word)(const aic_fixpipe_desc *d, const aic_semantics *s, const aic_quant *word);
    const char *reason;
} LIST[] = {
#define ROW(OP, field, doubtful, reason) {AIC_OP_##OP, #field, doubtful, NULL, reason}
#define WORD(word, reason) {AIC_OP_FIXPIPE, NULL, NULL, word, reason}
    ROW(CONV2D, pad_value, pads_nothing, "pad is 0 on every side, so that it is read nowhere"),
    ROW(CONV2D, pad, sees_padding_only, "no less than the kernel spans: results at that edge see padding only"),
    ROW(MMAD, m, multiplies_nothing, "m, n or k is 0: nothing is read or written"),
    ROW(FIXPIPE, srcStride, overlaps_blocks, "less than mSize: a block of 16 columns begins before the last one ends"),
    ROW(FIXPIPE, srcNdStride, overlaps_matrices, "less than mSize/16: a matrix begins before the last one ends"),
    ROW(FIXPIPE, ndNum, stores_nothing, "0 matrices: nothing is read or written"),
    ROW(FIXPIPE, deqScalar, needs_no_scalar, "quantPre takes no word of the request, it has no effect"),
    ROW(FIXPIPE, src, reads_sums_as_floats, "the bits of int32 are taken for floats, without a conversion"),
    ROW(FIXPIPE, src, reads_floats_as_integers, "the bits of floats are taken for int32, without a conversion"),
    WORD(is_zero, "its scale is 0: the sums have no effect"),
    WORD(is_negative, "its scale is negative behind reluEn=true: no result is above the offset"),
    WORD(contradicts_int8, "says by bit 46 that results are 0..255, but dst is int8: bytes are stored as they are"),
    WORD(contradicts_uint8,
         "says by bit 46 that results are -128..127, but dst is uint8: bytes are stored as they are"),
    WORD(clamps_all, "its offset takes every result to 0"),
    WORD(clamps_all_high, "its offset takes every result to the largest"),
    WORD(has_offset, "its offset has no effect: results of floats have none"),
    WORD(has_shift, "its shift (MCB) has no effect: only REQ8 and VREQ8 have one"),
    ROW(TIK_FIXPIPE, src, tik_reads_sums_as_floats, "the bits of int32 are taken for floats, without a conversion"),
    ROW(TIK_FIXPIPE, src, tik_reads_floats_as_integers, "the bits of floats are taken for int32, without a conversion"),
    ROW(TIK_FIXPIPE, mode_param, tik_scales_to_zero, "0 in float16: every result is 0, infinite or NaN"),
    ROW(TIK_FIXPIPE, mode_param, tik_needs_no_scale, "only int322fp16 without a tensor of scales reads it"),
    ROW(ND2NZ, ndNum, nd2nz_moves_nothing, "ndNum, nValue or dValue is 0: nothing is read or written"),
    ROW(ND2NZ, srcDValue, overlaps_rows, "less than dValue: a row of src begins before the last one ends"),
    ROW(LOAD_DATA, repeatTimes, loads_nothing, "0: nothing is read or written"),
    ROW(LOAD_DATA_TRANSPOSE, repeatTimes, transposes_nothing, "0: nothing is read or written"),
    ROW(LOAD_DATA_TRANSPOSE, dstFracGap, has_no_second_fractal,
        "no effect on types of 2 bytes, whose squares are one "
        "fractal"),
    ROW(TRANSDATA, dst, keeps_layout, "the layout of src: the tensor is copied as it is"),
    ROW(TEXPANDS, v_row, fills_nothing, "v_row or v_col is 0: nothing is written"),
    ROW(TENSOR_ARITHMETIC, op, computes_with_sums, "the bits of int32 are taken for floats, without a conversion"),
    ROW(TENSOR_ARITHMETIC, input0_const, takes_no_constant0, "no effect without input0_is_const=true"),
    ROW(TENSOR_ARITHMETIC, input1_const, takes_no_constant1, "no effect without input1_is_const=true, or with BM_CPY"),
    ROW(TENSOR_ARITHMETIC, input1_const, takes_bits_of_number,
        "the operation is on the bits of the float, not on the "
        "number"),
    ROW(TENSOR_ARITHMETIC, input1_const, divides_by_zero, "0: every result is infinite or NaN"),
    ROW(TENSOR_ARITHMETIC, input1_const, computes_with_nan, "NaN: the result does not depend on the other input"),
    ROW(TENSOR_ARITHMETIC, input1_const, prefers_other, "NaN: under minmax_nan=number the result is the other input"),
    ROW(TENSOR_ARITHMETIC, select_value, selects_nothing, "only BM_SG and BM_SE read it"),
    ROW(TENSOR_ARITHMETIC, shift_type, shifts_nothing, "only BM_SHIFT reads it"),
    ROW(TENSOR_ARITHMETIC_QUANTIZED, rshift_bit, shifts_no_product, "only BM_MUL and BM_MAC read it"),
    ROW(TENSOR_ARITHMETIC_QUANTIZED, lshift_bit, shifts_no_sum, "only BM_MAC reads it"),
    ROW(TENSOR_ARITHMETIC_QUANTIZED, shift_type, quantized_shifts_nothing, "only BM_SHIFT reads it"),
    ROW(TENSOR_ARITHMETIC_QUANTIZED, input1_n_is1, broadcasts_constant,
        "no effect on a constant input1, nor have "
        "input1_h_is1 and input1_w_is1"),
    ROW(TENSOR_ARITHMETIC_QUANTIZED, input1_addr, shifts_out_all, "a shift by 16 or more leaves nothing of the value"),
#undef ROW
#undef WORD
};

enum { ROWS = sizeof LIST / sizeof LIST[0] };

/* The first of the words that is doubtful; *field: where it stands. NULL data have none. */
static bool any_word(place *p, bool (*doubtful)(const aic_fixpipe_desc *, const aic_semantics *, const aic_quant *),
                     const char **field)
{
    const aic_fixpipe_desc *d = fixpipe_of(p);
    const aic_fixpipe_scale scale = aic_fixpipe_scale_of(d->quantPre);
    if (scale == AIC_FIXPIPE_SCALAR) {
        const aic_quant quant = aic_quant_parts(d->deqScalar);
        *field = "deqScalar";
        snprintf(p->what, sizeof p->what, "0x%" PRIx64, d->deqScalar);
        return doubtful(d, p->semantics, &quant);
    }
    const uint64_t *words = scale == AIC_FIXPIPE_VECTOR && p->operands != NULL ? p->operands[2] : NULL;
    *field = "cbufWorkspace";
    for (int64_t n = 0; words != NULL && n < d->nSize; n++) {
        const aic_quant quant = aic_quant_parts(words[n]);
        if (doubtful(d, p->semantics, &quant)) {
            snprintf(p->what, sizeof p->what, "the word of column %" PRId64 ", 0x%" PRIx64, n, words[n]);
            return true;
        }
    }
    return false;
}

/* Adds what there is to say of a stage to the text, of which *used bytes are. */
static void advise_stage(place *p, char text[AIC_MESSAGE_MAX], size_t *used)
{
    for (int i = 0; i < ROWS; i++) {
        const char *field = LIST[i].field;
        p->what[0] = '\0';
        if (LIST[i].op != p->stage->op ||
            !(LIST[i].word != NULL ? any_word(p, LIST[i].word, &field) : LIST[i].doubtful(p))) {
            continue;
        }
        const int length =
            snprintf(text + *used, AIC_MESSAGE_MAX - *used, "%s%s: %s: %s%s%s", *used > 0 ? "; " : "",
                     aic_op_get(p->stage->op)->record.name, field, p->what, p->what[0] ? ": " : "", LIST[i].reason);
        *used = *used + (size_t)length < AIC_MESSAGE_MAX ? *used + (size_t)length : AIC_MESSAGE_MAX - 1;
    }
}

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
                   .operands = operands && last ? own : NULL};
        advise_stage(&p, text, &used);
    }
    (void)aic_take_warning(); /* what the checks of a call say is in the list */
    if (used > 0) {
        aic_warn(NULL, "%s", text);
    }
    return AIC_OK;
}
