/* Instruction set levels in tests. Tests are made for the levels that run here, natively or by an emulator, and only
 * for them; the report at the end says how each level ran, or that it did not. */
#pragma once

#include <aic/context.h>
#include <aic/spec.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before tests run in processes of their own. */
void levels_begin(void);

/* How many levels run here. */
int levels_count(void);

/* Number 0 to levels_count() - 1 of them, in ascending order; notes that a test runs it. */
const char *levels_name(int number);

/* A context of a level, with so many threads. */
aic_context *levels_context(int number, int threads);

/* Whether it is worth as much work as there is: the highest native one. */
bool levels_is_thorough(int number);

/* Kinds of operators, by what instructions of their own levels have for them. */
typedef enum levels_kind {
    LEVELS_BYTE_PRODUCTS, /* of integers, and of bfloat16: dot products, tiles */
    LEVELS_PRODUCTS,      /* of float16 and float32 */
    LEVELS_NARROWING,     /* results of fewer bits */
    LEVELS_OTHERS
} levels_kind;

levels_kind levels_kind_of(const aic_spec *spec);

/* Levels that make the same machine code of some kinds, as the suite targets shows: names, the last one NULL. */
typedef struct levels_twins {
    const char *level[4];
    uint32_t kinds; /* bit N for kind number N */
} levels_twins;

/* Set number `set`; NULL past the last. */
const levels_twins *levels_twins_get(size_t set);

/* Whether it is this level's turn for a specification, case number `turn`: of twins that run here each case has one. In
 * a campaign it is every level's. */
bool levels_is_turn(int number, const aic_spec *spec, uint64_t turn);

/* The same of suites that need not see every case at every level: the highest native level sees every
 * `thorough`-th of them, each other one every `others`-th and of those its turns, beginning with another one from level
 * to level. In a campaign every level sees all. */
bool levels_is_sampled(int number, const aic_spec *spec, uint64_t turn, uint64_t thorough, uint64_t others);

/* N where the environment has AIC_CAMPAIGN=N (tools/dev test --campaign N): suites try what time does not allow in
 * every run, and N times as many pseudo-random cases. Else 0. */
uint64_t levels_campaign(void);

/* Prints a line for every level of the architecture; none where no test was for a level. */
void levels_report(void);
