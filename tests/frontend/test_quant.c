/* Quantisation words: from their parts and back, as text, and the warning of one that contradicts the result's type. */
#include "frontend/core/stage.h"

#include <aic/aic.h>
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

Suite *suite_quant(void);

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* The words of the document (AscendC Fixpipe, section 5) and of its ends. */
static const struct {
    float scale;
    int32_t offset;
    bool is_signed;
    uint64_t word;
    float kept; /* the scale that counts */
} known[] = {
    {0.5F, 0, true, UINT64_C(0x40003F000000), 0.5F},
    {0.5F, -3, true, UINT64_C(0x7FA03F000000), 0.5F},
    {0.5F, 10, false, UINT64_C(0x1403F000000), 0.5F},
    {1.0F, 0, false, UINT64_C(0x3F800000), 1.0F},
    {2.0F, -256, false, UINT64_C(0x200040000000), 2.0F},
    {2.0F, 255, true, UINT64_C(0x5FE040000000), 2.0F},
    {0.1F, 0, false, UINT64_C(0x3DCCC000), 0.0999755859375F}, /* 0x3DCCCCCD is nearer to it than to 0x3DCCE000 */
    {0.3F, 0, false, UINT64_C(0x3E99A000), 0.300048828125F},  /* 0x3E99999A, up */
    {0x1.002p0F, 0, false, UINT64_C(0x3F800000), 1},          /* ties, to even: down */
    {0x1.006p0F, 0, false, UINT64_C(0x3F804000), 0x1.008p0F}, /* and up */
    {0x1.002002p0F, 0, false, UINT64_C(0x3F802000), 0x1.004p0F},
    {0x1.fffp0F, 0, false, UINT64_C(0x40000000), 2},              /* a carry into the exponent */
    {0x1p-126F, 0, false, UINT64_C(0x00800000), 0x1p-126F},       /* the least */
    {0x1.fffp-127F, 0, false, UINT64_C(0x00800000), 0x1p-126F},   /* which this is nearest to */
    {0x1.ffcp127F, 0, false, UINT64_C(0x7F7FE000), 0x1.ffcp127F}, /* the largest */
    {0x1.ffdffep127F, 0, false, UINT64_C(0x7F7FE000), 0x1.ffcp127F},
};

/* Scales and offsets of which no word is made. */
static const struct {
    float scale;
    int32_t offset;
    const char *message;
} refused[] = {
#define SCALES " is not in 2^-126..2^128-2^117, of which words hold 11 significant bits"
    {0.0F, 0, "quant_word: scale: 0" SCALES},
    {-0.0F, 0, "quant_word: scale: -0" SCALES},
    {-0.5F, 0, "quant_word: scale: -0.5" SCALES},
    {INFINITY, 0, "quant_word: scale: inf" SCALES},
    {-INFINITY, 0, "quant_word: scale: -inf" SCALES},
    {NAN, 0, "quant_word: scale: nan" SCALES},
    {0x1p-149F, 0, "quant_word: scale: 1e-45" SCALES},
    {0x1.ffap-127F, 0, SCALES}, /* subnormal, and not next to the least */
    {0x1.ffep127F, 0, SCALES},  /* halfway to what would be 2^128 */
    {0x1.fffffep127F, 0, SCALES},
    {1, 256, "quant_word: offset: 256 is not in -256..255"},
    {1, -257, "quant_word: offset: -257 is not in -256..255"},
    {1, INT32_MAX, "quant_word: offset: 2147483647 is not in -256..255"},
    {1, INT32_MIN, "quant_word: offset: -2147483648 is not in -256..255"},
};

static uint64_t word_of(float scale, int32_t offset, bool is_signed)
{
    uint64_t word = 0;
    ck_assert_msg(aic_quant_word(scale, offset, is_signed, &word) == AIC_OK, "%s", aic_last_error());
    return word;
}

