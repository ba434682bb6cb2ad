/* Scalars as text. Decimal numbers reach a short float type in one rounding: they are read as a double whose last bit
 * is set where the double is not exact (rounding to odd), which no later rounding can mistake for a tie. */
#include "frontend/text/scalar.h"

#include "frontend/core/diag.h"
#include "frontend/numeric/element.h"
#include "frontend/text/number.h"
#include "frontend/text/quant.h"
#include <aic/texpands.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool format_of(aic_dtype dtype, aic_float_format *format)
{
    static const aic_float_format formats[] = {
        [AIC_FLOAT16] = {5, 10}, [AIC_BFLOAT16] = {8, 7}, [AIC_FLOAT32] = {8, 23}};
    if (dtype != AIC_FLOAT16 && dtype != AIC_BFLOAT16 && dtype != AIC_FLOAT32) {
        return false;
    }
    *format = formats[dtype];
    return true;
}

static int bits_of(aic_dtype dtype)
{
    return (int)aic_dtype_size(dtype) * 8;
}

static bool is_signed(aic_dtype dtype)
{
    return dtype == AIC_INT8 || dtype == AIC_INT16 || dtype == AIC_INT32;
}

static uint64_t largest(int bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* ---- floats ---- */

static bool is_hexadecimal(const char *text, size_t length)
{
    const size_t at = length > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    return length - at >= 2 && text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X');
}

/* What a number that was read is as a literal. */
static aic_scalar_result literal_of(aic_number_result result)
{
    return result == AIC_NUMBER_OK        ? AIC_SCALAR_OK
           : result == AIC_NUMBER_TOO_BIG ? AIC_SCALAR_RANGE
                                          : AIC_SCALAR_MALFORMED;
}

static aic_scalar_result read_float(aic_dtype dtype, aic_float_format format, const char *text, size_t length,
                                    uint64_t *bits)
{
    if (is_hexadecimal(text, length)) {
        const aic_scalar_result pattern =
            text[0] == '0' ? literal_of(aic_bits_parse(text, length, bits)) : AIC_SCALAR_MALFORMED;
        return pattern == AIC_SCALAR_OK && *bits > largest(bits_of(dtype)) ? AIC_SCALAR_RANGE : pattern;
    }
    double value;
    const aic_scalar_result number = literal_of(aic_number_parse_odd(text, length, &value));
    if (number != AIC_SCALAR_OK) {
        return number;
    }
    const uint64_t infinity = largest(format.exponent_bits) << format.fraction_bits;
    *bits = aic_float_round(format, value);
    return isfinite(value) && (*bits & infinity) == infinity ? AIC_SCALAR_RANGE : AIC_SCALAR_OK;
}

/* ---- integers ---- */

static aic_scalar_result read_integer(aic_dtype dtype, const char *text, size_t length, uint64_t *bits)
{
    const uint64_t most = largest(bits_of(dtype));
    int64_t value = 0;
    const aic_number_result result =
        is_signed(dtype) ? aic_integer_parse(text, length, &value) : aic_bits_parse(text, length, bits);
    if (result == AIC_NUMBER_TOO_BIG) {
        return AIC_SCALAR_RANGE;
    }
    if (result != AIC_NUMBER_OK) { /* a negative value of an unsigned type is a literal nonetheless */
        return aic_integer_parse(text, length, &value) == AIC_NUMBER_OK ? AIC_SCALAR_RANGE : AIC_SCALAR_MALFORMED;
    }
    if (!is_signed(dtype)) {
        return *bits <= most ? AIC_SCALAR_OK : AIC_SCALAR_RANGE;
    }
    *bits = (uint64_t)value & most;
    return value >= -(int64_t)(most / 2) - 1 && value <= (int64_t)(most / 2) ? AIC_SCALAR_OK : AIC_SCALAR_RANGE;
}

aic_scalar_result aic_scalar_read(aic_dtype dtype, const char *text, size_t length, uint64_t *bits)
{
    aic_float_format format;
    if (format_of(dtype, &format)) {
        return read_float(dtype, format, text, length, bits);
    }
    return read_integer(dtype, text, length, bits);
}

void aic_scalar_limits(aic_dtype dtype, char text[AIC_SCALAR_LIMITS_MAX])
{
    aic_float_format format;
    const uint64_t most = largest(bits_of(dtype));
    if (format_of(dtype, &format)) {
        snprintf(text, AIC_SCALAR_LIMITS_MAX, "%s", aic_dtype_name(dtype));
    } else if (is_signed(dtype)) {
        snprintf(text, AIC_SCALAR_LIMITS_MAX, "-%" PRIu64 "..%" PRIu64, most / 2 + 1, most / 2);
    } else {
        snprintf(text, AIC_SCALAR_LIMITS_MAX, "0..%" PRIu64, most);
    }
}

/* Whether the text is a quantisation word by its parts, and what becomes of it. */
static bool read_quant(const char *text, aic_status *status, uint64_t *word)
{
    const char *at = text;
    const aic_quant_result result = aic_quant_read(&at, word);
    if (result != AIC_QUANT_OK || at[strspn(at, " \t\r\n\v\f")] != '\0') {
        *status = aic_fail(AIC_INVALID_ARGUMENT, "scalar", "\"%.60s\": %s", text,
                           aic_quant_fault(result == AIC_QUANT_OK ? AIC_QUANT_SYNTAX : result, at).text);
    }
    return result != AIC_QUANT_NONE;
}

aic_status aic_scalar_parse(aic_dtype dtype, const char *text, void *element)
{
    uint64_t bits = 0;
    aic_status status = AIC_OK;
    char limits[AIC_SCALAR_LIMITS_MAX];
    if (text == NULL || element == NULL || aic_dtype_size(dtype) == 0) {
        return aic_fail(AIC_INVALID_ARGUMENT, "scalar", "%s",
                        text == NULL      ? "the text is NULL"
                        : element == NULL ? "the element is NULL"
                                          : "the type is none");
    }
    if (dtype == AIC_UINT64 && read_quant(text, &status, &bits)) {
        memcpy(element, &bits, status == AIC_OK ? sizeof bits : 0);
        return status;
    }
    aic_scalar_limits(dtype, limits);
    switch (aic_scalar_read(dtype, text, strlen(text), &bits)) {
    case AIC_SCALAR_OK:
        memcpy(element, &bits, aic_dtype_size(dtype)); /* little-endian */
        return AIC_OK;
    case AIC_SCALAR_RANGE:
        return aic_fail(AIC_INVALID_ARGUMENT, "scalar", "%.60s is outside %s", text, limits);
    default:
        return aic_fail(AIC_INVALID_ARGUMENT, "scalar", "\"%.60s\" is not a value of %s", text, aic_dtype_name(dtype));
    }
}

/* ---- printing ---- */

/* A decimal with a point behind its first digits: "1.5", "1.0e+15". */
static void add_point(const char *number, char text[AIC_SCALAR_TEXT_MAX])
{
    const size_t digits = strcspn(number, ".e");
    snprintf(text, AIC_SCALAR_TEXT_MAX, "%.*s%s%s", (int)digits, number, number[digits] == '.' ? "" : ".0",
             number + digits);
}

/* Whole numbers in full, others by the fewest digits that read back. */
static void print_float(aic_dtype dtype, uint64_t bits, double value, char text[AIC_SCALAR_TEXT_MAX])
{
    enum { DIGITS_MAX = 9 }; /* tell any two float32 apart */
    char number[AIC_NUMBER_TEXT_MAX];
    const bool whole = value == floor(value) && fabs(value) < 1e9;
    uint64_t back = ~bits;
    for (int digits = 1; digits <= DIGITS_MAX && back != bits; digits++) {
        if (whole) {
            aic_number_print(value, number);
        } else {
            aic_number_print_digits(value, digits, number);
        }
        add_point(number, text);
        (void)aic_scalar_read(dtype, text, strlen(text), &back);
    }
}

void aic_scalar_print(aic_dtype dtype, uint64_t bits, char text[AIC_SCALAR_TEXT_MAX])
{
    aic_float_format format;
    if (!format_of(dtype, &format)) {
        const int unused = 64 - bits_of(dtype);
        if (is_signed(dtype)) { /* the sign bit goes to the top and back */
            snprintf(text, AIC_SCALAR_TEXT_MAX, "%" PRId64, (int64_t)(bits << unused) / ((int64_t)1 << unused));
        } else {
            snprintf(text, AIC_SCALAR_TEXT_MAX, "%" PRIu64, bits);
        }
        return;
    }
    const double value = aic_element_value(dtype, &bits);
    if (isfinite(value)) {
        print_float(dtype, bits, value, text);
    } else {
        snprintf(text, AIC_SCALAR_TEXT_MAX, "0x%0*" PRIX64, bits_of(dtype) / 4, bits);
    }
}
