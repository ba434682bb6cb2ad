/* See neutral.h. */
#include "frontend/core/neutral.h"

/* Made once and never freed: the C library makes and frees locales under a lock that a fork may leave behind locked. */
static locale_t c_locale;

/* Before other constructors, which may call the library. */
__attribute__((constructor(101))) static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

bool aic_neutral_enter(aic_neutral *callers)
{
    if (c_locale == (locale_t)0) {
        return false;
    }
    callers->locale = uselocale(c_locale);
    fegetenv(&callers->environment);
    fesetenv(FE_DFL_ENV);
    return true;
}

void aic_neutral_leave(const aic_neutral *callers)
{
    fesetenv(&callers->environment);
    uselocale(callers->locale);
}
