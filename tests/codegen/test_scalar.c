/* Scalars of texpands as text (section 2.4). */
#include "frontend/text/number.h"

#include <aic/aic.h>
#include <check.h>
#include <inttypes.h>
#include <string.h>

Suite *suite_scalar(void);

static const struct {
    aic_dtype dtype;
    const char *text;
    uint32_t bits;
    const char *message; /* NULL: legal */
} scalars[] = {
    {AIC_INT8, "-2", 0xFE, NULL},
    {AIC_INT8, "-128", 0x80, NULL},
    {AIC_INT8, "128", 0, "scalar: 128 is outside -128..127"},
    {AIC_INT8, "0xFF", 0, "scalar: 0xFF is outside -128..127"},
    {AIC_UINT8, "0xFF", 0xFF, NULL},
    {AIC_UINT8, "-1", 0, "scalar: -1 is outside 0..255"},
    {AIC_UINT8, "1.0", 0, "scalar: \"1.0\" is not a value of uint8"},
    {AIC_INT16, "-32768", 0x8000, NULL},
    {AIC_UINT16, "65536", 0, "scalar: 65536 is outside 0..65535"},
    {AIC_INT32, "-2147483648", 0x80000000, NULL},
    {AIC_INT32, "2147483648", 0, "scalar: 2147483648 is outside -2147483648..2147483647"},
    {AIC_UINT32, "4294967295", 0xFFFFFFFF, NULL},
    {AIC_UINT32, "99999999999999999999", 0, "scalar: 99999999999999999999 is outside 0..4294967295"},
    {AIC_FLOAT32, "1.5", 0x3FC00000, NULL},
    {AIC_FLOAT32, "-0.0", 0x80000000, NULL},
    {AIC_FLOAT32, "1", 0x3F800000, NULL},
    {AIC_FLOAT32, "0x3F800000", 0x3F800000, NULL},
    {AIC_FLOAT32, "0x1FFFFFFFF", 0, "scalar: 0x1FFFFFFFF is outside float32"},
    {AIC_FLOAT32, "-0x1", 0, "scalar: \"-0x1\" is not a value of float32"},
    {AIC_FLOAT32, "inf", 0x7F800000, NULL},
    {AIC_FLOAT32, "-inf", 0xFF800000, NULL},
    {AIC_FLOAT32, "nan", 0x7FC00000, NULL},
    {AIC_FLOAT32, "-nan", 0xFFC00000, NULL},
    {AIC_FLOAT16, "-nan", 0xFE00, NULL},
    {AIC_FLOAT32, "1e39", 0, "scalar: 1e39 is outside float32"},
    {AIC_FLOAT32, "1e999", 0, "scalar: 1e999 is outside float32"},
    {AIC_FLOAT32, "3.4028235677973367e38", 0, "scalar: 3.4028235677973367e38 is outside float32"},
    {AIC_FLOAT32, "3.4028235677973366e38", 0x7F7FFFFF, NULL},
    {AIC_FLOAT32, "1e-46", 0, NULL},
    {AIC_FLOAT32, "1.401298464324817e-45", 1, NULL},
    {AIC_FLOAT16, "65504", 0x7BFF, NULL},
    {AIC_FLOAT16, "65519.999", 0x7BFF, NULL},
    {AIC_FLOAT16, "65520", 0, "scalar: 65520 is outside float16"},
    {AIC_FLOAT16, "1.00048828125", 0x3C00, NULL},                       /* a tie: to even */
    {AIC_FLOAT16, "1.000488281250000000000000000001", 0x3C01, NULL},    /* more than a tie, though no double tells */
    {AIC_FLOAT16, "1.001464843749999999999999999999999", 0x3C01, NULL}, /* less than one */
    {AIC_FLOAT16, "-5.9604644775390625e-8", 0x8001, NULL},
    {AIC_FLOAT16, "2.98023223876953125e-8", 0, NULL},
    {AIC_BFLOAT16, "1.00390625", 0x3F80, NULL},
    {AIC_BFLOAT16, "1.0039062500000000000000001", 0x3F81, NULL},
    {AIC_BFLOAT16, "3.4e38", 0, "scalar: 3.4e38 is outside bfloat16"},
    {AIC_BFLOAT16, "nan", 0x7FC0, NULL},
    {AIC_FLOAT32, "", 0, "scalar: \"\" is not a value of float32"},
    {AIC_FLOAT32, "one", 0, "scalar: \"one\" is not a value of float32"},
    {AIC_DTYPE_NONE, "1", 0, "scalar: the type is none"},
};

