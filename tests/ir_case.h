/* Kernels that only move data, checked against the reference by running their IR; see ir_run.h. */
#ifndef AIC_TEST_IR_CASE_H
#define AIC_TEST_IR_CASE_H

#include "codegen/codegen.h"
#include "codegen/schedule.h"
#include "tests/ir_run.h"

/* A specification with contents of its operands, and the output that the reference makes of them. */
typedef struct ir_case {
    aic_spec spec;      /* resolved */
    aic_spec canonical; /* what its kernel is made of */
    size_t count;
    aic_operand operand[AIC_OPERANDS_MAX];
    unsigned char *content[AIC_OPERANDS_MAX]; /* the output's: before a call */
    unsigned char *expected;
    uint64_t seed;
} ir_case;

void ir_case_open(ir_case *c, const aic_spec *spec, uint64_t seed);
void ir_case_close(ir_case *c);

/* Whether the kernel of this target and schedule (NULL: the default one) writes what the reference does, and touches
 * nothing else. Operands are aligned to an element, or the output to a line, turn and turn about with the seed. */
void ir_case_check(const ir_case *c, const aic_target *target, const aic_schedule *schedule);

/* A schedule drawn from all that are legal for the specification. */
aic_schedule ir_case_draw_schedule(const ir_case *c, const aic_target *target, uint64_t *state);

/* All of it: the default schedule and a drawn one, on the narrowest and on the widest target of x86-64. */
void ir_case_check_all(const aic_spec *spec, uint64_t seed);

#endif
