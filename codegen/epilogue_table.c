/* The parameters of columns: read from quantisation words, halves and biases once into a table (AscendC Fixpipe,
 * section 5), from which the loops over rows take them.
 *
 *     [header] [block of 16 columns][parameter][16]      words of 32 bits
 *
 * The header is a line whose first word tells whether any column is not plain. What is the same in every block is there
 * once; what is the same in every column is constant and not there. */
#include "codegen/epilogue_value.h"
#include "codegen/vec.h"
#include "frontend/half.h"

#include <math.h>

enum { LANES = AIC_EPILOGUE_LANES, ROW_BYTES = LANES * 4, HEADER_BYTES = ROW_BYTES };

/* A quantisation word (bits of its upper half). */
enum { SCALE_MASK = ~0x1FFF, SHIFT_MASK = 0xF, MCB = 1 << 4, OFFSET_LEFT = 18, OFFSET_RIGHT = 23, SIGNED = 1 << 14 };

static bool gives_bytes(const aic_epilogue *p)
{
    return aic_dtype_size(p->target) == 1;
}

/* What signed results are moved by. */
enum { BYTE_SIGN = 128 };

/* ---- layout ---- */

static bool in_table(const aic_epilogue *p, aic_parameter parameter)
{
    const bool words = p->scale == AIC_SCALE_WORDS;
    switch (parameter) {
    case AIC_PARAMETER_BIAS:
        return p->bias;
    case AIC_PARAMETER_SCALE:
        return words || p->scale == AIC_SCALE_HALVES;
    case AIC_PARAMETER_HIGH:
    case AIC_PARAMETER_LOW:
    case AIC_PARAMETER_OFFSET:
    case AIC_PARAMETER_FLIP:
        return words && gives_bytes(p);
    case AIC_PARAMETER_MASK:
        return words && p->shift;
    case AIC_PARAMETERS:
        break;
    }
    return false;
}

/* Bytes of the parameters before this one; of all of them for AIC_PARAMETERS. */
static int64_t offset_of(const aic_epilogue *p, aic_parameter parameter)
{
    int64_t bytes = 0;
    for (int i = 0; i < (int)parameter; i++) {
        bytes += in_table(p, (aic_parameter)i) ? ROW_BYTES : 0;
    }
    return bytes;
}

static int64_t header_bytes(const aic_epilogue *p)
{
    return aic_epilogue_plainness(p) == AIC_PLAIN_TOLD ? HEADER_BYTES : 0;
}

/* Halves without biases are the same in every block. */
static bool same_in_blocks(const aic_epilogue *p)
{
    return p->scale == AIC_SCALE_HALVES && !p->bias;
}

int64_t aic_epilogue_table_bytes(const aic_epilogue *p)
{
    int64_t blocks = same_in_blocks(p) ? 1 : (p->columns + LANES - 1) / LANES;
    return header_bytes(p) + blocks * offset_of(p, AIC_PARAMETERS);
}

static LLVMValueRef entry_of(aic_emit *e, const aic_epilogue *p, LLVMValueRef table, LLVMValueRef block)
{
    table = aic_at_const(e, table, header_bytes(p));
    return same_in_blocks(p) ? table : aic_at(e, table, aic_mul(e, block, offset_of(p, AIC_PARAMETERS)));
}

/* ---- plain columns ---- */

/* Nothing shifts; OFFSET reaches from the end of the 9 bits to that of the result, or further, on both sides; with
 * rectification products are not below 0, and they stay within int32, but for floats, which are clamped to that. */
enum { OFFSET_MAX = 256, ONE = 0x3F800000, ABSOLUTE = 0x7FFFFFFF };

aic_plainness aic_epilogue_plainness(const aic_epilogue *p)
{
    if (!gives_bytes(p) || p->scale != AIC_SCALE_WORD) {
        return gives_bytes(p) ? AIC_PLAIN_TOLD : AIC_PLAIN_ALWAYS;
    }
    const int32_t high = (int32_t)(p->word >> 32), scale = (int32_t)(p->word & (uint32_t)SCALE_MASK);
    const int32_t offset = (int32_t)((uint32_t)high << OFFSET_LEFT) >> OFFSET_RIGHT;
    const bool shifts = p->shift && (high & MCB) != 0, falls = p->relu == AIC_RELU_SOURCE && scale < 0;
    const bool fits =
        offset + (high & SIGNED ? BYTE_SIGN : 0) >= 0 && offset + (high & SIGNED ? BYTE_SIGN : 0) <= OFFSET_MAX;
    const bool small = p->source == AIC_FLOAT32 || (scale & ABSOLUTE) < ONE;
    return !shifts && !falls && fits && small ? AIC_PLAIN_ALWAYS : AIC_PLAIN_NEVER;
}

