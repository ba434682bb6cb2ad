/* The table of column parameters. Quantisation words, halves and biases (AscendC Fixpipe) are decoded once
 * to a table, which the loops over rows read.
 *
 *     [header] [block of 16 columns][parameter][16]      words of 32 bits; bytes at the end of a block
 *
 * The header is a cache line whose first word says which path the columns need. Parameters that are the same in every
 * block have one entry for all; parameters that are the same in every column are constants of the code instead. */
#include "codegen/epilogue/value.h"
#include "codegen/integer.h"
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/own.h"
#include "frontend/numeric/half.h"

#include <math.h>
#include <string.h>

enum { LANES = AIC_EPILOGUE_LANES, ROW_BYTES = LANES * 4, HEADER_BYTES = ROW_BYTES };

/* A quantisation word (bits of its upper half). */
enum { SCALE_MASK = ~0x1FFF, SHIFT_MASK = 0xF, MCB = 1 << 4, OFFSET_LEFT = 18, OFFSET_RIGHT = 23, SIGNED = 1 << 14 };

static bool gives_bytes(const aic_epilogue *p)
{
    return aic_dtype_size(p->target) == 1;
}

/* One word or half for all columns; and one that code knows. */
static bool is_one(const aic_epilogue *p)
{
    return p->scale == AIC_SCALE_WORD || p->scale == AIC_SCALE_HALF;
}

static bool is_constant(const aic_epilogue *p)
{
    return is_one(p) && p->scale_operand == 0;
}

/* Words in memory: one for all columns, or one for each. */
static bool reads_words(const aic_epilogue *p)
{
    return p->scale == AIC_SCALE_WORDS || (p->scale == AIC_SCALE_WORD && !is_constant(p));
}

/* Halves in memory: one for all columns, or 16. */
static bool reads_halves(const aic_epilogue *p)
{
    return p->scale == AIC_SCALE_HALVES || (p->scale == AIC_SCALE_HALF && !is_constant(p));
}

/* Which bits of a word are its scale. */
static uint32_t scale_mask(const aic_epilogue *p)
{
    return p->reads.full_scale ? UINT32_MAX : (uint32_t)SCALE_MASK;
}

/* ---- path ---- */

/* Bits of floats. A product of an int32 by a scale below 1 does not overflow int32; limit_bias() explains the 8. */
enum { ONE = 0x3F800000, EIGHT = 0x41000000, ABSOLUTE = 0x7FFFFFFF, MANTISSA_BITS = 23 };

bool aic_epilogue_limits_sums(const aic_epilogue *p)
{
    return aic_epilogue_bias_is_last(p) && p->source == AIC_INT32 && p->target == AIC_FLOAT16 && p->saturate &&
           aic_epilogue_bias_type(p) == AIC_INT32 && (p->scale == AIC_SCALE_HALF || p->scale == AIC_SCALE_HALVES);
}

/* The path for the one word or half of all columns. */
static aic_path path_of_constant(const aic_epilogue *p)
{
    if (p->scale == AIC_SCALE_HALF) {
        return fabs(aic_half_to_double((uint16_t)p->word)) < 8 ? AIC_PATH_FAST : AIC_PATH_FULL;
    }
    const int64_t high = (int64_t)(p->word >> 32), size = (int64_t)(p->word & scale_mask(p) & ABSOLUTE);
    const bool shifts = p->reads.shift && (high & MCB) != 0;
    const int64_t shift = shifts ? (high & SHIFT_MASK) + 1 : 0;
    if (p->source == AIC_INT32 && size - (shift << MANTISSA_BITS) >= ONE) {
        return AIC_PATH_FULL;
    }
    return AIC_PATH_LIMITS; /* parameters are constants here, so that LLVM removes what has no effect */
}

unsigned aic_epilogue_paths(const aic_epilogue *p)
{
    if (!gives_bytes(p) && !aic_epilogue_limits_sums(p)) {
        return 1U << AIC_PATH_FAST;
    }
    if (is_constant(p)) {
        return 1U << path_of_constant(p);
    }
    if (is_one(p)) {
        static const aic_path PATHS[] = {
            [AIC_NEED_LITTLE] = AIC_PATH_FAST, [AIC_NEED_LIMITS] = AIC_PATH_LIMITS, [AIC_NEED_ALL] = AIC_PATH_FULL};
        return 1U << PATHS[p->need];
    }
    /* Of integers the full path does for offsets and limits, too: see aic_epilogue_is_limited(). */
    return 1U << AIC_PATH_FAST | 1U << (p->source == AIC_INT32 ? AIC_PATH_FULL : AIC_PATH_LIMITS);
}