START_TEST(scalar_texts)
{
    uint32_t bits = 0;
    const aic_status status = aic_scalar_parse(scalars[_i].dtype, scalars[_i].text, &bits);
    if (scalars[_i].message != NULL) {
        ck_assert_int_eq(status, AIC_INVALID_ARGUMENT);
        ck_assert_str_eq(aic_last_error(), scalars[_i].message);
        ck_assert_uint_eq(bits, 0);
    } else {
        ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
        ck_assert_msg(bits == scalars[_i].bits, "%s: 0x%" PRIX32, scalars[_i].text, bits);
    }
}
END_TEST

/* Bits of floats, and numbers that are none of a type. */
START_TEST(scalars_of_floats)
{
    static const struct {
        aic_dtype dtype;
        const char *text, *message; /* NULL: it is one */
    } rows[] = {
        {AIC_FLOAT32, "0x3f800000", NULL},
        {AIC_FLOAT32, "0x1ffffffff", "0x1ffffffff"},
        {AIC_FLOAT32, "0x1ffffffffffffffff", "0x1ffffffffffffffff"},
        {AIC_FLOAT16, "0x10000", "0x10000"},
        {AIC_FLOAT16, "0x", "0x"},
        {AIC_FLOAT16, "-0x1", "-0x1"},
        {AIC_FLOAT32, "1e39", "1e39"},
        {AIC_FLOAT32, "1e999", "1e999"},
        {AIC_FLOAT32, "one", "one"},
        {AIC_FLOAT32, "1e+", "1e+"},
        {AIC_FLOAT32, "", "\"\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t bits = 77;
        const aic_status status = aic_scalar_parse(rows[i].dtype, rows[i].text, &bits);
        ck_assert_msg(status == (rows[i].message == NULL ? AIC_OK : AIC_INVALID_ARGUMENT), "%s", rows[i].text);
        ck_assert_uint_eq(bits, rows[i].message == NULL ? 0x3f800000 : 77);
        ck_assert(rows[i].message == NULL || strstr(aic_last_error(), rows[i].message) != NULL);
    }
    char digits[AIC_NUMBER_LENGTH_MAX + 2]; /* more than are read, although the number is one */
    uint32_t bits = 77;
    memset(digits, '0', sizeof digits);
    digits[0] = '1', digits[1] = '.', digits[sizeof digits - 1] = '\0';
    ck_assert_int_eq(aic_scalar_parse(AIC_FLOAT32, digits, &bits), AIC_INVALID_ARGUMENT);
    ck_assert_uint_eq(bits, 77);
    digits[sizeof digits - 2] = '\0';
    ck_assert_int_eq(aic_scalar_parse(AIC_FLOAT32, digits, &bits), AIC_OK);
    ck_assert_uint_eq(bits, 0x3f800000);
}
END_TEST

Suite *suite_scalar(void)
{
    Suite *suite = suite_create("scalar");
    TCase *tcase = tcase_create("scalar");
    tcase_add_loop_test(tcase, scalar_texts, 0, (int)(sizeof scalars / sizeof scalars[0]));
    tcase_add_test(tcase, scalars_of_floats);
    suite_add_tcase(suite, tcase);
    return suite;
}
