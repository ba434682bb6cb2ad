/* tik_fixpipe: rules, extents and reference of the TIK form; with conv2d, the vendor's printed example. */
#include "frontend/core/stage.h"
#include "frontend/numeric/element.h"
#include "tests/golden.h"
#include "tests/rule_case.h"
#include "tests/specs.h"

#include <aic/aic.h>
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_tik_fixpipe(void);

#define SIZES "cburst_num=1, burst_len=2"
#define TIK(keys) "tik_fixpipe(" keys ", " SIZES ")"
#define MOVE TIK("dst=float, src=float")
#define FP32 TIK("dst=half, src=float, quantize_params=fp322fp16")
#define INT32 TIK("dst=half, src=int32, quantize_params=int322fp16")

static const rule_case cases[] = {
    {MOVE, NULL, 0, NULL},
    {MOVE, "dst", AIC_DTYPE_NONE, "tik_fixpipe: dst: none is not float32, int32 or float16"},
    {MOVE, "dst", AIC_BFLOAT16, "tik_fixpipe: dst: bfloat16 is not float32, int32 or float16"},
    {MOVE, "dst", 99, "tik_fixpipe: dst: value 99 is not float32, int32 or float16"},
    {MOVE, "src", AIC_FLOAT16, "tik_fixpipe: src: float16 is not float32 or int32"},
    {MOVE, "cburst_num", 0, "tik_fixpipe: cburst_num: 0 is outside 1..4095"},
    {MOVE, "cburst_num", 4095, NULL},
    {MOVE, "cburst_num", 4096, "tik_fixpipe: cburst_num: 4096 is outside 1..4095"},
    {MOVE, "burst_len", 0, "tik_fixpipe: burst_len: 0 is outside 1..65535"},
    {MOVE, "burst_len", 1, "tik_fixpipe: burst_len: 1 is odd in 1..65535: a burst is whole rows of 64 bytes"},
    {MOVE, "burst_len", 65534, NULL},
    {MOVE, "burst_len", 65535, "tik_fixpipe: burst_len: 65535 is odd in 1..65535: a burst is whole rows of 64 bytes"},
    {MOVE, "burst_len", 65536, "tik_fixpipe: burst_len: 65536 is outside 1..65535"},
    {MOVE, "dst_stride", -1, "tik_fixpipe: dst_stride: -1 is outside 0..65535"},
    {MOVE, "dst_stride", 65535, NULL},
    {MOVE, "dst_stride", 65536, "tik_fixpipe: dst_stride: 65536 is outside 0..65535"},
    {MOVE, "src_stride", 1, "tik_fixpipe: src_stride: 1 is not 0: it is reserved"},
    {MOVE, "src_stride", INT64_MIN, "tik_fixpipe: src_stride: -9223372036854775808 is not 0: it is reserved"},
    {MOVE, "bias", 1, NULL},
    {MOVE, "bias", 2, "tik_fixpipe: bias: value 2 is not true or false"},
    {MOVE, "quantize_params", AIC_TIK_QUANTIZE_FP322FP16,
     "tik_fixpipe: quantize_params: fp322fp16 of extend_params is not none, which src = float32 and dst = float32 "
     "require"},
    {TIK("dst=int32, src=int32"), NULL, 0, NULL},
    {TIK("dst=int32, src=int32"), "quantize_params", AIC_TIK_QUANTIZE_INT322FP16,
     "tik_fixpipe: quantize_params: int322fp16 of extend_params is not none, which src = int32 and dst = int32 "
     "require"},
    {FP32, NULL, 0, NULL},
    {FP32, "quantize_params", AIC_TIK_QUANTIZE_NONE,
     "tik_fixpipe: quantize_params: none of extend_params is not fp322fp16, which src = float32 and dst = float16 "
     "require"},
    {FP32, "quantize_params", 3, "tik_fixpipe: quantize_params: value 3 is not none, fp322fp16 or int322fp16"},
    {INT32, NULL, 0, NULL},
    {INT32, "quantize_params", AIC_TIK_QUANTIZE_FP322FP16,
     "tik_fixpipe: quantize_params: fp322fp16 of extend_params is not int322fp16, which src = int32 and dst = float16 "
     "require"},
    {TIK("dst=int32, src=float"), NULL, 0,
     "tik_fixpipe: quantize_params: nothing in extend_params stores src = float32 as dst = int32"},
    {TIK("dst=float, src=int32"), NULL, 0,
     "tik_fixpipe: quantize_params: nothing in extend_params stores src = int32 as dst = float32"},
    {TIK("dst=half, src=int32, quantize_params=int322fp16, mode_param=65504"), NULL, 0, NULL},
    {TIK("dst=half, src=int32, quantize_params=int322fp16, mode_param=-65504.5"), NULL, 0,
     "tik_fixpipe: mode_param: -65504.5 of extend_params is outside -65504..65504, the range of float16"},
    {TIK("dst=half, src=int32, quantize_params=int322fp16, mode_param=nan"), NULL, 0,
     "tik_fixpipe: mode_param: nan of extend_params is outside -65504..65504, the range of float16"},
    {TIK("dst=half, src=int32, quantize_params=int322fp16, mode_param=inf"), NULL, 0,
     "tik_fixpipe: mode_param: inf of extend_params is outside -65504..65504, the range of float16"},
    {TIK("dst=half, src=int32, quantize_params=int322fp16, mode_param=inf, mode_param_tensor=true"), NULL, 0, NULL},
    {TIK("dst=float, src=float, mode_param=inf"), NULL, 0, NULL}, /* not used */
    {FP32, "mode_param_tensor", 1,
     "tik_fixpipe: mode_param_tensor: true is only for quantize_params = int322fp16 of extend_params, not fp322fp16"},
    {INT32, "mode_param_tensor", 2, "tik_fixpipe: mode_param_tensor: value 2 is not true or false"},
    {MOVE, "relu", 1, NULL},
    {FP32, "relu", 1, NULL},
    {FP32, "relu", 2, "tik_fixpipe: relu: value 2 is not true or false"},
    {TIK("dst=float, src=float, bias=true"), "relu", 1,
     "tik_fixpipe: relu: true together with bias = true of extend_params"},
    {INT32, "relu", 1,
     "tik_fixpipe: relu: true together with quantize_params = int322fp16 of extend_params, whose mode_param is a "
     "number, not a tensor"},
    {TIK("dst=half, src=int32, quantize_params=int322fp16, mode_param_tensor=true"), "relu", 1, NULL},
};

