/* fixpipe: fields, rules, operands, fusion (AscendC Fixpipe). */
#include "frontend/ops/fixpipe.h"

#include "frontend/core/diag.h"
#include "frontend/core/rule.h"
#include "frontend/core/size.h"
#include "frontend/text/sink.h"

#include <inttypes.h>

/* ---- fields that are not looked at ---- */

/* Bits of a word. */
#define WORD_SCALE UINT64_C(0xFFFFFFFF) /* of which the choice scale_bits says how many count */
#define WORD_SHIFT (UINT64_C(0xF) << AIC_QUANT_SHIFT_BIT)
#define WORD_HAS_SHIFT (UINT64_C(1) << AIC_QUANT_MCB_BIT)
#define WORD_RESULT (UINT64_C(0x1FF) << AIC_QUANT_OFFSET_BIT | UINT64_C(1) << AIC_QUANT_SIGN_BIT)

/* The bits of deqScalar that have an effect. */
static inline uint64_t scalar_bits(const aic_fixpipe_desc *desc)
{
    switch (desc->quantPre) {
    case AIC_QUANT_DEQF16:
        return WORD_SCALE;
    case AIC_QUANT_QF322B8_PRE:
        return WORD_SCALE | WORD_RESULT;
    case AIC_QUANT_REQ8:
        return WORD_SCALE | WORD_RESULT | WORD_HAS_SHIFT | ((desc->deqScalar & WORD_HAS_SHIFT) != 0 ? WORD_SHIFT : 0);
    default:
        return 0;
    }
}

static inline void clear_ignored(aic_fixpipe_desc *desc)
{
    if (desc->deqScalar != 0) {
        desc->deqScalar &= scalar_bits(desc);
    }
    if (!aic_fixpipe_has_matrices(desc)) {
        desc->srcNdStride = desc->dstNdStride = 0;
    }
}

#define AIC_THIS fixpipe
#define AIC_THIS_CANONICALISE aic_fixpipe_canonicalise
#define AIC_THIS_CLEAR_IGNORED clear_ignored
#include "frontend/core/operator.inc"

/* ---- modes: the table of types and modes ---- */

typedef struct mode_row {
    aic_quant_pre mode;
    aic_dtype src, dst;
    aic_fixpipe_scale scale;
} mode_row;

static const mode_row modes[] = {
    {AIC_QUANT_NO_QUANT, AIC_FLOAT32, AIC_FLOAT32, AIC_FIXPIPE_UNSCALED},
    {AIC_QUANT_NO_QUANT, AIC_INT32, AIC_INT32, AIC_FIXPIPE_UNSCALED},
    {AIC_QUANT_F322F16, AIC_FLOAT32, AIC_FLOAT16, AIC_FIXPIPE_UNSCALED},
    {AIC_QUANT_F322BF16, AIC_FLOAT32, AIC_BFLOAT16, AIC_FIXPIPE_UNSCALED},
    {AIC_QUANT_DEQF16, AIC_INT32, AIC_FLOAT16, AIC_FIXPIPE_SCALAR},
    {AIC_QUANT_VDEQF16, AIC_INT32, AIC_FLOAT16, AIC_FIXPIPE_VECTOR},
    {AIC_QUANT_QF322B8_PRE, AIC_FLOAT32, AIC_INT8, AIC_FIXPIPE_SCALAR},
    {AIC_QUANT_QF322B8_PRE, AIC_FLOAT32, AIC_UINT8, AIC_FIXPIPE_SCALAR},
    {AIC_QUANT_VQF322B8_PRE, AIC_FLOAT32, AIC_INT8, AIC_FIXPIPE_VECTOR},
    {AIC_QUANT_VQF322B8_PRE, AIC_FLOAT32, AIC_UINT8, AIC_FIXPIPE_VECTOR},
    {AIC_QUANT_REQ8, AIC_INT32, AIC_INT8, AIC_FIXPIPE_SCALAR},
    {AIC_QUANT_REQ8, AIC_INT32, AIC_UINT8, AIC_FIXPIPE_SCALAR},
    {AIC_QUANT_VREQ8, AIC_INT32, AIC_INT8, AIC_FIXPIPE_VECTOR},
    {AIC_QUANT_VREQ8, AIC_INT32, AIC_UINT8, AIC_FIXPIPE_VECTOR},
};

