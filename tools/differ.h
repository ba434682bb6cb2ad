/* Two readings of what the documents leave open, of one operator: where their results part, and the smallest operands
 * on which they do. */
#ifndef AIC_TOOLS_DIFFER_H
#define AIC_TOOLS_DIFFER_H

#include "tools/harness/compare.h"
#include "tools/harness/operand_text.h"
#include "tools/operands.h"
#include "tools/session.h"

enum { DIFFER_NAME_MAX = 256, DIFFER_KEYS_MAX = 512, DIFFER_FILL_MAX = 48 };

/* A reading: a profile, and choices behind it, "document+relu=after". */
typedef struct differ_side {
    char name[DIFFER_NAME_MAX];
    aic_semantics semantics;
} differ_side;

typedef struct differ_case {
    aic_spec spec;
    differ_side side[2];
    cli_operands operands;
    size_t output; /* number of the operand that is written */
    guard_buffer result[2];
    /* What fills an operand that no option gives: as --fill has it; "" for those that options give. */
    char fill[AIC_OPERANDS_MAX][DIFFER_FILL_MAX];
    compare_report report;
    int64_t tries; /* of the search */
    int64_t kept;  /* elements other than 0 that the search left; -1: it found nothing or was not asked for */
} differ_case;

/* Reads "A,B" on top of the session's other semantics; the two differ in some choice. Returns an exit status, as all
 * functions here do. */
int differ_read_sides(const cli_session *session, const char *profiles, differ_side side[2]);

/* The keys of the choices that part two readings, "relu, sum"; `spec`: only those on which its result can depend, NULL:
 * all. */
int differ_keys(const aic_spec *spec, const differ_side side[2], char keys[DIFFER_KEYS_MAX]);

/* Lists, binds and fills the operands; those that no option gives are drawn. The specification is legal under both. */
int differ_open(differ_case *c);
void differ_close(differ_case *c);

/* The two results, compared. */
int differ_compare(differ_case *c);

/* Looks for operands on which the readings part, in at most `tries` comparisons: constants, then drawn ones, of what no
 * option gives; sets elements to 0 as long as they still part. Where none are found the operands are the drawn ones. */
int differ_search(differ_case *c, int64_t tries);

/* The trace of an element under a side, in memory of its own; NULL where the operator has none. */
int differ_trace(const differ_case *c, size_t side, int64_t element, char **text);

#endif