LLVMValueRef aic_epilogue_told_plain(aic_emit *e, LLVMValueRef table)
{
    return LLVMBuildICmp(e->builder, LLVMIntEQ, aic_load(e, e->i32, table, 0, ROW_BYTES), LLVMConstNull(e->i32), "");
}

/* ---- words ---- */

/* Fields of quantisation words; every vector has the same number of lanes. */
typedef struct fields {
    LLVMValueRef scale;             /* float */
    LLVMValueRef shifts, is_signed; /* i1 */
    LLVMValueRef shift, offset;     /* i32 */
} fields;

static LLVMValueRef bit(aic_emit *e, LLVMValueRef words, int64_t mask)
{
    LLVMTypeRef type = LLVMTypeOf(words);
    LLVMValueRef masked = LLVMBuildAnd(e->builder, words, aic_const_int(type, mask), "");
    return LLVMBuildICmp(e->builder, LLVMIntNE, masked, aic_zero(type), "");
}

/* Of words in halves of 32 bits. */
static fields read_fields(aic_emit *e, LLVMValueRef low, LLVMValueRef high)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef words = LLVMTypeOf(low), floats = aic_vector(e->f32, LLVMGetVectorSize(words));
    LLVMValueRef scale = LLVMBuildAnd(b, low, aic_const_int(words, SCALE_MASK), "");
    LLVMValueRef count = LLVMBuildAnd(b, high, aic_const_int(words, SHIFT_MASK), "");
    LLVMValueRef offset = LLVMBuildShl(b, high, aic_const_int(words, OFFSET_LEFT), "");
    fields f = {.scale = LLVMBuildBitCast(b, scale, floats, ""),
                .shifts = bit(e, high, MCB),
                .is_signed = bit(e, high, SIGNED),
                .offset = LLVMBuildAShr(b, offset, aic_const_int(words, OFFSET_RIGHT), "")};
    count = LLVMBuildAdd(b, count, aic_const_int(words, 1), "");
    f.shift = LLVMBuildSelect(b, f.shifts, count, aic_zero(words), "");
    return f;
}

static LLVMValueRef larger(aic_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(e->builder, LLVMBuildFCmp(e->builder, LLVMRealOGT, a, b, ""), a, b, "");
}

static LLVMValueRef smaller(aic_emit *e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildSelect(e->builder, LLVMBuildFCmp(e->builder, LLVMRealOLT, a, b, ""), a, b, "");
}

/* low or high where the words say `which`, of an integer type. */
static LLVMValueRef choose(aic_emit *e, LLVMValueRef which, LLVMTypeRef type, int64_t yes, int64_t no)
{
    return LLVMBuildSelect(e->builder, which, aic_const_int(type, yes), aic_const_int(type, no), "");
}

/* The products at the two ends of what is scaled: what rectification and the limits of a shift leave of the source. */
static void product_ends(aic_emit *e, const aic_epilogue *p, const fields *f, LLVMValueRef ends[2])
{
    static const double SHIFTED[] = {INT16_MIN, INT16_MAX}, ENDLESS[] = {-HUGE_VAL, HUGE_VAL};
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef floats = LLVMTypeOf(f->scale);
    LLVMValueRef falls = LLVMBuildFCmp(b, LLVMRealOLT, f->scale, aic_zero(floats), "");
    for (int i = 0; i < 2; i++) {
        ends[i] =
            LLVMBuildSelect(b, falls, aic_const_float(floats, ENDLESS[1 - i]), aic_const_float(floats, ENDLESS[i]), "");
        if (p->shift) {
            LLVMValueRef shifted = LLVMBuildFMul(b, aic_const_float(floats, SHIFTED[i]), f->scale, "");
            ends[i] = LLVMBuildSelect(b, f->shifts, shifted, ends[i], "");
        }
    }
    ends[0] = p->relu == AIC_RELU_SOURCE ? aic_zero(floats) : ends[0];
}

