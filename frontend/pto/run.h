/* Running a program of PTO-AS by whatever runs its groups of statements. */
#ifndef AIC_PTO_RUN_H
#define AIC_PTO_RUN_H

#include "frontend/pto/program.h"

/* A group: statements first .. first+count-1, count at most AIC_GROUP_MAX. The operands of statement first+i, in
 * calling order, begin at entry i*AIC_OPERANDS_MAX. */
typedef aic_status (*aic_pto_step)(void *user, size_t first, size_t count, void *const operands[]);

/* Whether the program can be run with these arguments: count, NULL, alignment, overlap, the valid sizes. */
aic_status aic_pto_check(const aic_pto_program *program, void *const arguments[], size_t count);

/* Whether every statement and every tile is legal under these semantics, too, not only those it was read with. */
aic_status aic_pto_check_rules(const aic_pto_program *program, const aic_semantics *semantics);

/* Runs checked arguments through the steps, the groups in their order. Tiles that share memory are gathered in an image
 * of it, and handed out to the arguments at the end. The first failure ends it: the arguments are as they were where
 * tiles share memory, else as the steps left them. */
aic_status aic_pto_execute(const aic_pto_program *program, void *const arguments[], aic_pto_step step, void *user);

#endif
