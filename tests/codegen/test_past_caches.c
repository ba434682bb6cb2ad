/* Moves whose outputs are larger than caches, which stores go past: where plans say so, and what kernels write;
 * rows that are fetched ahead of those that a cache does not hold. */
#include "codegen/loops/move.h"
#include "codegen/machine.h"
#include "frontend/core/stage.h"
#include "tests/levels.h"
#include "tests/machines.h"
#include "tests/move_case.h"

#include <aic/aic.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_past_caches(void);

/* Whether each step in the output lies within a store past the caches, or is a multiple of its alignment. */
static bool steps_are_aligned(const aic_box *box)
{
    aic_box whole = *box;
    bool aligned = whole.out % AIC_MOVE_PAST_ALIGN == 0;
    aic_box_coalesce(&whole);
    for (unsigned i = 0; i < whole.dims; i++) {
        aligned = aligned && (whole.dim[i].out < AIC_MOVE_PAST_ALIGN || whole.dim[i].out % AIC_MOVE_PAST_ALIGN == 0);
    }
    return aligned;
}

/* Stores go past the caches only where all of them are aligned; those of columns that are gathered, and of tiles that
 * are turned, are wider than steps are. */
START_TEST(aligned_stores)
{
    static const int64_t SIZES[] = {1, 2, 3, 8, 16, 24, 40, 64};
    enum { SIZES_COUNT = sizeof SIZES / sizeof *SIZES };
    const aic_semantics semantics = aic_semantics_init();
    const aic_target *target = aic_target_find(AIC_ARCH_X86_64, "avx2");
    aic_machine machine = *aic_machine_of(AIC_CORE_ZEN4);
    machine.past_bytes = 1;
    int past = 0, others = 0;
    for (size_t pair = 0; pair < MOVE_PAIRS; pair++) {
        for (int shape = 0; shape < SIZES_COUNT * SIZES_COUNT * SIZES_COUNT; shape++) {
            const bool matrices = move_pairs[pair].src <= AIC_LAYOUT_NN;
            const int64_t a = SIZES[shape % SIZES_COUNT], b = SIZES[shape / SIZES_COUNT % SIZES_COUNT],
                          c = SIZES[shape / SIZES_COUNT / SIZES_COUNT];
            aic_work work;
            aic_transdata_desc d = {.dtype = AIC_FLOAT16,
                                    .src = move_pairs[pair].src,
                                    .dst = move_pairs[pair].dst,
                                    .shape = {a, b, matrices ? 0 : c, matrices ? 0 : 3}};
            if (is_one_of(AIC_LAYOUT_4N, d.src, d.dst)) {
                continue;
            }
            aic_generator_transdata.describe(&d, &semantics, &work);
            const aic_move *move = (const aic_move *)(const void *)work.part;
            for (unsigned i = 0; i < move->boxes; i++) {
                aic_move_plan plan;
                const bool is_past =
                    aic_move_plan_past(move, &move->box[i], &move_usual_schedule, target, &machine, &plan);
                const bool one_by_one = plan.tile.gather == 0 && plan.tile.unit == 0;
                ck_assert_msg(!is_past || !one_by_one || steps_are_aligned(&move->box[i]), "pair %zu, shape %d, box %u",
                              pair, shape, i);
                past += is_past;
                others += !is_past;
            }
        }
    }
    ck_assert_int_gt(past, 100);
    ck_assert_int_gt(others, 100);
}
END_TEST

