/* Shared by the files of the epilogue: packets of accumulators and the parameters of their columns.
 *
 * A packet is the unit of the arithmetic: some rows of some adjacent blocks of 16 columns, as many as fill one vector
 * register with results. The accumulators of a packet are `count` vectors of `lanes` lanes, at most 16, row by row. */
#ifndef AIC_EPILOGUE_VALUE_H
#define AIC_EPILOGUE_VALUE_H

#include "codegen/epilogue/epilogue.h"

enum { AIC_EPILOGUE_LANES = 16 }; /* columns of a block */

#define AIC_PACKET_VECTORS 4
_Static_assert(AIC_PACKET_VECTORS <= AIC_EPILOGUE_PACKET_ROWS, "a vector is a row of a block at most");

typedef struct aic_packet {
    unsigned rows, blocks;
    unsigned count, lanes; /* count * lanes = rows * blocks * 16 */
} aic_packet;

/* The packet for a loop over rows of `blocks` blocks, a power of two. It has all of these blocks or some of them. */
aic_packet aic_epilogue_packet(const aic_epilogue *p, const aic_target *target, int64_t blocks);

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

/* The parameters of the columns of one packet. NULL: not needed. */
typedef struct aic_parameters {
    aic_path path;
    LLVMValueRef limited; /* i1, of AIC_PATH_FULL: whether the columns need more than an offset; NULL: always */
    LLVMValueRef bias[AIC_PACKET_VECTORS], scale[AIC_PACKET_VECTORS], mask[AIC_PACKET_VECTORS]; /* by accumulators */
    LLVMValueRef bias_low[AIC_PACKET_VECTORS], bias_high[AIC_PACKET_VECTORS]; /* limits of integers before the bias */
    LLVMValueRef input[AIC_EPILOGUE_STEPS][AIC_PACKET_VECTORS]; /* operands of arithmetic, the same in every row */
    LLVMValueRef up[AIC_PACKET_VECTORS / 2];                    /* in the lane order of packed accumulators */
    LLVMValueRef least, down;                                   /* in the lane order of results */
    LLVMValueRef entry[AIC_PACKET_VECTORS]; /* addresses of the entries of its blocks in the table */
} aic_parameters;

/* The accumulators of a packet, words of 32 bits, and the operands that steps read for them, NULL for other steps. */
typedef struct aic_accumulators {
    LLVMValueRef sum[AIC_PACKET_VECTORS], input[AIC_EPILOGUE_STEPS][AIC_PACKET_VECTORS];
} aic_accumulators;

/* Computes the results of a packet: rows * blocks * 16 integers of the target's size, row by row. If `count` is less
 * than the packet's, only so many vectors of accumulators are given, and they and their results repeat. */
LLVMValueRef aic_epilogue_results(aic_emit *e, const aic_epilogue *p, const aic_packet *packet,
                                  const aic_parameters *parameters, const aic_accumulators *from, unsigned count);

/* ---- the table of column parameters, table.c ---- */

/* Whether AIC_PATH_FAST saturates float16 results by limits on the sum with the bias, before it is scaled. */
bool aic_epilogue_limits_sums(const aic_epilogue *p);

/* The set of paths that columns may need, bits 1 << aic_path: one path, or AIC_PATH_FAST and another one, of which the
 * table states at run time which is needed. */
unsigned aic_epilogue_paths(const aic_epilogue *p);
LLVMValueRef aic_epilogue_takes_path(aic_emit *e, LLVMValueRef table, aic_path path); /* an i1 */

/* The value of `limited` (aic_parameters) for this path, from the table. Columns of int32 that only have an offset take
 * AIC_PATH_FULL, too, as a third loop would cost compile time; `limited` lets a branch in the loop skip the rest. */
LLVMValueRef aic_epilogue_is_limited(aic_emit *e, const aic_epilogue *p, LLVMValueRef table, aic_path path);

/* The least number that a result of 8 bits can be, and the largest one. */
int64_t aic_epilogue_bottom(const aic_epilogue *p);
int64_t aic_epilogue_top(const aic_epilogue *p);

/* Loads the parameters of the packet whose first block of columns is number `block`, as far as all paths need them;
 * then adds what one path needs. */
void aic_epilogue_parameters(aic_emit *e, const aic_epilogue *p, const aic_packet *packet, LLVMValueRef table,
                             LLVMValueRef block, aic_parameters *parameters);
void aic_epilogue_choose_path(aic_emit *e, const aic_epilogue *p, const aic_packet *packet, aic_path path,
                              aic_parameters *parameters);

#endif
