/* The arithmetic of epilogues where it may go wrong: sums, shifts and products around ties, around the limits of every
 * step and of int32, for every field of quantisation words and every half. Kernels take several ways through it, by
 * what the columns of a call need; each is compared with the reference on every instruction set that runs here. */
#include "codegen/epilogue/epilogue.h"
#include "frontend/core/stage.h"
#include "frontend/numeric/element.h"
#include "tests/claims.h"
#include "tests/levels.h"
#include "tests/specs.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_epilogues(void);

enum { COLUMNS = 64, BLOCK = 16, ROWS = 1024, ELEMENTS = COLUMNS * ROWS, ROUNDS = 4, OTHERS = 2 };

static uint64_t state;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Within low..high. */
static int pick(int low, int high)
{
    return low + (int)(random_bits() % (uint64_t)(high - low + 1));
}

/* Where row `row` of a column lies in the source: blocks of 16 columns. */
static size_t index_at(int column, int row)
{
    return (size_t)column / BLOCK * BLOCK * ROWS + (size_t)row * BLOCK + (size_t)column % BLOCK;
}

/* The level's kernel and the reference, operands after the result, in a round: levels but the highest native one see
 * every OTHERS-th. */
static void compare(int level, int round, const char *text, void *a, void *b, void *c, size_t size)
{
    static unsigned char got[ELEMENTS * 2], expected[ELEMENTS * 2];
    aic_context_options options = aic_context_options_init();
    const aic_spec spec = spec_of(text);
    const size_t operands = spec.stage[0].op == AIC_OP_FIXPIPE ? 3 : 4;
    aic_context *context;
    if (!levels_is_sampled(level, &spec, (uint64_t)round, 1, OTHERS)) {
        return;
    }
    options.isa = levels_name(level);
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    memset(got, 0, sizeof got);
    ck_assert_msg(aic_jit_spec(context, &spec, (void *[]){got, a, b, c}, operands) == AIC_OK, "%s: %s", text,
                  aic_last_error());
    run_reference(&spec, NULL, (void *[]){expected, a, b, c}, operands);
    size_t same = 0; /* an assertion an element takes long */
    while (same < ELEMENTS && memcmp(got + same * size, expected + same * size, size) == 0) {
        same++;
    }
    ck_assert_msg(same == ELEMENTS, "%s, %s: element %zu", options.isa, text, same);
    aic_context_destroy(context);
}

/* ---- words ---- */

/* What words a call has: those of the fastest loop, without offsets and of the result's own type; with offsets; with
 * shifts and any offset; with any scale, too; with scales around 1, round by round, where products first leave int32.
 */
typedef enum word_kind { LEVEL, USUAL, LIMITED, ANY, AROUND_1, KINDS } word_kind;

