/* Running a program of PTO-AS by whatever runs its statements. */
#ifndef AIC_PTO_RUN_H
#define AIC_PTO_RUN_H

#include "frontend/pto_program.h"

/* Statement number `index` with its operands in calling order. */
typedef aic_status (*aic_pto_step)(void *user, size_t index, const aic_pto_statement *statement,
                                   void *const operands[AIC_OPERANDS_MAX]);

/* Whether the program can be run with these arguments: count, NULL, alignment, overlap, the valid sizes. */
aic_status aic_pto_check(const aic_pto_program *program, void *const arguments[], size_t count);

/* Whether every statement and every tile is legal under these semantics, too, not only those it was read with. */
aic_status aic_pto_check_rules(const aic_pto_program *program, const aic_semantics *semantics);

/* Runs checked arguments through the steps. Tiles that share memory are gathered in an image of it, and handed out to
 * the arguments at the end. The first failure ends it: the arguments are as they were where tiles share memory, else as
 * the steps left them. */
aic_status aic_pto_execute(const aic_pto_program *program, void *const arguments[], aic_pto_step step, void *user);

#endif
