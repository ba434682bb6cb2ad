/* The references' numbers against the library's other conversions, which share no code with them. */
#include "frontend/numeric/element.h"
#include "frontend/reference/value.h"
#include "tests/claims.h"
#include "tools/harness/rng.h"

#include <check.h>
#include <math.h>
#include <string.h>

Suite *suite_reference_values(void);

static bool same(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : a == b && !signbit(a) == !signbit(b);
}

START_TEST(every_short_float)
{
    for (unsigned i = 0; i <= 0xFFFF; i++) {
        const uint16_t bits = (uint16_t)i;
        const double half = aic_reference_value(AIC_FLOAT16, &bits), bfloat = aic_reference_value(AIC_BFLOAT16, &bits);
        ck_assert_msg(same(half, aic_half_to_double(bits)), "float16 %04x", i);
        ck_assert_msg(same(bfloat, (double)aic_bfloat16_to_float(bits)), "bfloat16 %04x", i);
        if (!isnan(half)) {
            ck_assert_uint_eq(aic_reference_float16(half, AIC_OVERFLOW_IEEE), bits);
        }
        if (!isnan(bfloat)) {
            ck_assert_uint_eq(aic_reference_bfloat16(bfloat, AIC_OVERFLOW_IEEE), bits);
        }
    }
}
END_TEST

/* Of doubles at random, many of them at or next to the middle between two halves. */
START_TEST(rounding)
{
    uint64_t state = claims_seed((uint64_t)_i);
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = rng_next(&state);
        double value;
        if (bits % 2 == 0) {
            const uint16_t low = (uint16_t)(rng_next(&state) & 0x7BFF), high = (uint16_t)(low + 1);
            value = (aic_half_to_double(low) + aic_half_to_double(high)) / 2;
            value = bits % 3 == 0 ? nextafter(value, 1e9) : bits % 3 == 1 ? nextafter(value, 0) : value;
            value = bits & 1024 ? -value : value;
        } else {
            memcpy(&value, &bits, sizeof value);
        }
        const uint16_t half = aic_half_from_double(value), got = aic_reference_float16(value, AIC_OVERFLOW_IEEE);
        ck_assert_msg(isnan(value) ? isnan(aic_half_to_double(got)) : got == half, "%a: %04x, not %04x", value, got,
                      half);
        const float single = (float)value;
        const uint16_t bfloat = aic_reference_bfloat16((double)single, AIC_OVERFLOW_IEEE);
        ck_assert_msg(isnan(single) ? isnan(aic_bfloat16_to_float(bfloat)) : bfloat == aic_bfloat16_from_float(single),
                      "%a: %04x", (double)single, bfloat);
    }
}
END_TEST

START_TEST(saturation)
{
    static const struct {
        double value;
        uint16_t half, bfloat;
    } rows[] = {
        {65504, 0x7BFF, 0x4780},
        {65519.99, 0x7BFF, 0x4780},
        {65520, 0x7BFF, 0x4780},
        {-1e30, 0xFBFF, 0xF14A},
        {3.4e38, 0x7BFF, 0x7F7F},
        {(double)INFINITY, 0x7BFF, 0x7F7F},
        {-(double)INFINITY, 0xFBFF, 0xFF7F},
        {(double)NAN, 0, 0},
        {-(double)NAN, 0, 0},
        {-0.0, 0x8000, 0x8000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_uint_eq(aic_reference_float16(rows[i].value, AIC_OVERFLOW_SATURATE), rows[i].half);
        ck_assert_uint_eq(aic_reference_bfloat16(rows[i].value, AIC_OVERFLOW_SATURATE), rows[i].bfloat);
    }
}
END_TEST

START_TEST(other_types)
{
    static const unsigned char ones[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    static const struct {
        aic_dtype dtype;
        double value;
    } rows[] = {{AIC_INT8, -1},  {AIC_UINT8, 255},         {AIC_INT16, -1},     {AIC_UINT16, 65535},
                {AIC_INT32, -1}, {AIC_UINT32, 4294967295}, {AIC_UINT64, 0x1p64}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_double_eq(aic_reference_value(rows[i].dtype, ones), rows[i].value);
        ck_assert_double_eq(aic_element_value(rows[i].dtype, ones), rows[i].value); /* the library's own */
    }
    ck_assert_double_eq(aic_reference_value(AIC_DTYPE_NONE, ones), 0);
    ck_assert_double_eq(aic_element_value(AIC_DTYPE_NONE, ones), 0);
}
END_TEST

Suite *suite_reference_values(void)
{
    Suite *suite = suite_create("reference_values");
    TCase *tcase = tcase_create("reference_values");
    tcase_add_test(tcase, every_short_float);
    tcase_add_loop_test(tcase, rounding, 0, 4);
    tcase_add_test(tcase, saturation);
    tcase_add_test(tcase, other_types);
    suite_add_tcase(suite, tcase);
    return suite;
}
