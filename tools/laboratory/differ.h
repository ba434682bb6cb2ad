/* Two readings of what the documents leave open, of one operator: where their results part, and the smallest operands
 * on which they do. */
#pragma once

#include "tools/harness/compare.h"
#include "tools/operands.h"
#include "tools/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { DIFFER_NAME_MAX = 256, DIFFER_KEYS_MAX = 512, DIFFER_FILL_MAX = 400 };

/* A reading: a profile, and choices behind it, "document+relu=after". */
typedef struct differ_side {
    char name[DIFFER_NAME_MAX];
    aic_semantics semantics;
} differ_side;

/* ---- two traces side by side: which step of one is which of the other, and the first that parts them ---- */

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

/* ---- comparisons ---- */

typedef struct differ_case {
    aic_spec *spec; /* owned */
    differ_side side[2];
    char semantics_text[CLI_SEMANTICS_TEXT_MAX]; /* options besides --profiles that both sides have */
    cli_operands operands;
    size_t output; /* number of the operand that is written */
    guard_buffer result[2];
    /* What fills an operand that no option gives: as --fill has it; "" for those that options give. */
    char fill[AIC_OPERANDS_MAX][DIFFER_FILL_MAX];
    compare_report report; /* of the results */
    int64_t tries;         /* that the search has left */
    bool searched;         /* and found: spec and operands are the smallest */
} differ_case;

/* Reads "A,B" on top of the session's other semantics; the two differ in some choice. Returns an exit status, as all
 * functions here do that return int. */
int differ_read_sides(const cli_session *session, const char *profiles, differ_side side[2]);

/* The keys of the choices that part two readings, "relu, sum"; `spec`: only those on which its result can depend, NULL:
 * all. */
int differ_keys(const aic_spec *spec, const differ_side side[2], char keys[DIFFER_KEYS_MAX]);

/* Lists, binds and fills the operands; those that no option gives are drawn, or filled as `fill` has it where that is
 * not "". The specification is legal under both. */
int differ_open(differ_case *c);
void differ_close(differ_case *c);

/* The two results, compared; differ_compute() leaves it to the caller to say what failed. */
int differ_compare(differ_case *c);
aic_status differ_compute(differ_case *c);

/* An element of the two results. */
compare_element differ_element(const differ_case *c, int64_t element);

/* The two traces of the first element that differs; without rows where the operator has no trace. The caller closes
 * it. */
int differ_trace(const differ_case *c, differ_steps *steps);

/* The command that repeats the comparison, malloc'ed; NULL when memory ran out. */
char *differ_command(const differ_case *c);

/* ---- operands (differ.c) and the search (differ_search.c) ---- */

/* Whether no option gives an input's contents. */
bool differ_is_free(const cli_operand *o);

/* Fills what no option gives: "random:SEED", a seed of its own each; old contents stay 0. */
int differ_draw(differ_case *c, uint64_t seed);

/* Looks for operands on which the readings part, in at most `tries` comparisons: constants, then drawn ones, of what no
 * option gives. As long as they still part it makes the operator's sizes smaller, where no file gives an operand, then
 * sets elements to 0, then makes the others simple. Where none are found the operands are the drawn ones. */
int differ_search(differ_case *c, int64_t tries);

/* aicjit differ --matrix: of every operator which readings part its results. Prints the table, as Markdown or as one
 * object of JSON. Returns an exit status. */
int differ_matrix(bool json);
