/* What the machine can do, measured: the limits that kernels are compared with. One thread; a call takes some tens of
 * milliseconds and is right in optimised builds only. */
#pragma once

#include <stddef.h>

/* Multiply-accumulates of the widest vector unit in 10^9 a second: fused where the processor has that, else a
 * multiplication and an addition. */
double aic_peak_fma_f32(void);
double aic_peak_fma_f64(void);

/* The same in vectors of `bits` bits, or of the widest below that; and instructions of that kind, of float32, in 10^9 a
 * second, which is how fast the vector operations are that the generator counts. */
double aic_peak_fma_f32_of(int bits);
double aic_peak_fma_f64_of(int bits);
double aic_peak_vector_operations(int bits);

/* Bytes read plus bytes written in 10^9 a second by copying so that `bytes` bytes are read and written in all, again
 * and again: as fast as the cache that holds them, and with AIC_PEAK_COPY_MAX, the most that is looked at, as memory. 0
 * when memory for it cannot be had. */
#define AIC_PEAK_COPY_MAX ((size_t)512 << 20)
double aic_peak_copy_of(size_t bytes);
