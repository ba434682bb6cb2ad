/* aic_spec_advise(): every reason of its list, each by a request that it is about and by one next to it that it is not.
 */
#include "frontend/core/stage.h"
#include "tests/specs.h"

#include <aic/aic.h>
#include <check.h>
#include <string.h>

Suite *suite_advice(void);

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))
#define CONV8 "conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,16,32])"
#define CONV16 "conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,2,2,16,16])"
#define FIX(rest) "fixpipe(src=int32, dst=int8, nSize=32, mSize=16, srcStride=16, dstStride=32, quantPre=REQ8" rest ")"
#define HALF(rest) "fixpipe(src=int32, dst=float16, nSize=32, mSize=16, srcStride=16, dstStride=32" rest ")"
#define WORDS(rest) "tensor_arithmetic(shape=[1,1,4,4]" rest ")"
#define BYTES(rest) "tensor_arithmetic_quantized(shape=[4,1,4,4]" rest ")"
#define TIK(rest) "tik_fixpipe(src=int32, dst=float16, cburst_num=1, burst_len=4, quantize_params=int322fp16" rest ")"

static const struct {
    const char *spec, *advice; /* advice: words of it; NULL: there is none */
} rows[] = {
    {"conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,16,32], pad_value=3)",
     "conv2d: pad_value: 3: pad is"},
    {"conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,16,32], pad_value=3, pad=[0,0,1,0])", NULL},
    {"conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,16,32], pad=[0,0,2,0])",
     "conv2d: pad: 2: no less than"},
    {"conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,16,32], pad=[0,0,2,0], dilation=[2,1])", NULL},
    {"mmad(dtype=int8, m=16, n=16, k=0)", "mmad: m: m, n or k is 0"},
    {"mmad(dtype=int8, m=16, n=0, k=32)", "mmad: m: m, n or k is 0"},
    {"mmad(dtype=int8, m=16, n=16, k=32)", NULL},
    {FIX(", deqScalar=quant(1,0,int8)"), NULL},
    {"fixpipe(src=int32, dst=int8, nSize=32, mSize=16, srcStride=15, dstStride=32, quantPre=REQ8, "
     "deqScalar=quant(1,0,int8))",
     "fixpipe: srcStride: 15: less than mSize"},
    {"fixpipe(src=int32, dst=int8, nSize=16, mSize=16, srcStride=15, dstStride=32, quantPre=REQ8, "
     "deqScalar=quant(1,0,int8))",
     NULL},
    {FIX(", deqScalar=quant(1,0,int8), ndNum=2, srcNdStride=1, dstNdStride=600"), NULL},
    {"fixpipe(src=int32, dst=int32, nSize=32, mSize=17, srcStride=33, dstStride=32, ndNum=2, srcNdStride=1, "
     "dstNdStride=600)",
     "fixpipe: srcNdStride: 1: less than mSize/16"},
    {FIX(", deqScalar=quant(1,0,int8), ndNum=2, srcNdStride=0, format=NZ"), NULL},
    {FIX(", deqScalar=quant(1,0,int8), ndNum=0"), "fixpipe: ndNum: 0 matrices: nothing is read or written"},
    {FIX(", deqScalar=0x400000000000"), "fixpipe: deqScalar: 0x400000000000: its scale is 0"},
    {FIX(""), "its scale is 0: the sums have no effect; fixpipe: deqScalar: 0x0: says by bit 46"}, /* two at once */
    {FIX(", deqScalar=0x4000bf800000, reluEn=true"), "its scale is negative behind reluEn=true"},
    {FIX(", deqScalar=0x4000bf800000"), NULL},
    {FIX(", deqScalar=quant(1,0,int8), reluEn=true"), NULL},
    {FIX(", deqScalar=quant(1)"), "says by bit 46 that results are 0..255, but dst is int8"},
    {"fixpipe(src=int32, dst=uint8, nSize=16, mSize=16, srcStride=16, dstStride=16, quantPre=REQ8, "
     "deqScalar=quant(1,0,int8))",
     "says by bit 46 that results are -128..127, but dst is uint8"},
    {"fixpipe(src=int32, dst=uint8, nSize=16, mSize=16, srcStride=16, dstStride=16, quantPre=REQ8, "
     "deqScalar=quant(1,-255,uint8))",
     "its offset takes every result to 0"},
    {"fixpipe(src=int32, dst=uint8, nSize=16, mSize=16, srcStride=16, dstStride=16, quantPre=REQ8, "
     "deqScalar=quant(1,-254,uint8))",
     NULL},
    {HALF(", quantPre=DEQF16, deqScalar=quant(1)"), NULL},
    {HALF(", quantPre=DEQF16, deqScalar=quant(1,3,int8)"), "its offset has no effect"},
    {HALF(", quantPre=DEQF16, deqScalar=0x133f800000"), "its shift (MCB) has no effect"},
    {"fixpipe(src=float32, dst=float16, nSize=16, mSize=16, srcStride=16, dstStride=16, quantPre=F322F16, "
     "deqScalar=quant(1))",
     "fixpipe: deqScalar: 0x3f800000: quantPre takes no word"},
    {TIK(", mode_param=0"), "tik_fixpipe: mode_param: 0: 0 in float16"},
    {TIK(", mode_param=1e-9"), "0 in float16"},
    {TIK(", mode_param=1e-7"), NULL},
    {"tik_fixpipe(src=float32, dst=float16, cburst_num=1, burst_len=4, quantize_params=fp322fp16, mode_param=2)",
     "tik_fixpipe: mode_param: 2: only int322fp16"},
    {"nd2nz(dtype=float16, ndNum=1, nValue=4, dValue=16, srcDValue=8, dstNzC0Stride=16, dstNzNStride=1)",
     "nd2nz: srcDValue: 8: less than dValue"},
    {"nd2nz(dtype=float16, ndNum=0, nValue=4, dValue=16, srcDValue=16, dstNzC0Stride=16, dstNzNStride=1)",
     "nd2nz: ndNum: ndNum, nValue or dValue is 0"},
    {"nd2nz(dtype=float16, ndNum=1, nValue=0, dValue=16, srcDValue=16, dstNzC0Stride=16, dstNzNStride=1)",
     "nd2nz: ndNum: ndNum, nValue or dValue is 0"},
    {"nd2nz(dtype=float16, ndNum=1, nValue=4, dValue=0, srcDValue=16, dstNzC0Stride=16, dstNzNStride=1)",
     "nd2nz: ndNum: ndNum, nValue or dValue is 0"},
    {"nd2nz(dtype=float16, ndNum=1, nValue=4, dValue=16, srcDValue=16, dstNzC0Stride=16, dstNzNStride=1)", NULL},
    {"load_data(dtype=float16, repeatTimes=0)", "load_data: repeatTimes: 0: nothing"},
    {"load_data_transpose(dtype=float16, repeatTimes=0)", "load_data_transpose: repeatTimes: 0: nothing"},
    {"load_data_transpose(dtype=float16, repeatTimes=1, dstFracGap=2)",
     "load_data_transpose: dstFracGap: 2: no effect"},
    {"transdata(dtype=int8, src=NHWC, dst=NHWC, shape=[1,2,2,4])", "transdata: dst: the layout of src"},
    {"transdata(dtype=int8, src=NHWC, dst=NCHW, shape=[1,2,2,4])", NULL},
    {"texpands(dtype=float32, rows=2, cols=8, v_row=0)", "texpands: v_row: v_row or v_col is 0"},
    {"texpands(dtype=float32, rows=2, cols=8, v_col=0)", "texpands: v_row: v_row or v_col is 0"},
    {"texpands(dtype=float32, rows=2, cols=8, v_row=1)", NULL},
    {WORDS(", op=BM_ADD"), NULL},
    {WORDS(", op=BM_ADD, input0_const=2"), "tensor_arithmetic: input0_const: 2: no effect without input0_is_const"},
    {WORDS(", op=BM_ADD, input1_const=2"), "tensor_arithmetic: input1_const: 2: no effect without input1_is_const"},
    {WORDS(", op=BM_CPY, input1_const=2, input1_is_const=true"), "or with BM_CPY"},
    {WORDS(", op=BM_SHIFT, input1_const=3, input1_is_const=true"),
     "input1_const: 3, bits 0x40400000: the operation is on"},
    {WORDS(", op=BM_SE, input1_const=3, input1_is_const=true, select_value=1"), NULL},
    {WORDS(", op=BM_AND, input1_const=-nan, input1_is_const=true"), NULL},
    {WORDS(", op=BM_AND, input1_const=0, input1_is_const=true"), NULL},
    {WORDS(", op=BM_AND, input1_const=1.5, input1_is_const=true"), NULL},
    {WORDS(", op=BM_DIV, input1_const=0, input1_is_const=true"), "input1_const: 0: every result is infinite"},
    {WORDS(", op=BM_DIV, input1_const=2, input1_is_const=true"), NULL},
    {WORDS(", op=BM_MAX, input1_const=nan, input1_is_const=true"), "input1_const: NaN: the result"},
    {WORDS(", op=BM_ADD, select_value=2"), "select_value: 2: only BM_SG and BM_SE"},
    {WORDS(", op=BM_ADD, shift_type=1"), "tensor_arithmetic: shift_type: 1: only BM_SHIFT"},
    {BYTES(", op=BM_ADD"), NULL},
    {BYTES(", op=BM_ADD, rshift_bit=2"), "rshift_bit: 2: only BM_MUL and BM_MAC"},
    {BYTES(", op=BM_MUL, lshift_bit=2"), "lshift_bit: 2: only BM_MAC"},
    {BYTES(", op=BM_MUL, shift_type=1"), "tensor_arithmetic_quantized: shift_type: 1: only BM_SHIFT"},
    {BYTES(", op=BM_ADD, input1_is_const=true, input1_addr=3"), NULL},
    {BYTES(", op=BM_ADD, input1_is_const=true, input1_addr=3, input1_n_is1=true"),
     "input1_n_is1: no effect on a constant"},
    {BYTES(", op=BM_ADD, input1_is_const=true, input1_addr=3, input1_h_is1=true"),
     "input1_n_is1: no effect on a constant"},
    {BYTES(", op=BM_ADD, input1_is_const=true, input1_addr=3, input1_w_is1=true"),
     "input1_n_is1: no effect on a constant"},
    {BYTES(", op=BM_SHIFT, input0_8bit=false, input1_8bit=false, output_8bit=false, input1_is_const=true, "
           "input1_addr=16"),
     "input1_addr: 16: a shift by 16 or more"},
    {BYTES(", op=BM_SHIFT, input0_8bit=false, input1_8bit=false, output_8bit=false, input1_is_const=true, "
           "input1_addr=15"),
     NULL},
    /* chains */
    {CONV8 " | tensor_arithmetic(op=BM_ADD, input1_is_const=true, input1_const=2)",
     "tensor_arithmetic: op: int32 of conv2d: the bits of int32 are taken for floats"},
    {CONV8 " | tensor_arithmetic(op=BM_CPY) | tensor_arithmetic(op=BM_MAX, input1_is_const=true)",
     "op: int32 of conv2d"},
    {CONV8 " | tensor_arithmetic(op=BM_CPY) | fixpipe(src=float32, dst=float32, format=NZ)",
     "fixpipe: src: int32 of conv2d"},
    {CONV8
     " | tensor_arithmetic(op=BM_OR, input1_is_const=true, input1_const=12582912.5) | tensor_arithmetic(op=BM_SUB, "
     "input1_is_const=true, input1_const=12582912)",
     NULL}, /* integers that are made floats of */
    {"conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,16,32], init_l1out=false, l1out=channel) | "
     "tensor_arithmetic(op=BM_SUB, input1_is_const=true, input1_const=12582912)",
     NULL}, /* as above, by the sums' start */
    {CONV16 " | tensor_arithmetic(op=BM_ADD, input1_is_const=true, input1_const=2)", NULL},
    {CONV16
     " | tensor_arithmetic(op=BM_ADD, input1_is_const=true, input1_const=2) | fixpipe(src=int32, dst=int32, format=NZ)",
     "fixpipe: src: float32 of conv2d: the bits of floats are taken for int32"},
    {CONV16 " | tensor_arithmetic(op=BM_CPY) | tik_fixpipe(src=int32, dst=int32)",
     "tik_fixpipe: src: float32 of conv2d"},
    {CONV8 " | tensor_arithmetic(op=BM_CPY) | tik_fixpipe(src=float32, dst=float32)",
     "tik_fixpipe: src: int32 of conv2d"},
    {CONV16 " | fixpipe(src=float32, dst=float16, quantPre=F322F16, format=NZ)", NULL},
    {CONV8 " | fixpipe(src=int32, dst=int8, quantPre=REQ8, deqScalar=quant(.5,0,int8), format=NZ)", NULL},
};

