/* tik_fixpipe: fields, rules, operands (TIK, fixpipe). */
#include "frontend/ops/tik_fixpipe.h"

#include "frontend/core/rule.h"
#include "frontend/numeric/element.h"
#include "frontend/text/number.h"

#include <inttypes.h>
#include <string.h>

/* Whether mode_param is read; of any descriptor. */
static inline bool scaled_by_number(const aic_tik_fixpipe_desc *desc)
{
    return desc->quantize_params == AIC_TIK_QUANTIZE_INT322FP16 && !aic_flag(&desc->mode_param_tensor);
}

static inline void clear_ignored(aic_tik_fixpipe_desc *desc)
{
    desc->mode_param = scaled_by_number(desc) ? desc->mode_param : 1;
}

#define AIC_THIS tik_fixpipe
#define AIC_THIS_CANONICALISE tik_fixpipe_canonicalise
#define AIC_THIS_CLEAR_IGNORED clear_ignored
#include "frontend/core/operator.inc"

enum { BLOCK = 16, ROW_LENGTH = 2 }; /* columns of a burst; a row of src has 64 bytes, burst_len counts 32 bytes */

/* From the start of a burst of src to the next one's, padding rows included. */
static int64_t src_rows(const aic_tik_fixpipe_desc *desc)
{
    return (desc->burst_len / ROW_LENGTH + BLOCK - 1) / BLOCK * BLOCK;
}

aic_tik_fixpipe_sizes aic_tik_fixpipe_sizes_of(const aic_tik_fixpipe_desc *desc)
{
    const int64_t rows = desc->burst_len / ROW_LENGTH;
    return (aic_tik_fixpipe_sizes){
        .rows = rows,
        .src_burst = src_rows(desc) * BLOCK,
        .dst_burst = rows * BLOCK + desc->dst_stride * 32 / (int64_t)aic_dtype_size(desc->dst),
    };
}

uint16_t aic_tik_fixpipe_scale(const aic_tik_fixpipe_desc *desc)
{
    return aic_half_from_double(desc->mode_param);
}

/* ---- rules, in the order of the tables ---- */

static void check_types(aic_verdict *v, const aic_tik_fixpipe_desc *desc, const aic_accumulator *from)
{
    static const aic_dtype dst[] = {AIC_FLOAT32, AIC_INT32, AIC_FLOAT16};
    static const aic_dtype src[] = {AIC_FLOAT32, AIC_INT32};
    aic_rule_dtype(v, RULE_dst, "dst", desc->dst, dst, sizeof dst / sizeof dst[0], "");
    const bool known = aic_rule_dtype(v, RULE_src, "src", desc->src, src, sizeof src / sizeof src[0], "");
    if (known && from && !from->words && desc->src != from->dtype) {
        aic_break(v, RULE_chain_src, "src: %s is not %s, which %s accumulates", aic_dtype_name(desc->src),
                  aic_dtype_name(from->dtype), from->producer);
    }
}

/* from: the accumulators of a chain, which bound the sizes in place of one instruction; NULL: there are none. */
static void check_bursts(aic_verdict *v, const aic_tik_fixpipe_desc *desc, const aic_accumulator *from)
{
    const int64_t blocks = from ? from->columns / BLOCK : 4095, length = from ? from->rows * ROW_LENGTH : 65535;
    const bool counted = aic_rule_range(v, RULE_cburst_num, "cburst_num", NULL, desc->cburst_num, 1, blocks);
    if (aic_rule_range(v, RULE_burst_len, "burst_len", NULL, desc->burst_len, 1, length)) {
        if (desc->burst_len % 2 != 0) {
            aic_break(v, RULE_whole_rows,
                      "burst_len: %" PRId64 " is odd in 1..%" PRId64 ": a burst is whole rows of 64 bytes",
                      desc->burst_len, length);
        } else if (counted && from && !from->unknown && desc->cburst_num > 1 && src_rows(desc) != from->block_rows) {
            aic_break(v, RULE_chain_blocks,
                      "burst_len: %" PRId64 " puts bursts of src %" PRId64
                      " rows apart, but the blocks of %s are %" PRId64 " apart",
                      desc->burst_len, src_rows(desc), from->producer, from->block_rows);
        }
    }
    aic_rule_range(v, RULE_dst_stride, "dst_stride", NULL, desc->dst_stride, 0, 65535);
    if (desc->src_stride != 0) {
        aic_break(v, RULE_src_stride, "src_stride: %" PRId64 " is not 0: it is reserved", desc->src_stride);
    }
}