/* Whether the table has a header, because code for two paths exists. */
static bool has_path(const aic_epilogue *p)
{
    const unsigned paths = aic_epilogue_paths(p);
    return (paths & (paths - 1)) != 0;
}

/* ---- layout ---- */

static bool in_table(const aic_epilogue *p, aic_parameter parameter)
{
    const bool words = reads_words(p), limits = words && (p->scale == AIC_SCALE_WORDS || p->need != AIC_NEED_LITTLE);
    switch (parameter) {
    case AIC_PARAMETER_BIAS:
        return aic_epilogue_bias(p) != 0;
    case AIC_PARAMETER_SCALE:
        return words || reads_halves(p);
    case AIC_PARAMETER_MASK:
        return limits && p->reads.shift;
    case AIC_PARAMETER_UP:
    case AIC_PARAMETER_LEAST:
    case AIC_PARAMETER_DOWN:
        return limits && gives_bytes(p);
    case AIC_PARAMETERS:
        break;
    }
    return false;
}

/* Whether the parameter is stored as bytes, in the lane order of the results, as the loops over rows use it. If they
 * narrowed words instead, compiling them would take twice as long. */
static bool is_byte(aic_parameter parameter)
{
    return parameter == AIC_PARAMETER_LEAST || parameter == AIC_PARAMETER_DOWN;
}

/* Bytes of the parameters before this one. */
static int64_t offset_of(const aic_epilogue *p, aic_parameter parameter)
{
    int64_t bytes = 0;
    for (int i = 0; i < (int)parameter; i++) {
        const aic_parameter before = (aic_parameter)i;
        bytes += !in_table(p, before) ? 0 : is_byte(before) ? LANES : ROW_BYTES;
    }
    return bytes;
}

/* Bytes of a block: whole rows. */
static int64_t entry_bytes(const aic_epilogue *p)
{
    return aic_round_up(offset_of(p, AIC_PARAMETERS), ROW_BYTES);
}

static int64_t header_bytes(const aic_epilogue *p)
{
    return has_path(p) ? HEADER_BYTES : 0;
}

/* Without biases the columns of all blocks have the same 16 halves, or the same word or half. */
static bool same_in_blocks(const aic_epilogue *p)
{
    return p->scale != AIC_SCALE_WORDS && aic_epilogue_bias(p) == 0;
}

int64_t aic_epilogue_table_bytes(const aic_epilogue *p)
{
    int64_t blocks = same_in_blocks(p) ? 1 : aic_parts(p->columns, LANES);
    return header_bytes(p) + blocks * entry_bytes(p);
}

