/* Which specifications share a kernel, by example, and what that means for calls: test_canonical.c has the rule. */
#include "frontend/core/spec.h"
#include "frontend/random/rng.h"
#include "runtime/request/context.h"
#include "tests/claims.h"
#include "tests/specs.h"

#include <aic/tool.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_one_kernel(void);

static aic_context *context;

static void set_up(void)
{
    ck_assert_int_eq(aic_context_create(NULL, &context), AIC_OK);
}

static void tear_down(void)
{
    aic_context_destroy(context);
}

/* ---- examples ---- */

/* The text of a specification up to the fields that vary, two ways to go on, and whether they are one kernel. */
typedef struct row {
    const char *base, *a, *b;
    bool one;
} row;

#define CONV_INT8 "conv2d(dtype=int8, fm_shape=[1,7,7,32], kernel_shape=[1,3,3,16,32]"
#define CONV_HALF "conv2d(dtype=float16, fm_shape=[1,7,7,16], kernel_shape=[1,3,3,16,16]"
#define CONV_POINT "conv2d(dtype=int8, fm_shape=[1,7,7,32], kernel_shape=[1,1,1,16,32]"
#define CONV_COLUMN "conv2d(dtype=int8, fm_shape=[1,7,7,32], kernel_shape=[1,3,1,16,32]"
#define CONV_ONE "conv2d(dtype=int8, fm_shape=[1,3,3,32], kernel_shape=[1,3,3,16,32]"
#define MMAD "mmad(m=20, n=20, k=40"
#define FRACTALS "mmad(dtype=float16, k=16, a_format=Zz, b_format=Zn"
#define CHAIN ") | fixpipe(dst=float16, src=float32, quantPre=F322F16, nSize=20, mSize=20"
#define FIX "fixpipe(dst=float32, src=float32, mSize=20, nSize=40, srcStride=32, dstStride=40"
#define FIX_NZ "fixpipe(dst=float32, src=float32, format=NZ, mSize=20, nSize=32, srcStride=32, dstStride=40"
#define FIX_MATRICES "fixpipe(dst=float32, src=float32, mSize=16, nSize=40, srcStride=64, dstStride=40, ndNum=2"
#define FIX_ROW "fixpipe(dst=float32, src=float32, mSize=1, nSize=40, srcStride=1"
#define FIX_BLOCK "fixpipe(dst=float32, src=float32, mSize=20, nSize=16"
#define FIX_BYTES "fixpipe(mSize=20, nSize=40, srcStride=32, dstStride=40"
#define DEQ ", dst=float16, src=int32, quantPre=DEQF16, deqScalar="
#define QF ", dst=int8, src=float32, quantPre=QF322B8_PRE, deqScalar="
#define REQ ", dst=int8, src=int32, quantPre=REQ8, deqScalar="
#define TIK "tik_fixpipe(burst_len=20"
#define TIK_SCALED "tik_fixpipe(burst_len=20, dst=float16, src=int32, cburst_num=2, quantize_params=int322fp16"
#define ND2NZ "nd2nz(dtype=float16"
#define LOAD "load_data(dtype=float16"
#define TURN "load_data_transpose(repeatTimes=3"
#define MOVE "transdata(dtype=float16"
#define WORDS "tensor_arithmetic(shape=[2,3,4,5]"
#define LOCAL ", op=BM_ADD, memory=local, input0_addr=0, input1_addr=1024, output_addr=2048"
#define INTEGERS "tensor_arithmetic_quantized(shape=[5,3,4,5]"
#define WIDE ", input0_8bit=false, input1_8bit=false, output_8bit=false"
#define FIXED_ONE "input1_is_const=true, input1_const="
#define FIXED "op=BM_ADD, input1_is_const=true"
#define TILE "texpands(dtype=float32, rows=4, cols=8"
#define BOXES "texpands(dtype=float32, rows=32, cols=32, slayout=row_major"