START_TEST(every_reason)
{
    const aic_spec spec = spec_of(rows[_i].spec);
    (void)aic_take_warning();
    ck_assert_msg(aic_spec_advise(&spec, NULL, NULL, 0) == AIC_OK, "%s: %s", rows[_i].spec, aic_last_error());
    const char *advice = aic_take_warning();
    if (rows[_i].advice == NULL) {
        ck_assert_msg(advice == NULL, "%s: %s", rows[_i].spec, advice);
        return;
    }
    ck_assert_msg(advice != NULL && strstr(advice, rows[_i].advice) != NULL, "%s: %s", rows[_i].spec,
                  advice != NULL ? advice : "nothing");
}
END_TEST

/* Requests that a reading makes doubtful or takes the doubt from. */
#define BYTE(word)                                                                                                     \
    "fixpipe(src=int32, dst=uint8, nSize=16, mSize=16, srcStride=16, dstStride=16, quantPre=REQ8, " word ")"

static const struct {
    const char *spec, *key, *value, *before, *after; /* words of the advice without and with the choice; NULL: none */
} readings[] = {
    {FIX(", deqScalar=0x4000bf800000, reluEn=true"), "relu", "after", "its scale is negative behind reluEn=true", NULL},
    {BYTE("deqScalar=quant(1,-255,uint8)"), "offset_clamp", "none", "its offset takes every result to 0", NULL},
    {BYTE("deqScalar=quant(1,-255,uint8)"), "offset_sign", "unsigned", "its offset takes every result to 0", NULL},
    {BYTE("deqScalar=quant(1,-1,uint8)"), "offset_sign", "unsigned", NULL,
     "its offset takes every result to the largest"},
    {BYTE("deqScalar=quant(1,-2,uint8)"), "offset_sign", "unsigned", NULL, NULL},
    {FIX(", deqScalar=quant(1,-129,int8)"), "offset_sign", "unsigned", NULL, "takes every result to the largest"},
    {FIX(", deqScalar=quant(1,-130,int8)"), "offset_sign", "unsigned", NULL, NULL},
    {WORDS(", op=BM_MAX, input1_const=nan, input1_is_const=true"), "minmax_nan", "number", "does not depend",
     "NaN: under minmax_nan=number the result is the other input"},
    {WORDS(", op=BM_ADD, input1_const=nan, input1_is_const=true"), "minmax_nan", "number", "does not depend",
     "does not depend"},
    {"texpands(loc=mat, dtype=float32, rows=2, cols=8, v_row=0)", "mat_valid", "valid", NULL, "v_row or v_col is 0"},
};

