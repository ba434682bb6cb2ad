/* Operator text: what is read, what is refused and where, the canonical form, hostile input. */
#include "frontend/core/op.h"
#include "frontend/text/text.h"

#include "tests/growth.h"
#include "tests/specs.h"

#include <aic/aic.h>
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_text(void);

#define TEXT_MAX 2048
#define SHAPES "fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32]"
#define CANONICAL                                                                                                      \
    "conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32], stride=[1,1], pad=[0,0,0,0], "                \
    "dilation=[1,1], pad_value=0, init_l1out=true, accumulate=cube, l1out=tensor)"

#define FIXPIPE(dst, format, mode, scalar) FIXPIPE_OF(dst, "int32", format, mode, scalar)
#define FIXPIPE_OF(dst, src, format, mode, scalar)                                                                     \
    "fixpipe(dst=" dst ", src=" src ", format=" format ", nSize=0, mSize=0, srcStride=0, dstStride=0, quantPre=" mode  \
    ", deqScalar=" scalar                                                                                              \
    ", ndNum=1, srcNdStride=0, dstNdStride=0, reluEn=false, unitFlag=0, isChannelSplit=false, fill_block=false)"

static const struct {
    const char *text;
    const char *canonical;
} good[] = {
    {CANONICAL, CANONICAL},
    {"conv2d(dtype=int8, " SHAPES ")", CANONICAL},
    {"conv2d(" SHAPES ",dtype=i8)", CANONICAL},
    {" conv2d (\n dtype = s8 ,\tfm_shape = [ 1 , 4,4 ,0x20 ] , kernel_shape=[1,+2,2,0X20,32])\r\n", CANONICAL},
    {"conv2d(init_l1out=True, accumulate=cube, pad_value=0.0e5, dtype=int8, " SHAPES ")", CANONICAL},
    {"conv2d(dtype=half, " SHAPES ", pad_value=-0.0, init_l1out=False, accumulate=fast, pad=[1,2,3,4])",
     "conv2d(dtype=float16, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32], stride=[1,1], pad=[1,2,3,4], "
     "dilation=[1,1], pad_value=-0, init_l1out=false, accumulate=fast, l1out=tensor)"},
    {"conv2d(dtype=fp16, " SHAPES ", pad_value=.1, stride=[-9223372036854775808,9223372036854775807])",
     "conv2d(dtype=float16, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32], "
     "stride=[-9223372036854775808,9223372036854775807], pad=[0,0,0,0], dilation=[1,1], pad_value=0.1, "
     "init_l1out=true, accumulate=cube, l1out=tensor)"},
    {"conv2d(dtype=int8," SHAPES ")|conv2d(dtype=int8," SHAPES ")", CANONICAL " | " CANONICAL},
    /* enumerations, 64 bits, lists of any length */
    {"fixpipe(dst=half, src=int32, quantPre=VDEQF16)", FIXPIPE("float16", "ROW_MAJOR", "VDEQF16", "0x0")},
    {"fixpipe(dst=bf16, src=f32, format=NZ, deqScalar=0xFFFFFFFFFFFFFFFF)",
     FIXPIPE_OF("bfloat16", "float32", "NZ", "NoQuant", "0xffffffffffffffff")},
    {"fixpipe(dst=u8, src=i32, deqScalar=18446744073709551615, quantPre=REQ8)",
     FIXPIPE("uint8", "ROW_MAJOR", "REQ8", "0xffffffffffffffff")},
    {"fixpipe(dst=s8, src=i32, deqScalar=0x0000000040003F000000, quantPre=VREQ8)",
     FIXPIPE("int8", "ROW_MAJOR", "VREQ8", "0x40003f000000")},
    {"mmad(dtype=int8, m=1, n=2, k=3, a_format=ZZ, b_format=ZN, c_format=NZ)",
     "mmad(dtype=int8, m=1, n=2, k=3, a_format=Zz, b_format=Zn, c_format=Nz, init_c=true, accumulate=cube, "
     "l1out=tensor)"},
    {"transdata(dtype=int8, src=NCHW, dst=4N, shape=[1])", "transdata(dtype=int8, src=NCHW, dst=4N, shape=[1])"},
    {"transdata(dtype=int8, src=4N, dst=NCHW, shape=[1,-2,3,0x40])",
     "transdata(dtype=int8, src=4N, dst=NCHW, shape=[1,-2,3,64])"},
    {"mmad(dtype=int8, m=1, n=2, k=3) | fixpipe(src=int32, dst=int32)",
     "mmad(dtype=int8, m=1, n=2, k=3, a_format=ND, b_format=ND, c_format=ND, init_c=true, accumulate=cube, "
     "l1out=tensor) | " FIXPIPE("int32", "ROW_MAJOR", "NoQuant", "0x0")},
};

