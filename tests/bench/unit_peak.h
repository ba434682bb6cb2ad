/* Limits of the units that multiply integers and bfloat16, measured on registers alone. One thread; a call takes some
 * tens of milliseconds and is right in optimised builds only. */
#ifndef AIC_BENCH_UNIT_PEAK_H
#define AIC_BENCH_UNIT_PEAK_H

/* Each returns multiply-accumulates in 10^9 a second; 0 where this host has no such unit, an emulated one among them.
 *
 * pairs       two products of 16-bit integers and their sum, then an addition (vpmaddwd, vpaddd): what int8 takes on
 *             processors without a dot product. In the widest vectors of the host of at most `bits` bits
 * dot         four products of 8-bit integers, summed and added (vpdpbusd); the same vectors
 * tiles_i8    products of tiles of bytes (tdpbssd) that hold uniform random values, as they need more power and are
 *             slower than quiet ones on some processors
 * tiles_bf16  products of tiles of bfloat16 (tdpbf16ps) */
double aic_peak_pairs(int bits);
double aic_peak_dot(int bits);
double aic_peak_tiles_i8(void);
double aic_peak_tiles_bf16(void);

#endif
