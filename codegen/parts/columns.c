/* The part that fills the table of column parameters: quantisation words, halves and biases (AscendC Fixpipe) are
 * decoded once to a table, which the loops over rows read. */
#include "codegen/llvm/notes.h"
#include "codegen/llvm/vec.h"
#include "codegen/parts.h"
#include "codegen/parts/packet.h"

enum { LANES = AIC_EPILOGUE_LANES, ROW_BYTES = LANES * 4, WORD_BYTES = sizeof(uint64_t), BIAS_BYTES = 4 };

/* The path that each column needs, bits of several or'ed: more than AIC_PATH_OFFSET if it needs more than an offset. */
static LLVMValueRef path_of(aic_emit *e, const aic_scaling *p, LLVMValueRef value[AIC_PARAMETERS])
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef scale = value[AIC_PARAMETER_SCALE];
    LLVMTypeRef words = aic_vector(e->i32, LLVMGetVectorSize(LLVMTypeOf(scale)));
    LLVMValueRef path = aic_zero(words);
    if (p->source == AIC_INT32) {
        LLVMValueRef size = LLVMBuildBitCast(b, scale, words, "");
        size = LLVMBuildAnd(b, size, aic_const_int(words, AIC_FLOAT_SIZE), "");
        LLVMValueRef large = LLVMBuildICmp(
            b, LLVMIntSGE, size, aic_const_int(words, aic_gives_bytes(p) ? AIC_FLOAT_ONE : AIC_FLOAT_EIGHT), "");
        path = aic_choose(e, large, words, AIC_PATH_FULL, AIC_PATH_FAST);
    }
    if (!aic_gives_bytes(p)) {
        return path;
    }
    LLVMValueRef moved = LLVMBuildOr(b, value[AIC_PARAMETER_UP], value[AIC_PARAMETER_DOWN], "");
    moved = LLVMBuildICmp(b, LLVMIntNE, moved, aic_zero(words), "");
    path = LLVMBuildOr(b, path, aic_choose(e, moved, words, AIC_PATH_OFFSET, AIC_PATH_FAST), "");
    LLVMValueRef other = aic_zero(words);
    if (p->shift) {
        other = LLVMBuildNot(b, value[AIC_PARAMETER_MASK], "");
    }
    if (p->relu != AIC_RELU_SOURCE) {
        LLVMValueRef bottom = aic_const_int(words, INT8_MIN);
        other = LLVMBuildOr(b, other, LLVMBuildXor(b, value[AIC_PARAMETER_LEAST], bottom, ""), "");
    }
    other = LLVMBuildICmp(b, LLVMIntNE, other, aic_zero(words), "");
    return LLVMBuildOr(b, path, aic_choose(e, other, words, AIC_PATH_LIMITS, AIC_PATH_FAST), "");
}

/* ---- filling the table ---- */

/* A part of a block: the columns of one vector, which are filled together. */
typedef struct part {
    unsigned lanes;
    LLVMValueRef within;      /* its first column in the block */
    LLVMValueRef entry;       /* address of the block's entry in the table */
    LLVMValueRef words, bias; /* addresses of the part's word, if there is one for each column, and of its bias */
    unsigned count;           /* columns that exist, the first ones */
    LLVMValueRef mask;        /* they are these; NULL: `count` says it */
} part;

/* Part number `number`. */
static part part_at(aic_emit *e, const aic_scaling *p, LLVMValueRef number)
{
    part at = {.lanes = aic_table_lanes(e->target)};
    LLVMValueRef parts = aic_int(e, LANES / at.lanes), column = aic_mul(e, number, at.lanes);
    at.count = at.lanes;
    at.within = aic_mul(e, LLVMBuildURem(e->builder, number, parts, ""), at.lanes);
    at.entry = aic_table_entry(e, p, aic_emit_param(e, 0), LLVMBuildUDiv(e->builder, number, parts, ""));
    at.words = aic_at(e, aic_emit_param(e, 1), aic_mul(e, column, WORD_BYTES));
    at.bias = aic_at(e, aic_emit_param(e, 2), aic_mul(e, column, BIAS_BYTES));
    return at;
}

/* The part of the last block that begins with its column number `within`. */
static part part_of_last(aic_emit *e, const aic_scaling *p, int64_t within)
{
    LLVMValueRef entry = aic_at_const(e, aic_emit_param(e, 0), aic_table_header_bytes(p));
    LLVMValueRef words = aic_emit_param(e, 1), bias = aic_emit_param(e, 2);
    entry = aic_behind(e, entry, "last.entry");
    words = aic_behind(e, words, "last.words");
    bias = aic_behind(e, bias, "last.bias");
    return (part){.lanes = aic_table_lanes(e->target),
                  .within = aic_int(e, within),
                  .entry = entry,
                  .words = aic_at_const(e, words, within * WORD_BYTES),
                  .bias = aic_at_const(e, bias, within * BIAS_BYTES)};
}

static void store_part(aic_emit *e, const aic_scaling *p, const part *at, LLVMValueRef value[AIC_PARAMETERS])
{
    LLVMValueRef bytes = aic_at(e, at->entry, at->within), words = aic_at(e, at->entry, aic_mul(e, at->within, 4));
    for (int i = 0; i < AIC_PARAMETERS; i++) {
        const aic_parameter parameter = (aic_parameter)i;
        const int64_t offset = aic_table_offset(p, parameter);
        if (aic_table_has(p, parameter) && aic_parameter_is_byte(parameter)) {
            LLVMTypeRef type = aic_vector(e->i8, at->lanes);
            aic_store(e, LLVMBuildTrunc(e->builder, value[i], type, ""), bytes, offset, at->lanes);
        } else if (aic_table_has(p, parameter)) {
            aic_store(e, value[i], words, offset, 4 * at->lanes);
        }
    }
}

