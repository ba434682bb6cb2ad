/* Pictures and weights in the layouts of conv2d: the index of every element, what fills the gaps, refusals; and a
 * convolution of what is packed against the plain sum. */
#include "frontend/core/stage.h"

#include <aic/aic.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_pack(void);

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct {
    int64_t shape[4];
    int64_t c0;
    int32_t zero_point;
} pictures[] = {
    {{1, 3, 5, 3}, 4, 128}, {{2, 2, 3, 4}, 4, 0},    {{1, 4, 4, 1}, 4, 255},   {{1, 3, 5, 3}, 32, 128},
    {{2, 3, 2, 33}, 32, 7}, {{1, 1, 1, 32}, 32, 77}, {{3, 1, 2, 64}, 32, 200},
};

START_TEST(every_pixel_has_its_index)
{
    const int64_t *s = pictures[_i].shape, c0 = pictures[_i].c0, c1 = (s[3] + c0 - 1) / c0;
    size_t bytes = 0;
    ck_assert_int_eq(aic_pack_picture_bytes(s, c0, &bytes), AIC_OK);
    ck_assert_uint_eq(bytes, (size_t)(s[0] * c1 * s[1] * s[2] * c0));
    uint8_t *picture = malloc((size_t)(s[0] * s[1] * s[2] * s[3]));
    int8_t *packed = malloc(bytes + 1);
    for (int64_t i = 0; i < s[0] * s[1] * s[2] * s[3]; i++) {
        picture[i] = (uint8_t)(i * 89 + i / 7);
    }
    memset(packed, 99, bytes + 1);
    ck_assert_int_eq(aic_pack_picture(picture, s, c0, pictures[_i].zero_point, packed), AIC_OK);
    const int8_t *at = packed;
    for (int64_t n = 0; n < s[0]; n++) {
        for (int64_t b = 0; b < c1; b++) {
            for (int64_t pixel = 0; pixel < s[1] * s[2]; pixel++) {
                for (int64_t c = b * c0; c < (b + 1) * c0; c++, at++) {
                    int expected = 0;
                    if (c < s[3]) {
                        expected = picture[(n * s[1] * s[2] + pixel) * s[3] + c] - pictures[_i].zero_point;
                        expected = expected < -128 ? -128 : expected > 127 ? 127 : expected;
                    }
                    ck_assert_int_eq(*at, expected);
                }
            }
        }
    }
    ck_assert_int_eq(packed[bytes], 99);
    free(picture);
    free(packed);
}
END_TEST

static const struct {
    aic_dtype dtype;
    int64_t shape[4];
    int64_t c0;
} weights[] = {
    {AIC_INT8, {16, 3, 3, 3}, 4},      {AIC_INT8, {5, 4, 2, 1}, 4},    {AIC_INT8, {17, 33, 1, 2}, 32},
    {AIC_INT8, {32, 32, 3, 3}, 32},    {AIC_FLOAT16, {5, 3, 2, 2}, 4}, {AIC_FLOAT16, {16, 17, 3, 1}, 16},
    {AIC_FLOAT16, {40, 16, 1, 1}, 16}, {AIC_INT8, {64, 1, 3, 3}, 1},   {AIC_FLOAT16, {48, 1, 5, 2}, 1},
    {AIC_INT8, {32, 8, 3, 1}, 8},      {AIC_INT8, {32, 16, 1, 1}, 16}, {AIC_FLOAT16, {16, 3, 2, 1}, 4},

};

START_TEST(every_weight_has_its_index)
{
    const int64_t *s = weights[_i].shape, c0 = weights[_i].c0;
    const int64_t c1 = (s[1] + c0 - 1) / c0, outputs = (s[0] + 15) / 16 * 16;
    const size_t size = aic_dtype_size(weights[_i].dtype), count = (size_t)(s[0] * s[1] * s[2] * s[3]);
    size_t bytes = 0;
    ck_assert_int_eq(aic_pack_weights_bytes(weights[_i].dtype, s, c0, &bytes), AIC_OK);
    ck_assert_uint_eq(bytes, (size_t)(c1 * s[2] * s[3] * outputs * c0) * size);
    unsigned char *from = malloc(count * size), *packed = malloc(bytes + 1);
    for (size_t i = 0; i < count * size; i++) {
        from[i] = (unsigned char)(i * 31 + 1);
    }
    memset(packed, 99, bytes + 1);
    ck_assert_int_eq(aic_pack_weights(weights[_i].dtype, from, s, c0, packed), AIC_OK);
    const unsigned char *at = packed, zero[2] = {0, 0};
    for (int64_t b = 0; b < c1; b++) {
        for (int64_t tap = 0; tap < s[2] * s[3]; tap++) {
            for (int64_t o = 0; o < outputs; o++) {
                for (int64_t i = b * c0; i < (b + 1) * c0; i++, at += size) {
                    const size_t index = (size_t)((o * s[1] + i) * s[2] * s[3] + tap);
                    ck_assert(memcmp(at, o < s[0] && i < s[1] ? from + index * size : zero, size) == 0);
                }
            }
        }
    }
    ck_assert_int_eq(packed[bytes], 99);
    free(from);
    free(packed);
}
END_TEST