/* The address of a block's entry in the table. */
static LLVMValueRef entry_of(aic_emit *e, const aic_epilogue *p, LLVMValueRef table, LLVMValueRef block)
{
    table = aic_at_const(e, table, header_bytes(p));
    return same_in_blocks(p) ? table : aic_at(e, table, aic_mul(e, block, entry_bytes(p)));
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

/* Decodes quantisation words, given as their lower and upper 32 bits. */
static fields read_fields(aic_emit *e, const aic_epilogue *p, LLVMValueRef low, LLVMValueRef high)
{
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef words = LLVMTypeOf(low), floats = aic_vector(e->f32, LLVMGetVectorSize(words));
    LLVMValueRef scale = LLVMBuildAnd(b, low, aic_const_int(words, (int32_t)scale_mask(p)), "");
    LLVMValueRef count = LLVMBuildAnd(b, high, aic_const_int(words, SHIFT_MASK), "");
    LLVMValueRef offset = LLVMBuildShl(b, high, aic_const_int(words, OFFSET_LEFT), "");
    fields f = {.scale = LLVMBuildBitCast(b, scale, floats, ""),
                .shifts = bit(e, high, MCB),
                .is_signed = bit(e, high, SIGNED),
                .offset = LLVMBuildBinOp(b, p->reads.unsigned_offset ? LLVMLShr : LLVMAShr, offset,
                                         aic_const_int(words, OFFSET_RIGHT), "")};
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

/* Of each lane `yes` if `which` is true, otherwise `no`, in an integer type. */
static LLVMValueRef choose(aic_emit *e, LLVMValueRef which, LLVMTypeRef type, int64_t yes, int64_t no)
{
    return LLVMBuildSelect(e->builder, which, aic_const_int(type, yes), aic_const_int(type, no), "");
}

/* The products of the scale with the smallest and the largest source that rectification and a shift let through. */
static void product_ends(aic_emit *e, const aic_epilogue *p, const fields *f, LLVMValueRef ends[2])
{
    static const double SHIFTED[] = {INT16_MIN, INT16_MAX}, ENDLESS[] = {-HUGE_VAL, HUGE_VAL};
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef floats = LLVMTypeOf(f->scale);
    LLVMValueRef falls = LLVMBuildFCmp(b, LLVMRealOLT, f->scale, aic_zero(floats), "");
    for (int i = 0; i < 2; i++) {
        ends[i] =
            LLVMBuildSelect(b, falls, aic_const_float(floats, ENDLESS[1 - i]), aic_const_float(floats, ENDLESS[i]), "");
        if (p->reads.shift) {
            LLVMValueRef shifted = LLVMBuildFMul(b, aic_const_float(floats, SHIFTED[i]), f->scale, "");
            ends[i] = LLVMBuildSelect(b, f->shifts, shifted, ends[i], "");
        }
    }
    ends[0] = p->relu == AIC_RELU_SOURCE ? aic_zero(floats) : ends[0];
}

/* Rounds floats within 2^22 to nearest even: in the sum with a magic number the low mantissa bits are the integer. */
static LLVMValueRef rounded(aic_emit *e, LLVMValueRef x)
{
    LLVMTypeRef words = aic_vector(e->i32, LLVMGetVectorSize(LLVMTypeOf(x)));
    LLVMValueRef magic = aic_const_float(LLVMTypeOf(x), 3 * AIC_ROUND_LIMIT);
    LLVMValueRef sum = LLVMBuildBitCast(e->builder, LLVMBuildFAdd(e->builder, x, magic, ""), words, "");
    return LLVMBuildSub(e->builder, sum, LLVMConstBitCast(magic, words), "");
}

/* UP, LEAST and DOWN (value.h): the limits of the result less the offset, cut to 9 bits; within these, the limits of
 * products. */
static void product_limits(aic_emit *e, const aic_epilogue *p, const fields *f, LLVMValueRef value[AIC_PARAMETERS])
{
    enum { BITS9_MIN = -256, BITS9_MAX = 255 };
    LLVMBuilderRef b = e->builder;
    LLVMTypeRef floats = LLVMTypeOf(f->scale), words = LLVMTypeOf(f->offset);
    LLVMValueRef ends[2];
    LLVMValueRef low = LLVMBuildSub(b, choose(e, f->is_signed, words, INT8_MIN, 0), f->offset, "");
    LLVMValueRef high = LLVMBuildSub(b, choose(e, f->is_signed, words, INT8_MAX, UINT8_MAX), f->offset, "");
    low = LLVMBuildSIToFP(b, low, floats, "");
    low = p->reads.wide_products ? low : larger(e, low, aic_const_float(floats, BITS9_MIN));
    high = LLVMBuildSIToFP(b, high, floats, "");
    low = p->reads.unsigned_offset ? smaller(e, low, high) : low; /* where high is less than -256 */
    high = p->reads.wide_products ? high : smaller(e, high, aic_const_float(floats, BITS9_MAX));
    high = larger(e, high, low); /* where low is 256 */
    product_ends(e, p, f, ends);
    LLVMValueRef most = larger(e, smaller(e, larger(e, ends[0], ends[1]), high), low);
    LLVMValueRef least = larger(e, smaller(e, smaller(e, ends[0], ends[1]), high), low);
    value[AIC_PARAMETER_UP] = LLVMBuildSub(b, aic_const_int(words, aic_epilogue_top(p)), rounded(e, most), "");
    value[AIC_PARAMETER_LEAST] = LLVMBuildAdd(b, rounded(e, least), value[AIC_PARAMETER_UP], "");
    value[AIC_PARAMETER_DOWN] = LLVMBuildSub(b, f->offset, value[AIC_PARAMETER_UP], "");
}

/* Computes the parameters from words, given as their lower and upper 32 bits, as 32-bit integers and floats. */
static void decode(aic_emit *e, const aic_epilogue *p, LLVMValueRef low, LLVMValueRef high,
                   LLVMValueRef value[AIC_PARAMETERS])
{
    const fields f = read_fields(e, p, low, high);
    value[AIC_PARAMETER_SCALE] = f.scale;
    if (p->reads
            .shift) { /* times 2^-shift; scales so small that this is inexact have products that round to 0 anyway */
        LLVMTypeRef words = LLVMTypeOf(low);
        LLVMValueRef bits = LLVMBuildSub(e->builder, aic_const_int(words, 127), f.shift, "");
        bits = LLVMBuildShl(e->builder, bits, aic_const_int(words, MANTISSA_BITS), "");
        bits = LLVMBuildBitCast(e->builder, bits, LLVMTypeOf(f.scale), "");
        value[AIC_PARAMETER_SCALE] = LLVMBuildFMul(e->builder, f.scale, bits, "");
        value[AIC_PARAMETER_MASK] = LLVMBuildShl(e->builder, aic_const_int(words, -1), f.shift, "");
    }
    if (gives_bytes(p)) {
        product_limits(e, p, &f, value);
    }
}

/* The path that each column needs, bits of several or'ed: more than AIC_PATH_OFFSET if it needs more than an offset. */
static LLVMValueRef path_of(aic_emit *e, const aic_epilogue *p, LLVMValueRef value[AIC_PARAMETERS])
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef scale = value[AIC_PARAMETER_SCALE];
    LLVMTypeRef words = aic_vector(e->i32, LLVMGetVectorSize(LLVMTypeOf(scale)));
    LLVMValueRef path = aic_zero(words);
    if (p->source == AIC_INT32) {
        LLVMValueRef size = LLVMBuildBitCast(b, scale, words, "");
        size = LLVMBuildAnd(b, size, aic_const_int(words, ABSOLUTE), "");
        LLVMValueRef large = LLVMBuildICmp(b, LLVMIntSGE, size, aic_const_int(words, gives_bytes(p) ? ONE : EIGHT), "");
        path = choose(e, large, words, AIC_PATH_FULL, AIC_PATH_FAST);
    }
    if (!gives_bytes(p)) {
        return path;
    }
    LLVMValueRef moved = LLVMBuildOr(b, value[AIC_PARAMETER_UP], value[AIC_PARAMETER_DOWN], "");
    moved = LLVMBuildICmp(b, LLVMIntNE, moved, aic_zero(words), "");
    path = LLVMBuildOr(b, path, choose(e, moved, words, AIC_PATH_OFFSET, AIC_PATH_FAST), "");
    LLVMValueRef other = aic_zero(words);
    if (p->reads.shift) {
        other = LLVMBuildNot(b, value[AIC_PARAMETER_MASK], "");
    }
    if (p->relu != AIC_RELU_SOURCE) {
        LLVMValueRef bottom = aic_const_int(words, aic_epilogue_bottom(p));
        other = LLVMBuildOr(b, other, LLVMBuildXor(b, value[AIC_PARAMETER_LEAST], bottom, ""), "");
    }
    other = LLVMBuildICmp(b, LLVMIntNE, other, aic_zero(words), "");
    return LLVMBuildOr(b, path, choose(e, other, words, AIC_PATH_LIMITS, AIC_PATH_FAST), "");
}

/* ---- filling the table ---- */

/* A part of a block: the columns of one vector, which are filled together. */
typedef struct part {
    unsigned lanes;
    LLVMValueRef block, column, within; /* the block; the part's first column, in the tensor and in the block */
} part;

/* Columns of a part: at most 8, as LLVM takes two to three times as long to compile wider vectors, and filling the
 * table is a small part of a call. */
static unsigned part_lanes(const aic_target *target)
{
    enum { MOST = 8 };
    const unsigned lanes = aic_lanes(target, 32);
    return lanes < MOST ? lanes : MOST;
}

static part part_at(aic_emit *e, LLVMValueRef number)
{
    part at = {.lanes = part_lanes(e->target)};
    LLVMValueRef parts = aic_int(e, LANES / at.lanes);
    at.block = LLVMBuildUDiv(e->builder, number, parts, "");
    at.column = aic_mul(e, number, at.lanes);
    at.within = aic_mul(e, LLVMBuildURem(e->builder, number, parts, ""), at.lanes);
    return at;
}

static void store_part(aic_emit *e, const aic_epilogue *p, const part *at, LLVMValueRef value[AIC_PARAMETERS])
{
    LLVMValueRef entry = entry_of(e, p, aic_emit_param(e, 0), at->block);
    LLVMValueRef bytes = aic_at(e, entry, at->within), words = aic_at(e, entry, aic_mul(e, at->within, 4));
    for (int i = 0; i < AIC_PARAMETERS; i++) {
        const aic_parameter parameter = (aic_parameter)i;
        const int64_t offset = offset_of(p, parameter);
        if (in_table(p, parameter) && is_byte(parameter)) {
            LLVMTypeRef type = aic_vector(e->i8, at->lanes);
            aic_store(e, LLVMBuildTrunc(e->builder, value[i], type, ""), bytes, offset, at->lanes);
        } else if (in_table(p, parameter)) {
            aic_store(e, value[i], words, offset, 4 * at->lanes);
        }
    }
}

/* `path` or'ed with the paths that the first `count` columns of a part need; columns behind them do not exist. */
static LLVMValueRef add_path(aic_emit *e, const aic_epilogue *p, LLVMValueRef value[AIC_PARAMETERS], unsigned lanes,
                             unsigned count, LLVMValueRef path)
{
    LLVMValueRef needed = path_of(e, p, value), exists[AIC_LANES_MAX];
    for (unsigned i = 0; i < lanes; i++) {
        exists[i] = aic_const_int(e->i32, i < count ? -1 : 0);
    }
    needed = count == lanes ? needed : LLVMBuildAnd(e->builder, needed, LLVMConstVector(exists, lanes), "");
    return LLVMBuildOr(e->builder, path, needed, "");
}

/* Stores the parameters of a part of which `count` columns exist. Returns `path` or'ed with the paths that they need;
 * NULL if it is NULL, the table having no header. */
static LLVMValueRef fill_part(aic_emit *e, const aic_epilogue *p, const part *at, unsigned count, LLVMValueRef path)
{
    const unsigned lanes = at->lanes;
    LLVMValueRef value[AIC_PARAMETERS] = {NULL}, parameters = aic_emit_param(e, 1);
    if (p->scale == AIC_SCALE_WORDS) {
        LLVMValueRef source = aic_at(e, parameters, aic_mul(e, at->column, sizeof(uint64_t)));
        LLVMValueRef words = aic_load_part(e, e->i64, lanes, count, source, 0);
        LLVMValueRef halves = LLVMBuildBitCast(e->builder, words, aic_vector(e->i32, 2 * lanes), "");
        decode(e, p, aic_lanes_of(e, halves, 0, 2, lanes), aic_lanes_of(e, halves, 1, 2, lanes), value);
    } else if (reads_words(p)) {
        LLVMValueRef low = aic_load(e, e->i32, parameters, 0, 4), high = aic_load(e, e->i32, parameters, 4, 4);
        decode(e, p, aic_splat(e, low, lanes), aic_splat(e, high, lanes), value);
    } else if (p->scale == AIC_SCALE_HALF && reads_halves(p)) {
        LLVMValueRef half = aic_splat(e, aic_load(e, e->i16, parameters, 0, 2), lanes);
        value[AIC_PARAMETER_SCALE] = aic_half_to_float(e, half);
    } else if (reads_halves(p)) {
        LLVMValueRef source = aic_at(e, parameters, aic_mul(e, at->within, sizeof(uint16_t)));
        value[AIC_PARAMETER_SCALE] = aic_half_to_float(e, aic_load(e, aic_vector(e->i16, lanes), source, 0, 2));
    }
    if (aic_epilogue_bias(p) != 0) {
        LLVMValueRef bias = aic_at(e, aic_emit_param(e, 2), aic_mul(e, at->column, 4));
        value[AIC_PARAMETER_BIAS] = aic_load_part(e, e->i32, lanes, count, bias, 0);
    }
    store_part(e, p, at, value);
    return path == NULL || count == 0 ? path : add_path(e, p, value, lanes, count, path);
}

/* Stores the header: the lanes of `path` or'ed. */
static void fill_header(aic_emit *e, LLVMValueRef path)
{
    for (unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(path)) / 2; lanes > 0; lanes /= 2) {
        path = LLVMBuildOr(e->builder, aic_lanes_of(e, path, 0, 1, lanes), aic_lanes_of(e, path, lanes, 1, lanes), "");
    }
    aic_store(e, path, aic_emit_param(e, 0), 0, ROW_BYTES);
}

