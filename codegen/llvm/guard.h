/* Runs LLVM work so that its fatal errors become statuses. */
#ifndef AIC_GUARD_H
#define AIC_GUARD_H

#include <aic/types.h>

/* Calls body(argument) and returns its status. When LLVM meets a fatal error inside ("cannot select" and the like)
 * the body is left by a jump and AIC_COMPILE returned; when memory runs out in LLVM's C++ code, AIC_OUT_OF_MEMORY.
 * What the body had allocated by then is lost, LLVM objects included: they must not be touched again. The body must
 * hold no lock that others need. Calls may not nest. Safe in several threads at once. */
aic_status aic_guard_run(aic_status (*body)(void *), void *argument);

#endif
