/* Coordinates of an operand's elements as the documents count them: C1, H, W, C0 of a feature map, matrix, row and
 * column of what fixpipe stores, N, C, H, W of tensor arithmetic, row and column of a tile, whatever strides and blocks
 * put them where they are (the documents on data layouts).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_COORDINATES_H
#define AIC_COORDINATES_H

#include <aic/spec.h>

AIC_EXTERN_C_BEGIN

struct aic_pto_program;

#define AIC_AXES_MAX AIC_RANK_MAX

/* An axis; its index i adds i / block * outer + i % block * inner elements. */
typedef struct aic_axis {
    const char *name; /* "C1", "row"; "" where the documents have none. Static storage */
    int64_t size;     /* indices are 0..size-1 */
    int64_t block, outer, inner;
} aic_axis;

/* Where an operand's elements are: the sum of `first` and of what the index of each axis adds. */
typedef struct aic_coordinates {
    size_t size; /* of this structure */
    int32_t rank;
    aic_axis axis[AIC_AXES_MAX];
    int64_t first;
    /* Not 0: the last index of the third axis from the end is a block of `tail` columns, of which an index of the next
     * axis adds `tail_pitch` elements: what is left of the columns, and the odd last block of bytes (AscendC,
     * channel merge). */
    int64_t tail, tail_pitch;
} aic_coordinates;

AIC_SIZED(aic_coordinates)

/* The coordinates of operand number `operand` of a valid specification, in calling order; semantics NULL: the defaults.
 * AIC_INVALID_ARGUMENT for one that is not taken. */
AIC_API aic_status aic_spec_coordinates(const aic_spec *spec, const aic_semantics *semantics, size_t operand,
                                        aic_coordinates *coordinates);

/* The same of an argument of a program. */
AIC_API aic_status aic_pto_coordinates(const struct aic_pto_program *program, size_t index,
                                       aic_coordinates *coordinates);

/* The number of the element at these indices, one an axis; -1 where one is outside. */
AIC_API int64_t aic_coordinates_element(const aic_coordinates *coordinates, const int64_t *at);

/* The indices of an element. False where it has none: it lies in a gap between rows or blocks, or outside. Where
 * strides let several indices lead to it, one of them. */
AIC_API bool aic_coordinates_find(const aic_coordinates *coordinates, int64_t element, int64_t at[AIC_AXES_MAX]);

AIC_EXTERN_C_END

#endif
