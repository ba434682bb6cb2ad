/* See neutral.h. */
#include "frontend/core/neutral.h"

/* Made once and never freed: the C library makes and frees locales under a lock that a fork may leave behind locked.
 * That of "C" is part of the C library, which needs no memory for it. */
static locale_t c_locale;

/* Before other constructors, which may call the library. */
__attribute__((constructor(101))) static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

void aic_neutral_enter(aic_neutral *callers)
{
    callers->locale = uselocale(c_locale);
    fegetenv(&callers->environment);
    fesetenv(FE_DFL_ENV);
}

void aic_neutral_leave(const aic_neutral *callers)
{
    fesetenv(&callers->environment);
    uselocale(callers->locale);
}