START_TEST(reads_and_prints)
{
    aic_spec spec;
    char text[TEXT_MAX];
    size_t length = 0;
    ck_assert_msg(aic_spec_read(good[_i].text, &spec) == AIC_OK, "%s: %s", good[_i].text, aic_last_error());
    ck_assert_int_eq(aic_spec_print(&spec, text, sizeof text, &length), AIC_OK);
    ck_assert_str_eq(text, good[_i].canonical);
    ck_assert_uint_eq(length, strlen(text));
}
END_TEST

#define LONG_WORD "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"

static const struct {
    const char *text;
    const char *message;
} bad[] = {
    {"", "expected the name of an operator instead of the end of the text (column 1)"},
    {"  (", "expected the name of an operator instead of '(' (column 3)"},
    {"conv3d()",
     "conv3d: unknown operator; did you mean conv2d? the operators are conv2d, mmad, fixpipe, tik_fixpipe, nd2nz, "
     "load_data, load_data_transpose, transdata, tensor_arithmetic, tensor_arithmetic_quantized, texpands (column 1)"},
    {LONG_WORD "()", "abcdefghijklmnopqrstuvwxyzabcdefghijklmn...: unknown operator; the operators are conv2d, mmad, "
                     "fixpipe, tik_fixpipe, nd2nz, load_data, load_data_transpose, transdata, tensor_arithmetic, "
                     "tensor_arithmetic_quantized, texpands (column 1)"},
    {"conv2d", "conv2d: expected '(' instead of the end of the text (column 7)"},
    {"conv2d()", "conv2d: dtype: this key is required and missing (column 8)"},
    {"conv2d(dtype=int8)", "conv2d: fm_shape: this key is required and missing (column 18)"},
    {"conv2d(dtype=int8,)", "conv2d: expected a key instead of ')' (column 19)"},
    {"conv2d(dtype=int8", "conv2d: expected ',' or ')' instead of the end of the text (column 18)"},
    {"conv2d(dtype=int8 fm_shape=[1,1,1,1])", "conv2d: expected ',' or ')' instead of 'f' (column 19)"},
    {"conv2d(dtype int8)", "conv2d: dtype: expected '=' instead of 'i' (column 14)"},
    {"conv2d(dtype=)", "conv2d: dtype: expected a value instead of ')' (column 14)"},
    {"conv2d(dtype=int9)",
     "conv2d: dtype: int9 is not a data type (int8, float16, ...); did you mean int8? (column 14)"},
    {"conv2d(dtype=none)", "conv2d: dtype: none is not a data type (int8, float16, ...) (column 14)"},
    {"conv2d(dtype=5)", "conv2d: dtype: 5 is not a data type (int8, float16, ...) (column 14)"},
    {"conv2d(dtype=?1)", "conv2d: dtype: ?1 is not a \"?\" and a number for which there is no word (column 14)"},
    {"conv2d(accumulate=?0x)",
     "conv2d: accumulate: ?0x is not a \"?\" and a number for which there is no word (column 19)"},
    {"conv2d(accumulate=?0x100000000)",
     "conv2d: accumulate: ?0x100000000 is not a \"?\" and a number for which there is no word (column 19)"},
    {"conv2d(init_l1out=?1)",
     "conv2d: init_l1out: ?1 is not a \"?\" and a number for which there is no word (column 19)"},
    {"conv2d(init_l1out=?0x100)",
     "conv2d: init_l1out: ?0x100 is not a \"?\" and a number for which there is no word (column 19)"},
    {"conv2d(pad_value=?5)",
     "conv2d: pad_value: ?5 is not a \"?\" and a number for which there is no word (column 18)"},
    {"conv2d(groups=?5)", "conv2d: groups: ?5 is not an integer (column 15)"},
    {"conv2d(dtype=" LONG_WORD ")",
     "conv2d: dtype: abcdefghijklmnopqrstuvwxyzabcdefghijklmn... is not a data type (int8, float16, ...) (column 14)"},
    {"conv2d(dtype=int8, strid=[1,1])", "conv2d: strid: unknown key; did you mean stride? the keys are dtype, "
                                        "fm_shape, kernel_shape, stride, pad, dilation, pad_value, "
                                        "init_l1out, accumulate, l1out, groups (column 20)"},
    {"conv2d(dtype=int8, dtype=int8)", "conv2d: dtype: given twice (column 20)"},
    {"conv2d(fm_shape=[1,2,3])", "conv2d: fm_shape: 3 entries instead of 4 (column 24)"},
    {"conv2d(fm_shape=[])", "conv2d: fm_shape: 0 entries instead of 4 (column 19)"},
    {"conv2d(fm_shape=[1,2,3,4,5])", "conv2d: fm_shape: more than 4 entries (column 26)"},
    {"conv2d(fm_shape=[1,2,3,])", "conv2d: fm_shape: expected a value instead of ']' (column 24)"},
    {"conv2d(fm_shape=[1 2])", "conv2d: fm_shape: expected ']' instead of '2' (column 20)"},
    {"conv2d(fm_shape=4)", "conv2d: fm_shape: expected '[' instead of '4' (column 17)"},
    {"conv2d(fm_shape=[1.5,2,3,4])", "conv2d: fm_shape: 1.5 is not an integer (column 18)"},
    {"conv2d(fm_shape=[1e3,2,3,4])", "conv2d: fm_shape: 1e3 is not an integer (column 18)"},
    {"conv2d(fm_shape=[0x,2,3,4])", "conv2d: fm_shape: 0x is not an integer (column 18)"},
    {"conv2d(fm_shape=[-,2,3,4])", "conv2d: fm_shape: - is not an integer (column 18)"},
    {"conv2d(fm_shape=[9223372036854775808,2,3,4])",
     "conv2d: fm_shape: 9223372036854775808 is not an integer of 64 bits (column 18)"},
    {"conv2d(fm_shape=[-9223372036854775809,2,3,4])",
     "conv2d: fm_shape: -9223372036854775809 is not an integer of 64 bits (column 18)"},
    {"conv2d(fm_shape=[0xFFFFFFFFFFFFFFFFF,2,3,4])",
     "conv2d: fm_shape: 0xFFFFFFFFFFFFFFFFF is not an integer of 64 bits (column 18)"},
    {"conv2d(pad_value=[1])", "conv2d: pad_value: expected a value instead of '[' (column 18)"},
    {"conv2d(pad_value=1,5)", "conv2d: 5: unknown key; the keys are dtype, fm_shape, kernel_shape, stride, pad, "
                              "dilation, pad_value, init_l1out, accumulate, l1out, groups (column 20)"},
    {"conv2d(pad_value=1e)", "conv2d: pad_value: 1e is not a number (column 18)"},
    {"conv2d(pad_value=.)", "conv2d: pad_value: . is not a number (column 18)"},
    {"conv2d(pad_value=0x1.8p3)", "conv2d: pad_value: 0x1.8p3 is not a number (column 18)"},
    {"conv2d(pad_value=1e999)", "conv2d: pad_value: 1e999 is not a number of double precision (column 18)"},
    {"conv2d(init_l1out=1)", "conv2d: init_l1out: 1 is not true or false (column 19)"},
    {"conv2d(init_l1out=TRUE)", "conv2d: init_l1out: TRUE is not true or false (column 19)"},
    {"conv2d(accumulate=slow)", "conv2d: accumulate: slow is not cube, fast or winograd (column 19)"},
    {"mmad(a_format=zz)", "mmad: a_format: zz is not a layout (ND, Nz, Zz, Zn, Nn, NCHW, NHWC, NC1HWC0, OIHW, HWIO, "
                          "FRACTAL_Z, 4N, 2N, NDC1HWC0, FRACTAL_Z_3D); did you mean Zz? (column 15)"},
    {"mmad(a_format=0)", "mmad: a_format: 0 is not a layout (ND, Nz, Zz, Zn, Nn, NCHW, NHWC, NC1HWC0, OIHW, HWIO, "
                         "FRACTAL_Z, 4N, 2N, NDC1HWC0, FRACTAL_Z_3D) (column 15)"},
    {"fixpipe(format=ND)", "fixpipe: format: ND is not NZ or ROW_MAJOR (column 16)"},
    {"fixpipe(quantPre=DEQF32)",
     "fixpipe: quantPre: DEQF32 is not a mode (NoQuant, F322F16, F322BF16, DEQF16, VDEQF16, "
     "QF322B8_PRE, VQF322B8_PRE, REQ8, VREQ8); did you mean DEQF16? (column 18)"},
    {"fixpipe(deqScalar=-1)",
     "fixpipe: deqScalar: -1 is not an integer of 64 bits without a sign, or quant(...) (column 19)"},
    {"fixpipe(deqScalar=18446744073709551616)",
     "fixpipe: deqScalar: 18446744073709551616 is not an integer of 64 bits without a sign, or quant(...) (column 19)"},
    {"fixpipe(deqScalar=0x10000000000000000)",
     "fixpipe: deqScalar: 0x10000000000000000 is not an integer of 64 bits without a sign, or quant(...) (column 19)"},
    {"fixpipe(deqScalar=1.5)",
     "fixpipe: deqScalar: 1.5 is not an integer of 64 bits without a sign, or quant(...) (column 19)"},
    {"tensor_arithmetic(input1_const=1e99)",
     "tensor_arithmetic: input1_const: 1e99 is not a number of single precision or "
     "its 32 bits (column 32)"},
    {"tensor_arithmetic(input1_const=0x100000000)", "tensor_arithmetic: input1_const: 0x100000000 is not a number of "
                                                    "single precision or its 32 bits (column 32)"},
    {"tensor_arithmetic(input1_const=abc)", "tensor_arithmetic: input1_const: abc is not a number (column 32)"},
    {"transdata(shape=[])", "transdata: shape: 0 entries instead of 4 (column 19)"},
    {"transdata(shape=[1,2,3,4,5,6,7])", "transdata: shape: more than 4 entries (column 26)"},
    {"transdata(shape=[2,0])", "transdata: shape: 0 is outside 1..9223372036854775807 (column 20)"},
    {"mmad(dtype=int8, m=1, n=2, k=3) | fixpipe(dst=int8, src=int32, nsize=4)",
     "fixpipe: nsize: unknown key; did you mean nSize? the keys are dst, src, format, nSize, mSize, srcStride, "
     "dstStride, quantPre, "
     "deqScalar, ndNum, srcNdStride, dstNdStride, reluEn, unitFlag, isChannelSplit, fill_block (column 64)"},
    {"conv2d(\x01)", "conv2d: expected a key instead of byte 0x01 (column 8)"},
    {"conv2d(\xC3\xA9)", "conv2d: expected a key instead of byte 0xC3 (column 8)"},
    {"conv2d(dtype=int8, " SHAPES ") x", "expected '|' or the end of the text instead of 'x' (column 69)"},
    {"conv2d(dtype=int8, " SHAPES ") |", "expected the name of an operator instead of the end of the text (column 70)"},
    {CANONICAL "|" CANONICAL "|" CANONICAL "|" CANONICAL "|" CANONICAL "|" CANONICAL "|" CANONICAL,
     "more than 6 operators in a chain (column 1045)"},
};

