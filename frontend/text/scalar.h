/* Scalars as text: one element of any type (PTO ISA TEXPANDS). */
#pragma once

#include <aic/types.h>

typedef enum aic_scalar_result {
    AIC_SCALAR_OK,
    AIC_SCALAR_MALFORMED, /* not a literal of this type */
    AIC_SCALAR_RANGE      /* a literal, but the type cannot represent it */
} aic_scalar_result;

/* Reads `length` characters as the bits of an element: an integer; for float types a decimal number, rounded once, a
 * hexadecimal bit pattern, inf, -inf or nan. */
aic_scalar_result aic_scalar_read(aic_dtype dtype, const char *text, size_t length, uint64_t *bits);

/* "-128..127", or "float16" for float types: what can be represented, for messages. */
#define AIC_SCALAR_LIMITS_MAX 48
void aic_scalar_limits(aic_dtype dtype, char text[AIC_SCALAR_LIMITS_MAX]);

/* Writes the literal that reads back to the same bits: integers in decimal, finite floats with a point, other floats as
 * bit pattern. PTO-AS' grammar has no inf and nan. */
#define AIC_SCALAR_TEXT_MAX 40
void aic_scalar_print(aic_dtype dtype, uint64_t bits, char text[AIC_SCALAR_TEXT_MAX]);