START_TEST(every_row_of_the_table)
{
    rule_case_check(&cases[_i]);
}
END_TEST

START_TEST(first_broken_rule_is_reported)
{
    static const rule_case mends[] = {
        /* what memory is filled with gives a legal mode_param */
        {MOVE, "dst", AIC_FLOAT32, "tik_fixpipe: dst: "},
        {NULL, "src", AIC_FLOAT32, "tik_fixpipe: src: "},
        {NULL, "cburst_num", 1, "tik_fixpipe: cburst_num: "},
        {NULL, "burst_len", 2, "tik_fixpipe: burst_len: "},
        {NULL, "dst_stride", 0, "tik_fixpipe: dst_stride: "},
        {NULL, "src_stride", 0, "tik_fixpipe: src_stride: "},
        {NULL, "bias", 0, "tik_fixpipe: bias: "},
        {NULL, "quantize_params", AIC_TIK_QUANTIZE_NONE, "tik_fixpipe: quantize_params: "},
        {NULL, "mode_param_tensor", 0, "tik_fixpipe: mode_param_tensor: "},
        {NULL, "relu", 0, "tik_fixpipe: relu: "},
    };
    rule_check_order(mends, sizeof mends / sizeof mends[0]);
}
END_TEST

START_TEST(any_words_are_answered)
{
    rule_check_any_words(INT32);
}
END_TEST

START_TEST(random_is_legal)
{
    int seen[4][2][2] = {{{0}}}; /* quantisation with its tensor, bias, relu */
    rule_check_random(AIC_OP_TIK_FIXPIPE, 0, 30000000);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw(AIC_OP_TIK_FIXPIPE, NULL, seed, &spec), AIC_OK);
        const aic_tik_fixpipe_desc *d = &spec.stage[0].desc.tik_fixpipe;
        seen[d->quantize_params + (d->mode_param_tensor ? 1 : 0)][d->bias][d->relu]++;
    }
    for (int mode = 0; mode < 4; mode++) {
        ck_assert_int_gt(seen[mode][0][0], 20);
        ck_assert_int_gt(seen[mode][1][0], 20);
        ck_assert(mode == AIC_TIK_QUANTIZE_INT322FP16 || seen[mode][0][1] > 20);
    }
}
END_TEST