#define MODES (sizeof modes / sizeof modes[0])

aic_fixpipe_scale aic_fixpipe_scale_of(aic_quant_pre mode)
{
    for (size_t i = 0; i < MODES; i++) {
        if (modes[i].mode == mode) {
            return modes[i].scale;
        }
    }
    return AIC_FIXPIPE_UNSCALED;
}

/* ---- addresses ---- */

/* Columns of a block of an NZ dst. */
static int64_t block_width(const aic_fixpipe_desc *desc)
{
    return aic_dtype_size(desc->dst) == 1 ? 32 : aic_flag(&desc->isChannelSplit) ? 8 : 16;
}

bool aic_fixpipe_fills(const aic_fixpipe_desc *desc)
{
    return desc->format == AIC_FORMAT_NZ && aic_flag(&desc->fill_block) && desc->nSize / 16 % 2 != 0;
}

aic_fixpipe_strides aic_fixpipe_strides_of(const aic_fixpipe_desc *desc)
{
    if (desc->format == AIC_FORMAT_ROW_MAJOR) {
        return (aic_fixpipe_strides){
            .matrices = aic_fixpipe_has_matrices(desc) ? desc->ndNum : 1,
            .width = desc->nSize,
            .row = desc->dstStride,
            .matrix = aic_fixpipe_has_matrices(desc) ? desc->dstNdStride : 0,
            .tail = desc->dstStride,
        };
    }
    const int64_t width = block_width(desc);
    return (aic_fixpipe_strides){
        .matrices = 1,
        .width = width,
        .block = desc->dstStride * 32 / (int64_t)aic_dtype_size(desc->dst),
        .row = width,
        .tail = width == 32 && desc->nSize / 16 % 2 != 0 && !aic_fixpipe_fills(desc) ? 16 : width,
    };
}

/* ---- rules, in the order of the table of parameters ---- */

/* What bounds the sizes: one instruction, or the accumulator of a fused chain. Values stay so small that every address
 * fits in 64 bits. */
typedef struct limits {
    int64_t nSize;
    int64_t mSize[2]; /* by format */
    int64_t srcStride, srcNdStride, dstNdStride;
    const aic_accumulator *accumulator; /* NULL: none */
    const aic_semantics *semantics;
} limits;

static const limits instruction = {
    .nSize = 4095,
    .mSize = {[AIC_FORMAT_NZ] = 65535, [AIC_FORMAT_ROW_MAJOR] = 8192},
    .srcStride = 65535,
    .srcNdStride = 512,
    .dstNdStride = 65535,
};

static void check_types(aic_verdict *v, const aic_fixpipe_desc *desc, const limits *limit)
{
    static const aic_dtype dst[] = {AIC_FLOAT16, AIC_BFLOAT16, AIC_FLOAT32, AIC_INT32, AIC_INT8, AIC_UINT8};
    static const aic_dtype src[] = {AIC_FLOAT32, AIC_INT32};
    const aic_accumulator *from = limit->accumulator;
    aic_rule_dtype(v, RULE_dst, "dst", desc->dst, dst, sizeof dst / sizeof dst[0], "");
    const bool known = aic_rule_dtype(v, RULE_src, "src", desc->src, src, sizeof src / sizeof src[0], "");
    if (known && from && !from->words && desc->src != from->dtype) {
        aic_break(v, RULE_chain_src, "src: %s is not %s, which %s accumulates", aic_dtype_name(desc->src),
                  aic_dtype_name(from->dtype), from->producer);
    }
    aic_rule_enum(v, RULE_format, "format", AIC_KIND_FORMAT, desc->format);
}

static void check_sizes(aic_verdict *v, const aic_fixpipe_desc *desc, const limits *limit)
{
    const bool counted = aic_rule_range(v, RULE_nSize, "nSize", NULL, desc->nSize, 1, limit->nSize);
    if (!aic_kept(v, RULE_format, RULE_format)) {
        return;
    }
    const int64_t multiple = desc->format == AIC_FORMAT_ROW_MAJOR ? 1 : aic_flag(&desc->isChannelSplit) ? 8 : 16;
    if (counted && desc->nSize % multiple != 0) {
        aic_break(v, RULE_blocks,
                  "nSize: %" PRId64 " is not a multiple of %" PRId64 " in 1..%" PRId64 ", which format NZ requires%s",
                  desc->nSize, multiple, limit->nSize, multiple == 8 ? " with isChannelSplit" : "");
    }
    aic_rule_range(v, RULE_mSize, "mSize", NULL, desc->mSize, 1, limit->mSize[desc->format]);
}