START_TEST(reasons_under_readings)
{
    const aic_spec spec = spec_of(readings[_i].spec);
    for (int chosen = 0; chosen < 2; chosen++) {
        aic_semantics semantics = aic_semantics_init();
        const char *expected = chosen ? readings[_i].after : readings[_i].before;
        if (chosen) {
            ck_assert_int_eq(aic_semantics_choose(&semantics, readings[_i].key, readings[_i].value), AIC_OK);
        }
        (void)aic_take_warning();
        ck_assert_msg(aic_spec_advise(&spec, &semantics, NULL, 0) == AIC_OK, "%s", aic_last_error());
        const char *advice = aic_take_warning();
        ck_assert_msg(expected == NULL ? advice == NULL : advice != NULL && strstr(advice, expected) != NULL, "%s: %s",
                      readings[_i].spec, advice != NULL ? advice : "nothing");
    }
}
END_TEST

/* Illegal requests have no advice but an error. */
START_TEST(illegal_requests)
{
    const aic_spec spec = spec_of("mmad(dtype=int8, m=-1, n=16, k=32)");
    ck_assert_int_eq(aic_spec_advise(&spec, NULL, NULL, 0), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_null(aic_take_warning());
}
END_TEST

Suite *suite_advice(void)
{
    Suite *suite = suite_create("advice");
    TCase *tcase = tcase_create("advice");
    tcase_add_loop_test(tcase, every_reason, 0, COUNT(rows));
    tcase_add_loop_test(tcase, reasons_under_readings, 0, COUNT(readings));
    tcase_add_test(tcase, illegal_requests);
    suite_add_tcase(suite, tcase);
    return suite;
}
