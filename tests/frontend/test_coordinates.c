/* Coordinates of operands: they lead to elements and back, a result's to just what the reference writes, and they are
 * what the documents say. */
#include "frontend/core/stage.h"
#include "frontend/random/rng.h"
#include "tests/specs.h"
#include "tools/harness/element.h"
#include "tools/harness/operand_text.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_coordinates(void);

enum { SEEDS = 40, ALL_MAX = 20000, SAMPLES = 500 };

/* ---- to elements and back ---- */

static int64_t count_of(const aic_coordinates *c)
{
    int64_t count = 1;
    for (int32_t d = 0; d < c->rank; d++) {
        count *= c->axis[d].size;
    }
    return count;
}

/* Indices number `n` in the order of the axes. */
static void indices_of(const aic_coordinates *c, int64_t n, int64_t at[AIC_AXES_MAX])
{
    for (int32_t d = c->rank; d-- > 0;) {
        at[d] = n % c->axis[d].size;
        n /= c->axis[d].size;
    }
}

/* These indices lead to an element of the operand, which leads back to indices that lead to it. Returns the element; -1
 * for columns that the last block lacks. */
static int64_t check_indices(const char *text, const aic_operand *operand, const aic_coordinates *c,
                             const int64_t at[AIC_AXES_MAX])
{
    int64_t back[AIC_AXES_MAX];
    const int64_t element = aic_coordinates_element(c, at);
    if (element == -1) {
        ck_assert_msg(c->tail != 0 && at[c->rank - 3] == c->axis[c->rank - 3].size - 1 && at[c->rank - 1] >= c->tail,
                      "%s: %s: indices are refused", text, operand->name);
        return -1;
    }
    ck_assert_msg(element >= 0 && element < operand->elements, "%s: %s: element %" PRId64 " of %" PRId64, text,
                  operand->name, element, operand->elements);
    ck_assert_msg(aic_coordinates_find(c, element, back) && aic_coordinates_element(c, back) == element,
                  "%s: %s: element %" PRId64 " is not found", text, operand->name, element);
    return element;
}

/* Which elements have coordinates, by way of all coordinates; NULL where they are too many and some are tried. */
static unsigned char *check_operand(const char *text, const aic_operand *operand, const aic_coordinates *c,
                                    uint64_t *state)
{
    const int64_t count = count_of(c);
    const bool all = count <= ALL_MAX && operand->elements <= ALL_MAX;
    unsigned char *has = calloc((size_t)operand->elements + 1, 1);
    int64_t at[AIC_AXES_MAX], back[AIC_AXES_MAX];
    for (int64_t n = 0; n < (all ? count : SAMPLES); n++) {
        indices_of(c, all ? n : aic_rng_range(state, 0, count - 1), at);
        const int64_t element = check_indices(text, operand, c, at);
        if (element >= 0) {
            has[element] = 1;
        }
    }
    for (int64_t e = 0; all && e < operand->elements; e++) {
        ck_assert_msg(aic_coordinates_find(c, e, back) == has[e], "%s: %s: element %" PRId64, text, operand->name, e);
    }
    for (int32_t d = 0; d < c->rank; d++) { /* outside */
        memset(at, 0, sizeof at);
        at[d] = c->axis[d].size;
        ck_assert_int_eq(aic_coordinates_element(c, at), -1);
        at[d] = -1;
        ck_assert_int_eq(aic_coordinates_element(c, at), -1);
    }
    ck_assert(!aic_coordinates_find(c, -1, back));
    if (!all) {
        free(has);
    }
    return all ? has : NULL;
}

/* ---- what the reference writes ---- */

/* Elements of the output that the reference writes: those that come out the same whatever was there. */
static bool is_written(const verify_case *c, const unsigned char *other, int64_t e)
{
    const size_t size = aic_dtype_size(c->operand[c->output].dtype), at = (size_t)e * size;
    return element_equal(c->operand[c->output].dtype, (unsigned char *)c->expected.data + at, other + at);
}

/* Of results that strides describe, the elements with coordinates are those that are written. Of tiles some are not
 * filled, of a chain's sums rows and columns are left over, and with ndNum = 0 nothing is done. */
static bool writes_all(const verify_case *c)
{
    const aic_stage *last = &c->spec->stage[c->spec->count - 1];
    const aic_operand *output = &c->operand[c->output];
    return output->strided && output->direction == AIC_DIRECTION_OUT && last->op != AIC_OP_TEXPANDS &&
           !(c->spec->count > 1 && last->op == AIC_OP_TENSOR_ARITHMETIC) &&
           !(last->op == AIC_OP_FIXPIPE && last->desc.fixpipe.ndNum == 0);
}

