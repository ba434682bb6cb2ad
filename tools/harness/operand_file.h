/* Operands in files: .npy, or .bin for raw little-endian elements. */
#pragma once

#include "tools/harness/guard.h"
#include "tools/harness/outfile.h"

#include <aic/aic.h>

/* Reads the operand's elements into `data` (operand->bytes bytes). The file's type must be the operand's, of `words`
 * any type of that size, of words with parts of 8 or 16 bits those of that size. Its shape must be the operand's, also
 * behind axes of 1, or one-dimensional with as many elements, or none of an operand of one. A file of an operand that
 * strides describe may have any shape, and of one that is only read it may be longer: the rest is not read. So
 * may a one-dimensional file of fractals. What such a file may lack at its end (aic_operand.spare) is 0. Returns an
 * exit status; the message names operand and file. */
int operand_read(const aic_operand *operand, const char *path, void *data);

/* Reads a whole file. dtype: what its elements are, AIC_DTYPE_NONE: as the .npy header says; of bfloat16 the header
 * says uint16. tensor: type, shape, elements and bytes; *buffer is the caller's to close, also on failure. */
int tensor_read(const char *path, aic_dtype dtype, aic_operand *tensor, guard_buffer *buffer);

/* Writes the operand's elements into `file`, opened for `path`, in the format that the name's ending stands for. The
 * caller commits. */
int operand_write(const aic_operand *operand, const char *path, const void *data, outfile *file);

/* Whether the name ends in .npy or .bin. */
bool operand_file_named(const char *path);

/* The same; else CLI_WRONG with a message. */
int operand_file_check(const aic_operand *operand, const char *path);
