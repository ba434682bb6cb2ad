/* Half precision: every value, and every kind of rounding. */
#include "frontend/numeric/element.h"

#include <check.h>
#include <fenv.h>
#include <math.h>

Suite *suite_half(void);

/* The value of a half by its definition. */
static double defined_value(unsigned half)
{
    const double sign = half >> 15 ? -1.0 : 1.0;
    const int exponent = (int)(half >> 10 & 31);
    const int fraction = (int)(half & 1023);
    if (exponent == 31) {
        return fraction ? (double)NAN : sign * (double)INFINITY;
    }
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

START_TEST(every_half_round_trips)
{
    for (unsigned half = 0; half <= 0xFFFF; half++) {
        const double value = aic_half_to_double((uint16_t)half);
        const uint16_t back = aic_half_from_double(value);
        if (isnan(defined_value(half))) {
            ck_assert(isnan(value));
            ck_assert_uint_eq(back & 0x7C00, 0x7C00);
            ck_assert_uint_ne(back & 0x3FF, 0);
        } else {
            ck_assert(value == defined_value(half) && !signbit(value) == !(half >> 15));
            ck_assert_uint_eq(back, half);
        }
    }
}
END_TEST

/* Between every two neighbours: just below the middle, the middle (to even), just above. */
START_TEST(every_middle_rounds_to_even)
{
    for (unsigned half = 0; half < 0x7C00; half++) {
        const double low = aic_half_to_double((uint16_t)half);
        const double high = half == 0x7BFF ? 65536.0 : aic_half_to_double((uint16_t)(half + 1));
        const double middle = (low + high) / 2;
        const unsigned even = half + (half & 1);
        ck_assert_uint_eq(aic_half_from_double(nextafter(middle, 0)), half);
        ck_assert_uint_eq(aic_half_from_double(middle), even);
        ck_assert_uint_eq(aic_half_from_double(nextafter(middle, 1e9)), half + 1);
        ck_assert_uint_eq(aic_half_from_double(-middle), even | 0x8000);
    }
}
END_TEST

START_TEST(named_values)
{
    static const struct {
        double value;
        unsigned half;
    } rows[] = {
        {0.0, 0x0000},
        {-0.0, 0x8000},
        {0.1, 0x2E66},
        {65504.0, 0x7BFF},
        {65519.999, 0x7BFF},
        {65520.0, 0x7C00},
        {1e300, 0x7C00},
        {-1e300, 0xFC00},
        {5e-324, 0x0000},
        {-5e-324, 0x8000},
        {0x1p-25, 0x0000},
        {0x1.8p-25, 0x0001},
        {0x1.000001p-25, 0x0001},
        {0x1.ffep-15, 0x0400},
        {0x1p-14, 0x0400},
        {0x1.ff8p-15, 0x03FF},
        {(double)INFINITY, 0x7C00},
        {-(double)INFINITY, 0xFC00},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_msg(aic_half_from_double(rows[i].value) == rows[i].half, "%a gives %04x, not %04x", rows[i].value,
                      (unsigned)aic_half_from_double(rows[i].value), rows[i].half);
    }
}
END_TEST

START_TEST(rounding_mode_does_not_matter)
{
    fesetround(FE_UPWARD);
    const unsigned up = aic_half_from_double(0.1);
    fesetround(FE_TOWARDZERO);
    const unsigned cut = aic_half_from_double(1.0 / 3.0 * 2.0);
    fesetround(FE_TONEAREST);
    ck_assert_uint_eq(up, 0x2E66);
    ck_assert_uint_eq(cut, 0x3955);
}
END_TEST

Suite *suite_half(void)
{
    Suite *suite = suite_create("half");
    TCase *tcase = tcase_create("half");
    tcase_add_test(tcase, every_half_round_trips);
    tcase_add_test(tcase, every_middle_rounds_to_even);
    tcase_add_test(tcase, named_values);
    tcase_add_test(tcase, rounding_mode_does_not_matter);
    suite_add_tcase(suite, tcase);
    return suite;
}
