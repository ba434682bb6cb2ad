/* Shared by the parts of an epilogue: the arithmetic on packets of accumulators (packet.c), the parameters of their
 * columns (parameters.c), and how these lie in the table (columns.c fills it). */
#pragma once

#include "codegen/parts.h"
#include "codegen/parts/scaling.h"

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
LLVMValueRef aic_packet_results(aic_emit *e, const aic_strip_key *k, const aic_packet *packet,
                                const aic_parameters *parameters, const aic_accumulators *from, unsigned count);

/* ---- the table of column parameters ---- */

/* The address of a block's entry. */
LLVMValueRef aic_table_entry(aic_emit *e, const aic_scaling *p, LLVMValueRef table, LLVMValueRef block);

/* Of each lane `yes` if `which` is true, otherwise `no`, in an integer type. */
LLVMValueRef aic_choose(aic_emit *e, LLVMValueRef which, LLVMTypeRef type, int64_t yes, int64_t no);

/* Computes the parameters from words, given as their lower and upper 32 bits, as 32-bit integers and floats. */
void aic_decode_words(aic_emit *e, const aic_scaling *p, LLVMValueRef low, LLVMValueRef high,
                      LLVMValueRef value[AIC_PARAMETERS]);

/* ---- reading it ---- */

/* An i1: whether the columns need this path. */
LLVMValueRef aic_takes_path(aic_emit *e, LLVMValueRef table, aic_path path);

/* The value of `limited` (aic_parameters) for this path, from the table. Columns of int32 that only have an offset take
 * AIC_PATH_FULL, too, as a third loop would cost compile time; `limited` lets a branch in the loop skip the rest. */
LLVMValueRef aic_is_limited(aic_emit *e, const aic_scaling *p, LLVMValueRef table, aic_path path);

/* Loads the parameters of the packet whose first block of columns is number `block`, as far as all paths need them;
 * then adds what one path needs. */
void aic_read_parameters(aic_emit *e, const aic_scaling *p, const aic_packet *packet, LLVMValueRef table,
                         LLVMValueRef block, aic_parameters *parameters);
void aic_choose_path(aic_emit *e, const aic_scaling *p, const aic_packet *packet, aic_path path,
                     aic_parameters *parameters);
