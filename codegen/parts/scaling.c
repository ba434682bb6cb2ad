/* What plans must know of epilogues: packets, the paths that columns may need, and how the table of their parameters is
 * laid out. */
#include "codegen/parts/scaling.h"
#include "codegen/integer.h"
#include "frontend/numeric/element.h"

#include <math.h>

enum { LANES = AIC_EPILOGUE_LANES, WORD_BITS = 32, ROW_BYTES = LANES * 4, HEADER_BYTES = ROW_BYTES };

uint32_t aic_scale_mask(const aic_scaling *p)
{
    return p->full_scale ? UINT32_MAX : (uint32_t)AIC_WORD_SCALE;
}

aic_packet aic_packet_of(const aic_scaling *p, int64_t width, const aic_target *target, int64_t blocks)
{
    const unsigned lanes = (unsigned)target->vector_bits / WORD_BITS, block = AIC_EPILOGUE_LANES;
    unsigned size = block;
    if (aic_gives_bytes(p)) {
        size = AIC_PACKET_VECTORS * lanes;
    } else if (p->target == AIC_BFLOAT16 && lanes == block) {
        size = 2 * block; /* narrowed two registers at a time */
    } else if (width != 0 && width < block && p->target == p->source) {
        size = 2 * block; /* two rows of each target block */
    }
    aic_packet packet = {.blocks = blocks * block < size ? (unsigned)blocks : size / block};
    packet.rows = size / (block * packet.blocks);
    packet.lanes = aic_gives_bytes(p) ? lanes : block;
    packet.count = size / packet.lanes;
    return packet;
}

/* ---- paths ---- */

bool aic_limits_sums(const aic_scaling *p)
{
    return p->bias_last && p->source == AIC_INT32 && p->target == AIC_FLOAT16 && p->saturate &&
           (p->scale == AIC_SCALE_HALF || p->scale == AIC_SCALE_HALVES);
}

/* The path for the one word or half of all columns. */
static aic_path path_of_constant(const aic_scaling *p)
{
    if (p->scale == AIC_SCALE_HALF) {
        return fabs(aic_half_to_double((uint16_t)p->word)) < 8 ? AIC_PATH_FAST : AIC_PATH_FULL;
    }
    const int64_t high = (int64_t)(p->word >> 32), size = (int64_t)(p->word & aic_scale_mask(p) & AIC_FLOAT_SIZE);
    const bool shifts = p->shift && (high & AIC_WORD_MCB) != 0;
    const int64_t shift = shifts ? (high & AIC_WORD_SHIFT) + 1 : 0;
    if (p->source == AIC_INT32 && size - (shift << AIC_FLOAT_MANTISSA) >= AIC_FLOAT_ONE) {
        return AIC_PATH_FULL;
    }
    return AIC_PATH_LIMITS; /* parameters are constants here, so that LLVM removes what has no effect */
}

unsigned aic_scaling_paths(const aic_scaling *p)
{
    if (!aic_gives_bytes(p) && !aic_limits_sums(p)) {
        return 1U << AIC_PATH_FAST;
    }
    if (aic_is_known(p)) {
        return 1U << path_of_constant(p);
    }
    if (aic_is_one(p)) {
        const bool large = (p->need & AIC_NEED_LARGE) != 0;
        return 1U << (large ? AIC_PATH_FULL : p->need != AIC_NEED_LITTLE ? AIC_PATH_LIMITS : AIC_PATH_FAST);
    }
    /* Of integers the full path does for offsets and limits, too: see aic_is_limited(). */
    return 1U << AIC_PATH_FAST | 1U << (p->source == AIC_INT32 ? AIC_PATH_FULL : AIC_PATH_LIMITS);
}

bool aic_table_has_path(const aic_scaling *p)
{
    const unsigned paths = aic_scaling_paths(p);
    return (paths & (paths - 1)) != 0;
}

/* ---- layout ---- */

bool aic_table_has(const aic_scaling *p, aic_parameter parameter)
{
    static const aic_scale_need NEEDS[AIC_PARAMETERS] = {[AIC_PARAMETER_MASK] = AIC_NEED_MASK,
                                                         [AIC_PARAMETER_UP] = AIC_NEED_UP,
                                                         [AIC_PARAMETER_LEAST] = AIC_NEED_LEAST,
                                                         [AIC_PARAMETER_DOWN] = AIC_NEED_DOWN};
    const bool words = aic_reads_words(p);
    const bool needed = words && (p->scale == AIC_SCALE_WORDS || ((unsigned)p->need & NEEDS[parameter]) != 0);
    switch (parameter) {
    case AIC_PARAMETER_BIAS:
        return p->bias != AIC_DTYPE_NONE;
    case AIC_PARAMETER_SCALE:
        return words || aic_reads_halves(p);
    case AIC_PARAMETER_MASK:
        return needed && p->shift;
    case AIC_PARAMETER_UP:
    case AIC_PARAMETER_LEAST:
    case AIC_PARAMETER_DOWN:
        return needed && aic_gives_bytes(p);
    case AIC_PARAMETERS:
        break;
    }
    return false;
}

int64_t aic_table_offset(const aic_scaling *p, aic_parameter parameter)
{
    int64_t bytes = 0;
    for (int i = 0; i < (int)parameter; i++) {
        const aic_parameter before = (aic_parameter)i;
        bytes += !aic_table_has(p, before) ? 0 : aic_parameter_is_byte(before) ? LANES : ROW_BYTES;
    }
    return bytes;
}

int64_t aic_table_block_bytes(const aic_scaling *p)
{
    return aic_round_up(aic_table_offset(p, AIC_PARAMETERS), ROW_BYTES);
}

int64_t aic_table_header_bytes(const aic_scaling *p)
{
    return aic_table_has_path(p) ? HEADER_BYTES : 0;
}

/* Without biases the columns of all blocks have the same 16 halves, or the same word or half. */
bool aic_table_is_one_block(const aic_scaling *p)
{
    return p->scale != AIC_SCALE_WORDS && p->bias == AIC_DTYPE_NONE;
}

int64_t aic_table_bytes(const aic_scaling *p, int64_t columns)
{
    int64_t blocks = aic_table_is_one_block(p) ? 1 : aic_parts(columns, LANES);
    return aic_table_header_bytes(p) + blocks * aic_table_block_bytes(p);
}

unsigned aic_table_lanes(const aic_target *target)
{
    return (unsigned)target->vector_bits / WORD_BITS;
}
