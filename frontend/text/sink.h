/* Text under way to a caller's buffer. */
#pragma once

#include <aic/types.h>

#include <stdio.h>

/* Adds behind what is in a text of so much room, which cuts it; the text ends with a zero, also before the first time.
 */
void aic_text_add(char *text, size_t capacity, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Adds a word, with the separator between it and what is there. */
void aic_text_join(char *text, size_t capacity, const char *separator, const char *word);

/* Counts every byte, keeps those that fit. */
typedef struct aic_sink {
    char *buffer;
    size_t capacity;
    size_t length;
} aic_sink;

void aic_sink_put(aic_sink *out, const char *text);

/* Writes what `write` puts, with a closing zero; buffer, capacity and length as aic_spec_print() has them. `write` is
 * called twice, first to measure. */
aic_status aic_sink_write(void (*write)(aic_sink *out, const void *from), const void *from, char *buffer,
                          size_t capacity, size_t *length);

/* The same into memory that free() takes; `write` is called once where the text is as short as most are. */
aic_status aic_sink_new(void (*write)(aic_sink *out, const void *from), const void *from, char **text);

/* Ends a text that open_memstream() makes in *text, which was NULL before. Returns whether it is whole; where memory
 * ran out on the way there is none, and *text is NULL. */
bool aic_stream_end(FILE *out, char **text);
