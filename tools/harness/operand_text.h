/* Operands and their elements as people read them. */
#pragma once

#include <aic/aic.h>

/* Room for any text that is written here. */
enum { OPERAND_TEXT_MAX = 192 };

/* "[2,16,16]" */
void shape_text(int32_t rank, const int64_t *shape, char text[OPERAND_TEXT_MAX]);

/* "int32[2,16,16]" */
void operand_text(const aic_operand *operand, char text[OPERAND_TEXT_MAX]);

/* Coordinates of a tensor that is no operand: the indices of its shape. */
aic_coordinates coordinates_of_tensor(const aic_operand *tensor);

/* "[1,3,15]": where element number `element` is, in the documents' terms; "[#37]" for one in a gap, which has a number
 * only. */
void coordinates_text(const aic_coordinates *coordinates, int64_t element, char text[OPERAND_TEXT_MAX]);

/* The axis of this name, -1 for none. */
int32_t coordinates_axis(const aic_coordinates *coordinates, const char *name);

/* "[C1,H,W,C0]": what the indices are called; "" where they have no names. */
void coordinates_names(const aic_coordinates *coordinates, char text[OPERAND_TEXT_MAX]);

/* "[1,16,16,32]": how many indices there are. */
void coordinates_sizes(const aic_coordinates *coordinates, char text[OPERAND_TEXT_MAX]);
