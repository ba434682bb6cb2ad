/* What the processor is called. */
#ifndef AIC_HARNESS_PROCESSOR_H
#define AIC_HARNESS_PROCESSOR_H

#include <stddef.h>

/* Writes its name as the system has it, "unknown" where it has none. */
void processor_name(char *name, size_t capacity);

#endif
