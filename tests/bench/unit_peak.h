/* Limits of the units that multiply integers and bfloat16, measured on registers alone, and of memory that is read and
 * written. One thread; a call takes some tens of milliseconds and is right in optimised builds only. */
#pragma once

#include <stddef.h>

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

/* Nanoseconds in which so many bytes are read and so many others written, each once and in order, with ordinary stores,
 * again and again: what memory takes of a computation whose result has another size than what it reads. A copy says
 * less than that, as lines that are written are first read into the core and later written back. 0 when memory for it
 * cannot be had. */
double aic_peak_pass_of(size_t read, size_t written);