START_TEST(no_word_is_bent)
{
    uint64_t word = 77;
    ck_assert_int_eq(aic_quant_word(refused[_i].scale, refused[_i].offset, true, &word), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), refused[_i].message) != NULL, "%s", aic_last_error());
    ck_assert_uint_eq(word, 77);
}
END_TEST

/* Of all that 11 bits can say the one that is taken is nearest. */
START_TEST(scales_are_rounded_to_nearest)
{
    uint32_t bits = 0x00800000;
    for (int i = 0; i < 100000; i++) {
        bits = (bits * 1664525U + 1013904223U) & 0x7FFFFFFFU;
        float scale, below, above;
        const uint32_t cut = bits & 0xFFFFE000U, next = cut + 0x2000U;
        memcpy(&scale, &bits, sizeof scale);
        memcpy(&below, &cut, sizeof below);
        memcpy(&above, &next, sizeof above);
        if (cut < 0x00800000U || next >= 0x7F800000U) {
            continue;
        }
        const double got = (double)aic_quant_parts(word_of(scale, 0, true)).scale, wanted = (double)scale;
        ck_assert(fabs(got - wanted) <= fabs((double)below - wanted));
        ck_assert(fabs(got - wanted) <= fabs((double)above - wanted));
    }
}
END_TEST

START_TEST(words_of_the_document)
{
    const uint64_t word = word_of(known[_i].scale, known[_i].offset, known[_i].is_signed);
    ck_assert_msg(word == known[_i].word, "%" PRIx64, word);
    const aic_quant parts = aic_quant_parts(word);
    ck_assert(parts.scale == known[_i].kept);
    ck_assert_int_eq(parts.offset, known[_i].offset);
    ck_assert_int_eq(parts.is_signed, known[_i].is_signed);
    ck_assert_int_eq(parts.shift, 0);
}
END_TEST

START_TEST(offsets_and_shifts)
{
    for (int32_t offset = -256; offset <= 255; offset++) {
        ck_assert_int_eq(aic_quant_parts(word_of(1, offset, false)).offset, offset);
    }
    const aic_quant e5 = aic_quant_parts(UINT64_C(0x40133E800000)); /* example E5 of the document */
    ck_assert(e5.scale == 0.25F && e5.shift == 4 && e5.is_signed && e5.offset == 0);
    ck_assert_int_eq(aic_quant_parts(UINT64_C(0x1F) << 32).shift, 16);
    ck_assert_int_eq(aic_quant_parts(UINT64_C(0x0F) << 32).shift, 0); /* the shift does not count without MCB */
}
END_TEST

#define FIXPIPE "fixpipe(src=int32, dst=int8, nSize=16, mSize=1, srcStride=1, dstStride=16, quantPre=REQ8, deqScalar="

static const struct {
    const char *text;
    uint64_t word;
} texts[] = {
    {"quant(0.25,-3,int8)", UINT64_C(0x7FA03E800000)},
    {" quant ( 0.25 , -3 , i8 ) ", UINT64_C(0x7FA03E800000)},
    {"quant(0.5, 10, uint8)", UINT64_C(0x1403F000000)},
    {"quant(0.5)", UINT64_C(0x3F000000)},
    {"quant(0x3F000000)", UINT64_C(0x3F000000)},
    {"quant(1e-3, +255, u8)", UINT64_C(0x1FE03A832000)},
    {"quant(.3)", UINT64_C(0x3E99A000)}, /* to nearest */
};

START_TEST(text_is_the_word)
{
    char text[512];
    aic_spec spec;
    uint64_t word = 0;
    snprintf(text, sizeof text, FIXPIPE "%s)", texts[_i].text);
    ck_assert_msg(aic_spec_read(text, &spec) == AIC_OK, "%s", aic_last_error());
    ck_assert_msg(spec.stage[0].desc.fixpipe.deqScalar == texts[_i].word, "%" PRIx64,
                  spec.stage[0].desc.fixpipe.deqScalar);
    ck_assert_msg(aic_scalar_parse(AIC_UINT64, texts[_i].text, &word) == AIC_OK, "%s", aic_last_error());
    ck_assert_uint_eq(word, texts[_i].word);
}
END_TEST

