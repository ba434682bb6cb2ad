/* Instruction set levels in tests. Tests are made for the levels that run here, natively or by an emulator, and only
 * for them; the report at the end says how each level ran, or that it did not. */
#ifndef AIC_TESTS_LEVELS_H
#define AIC_TESTS_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

/* Before tests run in processes of their own. */
void levels_begin(void);

/* How many levels run here. */
int levels_count(void);

/* Number 0 to levels_count() - 1 of them, in ascending order; notes that a test runs it. */
const char *levels_name(int number);

/* Whether it is worth as much work as there is: the highest native one. */
bool levels_is_thorough(int number);

/* N where the environment has AIC_CAMPAIGN=N (tools/dev test --campaign N): suites try what time does not allow in
 * every run, and N times as many pseudo-random cases. Else 0. */
uint64_t levels_campaign(void);

/* Prints a line for every level of the architecture; none where no test was for a level. */
void levels_report(void);

#endif
