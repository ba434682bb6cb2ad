/* How the instruction set levels of this architecture run here, for reports: a level that nothing executes is never
 * counted as passed. */
#ifndef AIC_HARNESS_LEVELS_H
#define AIC_HARNESS_LEVELS_H

/* "native", "emulated", or "not run, this host lacks it". */
const char *level_way(const char *name);

#endif