/* `path` or'ed with the paths that the columns of a part need; columns behind them do not exist. */
static LLVMValueRef add_path(aic_emit *e, const aic_scaling *p, const part *at, LLVMValueRef value[AIC_PARAMETERS],
                             LLVMValueRef path)
{
    const unsigned lanes = at->lanes;
    LLVMValueRef needed = path_of(e, p, value), exists[AIC_LANES_MAX];
    for (unsigned i = 0; i < lanes; i++) {
        exists[i] = aic_const_int(e->i32, i < at->count ? -1 : 0);
    }
    if (at->mask != NULL) {
        needed = LLVMBuildSelect(e->builder, at->mask, needed, aic_zero(LLVMTypeOf(needed)), "");
    } else if (at->count < lanes) {
        needed = LLVMBuildAnd(e->builder, needed, LLVMConstVector(exists, lanes), "");
    }
    return LLVMBuildOr(e->builder, path, needed, "");
}

/* Integers of the columns that exist, one a column, 0 for the others. */
static LLVMValueRef load_columns(aic_emit *e, const part *at, LLVMTypeRef element, LLVMValueRef pointer)
{
    return at->mask != NULL ? aic_load_lanes_or_zero(e, aic_vector(element, at->lanes), at->mask, pointer, 0)
                            : aic_load_part(e, element, at->lanes, at->count, pointer, 0);
}

/* Stores the parameters of a part. Returns `path` or'ed with the paths that its columns need; NULL if it is NULL, the
 * table having no header. */
static LLVMValueRef fill_part(aic_emit *e, const aic_scaling *p, const part *at, LLVMValueRef path)
{
    const unsigned lanes = at->lanes;
    LLVMValueRef value[AIC_PARAMETERS] = {NULL}, parameters = aic_emit_param(e, 1);
    if (p->scale == AIC_SCALE_WORDS) {
        LLVMValueRef words = load_columns(e, at, e->i64, at->words);
        LLVMValueRef halves = LLVMBuildBitCast(e->builder, words, aic_vector(e->i32, 2 * lanes), "");
        aic_decode_words(e, p, aic_lanes_of(e, halves, 0, 2, lanes), aic_lanes_of(e, halves, 1, 2, lanes), value);
    } else if (aic_reads_words(p)) {
        LLVMValueRef low = aic_load(e, e->i32, parameters, 0, 4), high = aic_load(e, e->i32, parameters, 4, 4);
        aic_decode_words(e, p, aic_splat(e, low, lanes), aic_splat(e, high, lanes), value);
    } else if (p->scale == AIC_SCALE_HALF && aic_reads_halves(p)) {
        LLVMValueRef half = aic_splat(e, aic_load(e, e->i16, parameters, 0, 2), lanes);
        value[AIC_PARAMETER_SCALE] = aic_half_to_float(e, half);
    } else if (aic_reads_halves(p)) {
        LLVMValueRef source = aic_at(e, parameters, aic_mul(e, at->within, sizeof(uint16_t)));
        value[AIC_PARAMETER_SCALE] = aic_half_to_float(e, aic_load(e, aic_vector(e->i16, lanes), source, 0, 2));
    }
    if (p->bias != AIC_DTYPE_NONE) {
        value[AIC_PARAMETER_BIAS] = load_columns(e, at, e->i32, at->bias);
    }
    store_part(e, p, at, value);
    return path == NULL || at->count == 0 ? path : add_path(e, p, at, value, path);
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
static LLVMValueRef fill_parts(aic_emit *e, const aic_columns_key *k, LLVMValueRef path)
{
    const int64_t lanes = aic_table_lanes(e->target), first = k->rest == LANES ? 0 : k->rest / lanes * lanes;
    if (k->whole) {
        aic_loop loop;
        LLVMValueRef whole = aic_table_is_one_block(&k->scaling) ? aic_int(e, LANES / lanes) : aic_trips(e, "whole");
        aic_loop_begin(e, &loop, "part: vectors of columns", aic_int(e, 0), whole, 1, &path, path != NULL);
        const part at = part_at(e, &k->scaling, loop.index);
        path = fill_part(e, &k->scaling, &at, path);
        aic_loop_end(e, &loop);
    }
    for (int64_t within = first; k->rest != 0 && within < LANES; within += lanes) {
        part at = part_of_last(e, &k->scaling, within);
        at.mask = k->masks ? aic_first_lanes(e, aic_number(e, "last.columns"), (unsigned)lanes) : NULL;
        at.count = k->rest == LANES ? (unsigned)lanes : within == first ? (unsigned)(k->rest % lanes) : 0;
        path = fill_part(e, &k->scaling, &at, path);
    }
    return path;
}

LLVMValueRef aic_emit_part_columns(aic_emit *e, const void *of, const char *name)
{
    static const char *const PARAMS[] = {"table", "parameters", "bias"};
    const aic_columns_key *k = of;
    const aic_scaling *p = &k->scaling;
    aic_emit_function(e, name, k->fast ? AIC_EMIT_SELDOM : AIC_EMIT_HOT, PARAMS, 3, 0);
    aic_note_function(e, "fills the table of what columns need: scale, bias, shifts, and which path they take");
    LLVMValueRef path = aic_table_has_path(p) ? aic_zero(aic_vector(e->i32, aic_table_lanes(e->target))) : NULL;
    path = fill_parts(e, k, path);
    if (path != NULL) {
        fill_header(e, path);
    }
    return aic_emit_function_end(e);
}
