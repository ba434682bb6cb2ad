/* Images and weights of other programs in the layouts of conv2d.
 *
 * aic_jit_transdata() does the same for blocks of 32 bytes and for every type; these functions also make blocks of four
 * channels, turn uint8 pixels into int8, and need no kernel.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_PACK_H
#define AIC_PACK_H

#include <aic/types.h>

AIC_EXTERN_C_BEGIN

/* Bytes that aic_pack_picture() writes: N * C1 * H * W * c0 with C1 = C / c0 rounded up. shape: [N, H, W, C], all of
 * them at least 1; c0: 4, which takes at most 4 channels, or 32. AIC_INVALID_ARGUMENT. */
AIC_API aic_status aic_pack_picture_bytes(const int64_t shape[4], int64_t c0, size_t *bytes);

/* Packs uint8 pixels [N, H, W, C] as int8 [N, C1, H, W, c0], conv2d's feature_map of each image in turn: every value
 * less zero_point (0..255), clamped to -128..127. Channels past C are 0. `packed` has room for aic_pack_picture_bytes()
 * bytes and does not overlap the picture. AIC_INVALID_ARGUMENT, and nothing is written. */
AIC_API aic_status aic_pack_picture(const uint8_t *picture, const int64_t shape[4], int64_t c0, int32_t zero_point,
                                    int8_t *packed);

/* Bytes that aic_pack_weights() writes: C1 * Kh * Kw * O' * c0 elements with C1 = I / c0 rounded up and O' = O rounded
 * up to a multiple of 16. shape: [O, I, Kh, Kw], all of them at least 1; c0: the elements of 32 bytes, 32 of int8 or 16
 * of float16, or a smaller power of two, which takes at most so many channels: 4 for a first convolution, others for
 * groups (aic/conv2d.h), whose weights have I = channels of a group. AIC_INVALID_ARGUMENT. */
AIC_API aic_status aic_pack_weights_bytes(aic_dtype dtype, const int64_t shape[4], int64_t c0, size_t *bytes);

/* Packs weights [O, I, Kh, Kw] of int8 or float16 as FRACTAL_Z [C1, Kh, Kw, O', c0], conv2d's weight. Channels past I
 * and O are 0. `packed` has room for aic_pack_weights_bytes() bytes and does not overlap the weights; neither needs an
 * alignment. AIC_INVALID_ARGUMENT, and nothing is written. */
AIC_API aic_status aic_pack_weights(aic_dtype dtype, const void *weights, const int64_t shape[4], int64_t c0,
                                    void *packed);

AIC_EXTERN_C_END

#endif