static void check_written(const char *text, const verify_case *c, const unsigned char *has)
{
    const aic_operand *output = &c->operand[c->output];
    void *pointers[AIC_OPERANDS_MAX];
    unsigned char *other = malloc((size_t)output->bytes + 1);
    for (int64_t i = 0; i < output->bytes; i++) {
        other[i] = (unsigned char)~((unsigned char *)c->content[c->output].data)[i];
    }
    for (size_t i = 0; i < c->count; i++) {
        pointers[i] = i == c->output ? other : c->content[i].data;
    }
    ck_assert_int_eq(aic_reference(c->spec, &c->semantics, pointers, c->count), AIC_OK);
    for (int64_t e = 0; e < output->elements; e++) {
        const bool written = is_written(c, other, e);
        ck_assert_msg(!written || has[e], "%s: element %" PRId64 " is written and has no coordinates", text, e);
        ck_assert_msg(written || !has[e] || !writes_all(c),
                      "%s: element %" PRId64 " has coordinates and is not written", text, e);
    }
    free(other);
}

static void check_spec(const aic_spec *spec, uint64_t seed)
{
    char text[2048];
    verify_case c;
    verify_report report;
    const aic_semantics semantics = aic_semantics_init();
    uint64_t state = seed;
    ck_assert_int_eq(aic_spec_print(spec, text, sizeof text, NULL), AIC_OK);
    ck_assert_msg(verify_open(&c, spec, &semantics, seed, &report) == VERIFY_PASSED, "%s: %s", text, report.text);
    for (size_t i = 0; i < c.count; i++) {
        aic_coordinates coordinates = aic_coordinates_init();
        const aic_status status = aic_spec_coordinates(spec, NULL, i, &coordinates);
        ck_assert_int_eq(status, c.operand[i].direction == AIC_DIRECTION_UNUSED ? AIC_INVALID_ARGUMENT : AIC_OK);
        if (status != AIC_OK || c.operand[i].elements == 0) {
            continue;
        }
        unsigned char *has = check_operand(text, &c.operand[i], &coordinates, &state);
        if (has != NULL && i == c.output && c.operand[i].direction != AIC_DIRECTION_INOUT) {
            check_written(text, &c, has);
        }
        free(has);
    }
    verify_close(&c);
}

START_TEST(random_operators)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw((aic_op)_i, NULL, seed, &spec), AIC_OK);
        check_spec(&spec, seed);
    }
}
END_TEST

START_TEST(random_chains)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        aic_spec spec;
        ck_assert_int_eq(aic_spec_draw_chain(AIC_OP_NONE, AIC_OP_NONE, NULL, seed, &spec), AIC_OK);
        check_spec(&spec, seed);
    }
}
END_TEST

/* ---- by the documents ---- */