/* Fills whole parts by a loop; then, up to the end of the last block, a part of fewer columns and parts without
 * columns, whose parameters are zero. */
static LLVMValueRef fill_parts(aic_emit *e, const aic_epilogue *p, LLVMValueRef path)
{
    const int64_t lanes = part_lanes(e->target), columns = same_in_blocks(p) ? LANES : p->columns;
    const int64_t whole = columns / lanes, all = aic_parts(columns, LANES) * (LANES / lanes);
    if (whole > 0) {
        aic_loop loop;
        aic_loop_begin(e, &loop, "part: vectors of columns", aic_int(e, 0), aic_int(e, whole), 1, &path, path != NULL);
        const part at = part_at(e, loop.index);
        path = fill_part(e, p, &at, (unsigned)lanes, path);
        aic_loop_end(e, &loop);
    }
    for (int64_t number = whole; number < all; number++) {
        const part at = part_at(e, aic_int(e, number));
        path = fill_part(e, p, &at, number == whole ? (unsigned)(columns % lanes) : 0, path);
    }
    return path;
}

LLVMValueRef aic_emit_epilogue_table(aic_emit *e, const aic_epilogue *p, aic_emit_kind kind, const char *name)
{
    static const char *const PARAMS[] = {"table", "parameters", "bias"};
    if (aic_epilogue_table_bytes(p) == 0) {
        return NULL;
    }
    aic_emit_function(e, name, kind, PARAMS, 3, 0);
    aic_note_function(e, "fills the table of what columns need: scale, bias, shifts, and which path they take");
    LLVMValueRef function = e->function;
    LLVMValueRef path = has_path(p) ? aic_zero(aic_vector(e->i32, part_lanes(e->target))) : NULL;
    path = fill_parts(e, p, path);
    if (path != NULL) {
        fill_header(e, path);
    }
    aic_emit_function_end(e);
    return function;
}

