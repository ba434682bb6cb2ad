/* Numbers as text: one form for each, in every locale and rounding mode; integers where real numbers may stand. */
#include "frontend/core/field.h"
#include "frontend/text/number.h"

#include <check.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <string.h>

Suite *suite_numbers(void);

static const struct {
    double value;
    const char *text;
} numbers[] = {
    {0.0, "0"},
    {-0.0, "-0"},
    {1.0, "1"},
    {-128.0, "-128"},
    {65504.0, "65504"},
    {999999999999999.0, "999999999999999"},
    {1e15, "1e+15"},
    {0.1, "0.1"},
    {0.5, "0.5"},
    {-2.5, "-2.5"},
    {1.0 / 3.0, "0.3333333333333333"},
    {0.1 + 0.2, "0.30000000000000004"},
    {0.0999755859375, "0.0999755859375"},
    {5e-324, "5e-324"},
    {1.7976931348623157e308, "1.7976931348623157e+308"},
    {2.2250738585072014e-308, "2.2250738585072014e-308"},
    {(double)NAN, "nan"},
    {-(double)NAN, "-nan"},
};

/* In whatever locale with a decimal comma this host has, and in every rounding mode. */
START_TEST(numbers_are_canonical)
{
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8"};
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    char text[AIC_NUMBER_TEXT_MAX];
    for (size_t l = 0; l < sizeof locales / sizeof locales[0]; l++) {
        setlocale(LC_ALL, locales[l]);
        for (size_t m = 0; m < sizeof modes / sizeof modes[0]; m++) {
            for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
                double back = 0;
                fesetround(modes[m]);
                aic_number_print(numbers[i].value, text);
                const aic_number_result parsed = aic_number_parse(text, strlen(text), &back);
                const int mode_after = fegetround();
                fesetround(FE_TONEAREST);
                ck_assert_str_eq(text, numbers[i].text);
                ck_assert_int_eq(parsed, AIC_NUMBER_OK);
                ck_assert_uint_eq(aic_bits_of_double(back), aic_bits_of_double(numbers[i].value));
                ck_assert_int_eq(mode_after, modes[m]);
            }
        }
    }
    setlocale(LC_ALL, "C");
}
END_TEST

/* Floats are the same where the caller rounds upwards and, where the host can, takes subnormal numbers for 0. */
START_TEST(floats_are_canonical)
{
    static const struct {
        uint32_t bits;
        const char *text;
    } floats[] = {{0, "0"},
                  {0x80000000, "-0"},
                  {1, "1e-45"},
                  {0x80000001, "-1e-45"},
                  {0x000002ca, "1e-42"},
                  {0x007fffff, "1.1754942e-38"},
                  {0x807fffff, "-1.1754942e-38"},
                  {0x00800000, "1.1754944e-38"},
                  {0x3dcccccd, "0.1"},
                  {0x7f7fffff, "3.4028235e+38"},
                  {0x7f800000, "inf"},
                  {0xff800000, "-inf"},
                  {0x7fc12345, "0x7fc12345"}};
    char text[AIC_NUMBER_TEXT_MAX];
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++) {
        float value, back = 0;
        fenv_t before;
        memcpy(&value, &floats[i].bits, sizeof value);
        fegetenv(&before);
        fesetround(FE_UPWARD);
#ifdef __SSE2__
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#endif
        aic_float_print(value, text);
        const aic_number_result parsed = aic_float_parse(text, strlen(text), &back);
        fesetenv(&before);
        ck_assert_str_eq(text, floats[i].text);
        ck_assert_int_eq(parsed, AIC_NUMBER_OK);
        ck_assert_uint_eq(aic_bits_of_float(back), floats[i].bits);
    }
}
END_TEST

/* Real fields take integers, too, whose signs and ranges are their own. */
START_TEST(integers_are_numbers)
{
    static const struct {
        const char *text;
        aic_number_result result;
        double value;
    } forms[] = {{"0x10", AIC_NUMBER_OK, 16},
                 {"-0x10", AIC_NUMBER_OK, -16},
                 {"0x10000000000000000", AIC_NUMBER_TOO_BIG, 0},
                 {"0x", AIC_NUMBER_MALFORMED, 0}};
    float narrow;
    uint64_t bits = 0;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        double value = 0;
        ck_assert_int_eq(aic_number_parse(forms[i].text, strlen(forms[i].text), &value), forms[i].result);
        ck_assert(value == forms[i].value);
    }
    ck_assert_int_eq(aic_float_parse("0x100000000", strlen("0x100000000"), &narrow), AIC_NUMBER_TOO_BIG);
    ck_assert_int_eq(aic_bits_parse("-0", strlen("-0"), &bits), AIC_NUMBER_OK);
    ck_assert_int_ne(aic_bits_parse("-1", strlen("-1"), &bits), AIC_NUMBER_OK);
}
END_TEST

Suite *suite_numbers(void)
{
    Suite *suite = suite_create("numbers");
    TCase *tcase = tcase_create("numbers");
    tcase_add_test(tcase, numbers_are_canonical);
    tcase_add_test(tcase, floats_are_canonical);
    tcase_add_test(tcase, integers_are_numbers);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