START_TEST(refuses_with_column)
{
    aic_spec spec;
    aic_spec before;
    memset(&spec, 0x5A, sizeof spec);
    memcpy(&before, &spec, sizeof spec);
    ck_assert_int_eq(aic_spec_read(bad[_i].text, &spec), AIC_INVALID_ARGUMENT);
    check_error(bad[_i].message);
    ck_assert_mem_eq(&spec, &before, sizeof spec);
}
END_TEST

START_TEST(null_arguments)
{
    aic_spec spec;
    ck_assert_int_eq(aic_spec_read(NULL, &spec), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_spec_read(CANONICAL, NULL), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_spec_print(NULL, NULL, 0, NULL), AIC_INVALID_ARGUMENT);
}
END_TEST

/* inf and nan are numbers to the text; the rules of the operator name the parameter. */
START_TEST(special_numbers_reach_the_rules)
{
    static const char *const words[] = {"nan", "inf", "-inf", "65505"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[TEXT_MAX];
        char message[TEXT_MAX];
        aic_spec spec;
        snprintf(text, sizeof text,
                 "conv2d(dtype=float16, fm_shape=[1,4,4,16], kernel_shape=[1,2,2,16,16], pad_value=%s)", words[i]);
        snprintf(message, sizeof message, "conv2d: pad_value: %s is outside -65504..65504 for float16", words[i]);
        ck_assert_int_eq(aic_spec_read(text, &spec), AIC_OK);
        ck_assert_int_eq(aic_spec_validate(&spec, NULL), AIC_INVALID_ARGUMENT);
        check_error(message);
    }
}
END_TEST

