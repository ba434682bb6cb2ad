/* Reals as text, the same in every locale and floating-point environment.
 *
 * The C library converts correctly but heeds the thread's locale (decimal comma) and environment; both are set aside
 * around the conversion. Floats become doubles and back by their bits: an instruction takes subnormal ones for 0 where
 * the caller has set that. */
#include "frontend/text/number.h"
#include "frontend/core/neutral.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the bits of a subnormal float count. */
#define SUBNORMAL 0x1p-149
#define SUBNORMAL_BITS UINT32_C(0x7fffff)

static double widen(uint32_t bits)
{
    float value;
    const double magnitude = (double)(bits & SUBNORMAL_BITS) * SUBNORMAL;
    memcpy(&value, &bits, sizeof value);
    return (bits & ~SUBNORMAL_BITS) << 1 != 0 ? (double)value : bits >> 31 != 0 ? -magnitude : magnitude;
}

/* A double that is a float's value. */
static void narrow(double number, float *value)
{
    const double magnitude = fabs(number);
    uint32_t bits = signbit(number) ? UINT32_C(1) << 31 : 0;
    if (magnitude < SUBNORMAL * (SUBNORMAL_BITS + 1)) {
        bits |= (uint32_t)(magnitude / SUBNORMAL);
        memcpy(value, &bits, sizeof bits);
    } else {
        *value = (float)number;
    }
}

/* The canonical text of a finite number with the fewest digits that tell it from its neighbours. */
static void print_finite(double value, bool single, char buffer[AIC_NUMBER_TEXT_MAX])
{
    aic_neutral n;
    aic_neutral_enter(&n);
    const int most = single ? 9 : 17;
    if (fabs(value) < (single ? 1e7 : 1e15) && value == floor(value)) {
        snprintf(buffer, AIC_NUMBER_TEXT_MAX, "%.0f", value);
    } else {
        for (int digits = 1; digits <= most; digits++) {
            snprintf(buffer, AIC_NUMBER_TEXT_MAX, "%.*g", digits, value);
            if ((single ? (double)strtof(buffer, NULL) : strtod(buffer, NULL)) == value) {
                break;
            }
        }
    }
    aic_neutral_leave(&n);
}

void aic_number_print(double value, char buffer[AIC_NUMBER_TEXT_MAX])
{
    if (isnan(value) || isinf(value)) {
        snprintf(buffer, AIC_NUMBER_TEXT_MAX, "%s%s", signbit(value) ? "-" : "", isnan(value) ? "nan" : "inf");
    } else {
        print_finite(value, false, buffer);
    }
}

void aic_float_print(float value, char buffer[AIC_NUMBER_TEXT_MAX])
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value)) {
        snprintf(buffer, AIC_NUMBER_TEXT_MAX, "0x%" PRIx32, bits);
    } else if (isinf(value)) {
        aic_number_print((double)value, buffer);
    } else {
        print_finite(widen(bits), true, buffer);
    }
}

void aic_number_print_digits(double value, int digits, char buffer[AIC_NUMBER_TEXT_MAX])
{
    aic_neutral n;
    aic_neutral_enter(&n);
    snprintf(buffer, AIC_NUMBER_TEXT_MAX, "%.*g", digits, value);
    aic_neutral_leave(&n);
}

/* The <ctype.h> functions heed the locale; these do not. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int hex_digit(char c)
{
    if (is_digit(c)) {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static size_t skip_digits(const char *text, size_t at, size_t length)
{
    while (at < length && is_digit(text[at])) {
        at++;
    }
    return at;
}

/* [+-] digits [. digits] [e [+-] digits], with a digit before or after the point. */
static bool is_decimal(const char *text, size_t length)
{
    size_t start = length > 0 && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    size_t at = skip_digits(text, start, length);
    size_t digits = at - start;
    if (at < length && text[at] == '.') {
        size_t fraction = at + 1;
        at = skip_digits(text, fraction, length);
        digits += at - fraction;
    }
    if (digits > 0 && at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += at < length && (text[at] == '+' || text[at] == '-');
        size_t exponent = at;
        at = skip_digits(text, exponent, length);
        digits = at > exponent ? digits : 0;
    }
    return digits > 0 && at == length;
}

/* Digits of a base into a magnitude; false when one is none. *overflow is set, not cleared. */
static bool read_digits(const char *text, size_t length, unsigned base, uint64_t *magnitude, bool *overflow)
{
    *magnitude = 0;
    for (size_t i = 0; i < length; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0 || (unsigned)digit >= base) {
            return false;
        }
        *overflow = *overflow || __builtin_mul_overflow(*magnitude, (uint64_t)base, magnitude) ||
                    __builtin_add_overflow(*magnitude, (uint64_t)digit, magnitude);
    }
    return length > 0;
}