/* LOW and HIGH: the limits of the result, less the offset, within 9 bits; within them the limits of products. */
static void product_limits(aic_emit *e, const aic_epilogue *p, const fields *f, LLVMValueRef value[AIC_PARAMETERS])
{
    enum { BITS9_MIN = -256, BITS9_MAX = 255 };
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef floats = LLVMTypeOf(f->scale), words = LLVMTypeOf(f->offset);
    LLVMValueRef ends[2], magic = aic_const_float(floats, 3 * AIC_ROUND_LIMIT);
    LLVMValueRef low = LLVMBuildSub(b, choose(e, f->is_signed, words, INT8_MIN, 0), f->offset, "");
    LLVMValueRef high = LLVMBuildSub(b, choose(e, f->is_signed, words, INT8_MAX, UINT8_MAX), f->offset, "");
    low = larger(e, LLVMBuildSIToFP(b, low, floats, ""), aic_const_float(floats, BITS9_MIN));
    high = smaller(e, LLVMBuildSIToFP(b, high, floats, ""), aic_const_float(floats, BITS9_MAX));
    high = larger(e, high, low); /* where low is 256 */
    product_ends(e, p, f, ends);
    value[AIC_PARAMETER_HIGH] = larger(e, smaller(e, larger(e, ends[0], ends[1]), high), low);
    low = larger(e, smaller(e, smaller(e, ends[0], ends[1]), high), low);
    /* Rounded to nearest even: the sum ends in the integer. */
    low = LLVMBuildBitCast(b, LLVMBuildFAdd(b, low, magic, ""), words, "");
    value[AIC_PARAMETER_LOW] = LLVMBuildSub(b, low, LLVMConstBitCast(magic, words), "");
}

/* The parameters that words, given in halves of 32 bits, are good for: 32-bit integers and floats. */
static void decode(aic_emit *e, const aic_epilogue *p, LLVMValueRef low, LLVMValueRef high,
                   LLVMValueRef value[AIC_PARAMETERS])
{
    const fields f = read_fields(e, low, high);
    value[AIC_PARAMETER_SCALE] = f.scale;
    if (p->shift) { /* by 2^-shift; where that is too small to be exact, so are the products, which round to 0 */
        LLVMTypeRef words = LLVMTypeOf(low);
        LLVMValueRef bits = LLVMBuildSub(e->builder, aic_const_int(words, 127), f.shift, "");
        bits = LLVMBuildShl(e->builder, bits, aic_const_int(words, 23), "");
        bits = LLVMBuildBitCast(e->builder, bits, LLVMTypeOf(f.scale), "");
        value[AIC_PARAMETER_SCALE] = LLVMBuildFMul(e->builder, f.scale, bits, "");
        value[AIC_PARAMETER_MASK] = LLVMBuildShl(e->builder, aic_const_int(words, -1), f.shift, "");
    }
    if (gives_bytes(p)) {
        value[AIC_PARAMETER_FLIP] = choose(e, f.is_signed, LLVMTypeOf(low), BYTE_SIGN, 0);
        value[AIC_PARAMETER_OFFSET] = LLVMBuildAdd(e->builder, f.offset, value[AIC_PARAMETER_FLIP], "");
        product_limits(e, p, &f, value);
    }
}

/* -1 in the columns that are not plain, else 0; see aic_epilogue_plainness(). */
static LLVMValueRef not_plain(aic_emit *e, const aic_epilogue *p, LLVMValueRef value[AIC_PARAMETERS])
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef offset = value[AIC_PARAMETER_OFFSET];
    LLVMTypeRef words = LLVMTypeOf(offset);
    LLVMValueRef scale = LLVMBuildBitCast(b, value[AIC_PARAMETER_SCALE], words, ""), zero = aic_zero(words);
    LLVMValueRef any = LLVMBuildICmp(b, LLVMIntUGT, offset, aic_const_int(words, OFFSET_MAX), "");
    if (p->shift) {
        any = LLVMBuildOr(b, any, LLVMBuildICmp(b, LLVMIntNE, value[AIC_PARAMETER_MASK], aic_const_int(words, -1), ""),
                          "");
    }
    if (p->relu == AIC_RELU_SOURCE) {
        any = LLVMBuildOr(b, any, LLVMBuildICmp(b, LLVMIntSLT, scale, zero, ""), "");
    }
    if (p->source == AIC_INT32) {
        LLVMValueRef size = LLVMBuildAnd(b, scale, aic_const_int(words, ABSOLUTE), "");
        any = LLVMBuildOr(b, any, LLVMBuildICmp(b, LLVMIntSGE, size, aic_const_int(words, ONE), ""), "");
    }
    return LLVMBuildSExt(b, any, words, "");
}