/* A record by itself, as schedules are written. */
START_TEST(records)
{
    const aic_record *record = &aic_op_get(AIC_OP_CONV2D)->record;
    aic_conv2d_desc desc = aic_conv2d_desc_init();
    char text[TEXT_MAX];
    size_t length = 0;
    ck_assert_int_eq(aic_record_parse(record, CANONICAL " ", &desc, NULL), AIC_OK);
    ck_assert_int_eq(aic_record_print(record, &desc, text, sizeof text, &length), AIC_OK);
    ck_assert_str_eq(text, CANONICAL);
    ck_assert_uint_eq(length, strlen(CANONICAL));
    ck_assert_int_eq(aic_record_print(record, &desc, text, length, NULL), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_record_parse(record, "mmad()", &desc, NULL), AIC_INVALID_ARGUMENT);
    check_error("expected conv2d(...) instead of mmad (column 1)");
    ck_assert_int_eq(aic_record_parse(record, CANONICAL "|", &desc, NULL), AIC_INVALID_ARGUMENT);
    check_error("expected the end of the text instead of '|' (column 174)");
}
END_TEST

/* In memory of its own: texts of all lengths around that of the buffer that most fit into. */
START_TEST(new_memory)
{
    enum { BUFFER = 1024, DIGITS = 150, STAGES = 5 };
    aic_spec stage, spec = {.count = STAGES};
    size_t length = 0, shortest = SIZE_MAX;
    ck_assert_int_eq(aic_spec_read(CANONICAL, &stage), AIC_OK);
    for (int i = 0; i < STAGES; i++) {
        spec.stage[i] = stage.stage[0];
    }
    for (int i = 0; i < DIGITS; i++) { /* one more a time; what is printed need not be valid */
        char text[TEXT_MAX], *made;
        int64_t *number = &spec.stage[i % STAGES].desc.conv2d.kernel_shape[i / STAGES % 5];
        *number *= 10;
        ck_assert_int_eq(aic_spec_print(&spec, text, sizeof text, &length), AIC_OK);
        ck_assert_int_eq(aic_spec_print_new(&spec, &made), AIC_OK);
        ck_assert_str_eq(made, text);
        free(made);
        shortest = length < shortest ? length : shortest;
    }
    ck_assert(shortest < BUFFER && length > BUFFER + 1);
    spec.count = 0;
    ck_assert_int_eq(aic_spec_print_new(&spec, &(char *){NULL}), AIC_INVALID_ARGUMENT);
}
END_TEST