/* Sign, prefix and magnitude of an integer. */
static aic_number_result read_integer(const char *text, size_t length, bool *negative, uint64_t *magnitude)
{
    *negative = length > 0 && text[0] == '-';
    size_t at = length > 0 && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    bool hex = length - at > 2 && text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X');
    at += hex ? 2 : 0;
    bool overflow = false;
    if (!read_digits(text + at, length - at, hex ? 16 : 10, magnitude, &overflow)) {
        return AIC_NUMBER_MALFORMED;
    }
    return overflow ? AIC_NUMBER_TOO_BIG : AIC_NUMBER_OK;
}

aic_number_result aic_integer_parse(const char *text, size_t length, int64_t *value)
{
    bool negative;
    uint64_t magnitude;
    aic_number_result result = read_integer(text, length, &negative, &magnitude);
    if (result != AIC_NUMBER_OK) {
        return result;
    }
    if (magnitude > (uint64_t)INT64_MAX + negative) {
        return AIC_NUMBER_TOO_BIG;
    }
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return AIC_NUMBER_OK;
}

aic_number_result aic_bits_parse(const char *text, size_t length, uint64_t *value)
{
    bool negative;
    uint64_t magnitude;
    aic_number_result result = read_integer(text, length, &negative, &magnitude);
    if (result == AIC_NUMBER_OK && negative && magnitude != 0) {
        return AIC_NUMBER_MALFORMED;
    }
    if (result == AIC_NUMBER_OK) {
        *value = magnitude;
    }
    return result;
}

/* inf and nan are read so that the rules of the operator, not the text, refuse them by name. */
static bool read_special(const char *text, size_t length, double *value)
{
    bool negative = length > 0 && text[0] == '-';
    size_t at = length > 0 && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    if (length - at != 3) {
        return false;
    }
    if (memcmp(text + at, "inf", 3) == 0) {
        *value = negative ? -(double)INFINITY : (double)INFINITY;
        return true;
    }
    *value = copysign((double)NAN, negative ? -1.0 : 1.0);
    return memcmp(text + at, "nan", 3) == 0;
}

/* Rounded to odd: one of the two neighbours of what the text says, unless it is exact. */
static double convert_odd(const char *text)
{
    fesetround(FE_DOWNWARD);
    const double low = strtod(text, NULL);
    fesetround(FE_UPWARD);
    const double high = strtod(text, NULL);
    uint64_t bits;
    memcpy(&bits, &low, sizeof bits);
    return low == high || (bits & 1) != 0 ? low : high;
}

static double convert(const char *text)
{
    return strtod(text, NULL);
}

static double convert_single(const char *text)
{
    return (double)strtof(text, NULL);
}

typedef double converter(const char *text);

/* A decimal number. */
static aic_number_result parse_decimal(const char *text, size_t length, converter *converted, double *value)
{
    if (length > AIC_NUMBER_LENGTH_MAX) {
        return AIC_NUMBER_TOO_BIG;
    }
    char copy[AIC_NUMBER_LENGTH_MAX + 1];
    memcpy(copy, text, length);
    copy[length] = '\0';
    aic_neutral n;
    aic_neutral_enter(&n);
    double number = converted(copy);
    aic_neutral_leave(&n);
    if (isinf(number)) {
        return AIC_NUMBER_TOO_BIG;
    }
    *value = number;
    return AIC_NUMBER_OK;
}

/* A number whose integers are values. */
static aic_number_result parse(const char *text, size_t length, converter *converted, double *value)
{
    double special;
    if (read_special(text, length, &special)) {
        *value = special;
        return AIC_NUMBER_OK;
    }
    if (is_decimal(text, length)) {
        return parse_decimal(text, length, converted, value);
    }
    bool negative;
    uint64_t magnitude;
    aic_number_result result = read_integer(text, length, &negative, &magnitude);
    if (result == AIC_NUMBER_OK) {
        *value = negative ? -(double)magnitude : (double)magnitude;
    }
    return result;
}

aic_number_result aic_number_parse(const char *text, size_t length, double *value)
{
    return parse(text, length, convert, value);
}

aic_number_result aic_number_parse_odd(const char *text, size_t length, double *value)
{
    return parse(text, length, convert_odd, value);
}

aic_number_result aic_float_parse(const char *text, size_t length, float *value)
{
    double number = 0;
    if (read_special(text, length, &number)) {
        narrow(number, value);
        return AIC_NUMBER_OK;
    }
    if (is_decimal(text, length)) {
        aic_number_result result = parse_decimal(text, length, convert_single, &number);
        narrow(number, value);
        return result;
    }
    uint64_t bits;
    aic_number_result result = aic_bits_parse(text, length, &bits);
    if (result == AIC_NUMBER_OK && bits > UINT32_MAX) {
        return AIC_NUMBER_TOO_BIG;
    }
    if (result == AIC_NUMBER_OK) {
        const uint32_t word = (uint32_t)bits;
        memcpy(value, &word, sizeof word);
    }
    return result;
}