START_TEST(random_illegal_reaches_every_rule)
{
    static const char *const rules[] = {
        "dst: none",
        "src: float16",
        "cburst_num: 0 ",
        "cburst_num: 4096 ",
        "is odd",
        "burst_len: 0 ",
        "burst_len: 65536 ",
        "dst_stride: -1 ",
        "dst_stride: 65536 ",
        "src_stride: ",
        "bias: value",
        "quantize_params: value",
        "quantize_params: none",
        "quantize_params: nothing",
        "mode_param: nan",
        "mode_param: inf",
        "mode_param_tensor: value",
        "mode_param_tensor: true",
        "relu: value",
        "relu: true together with bias",
        "relu: true together with quantize_params",
    };
    rule_check_random_illegal(AIC_OP_TIK_FIXPIPE, rules, sizeof rules / sizeof rules[0]);
}
END_TEST

START_TEST(extents)
{
    static const struct {
        const char *text;
        int64_t dst, src_rows;
        aic_dtype bias, scales; /* NONE: not taken */
    } rows[] = {
        {"tik_fixpipe(dst=float, src=float, cburst_num=3, burst_len=8)", 3 * 64, 16, 0, 0},
        {"tik_fixpipe(dst=float, src=float, cburst_num=3, burst_len=34, dst_stride=5)", 3 * 272 + 2 * 40, 32, 0, 0},
        {"tik_fixpipe(dst=half, src=float, quantize_params=fp322fp16, cburst_num=2, burst_len=2, dst_stride=5, "
         "bias=true)",
         2 * 16 + 80, 16, AIC_FLOAT32, 0},
        {"tik_fixpipe(dst=half, src=int32, quantize_params=int322fp16, cburst_num=1, burst_len=32, dst_stride=9, "
         "bias=true, mode_param_tensor=true)",
         256, 16, AIC_INT32, AIC_FLOAT16},
        {"tik_fixpipe(dst=int32, src=int32, cburst_num=4095, burst_len=65534, dst_stride=65535)",
         INT64_C(4095) * 32767 * 16 + INT64_C(4094) * 65535 * 8, 32768, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const aic_spec spec = spec_of(rows[i].text);
        const int64_t bursts = spec.stage[0].desc.tik_fixpipe.cburst_num;
        aic_operand operands[AIC_OPERANDS_MAX];
        size_t count;
        ck_assert_msg(aic_spec_operands(&spec, NULL, operands, &count) == AIC_OK, "%s", aic_last_error());
        ck_assert_uint_eq(count, 4);
        ck_assert_str_eq(operands[0].name, "dst");
        ck_assert_int_eq(operands[0].elements, rows[i].dst);
        ck_assert_str_eq(operands[1].name, "src");
        ck_assert_mem_eq(operands[1].shape, ((int64_t[]){bursts, rows[i].src_rows, 16}), 3 * sizeof(int64_t));
        ck_assert_str_eq(operands[2].name, "bias");
        ck_assert_int_eq(operands[2].direction, rows[i].bias ? AIC_DIRECTION_IN : AIC_DIRECTION_UNUSED);
        ck_assert_int_eq(operands[2].elements, rows[i].bias ? bursts * 16 : 0);
        ck_assert(!rows[i].bias || operands[2].dtype == rows[i].bias);
        ck_assert_str_eq(operands[3].name, "mode_param");
        ck_assert_int_eq(operands[3].direction, rows[i].scales ? AIC_DIRECTION_IN : AIC_DIRECTION_UNUSED);
        ck_assert_int_eq(operands[3].elements, rows[i].scales ? 16 : 0);
        ck_assert_int_eq(operands[3].dtype, AIC_FLOAT16);
    }
}
END_TEST

/* ---- reference ---- */

/* The accumulators of conv2d's float16 example, and the 64 halves that the vendor prints for them. */
START_TEST(golden_bias_float16)
{
    enum { VALUES = 64 };
    size_t count;
    uint64_t *bits[2] = {golden_read("conv2d_ex2.txt", "feature_map_bits", &count), NULL};
    static uint16_t feature_map[2 * 4 * 4 * 16], weight[2 * 2 * 2 * 16 * 16];
    ck_assert(bits[0] && count == sizeof feature_map / sizeof feature_map[0]);
    bits[1] = golden_read("conv2d_ex2.txt", "weight_bits", &count);
    ck_assert(bits[1] && count == sizeof weight / sizeof weight[0]);
    for (size_t i = 0; i < sizeof feature_map / sizeof feature_map[0]; i++) {
        feature_map[i] = (uint16_t)bits[0][i];
    }
    for (size_t i = 0; i < count; i++) {
        weight[i] = (uint16_t)bits[1][i];
    }
    static float accumulator[16 * 16], bias[16];
    for (int c = 0; c < 16; c++) {
        bias[c] = (float)c;
    }
    uint16_t dst[VALUES];
    const aic_spec conv2d =
        spec_of("conv2d(dtype=float16, fm_shape=[2,4,4,16], kernel_shape=[2,2,2,16,16], dilation=[2,2])");
    const aic_spec fixpipe =
        spec_of("tik_fixpipe(dst=half, src=float, cburst_num=1, burst_len=8, bias=true, quantize_params=fp322fp16)");
    run_reference(&conv2d, NULL, (void *[]){accumulator, feature_map, weight}, 3);
    run_reference(&fixpipe, NULL, (void *[]){dst, accumulator, bias, NULL}, 4);
    uint64_t *printed = golden_read("tik_fixpipe_bias_f16.txt", "dst", &count);
    uint64_t *exact = golden_read("tik_fixpipe_bias_f16.txt", "dst_bits", &count);
    ck_assert(printed && exact && count == VALUES);
    for (int i = 0; i < VALUES; i++) {
        ck_assert_uint_eq(printed[i], exact[i]);
        ck_assert_uint_eq(dst[i], exact[i]);
    }
    free(bits[0]);
    free(bits[1]);
    free(printed);
    free(exact);
}
END_TEST

/* Bursts of 3 rows, stored 16 rows apart in src; 3 * 32 bytes between them in dst keep their value. */
START_TEST(bursts)
{
    static const char *const texts[] = {
        "tik_fixpipe(dst=int32, src=int32, cburst_num=2, burst_len=6, dst_stride=3)",
        "tik_fixpipe(dst=half, src=int32, cburst_num=2, burst_len=6, dst_stride=3, quantize_params=int322fp16)",
    };
    int32_t src[2 * 256];
    for (int i = 0; i < 512; i++) {
        src[i] = i + 1;
    }
    for (int t = 0; t < 2; t++) {
        const aic_spec spec = spec_of(texts[t]);
        union {
            int32_t i32[2 * 48 + 24];
            uint16_t half[2 * 48 + 48];
            unsigned char bytes[1];
        } dst;
        memset(&dst, 0xEE, sizeof dst);
        run_reference(&spec, NULL, (void *[]){&dst, src, NULL, NULL}, 4);
        const int gap = t == 0 ? 24 : 48;
        for (int i = 0; i < 2 * 48 + gap; i++) {
            const bool kept = i >= 48 && i < 48 + gap;
            const int32_t value = i < 48 ? i + 1 : 256 + i - 48 - gap + 1;
            if (t == 0) {
                ck_assert_int_eq(dst.i32[i], kept ? (int32_t)0xEEEEEEEE : value);
            } else {
                ck_assert_uint_eq(dst.half[i], kept ? 0xEEEE : aic_half_from_double(value));
            }
        }
    }
}
END_TEST

/* A burst of one row, so that every column is a value. */
static void run_row(const char *text, aic_overflow overflow, void *dst, const void *src, const void *bias,
                    const void *scales)
{
    aic_semantics semantics = aic_semantics_init();
    semantics.overflow = overflow;
    const aic_spec spec = spec_of(text);
    unsigned char rows[16 * 16 * 4] = {0}; /* src is stored in rows of 16 */
    memcpy(rows, src, (size_t)16 * 4);
    run_reference(&spec, &semantics, (void *[]){dst, rows, (void *)(uintptr_t)bias, (void *)(uintptr_t)scales}, 4);
}

START_TEST(floats_to_half)
{
    static const float src[16] = {1.00048828F,      1.0F, 65519, 65520, -65520, (float)INFINITY,
                                  -(float)INFINITY, NAN,  -0.0F, -1};
    static const uint16_t saturate[10] = {0x3C00, 0x3C00, 0x7BFF, 0x7BFF, 0xFBFF, 0x7BFF, 0xFBFF, 0, 0x8000, 0xBC00};
    static const uint16_t ieee[10] = {0x3C00, 0x3C00, 0x7BFF, 0x7C00, 0xFC00, 0x7C00, 0xFC00, 0x7E00, 0x8000, 0xBC00};
    static const uint16_t relu[10] = {0x3C00, 0x3C00, 0x7BFF, 0x7C00, 0, 0x7C00, 0, 0x7E00, 0, 0};
    uint16_t dst[16];
    run_row(FP32, AIC_OVERFLOW_SATURATE, dst, src, NULL, NULL);
    ck_assert_mem_eq(dst, saturate, sizeof saturate);
    run_row(FP32, AIC_OVERFLOW_IEEE, dst, src, NULL, NULL);
    dst[7] &= 0x7E00; /* any NaN */
    ck_assert_mem_eq(dst, ieee, sizeof ieee);
    run_row(TIK("dst=half, src=float, quantize_params=fp322fp16, relu=true"), AIC_OVERFLOW_IEEE, dst, src, NULL, NULL);
    dst[7] &= 0x7E00;
    ck_assert_mem_eq(dst, relu, sizeof relu);
}
END_TEST

START_TEST(integers_to_half)
{
    static const int32_t src[16] = {3, -3, 100000, 16777217, INT32_MIN, 0};
    static const int32_t bias[16] = {1, 0, 0, 0, -1, INT32_MIN};
    static const uint16_t plain[6] = {0x3E00, 0xBE00, 0x7A1A, 0x7BFF, 0xFBFF, 0}; /* by 0.5; 50000 is a tie */
    static const uint16_t biased[6] = {0x4000, 0xBE00, 0x7A1A, 0x7BFF, 0xFBFF, 0xFBFF};
    uint16_t scales[16], dst[16];
    run_row(TIK("dst=half, src=int32, quantize_params=int322fp16, mode_param=0.5"), AIC_OVERFLOW_SATURATE, dst, src,
            NULL, NULL);
    ck_assert_mem_eq(dst, plain, sizeof plain);
    run_row(TIK("dst=half, src=int32, quantize_params=int322fp16, mode_param=0.5, bias=true"), AIC_OVERFLOW_SATURATE,
            dst, src, bias, NULL);
    ck_assert_mem_eq(dst, biased, sizeof biased);
    /* 0.1 is rounded to half first: 3 * 0.0999755859375 = 0.2999267578125. */
    run_row(TIK("dst=half, src=int32, quantize_params=int322fp16, mode_param=0.1"), AIC_OVERFLOW_SATURATE, dst, src,
            NULL, NULL);
    ck_assert_uint_eq(dst[0], aic_half_from_double(3 * 0.0999755859375));
    for (int c = 0; c < 16; c++) {
        scales[c] = aic_half_from_double(c == 1 ? -2 : 1.0 / (1 << c));
    }
    run_row(TIK("dst=half, src=int32, quantize_params=int322fp16, mode_param_tensor=true, relu=true"),
            AIC_OVERFLOW_IEEE, dst, src, NULL, scales);
    /* The scale of column 1 is negative, and relu comes last. */
    static const uint16_t scaled[6] = {0x4200, 0x4600, 0x761A, 0x7C00, 0, 0};
    ck_assert_mem_eq(dst, scaled, sizeof scaled);
}
END_TEST

START_TEST(same_type)
{
    static const uint32_t bits[16] = {0x7F800001, 0x80000000, 0xFF800000, 0xBF800000, 0x3F800000, 0x7FFFFFFF};
    static const uint32_t cut[16] /* as float32 and as int32 */ = {0x7F800001, 0, 0, 0, 0x3F800000, 0x7FFFFFFF};
    static const int32_t bias[16] = {0x7FFFFFFF, -1, -1, 1, -5, 1};
    static const int32_t biased[6] = {INT32_MAX,           INT32_MIN,  (int32_t)0xFF7FFFFF,
                                      (int32_t)0xBF800001, 0x3F7FFFFB, INT32_MAX};
    static const float x[16] = {1, 16777216, 0x1p127F, -0.0F}, y[16] = {0x1p-24F, 1, 0x1p127F, 0};
    static const float sum[4] = {1, 16777216, (float)INFINITY, 0};
    uint32_t dst[16];
    run_row(MOVE, AIC_OVERFLOW_SATURATE, dst, bits, NULL, NULL);
    ck_assert_mem_eq(dst, bits, sizeof bits);
    run_row(TIK("dst=float, src=float, relu=true"), AIC_OVERFLOW_SATURATE, dst, bits, NULL, NULL);
    ck_assert_mem_eq(dst, cut, sizeof cut);
    run_row(TIK("dst=int32, src=int32, relu=true"), AIC_OVERFLOW_SATURATE, dst, bits, NULL, NULL);
    ck_assert_mem_eq(dst, cut, sizeof cut);
    run_row(TIK("dst=int32, src=int32, bias=true"), AIC_OVERFLOW_SATURATE, dst, bits, bias, NULL);
    ck_assert_mem_eq(dst, biased, sizeof biased);
    run_row(TIK("dst=float, src=float, bias=true"), AIC_OVERFLOW_SATURATE, dst, x, y, NULL);
    ck_assert_mem_eq(dst, sum, sizeof sum);
}
END_TEST

/* Column c of burst i has bias i*16 + c. */
START_TEST(bias_of_every_burst)
{
    const aic_spec spec = spec_of("tik_fixpipe(dst=int32, src=int32, cburst_num=3, burst_len=4, bias=true)");
    static int32_t src[3 * 256], dst[3 * 32];
    int32_t bias[48];
    for (int i = 0; i < 48; i++) {
        bias[i] = 1000 * i;
    }
    run_reference(&spec, NULL, (void *[]){dst, src, bias, NULL}, 4);
    for (int i = 0; i < 96; i++) {
        ck_assert_int_eq(dst[i], 1000 * (i / 32 * 16 + i % 16));
    }
}
END_TEST

START_TEST(operands_go_with_their_keys)
{
    static uint32_t src[256], bias[16];
    static uint16_t scales[16];
    uint16_t dst[16] = {0x1234};
    static const struct {
        const char *text;
        bool bias, scales;
        const char *message;
    } rows[] = {
        {FP32, true, false, "tik_fixpipe: bias: is given, but this descriptor takes none"},
        {INT32, false, true, "tik_fixpipe: mode_param: is given, but this descriptor takes none"},
        {TIK("dst=half, src=float, quantize_params=fp322fp16, bias=true"), false, false, "tik_fixpipe: bias: is NULL"},
        {TIK("dst=half, src=int32, quantize_params=int322fp16, mode_param_tensor=true"), false, false,
         "tik_fixpipe: mode_param: is NULL"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const aic_spec spec = spec_of(rows[i].text);
        void *operands[] = {dst, src, rows[i].bias ? bias : NULL, rows[i].scales ? scales : NULL};
        ck_assert_int_eq(aic_reference(&spec, NULL, operands, 4), AIC_INVALID_ARGUMENT);
        check_error(rows[i].message);
        ck_assert_uint_eq(dst[0], 0x1234);
    }
}
END_TEST

Suite *suite_tik_fixpipe(void)
{
    Suite *suite = suite_create("tik_fixpipe");
    TCase *tcase = tcase_create("tik_fixpipe");
    tcase_add_loop_test(tcase, every_row_of_the_table, 0, (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(tcase, first_broken_rule_is_reported);
    tcase_add_test(tcase, any_words_are_answered);
    tcase_add_test(tcase, random_is_legal);
    tcase_add_test(tcase, random_illegal_reaches_every_rule);
    tcase_add_test(tcase, extents);
    tcase_add_test(tcase, golden_bias_float16);
    tcase_add_test(tcase, bursts);
    tcase_add_test(tcase, floats_to_half);
    tcase_add_test(tcase, integers_to_half);
    tcase_add_test(tcase, same_type);
    tcase_add_test(tcase, bias_of_every_burst);
    tcase_add_test(tcase, operands_go_with_their_keys);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