START_TEST(buffer_sizes)
{
    aic_spec spec;
    char text[TEXT_MAX];
    size_t length = 0;
    const size_t needed = strlen(CANONICAL);
    ck_assert_int_eq(aic_spec_read(CANONICAL, &spec), AIC_OK);
    ck_assert_int_eq(aic_spec_print(&spec, NULL, 0, &length), AIC_OK);
    ck_assert_uint_eq(length, needed);
    ck_assert_int_eq(aic_spec_print(&spec, text, needed + 1, NULL), AIC_OK);
    ck_assert_str_eq(text, CANONICAL);
    memset(text, '#', sizeof text);
    length = 0;
    ck_assert_int_eq(aic_spec_print(&spec, text, needed, &length), AIC_INVALID_ARGUMENT);
    ck_assert_uint_eq(length, needed);
    ck_assert_int_eq(text[0], '#');
}
END_TEST

static void check_round_trip(const aic_spec *spec)
{
    aic_spec back;
    char text[TEXT_MAX];
    char again[TEXT_MAX];
    ck_assert_int_eq(aic_spec_print(spec, text, sizeof text, NULL), AIC_OK);
    ck_assert_msg(aic_spec_read(text, &back) == AIC_OK, "%s: %s", text, aic_last_error());
    ck_assert_msg(aic_spec_equal(spec, &back), "%s", text);
    ck_assert_int_eq(aic_spec_print(&back, again, sizeof again, NULL), AIC_OK);
    ck_assert_str_eq(text, again);
}