/* Where both packed and moved by transdata, the results are the same. */
START_TEST(like_transdata)
{
    int8_t from[17 * 33 * 2], packed[2 * 2 * 32 * 32], moved[2 * 2 * 32 * 32];
    for (size_t i = 0; i < sizeof from; i++) {
        from[i] = (int8_t)(i * 7 + 1);
    }
    aic_transdata_desc desc = aic_transdata_desc_init();
    desc.dtype = AIC_INT8, desc.src = AIC_LAYOUT_OIHW, desc.dst = AIC_LAYOUT_FRACTAL_Z;
    desc.shape[0] = 17, desc.shape[1] = 33, desc.shape[2] = 1, desc.shape[3] = 2;
    ck_assert_msg(aic_jit_transdata(NULL, &desc, moved, from) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_pack_weights(AIC_INT8, from, desc.shape, 32, packed), AIC_OK);
    ck_assert(memcmp(moved, packed, sizeof packed) == 0);
}
END_TEST

/* A picture of three channels through conv2d with C0 = 4. */
START_TEST(feeds_conv2d)
{
    enum { H = 4, W = 5, C = 3, O = 2, K = 3, ZERO = 128, HO = H - K + 1, WO = W - K + 1, ROWS = 16 };
    uint8_t picture[H * W * C];
    int8_t kernel[O * C * K * K], fm[H * W * 4], weight[K * K * 16 * 4];
    int32_t dst[ROWS * 16];
    for (size_t i = 0; i < sizeof picture; i++) {
        picture[i] = (uint8_t)(i * 53);
    }
    for (size_t i = 0; i < sizeof kernel; i++) {
        kernel[i] = (int8_t)(i * 29 - 100);
    }
    ck_assert_int_eq(aic_pack_picture(picture, (const int64_t[]){1, H, W, C}, 4, ZERO, fm), AIC_OK);
    ck_assert_int_eq(aic_pack_weights(AIC_INT8, kernel, (const int64_t[]){O, C, K, K}, 4, weight), AIC_OK);
    aic_conv2d_desc desc = aic_conv2d_desc_init();
    desc.dtype = AIC_INT8;
    memcpy(desc.fm_shape, (const int64_t[]){1, H, W, 4}, sizeof desc.fm_shape);
    memcpy(desc.kernel_shape, (const int64_t[]){1, K, K, 16, 4}, sizeof desc.kernel_shape);
    ck_assert_msg(aic_jit_conv2d(NULL, &desc, dst, fm, weight) == AIC_OK, "%s", aic_last_error());
    for (int o = 0; o < O; o++) {
        for (int at = 0; at < HO * WO; at++) {
            int sum = 0;
            for (int c = 0; c < C; c++) {
                for (int tap = 0; tap < K * K; tap++) {
                    const int h = at / WO + tap / K, w = at % WO + tap % K;
                    sum += (picture[(h * W + w) * C + c] - ZERO) * kernel[(o * C + c) * K * K + tap];
                }
            }
            ck_assert_int_eq(dst[at * 16 + o], sum);
        }
    }
}
END_TEST

