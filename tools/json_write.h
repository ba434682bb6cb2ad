/* Writing JSON with objects and arrays in each other, to standard output. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Without spaces from here on, as in files with an object a line; before it, a space behind colons and commas. */
void json_compact(void);

/* Each writes a member of the object that is open, or with key NULL an element of the array; commas come by
 * themselves. json_end() closes what was opened last; that of the outermost one ends the line. */
void json_object(const char *key);
void json_array(const char *key);
void json_end(void);
void json_text(const char *key, const char *text);                   /* NULL: null */
void json_piece(const char *key, const char *text, size_t length);   /* the first bytes of a text */
void json_words(const char *key, const char *words, char separator); /* an array of the words between separators */
void json_integer(const char *key, int64_t value);
void json_real(const char *key, double value);                /* as exactly as a double is; no number: null */
void json_fixed(const char *key, double value, int decimals); /* a measured one: so many digits behind the point */
void json_bool(const char *key, bool value);

/* Several members that are texts, {"key", text}, ...; and an element of the array that is an object of such members. */
#define JSON_TEXTS(...)                                                                                                \
    json_texts((const char *const[][2]){__VA_ARGS__}, sizeof((const char *const[][2]){__VA_ARGS__}) / sizeof(char *[2]))
#define JSON_RECORD(...) (json_object(NULL), JSON_TEXTS(__VA_ARGS__), json_end())
void json_texts(const char *const members[][2], size_t count);

/* ---- UTF-8, which JSON and the pages are, in texts from outside: names of files, of benchmark lines ---- */

/* Writes the character that `text`, of `length` bytes, begins with, or U+FFFD for a byte that is part of none; how many
 * bytes that were. length is not 0. */
size_t utf8_put(FILE *out, const char *text, size_t length);
