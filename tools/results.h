/* Results of a command: files that are written, or compared with what is expected. */
#pragma once

#include "tools/harness/compare.h"
#include "tools/operands.h"

#include <aic/aic.h>

/* Opens the files of --out. Each function returns an exit status. */
int results_open(cli_operands *set);

/* Writes every one of them, then makes all of them final. */
int results_store(cli_operands *set);

/* Compares an output with the file of --expect and prints where they differ; elements that o->skip marks do not count.
 * Sets *differs when they do. */
int results_compare(const cli_operand *o, const compare_limits *limits, bool *differs);

/* Prints it. skip: an element's byte is not 0 where nothing has been written; such elements are no part of the
 * statistics; NULL: there are none. */
void tensor_view(const aic_operand *operand, const aic_coordinates *coordinates, const void *data,
                 const unsigned char *skip);