static const struct {
    const char *text, *message;
} wrong[] = {
    {"quant()", "deqScalar: the scale \"\" is not a number of single precision (column 107)"},
    {"quant(x)", "the scale \"x\" is not a number of single precision (column 107)"},
    {"quant(1e60)", "the scale \"1e60\" is not a number of single precision (column 107)"},
    {"quant(0)", "the scale \"0\" is not in 2^-126..2^128-2^117, of which words hold 11 significant bits (column 107)"},
    {"quant(-.5)", "the scale \"-.5\" is not in 2^-126.."},
    {"quant(1e-40,0,int8)", "the scale \"1e-40\" is not in 2^-126.."},
    {"quant(nan)", "the scale \"nan\" is not in 2^-126.."},
    {"quant(inf)", "the scale \"inf\" is not in 2^-126.."},
    {"quant(3.4028e38)", "the scale \"3.4028e38\" is not in 2^-126.."},
    {"quant(1,)", "the offset \"\" is not an integer in -256..255 (column 109)"},
    {"quant(1,256,int8)", "the offset \"256\" is not an integer in -256..255 (column 109)"},
    {"quant(1,-257,int8)", "the offset \"-257\" is not an integer in -256..255 (column 109)"},
    {"quant(1,1.5,int8)", "the offset \"1.5\" is not an integer in -256..255 (column 109)"},
    {"quant(1,0,int16)", "the type \"int16\" is not int8 or uint8 (column 111)"},
    {"quant(1,0,unsigned_integer)", "the type \"unsigned_integer\" is not int8 or uint8 (column 111)"},
    {"quant(1,0,an_unsigned_integer_of_8)", "the type \"an_unsigned_integer_of_\" is not int8 or uint8 (column 111)"},
    {"quant(1\x01"
     "5)",
     "the scale \"1?5\" is not a number of single precision (column 107)"},
    {"quant(1\xC3)", "the scale \"1?\" is not a number of single precision (column 107)"},
    {"quant(1,0,)", "the type \"\" is not int8 or uint8 (column 111)"},
    {"quant(1,0)", "a word is quant(SCALE) or quant(SCALE, OFFSET, int8|uint8) (column 110)"},
    {"quant(1,0,int8,2)", "a word is quant(SCALE) or quant(SCALE, OFFSET, int8|uint8) (column 115)"},
    {"quant", "quant is not an integer of 64 bits without a sign, or quant(...) (column 101)"},
};

START_TEST(wrong_text)
{
    char text[512];
    aic_spec spec;
    uint64_t word = 77;
    snprintf(text, sizeof text, FIXPIPE "%s)", wrong[_i].text);
    ck_assert_int_eq(aic_spec_read(text, &spec), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), wrong[_i].message) != NULL, "%s", aic_last_error());
    ck_assert_int_eq(aic_scalar_parse(AIC_UINT64, wrong[_i].text, &word), AIC_INVALID_ARGUMENT);
    ck_assert_uint_eq(word, 77);
}
END_TEST

START_TEST(nothing_behind_a_word)
{
    static const char *const texts_behind[] = {"quant(1) 2", "quant(1))", " quant(1,0,int8),"};
    uint64_t word = 77;
    for (size_t i = 0; i < COUNT(texts_behind); i++) {
        ck_assert_int_eq(aic_scalar_parse(AIC_UINT64, texts_behind[i], &word), AIC_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(aic_last_error(), "a word is quant(SCALE) or quant(SCALE, OFFSET, int8|uint8)"));
        ck_assert_uint_eq(word, 77);
    }
}
END_TEST