const aic_tik_fixpipe_conversion aic_tik_fixpipe_conversions[AIC_TIK_FIXPIPE_CONVERSIONS] = {
    {AIC_FLOAT32, AIC_FLOAT32, AIC_TIK_QUANTIZE_NONE},
    {AIC_INT32, AIC_INT32, AIC_TIK_QUANTIZE_NONE},
    {AIC_FLOAT32, AIC_FLOAT16, AIC_TIK_QUANTIZE_FP322FP16},
    {AIC_INT32, AIC_FLOAT16, AIC_TIK_QUANTIZE_INT322FP16},
};

static void check_quantize(aic_verdict *v, const aic_tik_fixpipe_desc *desc)
{
    if (!aic_rule_enum(v, RULE_quantize_params, "quantize_params", AIC_KIND_TIK_QUANTIZE, desc->quantize_params) ||
        !aic_kept(v, RULE_dst, RULE_src)) {
        return;
    }
    const char *src = aic_dtype_name(desc->src), *dst = aic_dtype_name(desc->dst);
    for (size_t i = 0; i < AIC_TIK_FIXPIPE_CONVERSIONS; i++) {
        const aic_tik_fixpipe_conversion *row = &aic_tik_fixpipe_conversions[i];
        if (row->src != desc->src || row->dst != desc->dst) {
            continue;
        }
        if (row->mode != desc->quantize_params) {
            aic_break(v, RULE_conversion,
                      "quantize_params: %s of extend_params is not %s, which src = %s and dst = %s require",
                      aic_enum_word(AIC_KIND_TIK_QUANTIZE, desc->quantize_params),
                      aic_enum_word(AIC_KIND_TIK_QUANTIZE, row->mode), src, dst);
        }
        return;
    }
    aic_break(v, RULE_conversion, "quantize_params: nothing in extend_params stores src = %s as dst = %s", src, dst);
}

static void check_scale(aic_verdict *v, const aic_tik_fixpipe_desc *desc)
{
    char text[AIC_NUMBER_TEXT_MAX];
    const bool known = aic_kept(v, RULE_quantize_params, RULE_quantize_params);
    if (!aic_rule_bool(v, RULE_mode_param_tensor, "mode_param_tensor", &desc->mode_param_tensor) || !known) {
        return;
    }
    if (desc->mode_param_tensor && desc->quantize_params != AIC_TIK_QUANTIZE_INT322FP16) {
        aic_break(v, RULE_tensor_of,
                  "mode_param_tensor: true is only for quantize_params = int322fp16 of extend_params, not %s",
                  aic_enum_word(AIC_KIND_TIK_QUANTIZE, desc->quantize_params));
    }
    const bool inside = desc->mode_param >= -65504 && desc->mode_param <= 65504; /* false for NaN */
    if (inside || !scaled_by_number(desc)) {
        return;
    }
    aic_number_print(desc->mode_param, text);
    aic_break(v, RULE_mode_param, "mode_param: %s of extend_params is outside -65504..65504, the range of float16",
              text);
}

static void check_relu(aic_verdict *v, const aic_tik_fixpipe_desc *desc)
{
    if (!aic_rule_bool(v, RULE_relu, "relu", &desc->relu) || !desc->relu) {
        return;
    }
    if (aic_kept(v, RULE_bias, RULE_bias) && desc->bias) {
        aic_break(v, RULE_relu_bias, "relu: true together with bias = true of extend_params");
    }
    if (aic_kept(v, RULE_quantize_params, RULE_mode_param_tensor) && scaled_by_number(desc)) {
        aic_break(v, RULE_relu_number,
                  "relu: true together with quantize_params = int322fp16 of extend_params, whose mode_param is "
                  "a number, not a tensor");
    }
}

static aic_status check(const aic_tik_fixpipe_desc *desc, const aic_accumulator *from)
{
    aic_verdict v = verdict();
    v.below = from && from->broken;
    check_types(&v, desc, from);
    check_bursts(&v, desc, from);
    aic_rule_bool(&v, RULE_bias, "bias", &desc->bias);
    check_quantize(&v, desc);
    check_scale(&v, desc);
    check_relu(&v, desc);
    return v.status;
}

static aic_status tik_fixpipe_validate(const void *desc, const aic_semantics *semantics)
{
    (void)semantics;
    return check(desc, NULL);
}

/* ---- what code depends on ---- */

/* The scale is the float16 that the number becomes; a single burst has no distance to the next. */
static void tik_fixpipe_canonicalise(void *descriptor, const aic_semantics *semantics)
{
    (void)semantics;
    aic_tik_fixpipe_desc *desc = descriptor;
    desc->mode_param = aic_half_to_double(aic_tik_fixpipe_scale(desc));
    desc->dst_stride = desc->cburst_num == 1 ? 0 : desc->dst_stride;
}

