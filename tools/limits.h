/* The limits of the machine that an operator's speed is held against. */
#pragma once

#include <aic/aic.h>

/* "fp32" or "fp64": multiply-accumulates of the vector unit, as wide as the operator's sums are; "copy" for one that
 * has no multiply-accumulates. */
const char *limit_name(const aic_spec *spec, int64_t macs);

/* Its rate on one thread, measured, some hundredths of a second: GMAC/s or, for "copy" of `bytes` bytes read and
 * written in all, GB/s. 0 when memory for a copy cannot be had. */
double limit_measure(const char *name, int64_t bytes);