/* Values that have no word. */
START_TEST(odd_values_print)
{
    aic_conv2d_desc desc = aic_conv2d_desc_init();
    char text[TEXT_MAX];
    const uint32_t odd = 77;
    memcpy(&desc.dtype, &odd, sizeof odd);
    memcpy(&desc.accumulate, &odd, sizeof odd);
    memset(&desc.init_l1out, 9, 1);
    desc.pad_value = -(double)INFINITY;
    const aic_spec spec = aic_spec_of(AIC_OP_CONV2D, &desc);
    ck_assert_int_eq(aic_spec_print(&spec, text, sizeof text, NULL), AIC_OK);
    ck_assert_str_eq(text,
                     "conv2d(dtype=?0x4d, fm_shape=[0,0,0,0], kernel_shape=[0,0,0,0,0], stride=[1,1], pad=[0,0,0,0], "
                     "dilation=[1,1], pad_value=-inf, init_l1out=?0x9, accumulate=?0x4d, l1out=tensor)");
    check_round_trip(&spec);
    memset(&desc.pad_value, 0xFF, sizeof desc.pad_value);
    const aic_spec none = aic_spec_of(AIC_OP_CONV2D, &desc);
    ck_assert_int_eq(aic_spec_print(&none, text, sizeof text, NULL), AIC_OK);
    ck_assert_ptr_nonnull(strstr(text, "pad_value=?0xffffffffffffffff,"));
    check_round_trip(&none);
}
END_TEST

/* Whatever a field without effect holds, a legal specification has a text, which reads back. */
START_TEST(fields_without_effect_round_trip)
{
    static const uint64_t ODD[] = {0, 2, 7, 77, UINT8_MAX, UINT32_MAX, UINT64_MAX, UINT64_C(0x7ff8000000000123)};
    enum { SEEDS = 40 };
    bool odd = false;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        aic_spec drawn;
        ck_assert_int_eq(aic_spec_draw((aic_op)_i, NULL, seed, &drawn), AIC_OK);
        const aic_record *record = &aic_op_get((aic_op)_i)->record;
        for (size_t f = 0; f < record->count; f++) {
            for (size_t o = 0; o < record->fields[f].count * sizeof ODD / sizeof ODD[0]; o++) {
                aic_spec spec = drawn;
                const size_t values = sizeof ODD / sizeof ODD[0];
                aic_field_set_word(&record->fields[f], &spec.stage[0].desc, (uint32_t)(o / values), ODD[o % values]);
                if (aic_spec_validate(&spec, NULL) == AIC_OK) {
                    check_round_trip(&spec);
                    odd = true;
                }
            }
        }
    }
    ck_assert(odd);
}
END_TEST

