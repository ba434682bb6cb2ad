/* aic_spec_work(): the bytes that a call reads and writes, by hand for some specifications, and for pseudo-random ones
 * against what the reference is seen to write. */
#include "frontend/core/op.h"
#include "tests/specs.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_work(void);

#define WORDS "tensor_arithmetic(shape=[1,3,4,5], op="
#define INTEGERS "tensor_arithmetic_quantized(shape=[9,2,1,5], op="
#define STORE "fixpipe(src=int32, nSize=5, mSize=3, srcStride=16, dstStride=9, dst="

static const struct {
    const char *text;
    int64_t bytes;
} rows[] = {
    {"conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32])", 512 + 4096 + 9 * 32 * 4},
    {"conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32], init_l1out=false)",
     512 + 4096 + 2 * 9 * 32 * 4},
    {"mmad(dtype=int8, m=3, n=5, k=7) | fixpipe(dst=float16, src=int32, quantPre=VDEQF16)", 21 + 35 + 30 + 40},
    {"mmad(dtype=int8, m=3, n=5, k=7) | fixpipe(dst=int32, src=int32, dstStride=100)", 21 + 35 + 60},
    {WORDS "BM_ADD)", 3 * 240},
    {WORDS "BM_MAC)", 4 * 240},
    {WORDS "BM_CPY)", 2 * 240},
    {WORDS "BM_CPY, input0_is_const=true)", 240},
    {WORDS "BM_ADD, output_stride=[0,100,10,2], input0_stride=[0,200,30,3])", 3 * 240},
    {WORDS "BM_ADD, input1_stride=[0,1,0,0])", 2 * 240 + 3 * 4},
    {WORDS "BM_ADD, input1_stride=[0,0,1,1])", 2 * 240 + 8 * 4}, /* elements 0..7, shared by rows */
    {WORDS "BM_ADD, memory=local, input1_addr=1024, output_addr=2048)", 3 * 240},
    {WORDS "BM_MAC, memory=local, input1_addr=1024, output_addr=2048)", 4 * 240},
    {WORDS "BM_ADD, memory=local, input1_addr=1024, output_addr=2048, input1_stride=[0,9,0,0])", 2 * 240 + 3 * 4},
    {INTEGERS "BM_ADD)", 3 * 90},
    {INTEGERS "BM_ADD, output_8bit=false)", 4 * 90},
    {INTEGERS "BM_MAC, output_8bit=false)", 6 * 90},
    {INTEGERS "BM_ADD, input1_n_is1=true)", 2 * 90 + 10},
    {INTEGERS "BM_ADD, input1_stride=[0,5,5,1])", 2 * 90 + 40}, /* a word holds four batches */
    {"texpands(dtype=float32, rows=16, cols=16)", 1024 + 4},
    {"texpands(dtype=float32, rows=16, cols=16, v_row=3, v_col=5)", 60 + 4},
    {"texpands(dtype=float32, rows=16, cols=16, v_row=3, v_col=5, literal=1)", 60},
    {"texpands(dtype=float32, rows=16, cols=16, v_row=0)", 4},
    {"texpands(dtype=float32, rows=16, cols=16, v_row=dyn, v_col=5)", 320 + 4 + 4},
    {"texpands(dtype=int8, loc=mat, rows=32, cols=32, v_row=4, v_col=4)", 1024 + 1},
    {"texpands(dtype=half, loc=mat, layout=NC1HWC0, shape=[1,1,2,2,16], buffer_size=1000)", 128 + 2},
    {STORE "int32)", 60 + 60},
    {STORE "float16, quantPre=VDEQF16)", 60 + 30 + 40},
    {STORE "float16, quantPre=VDEQF16, ndNum=0)", 0},
    {"tik_fixpipe(dst=int32, src=int32, cburst_num=2, burst_len=6, dst_stride=3)", 2 * 384},
    {"load_data(dtype=half, repeatTimes=3, srcStride=4, dstGap=2)", 2 * 3 * 512},
    {"load_data(dtype=half, repeatTimes=3, srcStride=0)", 4 * 512},
    {"load_data_transpose(dtype=int8, repeatTimes=2, srcStride=3, dstGap=2)", 2 * 2 * 1024},
    {"nd2nz(dtype=half, ndNum=1, nValue=3, dValue=20, srcDValue=50, dstNzC0Stride=7, dstNzNStride=1)", 120 + 3 * 64},
    {"transdata(dtype=int8, src=NCHW, dst=4N, shape=[3,2,1,5])", 30 + 30},
    {"transdata(dtype=half, src=NCHW, dst=NC1HWC0, shape=[1,3,2,2])", 24 + 128},
    {"transdata(dtype=half, src=NC1HWC0, dst=NCHW, shape=[1,3,2,2])", 24 + 24},
};

