/* Elements of tensors as numbers. */
#pragma once

#include <aic/aic.h>

bool element_is_float(aic_dtype dtype);

/* Whether it is an integer type that has negative values. */
bool element_is_signed(aic_dtype dtype);

/* The element at `at` (no alignment needed) as a number; uint64 above 2^53 is rounded. */
double element_to_double(aic_dtype dtype, const void *at);

/* Stores `value` as a float element, rounded once to nearest even. False, and nothing stored, when a finite value
 * overflows the type or the type is no float type. */
bool element_from_double(aic_dtype dtype, double value, void *at);

/* The bits of `value` as float16 or bfloat16, rounded once to nearest even; infinity beyond the range. */
uint16_t element_half(double value);
uint16_t element_bfloat(double value);

/* Whether two elements are equal bit for bit, every NaN counting as equal. */
bool element_equal(aic_dtype dtype, const void *a, const void *b);

/* Whether all bytes are 0. */
bool element_zeros(const unsigned char *bytes, size_t size);

/* The element as text: an integer, or a number with the bits that it is stored as, "0.5 (0x3800)". */
enum { ELEMENT_TEXT_MAX = 40 };
void element_text(aic_dtype dtype, const void *at, char text[ELEMENT_TEXT_MAX]);

/* 64 random bits as a real in -1 .. 1. */
double element_uniform(uint64_t bits);
