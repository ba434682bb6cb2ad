/* How an element of a result comes about, for commands that show it. */
#pragma once

#include "tools/operands.h"

/* The trace, in memory that the caller frees. With a context, and where the documents allow any order of summation
 * (accumulate=fast), also what the kernel gives that the context makes. `command` opens messages. Returns an exit
 * status. */
int cli_trace(const char *command, aic_context *context, const aic_spec *spec, const aic_semantics *semantics,
              const cli_operands *operands, int64_t element, char **text);

/* Reads "dst[0,3,1]", the document's coordinates, or "dst[49]", its number, as an element of the operand. `command`
 * opens messages. Returns an exit status. */
int at_element(const char *command, const char *at, const cli_operand *operand, int64_t *element);
