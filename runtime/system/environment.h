/* What the environment says. A set-user-id program's is a stranger's: there, nothing is set. */
#pragma once

#include <stdlib.h>
#include <sys/auxv.h>

/* A variable, or NULL when it is not set or empty, or the process has more rights than its caller. */
static inline const char *aic_environment(const char *name)
{
    const char *value = getauxval(AT_SECURE) == 0 ? getenv(name) : NULL;
    return value != NULL && value[0] != '\0' ? value : NULL;
}
