/* What a result looks like, for people: type and shape, statistics, the first elements. */
#ifndef AIC_TOOLS_TENSOR_VIEW_H
#define AIC_TOOLS_TENSOR_VIEW_H

#include <aic/aic.h>

/* Prints it. skip: an element's byte is not 0 where nothing has been written; such elements are no part of the
 * statistics; NULL: there are none. */
void tensor_view(const aic_operand *operand, const aic_coordinates *coordinates, const void *data,
                 const unsigned char *skip);

#endif
