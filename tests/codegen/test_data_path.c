/* The two worked examples of the AscendC Fixpipe document (section 8, E1 and E2), number by number: once as a matrix
 * product and a store, once fused, and once through every step of the document, fractals and all; all of it through the
 * references, and all of it through kernels. */
#include "frontend/core/stage.h"
#include "tests/golden.h"
#include "tests/specs.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_data_path(void);

/* ---- how a step is run ---- */

typedef enum runner { BY_REFERENCE, BY_KERNEL } runner;

/* operands in calling order, NULL for unused ones. What a runner does, no other does: kernels are made and called as
 * such, and a step that has none fails. */
static void step(runner how, const char *text, void *const operands[AIC_OPERANDS_MAX])
{
    const aic_spec spec = spec_of(text);
    aic_operand operand[AIC_OPERANDS_MAX];
    aic_kernel *kernel = NULL;
    size_t count;
    ck_assert_msg(aic_spec_operands(&spec, NULL, operand, &count) == AIC_OK, "%s: %s", text, aic_last_error());
    switch (how) {
    case BY_REFERENCE:
        run_reference(&spec, NULL, operands, count);
        return;
    case BY_KERNEL:
        ck_assert_msg(aic_kernel_create(NULL, &spec, NULL, &kernel) == AIC_OK, "%s: %s", text, aic_last_error());
        ck_assert_msg(aic_kernel_call(kernel, operands, count) == AIC_OK, "%s: %s", text, aic_last_error());
        aic_kernel_destroy(kernel);
        return;
    }
    ck_abort_msg("no runner %d", (int)how);
}

#define STEP(how, text, ...) step(how, text, (void *[AIC_OPERANDS_MAX]){__VA_ARGS__})

/* ---- the examples' data ---- */

/* A block of a file as elements of `size` bytes. */
static void read_block(const char *file, const char *name, void *elements, size_t size, size_t expected)
{
    size_t count = 0;
    uint64_t *bits = golden_read(file, name, &count);
    ck_assert_ptr_nonnull(bits);
    ck_assert_uint_eq(count, expected);
    for (size_t i = 0; i < count; i++) {
        memcpy((unsigned char *)elements + i * size, &bits[i], size);
    }
    free(bits);
}

static size_t matches(const uint16_t *got, const uint16_t *expected, size_t count)
{
    size_t same = 0;
    for (size_t i = 0; i < count; i++) {
        same += got[i] == expected[i];
    }
    return same;
}

#define EX1 "fixpipe_ex1.txt"
enum { EX1_A = 32 * 32, EX1_B = 32 * 16, EX1_C = 32 * 16 };

typedef struct example_1 {
    uint16_t a[EX1_A], b[EX1_B], c[EX1_C], result[EX1_C];
} example_1;

static void open_1(example_1 *e)
{
    memset(e, 0x55, sizeof *e);
    read_block(EX1, "A", e->a, sizeof e->a[0], EX1_A);
    read_block(EX1, "B", e->b, sizeof e->b[0], EX1_B);
    read_block(EX1, "C", e->c, sizeof e->c[0], EX1_C);
}

#define EX2 "fixpipe_ex2.txt"
enum { EX2_A = 32 * 32, EX2_B = 32 * 32, EX2_C = 32 * 32, EX2_DEQ = 32 };

typedef struct example_2 {
    int8_t a[EX2_A], b[EX2_B];
    uint64_t deq[EX2_DEQ];
    uint16_t c[EX2_C], result[EX2_C];
} example_2;

static void open_2(example_2 *e)
{
    memset(e, 0x55, sizeof *e);
    read_block(EX2, "A", e->a, sizeof e->a[0], EX2_A);
    read_block(EX2, "B", e->b, sizeof e->b[0], EX2_B);
    read_block(EX2, "deq", e->deq, sizeof e->deq[0], EX2_DEQ);
    read_block(EX2, "C", e->c, sizeof e->c[0], EX2_C);
}

/* ---- E1: half, F322F16 ---- */

#define EX1_FIXPIPE                                                                                                    \
    "fixpipe(src=float, dst=half, format=ROW_MAJOR, nSize=16, mSize=32, srcStride=32, dstStride=16, "                  \
    "quantPre=F322F16, ndNum=1, srcNdStride=2, dstNdStride=512)"

START_TEST(example_1_product_and_store)
{
    example_1 e;
    float sums[EX1_C];
    open_1(&e);
    STEP(_i, "mmad(dtype=half, m=32, n=16, k=32, c_format=Nz)", sums, e.a, e.b);
    STEP(_i, EX1_FIXPIPE, e.result, sums);
    ck_assert_uint_eq(matches(e.result, e.c, EX1_C), 512);
}
END_TEST

START_TEST(example_1_fused)
{
    example_1 e;
    open_1(&e);
    STEP(_i, "mmad(dtype=half, m=32, n=16, k=32) | fixpipe(src=float, dst=half, quantPre=F322F16)", e.result, e.a, e.b);
    ck_assert_uint_eq(matches(e.result, e.c, EX1_C), 512);
}
END_TEST

