/* Two traces side by side: which step of one is which of the other, and the first that parts them. */
#ifndef AIC_TOOLS_DIFFER_STEPS_H
#define AIC_TOOLS_DIFFER_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A line of a trace: a step's name, and what comes of it; of a heading the name is the whole line. */
typedef struct differ_line {
    const char *line, *value;
    size_t name_length; /* of the name, with which the line begins */
} differ_line;

/* A step, as each trace has it; a line that is NULL: the trace has no such step. */
typedef struct differ_row {
    differ_line side[2];
    bool same;
} differ_row;

typedef struct differ_steps {
    char *text[2]; /* cut into lines */
    differ_row *rows;
    size_t count;
    size_t first; /* row that parts them first; count: none does */
} differ_steps;

/* Lines two traces up by the names of their steps. The texts, malloc'ed, belong to the result from then on, also where
 * it returns false because memory ran out. */
bool differ_steps_open(differ_steps *steps, char *a, char *b);
void differ_steps_close(differ_steps *steps);

/* The two traces beside each other under their titles; '!' stands before steps that differ, '>' before the first. */
void differ_steps_print(FILE *out, const differ_steps *steps, const char *const title[2]);

/* The member `key` (json_write.h): [{"step": ..., "a": ..., "b": ..., "same": ...}, ...]; null for a step that a trace
 * does not have. */
void differ_steps_json(const char *key, const differ_steps *steps);

/* The name of a row's step, of one that at least one trace has. */
void differ_steps_name(const differ_row *row, char *text, size_t capacity);

#endif