START_TEST(only_where_64_bits_may_be)
{
    aic_spec spec;
    ck_assert_int_eq(aic_spec_read("mmad(dtype=int8, m=quant(1), n=1, k=1)", &spec), AIC_INVALID_ARGUMENT);
    int32_t word = 0;
    ck_assert_int_eq(aic_scalar_parse(AIC_INT32, "quant(1)", &word), AIC_INVALID_ARGUMENT);
}
END_TEST

/* "" for no warning. */
static const char *warning_of(aic_dtype dst, aic_quant_pre mode, uint64_t scalar, uint64_t *words)
{
    const int32_t src[16] = {1};
    uint8_t out[16 * sizeof(uint16_t)];
    aic_fixpipe_desc desc = aic_fixpipe_desc_init();
    desc.src = AIC_INT32, desc.dst = dst, desc.nSize = 16, desc.mSize = 1, desc.srcStride = 1, desc.dstStride = 16;
    desc.quantPre = mode, desc.deqScalar = scalar;
    const aic_spec spec = aic_spec_of(AIC_OP_FIXPIPE, &desc);
    void *operands[] = {out, (void *)(uintptr_t)src, words};
    (void)aic_take_warning();
    ck_assert_msg(aic_spec_advise(&spec, NULL, operands, 3) == AIC_OK, "%s", aic_last_error());
    const char *warning = aic_take_warning();
    return warning == NULL ? "" : warning;
}

START_TEST(contradiction_is_warned_of)
{
    const uint64_t is_signed = word_of(1, 0, true), is_unsigned = word_of(1, 0, false);
    uint64_t words[16];
    for (int i = 0; i < 16; i++) {
        words[i] = is_signed;
    }
    ck_assert_str_eq(warning_of(AIC_INT8, AIC_QUANT_REQ8, is_signed, NULL), "");
    ck_assert_str_eq(warning_of(AIC_UINT8, AIC_QUANT_REQ8, is_unsigned, NULL), "");
    ck_assert_str_eq(
        warning_of(AIC_INT8, AIC_QUANT_REQ8, is_unsigned, NULL),
        "fixpipe: deqScalar: 0x3f800000: says by bit 46 that results are 0..255, but dst is int8: bytes are "
        "stored as they are");
    ck_assert_ptr_nonnull(strstr(warning_of(AIC_UINT8, AIC_QUANT_REQ8, is_signed, NULL),
                                 "results are -128..127, but dst is "
                                 "uint8"));
    ck_assert_str_eq(warning_of(AIC_INT8, AIC_QUANT_VREQ8, 0, words), "");
    ck_assert_str_eq(warning_of(AIC_INT8, AIC_QUANT_VREQ8, is_unsigned, words),
                     "fixpipe: deqScalar: 0x3f800000: quantPre takes no word of the request, it has no effect");
    words[11] = is_unsigned;
    ck_assert_ptr_nonnull(strstr(warning_of(AIC_INT8, AIC_QUANT_VREQ8, 0, words),
                                 "cbufWorkspace: the word of column 11, 0x3f800000: says"));
    ck_assert_str_eq(warning_of(AIC_FLOAT16, AIC_QUANT_VDEQF16, 0, words), ""); /* bit 46 does not count */
}
END_TEST

Suite *suite_quant(void)
{
    Suite *suite = suite_create("quant");
    TCase *tests = tcase_create("quant");
    tcase_add_loop_test(tests, words_of_the_document, 0, COUNT(known));
    tcase_add_loop_test(tests, no_word_is_bent, 0, COUNT(refused));
    tcase_add_test(tests, scales_are_rounded_to_nearest);
    tcase_add_test(tests, offsets_and_shifts);
    tcase_add_loop_test(tests, text_is_the_word, 0, COUNT(texts));
    tcase_add_loop_test(tests, wrong_text, 0, COUNT(wrong));
    tcase_add_test(tests, only_where_64_bits_may_be);
    tcase_add_test(tests, nothing_behind_a_word);
    tcase_add_test(tests, contradiction_is_warned_of);
    suite_add_tcase(suite, tests);
    return suite;
}
