/* Elements of tensors as numbers. The float types here are those that operators have today: float16 and float32. */
#ifndef AIC_HARNESS_ELEMENT_H
#define AIC_HARNESS_ELEMENT_H

#include <aic/aic.h>

bool element_is_float(aic_dtype dtype);

/* The element at `at` (no alignment needed) as a number; uint64 above 2^53 is rounded. */
double element_to_double(aic_dtype dtype, const void *at);

/* Stores `value` as a float element, rounded once to nearest even. False, and nothing stored, when a finite value
 * overflows the type or the type is no float type. */
bool element_from_double(aic_dtype dtype, double value, void *at);

/* The bits of `value` as float16, rounded once to nearest even; infinity beyond its range. */
uint16_t element_half(double value);

/* Whether two elements are equal bit for bit, every NaN counting as equal. */
bool element_equal(aic_dtype dtype, const void *a, const void *b);

/* 64 random bits as a real in -1 .. 1. */
double element_uniform(uint64_t bits);

#endif
