/* Data as bytes (frontend/core/bytes.h): what was written is read again, and what is damaged is bad and gives nothing.
 */
#include "frontend/core/bytes.h"

#include <check.h>
#include <string.h>

Suite *suite_bytes(void);

START_TEST(short_numbers)
{
    static const struct {
        uint64_t number;
        size_t bytes;
    } rows[] = {{0, 1}, {1, 2}, {255, 2}, {256, 3}, {UINT64_C(1) << 56, 9}, {UINT64_MAX, 9}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char bytes[9];
        aic_writer out = {.bytes = bytes, .capacity = sizeof bytes};
        aic_write_short(&out, rows[i].number);
        ck_assert_uint_eq(out.size, rows[i].bytes);
        aic_reader in = {.at = bytes, .left = out.size};
        ck_assert_uint_eq(aic_read_short(&in), rows[i].number);
        ck_assert(aic_read_done(&in));
        aic_reader cut = {.at = bytes, .left = out.size - 1};
        ck_assert_uint_eq(aic_read_short(&cut), 0);
        ck_assert(cut.bad);
    }
}
END_TEST

/* No number has more than 8 bytes, however many follow; and nothing is read of what is bad already. */
START_TEST(short_numbers_that_are_none)
{
    static const unsigned char nine[10] = {9, 1, 1, 1, 1, 1, 1, 1, 1, 1}, one[2] = {1, 7};
    aic_reader in = {.at = nine, .left = sizeof nine}, bad = {.at = one, .left = sizeof one, .bad = true};
    ck_assert_uint_eq(aic_read_short(&in), 0);
    ck_assert(in.bad);
    ck_assert_uint_eq(aic_read_short(&bad), 0);
    ck_assert(bad.bad && bad.left == sizeof one);
}
END_TEST

/* Of a buffer of four letters, with the end. */
START_TEST(texts_into_a_buffer)
{
    static const struct {
        const char *text;
        bool fits;
    } rows[] = {{"", true}, {"abc", true}, {"abcd", false}, {"abcdefgh", false}, {"a\nb", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned char bytes[16];
        char buffer[5] = "....";
        aic_writer out = {.bytes = bytes, .capacity = sizeof bytes};
        aic_write_text(&out, rows[i].text);
        aic_reader in = {.at = bytes, .left = out.size};
        aic_read_text_into(&in, buffer, 4);
        ck_assert_str_eq(buffer, rows[i].fits ? rows[i].text : "");
        ck_assert(in.bad == !rows[i].fits);
        ck_assert_int_eq(buffer[4], '\0');
    }
}
END_TEST

Suite *suite_bytes(void)
{
    Suite *suite = suite_create("bytes");
    TCase *tests = tcase_create("bytes");
    tcase_add_test(tests, short_numbers);
    tcase_add_test(tests, short_numbers_that_are_none);
    tcase_add_test(tests, texts_into_a_buffer);
    suite_add_tcase(suite, tests);
    return suite;
}