START_TEST(refused)
{
    static const struct {
        int64_t shape[4];
        int64_t c0;
        int32_t zero_point;
        const char *message;
    } rows[] = {
        {{1, 2, 2, 3}, 16, 0, "pack_picture: c0: 16 is neither 4 nor 32"},
        {{1, 2, 2, 5}, 4, 0, "pack_picture: shape: C = 5 is outside 1..4, which c0 = 4 takes"},
        {{0, 2, 2, 3}, 4, 0, "pack_picture: shape: N = 0 is outside 1.."},
        {{1, -1, 2, 3}, 4, 0, "pack_picture: shape: H = -1 is outside 1.."},
        {{1, 2, 2, 3}, 4, 256, "pack_picture: zero_point: 256 is outside 0..255"},
        {{1, 2, 2, 3}, 4, -1, "pack_picture: zero_point: -1 is outside 0..255"},
        {{1 << 20, 1 << 20, 1 << 20, 32}, 32, 0, "more than 2^63-1 bytes"},
    };
    int8_t packed[64];
    const uint8_t picture[64] = {1};
    memset(packed, 9, sizeof packed);
    for (size_t i = 0; i < COUNT(rows); i++) {
        ck_assert_int_eq(aic_pack_picture(picture, rows[i].shape, rows[i].c0, rows[i].zero_point, packed),
                         AIC_INVALID_ARGUMENT);
        ck_assert_msg(strstr(aic_last_error(), rows[i].message) != NULL, "%s", aic_last_error());
        ck_assert_int_eq(packed[0], 9);
    }
    const int64_t shape[] = {16, 17, 1, 1};
    ck_assert_int_eq(aic_pack_weights(AIC_INT8, picture, shape, 3, packed), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "pack_weights: c0: 3 is no power of two in 1..32") != NULL, "%s",
                  aic_last_error());
    ck_assert_int_eq(aic_pack_weights(AIC_INT8, picture, shape, 0, packed), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_pack_weights(AIC_INT8, picture, shape, -4, packed), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_pack_weights(AIC_INT8, picture, shape, 1, packed), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "pack_weights: shape: I = 17 is outside 1..1, which c0 = 1 takes") != NULL,
                  "%s", aic_last_error());
    ck_assert_int_eq(aic_pack_weights(AIC_INT8, picture, shape, 4, packed), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_pack_weights(AIC_INT8, picture, shape, 16, packed), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_pack_weights(AIC_FLOAT16, picture, shape, 32, packed), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_pack_weights(AIC_INT32, picture, shape, 8, packed), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), "pack_weights: dtype: int32 is not") != NULL, "%s", aic_last_error());
}
END_TEST

/* The bytes of an operand by its name are those of the table. */
START_TEST(bytes_by_name)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        aic_spec spec;
        aic_operand operands[AIC_OPERANDS_MAX];
        size_t count = 0, bytes = 0;
        const aic_status drawn = seed % 3 == 0 ? aic_spec_draw_chain(AIC_OP_NONE, AIC_OP_NONE, NULL, seed, &spec)
                                               : aic_spec_draw(AIC_OP_NONE, NULL, seed, &spec);
        ck_assert_int_eq(drawn, AIC_OK);
        ck_assert_int_eq(aic_spec_operands(&spec, NULL, operands, &count), AIC_OK);
        for (size_t i = 0; i < count; i++) {
            ck_assert_int_eq(aic_spec_operand_bytes(&spec, NULL, operands[i].name, &bytes), AIC_OK);
            ck_assert_int_eq((int64_t)bytes, operands[i].bytes);
        }
        ck_assert_int_eq(aic_spec_operand_bytes(&spec, NULL, "none", &bytes), AIC_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(aic_last_error(), "\"none\" is none of the operands "));
    }
}
END_TEST

