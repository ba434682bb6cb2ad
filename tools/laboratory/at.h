/* An element of an operand as users name it: --at. */
#ifndef AIC_TOOLS_AT_H
#define AIC_TOOLS_AT_H

#include "tools/operands.h"

/* Reads "dst[0,3,1]", the document's coordinates, or "dst[49]", its number, as an element of the operand. `command`
 * opens messages. Returns an exit status. */
int at_element(const char *command, const char *at, const cli_operand *operand, int64_t *element);

#endif