static void check_src_stride(aic_verdict *v, const aic_fixpipe_desc *desc, const limits *limit)
{
    const aic_accumulator *from = limit->accumulator;
    if (from && !from->unknown && desc->srcStride != from->block_rows) {
        aic_break(v, RULE_chain_srcStride,
                  "srcStride: %" PRId64 " is not %" PRId64 ", the rows from one block of %s to the next",
                  desc->srcStride, from->block_rows, from->producer);
    } else {
        aic_rule_range(v, RULE_srcStride, "srcStride", NULL, desc->srcStride, 0, limit->srcStride);
    }
}

/* Stores of one matrix must not overlap. */
static void check_dst_stride(aic_verdict *v, const aic_fixpipe_desc *desc)
{
    if (!aic_rule_range(v, RULE_dstStride, "dstStride", NULL, desc->dstStride, 1, UINT32_MAX) ||
        !aic_kept(v, RULE_dst, RULE_mSize)) {
        return;
    }
    if (desc->format == AIC_FORMAT_ROW_MAJOR) {
        if (desc->mSize > 1 && desc->dstStride < desc->nSize) {
            aic_break(v, RULE_rows_apart, "dstStride: %" PRId64 " is less than nSize = %" PRId64 ": rows would overlap",
                      desc->dstStride, desc->nSize);
        }
        return;
    }
    const int64_t width = block_width(desc);
    const int64_t bytes = desc->mSize * width * (int64_t)aic_dtype_size(desc->dst);
    if (desc->nSize > width && desc->dstStride * 32 < bytes) {
        aic_break(v, RULE_blocks_apart,
                  "dstStride: %" PRId64 " is less than %" PRId64 ", the %" PRId64
                  " bytes of a column block in units of 32: blocks would overlap",
                  desc->dstStride, (bytes + 31) / 32, bytes);
    }
}

/* The modes of a pair of types: "DEQF16 or VDEQF16"; empty when there are none. */
static void list_modes(aic_dtype src, aic_dtype dst, char *list, size_t capacity)
{
    list[0] = '\0';
    for (size_t i = 0; i < MODES; i++) {
        if (modes[i].src == src && modes[i].dst == dst) {
            aic_text_join(list, capacity, " or ", aic_enum_word(AIC_KIND_QUANT_PRE, modes[i].mode));
        }
    }
}

static void check_mode(aic_verdict *v, const aic_fixpipe_desc *desc)
{
    char list[64];
    if (!aic_rule_enum(v, RULE_quantPre, "quantPre", AIC_KIND_QUANT_PRE, desc->quantPre) ||
        !aic_kept(v, RULE_dst, RULE_src)) {
        return;
    }
    for (size_t i = 0; i < MODES; i++) {
        if (modes[i].mode == desc->quantPre && modes[i].src == desc->src && modes[i].dst == desc->dst) {
            return;
        }
    }
    const char *word = aic_enum_word(AIC_KIND_QUANT_PRE, desc->quantPre);
    const char *src = aic_dtype_name(desc->src), *dst = aic_dtype_name(desc->dst);
    list_modes(desc->src, desc->dst, list, sizeof list);
    if (list[0] == '\0') {
        aic_break(v, RULE_conversion, "quantPre: %s does not store src = %s as dst = %s, nor does any mode", word, src,
                  dst);
    } else {
        aic_break(v, RULE_conversion, "quantPre: %s is not %s, which src = %s and dst = %s require", word, list, src,
                  dst);
    }
}

enum { FRACTION = 0x7FFFFF, FRACTION_CUT = 0x7FE000 }; /* all bits; without the 13 lowest, which do not count */

/* What makes the scale of a word illegal, whose fraction has these bits; NULL when it is legal. By bits:
 * the caller's denormals-are-zero mode does not matter. */
static const char *scale_fault(uint64_t word, uint32_t fraction_bits)
{
    const uint32_t exponent = (uint32_t)(word >> 23) & 0xFF;
    const uint32_t fraction = (uint32_t)word & fraction_bits;
    if (exponent == 0xFF) {
        return fraction == 0 ? "infinite" : "NaN";
    }
    return exponent == 0 && fraction != 0 ? "subnormal" : NULL;
}

