/* All work inside LLVM runs under this guard: it knows which threads are inside LLVM, turns LLVM's fatal errors into
 * statuses, and makes fork and exit wait. */
#pragma once

#include "frontend/core/fork.h"
#include <aic/types.h>
#include <stddef.h>

#define AIC_GUARD_KINDS 32

/* Calls body(argument) and returns its status. When LLVM meets a fatal error inside ("cannot select" and the like) the
 * body is left by a jump and AIC_COMPILE returned. What the body had allocated by then is lost, LLVM objects included:
 * they must not be touched again. The body must hold no lock that others need. Calls may not nest. Safe in several
 * threads at once.
 *
 * kind, below AIC_GUARD_KINDS, tells what LLVM is used for. LLVM makes some of its globals when it first needs them;
 * so the first run of each kind that succeeds is alone inside, and others wait for it.
 *
 * Memory: a run begins only when a reserve can be had that a compilation has room in; else it waits for the runs that
 * are inside, and without any is AIC_OUT_OF_MEMORY, with nothing lost. Should memory run out inside all the same, LLVM
 * may be left with locks held: the run is AIC_OUT_OF_MEMORY, and every later one of the process AIC_COMPILE.
 *
 * A thread that forks waits until nobody is inside, so the child can go on; exit() does, too, and from then on a run is
 * AIC_COMPILE. */
aic_status aic_guard_run(unsigned kind, aic_status (*body)(void *), void *argument);

/* How many runs are inside, of all threads. */
unsigned aic_guard_inside(void);

/* Has fork() wait; the runtime calls it. */
extern const aic_fork_part aic_guard_fork;

/* Has exit() wait for runs before it calls the handlers of LLVM that there are by now: to be called when LLVM has been
 * loaded. */
void aic_guard_watch_exit(void);

/* To be called when exit() has begun and before it calls a handler: it then waits for runs before it calls the handlers
 * of any global of LLVM, those that a run which is still inside has made included. Waits itself for the first run of a
 * kind. Does no harm when the process goes on. */
void aic_guard_before_exit(void);

/* Leaves the body with AIC_INTERNAL, the same way. The library emits inside of a guard only; a test that does not is
 * aborted. */
_Noreturn void aic_guard_exceeded(const char *what, size_t count, size_t limit);

/* The same for a name that an emitter asks for and that nobody has given. */
_Noreturn void aic_guard_missing(const char *what, const char *name);

/* Checks an invariant of the generator: an array with room for `limit` things gets `count` of them. Schedules and
 * targets are checked before, so that it holds; where it does not, the run ends before anything is overwritten. */
static inline void aic_limit(const char *what, size_t count, size_t limit)
{
    if (count > limit) {
        aic_guard_exceeded(what, count, limit);
    }
}
