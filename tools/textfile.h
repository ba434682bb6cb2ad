/* Text files as a whole. */
#pragma once

#include <stddef.h>

/* The most that files of lines may have. */
#define TEXTFILE_BYTES_MAX ((size_t)1 << 26)

/* Reads a file, pipe or terminal to its end, which comes after at most `most` bytes. *text is the caller's, to be
 * freed; it may hold any bytes and has a zero behind the last. A pipe with a name to which nobody writes is waited for,
 * which is said, and given up after a while. Returns an exit status; the message begins with `option`. */
int textfile_read(const char *option, const char *path, size_t most, char **text, size_t *length);

/* Cuts the line at *at off: returns it, with a zero for its end, and its length; *at becomes the next line. NULL at
 * `end`, where the text has its zero. */
char *textfile_line(char **at, const char *end, size_t *length);
