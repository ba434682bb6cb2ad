/* What accumulate=winograd allows beyond the bound of accumulate=fast (<aic/winograd.def> has the method).
 *
 * With u = 2^-24, C input channels, a_A and a_B the most non-zero entries of a row of A^T and of B^T,
 *
 *     N_m = |A^T| [ sum over channels of (|G| |w| |G^T|) o (|B^T| |x| |B|) ] |A|
 *     K_m = C + 2 a_A + 2 a_B + 3
 *     |r - e| <= max over m of K_m u / (1 - K_m u) N_m + u (|I| + N_m)
 *
 * Every term of y, as a sum over pixels, channels and taps, passes at most K_m roundings: a_B in each of the two passes
 * of the input transform, a_A in each of the two of the output transform, C of the product and the sum over channels, 3
 * of the weights; N_m is the sum of these terms' magnitudes. Then y, at most N_m (1 + K_m u / (1 - K_m u)) in
 * magnitude, is added to the old value I. No sum but that last one can overflow: N_m is below 2^16 * 2^16 * 4096 * 100
 * * 361.
 *
 * A tile that reads something infinite or NaN, in its window or in the weights of an output channel, is computed by
 * direct sums: it allows nothing more. Windows count as 0 where they go beyond the padding, which only tiles do that
 * reach over the end of the result. */
#pragma once

#include <aic/conv2d.h>

/* The side of the largest window, and of the largest tile of results. */
enum { AIC_WINOGRAD_WINDOW = 6, AIC_WINOGRAD_TILE = 4 };

/* Whether the key has an effect: float16, 3x3, stride 1, dilation 1. */
bool aic_winograd_applies(const aic_conv2d_desc *desc);

/* The magnitudes N_m of the m x m results of output channel `co` whose first is at (row, column), m being 2 or 4; not
 * finite where the tile is computed by direct sums. operands: dst, feature_map, weight. */
void aic_winograd_magnitudes(const aic_conv2d_desc *desc, void *const operands[], int m, const int64_t first[2],
                             int64_t co, double magnitude[AIC_WINOGRAD_TILE * AIC_WINOGRAD_TILE]);

/* The bound of one m, for a result with this magnitude that starts from `initial`; not smaller than in exact
 * arithmetic. 0: none. */
double aic_winograd_bound(int m, int64_t channels, double magnitude, double initial);

/* The bound of one result: the larger one of both m. */
double aic_winograd_bound_at(const aic_conv2d_desc *desc, void *const operands[], int64_t row, int64_t column,
                             int64_t co, double initial);
