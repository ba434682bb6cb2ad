/* The stack of the calling thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether so many bytes of it are free. False, too, where that cannot be found out, and on a stack that is not the
 * thread's own, as those of coroutines are. */
bool aic_stack_has(size_t bytes);