static void check_scalar(aic_verdict *v, const aic_fixpipe_desc *desc, const limits *limit)
{
    const uint32_t bits = limit->semantics->scale_bits == AIC_SCALE_BITS_FULL ? FRACTION : FRACTION_CUT;
    const char *fault =
        aic_fixpipe_scale_of(desc->quantPre) == AIC_FIXPIPE_SCALAR ? scale_fault(desc->deqScalar, bits) : NULL;
    if (fault) {
        aic_break(v, RULE_deqScalar, "deqScalar: the scale of 0x%" PRIx64 " is %s, not a normal float32 or zero",
                  desc->deqScalar, fault);
    }
}

/* Rows of the accumulator that the matrices take. */
static void check_matrix_rows(aic_verdict *v, const aic_fixpipe_desc *desc, const limits *limit)
{
    const aic_accumulator *from = limit->accumulator;
    const int64_t rows = (desc->ndNum - 1) * desc->srcNdStride * 16 + desc->mSize;
    if (from && rows > from->rows) {
        aic_break(v, RULE_chain_rows,
                  "srcNdStride: %" PRId64 " makes the last matrix end at row %" PRId64 " of the %" PRId64 " of %s",
                  desc->srcNdStride, rows, from->rows, from->producer);
    }
}

/* Stores of two matrices must not overlap: one after the other, or their rows interleaved. */
static void check_matrix_overlap(aic_verdict *v, const aic_fixpipe_desc *desc)
{
    const int64_t matrix = (desc->mSize - 1) * desc->dstStride + desc->nSize;
    const int64_t row = (desc->ndNum - 1) * desc->dstNdStride + desc->nSize;
    const bool apart = desc->dstNdStride >= matrix;
    const bool interleaved = desc->dstStride >= row && desc->dstNdStride >= desc->nSize;
    if (!apart && !interleaved) {
        aic_break(v, RULE_matrices_apart,
                  "dstNdStride: %" PRId64 " makes matrices overlap: it is less than their extent %" PRId64
                  ", nor is it at least nSize = %" PRId64 " with dstStride at least %" PRId64,
                  desc->dstNdStride, matrix, desc->nSize, row);
    }
}

static void check_matrices(aic_verdict *v, const aic_fixpipe_desc *desc, const limits *limit)
{
    if (!aic_rule_range(v, RULE_ndNum, "ndNum", NULL, desc->ndNum, 0, 65535) || !aic_fixpipe_has_matrices(desc)) {
        return;
    }
    const bool sized = aic_kept(v, RULE_nSize, RULE_mSize);
    if (aic_rule_range(v, RULE_srcNdStride, "srcNdStride", NULL, desc->srcNdStride, 1, limit->srcNdStride) && sized) {
        check_matrix_rows(v, desc, limit);
    }
    if (aic_rule_range(v, RULE_dstNdStride, "dstNdStride", NULL, desc->dstNdStride, 1, limit->dstNdStride) && sized &&
        aic_kept(v, RULE_dstStride, RULE_dstStride)) {
        check_matrix_overlap(v, desc);
    }
}

static void check_flags(aic_verdict *v, const aic_fixpipe_desc *desc)
{
    const bool typed = aic_kept(v, RULE_dst, RULE_format);
    aic_rule_bool(v, RULE_reluEn, "reluEn", &desc->reluEn);
    if (desc->unitFlag != 0) {
        aic_break(v, RULE_unitFlag, "unitFlag: %" PRId64 " is not 0: it is reserved", desc->unitFlag);
    }
    if (aic_rule_bool(v, RULE_isChannelSplit, "isChannelSplit", &desc->isChannelSplit) && typed &&
        desc->isChannelSplit &&
        (desc->format != AIC_FORMAT_NZ || desc->src != AIC_FLOAT32 || desc->dst != AIC_FLOAT32)) {
        aic_break(v, RULE_splittable,
                  "isChannelSplit: true is only for float32 to float32 in format NZ, not for %s to %s in %s",
                  aic_dtype_name(desc->src), aic_dtype_name(desc->dst), aic_enum_word(AIC_KIND_FORMAT, desc->format));
    }
    if (aic_rule_bool(v, RULE_fill_block, "fill_block", &desc->fill_block) && typed && desc->fill_block &&
        (desc->format != AIC_FORMAT_NZ || aic_dtype_size(desc->dst) != 1)) {
        aic_break(v, RULE_fillable, "fill_block: true is only for int8 and uint8 in format NZ, not for %s in %s",
                  aic_dtype_name(desc->dst), aic_enum_word(AIC_KIND_FORMAT, desc->format));
    }
}