/* Operand number `number` of a body, NULL for 0. */
static LLVMValueRef operand(const aic_emit *e, const aic_body *body, unsigned number)
{
    return number == 0 ? LLVMConstNull(e->ptr) : body->operand[number];
}

LLVMValueRef aic_emit_epilogue_phase(aic_emit *e, const aic_plan *plan, const aic_epilogue *p, LLVMValueRef table,
                                     const char *name)
{
    aic_body body;
    aic_body_begin(e, plan, AIC_EMIT_FRAME, name, &body);
    aic_note_function(e, "phase: the parameters of the columns");
    LLVMValueRef args[] = {body.shared, operand(e, &body, p->scale_operand), operand(e, &body, aic_epilogue_bias(p))};
    aic_emit_call(e, table, args, 3);
    aic_emit_function_end(e);
    return body.function;
}

/* ---- reading the table ---- */

LLVMValueRef aic_epilogue_takes_path(aic_emit *e, LLVMValueRef table, aic_path path)
{
    LLVMValueRef needed = aic_load(e, e->i32, table, 0, ROW_BYTES), fast = aic_const_int(e->i32, AIC_PATH_FAST);
    return LLVMBuildICmp(e->builder, path == AIC_PATH_FAST ? LLVMIntEQ : LLVMIntNE, needed, fast, "");
}

