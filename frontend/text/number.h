/* Reals as text, the same in every locale and rounding mode. */
#pragma once

#include <aic/types.h>

/* Enough for any text that aic_number_print() writes. */
#define AIC_NUMBER_TEXT_MAX 32

/* The longest text aic_number_parse() reads. */
#define AIC_NUMBER_LENGTH_MAX 400

/* Writes the canonical text: integral values below 1e15 without exponent ("-0" for negative zero), else the
 * shortest decimal that reads back equal; "inf", "-inf", "nan", "-nan". */
void aic_number_print(double value, char buffer[AIC_NUMBER_TEXT_MAX]);

/* The same for a float: the shortest decimal that reads back equal, NaN by its bits in hexadecimal. */
void aic_float_print(float value, char buffer[AIC_NUMBER_TEXT_MAX]);
/* Writes `value`, finite, with this many significant digits, 1 to 17, trailing zeros left out. */
void aic_number_print_digits(double value, int digits, char buffer[AIC_NUMBER_TEXT_MAX]);

typedef enum aic_number_result {
    AIC_NUMBER_OK,
    AIC_NUMBER_MALFORMED,
    AIC_NUMBER_TOO_BIG /* finite text beyond the range of the type, or too long */
} aic_number_result;

/* Reads `length` characters: a decimal number, a hexadecimal integer, inf or nan, with an optional sign. */
aic_number_result aic_number_parse(const char *text, size_t length, double *value);

/* The same for a float, but that a hexadecimal integer without sign is its bits. */
aic_number_result aic_float_parse(const char *text, size_t length, float *value);
/* The same, but a decimal number that no double equals becomes the one of its two neighbours whose last bit is 1, so
 * that rounding the result to a type of at most 51 bits is the same as rounding the text. Too large: the largest
 * double. */
aic_number_result aic_number_parse_odd(const char *text, size_t length, double *value);

/* Reads `length` characters, of any number: a decimal or hexadecimal (0x) integer with an optional sign. */
aic_number_result aic_integer_parse(const char *text, size_t length, int64_t *value);

/* The same for 64 bits without a sign. */
aic_number_result aic_bits_parse(const char *text, size_t length, uint64_t *value);
