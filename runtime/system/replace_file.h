/* Files that appear whole or not at all. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Writes `path` by way of a temporary name in the same folder that begins with `path`'s, so that a reader never sees
 * half a file; 0 or an errno. A file that is replaced keeps its mode. Signals of the calling thread wait meanwhile: a
 * handler that ends the process must not leave a temporary file. `durable`: the bytes are on the disk before the name
 * is. */
int aic_replace_file(const char *path, const char *bytes, size_t size, bool durable);

/* The same of a file in an open folder, which is the user's alone however the old one was; the temporary name begins
 * with `prefix`. Nothing is synchronised, and signals are the caller's to hold. */
int aic_replace_own_file(int folder, const char *prefix, const char *name, const void *bytes, size_t size);
