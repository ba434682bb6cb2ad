/* Runs LLVM work so that its fatal errors become statuses. */
#ifndef AIC_GUARD_H
#define AIC_GUARD_H

#include <aic/types.h>

#include <stddef.h>

/* Calls body(argument) and returns its status. When LLVM meets a fatal error inside ("cannot select" and the like)
 * the body is left by a jump and AIC_COMPILE returned; when memory runs out in LLVM's C++ code, AIC_OUT_OF_MEMORY.
 * What the body had allocated by then is lost, LLVM objects included: they must not be touched again. The body must
 * hold no lock that others need. Calls may not nest. Safe in several threads at once. */
aic_status aic_guard_run(aic_status (*body)(void *), void *argument);

/* Leaves the body with AIC_INTERNAL, the same way. The library emits inside of a guard only; a test that does not is
 * aborted. */
_Noreturn void aic_guard_exceeded(const char *what, size_t count, size_t limit);

/* An invariant of the generator: arrays have room for `limit` of what `count` are wanted of. Schedules and targets are
 * checked so that it holds; where it does not, nothing is overwritten. */
static inline void aic_limit(const char *what, size_t count, size_t limit)
{
    if (count > limit) {
        aic_guard_exceeded(what, count, limit);
    }
}

#endif