static const struct {
    const char *text;
    size_t operand;
    int64_t element;
    const char *names, *at;
} rows[] = {
    /* data layouts, sections 3, 4, 5 */
    {"conv2d(dtype=int8, fm_shape=[2,4,5,32], kernel_shape=[2,2,2,32,32])", 0, 2 * 16 - 1 + 16 * 16,
     "[Cout/16,howo,Cout%16]", "[1,1,15]"},
    {"conv2d(dtype=int8, fm_shape=[2,4,5,32], kernel_shape=[2,2,2,32,32])", 1, ((1 * 4 + 3) * 5 + 2) * 32 + 7,
     "[C1,H,W,C0]", "[1,3,2,7]"},
    {"conv2d(dtype=int8, fm_shape=[2,4,5,32], kernel_shape=[2,2,2,32,32])", 2,
     (((1 * 2 + 1) * 2 + 0) * 32 + 9) * 32 + 1, "[C1,Kh,Kw,Cout,C0]", "[1,1,0,9,1]"},
    /* AscendC Fixpipe, sections 4.1 to 4.3 */
    {"fixpipe(src=int32, dst=int32, nSize=20, mSize=3, srcStride=4, dstStride=25)", 0, 2 * 25 + 19, "[row,column]",
     "[2,19]"},
    {"fixpipe(src=int32, dst=int32, nSize=20, mSize=3, srcStride=4, dstStride=25)", 0, 2 * 25 - 1, "[row,column]",
     "[#49]"},
    {"fixpipe(src=int32, dst=int32, nSize=20, mSize=3, srcStride=4, dstStride=25)", 1, 4 * 16 + 2 * 16 + 3,
     "[C1,row,C0]", "[1,2,3]"},
    {"fixpipe(src=int32, dst=int32, nSize=20, mSize=3, srcStride=4, dstStride=25)", 1, 2 * 16 + 15, "[C1,row,C0]",
     "[0,2,15]"},
    {"fixpipe(src=int32, dst=int32, nSize=20, mSize=3, ndNum=2, srcStride=4, srcNdStride=1, dstStride=20, "
     "dstNdStride=64)",
     0, 64 + 20 + 5, "[matrix,row,column]", "[1,1,5]"},
    {"fixpipe(src=float32, dst=float32, format=NZ, nSize=16, mSize=16, srcStride=16, dstStride=16, "
     "isChannelSplit=true)",
     0, 580 / 4, "[C1,row,C0]", "[1,2,1]"},
    {"fixpipe(src=int32, dst=int8, format=NZ, nSize=48, mSize=5, srcStride=5, dstStride=5, quantPre=VREQ8)", 0,
     160 + 3 * 16 + 15, "[C1,row,C0]", "[1,3,15]"},
    {"fixpipe(src=int32, dst=int8, format=NZ, nSize=48, mSize=5, srcStride=5, dstStride=5, quantPre=VREQ8)", 0,
     2 * 32 + 17, "[C1,row,C0]", "[0,2,17]"},
    {"fixpipe(src=int32, dst=int8, format=NZ, nSize=48, mSize=5, srcStride=5, dstStride=5, quantPre=VREQ8)", 2, 47,
     "[column]", "[47]"},
    {"mmad(dtype=int8, m=20, n=20, k=40, a_format=Zz, b_format=Zn, c_format=Nz)", 1, ((1 * 2 + 1) * 16 + 3) * 32 + 7,
     "[M1,K1,m0,k0]", "[1,1,3,7]"},
    {"mmad(dtype=int8, m=20, n=20, k=40)", 0, 3 * 20 + 7, "[m,n]", "[3,7]"},
    /* sections 7.1 to 7.3 */
    {"nd2nz(dtype=float16, nValue=5, dValue=20, srcDValue=30, dstNzC0Stride=16, dstNzNStride=1)", 0, 256 + 4 * 16 + 3,
     "[C1,row,C0]", "[1,4,3]"},
    {"nd2nz(dtype=float16, nValue=5, dValue=20, srcDValue=30, dstNzC0Stride=16, dstNzNStride=1)", 1, 4 * 30 + 19,
     "[row,column]", "[4,19]"},
    {"load_data(dtype=float16, startIndex=3, repeatTimes=2, srcStride=2, dstGap=1)", 1, 5 * 256 + 2 * 16 + 1,
     "[fractal,row,column]", "[1,2,1]"},
    {"load_data(dtype=float16, startIndex=3, repeatTimes=2, srcStride=2, dstGap=1)", 1, 256, "[fractal,row,column]",
     "[#256]"},
    {"load_data(dtype=float16, startIndex=3, repeatTimes=2, srcStride=2, dstGap=1)", 0, 2 * 256 + 17,
     "[fractal,row,column]", "[1,1,1]"},
    {"load_data_transpose(dtype=float32, repeatTimes=2, srcStride=1, dstGap=1)", 1, 256 + 128 + 3 * 8 + 1,
     "[square,row,column]", "[1,3,9]"},
    {"load_data_transpose(dtype=int8, repeatTimes=1, dstFracGap=1)", 0, 2 * 512 + 33, "[square,fractal,row,column]",
     "[0,1,1,1]"},
    /* TIK conv2d, section 9 */
    {"tik_fixpipe(src=float32, dst=float32, cburst_num=2, burst_len=6, dst_stride=4)", 0, 3 * 16 + 32 + 16 + 5,
     "[burst,row,column]", "[1,1,5]"},
    /* data layouts, section 7: the word of batch 5, channel 2 */
    {"tensor_arithmetic_quantized(op=BM_ADD, shape=[6,3,1,2])", 0, (1 * 3 + 2) * 2 + 1, "[N/4,C,H,W]", "[1,2,0,1]"},
    {"tensor_arithmetic(op=BM_ADD, shape=[2,3,4,5], input1_stride=[0,1,0,0])", 2, 2, "[N,C,H,W]", "[0,2,0,0]"},
    {"tensor_arithmetic(op=BM_ADD, shape=[2,3,4,5])", 1, ((1 * 3 + 2) * 4 + 1) * 5 + 3, "[N,C,H,W]", "[1,2,1,3]"},
    {"transdata(dtype=float16, src=OIHW, dst=FRACTAL_Z, shape=[20,20,3,3])", 0, (((1 * 3 + 2) * 3 + 1) * 32 + 19) * 16,
     "[C1,Kh,Kw,Cout,C0]", "[1,2,1,19,0]"},
    /* section 8: Nz, Zn tiles; ConvTiles */
    {"texpands(loc=mat, dtype=float16, rows=32, cols=32, blayout=col_major, slayout=row_major)", 0,
     1 * 32 * 16 + 1 * 256 + 2 * 16 + 3, "[row,column]", "[18,19]"},
    {"texpands(dtype=float16, rows=32, cols=32, slayout=col_major)", 0, 1 * 32 * 16 + 1 * 256 + 3 * 16 + 2,
     "[row,column]", "[18,19]"},
    {"texpands(loc=mat, dtype=float16, layout=NC1HWC0, shape=[1,2,3,4,16], buffer_size=400)", 0,
     ((1 * 3 + 2) * 4 + 1) * 16 + 7, "[N,C1,H,W,C0]", "[0,1,2,1,7]"},
    {"texpands(loc=mat, dtype=float16, layout=NC1HWC0, shape=[1,2,3,4,16], buffer_size=400)", 0, 384, "[N,C1,H,W,C0]",
     "[#384]"},
    /* chains: of the consumer's result, of the sums that it starts from, of another input */
    {"mmad(dtype=int8, m=20, n=20, k=40) | fixpipe(src=int32, dst=int32)", 0, 3 * 20 + 7, "[row,column]", "[3,7]"},
    {"mmad(dtype=float16, m=20, n=20, k=40, init_c=false) | fixpipe(src=float32, dst=float32)", 3, 512 + 3 * 16 + 3,
     "[N1,M1,m0,n0]", "[1,0,3,3]"},
    {"mmad(dtype=float16, m=20, n=20, k=40, init_c=false, l1out=channel) | fixpipe(src=float32, dst=float32)", 3, 5,
     "[Cout]", "[5]"},
    {"mmad(dtype=float16, m=20, n=20, k=40) | tensor_arithmetic(op=BM_MUL, input1_stride=[0,16,0,1]) | "
     "fixpipe(src=float32, dst=float32)",
     3, 16 + 3, "[N,C,H,W]", "[0,1,0,3]"},
};

