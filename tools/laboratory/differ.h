/* Two readings of what the documents leave open, of one operator: where their results part, and the smallest operands
 * on which they do. */
#ifndef AIC_TOOLS_DIFFER_H
#define AIC_TOOLS_DIFFER_H

#include "tools/harness/compare.h"
#include "tools/laboratory/differ_steps.h"
#include "tools/operands.h"
#include "tools/session.h"

enum { DIFFER_NAME_MAX = 256, DIFFER_KEYS_MAX = 512, DIFFER_FILL_MAX = 400 };

/* A reading: a profile, and choices behind it, "document+relu=after". */
typedef struct differ_side {
    char name[DIFFER_NAME_MAX];
    aic_semantics semantics;
} differ_side;

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

#endif