/* ---- filling the table ---- */

/* The entry of a block of `count` columns. `others` (NULL: not asked for) marks columns that are not plain: returns it
 * with this block's. */
static LLVMValueRef fill_entry(aic_emit *e, const aic_epilogue *p, LLVMValueRef block, unsigned count,
                               LLVMValueRef others)
{
    LLVMValueRef value[AIC_PARAMETERS] = {NULL}, parameters = aic_emit_param(e, 1);
    LLVMValueRef entry = entry_of(e, p, aic_emit_param(e, 0), block);
    if (p->scale == AIC_SCALE_WORDS) {
        LLVMValueRef source = aic_at(e, parameters, aic_mul(e, block, LANES * (int64_t)sizeof(uint64_t)));
        LLVMValueRef words = aic_load_part(e, e->i64, LANES, count, source, 0);
        LLVMValueRef parts = LLVMBuildBitCast(e->builder, words, aic_vector(e->i32, 2 * LANES), "");
        decode(e, p, aic_lanes_of(e, parts, 0, 2, LANES), aic_lanes_of(e, parts, 1, 2, LANES), value);
    } else if (p->scale == AIC_SCALE_HALVES) {
        value[AIC_PARAMETER_SCALE] = aic_half_to_float(e, aic_load(e, aic_vector(e->i16, LANES), parameters, 0, 2));
    }
    if (p->bias) {
        LLVMValueRef bias = aic_at(e, aic_emit_param(e, 2), aic_mul(e, block, ROW_BYTES));
        value[AIC_PARAMETER_BIAS] = aic_load_part(e, e->i32, LANES, count, bias, 0);
    }
    for (int i = 0; i < AIC_PARAMETERS; i++) {
        if (in_table(p, (aic_parameter)i)) {
            aic_store(e, value[i], entry, offset_of(p, (aic_parameter)i), ROW_BYTES);
        }
    }
    return others == NULL ? NULL : LLVMBuildOr(e->builder, others, not_plain(e, p, value), "");
}

/* The header: the lanes of `others` or'ed. */
static void fill_header(aic_emit *e, LLVMValueRef others)
{
    for (unsigned lanes = LANES / 2; lanes > 0; lanes /= 2) {
        others =
            LLVMBuildOr(e->builder, aic_lanes_of(e, others, 0, 1, lanes), aic_lanes_of(e, others, lanes, 1, lanes), "");
    }
    aic_store(e, others, aic_emit_param(e, 0), 0, ROW_BYTES);
}

LLVMValueRef aic_emit_epilogue_table(aic_emit *e, const aic_epilogue *p, const char *name)
{
    static const char *const PARAMS[] = {"table", "parameters", "bias"};
    if (aic_epilogue_table_bytes(p) == 0) {
        return NULL;
    }
    aic_emit_function(e, name, false, PARAMS, 3, 0);
    LLVMValueRef function = e->function;
    int64_t whole = same_in_blocks(p) ? 1 : p->columns / LANES, rest = same_in_blocks(p) ? 0 : p->columns % LANES;
    const bool tells = aic_epilogue_plainness(p) == AIC_PLAIN_TOLD;
    LLVMValueRef others = tells ? aic_zero(aic_vector(e->i32, LANES)) : NULL;
    if (whole > 0) {
        aic_loop loop;
        aic_loop_begin(e, &loop, "block", aic_int(e, 0), aic_int(e, whole), 1, &others, tells);
        others = fill_entry(e, p, loop.index, LANES, others);
        aic_loop_end(e, &loop);
    }
    if (rest > 0) {
        others = fill_entry(e, p, aic_int(e, whole), (unsigned)rest, others);
    }
    if (tells) {
        fill_header(e, others);
    }
    aic_emit_function_end(e);
    return function;
}

/* ---- reading it ---- */