START_TEST(by_the_documents)
{
    const aic_spec spec = spec_of(rows[_i].text);
    char names[OPERAND_TEXT_MAX], at[OPERAND_TEXT_MAX];
    aic_coordinates c = aic_coordinates_init();
    ck_assert_msg(aic_spec_coordinates(&spec, NULL, rows[_i].operand, &c) == AIC_OK, "%s: %s", rows[_i].text,
                  aic_last_error());
    coordinates_names(&c, names);
    coordinates_text(&c, rows[_i].element, at);
    ck_assert_msg(strcmp(names, rows[_i].names) == 0 && strcmp(at, rows[_i].at) == 0, "%s: %s %s", rows[_i].text, names,
                  at);
}
END_TEST

START_TEST(lanes_and_words)
{
    const aic_spec spec = spec_of("tensor_arithmetic(op=BM_ADD, shape=[1,3,1,4], memory=local, input1_addr=64, "
                                  "output_addr=128)");
    aic_semantics semantics = aic_semantics_init();
    char names[OPERAND_TEXT_MAX], at[OPERAND_TEXT_MAX];
    aic_coordinates c = aic_coordinates_init();
    semantics.lanes = 4, semantics.lane_bytes = 1024;
    ck_assert_msg(aic_spec_coordinates(&spec, &semantics, 0, &c) == AIC_OK, "%s", aic_last_error());
    coordinates_names(&c, names);
    coordinates_text(&c, 2 * 256 + 33, at);
    ck_assert_str_eq(names, "[lane,word]");
    ck_assert_str_eq(at, "[2,33]");
}
END_TEST

