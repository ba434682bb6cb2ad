/* Exact sums of doubles as expansions: doubles that do not overlap, whose sum is meant (Shewchuk 1997). What the
 * references use for exact sums is a fixed-point number; traces do not share it. */
#ifndef AIC_TRACE_EXPANSION_H
#define AIC_TRACE_EXPANSION_H

#include <stddef.h>

/* Sums of products of float32 have bits from 2^-298 to below 2^269, which 12 doubles of 53 bits hold; a part in between
 * may be short, hence twice as many. */
enum { AIC_EXPANSION_PARTS = 24 };

typedef struct aic_expansion {
    double part[AIC_EXPANSION_PARTS]; /* ascending magnitude, none 0 */
    size_t count;
    double special; /* the sum of the terms that are not finite */
} aic_expansion;

void aic_expansion_add(aic_expansion *sum, double term);

/* The sum rounded to odd: a double that a second rounding, to float32, turns into the sum rounded once. */
double aic_expansion_value(const aic_expansion *sum);

#endif