static aic_status check(const aic_fixpipe_desc *desc, const limits *limit)
{
    aic_verdict v = verdict();
    v.below = limit->accumulator && limit->accumulator->broken;
    check_types(&v, desc, limit);
    check_sizes(&v, desc, limit);
    check_src_stride(&v, desc, limit);
    check_dst_stride(&v, desc);
    check_mode(&v, desc);
    check_scalar(&v, desc, limit);
    check_matrices(&v, desc, limit);
    check_flags(&v, desc);
    return v.status;
}

static aic_status fixpipe_validate(const void *desc, const aic_semantics *semantics)
{
    limits limit = instruction;
    limit.semantics = semantics;
    return check(desc, &limit);
}

/* ---- operands ---- */

enum { DST, SRC, CBUF_WORKSPACE, OPERANDS };

/* One more than the last element of src that is read; of dst that is written. Both grow with the row and
 * the matrix; with the column, too, unless all blocks of src are the same one. */
static int64_t src_extent(const aic_fixpipe_desc *desc, const aic_fixpipe_strides *to)
{
    const int64_t block = (desc->nSize - 1) / 16;
    const int64_t column = block > 0 && desc->srcStride == 0 ? 15 : (desc->nSize - 1) % 16;
    const int64_t matrix = (to->matrices - 1) * (aic_fixpipe_has_matrices(desc) ? desc->srcNdStride * 256 : 0);
    return matrix + block * desc->srcStride * 16 + (desc->mSize - 1) * 16 + column + 1;
}

int64_t aic_fixpipe_dst_extent(const aic_fixpipe_desc *desc, const aic_fixpipe_strides *to)
{
    const int64_t last = aic_fixpipe_fills(desc) ? desc->nSize + 15 : desc->nSize - 1;
    return (to->matrices - 1) * to->matrix + last / to->width * to->block + (desc->mSize - 1) * to->tail +
           last % to->width + 1;
}