START_TEST(bytes_by_hand)
{
    const aic_spec spec = spec_of(rows[_i].text);
    int64_t macs, bytes;
    ck_assert_msg(aic_spec_work(&spec, NULL, &macs, &bytes) == AIC_OK, "%s", aic_last_error());
    ck_assert_msg(bytes == rows[_i].bytes, "%s: %" PRId64 ", not %" PRId64, rows[_i].text, bytes, rows[_i].bytes);
}
END_TEST

/* ---- what the reference writes ---- */

/* Whether what is written depends neither on the old output nor on the call's data. */
static bool writes_blindly(const aic_stage *stage)
{
    switch (stage->op) {
    case AIC_OP_CONV2D:
        return stage->desc.conv2d.init_l1out;
    case AIC_OP_MMAD:
        return stage->desc.mmad.init_c;
    case AIC_OP_TENSOR_ARITHMETIC:
        return stage->desc.tensor_arithmetic.op != AIC_ATOMIC_BM_MAC &&
               stage->desc.tensor_arithmetic.memory == AIC_MEMORY_FLAT;
    case AIC_OP_TENSOR_ARITHMETIC_QUANTIZED:
        return stage->desc.tensor_arithmetic_quantized.op != AIC_ATOMIC_BM_MAC &&
               stage->desc.tensor_arithmetic_quantized.memory == AIC_MEMORY_FLAT;
    case AIC_OP_TEXPANDS:
        return stage->desc.texpands.v_row != AIC_DYNAMIC && stage->desc.texpands.v_col != AIC_DYNAMIC;
    default:
        return true;
    }
}

/* Bytes of the output that are the same whatever was there before; inputs are all zeros. */
static int64_t written(const aic_spec *spec, const aic_operand *operands, size_t count)
{
    const size_t bytes = (size_t)operands[0].bytes;
    unsigned char *output[2];
    void *pointer[AIC_OPERANDS_MAX] = {NULL};
    for (size_t i = 1; i < count; i++) {
        pointer[i] = operands[i].direction == AIC_DIRECTION_UNUSED ? NULL : calloc((size_t)operands[i].bytes + 1, 1);
    }
    for (int pass = 0; pass < 2; pass++) {
        output[pass] = malloc(bytes + 1);
        ck_assert_ptr_nonnull(output[pass]);
        memset(output[pass], pass == 0 ? 0 : 0xFF, bytes);
        pointer[0] = output[pass];
        run_reference(spec, NULL, pointer, count);
    }
    int64_t same = 0;
    for (size_t i = 0; i < bytes; i++) {
        same += output[0][i] == output[1][i];
    }
    for (size_t i = 1; i < count; i++) {
        free(pointer[i]);
    }
    free(output[0]);
    free(output[1]);
    return same;
}

/* The bytes that the operator says it accesses are those written and at most those of its inputs. */
START_TEST(random_specifications)
{
    int seen = 0;
    for (uint64_t seed = 0; seed < 150; seed++) {
        aic_spec spec;
        aic_operand operands[AIC_OPERANDS_MAX];
        size_t count;
        int64_t macs, bytes, most = 0;
        ck_assert_int_eq(aic_spec_draw((aic_op)_i, NULL, seed, &spec), AIC_OK);
        if (!writes_blindly(&spec.stage[0])) {
            continue;
        }
        ck_assert_int_eq(aic_spec_operands(&spec, NULL, operands, &count), AIC_OK);
        ck_assert_int_eq(aic_spec_work(&spec, NULL, &macs, &bytes), AIC_OK);
        const aic_op_info *op = aic_op_get((aic_op)_i);
        const aic_semantics semantics = aic_semantics_init();
        int64_t own[AIC_OPERANDS_MAX] = {operands[0].bytes, 0, 0, 0}, sum = 0;
        for (size_t i = 1; i < count; i++) {
            own[i] = operands[i].bytes;
            most += operands[i].bytes;
        }
        if (op->accessed) {
            op->accessed(&spec.stage[0].desc, &semantics, own);
        }
        for (size_t i = 0; i < count; i++) {
            sum += own[i];
        }
        ck_assert_int_eq(own[0], written(&spec, operands, count));
        ck_assert_int_eq(bytes, sum);
        ck_assert_int_le(sum - own[0], most);
        seen++;
    }
    ck_assert_int_gt(seen, 30);
}
END_TEST

Suite *suite_work(void)
{
    Suite *suite = suite_create("work");
    TCase *tcase = tcase_create("work");
    tcase_add_loop_test(tcase, bytes_by_hand, 0, (int)(sizeof rows / sizeof rows[0]));
    tcase_add_loop_test(tcase, random_specifications, AIC_OP_NONE + 1, AIC_OP_END);
    tcase_set_timeout(tcase, 120);
    suite_add_tcase(suite, tcase);
    return suite;
}