LLVMValueRef aic_epilogue_is_limited(aic_emit *e, const aic_epilogue *p, LLVMValueRef table, aic_path path)
{
    if (path != AIC_PATH_FULL || !gives_bytes(p) || !has_path(p)) {
        return NULL;
    }
    LLVMValueRef needed = aic_load(e, e->i32, table, 0, ROW_BYTES), offset = aic_const_int(e->i32, AIC_PATH_OFFSET);
    return LLVMBuildICmp(e->builder, LLVMIntSGT, needed, offset, "");
}

/* One parameter of vector `i` of a packet, from the table. */
static LLVMValueRef load_parameter(aic_emit *e, const aic_epilogue *p, const aic_packet *packet, LLVMValueRef *entries,
                                   aic_parameter parameter, unsigned i)
{
    const bool real = parameter == AIC_PARAMETER_SCALE ||
                      (parameter == AIC_PARAMETER_BIAS && aic_epilogue_bias_type(p) == AIC_FLOAT32);
    const unsigned across = packet->blocks > 1 ? LANES * packet->blocks : LANES, lane = i * packet->lanes % across;
    LLVMTypeRef type = aic_vector(real ? e->f32 : e->i32, packet->lanes);
    return aic_load(e, type, entries[lane / LANES], offset_of(p, parameter) + (int64_t)(lane % LANES) * 4,
                    packet->lanes * 4);
}