START_TEST(arguments_of_programs)
{
    static const char text[] = ".arg %s : f16\n"
                               "%t = texpands %s : f16, !pto.tile<vec, 32x32xf16, valid=?x3, slayout=col_major>\n"
                               "%c = texpands %s : f16, !pto.tile<loc=mat, dtype=f16, layout=FRACTAL_Z, "
                               "shape=[3,2,16,16]>\n";
    static const struct {
        size_t argument;
        int64_t element;
        const char *at;
    } expected[] = {{0, 0, "[0]"}, {1, 821, "[21,19]"}, {2, 0, "[0]"}, {3, 256 + 17, "[0,1,1,1]"}};
    aic_pto_program *program = NULL;
    ck_assert_msg(aic_pto_parse(text, strlen(text), NULL, &program) == AIC_OK, "%s", aic_last_error());
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        aic_coordinates c = aic_coordinates_init();
        char at[OPERAND_TEXT_MAX];
        ck_assert_int_eq(aic_pto_coordinates(program, expected[i].argument, &c), AIC_OK);
        coordinates_text(&c, expected[i].element, at);
        ck_assert_str_eq(at, expected[i].at);
    }
    aic_coordinates c = aic_coordinates_init();
    ck_assert_int_eq(aic_pto_coordinates(program, 4, &c), AIC_INVALID_ARGUMENT);
    aic_pto_destroy(program);
}
END_TEST

START_TEST(operands_that_are_none)
{
    const aic_spec spec = spec_of("mmad(dtype=int8, m=20, n=20, k=40)");
    static const size_t numbers[] = {3, 4, SIZE_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        aic_coordinates c = aic_coordinates_init();
        ck_assert_int_eq(aic_spec_coordinates(&spec, NULL, numbers[i], &c), AIC_INVALID_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(aic_last_error(), "is none that a call takes"));
    }
}
END_TEST

static aic_coordinates axes_of(int32_t rank, aic_axis axis)
{
    aic_coordinates c = aic_coordinates_init();
    c.rank = rank;
    for (int32_t d = 0; d < rank; d++) {
        c.axis[d] = axis;
    }
    return c;
}

/* Coordinates that a program makes itself. */
START_TEST(by_hand)
{
    int64_t at[AIC_AXES_MAX] = {0};
    aic_coordinates c = axes_of(0, (aic_axis){.size = 0}); /* one element */
    c.first = 5;
    ck_assert(aic_coordinates_find(&c, 5, at));
    ck_assert(!aic_coordinates_find(&c, 6, at));
    ck_assert_int_eq(aic_coordinates_element(&c, at), 5);
    /* Seven rows in blocks of four: the last block has no fourth one. */
    c = axes_of(1, (aic_axis){.name = "", .size = 7, .block = 4, .outer = 10, .inner = 2});
    ck_assert(aic_coordinates_find(&c, 14, at) && at[0] == 6);
    ck_assert(!aic_coordinates_find(&c, 16, at));
    ck_assert(aic_coordinates_find(&c, 6, at) && at[0] == 3);
    c.rank = 2; /* two of them */
    c.axis[1] = (aic_axis){.name = "", .size = 2, .block = 1, .outer = 100};
    ck_assert(aic_coordinates_find(&c, 114, at) && at[0] == 6 && at[1] == 1);
    ck_assert(!aic_coordinates_find(&c, 116, at));
    /* Ways to an odd element that are too many to try, where each step is even. */
    c = axes_of(AIC_AXES_MAX, (aic_axis){.name = "", .size = INT32_MAX, .block = 1, .outer = 2});
    ck_assert(!aic_coordinates_find(&c, INT32_MAX, at));
    ck_assert(aic_coordinates_find(&c, INT32_MAX - 1, at));
    ck_assert_int_eq(aic_coordinates_element(&c, at), INT32_MAX - 1);
}
END_TEST

Suite *suite_coordinates(void)
{
    Suite *suite = suite_create("coordinates");
    TCase *tcase = tcase_create("coordinates");
    tcase_add_loop_test(tcase, random_operators, AIC_OP_NONE + 1, AIC_OP_END);
    tcase_add_test(tcase, random_chains);
    tcase_add_loop_test(tcase, by_the_documents, 0, (int)(sizeof rows / sizeof rows[0]));
    tcase_add_test(tcase, lanes_and_words);
    tcase_add_test(tcase, operands_that_are_none);
    tcase_add_test(tcase, by_hand);
    tcase_add_test(tcase, arguments_of_programs);
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    return suite;
}
