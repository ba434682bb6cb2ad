/* Machines so small that a few kilobytes run the code made for megabytes: stores past the caches, lines copied aside,
 * several bands and bursts. */
#ifndef AIC_TESTS_MACHINES_H
#define AIC_TESTS_MACHINES_H

#include "codegen/machine.h"

enum { TINY_MACHINES = 2 };

extern const aic_machine tiny_machines[TINY_MACHINES];

#endif
