/* Between the parts of the epilogue: packets of accumulators and the parameters of their columns.
 *
 * A packet is what the arithmetic takes at a time: some rows of some neighbouring blocks of 16 columns, as many as fill
 * a register of the target with results. It comes in as `count` vectors of `lanes` accumulators, at most 16, row by
 * row. */
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

/* The packet of a loop over rows of `blocks` blocks, a power of two: of all of them or of a part. */
aic_packet aic_epilogue_packet(const aic_epilogue *p, const aic_target *target, int64_t blocks);

/* What the arithmetic needs to know of a column.
 *
 * Bytes: every limit on the way to a result - rectification, the shift's, the 9 bits before the offset, those of the
 * result - is one of the rounded product q, as each step between them is monotone. Once a column they become two
 * integers, low <= high, between which q is clamped before the offset is added. The result has 256 values, so high -
 * low is 255 at most, and packing to bytes does most of it:
 *
 *     q + UP                clamped to 16 bits; UP = TOP - high, TOP the largest number of the result's type
 *     packed                clamped to that type: q is between high - 255 and high
 *     max with LEAST        LEAST = low + UP: q is not below low
 *     + DOWN, modulo 256    DOWN = offset - UP
 *
 * q was clamped to 16 bits itself, by packing: far outside of all that, as UP is within -128..511. Without an offset
 * and with words that say the result's own type both UP and DOWN are 0. */
typedef enum aic_parameter {
    AIC_PARAMETER_BIAS,
    AIC_PARAMETER_SCALE, /* float; with what is shifted out: the shift is part of it */
    AIC_PARAMETER_MASK,  /* of the source: without the bits that are shifted out */
    AIC_PARAMETER_UP,
    AIC_PARAMETER_LEAST,
    AIC_PARAMETER_DOWN,
    AIC_PARAMETERS
} aic_parameter;

/* What columns need besides, the more the slower: each path does what those before it do, too. */
typedef enum aic_path {
    AIC_PATH_FAST,   /* bytes: UP and DOWN are 0, LEAST is 0 where negative sources become 0, else it limits nothing */
    AIC_PATH_OFFSET, /* bytes: UP and DOWN are not; only the table says so, columns are of one of the next two */
    AIC_PATH_LIMITS, /* bytes: bits are shifted out, or the least result is above that of its type */
    AIC_PATH_FULL,   /* and: products of integers may be 2^31 or more, those of float16 too large, infinite or NaN */
    AIC_PATHS
} aic_path;

/* Of a packet. NULL: not needed. */
typedef struct aic_parameters {
    aic_path path;
    LLVMValueRef
        limited; /* an i1: of columns with AIC_PATH_FULL, whether they need more than an offset; NULL: they do */
    LLVMValueRef bias[AIC_PACKET_VECTORS], scale[AIC_PACKET_VECTORS],
        mask[AIC_PACKET_VECTORS];                                             /* as the accumulators */
    LLVMValueRef bias_low[AIC_PACKET_VECTORS], bias_high[AIC_PACKET_VECTORS]; /* integers to which the bias is added */
    LLVMValueRef input[AIC_EPILOGUE_STEPS][AIC_PACKET_VECTORS];               /* of arithmetic, the same in every row */
    LLVMValueRef up[AIC_PACKET_VECTORS / 2];                                  /* in the order of packed accumulators */
    LLVMValueRef least, down;                                                 /* in the order of the result */
    LLVMValueRef entry[AIC_PACKET_VECTORS];                                   /* of its blocks in the table */
} aic_parameters;

/* The accumulators of a packet, integers of 32 bits, and what the steps read with them, NULL where they read nothing.
 */
typedef struct aic_accumulators {
    LLVMValueRef sum[AIC_PACKET_VECTORS], input[AIC_EPILOGUE_STEPS][AIC_PACKET_VECTORS];
} aic_accumulators;

/* From accumulators to results: rows * blocks * 16 integers of the target's size, row by row. Where `count` is less
 * than the packet's, vectors and their results repeat after that many. */
LLVMValueRef aic_epilogue_results(aic_emit *e, const aic_epilogue *p, const aic_packet *packet,
                                  const aic_parameters *parameters, const aic_accumulators *from, unsigned count);

/* ---- the table of columns, epilogue_table.c ---- */

/* Whether the limits of the sum with the bias keep products from becoming too large for float16, with AIC_PATH_FAST. */
bool aic_epilogue_limits_sums(const aic_epilogue *p);

/* The path that columns may need, bits 1 << aic_path: of two, the first of which is AIC_PATH_FAST, the table, once it
 * is filled, has the one. */
unsigned aic_epilogue_paths(const aic_epilogue *p);
LLVMValueRef aic_epilogue_takes_path(aic_emit *e, LLVMValueRef table, aic_path path); /* an i1 */

/* `limited` of columns on this path, from the table. Integers with an offset take the full path, too, as another loop
 * takes LLVM long; a branch in the loop spares them what they do not need. */
LLVMValueRef aic_epilogue_is_limited(aic_emit *e, const aic_epilogue *p, LLVMValueRef table, aic_path path);

/* The least number that a result of 8 bits can be, and the largest one. */
int64_t aic_epilogue_bottom(const aic_epilogue *p);
int64_t aic_epilogue_top(const aic_epilogue *p);

/* Parameters of the packet whose first block of columns is number `block`, for any path; then those for the one. */
void aic_epilogue_parameters(aic_emit *e, const aic_epilogue *p, const aic_packet *packet, LLVMValueRef table,
                             LLVMValueRef block, aic_parameters *parameters);
void aic_epilogue_choose_path(aic_emit *e, const aic_epilogue *p, const aic_packet *packet, aic_path path,
                              aic_parameters *parameters);

#endif