/* Boxes of which one step, or the whole of some, decides. */
static const struct {
    unsigned size;
    bool past;
    aic_box box;
} STORES[] = {
    /* Runs, with a loop of short steps in the input inside of one of long ones. */
    {4,
     true,
     {.dims = 5, .dim = {{16, 4, {4}}, {4, 64, {100000}}, {4, 1024, {64}}, {64, 100016, {128}}, {2, 4096, {1 << 20}}}}},
    {4,
     false,
     {.dims = 5, .dim = {{16, 4, {4}}, {4, 64, {100000}}, {4, 1024, {64}}, {64, 100008, {128}}, {2, 4096, {1 << 20}}}}},
    {4,
     false,
     {.out = 8,
      .dims = 5,
      .dim = {{16, 4, {4}}, {4, 64, {100000}}, {4, 1024, {64}}, {64, 100016, {128}}, {2, 4096, {1 << 20}}}}},
    /* Tiles that go on with the next dimension of the input; their columns follow each other in the output. */
    {4, true, {.dims = 3, .dim = {{16, 4, {4096}}, {2, 64, {4}}, {8, 4096, {8}}}}},
    {4, false, {.dims = 3, .dim = {{16, 4, {4096}}, {2, 64, {4}}, {8, 4104, {8}}}}},
    /* Columns that do, of two rows and of as many as do not end with a store. */
    {4, true, {.dims = 2, .dim = {{2, 4, {64}}, {4, 8, {4}}}}},
    {4, false, {.dims = 2, .dim = {{2, 4, {64}}, {3, 8, {4}}}}},
    {2, false, {.dims = 2, .dim = {{2, 2, {6}}, {3, 4, {2}}}}},
    /* Columns that do not: rows of a tile, and all of them. */
    {4, true, {.dims = 2, .dim = {{16, 4, {64}}, {16, 128, {4}}}}},
    {4, false, {.dims = 2, .dim = {{2, 4, {64}}, {16, 64, {4}}}}},
    {4, false, {.dims = 2, .dim = {{18, 4, {64}}, {16, 128, {4}}}}},
    /* Short rows of which those of another dimension behind make lines. */
    {4, true, {.dims = 3, .dim = {{4, 4, {4096}}, {4, 16, {64}}, {8, 64, {4}}}}},
    {4, false, {.dims = 3, .dim = {{2, 4, {64}}, {8, 8, {1024}}, {16, 4096, {4}}}}},
};

START_TEST(aligned_boxes)
{
    aic_machine machine = *aic_machine_of(AIC_CORE_ZEN4);
    machine.past_bytes = 1;
    const aic_move move = {.size = STORES[_i].size};
    aic_box box = STORES[_i].box;
    aic_move_plan plan;
    box.op = AIC_BOX_COPY;
    const aic_target *target = aic_target_find(AIC_ARCH_X86_64, "avx2");
    ck_assert(aic_move_plan_past(&move, &box, &move_usual_schedule, target, &machine, &plan) == STORES[_i].past);
    ck_assert(!STORES[_i].past || steps_are_aligned(&box));
}
END_TEST

/* 16 MiB or a little more: a run, transposed tiles of rows that collide, weights in whole lines, with tiles that
 * follow and are gathered, zeros; rows and columns of an odd number. */
static const char *const LARGE[] = {
    "transdata(dtype=float32, src=ND, dst=Nz, shape=[2047,2061])",
    "transdata(dtype=int32, src=NCHW, dst=NC1HWC0, shape=[1,1029,64,64])",
    "transdata(dtype=float16, src=OIHW, dst=FRACTAL_Z, shape=[962,1000,3,3])",
    "transdata(dtype=float16, src=OIHW, dst=HWIO, shape=[1024,912,3,3])",
    "transdata(dtype=int8, src=OIHW, dst=HWIO, shape=[2096,2048,2,2])",
    "transdata(dtype=int8, src=OIHW, dst=HWIO, shape=[2064,2731,1,3])",
    "transdata(dtype=float16, src=HWIO, dst=OIHW, shape=[3,3,912,1024])",
    "transdata(dtype=float16, src=FRACTAL_Z, dst=OIHW, shape=[962,1000,3,3])",
    "transdata(dtype=int8, src=OIHW, dst=HWIO, shape=[1030,1824,3,3])",
    "transdata(dtype=float32, src=NC1HWC0, dst=NCHW, shape=[1,1024,65,64])",
    "transdata(dtype=float32, src=NCHW, dst=NHWC, shape=[88,3,128,128])",
};

