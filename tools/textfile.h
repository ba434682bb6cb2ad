/* Text files as a whole. */
#ifndef AIC_TOOLS_TEXTFILE_H
#define AIC_TOOLS_TEXTFILE_H

#include <stddef.h>

/* Reads a regular file of at most `most` bytes. *text is the caller's, to be freed, and may hold any bytes. Returns an
 * exit status; the message begins with `option`. */
int textfile_read(const char *option, const char *path, size_t most, char **text, size_t *length);

#endif