START_TEST(example_1_document_path)
{
    enum { FRACTAL = 256 };
    example_1 e;
    uint16_t a1[EX1_A], b1[EX1_B], a2[EX1_A], b2[EX1_B]; /* L1, then L0A and L0B */
    float sums[EX1_C];
    open_1(&e);
    STEP(_i, "nd2nz(dtype=half, nValue=32, dValue=32, srcDValue=32, dstNzC0Stride=32, dstNzNStride=1)", a1, e.a);
    STEP(_i, "nd2nz(dtype=half, nValue=32, dValue=16, srcDValue=16, dstNzC0Stride=32, dstNzNStride=1)", b1, e.b);
    for (int block = 0; block < 2; block++) { /* of k; the rows of a column of fractals become rows of fractals */
        STEP(_i, "load_data(dtype=half, repeatTimes=2, srcStride=1, dstGap=1)", a2 + block * FRACTAL,
             a1 + block * 32 * 16);
    }
    STEP(_i, "load_data_transpose(dtype=half, repeatTimes=2, srcStride=1, dstGap=0, dstFracGap=0)", b2, b1);
    STEP(_i, "mmad(dtype=half, m=32, n=16, k=32, a_format=Zz, b_format=Zn, c_format=Nz)", sums, a2, b2);
    STEP(_i, EX1_FIXPIPE, e.result, sums);
    ck_assert_uint_eq(matches(e.result, e.c, EX1_C), 512);
}
END_TEST

/* ---- E2: int8, VDEQF16 ---- */

#define EX2_FIXPIPE                                                                                                    \
    "fixpipe(src=int32, dst=half, format=ROW_MAJOR, nSize=32, mSize=32, srcStride=32, dstStride=32, "                  \
    "quantPre=VDEQF16, ndNum=1, srcNdStride=4, dstNdStride=1024)"

START_TEST(example_2_product_and_store)
{
    example_2 e;
    int32_t sums[EX2_C];
    open_2(&e);
    STEP(_i, "mmad(dtype=int8, m=32, n=32, k=32, c_format=Nz)", sums, e.a, e.b);
    ck_assert_int_eq(sums[0], 943);
    ck_assert_int_eq(sums[1], 838);
    STEP(_i, EX2_FIXPIPE, e.result, sums, e.deq);
    ck_assert_uint_eq(matches(e.result, e.c, EX2_C), 1024);
}
END_TEST

START_TEST(example_2_fused)
{
    example_2 e;
    open_2(&e);
    STEP(_i, "mmad(dtype=int8, m=32, n=32, k=32) | fixpipe(src=int32, dst=half, quantPre=VDEQF16)", e.result, e.a, e.b,
         e.deq);
    ck_assert_uint_eq(matches(e.result, e.c, EX2_C), 1024);
}
END_TEST

START_TEST(example_2_document_path)
{
    example_2 e;
    int8_t a1[EX2_A], b1[EX2_B], a2[EX2_A], b2[EX2_B];
    int32_t sums[EX2_C];
    open_2(&e);
    STEP(_i, "nd2nz(dtype=int8, nValue=32, dValue=32, srcDValue=32, dstNzC0Stride=32, dstNzNStride=1)", a1, e.a);
    STEP(_i, "nd2nz(dtype=int8, nValue=32, dValue=32, srcDValue=32, dstNzC0Stride=32, dstNzNStride=1)", b1, e.b);
    STEP(_i, "load_data(dtype=int8, repeatTimes=2, srcStride=1, dstGap=0)", a2, a1);
    STEP(_i, "load_data_transpose(dtype=int8, repeatTimes=1, srcStride=1, dstGap=0, dstFracGap=0)", b2, b1);
    STEP(_i, "mmad(dtype=int8, m=32, n=32, k=32, a_format=Zz, b_format=Zn, c_format=Nz)", sums, a2, b2);
    STEP(_i, EX2_FIXPIPE, e.result, sums, e.deq);
    ck_assert_uint_eq(matches(e.result, e.c, EX2_C), 1024);
}
END_TEST

Suite *suite_data_path(void)
{
    Suite *suite = suite_create("data_path");
    TCase *tcase = tcase_create("data_path");
    const int first = BY_REFERENCE, end = BY_KERNEL + 1;
    tcase_add_loop_test(tcase, example_1_product_and_store, first, end);
    tcase_add_loop_test(tcase, example_1_fused, first, end);
    tcase_add_loop_test(tcase, example_1_document_path, first, end);
    tcase_add_loop_test(tcase, example_2_product_and_store, first, end);
    tcase_add_loop_test(tcase, example_2_fused, first, end);
    tcase_add_loop_test(tcase, example_2_document_path, first, end);
    suite_add_tcase(suite, tcase);
    return suite;
}
