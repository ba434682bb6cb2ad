/* Running out of memory for real: a limit on the address space. Not under sanitizers (AIC_SANITIZED), which reserve
 * more than any limit leaves. */
#pragma once

#include <sys/resource.h>

/* Allows `more` bytes of address space from here on; returns the limits to put back with setrlimit(RLIMIT_AS, ...).
 * Assertions allocate: make none before that. */
struct rlimit memory_limit_to(rlim_t more);