static size_t tik_fixpipe_take_word(void *descriptor, bool alone, uint64_t *word)
{
    (void)alone;
    enum { SCALES = 3 }; /* the operand of 16 scales */
    aic_tik_fixpipe_desc *desc = descriptor;
    if (!scaled_by_number(desc)) {
        return 0;
    }
    *word = aic_tik_fixpipe_scale(desc);
    const bool large = desc->mode_param <= -8 || desc->mode_param >= 8; /* the canonical number is the half's */
    desc->mode_param = large ? AIC_TIK_FIXPIPE_LARGE_SCALE_BY_ADDRESS : AIC_TIK_FIXPIPE_SCALE_BY_ADDRESS;
    return SCALES;
}

/* ---- operands ---- */

static aic_operand optional(const char *name, bool given, aic_dtype dtype, int64_t count)
{
    return (aic_operand){
        .name = name,
        .direction = given ? AIC_DIRECTION_IN : AIC_DIRECTION_UNUSED,
        .dtype = dtype,
        .rank = given ? 1 : 0,
        .shape = {given ? count : 0},
    };
}

static size_t tik_fixpipe_operands(const void *descriptor, const aic_semantics *semantics,
                                   aic_operand operands[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_tik_fixpipe_desc *desc = descriptor;
    const aic_tik_fixpipe_sizes s = aic_tik_fixpipe_sizes_of(desc);
    operands[0] = (aic_operand){
        .name = "dst",
        .direction = AIC_DIRECTION_OUT,
        .dtype = desc->dst,
        .rank = 1,
        .shape = {(desc->cburst_num - 1) * s.dst_burst + s.rows * 16},
        .strided = true,
    };
    operands[1] = (aic_operand){
        .name = "src",
        .direction = AIC_DIRECTION_IN,
        .dtype = desc->src,
        .rank = 3,
        .shape = {desc->cburst_num, s.src_burst / 16, 16},
    };
    operands[2] = optional("bias", desc->bias, desc->src, desc->cburst_num * 16);
    operands[3] = optional("mode_param", desc->mode_param_tensor, AIC_FLOAT16, 16);
    return 4;
}

static void tik_fixpipe_coordinates(const void *descriptor, const aic_semantics *semantics, int operand,
                                    aic_coordinates *c)
{
    (void)semantics;
    const aic_tik_fixpipe_desc *desc = descriptor;
    const aic_tik_fixpipe_sizes s = aic_tik_fixpipe_sizes_of(desc);
    if (operand == 0) {
        aic_axis_add(c, "burst", desc->cburst_num, s.dst_burst);
        aic_axis_add(c, "row", s.rows, 16);
        aic_axis_add(c, "column", 16, 1);
    } else if (operand == 1) {
        AIC_AXES_NAME(c, "burst", "row", "column");
    } else {
        AIC_AXES_NAME(c, "column");
    }
}

static void tik_fixpipe_accessed(const void *descriptor, const aic_semantics *semantics,
                                 int64_t bytes[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_tik_fixpipe_desc *desc = descriptor;
    const int64_t elements = desc->cburst_num * aic_tik_fixpipe_sizes_of(desc).rows * 16;
    aic_accessed(bytes, 0, elements, desc->dst);
    aic_accessed(bytes, 1, elements, desc->src);
}

/* ---- fusion ---- */

static aic_status tik_fixpipe_consume(void *descriptor, const aic_accumulator *from, const aic_semantics *semantics)
{
    (void)semantics;
    aic_tik_fixpipe_desc *desc = descriptor;
    desc->cburst_num = desc->cburst_num == 0 ? from->columns / BLOCK : desc->cburst_num;
    desc->burst_len = desc->burst_len == 0 ? from->rows * ROW_LENGTH : desc->burst_len;
    if (from->columns < BLOCK) {
        aic_verdict v = verdict();
        v.below = from->broken;
        aic_break(&v, RULE_chain_columns, "cburst_num: a burst has 16 columns, more than the %" PRId64 " of %s",
                  from->columns, from->producer);
        return v.status;
    }
    return check(desc, from);
}

static void tik_fixpipe_taken(const void *descriptor, int64_t *rows, int64_t *columns)
{
    const aic_tik_fixpipe_desc *desc = descriptor;
    *rows = desc->burst_len / ROW_LENGTH;
    *columns = desc->cburst_num * BLOCK;
}

const aic_op_info aic_op_tik_fixpipe = {
    AIC_THIS_ENTRIES,
    .coordinates = tik_fixpipe_coordinates,
    .consume = tik_fixpipe_consume,
    .taken = tik_fixpipe_taken,
    .take_word = tik_fixpipe_take_word,
    .random = aic_tik_fixpipe_random,
    .random_fused = aic_tik_fixpipe_random_fused,
};
