/* Networks that run: results against the references one by one, with a buffer of its own for each tensor; buffers that
 * share memory; progress and steps; what calls refuse. */
#include "frontend/core/stage.h"
#include "tests/layers_case.h"
#include "tests/levels.h"
#include "tests/network_case.h"
#include "tests/specs.h"
#include "tools/harness/guard.h"

#include <check.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_network(void);

/* ---- a chain of layers ---- */

/* Inputs and outputs end where memory ends, and begin where it begins. */
static void check_guarded(const aic_network *network, const void *x, const int8_t expected[LAYERS_PLANE])
{
    static const guard_side SIDES[] = {GUARD_BEFORE, GUARD_AFTER};
    for (int side = 0; side < 2; side++) {
        guard_buffer in, out;
        ck_assert(guard_open(&in, LAYERS_PLANE, 1, SIDES[side]) && guard_open(&out, LAYERS_PLANE, 1, SIDES[side]));
        memcpy(in.data, x, LAYERS_PLANE);
        ck_assert_msg(network_case_call(network, in.data, out.data) == AIC_OK, "%s", aic_last_error());
        ck_assert_mem_eq(out.data, expected, LAYERS_PLANE);
        ck_assert_mem_eq(in.data, x, LAYERS_PLANE);
        guard_close(&in);
        guard_close(&out);
    }
}

START_TEST(layers_give_what_the_references_give)
{
    network_case c;
    void *weights[2], *x = network_case_values(AIC_INT8, LAYERS_PLANE, 3);
    int8_t expected[LAYERS_PLANE], y[LAYERS_PLANE];
    aic_context *context = network_case_context(0, levels_name(_i));
    layers_open(&c, weights);
    layers_expect(x, weights, expected);
    aic_network *network = network_case_network(&c, context, NULL);
    layers_close(&c, weights); /* it is read once */
    aic_context_destroy(context);
    for (int again = 0; again < 3; again++) {
        memset(y, 0x55, sizeof y);
        ck_assert_msg(network_case_call(network, x, y) == AIC_OK, "%s", aic_last_error());
        ck_assert_mem_eq(y, expected, LAYERS_PLANE);
    }
    check_guarded(network, x, expected);
    aic_network_destroy(network);
    free(x);
}
END_TEST