static size_t fixpipe_operands(const void *descriptor, const aic_semantics *semantics,
                               aic_operand operands[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_fixpipe_desc *desc = descriptor;
    const aic_fixpipe_strides to = aic_fixpipe_strides_of(desc);
    const bool words = aic_fixpipe_scale_of(desc->quantPre) == AIC_FIXPIPE_VECTOR;
    operands[DST] = (aic_operand){
        .name = "dst",
        .direction = AIC_DIRECTION_OUT,
        .dtype = desc->dst,
        .rank = 1,
        .shape = {aic_fixpipe_dst_extent(desc, &to)},
        .strided = true,
    };
    operands[SRC] = (aic_operand){
        .name = "src",
        .direction = AIC_DIRECTION_IN,
        .dtype = desc->src,
        .rank = 1,
        .shape = {src_extent(desc, &to)},
        .strided = true,
    };
    operands[CBUF_WORKSPACE] = (aic_operand){
        .name = "cbufWorkspace",
        .direction = words ? AIC_DIRECTION_IN : AIC_DIRECTION_UNUSED,
        .dtype = AIC_UINT64,
        .rank = words ? 1 : 0,
        .shape = {words ? desc->nSize : 0},
    };
    return OPERANDS;
}

static void fixpipe_accessed(const void *descriptor, const aic_semantics *semantics, int64_t bytes[AIC_OPERANDS_MAX])
{
    (void)semantics;
    const aic_fixpipe_desc *desc = descriptor;
    const int64_t matrices = desc->ndNum == 0 ? 0 : aic_fixpipe_strides_of(desc).matrices;
    const int64_t rows = aic_size_multiply(desc->mSize, matrices), filled = aic_fixpipe_fills(desc) ? 16 : 0;
    aic_accessed(bytes, DST, aic_size_multiply(desc->nSize + filled, rows), desc->dst);
    aic_accessed(bytes, SRC, aic_size_multiply(desc->nSize, rows), desc->src);
    bytes[CBUF_WORKSPACE] = matrices == 0 ? 0 : bytes[CBUF_WORKSPACE];
}

static aic_status fixpipe_check_data(const void *descriptor, const void *const operands[])
{
    const aic_fixpipe_desc *desc = descriptor;
    if (aic_fixpipe_scale_of(desc->quantPre) == AIC_FIXPIPE_VECTOR) {
        const uint64_t *words = operands[CBUF_WORKSPACE];
        for (int64_t n = 0; n < desc->nSize; n++) {
            const char *fault = scale_fault(words[n], FRACTION_CUT);
            if (fault) {
                aic_verdict v = verdict();
                aic_break(&v, RULE_cbufWorkspace,
                          "cbufWorkspace: the scale of column %" PRId64 ", 0x%" PRIx64
                          ", is %s, not a normal float32 or zero",
                          n, words[n], fault);
                return v.status;
            }
        }
    }
    if (desc->ndNum == 0) {
        aic_warn(NAME, "ndNum: 0 matrices: nothing is read or written");
    }
    return AIC_OK;
}

/* ---- fusion ---- */

/* mSize that makes the last matrix end with the accumulator; all rows where srcNdStride leaves none. */
static int64_t fused_rows(const aic_fixpipe_desc *desc, const limits *limit)
{
    const int64_t all = limit->accumulator->rows;
    const bool legal = desc->ndNum <= 65535 && desc->srcNdStride > 0 && desc->srcNdStride <= limit->srcNdStride;
    if (!aic_fixpipe_has_matrices(desc) || !legal) {
        return all;
    }
    const int64_t left = all - (desc->ndNum - 1) * desc->srcNdStride * 16;
    return left > 0 ? left : all;
}

/* dstStride of a dense result. */
static int64_t dense_stride(const aic_fixpipe_desc *desc)
{
    if (desc->format == AIC_FORMAT_ROW_MAJOR) {
        return desc->nSize;
    }
    const int64_t row = block_width(desc) * (int64_t)aic_dtype_size(desc->dst);
    const int64_t bytes = aic_size_multiply(desc->mSize, row);
    return bytes / 32 + (bytes % 32 != 0);
}

static aic_status fixpipe_consume(void *descriptor, const aic_accumulator *from, const aic_semantics *semantics)
{
    aic_fixpipe_desc *desc = descriptor;
    const limits limit = {
        .nSize = from->columns,
        .mSize = {from->rows, from->rows},
        .srcStride = from->block_rows,
        .srcNdStride = UINT32_MAX,
        .dstNdStride = UINT32_MAX,
        .accumulator = from,
        .semantics = semantics,
    };
    if (from->unknown) { /* what breaks no rule whatever the other fields are */
        desc->nSize = desc->nSize == 0 ? (desc->format == AIC_FORMAT_ROW_MAJOR ? 1 : 16) : desc->nSize;
        desc->mSize = desc->mSize == 0 ? 1 : desc->mSize;
    }
    desc->nSize = desc->nSize == 0 ? from->columns : desc->nSize;
    desc->mSize = desc->mSize == 0 ? fused_rows(desc, &limit) : desc->mSize;
    desc->srcStride = desc->srcStride == 0 ? from->block_rows : desc->srcStride;
    desc->dstStride = desc->dstStride == 0 ? dense_stride(desc) : desc->dstStride;
    return check(desc, &limit);
}

static void fixpipe_taken(const void *descriptor, int64_t *rows, int64_t *columns)
{
    const aic_fixpipe_desc *desc = descriptor;
    const int64_t before = aic_fixpipe_has_matrices(desc) ? (desc->ndNum - 1) * desc->srcNdStride * 16 : 0;
    *rows = desc->ndNum == 0 ? 0 : before + desc->mSize;
    *columns = desc->nSize;
}

const aic_op_info aic_op_fixpipe = {
    AIC_THIS_ENTRIES,
    .coordinates = aic_fixpipe_coordinates,
    .check_data = fixpipe_check_data,
    .byte_signs = aic_fixpipe_byte_signs,
    .consume = fixpipe_consume,
    .taken = fixpipe_taken,
    .take_word = aic_fixpipe_take_word,
    .random = aic_fixpipe_random,
    .random_fused = aic_fixpipe_random_fused,
};
