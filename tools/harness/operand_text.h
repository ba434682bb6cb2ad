/* Operands and their elements as people read them. */
#ifndef AIC_TOOLS_OPERAND_TEXT_H
#define AIC_TOOLS_OPERAND_TEXT_H

#include <aic/aic.h>

/* Room for any text that is written here. */
enum { OPERAND_TEXT_MAX = 192 };

/* "[2,16,16]" */
void shape_text(int32_t rank, const int64_t *shape, char text[OPERAND_TEXT_MAX]);

/* "int32[2,16,16]" */
void operand_text(const aic_operand *operand, char text[OPERAND_TEXT_MAX]);

/* "[1,3,15]": the coordinates of element number `index` of a tensor of this shape. */
void index_text(int32_t rank, const int64_t *shape, int64_t index, char text[OPERAND_TEXT_MAX]);

#endif