/* One parameter of vector `i` of a unit, from the table. */
static LLVMValueRef load_parameter(aic_emit *e, const aic_epilogue *p, const aic_unit *unit, LLVMValueRef *entries,
                                   aic_parameter parameter, unsigned i)
{
    const bool real = parameter == AIC_PARAMETER_SCALE || parameter == AIC_PARAMETER_HIGH ||
                      (parameter == AIC_PARAMETER_BIAS && p->source == AIC_FLOAT32);
    const unsigned lane = i * unit->lanes % (LANES * unit->blocks);
    LLVMTypeRef type = aic_vector(real ? e->f32 : e->i32, unit->lanes);
    return aic_load(e, type, entries[lane / LANES], offset_of(p, parameter) + (int64_t)(lane % LANES) * 4,
                    unit->lanes * 4);
}

/* The parameters of vector `i` of a unit: from the table, or the same for every lane. */
static void read_vector(aic_emit *e, const aic_epilogue *p, const aic_unit *unit, LLVMValueRef *entries, unsigned i,
                        LLVMValueRef value[AIC_PARAMETERS])
{
    if (p->scale == AIC_SCALE_WORD) {
        LLVMTypeRef type = aic_vector(e->i32, unit->lanes);
        decode(e, p, aic_const_int(type, (int32_t)p->word), aic_const_int(type, (int32_t)(p->word >> 32)), value);
    } else if (p->scale == AIC_SCALE_HALF) {
        double scale = aic_half_to_double((uint16_t)p->word);
        value[AIC_PARAMETER_SCALE] = aic_const_float(aic_vector(e->f32, unit->lanes), scale);
    }
    for (int k = 0; k < AIC_PARAMETERS; k++) {
        if (in_table(p, (aic_parameter)k)) {
            value[k] = load_parameter(e, p, unit, entries, (aic_parameter)k, i);
        }
    }
}

/* Where adding the bias does not overflow: from INT32_MIN - bias on where it is negative, up to INT32_MAX - bias where
 * it is not. */
static void limit_bias(aic_emit *e, aic_parameters *parameters, unsigned i)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef bias = parameters->bias[i], zero = aic_zero(LLVMTypeOf(bias));
    LLVMValueRef least = aic_const_int(LLVMTypeOf(bias), INT32_MIN), most = aic_const_int(LLVMTypeOf(bias), INT32_MAX);
    parameters->bias_low[i] = LLVMBuildSub(b, least, aic_vector_min(e, bias, zero), "");
    parameters->bias_high[i] = LLVMBuildSub(b, most, aic_vector_max(e, bias, zero), "");
}

void aic_epilogue_parameters(aic_emit *e, const aic_epilogue *p, const aic_unit *unit, LLVMValueRef table,
                             LLVMValueRef block, bool plain, aic_parameters *parameters)
{
    LLVMValueRef entries[AIC_UNIT_VECTORS], value[AIC_UNIT_VECTORS][AIC_PARAMETERS] = {{NULL}}, flip[AIC_UNIT_VECTORS];
    *parameters = (aic_parameters){.flip = NULL};
    for (unsigned i = 0; i < unit->blocks; i++) {
        entries[i] = entry_of(e, p, table, aic_add(e, block, aic_int(e, i)));
    }
    for (unsigned i = 0; i < unit->count; i++) {
        read_vector(e, p, unit, entries, i, value[i]);
        parameters->bias[i] = value[i][AIC_PARAMETER_BIAS];
        if (p->bias && p->source == AIC_INT32) {
            limit_bias(e, parameters, i);
        }
        parameters->scale[i] = value[i][AIC_PARAMETER_SCALE];
        parameters->high[i] = plain ? NULL : value[i][AIC_PARAMETER_HIGH];
        parameters->mask[i] = plain || !p->shift ? NULL : value[i][AIC_PARAMETER_MASK];
    }
    if (!gives_bytes(p)) {
        return;
    }
    for (unsigned i = 0; i < unit->count; i++) {
        flip[i] = LLVMBuildTrunc(e->builder, value[i][AIC_PARAMETER_FLIP], aic_vector(e->i8, unit->lanes), "");
    }
    parameters->flip = aic_concat(e, flip, unit->count);
    for (unsigned i = 0; i < unit->count; i += 2) {
        LLVMValueRef *low = value[i], *high = value[i + 1];
        parameters->low[i / 2] = plain ? NULL : aic_pack(e, low[AIC_PARAMETER_LOW], high[AIC_PARAMETER_LOW], false);
        parameters->offset[i / 2] = aic_pack(e, low[AIC_PARAMETER_OFFSET], high[AIC_PARAMETER_OFFSET], false);
    }
}