START_TEST(random_specifications_round_trip)
{
    for (uint64_t seed = 0; seed < 3000; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw(AIC_OP_NONE, NULL, seed, &spec), AIC_OK);
        check_round_trip(&spec);
        ck_assert_int_eq(aic_spec_draw_chain(AIC_OP_NONE, AIC_OP_NONE, NULL, seed, &spec), AIC_OK);
        check_round_trip(&spec);
    }
}
END_TEST

/* Every word of an enumeration reads as its value; the first word of a value is the one that is printed. */
START_TEST(words_of_enumerations)
{
    static const struct {
        aic_field_kind kind;
        uint64_t value;
        const char *word;
    } words[] = {
#define AIC_WORD(KIND, value, word) {AIC_KIND_##KIND, value, word},
#include <aic/enum.def>
#undef AIC_WORD
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        uint64_t value = 77;
        const char *printed = aic_enum_word(words[i].kind, words[i].value);
        ck_assert(aic_enum_value(words[i].kind, words[i].word, strlen(words[i].word), &value));
        ck_assert_uint_eq(value, words[i].value);
        ck_assert_ptr_nonnull(printed);
        ck_assert(aic_enum_value(words[i].kind, printed, strlen(printed), &value));
        ck_assert_uint_eq(value, words[i].value);
        ck_assert(!aic_enum_value(words[i].kind, words[i].word, strlen(words[i].word) - 1, &value));
        bool before = false; /* an earlier word of this value */
        for (size_t j = 0; j < i; j++) {
            before |= words[j].kind == words[i].kind && words[j].value == words[i].value;
            ck_assert(words[j].kind != words[i].kind || strcmp(words[j].word, words[i].word) != 0);
        }
        ck_assert_int_eq(strcmp(printed, words[i].word) == 0, !before);
        ck_assert_ptr_nonnull(strstr(aic_enum_expected(words[i].kind), printed));
    }
    ck_assert_ptr_null(aic_enum_word(AIC_KIND_LAYOUT, 77));
    ck_assert_ptr_null(aic_enum_word(AIC_KIND_INT, 0));
}
END_TEST

static void read_hostile(void *data, size_t size)
{
    char *text = data;
    aic_spec spec;
    const char cut = text[size];
    text[size] = '\0';
    ck_assert_int_eq(aic_spec_read(text, &spec), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "column "));
    text[size] = cut;
}

/* A megabyte of `pattern` after `prefix`: refused, in time that grows with the text and no faster. */
static void check_hostile(const char *prefix, const char *pattern)
{
    const size_t size = 1 << 20;
    const size_t step = strlen(pattern);
    size_t at = strlen(prefix);
    char *text = malloc(size + 1);
    ck_assert_ptr_nonnull(text);
    memcpy(text, prefix, at);
    for (; at + step <= size; at += step) {
        memcpy(text + at, pattern, step);
    }
    text[at] = '\0';
    growth_is_linear(pattern, read_hostile, text, at);
    free(text);
}

START_TEST(hostile_text_fails_in_linear_time)
{
    static const char *const prefixes[] = {
        "",        "conv2d(",    "conv2d(dtype=", "conv2d(fm_shape=[", "conv2d(pad_value=", "conv2d(pad_value=0.",
        CANONICAL, CANONICAL "|"};
    static const char *const patterns[] = {"a",  "(",       "[",    "1",    " ", "|",
                                           "1,", "conv2d(", "\xFF", "%n%s", "-", "dtype=int8,"};
    for (size_t p = 0; p < sizeof prefixes / sizeof prefixes[0]; p++) {
        for (size_t u = 0; u < sizeof patterns / sizeof patterns[0]; u++) {
            if (p != 6 || u != 4) { /* white space after a whole text is legal */
                check_hostile(prefixes[p], patterns[u]);
            }
        }
    }
}
END_TEST

START_TEST(steps_of_semantics)
{
    aic_semantics semantics = aic_semantics_init();
    const aic_spec spec = spec_of("mmad(dtype=int8, m=16, n=16, k=32)");
    semantics.lane_bytes = 6;
    ck_assert_int_eq(aic_spec_validate(&spec, &semantics), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "lane_bytes: 6 is no multiple of 4"));
    bool matters;
    ck_assert_int_eq(aic_spec_choice_matters(&spec, NULL, "lane_bytes", &matters), AIC_INVALID_ARGUMENT);
}
END_TEST

