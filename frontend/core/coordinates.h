/* Coordinates of operands, for the operators' hooks; see aic/coordinates.h. */
#pragma once

#include <aic/coordinates.h>

/* Adds an axis whose index adds `stride` elements; one with blocks. */
void aic_axis_add(aic_coordinates *c, const char *name, int64_t size, int64_t stride);
void aic_axis_add_blocked(aic_coordinates *c, const char *name, int64_t size, int64_t block, int64_t outer,
                          int64_t inner);

/* Names the axes of an operand whose shape the document has; the shape is filled in behind the hook. names: static
 * storage, as many as it has axes. */
void aic_axes_name(aic_coordinates *c, const char *const names[], int32_t count);

#define AIC_AXES_NAME(c, ...)                                                                                          \
    aic_axes_name(c, (const char *const[]){__VA_ARGS__},                                                               \
                  (int32_t)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))

/* Fills in the axes of the operand's shape, row by row, where a hook has added none. */
void aic_axes_of_shape(aic_coordinates *c, const aic_operand *operand);
