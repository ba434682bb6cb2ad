/* Reading the parameters of columns from the table, for the loops over rows. */
#include "codegen/llvm/vec.h"
#include "codegen/parts/packet.h"
#include "frontend/numeric/element.h"

#include <string.h>

enum { LANES = AIC_EPILOGUE_LANES, ROW_BYTES = LANES * 4 };

LLVMValueRef aic_takes_path(aic_emit *e, LLVMValueRef table, aic_path path)
{
    LLVMValueRef needed = aic_load(e, e->i32, table, 0, ROW_BYTES), fast = aic_const_int(e->i32, AIC_PATH_FAST);
    return LLVMBuildICmp(e->builder, path == AIC_PATH_FAST ? LLVMIntEQ : LLVMIntNE, needed, fast, "");
}

LLVMValueRef aic_is_limited(aic_emit *e, const aic_scaling *p, LLVMValueRef table, aic_path path)
{
    if (path != AIC_PATH_FULL || !aic_gives_bytes(p)) {
        return NULL;
    }
    LLVMValueRef needed = aic_load(e, e->i32, table, 0, ROW_BYTES), offset = aic_const_int(e->i32, AIC_PATH_OFFSET);
    return LLVMBuildICmp(e->builder, LLVMIntSGT, needed, offset, "");
}

/* One parameter of vector `i` of a packet, from the table. */
static LLVMValueRef load_parameter(aic_emit *e, const aic_scaling *p, const aic_packet *packet, LLVMValueRef *entries,
                                   aic_parameter parameter, unsigned i)
{
    const bool real = parameter == AIC_PARAMETER_SCALE || (parameter == AIC_PARAMETER_BIAS && p->bias == AIC_FLOAT32);
    const unsigned across = packet->blocks > 1 ? LANES * packet->blocks : LANES, lane = i * packet->lanes % across;
    LLVMTypeRef type = aic_vector(real ? e->f32 : e->i32, packet->lanes);
    return aic_load(e, type, entries[lane / LANES], aic_table_offset(p, parameter) + (int64_t)(lane % LANES) * 4,
                    packet->lanes * 4);
}

/* The parameters of vector `i` of a packet: constants, and those of `first` .. `end` - 1 that are in the table. */
static void read_vector(aic_emit *e, const aic_scaling *p, const aic_packet *packet, LLVMValueRef *entries, unsigned i,
                        aic_parameter first, aic_parameter end, LLVMValueRef value[AIC_PARAMETERS])
{
    if (aic_is_known(p) && p->scale == AIC_SCALE_WORD) {
        LLVMTypeRef type = aic_vector(e->i32, packet->lanes);
        aic_decode_words(e, p, aic_const_int(type, (int32_t)p->word), aic_const_int(type, (int32_t)(p->word >> 32)),
                         value);
    } else if (aic_is_known(p)) {
        double scale = aic_half_to_double((uint16_t)p->word);
        value[AIC_PARAMETER_SCALE] = aic_const_float(aic_vector(e->f32, packet->lanes), scale);
    }
    for (int k = AIC_PARAMETER_UP; aic_is_one(p) && !p->known && k < AIC_PARAMETERS; k++) { /* of no effect */
        value[k] = aic_const_int(aic_vector(e->i32, packet->lanes), k == AIC_PARAMETER_LEAST ? INT8_MIN : 0);
    }
    for (int k = (int)first; k < (int)end; k++) {
        if (aic_table_has(p, (aic_parameter)k) && !aic_parameter_is_byte((aic_parameter)k)) {
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
static void limit_bias(aic_emit *e, const aic_scaling *p, aic_parameters *parameters, unsigned i)
{
    LLVMBuilderRef b = e->builder;
    LLVMValueRef bias = parameters->bias[i];
    LLVMTypeRef words = LLVMTypeOf(bias);
    LLVMValueRef min = aic_const_int(words, INT32_MIN), max = aic_const_int(words, INT32_MAX), least = min, most = max;
    if (parameters->path == AIC_PATH_FAST && aic_limits_sums(p)) {
        LLVMTypeRef floats = LLVMTypeOf(parameters->scale[i]);
        LLVMValueRef size = LLVMBuildBitCast(b, parameters->scale[i], words, "");
        size = LLVMBuildBitCast(b, LLVMBuildAnd(b, size, aic_const_int(words, AIC_FLOAT_SIZE), ""), floats, "");
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
static LLVMValueRef read_bytes(aic_emit *e, const aic_scaling *p, const aic_packet *packet, LLVMValueRef *entries,
                               LLVMValueRef constant[AIC_PARAMETERS], aic_parameter parameter)
{
    LLVMValueRef bytes[AIC_PACKET_VECTORS] = {NULL};
    const bool constant_ones = !aic_table_has(p, parameter);
    const unsigned lanes = constant_ones ? packet->lanes : LANES, parts = packet->count * packet->lanes / lanes;
    LLVMTypeRef type = aic_vector(e->i8, lanes);
    for (unsigned i = 0; i < parts; i++) {
        if (constant_ones) {
            bytes[i] = LLVMBuildTrunc(e->builder, constant[parameter], type, "");
        } else if (i < packet->blocks) {
            bytes[i] = aic_load(e, type, entries[i], aic_table_offset(p, parameter), LANES);
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

void aic_read_parameters(aic_emit *e, const aic_scaling *p, const aic_packet *packet, LLVMValueRef table,
                         LLVMValueRef block, aic_parameters *parameters)
{
    LLVMValueRef value[AIC_PACKET_VECTORS][AIC_PARAMETERS] = {{NULL}};
    const unsigned period = period_of(packet);
    *parameters = (aic_parameters){.least = NULL};
    for (unsigned i = 0; i < packet->blocks; i++) {
        parameters->entry[i] = aic_table_entry(e, p, table, aic_add(e, block, aic_int(e, i)));
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
static void read_limits(aic_emit *e, const aic_scaling *p, const aic_packet *packet, aic_parameters *parameters)
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

void aic_choose_path(aic_emit *e, const aic_scaling *p, const aic_packet *packet, aic_path path,
                     aic_parameters *parameters)
{
    parameters->path = path;
    if (aic_gives_bytes(p) && path == AIC_PATH_FAST) {
        set_fast_limits(e, packet, parameters);
    } else if (aic_gives_bytes(p)) {
        read_limits(e, p, packet, parameters);
    }
    const bool bias = p->bias == AIC_INT32;
    for (unsigned i = 0; bias && i < packet->count; i++) {
        limit_bias(e, p, parameters, i);
    }
}