/* The parameters of vector `i` of a packet: constants, and those of `first` .. `end` - 1 that are in the table. */
static void read_vector(aic_emit *e, const aic_epilogue *p, const aic_packet *packet, LLVMValueRef *entries, unsigned i,
                        aic_parameter first, aic_parameter end, LLVMValueRef value[AIC_PARAMETERS])
{
    if (is_constant(p) && p->scale == AIC_SCALE_WORD) {
        LLVMTypeRef type = aic_vector(e->i32, packet->lanes);
        decode(e, p, aic_const_int(type, (int32_t)p->word), aic_const_int(type, (int32_t)(p->word >> 32)), value);
    } else if (is_constant(p)) {
        double scale = aic_half_to_double((uint16_t)p->word);
        value[AIC_PARAMETER_SCALE] = aic_const_float(aic_vector(e->f32, packet->lanes), scale);
    }
    for (int k = (int)first; k < (int)end; k++) {
        if (in_table(p, (aic_parameter)k) && !is_byte((aic_parameter)k)) {
            value[k] = load_parameter(e, p, packet, entries, (aic_parameter)k, i);
        }
    }
}

enum { MOST_HALF = 65504 };

/* The limits bias_low and bias_high of a sum such that adding the bias gives a value in least .. most: least - bias and
 * most - bias, both clamped to int32. least .. most is the range of int32 (least < 0 <= most) or smaller, as follows.
 *
 * For float16 results that saturate, sums are limited to -t .. t, t being 65504 / |scale| rounded down. The product of
 * t and |scale| is between 65504 - |scale| and 65504 + |scale|, but for errors far below 1. As |scale| < 8 it is
 * between 65488 and 65520, where all numbers round to 65504 in float16. So t itself gives the largest result, larger
 * sums may be replaced by t, and no smaller sum gives infinity. */
static void limit_bias(aic_emit *e, const aic_epilogue *p, aic_parameters *parameters, unsigned i)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef bias = parameters->bias[i];
    LLVMTypeRef words = LLVMTypeOf(bias);
    LLVMValueRef min = aic_const_int(words, INT32_MIN), max = aic_const_int(words, INT32_MAX), least = min, most = max;
    if (parameters->path == AIC_PATH_FAST && aic_epilogue_limits_sums(p)) {
        LLVMTypeRef floats = LLVMTypeOf(parameters->scale[i]);
        LLVMValueRef size = LLVMBuildBitCast(b, parameters->scale[i], words, "");
        size = LLVMBuildBitCast(b, LLVMBuildAnd(b, size, aic_const_int(words, ABSOLUTE), ""), floats, "");
        LLVMValueRef last = LLVMBuildFDiv(b, aic_const_float(floats, MOST_HALF), size, "");
        LLVMValueRef end = aic_const_float(floats, (double)INT32_MAX + 1);
        LLVMValueRef fits = LLVMBuildFCmp(b, LLVMRealOLT, last, end, "");
        last = LLVMBuildSelect(b, fits, last, aic_zero(floats), "");
        most = LLVMBuildSelect(b, fits, LLVMBuildFPToSI(b, last, words, ""), max, "");
        least = LLVMBuildNeg(b, most, "");
    }
    LLVMValueRef down = aic_vector_min(e, bias, LLVMBuildSub(b, least, min, ""));
    LLVMValueRef up = aic_vector_max(e, bias, LLVMBuildSub(b, most, max, ""));
    parameters->bias_low[i] = LLVMBuildSub(b, least, down, "");
    parameters->bias_high[i] = LLVMBuildSub(b, most, up, "");
}

