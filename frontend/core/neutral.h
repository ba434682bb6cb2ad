/* The surroundings that the library computes in, whatever the calling thread has set: the default floating-point
 * environment and the locale "C". */
#pragma once

#include <fenv.h>
#include <locale.h>

/* What the calling thread had. */
typedef struct aic_neutral {
    locale_t locale;
    fenv_t environment;
} aic_neutral;

/* Sets the calling thread's aside; aic_neutral_leave() gives them back. */
void aic_neutral_enter(aic_neutral *callers);
void aic_neutral_leave(const aic_neutral *callers);
