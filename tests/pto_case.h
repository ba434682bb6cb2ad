/* A program of PTO-AS with arguments between guard pages and the result that the reference expects. */
#pragma once

#include "tools/harness/guard.h"

#include <aic/aic.h>

/* A program, or a failed test. */
aic_pto_program *pto_program_of(const char *text);

typedef struct pto_case {
    const aic_pto_program *program; /* the caller's */
    size_t count;
    struct pto_argument {
        aic_operand operand;
        guard_buffer buffer;
        unsigned char *before, *expected;
    } *argument;
    void **pointers;
} pto_case;

/* Arguments with pseudo-random content, legal valid sizes among them. Free with pto_case_free(). */
pto_case *pto_case_new(const aic_pto_program *program, guard_side side, uint64_t seed);
void pto_case_free(pto_case *c);

/* Puts the content from before the run back. */
void pto_case_reset(pto_case *c);

/* Whether all arguments, or what is in front of and behind them, are as expected after a run; whether they are as
 * before. */
bool pto_case_done(const pto_case *c);
bool pto_case_untouched(const pto_case *c);