/* A parameter stored as bytes, one for each result of a packet: from the table, or a constant. */
static LLVMValueRef read_bytes(aic_emit *e, const aic_epilogue *p, const aic_packet *packet, LLVMValueRef *entries,
                               LLVMValueRef constant[AIC_PARAMETERS], aic_parameter parameter)
{
    LLVMValueRef bytes[AIC_PACKET_VECTORS] = {NULL};
    const bool constant_ones = !in_table(p, parameter);
    const unsigned lanes = constant_ones ? packet->lanes : LANES, parts = packet->count * packet->lanes / lanes;
    LLVMTypeRef type = aic_vector(e->i8, lanes);
    for (unsigned i = 0; i < parts; i++) {
        if (constant_ones) {
            bytes[i] = LLVMBuildTrunc(e->builder, constant[parameter], type, "");
        } else if (i < packet->blocks) {
            bytes[i] = aic_load(e, type, entries[i], offset_of(p, parameter), LANES);
        } else { /* of the same columns in a further row */
            bytes[i] = bytes[i - packet->blocks];
        }
    }
    return aic_concat(e, bytes, parts);
}

/* Vectors of accumulators in one row of a packet, after which columns repeat. */
static unsigned period_of(const aic_packet *packet)
{
    return packet->blocks * LANES / packet->lanes;
}

void aic_epilogue_parameters(aic_emit *e, const aic_epilogue *p, const aic_packet *packet, LLVMValueRef table,
                             LLVMValueRef block, aic_parameters *parameters)
{
    LLVMValueRef value[AIC_PACKET_VECTORS][AIC_PARAMETERS] = {{NULL}};
    const unsigned period = period_of(packet);
    *parameters = (aic_parameters){.least = NULL};
    for (unsigned i = 0; i < packet->blocks; i++) {
        parameters->entry[i] = entry_of(e, p, table, aic_add(e, block, aic_int(e, i)));
    }
    for (unsigned i = 0; i < packet->count; i++) {
        if (i < period) {
            read_vector(e, p, packet, parameters->entry, i, AIC_PARAMETER_BIAS, AIC_PARAMETER_UP, value[i]);
        } else { /* of the same columns in a further row */
            memcpy(value[i], value[i - period], sizeof value[i]);
        }
        parameters->bias[i] = value[i][AIC_PARAMETER_BIAS];
        parameters->scale[i] = value[i][AIC_PARAMETER_SCALE];
        parameters->mask[i] = value[i][AIC_PARAMETER_MASK];
    }
}

/* The limits of byte results, on paths other than the fast one, where they are constant. */
static void read_limits(aic_emit *e, const aic_epilogue *p, const aic_packet *packet, aic_parameters *parameters)
{
    LLVMValueRef value[AIC_PACKET_VECTORS][AIC_PARAMETERS] = {{NULL}};
    const unsigned period = period_of(packet), pairs = period / 2 > 0 ? period / 2 : 1;
    for (unsigned i = 0; i < period; i++) {
        read_vector(e, p, packet, parameters->entry, i, AIC_PARAMETER_UP, AIC_PARAMETERS, value[i]);
    }
    for (unsigned i = 0; i < packet->count; i += 2) {
        LLVMValueRef low = value[i][AIC_PARAMETER_UP], high = value[i + 1 < period ? i + 1 : 0][AIC_PARAMETER_UP];
        parameters->up[i / 2] = i / 2 < pairs ? aic_pack(e, low, high, false) : parameters->up[i / 2 - pairs];
    }
    parameters->least = read_bytes(e, p, packet, parameters->entry, value[0], AIC_PARAMETER_LEAST);
    parameters->down = read_bytes(e, p, packet, parameters->entry, value[0], AIC_PARAMETER_DOWN);
}

static void set_fast_limits(aic_emit *e, const aic_packet *packet, aic_parameters *parameters)
{
    for (unsigned i = 0; i < AIC_PACKET_VECTORS / 2; i++) {
        parameters->up[i] = aic_zero(aic_vector(e->i16, 2 * packet->lanes));
    }
    parameters->least = parameters->down = aic_zero(aic_vector(e->i8, packet->count * packet->lanes));
}

void aic_epilogue_choose_path(aic_emit *e, const aic_epilogue *p, const aic_packet *packet, aic_path path,
                              aic_parameters *parameters)
{
    parameters->path = path;
    if (gives_bytes(p) && path == AIC_PATH_FAST) {
        set_fast_limits(e, packet, parameters);
    } else if (gives_bytes(p)) {
        read_limits(e, p, packet, parameters);
    }
    const bool bias = aic_epilogue_bias(p) != 0 && aic_epilogue_bias_type(p) == AIC_INT32;
    for (unsigned i = 0; bias && i < packet->count; i++) {
        limit_bias(e, p, parameters, i);
    }
}
