/* Files that appear whole or not at all. */
#ifndef AIC_RUNTIME_REPLACE_FILE_H
#define AIC_RUNTIME_REPLACE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes `path` by way of a temporary name in the same folder that begins with `path`'s, so that a reader never sees
 * half a file; 0 or an errno. A file that is replaced keeps its mode. Signals of the calling thread wait meanwhile: a
 * handler that ends the process must not leave a temporary file. `durable`: the bytes are on the disk before the name
 * is. */
int aic_replace_file(const char *path, const char *bytes, size_t size, bool durable);

#endif