static double scale_of(uint64_t word)
{
    const uint32_t bits = (uint32_t)word & 0xFFFFE000;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

static int shift_of(uint64_t word)
{
    return word >> 36 & 1 ? (int)(word >> 32 & 15) + 1 : 0;
}

/* For results of type int8 or uint8. */
static uint64_t random_word(word_kind kind, int round, bool int8)
{
    const uint64_t is_signed = kind == LEVEL ? int8 : random_bits() & 1, negative = kind != LEVEL && random_bits() & 1;
    const uint64_t shift = (kind == LIMITED || kind == ANY) && pick(0, 2) > 0 ? 0x10 | (random_bits() & 15) : 0;
    const int exponent = kind == ANY ? pick(1, 254) : kind == AROUND_1 ? 126 + round / 2 : pick(127 - 14, 126);
    const int offset = kind == LEVEL ? 0 : kind == USUAL ? pick(0, 256) - (is_signed ? 128 : 0) : pick(-256, 255);
    const uint64_t mantissa = pick(0, 3) == 0 ? 0 : random_bits() & 0x3FF;
    return negative << 31 | (uint64_t)exponent << 23 | mantissa << 13 | shift << 32 |
           ((uint64_t)(offset == 256 ? 255 : offset) & 0x1FF) << 37 | is_signed << 46;
}

/* A source whose product is near half an integer of the 9 bits or one beyond, near an end of the shift's 16 bits or of
 * int32, or anything. */
static double interesting(uint64_t word)
{
    static const double ends[] = {-2147483648.0, 2147483647.0, -16777216.0, 16777216.0, 0};
    const double quantum = ldexp(1, shift_of(word)), scale = scale_of(word);
    switch (pick(0, 4)) {
    case 0:
        return ends[pick(0, 4)] + pick(-3, 3);
    case 1:
        return pick(0, 1) ? 32768 * quantum + pick(-3, 3) : -32768 * quantum + pick(-3, 3);
    case 2:
        return (double)(int32_t)random_bits();
    default:
        return pick(-600, 600) * 0.5 / scale * quantum + pick(-2, 2) * (pick(0, 1) ? 1 : quantum);
    }
}

static int32_t to_int32(double x)
{
    return x >= 2147483647.0 ? INT32_MAX : x <= -2147483648.0 ? INT32_MIN : (int32_t)x;
}

START_TEST(words)
{
    static int32_t source[ELEMENTS];
    static uint64_t word[COLUMNS];
    const int level = _i / KINDS;
    char text[200];
    state = claims_seed(88172645463325252U + (uint64_t)_i);
    for (int round = 0; round < ROUNDS; round++) {
        for (int n = 0; n < COLUMNS; n++) {
            word[n] = random_word((word_kind)(_i % KINDS), round, true);
            for (int row = 0; row < ROWS; row++) {
                source[index_at(n, row)] = to_int32(interesting(word[n]));
            }
        }
        snprintf(text, sizeof text,
                 "fixpipe(src=int32, dst=int8, quantPre=VREQ8, nSize=%d, mSize=%d, srcStride=%d, dstStride=%d, "
                 "reluEn=%s)",
                 COLUMNS, ROWS, ROWS, COLUMNS, round % 2 ? "true" : "false");
        compare(level, round, text, source, word, NULL, 1);
        for (int i = 0; i < ELEMENTS; i++) { /* one word for all */
            source[i] = to_int32(interesting(word[0]));
        }
        snprintf(text, sizeof text,
                 "fixpipe(src=int32, dst=int8, quantPre=REQ8, nSize=%d, mSize=%d, srcStride=%d, dstStride=%d, "
                 "reluEn=%s, deqScalar=%llu)",
                 COLUMNS, ROWS, ROWS, COLUMNS, round % 2 ? "true" : "false", (unsigned long long)word[0]);
        compare(level, round, text, source, NULL, NULL, 1);
    }
}
END_TEST

/* The float next to one whose product is near half an integer, a special one, or any bits at all. */
static float interesting_float(uint64_t word)
{
    static const float specials[] = {INFINITY, -INFINITY, NAN, 0, -0.0F, 3e38F, -3e38F, 1e-40F};
    const uint32_t bits = (uint32_t)random_bits();
    float x = (float)(pick(-600, 600) * 0.5 / scale_of(word));
    switch (pick(0, 3)) {
    case 0:
        memcpy(&x, &bits, sizeof x);
        return x;
    case 1:
        return specials[pick(0, 7)];
    case 2:
        return nextafterf(x, pick(0, 1) ? INFINITY : -INFINITY);
    default:
        return x;
    }
}

START_TEST(words_of_floats)
{
    static float source[ELEMENTS];
    static uint64_t word[COLUMNS];
    const int level = _i / KINDS;
    char text[200];
    state = claims_seed(88172645463325252U + (uint64_t)_i);
    for (int round = 0; round < ROUNDS; round++) {
        for (int n = 0; n < COLUMNS; n++) {
            word[n] = random_word((word_kind)(_i % KINDS), round, false);
            for (int row = 0; row < ROWS; row++) {
                source[index_at(n, row)] = interesting_float(word[n]);
            }
        }
        snprintf(text, sizeof text,
                 "fixpipe(src=float32, dst=uint8, quantPre=VQF322B8_PRE, nSize=%d, mSize=%d, srcStride=%d, "
                 "dstStride=%d, reluEn=%s)",
                 COLUMNS, ROWS, ROWS, COLUMNS, round % 2 ? "true" : "false");
        compare(level, round, text, source, word, NULL, 1);
    }
}
END_TEST

/* ---- halves with biases ---- */

enum { TINY, AROUND_8, ANY_HALF, SCALES };

static uint16_t random_half(int scales, int round)
{
    const int sign = pick(0, 1) << 15;
    const int least = scales == AROUND_8 ? 0x4400 + round * 0x800 : 0; /* 4 to 16, 16 to 64 */
    const int most = scales == AROUND_8 ? least + 0x7FF : scales == TINY ? 0x1000 : 0x7FFF;
    return (uint16_t)(sign | pick(least, most));
}

/* A source whose sum with the bias is near an end of int32, or gives a product near the largest half. */
static int32_t near_limits(double scale, int32_t bias)
{
    const double sign = pick(0, 1) ? 1 : -1;
    switch (pick(0, 3)) {
    case 0:
        return to_int32(sign * 2147483648.0 - bias + pick(-3, 3));
    case 1:
        return (int32_t)random_bits();
    default:
        return scale == 0 || isnan(scale) ? 0 : to_int32(sign * pick(65400, 65600) / scale - bias + pick(-3, 3));
    }
}

START_TEST(halves)
{
    static const int32_t biases[] = {0, 1, -1, INT32_MAX, INT32_MIN, INT32_MIN + 1, 1000, -70000};
    static int32_t source[ELEMENTS], bias[COLUMNS];
    uint16_t half[BLOCK];
    const int level = _i / SCALES;
    char text[200];
    state = claims_seed(88172645463325252U + (uint64_t)_i);
    for (int round = 0; round < ROUNDS; round++) {
        const bool one = round >= ROUNDS / 2; /* half for all columns, a finite one */
        for (int n = 0; n < BLOCK; n++) {
            half[n] = one && n > 0 ? half[0] : random_half(_i % SCALES, round % (ROUNDS / 2));
            half[n] &= one && (half[n] & 0x7C00) == 0x7C00 ? 0x83FF : 0xFFFF;
        }
        for (int n = 0; n < COLUMNS; n++) {
            bias[n] = pick(0, 1) ? biases[pick(0, 7)] : (int32_t)random_bits();
            for (int row = 0; row < ROWS; row++) {
                source[index_at(n, row)] = near_limits(aic_half_to_double(half[n % BLOCK]), bias[n]);
            }
        }
        snprintf(text, sizeof text,
                 "tik_fixpipe(src=int32, dst=float16, quantize_params=int322fp16, bias=true, cburst_num=%d, "
                 "burst_len=%d, mode_param_tensor=%s, mode_param=%.17g)",
                 COLUMNS / BLOCK, ROWS * 2, one ? "false" : "true", one ? aic_half_to_double(half[0]) : 1.0);
        compare(level, round, text, source, bias, one ? NULL : half, 2);
    }
}
END_TEST

/* ---- whole lines ---- */

/* The bytes of a strip's results that have been stored, with room for every case. */
enum { LINE = 64, STORED = 64 * 1024, STRIP_ROWS = 16 };

/* Whether no line that the strip stores to has a byte that it does not store. */
static bool fills_lines(const aic_epilogue *p, int64_t columns)
{
    static bool stored[STORED];
    const int64_t bytes = (int64_t)aic_dtype_size(p->target);
    memset(stored, 0, sizeof stored);
    for (int64_t row = 0; row < STRIP_ROWS; row++) {
        for (int64_t column = 0; column < columns; column++) {
            const int64_t at = row * p->target_row + column / p->width * p->target_block + column % p->width * bytes;
            ck_assert_int_le(at + bytes, STORED);
            memset(stored + at, true, (size_t)bytes);
        }
    }
    for (int64_t line = 0; line < STORED; line += LINE) {
        bool any = false, all = true;
        for (int64_t i = line; i < line + LINE; i++) {
            any = any || stored[i];
            all = all && stored[i];
        }
        if (any && !all) {
            return false;
        }
    }
    return true;
}

/* Stores go past the caches where a strip fills the lines that it stores to. */
START_TEST(whole_lines)
{
    static const struct {
        aic_dtype target;
        int64_t columns, width, block, row; /* width 0: a row of the target has all columns */
        bool fills;
    } CASES[] = {
        {AIC_FLOAT32, 64, 0, 0, 256, true},    {AIC_FLOAT16, 96, 0, 0, 192, true},
        {AIC_FLOAT16, 80, 0, 0, 192, false}, /* gaps between rows */
        {AIC_FLOAT16, 80, 0, 0, 160, false}, /* rows that begin anywhere */
        {AIC_INT8, 64, 0, 0, 80, false},       {AIC_INT8, 128, 0, 0, 128, true},
        {AIC_FLOAT16, 48, 16, 1024, 32, true}, {AIC_FLOAT16, 48, 16, 1056, 32, false},
        {AIC_INT8, 64, 32, 1024, 32, true},    {AIC_FLOAT32, 32, 16, 2048, 64, true},
        {AIC_FLOAT32, 32, 8, 1024, 32, true},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const aic_epilogue p = {.source = AIC_FLOAT32,
                                .target = CASES[i].target,
                                .rows = STRIP_ROWS,
                                .columns = CASES[i].columns,
                                .matrices = 1,
                                .width = CASES[i].width != 0 ? CASES[i].width : CASES[i].columns,
                                .target_block = CASES[i].block,
                                .target_row = CASES[i].row};
        const aic_epilogue_strip strip = {
            .form = {8, 1}, .columns = CASES[i].columns, .step = 128, .last = true, .most_rows = STRIP_ROWS};
        const bool says = aic_epilogue_strip_fills_lines(&p, &strip);
        ck_assert_msg(says == CASES[i].fills, "case %zu", i);
        ck_assert_msg(!says || fills_lines(&p, CASES[i].columns), "case %zu", i);
    }
}
END_TEST

Suite *suite_epilogues(void)
{
    Suite *suite = suite_create("epilogues");
    TCase *tcase = tcase_create("limits");
    tcase_add_loop_test(tcase, words, 0, levels_count() * KINDS);
    tcase_add_loop_test(tcase, words_of_floats, 0, levels_count() * KINDS);
    tcase_add_loop_test(tcase, halves, 0, levels_count() * SCALES);
    tcase_add_test(tcase, whole_lines);
    suite_add_tcase(suite, tcase);
    return suite;
}