START_TEST(words_of_kinds)
{
    int value = -1;
    ck_assert_str_eq(aic_word("dtype", AIC_INT8), "int8");
    ck_assert_ptr_null(aic_word("dtype", 12345));
    ck_assert_ptr_null(aic_word("none", 0));
    ck_assert_ptr_null(aic_word(NULL, 0));
    ck_assert_ptr_null(aic_word("layout", -1));
    ck_assert_int_eq(aic_value("dtype", "float16", &value), AIC_OK);
    ck_assert_int_eq(value, AIC_FLOAT16);
    ck_assert_int_eq(aic_value("dtype", "float17", &value), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "dtype: \"float17\" is not a type");
    ck_assert_int_eq(aic_value("layout", "NHWC", &value), AIC_OK);
    ck_assert_int_eq(value, AIC_LAYOUT_NHWC);
    ck_assert_int_eq(aic_value("layout", "float16", &value), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_value("none", "NHWC", &value), AIC_INVALID_ARGUMENT);
}
END_TEST

START_TEST(names_of_types_and_statuses)
{
    ck_assert_str_eq(aic_dtype_name(AIC_FLOAT16), "float16");
    ck_assert_str_eq(aic_dtype_name((aic_dtype)1000), "none");
    ck_assert_uint_eq(aic_dtype_size(AIC_UINT64), 8);
    ck_assert_uint_eq(aic_dtype_size(AIC_DTYPE_NONE), 0);
    static const struct {
        const char *name;
        aic_dtype dtype;
    } rows[] = {
        {"half", AIC_FLOAT16}, {"float", AIC_FLOAT32}, {"bf16", AIC_BFLOAT16},    {"fp16", AIC_FLOAT16},
        {"f32", AIC_FLOAT32},  {"i8", AIC_INT8},       {"s8", AIC_INT8},          {"i", AIC_DTYPE_NONE},
        {"", AIC_DTYPE_NONE},  {" ", AIC_DTYPE_NONE},  {"i8 s8", AIC_DTYPE_NONE}, {NULL, AIC_DTYPE_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_int_eq(aic_dtype_parse(rows[i].name), rows[i].dtype);
    }
    ck_assert_str_eq(aic_status_name(AIC_OK), "AIC_OK success");
    ck_assert_str_eq(aic_status_name((aic_status)99), "unknown status");
    ck_assert_int_eq(aic_status_exit(AIC_OK), 0);
    ck_assert_int_eq(aic_status_exit(AIC_INVALID_ARGUMENT), 2);
    ck_assert_int_eq(aic_status_exit(AIC_IO), 3);
    ck_assert_int_eq(aic_status_exit((aic_status)99), 3);
    ck_assert_str_eq(aic_version(), "0.2.0");
}
END_TEST

Suite *suite_text(void)
{
    Suite *suite = suite_create("text");
    TCase *tcase = tcase_create("text");
    tcase_add_loop_test(tcase, reads_and_prints, 0, (int)(sizeof good / sizeof good[0]));
    tcase_add_loop_test(tcase, refuses_with_column, 0, (int)(sizeof bad / sizeof bad[0]));
    tcase_add_test(tcase, null_arguments);
    tcase_add_test(tcase, special_numbers_reach_the_rules);
    tcase_add_test(tcase, records);
    tcase_add_test(tcase, new_memory);
    tcase_add_test(tcase, buffer_sizes);
    tcase_add_test(tcase, odd_values_print);
    tcase_add_loop_test(tcase, fields_without_effect_round_trip, 1, AIC_OP_END);
    tcase_add_test(tcase, random_specifications_round_trip);
    tcase_add_test(tcase, words_of_enumerations);
    tcase_add_test(tcase, hostile_text_fails_in_linear_time);
    tcase_add_test(tcase, steps_of_semantics);
    tcase_add_test(tcase, words_of_kinds);
    tcase_add_test(tcase, names_of_types_and_statuses);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
