/* The values that a result may have, and the one rule by which a value is compared with them. */
#include <aic/allowed.h>

#include <math.h>

aic_allowed aic_allowed_within(double exact, double bound)
{
    aic_allowed allowed = {.exact = exact, .low = exact, .high = exact};
    if (isfinite(exact)) {
        allowed.low = exact - bound;
        allowed.high = exact + bound;
    }
    return allowed;
}

/* Between low and high, or the NaN that both are. */
static bool is_between(const aic_allowed *allowed, double value)
{
    return isnan(allowed->low) ? isnan(value) : allowed->low <= value && value <= allowed->high;
}

/* Neighbours among the values that differ by a multiple of the modulus. */
static bool is_between_modulo(const aic_allowed *allowed, double value)
{
    bool between = is_between(allowed, value);
    if (allowed->modulo != 0) {
        between |= is_between(allowed, value + allowed->modulo) || is_between(allowed, value - allowed->modulo);
    }
    return between;
}

bool aic_is_allowed(const aic_allowed *allowed, double value)
{
    bool found = allowed != NULL && is_between_modulo(allowed, value);
    for (int i = 0; allowed != NULL && i < allowed->others && i < AIC_OTHERS_MAX && !found; i++) {
        const double other = allowed->other[i];
        const aic_allowed single = {.low = other, .high = other, .modulo = allowed->modulo};
        found = is_between_modulo(&single, value);
    }
    return found;
}
