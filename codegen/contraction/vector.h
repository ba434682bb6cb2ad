/* Between the files of the micro-kernel of vector instructions: what a tile is (vector.c) and what it costs
 * (vector_cost.c), in multiply-adds of a vector of the target; and cost.c, which asks what a product takes. */
#pragma once

#include "codegen/contraction/microkernel.h"

/* Vector operations of one multiply-accumulate step of a vector. */
double aic_vector_product_cost(const aic_target *target, aic_product product);

/* Vector registers of a tile's inner loop: for the sums, the weights and a broadcast; one for the product if multiply
 * and add are separate instructions; and one more if a broadcast cannot be a memory operand of the multiplication. */
int64_t aic_vector_registers(const aic_contraction *c, const aic_target *target, int64_t pixels, int64_t vectors);

/* As members of aic_microkernel say: of a tile, of what a call does besides, and tile rows of a small band. */
double aic_vector_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t, int64_t rows,
                       int64_t cols);
double aic_vector_call_cost(const aic_contraction *c, const aic_target *target, const aic_tiling *t);
int64_t aic_vector_small_band(const aic_contraction *c, const aic_target *target, const aic_tiling *t);
