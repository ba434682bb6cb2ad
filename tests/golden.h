/* Reads the golden data files: comments, and blocks "@ NAME DTYPE RANK D0 D1 ..." followed by their values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bits of every value of block `name` in tests/golden/FILE, in row-major order: of half or float32 for f16 and
 * f32 (read as double, rounded once), the pattern itself for hex16 and hex32, two's complement for integers. The
 * caller frees the result. NULL, with a line on standard error, when file or block are missing or damaged. */
uint64_t *golden_read(const char *file, const char *name, size_t *count);