/* Of a layer's weights, however they are packed here. */
static size_t packed_bytes(void)
{
    const aic_spec spec = spec_of(LAYERS_SPEC);
    aic_kernel *kernel;
    size_t bytes = 0;
    ck_assert_msg(aic_kernel_create(NULL, &spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    ck_assert_int_eq(aic_kernel_packed_size(kernel, 2, &bytes), AIC_OK);
    aic_kernel_destroy(kernel);
    return bytes;
}

START_TEST(facts_are_told)
{
    network_case c;
    void *weights[2];
    aic_network_facts facts = aic_network_facts_init();
    layers_open(&c, weights);
    aic_network *network = network_case_network(&c, NULL, NULL);
    ck_assert_int_eq(aic_network_info(network, &facts), AIC_OK);
    ck_assert_uint_eq(facts.inputs, 1);
    ck_assert_uint_eq(facts.outputs, 1);
    ck_assert_uint_eq(facts.kernels, 4);
    ck_assert_str_eq(facts.input[0].name, "x");
    ck_assert_str_eq(facts.output[0].name, "y");
    ck_assert_int_eq(facts.input[0].dtype, AIC_INT8);
    ck_assert_int_eq(facts.input[0].rank, 4);
    ck_assert_int_eq(facts.input[0].bytes, LAYERS_PLANE);
    ck_assert_str_eq(facts.kernel[1].output, "b");
    ck_assert_uint_eq(facts.kernel[1].line, 12);
    ck_assert_int_eq(facts.kernel[0].macs, INT64_C(36) * 9 * 32 * 32);
    ck_assert_ptr_nonnull(strstr(facts.kernel[3].text, "conv2d(dtype=int8"));
    ck_assert_ptr_nonnull(strstr(facts.kernel[3].schedule, "schedule("));
    ck_assert_int_eq(facts.buffer_bytes, 3 * LAYERS_PLANE); /* y is the caller's */
    ck_assert_int_eq(facts.arena_bytes, 2 * LAYERS_PLANE);
    ck_assert_uint_eq((size_t)facts.constant_bytes, 2 * packed_bytes()); /* each is packed once, for two kernels */
    ck_assert(facts.kernel[0].packed && facts.kernel[3].packed);
    facts.size = offsetof(aic_network_facts, outputs); /* of an older library's user */
    facts.outputs = 77;
    ck_assert_int_eq(aic_network_info(network, &facts), AIC_OK);
    ck_assert_uint_eq(facts.outputs, 77);
    aic_network_destroy(network);
    layers_close(&c, weights);
}
END_TEST

/* ---- a residual, views, in place ---- */

#define CONV(acc) "conv2d(dtype=float16, fm_shape=[1,5,5,16], kernel_shape=[1,1,1,16,16]" acc ")"
#define HALF " | fixpipe(src=float32, dst=float16, quantPre=F322F16, format=NZ)"
enum { HALVES = 5 * 5 * 16, SUMS = 32 * 16 };

static const char RESIDUAL[] =
    "input x float16 [1,5,5,16]\n"
    "constant w w.npy\n"
    "buffer sums float32 [1,32,16]\n"
    "buffer both float16 [2,5,5,16]\n"
    "view low both float16 [1,5,5,16] at 0\n"
    "view high both float16 [1,5,5,16] at 800\n"
    "view words both uint32 [400] at 0\n"
    "buffer y float32 [400]\n"
    "kernel " CONV("") " : dst=sums feature_map=x weight=w\n"
                       "kernel tensor_arithmetic(op=BM_ADD, shape=[1,1,32,16]) : output=sums input0=sums input1=sums\n"
                       "kernel " CONV("") HALF
    " : dst=high feature_map=x weight=w\n"
    "kernel " CONV("") " | tensor_arithmetic(op=BM_ADD)" HALF " : dst=low feature_map=high weight=w input1=sums\n"
                       "kernel tensor_arithmetic(op=BM_CPY, shape=[1,1,25,16]) : output=y input0=words\n"
                       "output y\n";

static void expect_residual(const void *x, void *w, void *y)
{
    static _Alignas(64) float sums[SUMS];
    static _Alignas(64) uint16_t both[2][HALVES];
    const aic_spec conv = spec_of(CONV("")), half = spec_of(CONV("") HALF);
    const aic_spec add = spec_of("tensor_arithmetic(op=BM_ADD, shape=[1,1,32,16])");
    const aic_spec residual = spec_of(CONV("") " | tensor_arithmetic(op=BM_ADD)" HALF);
    void *in = (void *)(uintptr_t)x;
    memset(sums, 0, sizeof sums);
    run_reference(&conv, NULL, (void *[]){sums, in, w}, 3);
    run_reference(&add, NULL, (void *[]){sums, sums, sums}, 3);
    run_reference(&half, NULL, (void *[]){both[1], in, w, NULL}, 4);
    run_reference(&residual, NULL, (void *[]){both[0], both[1], w, sums, NULL}, 5);
    memcpy(y, both, sizeof both);
}

START_TEST(residuals_views_and_in_place)
{
    network_case c;
    aic_network_options options = aic_network_options_init();
    static _Alignas(64) unsigned char expected[4 * HALVES], y[4 * HALVES];
    network_case_open(&c);
    void *x = network_case_values(AIC_FLOAT16, HALVES, 5), *w = network_case_npy(&c, "w.npy", AIC_FLOAT16, 256, NULL);
    network_case_text(&c, RESIDUAL);
    expect_residual(x, w, expected);
    for (int reference = 0; reference < 2; reference++) {
        options.reference = reference == 1;
        aic_network *network = network_case_network(&c, NULL, &options);
        memset(y, 0, sizeof y);
        ck_assert_msg(network_case_call(network, x, y) == AIC_OK, "%s", aic_last_error());
        ck_assert_mem_eq(y, expected, sizeof y);
        aic_network_destroy(network);
    }
    network_case_close(&c);
    free(x);
    free(w);
}
END_TEST

/* ---- progress, steps ---- */

typedef struct seen {
    size_t calls, last, most, stop;
} seen;

static bool see(void *user, size_t made, size_t kernels)
{
    seen *s = user;
    s->calls++;
    ck_assert_uint_gt(made, s->last);
    s->last = made;
    s->most = kernels;
    return made < s->stop;
}

static void take_step(void *user, size_t kernel)
{
    seen *s = user;
    ck_assert_uint_eq(kernel, s->calls++);
}

/* A timed call gives the results of any other, and the time of each of the four kernels. */
static void times_are_of_kernels(const aic_network *network, const void *x, const int8_t *y)
{
    int8_t again[LAYERS_PLANE];
    uint64_t ns[5];
    memset(ns, 0xff, sizeof ns);
    ck_assert_int_eq(aic_network_call_timed(network, &x, 1, (void *[]){again}, 1, ns), AIC_OK);
    ck_assert_mem_eq(again, y, sizeof again);
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_lt(ns[i], UINT64_MAX);
    }
    ck_assert_uint_eq(ns[4], UINT64_MAX);
}

START_TEST(progress_and_steps)
{
    network_case c;
    void *weights[2], *x = network_case_values(AIC_INT8, LAYERS_PLANE, 3);
    int8_t y[LAYERS_PLANE];
    seen s = {.stop = 100};
    aic_network_options options = aic_network_options_init();
    aic_network *network = NULL;
    options.user = &s;
    options.progress = see;
    layers_open(&c, weights);
    aic_network_destroy(network_case_network(&c, NULL, &options));
    ck_assert_uint_eq(s.last, 4);
    ck_assert_uint_eq(s.most, 4);
    s = (seen){.stop = 4}; /* whoever says stop at last is heard, too */
    ck_assert_int_eq(aic_network_open(NULL, c.folder, &options, &network), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_null(network);
    ck_assert_str_eq(aic_last_error(), "network: progress ended the work after 4 of 4 kernels");
    s = (seen){.calls = 0};
    options.progress = NULL;
    options.step = take_step;
    network = network_case_network(&c, NULL, &options);
    ck_assert_int_eq(network_case_call(network, x, y), AIC_OK);
    ck_assert_uint_eq(s.calls, 4);
    s.calls = 0;
    times_are_of_kernels(network, x, y);
    aic_network_destroy(network);
    layers_close(&c, weights);
    free(x);
}
END_TEST

/* Four kernels that are none but the first the same. */
#define WORDS(op, out, in)                                                                                             \
    "kernel tensor_arithmetic(op=" #op ", shape=[1,1,4,4]) : output=" #out " input0=" #in " input1=x\n"
static const char DIFFERENT[] =
    "input x float32 [16]\nbuffer a float32 [16]\nbuffer b float32 [16]\nbuffer y float32 [16]\n" WORDS(BM_MUL, a, x)
        WORDS(BM_ADD, b, a) WORDS(BM_SUB, a, b) WORDS(BM_MAX, y, a) "output y\n";

/* Holds the only maker with its second kernel until progress has said stop. */
typedef struct stopper {
    sem_t told;
    int made, calls;
    size_t last;
} stopper;

static void hold_second(void *data, int level, const char *line)
{
    stopper *s = data;
    if (level == 2 && strncmp(line, "miss ", 5) == 0 && ++s->made == 2) {
        while (sem_wait(&s->told) != 0) {
        }
    }
}

static bool stop(void *user, size_t made, size_t kernels)
{
    stopper *s = user;
    ck_assert_uint_eq(kernels, 4);
    s->calls++;
    s->last = made;
    ck_assert_int_eq(sem_post(&s->told), 0);
    return false;
}

/* What was begun when progress says stop is made, and no kernel more. */
START_TEST(progress_ends_the_work)
{
    network_case c;
    stopper s = {.made = 0};
    aic_context_options options = aic_context_options_init();
    aic_network_options network_options = aic_network_options_init();
    aic_context *context;
    aic_network *network = NULL;
    ck_assert_int_eq(sem_init(&s.told, 0, 0), 0);
    options.threads = 1;
    options.cache = "off";
    options.verbose = 2;
    options.log = hold_second;
    options.log_data = &s;
    network_options.progress = stop;
    network_options.user = &s;
    ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
    network_case_open(&c);
    network_case_text(&c, DIFFERENT);
    ck_assert_int_eq(aic_network_open(context, c.folder, &network_options, &network), AIC_INVALID_ARGUMENT);
    ck_assert_str_eq(aic_last_error(), "network: progress ended the work after 2 of 4 kernels");
    ck_assert_ptr_null(network);
    ck_assert(s.calls == 1 && s.last == 1 && s.made == 2);
    aic_context_destroy(context);
    (void)sem_destroy(&s.told);
    network_case_close(&c);
}
END_TEST

/* ---- images of constants, places ---- */

#define LAYERED(out, in, fm, kernel, more, w)                                                                          \
    "kernel conv2d(dtype=int8, fm_shape=[" fm ",32], kernel_shape=[" kernel ",32]" more                                \
    ") | fixpipe(src=int32, dst=int8, format=NZ, quantPre=REQ8, deqScalar=quant(0.01, 0, int8)) : dst=" #out           \
    " feature_map=" #in " weight=" #w "\n"

/* Constants in parts, of which one is packed for two kernels, in two forms, and one is another part of the same file.
 */
static const char PARTS[] =
    "input x int8 [1,6,6,32]\nconstant w w.npy\nview t w int8 [9216] at 0\nview v w int8 [9216] at 9216\n"
    "view u w int8 [2048] at 0\nview xw x uint32 [288] at 0\nbuffer d int8 [2,6,6,32]\n" LAYERS_BUFFER(a)
        LAYERS_BUFFER(b)
            LAYERS_BUFFER(y) "view aw a uint32 [288] at 0\n"
                             "kernel tensor_arithmetic(op=BM_CPY, shape=[1,1,18,16]) : output=aw input0=xw\n" LAYERED(
                                 b, a, "1,6,6", "1,3,3,32", ", pad=[1,1,1,1]", t)
                                 LAYERED(a, b, "1,6,6", "1,3,3,32", ", pad=[1,1,1,1]", v)
                                     LAYERED(d, a, "1,6,6", "1,1,1,64", "", u) LAYERED(b, d, "2,6,6", "2,1,1,32", "", u)
                                         LAYERED(y, b, "1,6,6", "1,3,3,32", ", pad=[1,1,1,1]", t) "output y\n";

START_TEST(constants_are_packed_by_part_and_form)
{
    network_case c;
    aic_network_options options = aic_network_options_init();
    static int8_t y[2][LAYERS_PLANE];
    network_case_open(&c);
    free(network_case_npy(&c, "w.npy", AIC_INT8, 2 * LAYERS_WEIGHTS, NULL));
    void *x = network_case_values(AIC_INT8, LAYERS_PLANE, 3);
    network_case_text(&c, PARTS);
    for (int reference = 0; reference < 2; reference++) {
        options.reference = reference == 1;
        aic_network *network = network_case_network(&c, NULL, &options);
        ck_assert_msg(network_case_call(network, x, y[reference]) == AIC_OK, "%s", aic_last_error());
        aic_network_destroy(network);
    }
    ck_assert_mem_eq(y[0], y[1], LAYERS_PLANE);
    network_case_close(&c);
    free(x);
}
END_TEST

/* mid lives before big, low as long as both; none is never used. Rows of 16 floats, a line each. */
static const char PLACES[] =
    "input x float32 [16]\nbuffer big float32 [5,16]\nview b big float32 [16] at 0\nbuffer mid float32 [3,16]\n"
    "view m mid float32 [16] at 0\nbuffer low float32 [2,16]\nview l low float32 [16] at 0\nbuffer none float32 "
    "[9,16]\n"
    "buffer y float32 [16]\n" WORDS(BM_MUL, m, x) WORDS(BM_ADD, l, m) WORDS(BM_ADD, b, l) WORDS(
        BM_ADD, b, b) "kernel tensor_arithmetic(op=BM_ADD, shape=[1,1,4,4]) : output=y input0=l input1=b\noutput y\n";

START_TEST(buffers_share_places_when_their_lives_are_apart)
{
    enum { LINE = 64 };
    network_case c;
    aic_network_facts facts = aic_network_facts_init();
    static const float x[16] = {1, 2, 3};
    float y[16];
    network_case_open(&c);
    network_case_text(&c, PLACES);
    aic_network *network = network_case_network(&c, NULL, NULL);
    ck_assert_int_eq(aic_network_info(network, &facts), AIC_OK);
    ck_assert_int_eq(facts.buffer_bytes, (5 + 3 + 2) * LINE);
    ck_assert_int_eq(facts.arena_bytes, (5 + 2) * LINE);
    ck_assert_int_eq(network_case_call(network, x, y), AIC_OK);
    for (int i = 0; i < 16; i++) {
        ck_assert(y[i] == 2 * x[i] * x[i] + 4 * x[i]);
    }
    aic_network_destroy(network);
    network_case_close(&c);
}
END_TEST

/* ---- what calls refuse ---- */

static void refuse(const aic_network *network, const void *x, size_t xs, void *y, size_t ys, size_t n, const char *say)
{
    ck_assert_int_eq(aic_network_batch(network, &x, xs, &y, ys, n), AIC_INVALID_ARGUMENT);
    ck_assert_msg(strstr(aic_last_error(), say) != NULL, "\"%s\" lacks \"%s\"", aic_last_error(), say);
}

START_TEST(wrong_calls_are_refused)
{
    network_case c;
    static _Alignas(64) unsigned char memory[4][4 * SUMS];
    aic_network_options options = aic_network_options_init();
    aic_network *network = NULL;
    network_case_open(&c);
    free(network_case_npy(&c, "w.npy", AIC_FLOAT16, 256, NULL));
    network_case_text(&c, RESIDUAL);
    ck_assert_msg(aic_network_open(NULL, c.folder, NULL, &network) == AIC_OK, "%s", aic_last_error());
    memset(memory, 0x11, sizeof memory);
    refuse(network, NULL, 1, memory[1], 1, 1, "x: is NULL");
    refuse(network, memory[0], 1, NULL, 1, 1, "y: is NULL");
    refuse(network, memory[0] + 1, 1, memory[1], 1, 1, "x: the address is not a multiple of 2");
    refuse(network, memory[0], 1, memory[1] + 2, 1, 1, "y: the address is not a multiple of 4");
    refuse(network, memory[0], 2, memory[1], 1, 1, "2 inputs given, 1 expected");
    refuse(network, memory[0], 1, memory[1], 0, 1, "0 outputs given, 1 expected");
    refuse(network, memory[0], 1, memory[0] + 796, 1, 1, "y: overlaps x");
    refuse(network, memory[0], 1, memory[1], 1, SIZE_MAX / 2, "x: 9223372036854775807 images leave the address space");
    refuse(network, memory[0], 1, memory[1], 1, SIZE_MAX / (2 * HALVES), "images leave the address space");
    refuse(network, memory[1], 1, memory[0] + 4, 1, 3, "y: overlaps x");
    for (size_t i = 0; i < sizeof memory; i++) {
        ck_assert_uint_eq(memory[i / sizeof memory[0]][i % sizeof memory[0]], 0x11);
    }
    options.size = 4;
    aic_network *none = NULL;
    ck_assert_int_eq(aic_network_open(NULL, c.folder, &options, &none), AIC_INVALID_ARGUMENT);
    aic_network_destroy(network);
    network_case_close(&c);
}
END_TEST

/* Three float16 read as one word: a second image would begin in the middle of a word. */
START_TEST(images_that_cannot_follow_each_other)
{
    network_case c;
    static _Alignas(64) uint16_t x[2][3] = {{1, 2, 3}};
    uint32_t y[2] = {0};
    network_case_open(&c);
    network_case_text(&c, "input x float16 [3]\nview w x uint32 [1] at 0\nbuffer y float32 [1]\n"
                          "kernel tensor_arithmetic(op=BM_CPY, shape=[1,1,1,1]) : output=y input0=w\noutput y\n");
    aic_network *network = network_case_network(&c, NULL, NULL);
    refuse(network, x, 1, y, 1, 2,
           "x: images of 6 bytes cannot follow each other, their addresses must be multiples of 4");
    ck_assert_int_eq(aic_network_batch(network, (const void *[]){x}, 1, (void *[]){y}, 1, 1), AIC_OK);
    ck_assert(y[0] == 0x20001 && y[1] == 0);
    aic_network_destroy(network);
    network_case_close(&c);
}
END_TEST

Suite *suite_network(void)
{
    Suite *suite = suite_create("network");
    TCase *tcase = tcase_create("calls");
    tcase_add_loop_test(tcase, layers_give_what_the_references_give, 0, levels_count());
    tcase_add_test(tcase, facts_are_told);
    tcase_add_test(tcase, residuals_views_and_in_place);
    tcase_add_test(tcase, progress_and_steps);
    tcase_add_test(tcase, progress_ends_the_work);
    tcase_add_test(tcase, constants_are_packed_by_part_and_form);
    tcase_add_test(tcase, buffers_share_places_when_their_lives_are_apart);
    tcase_add_test(tcase, wrong_calls_are_refused);
    tcase_add_test(tcase, images_that_cannot_follow_each_other);
    suite_add_tcase(suite, tcase);
    return suite;
}
