/* JSON, as much of it as lines of flat objects need. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Writes the text as a JSON string; bytes that are no UTF-8 as U+FFFD. */
void json_put_string(FILE *out, const char *text);
void json_put_bytes(FILE *out, const char *text, size_t length);

/* Sees a member of an object: `text` is a string's, NULL for a number, true, false (1, 0) and null (not a number). */
typedef void (*json_visitor)(void *user, const char *key, const char *text, double number);

/* Reads a line that is one object, and shows its members in their order, but no members that are objects themselves;
 * there are no arrays, nor objects in those. The line is overwritten. False when it is anything else; members in front
 * of the mistake were shown then. */
bool json_read_object(char *line, json_visitor visit, void *user);