static aic_kernel *large_kernel(aic_context *context, const aic_spec *spec)
{
    aic_kernel *kernel;
    ck_assert_msg(aic_kernel_create(context, spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    return kernel;
}

/* The kernel's output at an address with this distance from a multiple of 64. */
static void check_large(const aic_spec *spec, aic_context *context, const aic_operand *operand, const void *in,
                        const void *expected, size_t distance)
{
    size_t bytes = (size_t)operand[0].bytes;
    unsigned char *out = aligned_alloc(64, (bytes + 128) / 64 * 64);
    aic_kernel *kernel = large_kernel(context, spec);
    ck_assert_ptr_nonnull(out);
    memset(out, 0x5a, bytes + 64);
    union {
        const void *in;
        void *out;
    } source = {in};
    void *operands[] = {out + distance, source.out};
    ck_assert_int_eq(aic_kernel_call(kernel, operands, 2), AIC_OK);
    ck_assert_msg(memcmp(out + distance, expected, bytes) == 0, "%s, %zu bytes behind a multiple of 64",
                  aic_context_isa(context), distance);
    for (size_t i = 0; i < distance; i++) {
        ck_assert_uint_eq(out[i], 0x5a);
    }
    ck_assert_uint_eq(out[bytes + distance], 0x5a);
    aic_kernel_destroy(kernel);
    free(out);
}

/* Stores that go past the caches need an alignment; outputs without it are written as any other. */
START_TEST(large_outputs)
{
    aic_spec spec;
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count;
    ck_assert_int_eq(aic_spec_read(LARGE[_i], &spec), AIC_OK);
    ck_assert_int_eq(aic_spec_operands(&spec, NULL, operand, &count), AIC_OK);
    ck_assert_int_ge(operand[0].bytes, machine_of(NULL)->past_bytes);
    unsigned char *expected = calloc(1, (size_t)operand[0].bytes), *in = malloc((size_t)operand[1].bytes);
    ck_assert(expected != NULL && in != NULL);
    for (int64_t i = 0; i < operand[1].bytes; i++) {
        in[i] = (unsigned char)((uint64_t)i * 0x9e3779b97f4a7c15u >> 56);
    }
    void *operands[] = {expected, in};
    ck_assert_int_eq(aic_reference(&spec, NULL, operands, 2), AIC_OK);
    for (int i = 0; i < levels_count(); i++) {
        aic_context_options options = aic_context_options_init();
        aic_context *context;
        options.isa = levels_name(i);
        ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
        check_large(&spec, context, operand, in, expected, 0);
        check_large(&spec, context, operand, in, expected, 16);
        check_large(&spec, context, operand, in, expected, 4);
        aic_context_destroy(context);
    }
    free(expected);
    free(in);
}
END_TEST

/* Tiles fetch rows of later ones where the second-level cache does not hold the move: of the next band, of the next
 * step of the loop around the only one, or further on in rows that are long; not of rows that a core follows by itself.
 */
START_TEST(rows_that_are_fetched)
{
    static const struct {
        const char *text;
        aic_core core;
        long long later;
    } ROWS[] = {
        {"transdata(dtype=float16, src=NHWC, dst=NCHW, shape=[1,97,95,160])", AIC_CORE_ZEN4, 32 * 320},
        {"transdata(dtype=float16, src=NHWC, dst=NCHW, shape=[1,97,95,160])", AIC_CORE_GOLDEN_COVE, 0},
        {"transdata(dtype=float16, src=NHWC, dst=NCHW, shape=[1,17,15,160])", AIC_CORE_ZEN4, 0},
        {"transdata(dtype=float16, src=NHWC, dst=NCHW, shape=[4,97,95,60])", AIC_CORE_ZEN4, 0},
        {"transdata(dtype=float16, src=NCHW, dst=NHWC, shape=[1,160,97,95])", AIC_CORE_ZEN4, 128},
        {"transdata(dtype=float16, src=ND, dst=Zn, shape=[800,1016])", AIC_CORE_ZEN4, 16 * 2032},
        {"transdata(dtype=float16, src=ND, dst=Zn, shape=[800,1032])", AIC_CORE_ZEN4, 0},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        char *text = move_report_of(ROWS[i].text, ROWS[i].core), wanted[32] = " later=";
        ck_assert_msg((strstr(text, wanted) != NULL) == (ROWS[i].later > 0), "row %zu: %s", i, text);
        (void)snprintf(wanted, sizeof wanted, " later = %lld,", ROWS[i].later);
        ck_assert_msg(ROWS[i].later == 0 || strstr(text, wanted) != NULL, "row %zu: %s", i, text);
        free(text);
    }
}
END_TEST

Suite *suite_past_caches(void)
{
    Suite *suite = suite_create("past_caches");
    TCase *cases = tcase_create("moves");
    tcase_set_timeout(cases, 600); /* sanitizers are slow */
    tcase_add_test(cases, aligned_stores);
    tcase_add_loop_test(cases, aligned_boxes, 0, (int)(sizeof STORES / sizeof *STORES));
    tcase_add_test(cases, rows_that_are_fetched);
    tcase_add_loop_test(cases, large_outputs, 0, (int)(sizeof LARGE / sizeof *LARGE));
    suite_add_tcase(suite, cases);
    return suite;
}
