/* What is done while calls fail: each a task that begins and ends without the library's memory. */
#ifndef AIC_TESTS_FAULTS_SCENARIOS_H
#define AIC_TESTS_FAULTS_SCENARIOS_H

#include <aic/aic.h>

typedef struct scenario {
    const char *name;
    /* Does the work and gives everything back. The first status that is not AIC_OK, with its message as the thread's
     * last one. What is wrong beside that - a result, a file, a buffer that was written to although the call failed -
     * it says by *wrong, in static storage. */
    aic_status (*run)(const char **wrong);
    bool lenient; /* what it writes beside results may be lost without a status */
} scenario;

extern const scenario scenarios[];
extern const size_t scenario_count;

/* Makes what scenarios read: a folder with files. False when that fails. */
bool scenarios_open(void);
void scenarios_close(void);

#endif
