/* Operands in files: .npy, or .bin for raw little-endian elements. */
#ifndef AIC_TOOLS_OPERAND_FILE_H
#define AIC_TOOLS_OPERAND_FILE_H

#include "tools/harness/outfile.h"

#include <aic/aic.h>

/* Reads exactly the operand's elements into `data` (operand->bytes bytes). The file's type and shape must be the
 * operand's, of `words` any type of that size, or its shape one-dimensional with as many elements, none of an
 * operand of one; its size must be exact. Returns an exit status; the message names operand and file. */
int operand_read(const aic_operand *operand, const char *path, void *data);

/* Writes the operand's elements into `file`, opened for `path`, in the format that the name asks for. The caller
 * commits. */
int operand_write(const aic_operand *operand, const char *path, const void *data, outfile *file);

/* Whether the name ends in .npy or .bin. */
bool operand_file_named(const char *path);

/* The same; else CLI_WRONG with a message. */
int operand_file_check(const aic_operand *operand, const char *path);

#endif