/* Names of results, and why others have none. That the bytes are what the name says is tests/cli/feed.sh's. */
static const struct result_row {
    const char *spec, *name, *shape; /* name NULL: what the message says is in shape */
} RESULTS[] = {
#define CONV "conv2d(dtype=int8, fm_shape=[1,8,6,32], kernel_shape=[1,1,1,64,32])"
#define ODD "conv2d(dtype=int8, fm_shape=[1,5,3,32], kernel_shape=[1,1,1,48,32])"
#define TO_INT8 " | fixpipe(src=int32, dst=int8, quantPre=VREQ8, "
    {CONV, "NC1HWC0", "1,4,8,6,16"},
    {ODD, NULL, "rounded up to blocks of 16"},
    {CONV TO_INT8 "format=NZ)", "NC1HWC0", "1,2,8,6,32"},
    {ODD TO_INT8 "format=NZ)", NULL, "fewer columns than the others"},
    {ODD TO_INT8 "format=NZ, nSize=32)", "NC1HWC0", "1,1,5,3,32"},
    {ODD TO_INT8 "format=NZ, nSize=16)", "NC1HWC0", "1,1,5,3,16"},
    {ODD TO_INT8 "format=NZ, nSize=16, fill_block=true)", "NC1HWC0", "1,1,5,3,32"},
    {"mmad(dtype=int8, m=1, n=48, k=32) | fixpipe(src=int32, dst=int32, format=ROW_MAJOR, dstStride=50)", "ND", "1,48"},
    {"mmad(dtype=int8, m=2, n=48, k=32) | fixpipe(src=int32, dst=int32, format=ROW_MAJOR, dstStride=50)", NULL,
     "gaps between its rows"},
    {ODD TO_INT8 "format=ROW_MAJOR)", "NHWC", "1,5,3,48"},
    {ODD TO_INT8 "format=ROW_MAJOR, dstStride=50)", NULL, "gaps between its rows"},
    {CONV TO_INT8 "format=NZ, dstStride=64)", NULL, "gaps between its blocks"},
    {CONV TO_INT8 "format=NZ, mSize=32)", NULL, "a part of the rows"},
    {ODD " | fixpipe(src=int32, dst=float16, quantPre=VDEQF16, format=NZ)", "NC1HWC0", "1,3,5,3,16"},
    {"mmad(dtype=float16, m=20, n=48, k=32) | fixpipe(src=float32, dst=float32, format=NZ, isChannelSplit=true)", "Nz",
     "6,20,8"},
    {CONV TO_INT8 "format=ROW_MAJOR, ndNum=0)", NULL, "several matrices"},
    {CONV " | tik_fixpipe(src=int32, dst=int32)", "NC1HWC0", "1,4,8,6,16"},
    {CONV " | tik_fixpipe(src=int32, dst=int32, cburst_num=1, burst_len=32)", NULL, "a part of the rows"},
    {CONV " | tik_fixpipe(src=int32, dst=int32, dst_stride=2)", NULL, "gaps between its blocks"},
    {"mmad(dtype=int8, m=16, n=16, k=32) | tik_fixpipe(src=int32, dst=int32, dst_stride=2)", "Nz", "1,16,16"},
    {"mmad(dtype=int8, m=20, n=48, k=32)", "ND", "20,48"},
    {"mmad(dtype=int8, m=32, n=48, k=32, c_format=Nz)", "Nz", "3,32,16"},
    {"mmad(dtype=int8, m=20, n=48, k=32) | fixpipe(src=int32, dst=int32, format=NZ)", "Nz", "3,20,16"},
    {"mmad(dtype=int8, m=20, n=48, k=32) | fixpipe(src=int32, dst=int32, format=ROW_MAJOR)", "ND", "20,48"},
    {"transdata(dtype=int8, src=ND, dst=Nz, shape=[37,100])", NULL, "neither conv2d nor mmad"},
};

START_TEST(results_have_names)
{
    const struct result_row *row = &RESULTS[_i];
    aic_spec spec;
    aic_result_layout layout = aic_result_layout_init();
    char shape[128] = "";
    size_t used = 0;
    ck_assert_msg(aic_spec_read(row->spec, &spec) == AIC_OK, "%s", aic_last_error());
    const aic_status status = aic_spec_result_layout(&spec, NULL, &layout);
    if (row->name == NULL) {
        ck_assert_int_eq(status, AIC_UNSUPPORTED);
        ck_assert_msg(strstr(aic_last_error(), row->shape) != NULL, "%s", aic_last_error());
        return;
    }
    ck_assert_msg(status == AIC_OK, "%s: %s", row->spec, aic_last_error());
    ck_assert_str_eq(layout.name, row->name);
    for (int32_t d = 0; d < layout.rank; d++) {
        used +=
            (size_t)snprintf(shape + used, sizeof shape - used, "%s%lld", d > 0 ? "," : "", (long long)layout.shape[d]);
    }
    ck_assert_str_eq(shape, row->shape);
}
END_TEST

Suite *suite_pack(void)
{
    Suite *suite = suite_create("pack");
    TCase *tests = tcase_create("pack");
    tcase_add_loop_test(tests, results_have_names, 0, (int)(sizeof RESULTS / sizeof *RESULTS));
    tcase_add_loop_test(tests, every_pixel_has_its_index, 0, COUNT(pictures));
    tcase_add_loop_test(tests, every_weight_has_its_index, 0, COUNT(weights));
    tcase_add_test(tests, like_transdata);
    tcase_add_test(tests, feeds_conv2d);
    tcase_add_test(tests, refused);
    tcase_add_test(tests, bytes_by_name);
    suite_add_tcase(suite, tests);
    return suite;
}
