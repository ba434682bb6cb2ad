/* Shared by the parts of an epilogue and what plans must know of them, without LLVM: the parameters of columns, how
 * these lie in the table, and which paths there are. */
#pragma once

#include "codegen/parts/epilogue.h"

/* The parameters of a column.
 *
 * Results of one byte. Several steps between the rounded product q and the result clamp their value: rectification, the
 * shift, the 9 bits before the offset, the type of the result. All steps are monotone, so that every such limit is a
 * limit of q. For each column they are combined to two integers low <= high: q is clamped between them, then the offset
 * is added. As a result has 256 values, high - low <= 255, and saturated packing does most of the clamping:
 *
 *     q + UP                saturated to 16 bits; UP = TOP - high, TOP being the largest number of the result's type
 *     packed                saturated to that type: q is now between high - 255 and high
 *     max with LEAST        LEAST = low + UP: q is now not below low
 *     + DOWN, modulo 256    DOWN = offset - UP
 *
 * q itself has been saturated to 16 bits by packing. That changes nothing, as UP is within -128..511. If there is no
 * offset and the quantisation word states the type that the result has, UP and DOWN are 0. */
typedef enum aic_parameter {
    AIC_PARAMETER_BIAS,
    AIC_PARAMETER_SCALE, /* float; includes the factor of the shift, 2^-shift */
    AIC_PARAMETER_MASK,  /* and-mask that clears the bits of the source that are shifted out */
    AIC_PARAMETER_UP,
    AIC_PARAMETER_LEAST,
    AIC_PARAMETER_DOWN,
    AIC_PARAMETERS
} aic_parameter;

/* Variants of the loops over rows, for what the columns need. Each path also handles columns of the paths before it,
 * and is slower. */
typedef enum aic_path {
    AIC_PATH_FAST,   /* bytes: UP and DOWN are 0; LEAST is 0 if negative sources become 0, otherwise it has no effect */
    AIC_PATH_OFFSET, /* bytes: UP or DOWN is not 0. A mark in the table only: loops take one of the next two paths */
    AIC_PATH_LIMITS, /* bytes: bits are shifted out, or the smallest result is above the smallest of its type */
    AIC_PATH_FULL,   /* products of int32 may be 2^31 or more; products for float16 may overflow or be NaN */
    AIC_PATHS
} aic_path;

static inline bool aic_gives_bytes(const aic_scaling *p)
{
    return p->target == AIC_INT8; /* which stands for uint8, too */
}

/* One word or half for all columns; and one that code knows. */
static inline bool aic_is_one(const aic_scaling *p)
{
    return p->scale == AIC_SCALE_WORD || p->scale == AIC_SCALE_HALF;
}

static inline bool aic_is_known(const aic_scaling *p)
{
    return aic_is_one(p) && p->known;
}

/* Words in memory: one for all columns, or one for each. Halves in memory: one for all columns, or 16. */
static inline bool aic_reads_words(const aic_scaling *p)
{
    return p->scale == AIC_SCALE_WORDS || (p->scale == AIC_SCALE_WORD && !p->known);
}

static inline bool aic_reads_halves(const aic_scaling *p)
{
    return p->scale == AIC_SCALE_HALVES || (p->scale == AIC_SCALE_HALF && !p->known);
}

/* Bits of floats. A product of an int32 by a scale below 1 does not overflow int32; limit_bias() in parameters.c
 * explains the 8. */
enum { AIC_FLOAT_ONE = 0x3F800000, AIC_FLOAT_EIGHT = 0x41000000, AIC_FLOAT_SIZE = 0x7FFFFFFF, AIC_FLOAT_MANTISSA = 23 };

/* ---- the table of column parameters ----
 *
 *     [header] [block of 16 columns][parameter][16]      words of 32 bits; bytes at the end of a block
 *
 * The header is a cache line whose first word says which path the columns need. Parameters that are the same in every
 * block have one entry for all; parameters that are the same in every column are constants of the code instead. */

/* Whether AIC_PATH_FAST saturates float16 results by limits on the sum with the bias, before it is scaled. */
bool aic_limits_sums(const aic_scaling *p);

/* Whether the table has a header, because code for two paths exists; a parameter, and as bytes in the lane order of
 * the results, as the loops over rows use it: if they narrowed words instead, compiling them would take twice as long.
 */
bool aic_table_has_path(const aic_scaling *p);
bool aic_table_has(const aic_scaling *p, aic_parameter parameter);
static inline bool aic_parameter_is_byte(aic_parameter parameter)
{
    return parameter == AIC_PARAMETER_LEAST || parameter == AIC_PARAMETER_DOWN;
}

/* Bytes of a header; of a block of columns; of its parameters before this one. */
int64_t aic_table_header_bytes(const aic_scaling *p);
int64_t aic_table_block_bytes(const aic_scaling *p);
int64_t aic_table_offset(const aic_scaling *p, aic_parameter parameter);

/* ---- quantisation words ---- */

/* Bits of a word's lower half, of its upper half, and how far its offset is shifted to and fro. */
enum { AIC_WORD_SCALE = ~0x1FFF };
enum { AIC_WORD_SHIFT = 0xF, AIC_WORD_MCB = 1 << 4, AIC_WORD_SIGNED = 1 << 14 };
enum { AIC_WORD_OFFSET_LEFT = 18, AIC_WORD_OFFSET_RIGHT = 23 };

/* Which bits of a word are its scale. */
uint32_t aic_scale_mask(const aic_scaling *p);
