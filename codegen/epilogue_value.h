/* Between the parts of the epilogue: units of accumulators and the parameters of their columns.
 *
 * A unit is what the arithmetic takes at a time: some rows of some neighbouring blocks of 16 columns, as many as fill a
 * register of the target with results. It comes in as `count` vectors of `lanes` accumulators, at most 16, row by row.
 */
#ifndef AIC_EPILOGUE_VALUE_H
#define AIC_EPILOGUE_VALUE_H

#include "codegen/epilogue.h"

enum { AIC_EPILOGUE_LANES = 16 }; /* columns of a block */

#define AIC_UNIT_VECTORS 4

typedef struct aic_unit {
    unsigned rows, blocks;
    unsigned count, lanes; /* count * lanes = rows * blocks * 16 */
} aic_unit;

/* The unit of a loop over rows of `blocks` blocks, a power of two: of all of them or of a part. */
aic_unit aic_epilogue_unit(const aic_epilogue *p, const aic_target *target, int64_t blocks);

/* What the arithmetic needs to know of a column. Bytes: every limit on the way to a result - rectification, the
 * shift's, the 9 bits before the offset, those of the result - is one of the product, as each step between them is
 * monotone. They are put together once a column, so that a result is the product between HIGH and LOW, rounded, plus
 * OFFSET. In a plain column that is more than it takes: packing clamps to the result's limits, the only ones that
 * matter. */
typedef enum aic_parameter {
    AIC_PARAMETER_BIAS,
    AIC_PARAMETER_SCALE,  /* float; with what is shifted out: the shift is part of it */
    AIC_PARAMETER_OFFSET, /* 128 more where results are signed, which makes them unsigned bytes */
    AIC_PARAMETER_FLIP,   /* makes them bytes of their own sign again, by exclusive or */
    AIC_PARAMETER_HIGH,   /* float */
    AIC_PARAMETER_LOW,
    AIC_PARAMETER_MASK, /* of the source: without the bits that are shifted out */
    AIC_PARAMETERS
} aic_parameter;

/* Of a unit. NULL: not needed; mask, high and low: of plain columns. */
typedef struct aic_parameters {
    LLVMValueRef bias[AIC_UNIT_VECTORS], scale[AIC_UNIT_VECTORS], mask[AIC_UNIT_VECTORS]; /* as the accumulators */
    LLVMValueRef bias_low[AIC_UNIT_VECTORS], bias_high[AIC_UNIT_VECTORS]; /* integers to which the bias can be added */
    LLVMValueRef high[AIC_UNIT_VECTORS];
    LLVMValueRef low[AIC_UNIT_VECTORS / 2], offset[AIC_UNIT_VECTORS / 2]; /* in the order of packed accumulators */
    LLVMValueRef flip;                                                    /* in the order of the result */
} aic_parameters;

/* From accumulators, integers of 32 bits, to results: rows * blocks * 16 integers of the target's size, row by row.
 * Where `count` is less than the unit's, vectors and their results repeat after that many. */
LLVMValueRef aic_epilogue_results(aic_emit *e, const aic_epilogue *p, const aic_unit *unit,
                                  const aic_parameters *parameters, LLVMValueRef *accumulators, unsigned count);

/* ---- the table of columns, epilogue_table.c ---- */

/* Whether all columns are plain: known now, or told by the table once it is filled. */
typedef enum aic_plainness { AIC_PLAIN_NEVER, AIC_PLAIN_ALWAYS, AIC_PLAIN_TOLD } aic_plainness;
aic_plainness aic_epilogue_plainness(const aic_epilogue *p);
LLVMValueRef aic_epilogue_told_plain(aic_emit *e, LLVMValueRef table); /* an i1 */

/* Parameters of the unit whose first block of columns is number `block`. */
void aic_epilogue_parameters(aic_emit *e, const aic_epilogue *p, const aic_unit *unit, LLVMValueRef table,
                             LLVMValueRef block, bool plain, aic_parameters *parameters);

#endif
