/* Exact sums of doubles; see expansion.h. */
#include "frontend/trace/expansion.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* a + b as a double and what rounding it lost, exactly (Knuth's two-sum). */
static double two_sum(double a, double b, double *lost)
{
    const double sum = a + b, b_part = sum - a;
    *lost = (a - (sum - b_part)) + (b - b_part);
    return sum;
}

void aic_expansion_add(aic_expansion *sum, double term)
{
    if (!isfinite(term)) {
        sum->special += term;
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < sum->count; i++) {
        double lost;
        term = two_sum(term, sum->part[i], &lost);
        if (lost != 0) {
            sum->part[kept++] = lost;
        }
    }
    if (term != 0) {
        sum->part[kept++] = term;
    }
    sum->count = kept;
}

/* The parts do not overlap, so the largest is at least as large as the sum of the others, and their sum has the sign of
 * the largest of them. */
double aic_expansion_value(const aic_expansion *sum)
{
    if (sum->special != 0) { /* NaN or infinite */
        return sum->special;
    }
    if (sum->count == 0) {
        return 0;
    }
    double value = sum->part[sum->count - 1], rest = 0;
    for (size_t i = sum->count - 1; i-- > 0 && rest == 0;) {
        value = two_sum(value, sum->part[i], &rest);
    }
    if (rest == 0) {
        return value;
    }
    if ((rest > 0) != (value > 0)) {
        value = nextafter(value, 0);
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits |= 1;
    memcpy(&value, &bits, sizeof bits);
    return value;
}
