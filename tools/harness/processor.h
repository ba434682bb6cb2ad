/* What the processor is called, and how instruction set levels run on it. */
#pragma once

#include <stddef.h>

/* Writes its name as the system has it, "unknown" where it has none. */
void processor_name(char *name, size_t capacity);

/* For reports, as a level that nothing executes is never counted as passed: "native", "emulated", or "not run, this
 * host lacks it". */
const char *level_way(const char *name);
