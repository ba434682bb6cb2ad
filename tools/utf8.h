/* UTF-8, which JSON and the pages are, in texts from outside: names of files, of benchmark lines. */
#ifndef AIC_TOOLS_UTF8_H
#define AIC_TOOLS_UTF8_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the character that `text` begins with, of at most `length`; 0 where they are none of UTF-8. */
size_t utf8_length(const char *text, size_t length);

/* Writes it, or U+FFFD for a byte that is part of none; how many bytes that were. length is not 0. */
size_t utf8_put(FILE *out, const char *text, size_t length);

#endif
