/* Operands and their elements as people read them. */
#include "tools/harness/operand_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void shape_text(int32_t rank, const int64_t *shape, char text[OPERAND_TEXT_MAX])
{
    size_t used = (size_t)snprintf(text, OPERAND_TEXT_MAX, "[");
    for (int32_t i = 0; i < rank && used < OPERAND_TEXT_MAX; i++) {
        used += (size_t)snprintf(text + used, OPERAND_TEXT_MAX - used, "%s%" PRId64, i == 0 ? "" : ",", shape[i]);
    }
    if (used < OPERAND_TEXT_MAX) {
        (void)snprintf(text + used, OPERAND_TEXT_MAX - used, "]");
    }
}

void operand_text(const aic_operand *operand, char text[OPERAND_TEXT_MAX])
{
    char shape[OPERAND_TEXT_MAX];
    shape_text(operand->rank, operand->shape, shape);
    (void)snprintf(text, OPERAND_TEXT_MAX, "%s%.170s", aic_dtype_name(operand->dtype), shape);
}

aic_coordinates coordinates_of_tensor(const aic_operand *tensor)
{
    aic_coordinates c = aic_coordinates_init();
    c.rank = tensor->rank;
    int64_t stride = 1;
    for (int32_t d = tensor->rank; d-- > 0;) {
        c.axis[d] = (aic_axis){.name = "", .size = tensor->shape[d], .block = 1, .outer = stride};
        stride *= tensor->shape[d];
    }
    return c;
}

void coordinates_text(const aic_coordinates *coordinates, int64_t element, char text[OPERAND_TEXT_MAX])
{
    int64_t at[AIC_AXES_MAX];
    if (aic_coordinates_find(coordinates, element, at)) {
        shape_text(coordinates->rank, at, text);
    } else {
        (void)snprintf(text, OPERAND_TEXT_MAX, "[#%" PRId64 "]", element);
    }
}

int32_t coordinates_axis(const aic_coordinates *coordinates, const char *name)
{
    for (int32_t d = 0; d < coordinates->rank; d++) {
        if (strcmp(coordinates->axis[d].name, name) == 0) {
            return d;
        }
    }
    return -1;
}

void coordinates_names(const aic_coordinates *coordinates, char text[OPERAND_TEXT_MAX])
{
    size_t used = 0;
    bool named = coordinates->rank > 0;
    text[0] = '\0';
    for (int32_t d = 0; d < coordinates->rank && used < OPERAND_TEXT_MAX; d++) {
        named = named && coordinates->axis[d].name[0] != '\0';
        used += (size_t)snprintf(text + used, OPERAND_TEXT_MAX - used, "%s%s", d == 0 ? "[" : ",",
                                 coordinates->axis[d].name);
    }
    if (used < OPERAND_TEXT_MAX) {
        (void)snprintf(text + used, OPERAND_TEXT_MAX - used, "]");
    }
    text[0] = named ? text[0] : '\0';
}

void coordinates_sizes(const aic_coordinates *coordinates, char text[OPERAND_TEXT_MAX])
{
    int64_t sizes[AIC_AXES_MAX];
    for (int32_t d = 0; d < coordinates->rank; d++) {
        sizes[d] = coordinates->axis[d].size;
    }
    shape_text(coordinates->rank, sizes, text);
}