static const row rows[] = {
    {CONV_INT8, ", accumulate=cube)", ", accumulate=fast)", true},
    {CONV_HALF, ", accumulate=cube)", ", accumulate=fast)", false},
    {CONV_INT8, ", pad_value=1)", ", pad_value=-7)", true},
    {CONV_INT8, ", pad=[0,0,1,0], pad_value=1)", ", pad=[0,0,1,0], pad_value=-7)", false},
    {CONV_INT8, ", pad=[0,1,0,0], stride=[1,2], pad_value=1)", ", pad=[0,1,0,0], stride=[1,2], pad_value=-7)", true},
    {CONV_HALF, ", pad=[1,1,1,1], pad_value=0.1)", ", pad=[1,1,1,1], pad_value=0.0999755859375)", true},
    {CONV_HALF, ", pad=[1,1,1,1], pad_value=0)", ", pad=[1,1,1,1], pad_value=-0.0)", false}, /* may meet infinity */
    {CONV_POINT, ", dilation=[1,1])", ", dilation=[255,7])", true},
    {CONV_COLUMN, ", dilation=[1,1])", ", dilation=[1,7])", true},
    {CONV_COLUMN, ", dilation=[1,1], pad=[0,0,1,1])", ", dilation=[2,1], pad=[0,0,2,2])", false},
    {CONV_INT8, ", stride=[2,2])", ", stride=[2,2], pad=[0,1,0,1])", true}, /* the last pixels are not seen */
    {CONV_INT8, ", stride=[2,2])", ", stride=[2,2], pad=[1,0,1,0])", false},
    {CONV_ONE, ", stride=[1,1])", ", stride=[63,7])", true},
    {CONV_ONE, ", stride=[1,1], pad=[0,0,1,0])", ", stride=[1,1], pad=[0,0,0,1])", false},
    {CONV_POINT, ", stride=[7,9], pad=[1,0,0,0])", ", stride=[7,9], pad=[2,0,0,0])", true}, /* nothing but padding */
    {CONV_POINT, ", stride=[7,3], pad=[1,0,0,0])", ", stride=[7,3], pad=[2,0,0,0])", false},
    {MMAD, ", dtype=int8, accumulate=cube)", ", dtype=int8, accumulate=fast)", true},
    {MMAD, ", dtype=float16, accumulate=cube)", ", dtype=float16, accumulate=fast)", false},
    {"mmad(dtype=float16, m=0, n=3, k=4", ", accumulate=cube)", ", accumulate=fast)", true},
    {FRACTALS, ", m=20, n=20" CHAIN ", srcStride=32)", ", m=31, n=25" CHAIN ", srcStride=32)", true},
    {FRACTALS, ", c_format=Nz, m=20, n=20)", ", c_format=Nz, m=31, n=20)", false},
    {FRACTALS, ", m=20, n=20" CHAIN ")", ", m=20, n=20, c_format=Nz" CHAIN ", srcStride=32, dstStride=20)", true},
    {FRACTALS, ", m=20, n=20" CHAIN ", ndNum=0)", ", m=20, n=20, accumulate=fast" CHAIN ", ndNum=0)", true},
    {FIX, ", deqScalar=0)", ", deqScalar=0xFFFFFFFFFFFFFFFF)", true},
    {FIX, ", srcNdStride=0)", ", srcNdStride=-99, dstNdStride=1000000)", true},
    {FIX, ", ndNum=1)", ", ndNum=0)", false},
    {FIX_MATRICES, ", srcNdStride=1, dstNdStride=640)", ", srcNdStride=2, dstNdStride=640)", false},
    {FIX_NZ, ", ndNum=1)", ", ndNum=65535)", true},
    {FIX_NZ, ", ndNum=1)", ", ndNum=0)", false},
    {FIX_BYTES, DEQ "0x3F800000)", DEQ "0xFFFFFFFF3F801FFF)", true},
    {FIX_BYTES, DEQ "0x3F800000)", DEQ "0x3F802000)", true}, /* scales are words at run time */
    {FIX_BYTES, ", dst=float16, src=int32, quantPre=VDEQF16, deqScalar=0)",
     ", dst=float16, src=int32, quantPre=VDEQF16, deqScalar=0x7F800000)", true},
    {FIX_BYTES, QF "0x3F800000)", QF "0x8000001F3F800000)", true},
    {FIX_BYTES, QF "0x3F800000)", QF "0x203F800000)", true},    /* uint8, offsets 0 and 1 */
    {FIX_BYTES, QF "0x3F800000)", QF "0x400038000000)", false}, /* and int8 */
    {FIX_BYTES, QF "0x400038000000)", QF "0x400037800000)", true},
    {FIX_BYTES, QF "0x400038000000)", QF "0x402038000000)", false}, /* int8, with an offset, too */
    {FIX_BYTES, QF "0x402038000000)", QF "0x7FE037800000)", true},  /* 1 and -1 */
    {FIX_BYTES, QF "0x402038000000)", QF "0x500038000000)", false}, /* 128, which leaves out results */
    {FIX_BYTES, QF "0x500038000000)", QF "0x200037800000)", true},  /* as all -256 of uint8 */
    {FIX_BYTES, REQ "0x3F800000)", REQ "0xF3F800000)", true},
    {FIX_BYTES, REQ "0x103F800000)", REQ "0x1F3F800000)", true}, /* shifts by 1 and by 16 bits */
    {FIX_BYTES, REQ "0x400038000000)", REQ "0x400037800000)", true},
    {FIX_BYTES, REQ "0x3F800000)", REQ "0x3F800000, reluEn=true)", true}, /* 0..255: what is negative is clamped */
    {FIX_BYTES, REQ "0x40003F800000)", REQ "0x40003F800000, reluEn=true)", false},
    {FIX_BYTES, ", dst=int8, src=int32, quantPre=VREQ8)", ", dst=uint8, src=int32, quantPre=VREQ8)", true},
    {FIX_ROW, ", dstStride=1)", ", dstStride=40)", true},
    {FIX_BLOCK, ", dstStride=16, srcStride=0)", ", dstStride=16, srcStride=99)", true},
    {FIX_BLOCK, ", format=NZ, dstStride=40)", ", format=NZ, dstStride=4000)", true},
    {FIX_BLOCK, ", format=NZ, dstStride=40)", ", format=ROW_MAJOR, dstStride=16)", true},
    {FIX_BLOCK, ", format=NZ, dstStride=40)", ", format=ROW_MAJOR, dstStride=17)", false},
    {TIK, ", dst=float32, src=float32, cburst_num=2)", ", dst=float32, src=float32, cburst_num=2, mode_param=1e300)",
     true},
    {TIK_SCALED, ", mode_param=0.1)", ", mode_param=0.0999755859375)", true},
    {TIK_SCALED, ", mode_param=0.1)", ", mode_param=0.11)", true}, /* a word at run time */
    {TIK_SCALED, ", mode_param_tensor=true, mode_param=7)", ", mode_param_tensor=true, mode_param=-1e300)", true},
    {TIK, ", dst=int32, src=int32, cburst_num=1)", ", dst=int32, src=int32, cburst_num=1, dst_stride=9)", true},
    {TIK, ", dst=int32, src=int32, cburst_num=2)", ", dst=int32, src=int32, cburst_num=2, dst_stride=9)", false},
    {ND2NZ, ", nValue=9, dValue=40, srcDValue=40, dstNzC0Stride=9)",
     ", nValue=9, dValue=40, srcDValue=40, dstNzC0Stride=9, srcNdMatrixStride=77, dstNzMatrixStride=5)", true},
    {ND2NZ, ", nValue=1, dValue=40, srcDValue=1, dstNzC0Stride=9)",
     ", nValue=1, dValue=40, srcDValue=99, dstNzC0Stride=9, dstNzNStride=8)", true},
    {ND2NZ, ", nValue=9, dValue=16, srcDValue=40, dstNzC0Stride=9)",
     ", nValue=9, dValue=16, srcDValue=40, dstNzC0Stride=77)", true},
    {ND2NZ, ", nValue=9, dValue=17, srcDValue=40, dstNzC0Stride=9)",
     ", nValue=9, dValue=17, srcDValue=40, dstNzC0Stride=77)", false},
    {ND2NZ, ", nValue=0, dValue=17, srcDValue=40, dstNzC0Stride=9)",
     ", ndNum=0, nValue=9, dValue=3, srcDValue=1, dstNzC0Stride=2)", true},
    {LOAD, ", repeatTimes=1)", ", repeatTimes=1, srcStride=9, dstGap=9)", true},
    {LOAD, ", repeatTimes=2)", ", repeatTimes=2, srcStride=9)", false},
    {LOAD, ", repeatTimes=0)", ", repeatTimes=0, startIndex=3, ifTranspose=true)", true},
    {"load_data(repeatTimes=2", ", dtype=int16)", ", dtype=bfloat16)", true},
    {TURN, ", dtype=float16)", ", dtype=float16, dstFracGap=9)", true},
    {TURN, ", dtype=int8, dstFracGap=5)", ", dtype=int8, dstFracGap=9)", false},
    {MOVE, ", src=NHWC, dst=NHWC, shape=[2,3,4,5])", ", src=OIHW, dst=OIHW, shape=[2,3,4,5])", true},
    {MOVE, ", src=Nz, dst=Nz, shape=[32,48])", ", src=Zz, dst=Zz, shape=[48,32])", true},
    {MOVE, ", src=Nz, dst=Nz, shape=[31,48])", ", src=Nz, dst=Nz, shape=[32,48])", false},
    {MOVE, ", src=ND, dst=Nz, shape=[9,9])", ", src=ND, dst=Zz, shape=[9,9])", true},
    {MOVE, ", src=ND, dst=Nz, shape=[9,9])", ", src=ND, dst=Zn, shape=[9,9])", false},
    {MOVE, ", src=NCHW, dst=NHWC, shape=[2,1,1,1])", ", src=NCHW, dst=NCHW, shape=[2,1,1,1])", true},
    {MOVE, ", src=NCHW, dst=NHWC, shape=[2,3,3,3])", ", src=NCHW, dst=NCHW, shape=[2,3,3,3])", false},
    {WORDS, ", op=BM_ADD)", ", op=BM_ADD, input0_const=0x7fc00001, select_value=5, shift_type=9)", true},
    {WORDS, ", " FIXED ", input1_const=2)", ", " FIXED ", input1_const=2, input1_addr=7, input1_stride=[9,9,9,-9])",
     true},
    {WORDS, ", " FIXED ", input1_const=2)", ", " FIXED ", input1_const=3)", true}, /* a word at run time */
    {CONV_HALF, ") | tensor_arithmetic(op=BM_MUL, " FIXED_ONE "2) | tensor_arithmetic(op=BM_ADD, " FIXED_ONE "3)",
     ") | tensor_arithmetic(op=BM_MUL, " FIXED_ONE "-5) | tensor_arithmetic(op=BM_ADD, " FIXED_ONE "0)", true},
    {CONV_HALF, ") | tensor_arithmetic(op=BM_MAX, " FIXED_ONE "2)", ") | tensor_arithmetic(op=BM_MAX, " FIXED_ONE "3)",
     false},
    {WORDS, ", op=BM_DIV, input1_is_const=true, input1_const=2)", ", op=BM_DIV, input1_is_const=true, input1_const=4)",
     false},
    {WORDS, ", op=BM_DIV, input1_is_const=true, input1_const=0)", ", op=BM_DIV, input1_is_const=true, input1_const=3)",
     false},
    {WORDS, ", op=BM_DIV, input1_is_const=true, input1_const=5)", ", op=BM_DIV, input1_is_const=true, input1_const=3)",
     true},
    {WORDS, ", op=BM_ADD)", ", op=BM_ADD, input0_stride=[60,20,5,1], output_stride=[60,20,5,1])", true},
    {WORDS, ", op=BM_ADD)", ", op=BM_ADD, input0_stride=[60,20,1,4])", false},
    {"tensor_arithmetic(shape=[1,3,1,5]", ", op=BM_ADD)", ", op=BM_ADD, input1_stride=[-4,5,99,1])", true},
    {WORDS, ", op=BM_SG, select_value=1)", ", op=BM_SG, select_value=2)", false},
    {WORDS, ", op=BM_CPY)", ", op=BM_CPY, input1_is_const=true, input1_stride=[1,2,3,4], input1_addr=5)", true},
    {WORDS, ", op=BM_SHIFT, input1_is_const=true, input1_const=0x3)",
     ", op=BM_SHIFT, input1_is_const=true, input1_const=0x43, shift_type=1)", true}, /* to the left */
    {WORDS, ", op=BM_SHIFT, input1_is_const=true, input1_const=0x3d)",
     ", op=BM_SHIFT, input1_is_const=true, input1_const=0x3d, shift_type=1)", false},
    {WORDS, LOCAL ")", LOCAL ", output_stride=[20,20,5,1])", true},
    {INTEGERS, ", op=BM_ADD)", ", op=BM_ADD, rshift_bit=99, lshift_bit=-1, shift_type=7)", true},
    {INTEGERS, ", op=BM_MUL, lshift_bit=3)", ", op=BM_MUL, lshift_bit=77)", true},
    {INTEGERS, ", op=BM_MUL, rshift_bit=15)", ", op=BM_MUL, rshift_bit=31)", true}, /* 0 or -1 */
    {INTEGERS, ", op=BM_MUL, rshift_bit=14)", ", op=BM_MUL, rshift_bit=15)", false},
    {INTEGERS, ", op=BM_XOR)", ", op=BM_XOR, input0_sign=false, input1_sign=false, output_sign=false)", true},
    {INTEGERS, ", op=BM_MAX)", ", op=BM_MAX, input0_sign=false)", false},
    {INTEGERS, ", " FIXED ", input1_addr=5)", ", " FIXED ", input1_addr=5, input1_sign=false, input1_h_is1=true)",
     true},
    {INTEGERS, ", " FIXED ", input1_addr=0xFB)", ", " FIXED ", input1_addr=0xFFFFFFFB)", true},
    {INTEGERS, ", " FIXED ", input1_addr=0xFB)", ", " FIXED ", input1_addr=0xFB, input1_sign=false)", false},
    {INTEGERS, ", op=BM_ADD, input1_h_is1=true)", ", op=BM_ADD, input1_stride=[15,5,0,1])", true},
    {INTEGERS, ", op=BM_ADD, input1_n_is1=true)", ", op=BM_ADD, input1_stride=[0,20,5,1])", false},
    {INTEGERS, ", op=BM_SHIFT" WIDE ")", ", op=BM_SHIFT, output_sign=false, input0_sign=false" WIDE ")", true},
    {INTEGERS, ", op=BM_SHIFT, shift_type=1" WIDE ")", ", op=BM_SHIFT, shift_type=1, input0_sign=false" WIDE ")",
     false},
    {TILE, ", arch=A5)", ", arch=A2A3, loc=mat)", true},
    {TILE, ", v_row=2)", ", v_row=2, pad=3, address=64)", true},
    {TILE, ", v_row=2)", ", v_row=3)", false},
    {TILE, ", loc=mat, v_row=2)", ", loc=mat, v_row=3)", true},
    {"texpands(loc=mat, arch=A2A3", ", dtype=float16, rows=4, cols=16)", ", dtype=bfloat16, rows=4, cols=16)", true},
    {"texpands(loc=mat, dtype=int8", ", rows=2, cols=32)", ", layout=NC1HWC0, shape=[1,1,2,1,32])", true},
    {BOXES, ", v_row=16, v_col=16)", ", v_row=16, v_col=16, fractal=1024)", true}, /* whole boxes, one or two */
    {BOXES, ", v_row=15, v_col=16)", ", v_row=15, v_col=16, fractal=1024)", false},
    {TILE, ", v_row=0, literal=1)", ", v_row=0, literal=2)", true},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static aic_spec spec_of_both(const char *base, const char *rest)
{
    char text[512];
    ck_assert_int_lt(snprintf(text, sizeof text, "%s%s", base, rest), (int)sizeof text);
    return spec_of(text);
}

/* The name of the kernel of a specification. */
static void name_kernel(const aic_spec *spec, char name[128])
{
    aic_kernel *kernel;
    aic_kernel_info info = aic_kernel_info_init();
    ck_assert_msg(aic_kernel_create(context, spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
    snprintf(name, 128, "%s", info.name);
    aic_kernel_destroy(kernel);
}

START_TEST(examples)
{
    const row *r = &rows[_i];
    const aic_spec a = spec_of_both(r->base, r->a), b = spec_of_both(r->base, r->b);
    char of_a[128], of_b[128];
    name_kernel(&a, of_a);
    name_kernel(&b, of_b);
    ck_assert_msg((strcmp(of_a, of_b) == 0) == r->one, "%s ... %s ... %s: %s", r->base, r->a, r->b,
                  r->one ? "two kernels" : "one kernel");
    ck_assert_uint_eq(atomic_load(&context->compiles), r->one ? 1 : 2);
}
END_TEST

/* ---- calls ---- */

/* What the context holds: kernels, and entries for requests. */
static void check_held(uint64_t kernels, size_t requests)
{
    aic_cache_stats stats = aic_cache_stats_init();
    ck_assert_int_eq(aic_context_cache_stats(context, &stats), AIC_OK);
    ck_assert_uint_eq(stats.kernels, kernels);
    ck_assert_uint_eq(stats.compiles, kernels);
    ck_assert_uint_eq(atomic_load(&context->by_request.entries), requests);
}

/* Operands of the calls below; they are small. */
static void *block(int number)
{
    static _Alignas(64) unsigned char blocks[4][8192];
    return blocks[number];
}

enum { CALLS = 10000 };

/* Fields that nothing looks at are never the same twice: the calls are one all the same. */
START_TEST(garbage_in_a_scalar)
{
    aic_spec spec = spec_of("fixpipe(dst=float16, src=int32, quantPre=VDEQF16, mSize=3, nSize=20, srcStride=3, "
                            "dstStride=20)");
    aic_fixpipe_desc *desc = &spec.stage[0].desc.fixpipe;
    uint64_t state = claims_seed(1);
    for (int i = 0; i < CALLS; i++) {
        desc->deqScalar = aic_rng_next(&state);
        desc->srcNdStride = (int64_t)aic_rng_next(&state);
        desc->dstNdStride = (int64_t)aic_rng_next(&state);
        ck_assert_msg(aic_jit_fixpipe(context, desc, block(0), block(1), block(2)) == AIC_OK, "%s", aic_last_error());
    }
    check_held(1, 1);
}
END_TEST

START_TEST(garbage_in_a_chain)
{
    aic_spec spec = spec_of("mmad(dtype=int8, m=3, n=5, k=7) | fixpipe(dst=float16, src=int32, quantPre=VDEQF16)");
    void *const operands[] = {block(0), block(1), block(2), block(3)};
    uint64_t state = claims_seed(1);
    for (int i = 0; i < CALLS; i++) {
        const uint32_t accumulate = (uint32_t)aic_rng_next(&state);
        memcpy(&spec.stage[0].desc.mmad.accumulate, &accumulate, sizeof accumulate);
        spec.stage[1].desc.fixpipe.deqScalar = aic_rng_next(&state);
        ck_assert_msg(aic_jit_spec(context, &spec, operands, 4) == AIC_OK, "%s", aic_last_error());
    }
    check_held(1, 1);
}
END_TEST

START_TEST(garbage_beside_a_constant)
{
    aic_spec spec = spec_of("tensor_arithmetic(shape=[1,3,4,5], op=BM_ADD, input1_is_const=true, input1_const=1)");
    aic_tensor_arithmetic_desc *desc = &spec.stage[0].desc.tensor_arithmetic;
    uint64_t state = claims_seed(1);
    for (int i = 0; i < CALLS; i++) {
        const uint32_t bits = (uint32_t)aic_rng_next(&state);
        memcpy(&desc->input0_const, &bits, sizeof bits);
        memcpy(&desc->select_value, &bits, sizeof bits);
        desc->shift_type = desc->input1_addr = desc->input1_stride[i % 4] = (int64_t)aic_rng_next(&state);
        ck_assert_msg(aic_jit_tensor_arithmetic(context, desc, block(0), block(1), NULL) == AIC_OK, "%s",
                      aic_last_error());
    }
    check_held(1, 1);
}
END_TEST

/* Bits of the scalar that count make another request of the same kernel, illegal ones are refused, however often. */
START_TEST(what_counts_is_looked_at)
{
    aic_spec spec = spec_of("fixpipe(dst=float16, src=int32, quantPre=DEQF16, mSize=3, nSize=20, srcStride=3, "
                            "dstStride=20)");
    aic_fixpipe_desc *desc = &spec.stage[0].desc.fixpipe;
    for (uint64_t i = 0; i < 3; i++) {
        desc->deqScalar = UINT64_C(0x3F800000) | i << 13;
        ck_assert_int_eq(aic_jit_fixpipe(context, desc, block(0), block(1), NULL), AIC_OK);
        desc->deqScalar |= UINT64_C(0x7F800000);
        ck_assert_int_eq(aic_jit_fixpipe(context, desc, block(0), block(1), NULL), AIC_INVALID_ARGUMENT);
    }
    check_held(1, 3);
}
END_TEST

/* What a kernel is made of need not be legal: in the other format there are 8192 rows at most. It is found by requests
 * of something legal, and refused to a request of itself. */
START_TEST(canonical_specifications_are_no_requests)
{
    const aic_spec spec = spec_of("fixpipe(dst=float16, src=float32, quantPre=F322F16, format=NZ, mSize=8193, "
                                  "nSize=16, dstStride=8193)");
    aic_spec canonical;
    void *dst = calloc(8193 * 16, 2), *src = calloc(8193 * 16, 4);
    void *const operands[] = {dst, src, NULL};
    ck_assert_int_eq(aic_spec_resolve_kernel(&spec, NULL, &canonical), AIC_OK);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(aic_jit_spec(context, &spec, operands, 3), AIC_OK);
        ck_assert_int_eq(aic_jit_spec(context, &canonical, operands, 3), AIC_INVALID_ARGUMENT);
        check_error("fixpipe: mSize: 8193 is outside 1..8192");
    }
    check_held(1, 1);
    free(dst);
    free(src);
}
END_TEST

/* A schedule is judged for, and belongs to, the kernel, whatever the request. */
START_TEST(schedules_of_one_kernel)
{
    static const char *const texts[] = {CONV_POINT ", dilation=[1,1])",
                                        CONV_POINT ", dilation=[3,7], accumulate=fast)"};
    char schedule[256], name[2][128];
    for (int i = 0; i < 2; i++) {
        const aic_spec spec = spec_of(texts[i]);
        aic_kernel *kernel;
        aic_kernel_info info = aic_kernel_info_init();
        ck_assert_int_eq(aic_schedule_candidate(context, &spec, 1, schedule, sizeof schedule), AIC_OK);
        ck_assert_msg(aic_kernel_create(context, &spec, schedule, &kernel) == AIC_OK, "%s", aic_last_error());
        ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
        ck_assert_str_eq(info.schedule, schedule);
        snprintf(name[i], sizeof name[i], "%s", info.name);
        aic_kernel_destroy(kernel);
    }
    ck_assert_str_eq(name[0], name[1]);
    check_held(1, 2);
    const aic_spec spec = spec_of(texts[0]);
    name_kernel(&spec, name[1]);
    ck_assert_str_ne(name[0], name[1]);
    check_held(2, 3);
}
END_TEST

Suite *suite_one_kernel(void)
{
    Suite *suite = suite_create("one_kernel");
    TCase *tcase = tcase_create("one_kernel");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, examples, 0, ROWS);
    tcase_add_test(tcase, garbage_in_a_scalar);
    tcase_add_test(tcase, garbage_in_a_chain);
    tcase_add_test(tcase, garbage_beside_a_constant);
    tcase_add_test(tcase, what_counts_is_looked_at);
    tcase_add_test(tcase, canonical_specifications_are_no_requests);
    tcase_add_test(tcase, schedules_of_one_kernel);
    suite_add_tcase(suite, tcase);
    return suite;
}
