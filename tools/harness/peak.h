/* What the machine can do, measured: the limits that kernels are compared with. One thread; a call takes some tens of
 * milliseconds and is right in optimised builds only. */
#ifndef AIC_HARNESS_PEAK_H
#define AIC_HARNESS_PEAK_H

/* Multiply-accumulates of the widest vector unit in 10^9 a second: fused where the processor has that, else a
 * multiplication and an addition. */
double aic_peak_fma_f32(void);
double aic_peak_fma_f64(void);

/* Bytes read plus bytes written in 10^9 a second by copying a block far larger than the caches; 0 when memory for it
 * cannot be had. */
double aic_peak_copy(void);

#endif
