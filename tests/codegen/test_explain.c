/* aic_explain(): the facts agree with what else tells them, and with each other. */
#include "codegen/explain.h"
#include "frontend/core/spec.h"
#include "frontend/core/stage.h"
#include "tests/specs.h"

#include <aic/tool.h>
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_explain(void);

static const struct {
    const char *spec, *shape;
} CASES[] = {
    {"conv2d(dtype=int8, fm_shape=[2,56,56,32], kernel_shape=[2,3,3,64,32], pad=[1,1,1,1])", "contraction"},
    {"conv2d(dtype=int8, fm_shape=[1,5,7,32], kernel_shape=[1,3,2,16,32], stride=[2,3])", "contraction"},
    {"conv2d(dtype=float16, fm_shape=[4,14,14,16], kernel_shape=[4,3,3,64,16], pad=[1,1,1,1])", "contraction"},
    {"conv2d(dtype=float16, fm_shape=[64,14,14,16], kernel_shape=[64,3,3,512,16], accumulate=fast)", "contraction"},
    {"conv2d(dtype=float16, fm_shape=[4,14,14,16], kernel_shape=[4,3,3,64,16]) | fixpipe(src=float32, dst=float16, "
     "format=NZ, quantPre=F322F16)",
     "contraction"},
    {"mmad(dtype=int8, m=70, n=50, k=64)", "contraction"},
    {"mmad(dtype=bfloat16, m=17, n=16, k=48, init_c=false)", "contraction"},
    {"fixpipe(dst=float16, src=int32, nSize=21, mSize=7, srcStride=16, dstStride=21, quantPre=VDEQF16)", "epilogue"},
    {"tik_fixpipe(src=float32, dst=float16, cburst_num=2, burst_len=18, quantize_params=fp322fp16)", "epilogue"},
    {"transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,20,35,27])", "move"},
    {"transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[1,56,56,64])", "move"},
    {"nd2nz(dtype=int8, nValue=7, dValue=70, srcDValue=70, dstNzC0Stride=7)", "move"},
    {"tensor_arithmetic(op=BM_ADD, shape=[2,30,56,57])", "elementwise"},
    {"tensor_arithmetic_quantized(op=BM_MUL, shape=[4,2,3,5], rshift_bit=3)", "elementwise"},
    {"texpands(dtype=int32, rows=8, cols=8, v_row=dyn, v_col=dyn)", "fill"},
    {"texpands(dtype=float16, rows=16, cols=16, v_row=0, v_col=0)", "empty"},
    {"conv2d(dtype=float16, fm_shape=[4,14,29,16], kernel_shape=[4,3,3,64,16], pad=[1,1,1,1], accumulate=winograd)",
     "contraction"},
};
enum { CASE_COUNT = sizeof CASES / sizeof CASES[0] };

static aic_explanation explain(const char *text, const char *schedule, const char *isa)
{
    const aic_spec spec = spec_of(text);
    aic_explanation e = aic_explanation_init();
    ck_assert_msg(aic_explain(NULL, &spec, schedule, isa, &e) == AIC_OK, "%s: %s", text, aic_last_error());
    return e;
}

/* ---- facts ---- */

static void check_facts(const aic_explanation *e, const aic_spec *spec)
{
    int64_t macs, bytes;
    ck_assert_int_eq(aic_spec_work(spec, NULL, &macs, &bytes), AIC_OK);
    ck_assert_int_eq(e->macs, macs);
    ck_assert_msg(e->cost >= e->bound * 0.999, "%s: %g is predicted, less than the bound %g", e->isa, e->cost,
                  e->bound);
    ck_assert_double_eq_tol(e->predicted_ns * e->operations_per_ns, e->cost, 1e-9 + 1e-6 * e->cost);
    ck_assert_double_eq_tol(e->bound_ns * e->operations_per_ns, e->bound, 1e-9 + 1e-6 * e->bound);
    for (int level = 1; level < AIC_TRAFFIC_LEVELS; level++) {
        ck_assert_msg(e->bytes[level] <= e->bytes[level - 1], "%s: a cache moves more than the one before it", e->isa);
    }
    if (macs > 0) { /* each vector of operands that is multiplied is in a register */
        ck_assert_double_gt(e->bytes[AIC_TRAFFIC_L1], 0.9 * (double)bytes);
    } else {
        ck_assert_double_le(e->bytes[AIC_TRAFFIC_MEMORY], (double)bytes);
        ck_assert_double_ge(e->bytes[AIC_TRAFFIC_MEMORY],
                            0.8 * (double)bytes - 2); /* a scalar that nothing is filled with */
    }
}

START_TEST(test_facts)
{
    const aic_spec spec = spec_of(CASES[_i].spec);
    const char *isa;
    for (size_t i = 0; (isa = aic_isa_name(i)) != NULL; i++) {
        aic_explanation e = explain(CASES[_i].spec, NULL, isa);
        ck_assert_str_eq(e.shape, CASES[_i].shape);
        ck_assert_str_eq(e.isa, isa);
        ck_assert_str_eq(e.origin, "default");
        check_facts(&e, &spec);
        aic_free(e.text);
    }
}
END_TEST

/* What fits no cache comes from memory, whatever the loops; what fits comes from there once. The schedules are whole,
 * as what is left out depends on the machine. */
START_TEST(test_traffic)
{
    aic_explanation large = explain("conv2d(dtype=float16, fm_shape=[64,14,14,16], kernel_shape=[64,3,3,2048,16], "
                                    "accumulate=fast)",
                                    "schedule(kernel=vector, rows=1, cols=12, vectors=1, unroll=4, band=1, hold=panel, "
                                    "blocks=1, ahead=0)",
                                    "avx512");
    /* Nine taps of 1024 channels and 2048 outputs, 4 bytes each: 72 MiB that every one of 12 bands reads again. */
    const double weights = 9.0 * 1024 * 2048 * 4;
    ck_assert_double_gt(large.bytes[AIC_TRAFFIC_MEMORY], 12 * weights);
    ck_assert_double_lt(large.bytes[AIC_TRAFFIC_MEMORY], 13 * weights);
    aic_free(large.text);
    static const struct {
        const char *schedule;
        int rows; /* of a band, whose memory all bands share */
    } ROWS[] = {
        {"schedule(kernel=vector, rows=16, cols=1, vectors=1, unroll=2, band=4, hold=panel, blocks=1, ahead=0)", 64},
        {"schedule(kernel=vector, rows=16, cols=1, vectors=1, unroll=2, band=2, hold=panel, blocks=1, ahead=0)", 32},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        aic_explanation small =
            explain("mmad(dtype=float16, m=64, n=64, k=64, accumulate=fast)", ROWS[i].schedule, "avx512");
        /* The image of 2 bytes an element; its band, the packed weight and the result of 4. */
        ck_assert_double_eq(small.bytes[AIC_TRAFFIC_MEMORY], 2 * 64 * 64 + 4 * 64 * ROWS[i].rows + 2 * 4 * 64 * 64);
        aic_free(small.text);
    }
    aic_explanation in_place = explain("conv2d(dtype=int8, fm_shape=[2,16,16,32], kernel_shape=[2,1,1,64,32])",
                                       "schedule(kernel=vector, rows=1, cols=8, vectors=2, unroll=2, band=4, "
                                       "hold=panel, blocks=1, ahead=0, in_place=1)",
                                       "avx512vnni");
    /* The image, weights with a start for each channel, and the result: there is no band. */
    ck_assert_double_eq(in_place.bytes[AIC_TRAFFIC_MEMORY], 2 * 256 * 32 + 64 * (64 + 4) + 256 * 64 * 4);
    ck_assert_ptr_nonnull(strstr(in_place.text, "for band: 4 times, 4 rows of the image, where they lie\n"));
    ck_assert_ptr_nonnull(strstr(in_place.text, "bands: 4 of 4 rows, which are read where the image has them"));
    aic_free(in_place.text);
}
END_TEST

/* ---- text ---- */

/* The loops of a contraction do all its products, some of them padding: times of all lines multiplied. */
static void check_nest(const aic_explanation *e)
{
    double products = 1;
    const char *line = strstr(e->text, "loops, outermost first:\n");
    ck_assert_ptr_nonnull(line);
    while ((line = strstr(line, "  for ")) != NULL) {
        products *= strtod(strstr(line, ": ") + 2, NULL);
        line = strchr(line, '\n');
    }
    const char *kpack = strstr(e->text, " k-packs of ");
    ck_assert_ptr_nonnull(kpack);
    const double channels = strtod(kpack + strlen(" k-packs of "), NULL);
    products *= strtod(strstr(kpack, "time: ") + 6, NULL) * channels * strtod(strstr(kpack, "vectors of ") + 11, NULL);
    ck_assert_msg(products >= (double)e->macs && products <= 4 * (double)e->macs,
                  "%s: the loops do %g of %" PRId64 "\n%s", e->isa, products, e->macs, e->text);
}

/* A line of a loop within another one. */
static bool is_inner(const char *line)
{
    return strncmp(line, "    ", 4) == 0 && strncmp(line + strspn(line, " "), "for ", 4) == 0;
}

/* Bytes that loops take, from the line at *line to the innermost, which moves rows x columns of elements or runs. */
static double bytes_of_loops(const char **line)
{
    long long rows, columns, bytes;
    double taken = 1;
    const char *last;
    do {
        last = strstr(*line, ": ");
        taken *= strtod(last + 2, NULL);
        *line = strchr(*line, '\n') + 1;
    } while (is_inner(*line));
    last = strchr(last, ',');
    ck_assert_msg(sscanf(last, ", transposes %lld x %lld elements of %lld bytes", &rows, &columns, &bytes) == 3 ||
                      sscanf(last, ", moves %lld x %lld runs of %lld bytes", &rows, &columns, &bytes) == 3,
                  "%s", last);
    return taken * (double)rows * (double)columns * (double)bytes;
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text++) {
        count++;
    }
    return count;
}

/* The loops of each box of a move take all its bytes, and some beyond its ends. */
static void check_moves(const aic_explanation *e)
{
    const char *line = strstr(e->text, "loops, outermost first:\n"), *box = e->text;
    ck_assert_ptr_nonnull(line);
    line = strchr(line, '\n') + 1;
    while ((box = strstr(box, " bytes; dimensions and their steps")) != NULL) {
        const char *number = box++;
        while (number[-1] != ' ') {
            number--;
        }
        ck_assert_int_eq(strncmp(line, "  for ", 6), 0);
        const double bytes = strtod(number, NULL), taken = bytes_of_loops(&line);
        ck_assert_msg(taken >= bytes && taken <= 2 * bytes, "%s: the loops take %g of %g bytes\n%s", e->isa, taken,
                      bytes, e->text);
    }
    ck_assert_int_ne(strncmp(line, "  for ", 6), 0); /* boxes have all loops */
    ck_assert_uint_eq(count_of(e->text, "\n  loop "), count_of(e->text, " for dimension: "));
}

START_TEST(test_moves)
{
    static const char *const MOVES[] = {
        "transdata(dtype=float16, src=HWIO, dst=FRACTAL_Z, shape=[3,3,35,20])", /* bursts, tails and what is filled */
        "transdata(dtype=float32, src=HWIO, dst=FRACTAL_Z, shape=[3,3,64,32])",
        "transdata(dtype=float16, src=NHWC, dst=NC1HWC0, shape=[1,56,56,64])",
        "transdata(dtype=int8, src=NHWC, dst=NC1HWC0, shape=[3,4,4,64])",
        "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[2,64,8,8])",
    };
    const char *isa;
    for (size_t i = 0; (isa = aic_isa_name(i)) != NULL; i++) {
        for (size_t k = 0; k < sizeof MOVES / sizeof MOVES[0]; k++) {
            aic_explanation e = explain(MOVES[k], NULL, isa);
            check_moves(&e);
            aic_free(e.text);
        }
    }
}
END_TEST

/* What a report says of boxes, and all loops of a kernel; at a level with 16 bytes in a register. */
static const struct {
    const char *spec, *schedule, *boxes, *loops;
} LOOPS[] = {
    {"fixpipe(dst=int8, src=int32, nSize=40, mSize=9, srcStride=16, dstStride=40, quantPre=VREQ8)",
     "schedule(blocks=2, rows=1, band=128)", "slabs of 32 columns, 1 rows an iteration, 128 rows a band\n",
     "  for block of 16 columns: 3 times, its parameters are read and kept\n  for band: 1 time, 9 rows\n"
     "    for slab: 2 times, 32 columns\n      for iteration: 9 times, 1 rows\n"},
    {"texpands(dtype=float16, rows=48, cols=64, v_row=33, v_col=dyn, slayout=row_major)", "schedule(vector=16)",
     "fill of a domain of at most 33 lines of 64 elements of 2 bytes\n",
     "  for line: 33 times, at most\n    for block: 4 times, at most\n"
     "      for vector of a run: 2 times, at most, 16 bytes each, and the rest in halves\n"},
    {"transdata(dtype=float16, src=ND, dst=Nz, shape=[32,32])",
     "schedule(rows=4, cols=4, vector=16, unroll=4, band=16)", "  moves 4 x 2 runs of 32 bytes, 32 of them read\n",
     "  for band: 2 times, 16 of 32 indices of the output\n    for tile along the input: 1 time, 2 indices of the "
     "input\n      for tile along the output: 4 times, moves 4 x 2 runs of 32 bytes\n"},
    {"transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,16,5,4])",
     "schedule(rows=8, cols=8, vector=16, unroll=4, band=16)", "  transposes tiles of 8 x 8 elements\n",
     "  for band: 1 time, 16 of 16 indices of the output\n    for tile along the input: 3 times, 8 indices of the "
     "input\n      for tile along the output: 2 times, transposes 8 x 8 elements of 2 bytes\n"},
    {"transdata(dtype=float16, src=HWIO, dst=FRACTAL_Z, shape=[3,3,32,16])",
     "schedule(rows=8, cols=8, vector=16, unroll=4, band=16)", "  loop          9, output +512, input +1024\n",
     "  for dimension: 2 times, output +4608 bytes\n    for dimension: 9 times, output +512 bytes\n      for band: 1 "
     "time, 16 of 16 indices of the output\n        for tile along the input: 2 times, 8 indices of the input\n"
     "          for tile along the output: 2 times, transposes 8 x 8 elements of 2 bytes\n"},
};

START_TEST(test_loops)
{
    aic_explanation e = explain(LOOPS[_i].spec, LOOPS[_i].schedule, aic_isa_name(1));
    const char *loops = strstr(e.text, "loops, outermost first:\n");
    ck_assert_msg(strstr(e.text, LOOPS[_i].boxes) != NULL, "%s", e.text);
    ck_assert_ptr_nonnull(loops);
    loops = strchr(loops, '\n') + 1;
    const size_t length = strlen(LOOPS[_i].loops);
    ck_assert_msg(strncmp(loops, LOOPS[_i].loops, length) == 0 && strncmp(loops + length, "parts,", 6) == 0, "%s",
                  loops);
    aic_free(e.text);
}
END_TEST

/* Loops of one iteration that frames do without, by the tile: what they do for every tile counts where tiles are small.
 */
static const struct {
    const char *spec;
    int rows, cols, vectors;
    const char *key;
} FRAMES[] = {
    {"mmad(dtype=int8, m=50, n=64, k=64)", 25, 1, 1, "operands=3 one_part=1 one_col=1 at_once=1 staged=1 whole=1\n"},
    {"conv2d(dtype=int8, fm_shape=[1,14,14,32], kernel_shape=[1,1,1,32,32])", 1, 14, 2,
     "operands=3 one_part=1 one_col=1 counts=1\n"},
    {"conv2d(dtype=int8, fm_shape=[1,14,28,32], kernel_shape=[1,1,1,32,32]) | fixpipe(src=int32, dst=int8, format=NZ, "
     "quantPre=VREQ8)",
     1, 14, 2, "operands=4 one_part=1 at_once=1 staged=1 whole=1 counts=1\n"},
    {"conv2d(dtype=int8, fm_shape=[1,14,28,32], kernel_shape=[1,1,1,32,32]) | fixpipe(src=int32, dst=int8, format=NZ, "
     "quantPre=VREQ8)",
     2, 7, 2, "operands=4 one_part=1 staged=1 whole=1 counts=1\n"},
};

START_TEST(test_frames)
{
    char schedule[160];
    snprintf(schedule, sizeof schedule,
             "schedule(kernel=vector, rows=%d, cols=%d, vectors=%d, unroll=1, band=2, hold=panel, blocks=1, ahead=0)",
             FRAMES[_i].rows, FRAMES[_i].cols, FRAMES[_i].vectors);
    aic_explanation e = explain(FRAMES[_i].spec, schedule, "avx512vnni");
    const char *key = strstr(e.text, ": bands\n    ");
    ck_assert_ptr_nonnull(key);
    key += strlen(": bands\n    ");
    ck_assert_msg(strncmp(key, FRAMES[_i].key, strlen(FRAMES[_i].key)) == 0, "%.100s", key);
    aic_free(e.text);
}
END_TEST

/* What is around the work is compiled well where calls are short, and fast, which nobody notices, where they are long.
 */
static const struct {
    const char *spec, *part, *key;
} SHORT[] = {
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,4,16])", "boxes", "operands=3 "},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,1,4,16])", "entry", "operands=3 phases=1 floats=1\n"},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,16,64,256])", "boxes", "fast=1 operands=3 "},
    {"tensor_arithmetic(op=BM_ADD, shape=[1,16,64,256])", "entry", "operands=3 phases=1 fast=1 floats=1\n"},
    {"tik_fixpipe(src=float32, dst=float16, cburst_num=3, burst_len=4, quantize_params=fp322fp16)", "strips",
     "operands="},
    {"tik_fixpipe(src=float32, dst=float16, cburst_num=64, burst_len=800, quantize_params=fp322fp16)", "strips",
     "fast=1 operands="},
    {"conv2d(dtype=int8, fm_shape=[1,5,5,32], kernel_shape=[1,3,3,16,32])", "bands", "operands=3 table=1 "},
    {"conv2d(dtype=int8, fm_shape=[2,56,56,32], kernel_shape=[2,3,3,64,32])", "bands", "fast=1 operands=3 table=1 "},
};

START_TEST(test_short)
{
    char name[32];
    snprintf(name, sizeof name, ": %s\n    ", SHORT[_i].part);
    aic_explanation e = explain(SHORT[_i].spec, NULL, "avx512vnni");
    const char *key = strstr(e.text, name);
    ck_assert_ptr_nonnull(key);
    key += strlen(name);
    ck_assert_msg(strncmp(key, SHORT[_i].key, strlen(SHORT[_i].key)) == 0, "%.100s", key);
    aic_free(e.text);
}
END_TEST

START_TEST(test_text)
{
    static const char *const PARTS[] = {"schedule: schedule(",      "origin: default", "target: ",
                                        "predicted time: ",         " the bound ",     "between registers and L1 ",
                                        "between L3 and memory ",   "kernel: ",        "work: ",
                                        "loops, outermost first:\n"};
    const char *isa;
    for (size_t i = 0; (isa = aic_isa_name(i)) != NULL; i++) {
        aic_explanation e = explain(CASES[_i].spec, NULL, isa);
        for (size_t k = 0; k < sizeof PARTS / sizeof PARTS[0]; k++) {
            ck_assert_msg(strstr(e.text, PARTS[k]) != NULL, "%s: \"%s\" is not there", isa, PARTS[k]);
        }
        ck_assert_msg(strstr(e.text, "nan") == NULL, "%s: %s", isa, e.text);
        ck_assert_ptr_nonnull(strstr(e.text, e.schedule));
        if (strcmp(e.kernel, "vector") == 0) {
            check_nest(&e);
            ck_assert_msg(strstr(e.text, "\nparts, which kernels have in common: ") != NULL, "%s: no parts", isa);
            ck_assert_msg(strstr(e.text, ": tile\n    ") != NULL && strstr(e.text, " pixels=") != NULL, "%s: no key",
                          isa);
            ck_assert_msg(strstr(e.text, "block.pitch = ") != NULL, "%s: no numbers", isa);
        }
        aic_free(e.text);
    }
}
END_TEST

/* Every number of vectors is a candidate's, or is refused with a reason, as is what a tile of it may not exceed. */
START_TEST(test_refusals)
{
    aic_explanation e = explain(CASES[0].spec, NULL, NULL);
    const char *refused = strstr(e.text, "\nrefused:\n");
    ck_assert_ptr_nonnull(refused);
    for (int vectors = 1; vectors <= 8; vectors++) {
        char start[64];
        snprintf(start, sizeof start, "\n  kernel=vector, vectors=%d: ", vectors);
        ck_assert_msg(strstr(refused, start) != NULL, "nothing on %d vectors: %s", vectors, e.text);
    }
    aic_free(e.text);
    e = explain(CASES[7].spec, NULL, NULL);
    ck_assert_ptr_nonnull(strstr(e.text, "\n  blocks=8: there are 2 blocks of columns\n"));
    aic_free(e.text);
    e = explain(CASES[9].spec, NULL, aic_isa_name(1));
    ck_assert_ptr_nonnull(strstr(e.text, "\n  vector=64: this level's registers have 16 bytes\n"));
    ck_assert_ptr_null(strstr(e.text, "\n  vector=128: ")); /* no level has such */
    aic_free(e.text);
}
END_TEST

/* What each micro-kernel takes, and why it takes no other contraction; message NULL: it takes this one. */
#define INT8 "conv2d(dtype=int8, fm_shape=[1,9,14,32], "
#define HALF "conv2d(dtype=float16, fm_shape=[1,9,14,16], "
#define SIDE(n, out, in) "kernel_shape=[1," #n "," #n "," #out "," #in "]"

static const struct {
    aic_arch arch;
    const char *level, *kernel, *spec, *message;
} TAKEN[] = {
    {AIC_ARCH_X86_64, "sse2", "depth", INT8 SIDE(3, 32, 1) ", groups=32)", NULL},
    {AIC_ARCH_X86_64, "avx2", "depth", INT8 SIDE(3, 64, 1) ", groups=32)", NULL},
    {AIC_ARCH_X86_64, "avx2", "depth", HALF SIDE(7, 16, 1) ", groups=16)", NULL},
    {AIC_ARCH_X86_64, "avx512", "depth", HALF SIDE(3, 64, 1) ", groups=16, accumulate=fast)", NULL},
    {AIC_ARCH_X86_64, "sse2", "depth", INT8 SIDE(3, 64, 1) ", groups=32)", "needs vectors of four input channels"},
    {AIC_ARCH_X86_64, "avx2", "depth", INT8 SIDE(3, 128, 1) ", groups=32)", "needs vectors of four input channels"},
    {AIC_ARCH_X86_64, "sse2", "depth", HALF SIDE(3, 16, 1) ", groups=16)", "needs an instruction that extends float16"},
    {AIC_ARCH_X86_64, "avx2", "depth", HALF SIDE(8, 16, 1) ", groups=16)", "needs kernels of at most 7 x 7"},
    {AIC_ARCH_X86_64, "avx2", "depth", INT8 SIDE(3, 32, 2) ", groups=16)", "needs as many groups as input channels"},
    {AIC_ARCH_X86_64, "avx2", "winograd", HALF SIDE(3, 16, 16) ", accumulate=winograd)", NULL},
    {AIC_ARCH_X86_64, "avx2", "winograd", HALF SIDE(3, 16, 16) ", accumulate=fast)", "needs a kernel of 3 x 3"},
    {AIC_ARCH_X86_64, "amx", "amx", INT8 SIDE(3, 32, 32) ")", NULL},
    {AIC_ARCH_X86_64, "amx", "amx", HALF SIDE(3, 16, 16) ", accumulate=fast)", NULL},
    {AIC_ARCH_X86_64, "amx", "amx", "mmad(dtype=bfloat16, m=9, n=16, k=64, accumulate=fast)", NULL},
    {AIC_ARCH_X86_64, "amx", "amx", "mmad(dtype=float32, m=9, n=16, k=64, accumulate=fast)",
     "multiplies int8, bfloat16"},
    {AIC_ARCH_X86_64, "amx", "amx", "mmad(dtype=float16, m=9, n=16, k=10, accumulate=fast)", NULL},
    {AIC_ARCH_X86_64, "amx", "amx", "mmad(dtype=float16, m=9, n=16, k=9, accumulate=fast)", "rounds as often as"},
    {AIC_ARCH_X86_64, "amx", "amx", "mmad(dtype=bfloat16, m=9, n=16, k=4, accumulate=fast)", NULL},
    {AIC_ARCH_X86_64, "amx", "amx", "mmad(dtype=bfloat16, m=9, n=16, k=3, accumulate=fast)", "rounds as often as"},
    {AIC_ARCH_X86_64, "amx", "amx", HALF SIDE(3, 16, 16) ")", "adds up floats in an order of its own"},
    {AIC_ARCH_X86_64, "amx", "amx", INT8 SIDE(3, 32, 1) ", groups=32)", "takes one group of channels"},
    {AIC_ARCH_X86_64, "avx512fp16", "amx", INT8 SIDE(3, 32, 32) ")", "needs tile registers"},
    {AIC_ARCH_AARCH64, "i8mm", "mmla", INT8 SIDE(3, 32, 32) ")", NULL},
    {AIC_ARCH_AARCH64, "i8mm", "mmla", HALF SIDE(3, 16, 16) ")", "multiplies int8 only"},
    {AIC_ARCH_AARCH64, "i8mm", "mmla", INT8 SIDE(3, 32, 1) ", groups=32)", "takes one group of channels"},
    {AIC_ARCH_AARCH64, "i8mm", "mmla", "conv2d(dtype=int8, fm_shape=[1,9,14,4], " SIDE(3, 32, 4) ")",
     "takes eight channels of a block at a time"},
    {AIC_ARCH_AARCH64, "dotprod", "mmla", INT8 SIDE(3, 32, 32) ")", "needs products of matrices in vector registers"},
};

START_TEST(test_taken)
{
    const aic_semantics semantics = aic_semantics_init();
    const aic_spec given = spec_of(TAKEN[_i].spec);
    char schedule[64];
    aic_spec spec;
    aic_schedule_info info;
    ck_assert_int_eq(aic_spec_resolve_kernel(&given, &semantics, &spec), AIC_OK);
    const aic_problem problem = {&spec, &semantics, aic_target_find(TAKEN[_i].arch, TAKEN[_i].level),
                                 aic_machine_of(aic_host_this()->core)};
    snprintf(schedule, sizeof schedule, "schedule(kernel=%s)", TAKEN[_i].kernel);
    const aic_status status = aic_generator_linked()->plan(&problem, schedule, &info);
    ck_assert_msg(status == (TAKEN[_i].message == NULL ? AIC_OK : AIC_INVALID_ARGUMENT), "%s %s: %s", TAKEN[_i].level,
                  TAKEN[_i].spec, aic_last_error());
    ck_assert_msg(status == AIC_OK || strstr(aic_last_error(), TAKEN[_i].message) != NULL, "%s", aic_last_error());
}
END_TEST

/* Small tiles are said, with what they save and cost; where they are refused, why. */
START_TEST(test_small_tiles)
{
    aic_explanation e =
        explain(CASES[CASE_COUNT - 1].spec, "schedule(kernel=winograd, m=4, rows=8, cols=16)", aic_isa_name(1));
    ck_assert_ptr_nonnull(strstr(e.text, " channels, the last ones 6 x 13\n"));
    ck_assert_ptr_nonnull(strstr(e.text, "F(4 x 4, 3 x 3), 36 products for 16 results, where direct sums take 144\n"));
    ck_assert_ptr_nonnull(strstr(e.text, "\nexpected error: "));
    ck_assert_ptr_nonnull(strstr(e.text, "for point: 36 times, 8 small tiles of 4 x 4 results"));
    ck_assert_ptr_null(strstr(e.text, "kernel=winograd, vectors=1: tiles of more than"));
    aic_free(e.text);
    e = explain(CASES[3].spec, NULL, NULL);
    ck_assert_ptr_nonnull(strstr(e.text, "kernel=winograd: this micro-kernel needs a kernel of 3 x 3, stride and"));
    ck_assert_ptr_null(strstr(e.text, "Winograd's method")); /* nobody asked for it */
    aic_free(e.text);
}
END_TEST

/* Where the request allows them and direct sums are taken, why. */
START_TEST(test_direct_sums)
{
    aic_explanation e = explain(CASES[CASE_COUNT - 1].spec, "schedule(kernel=vector)", aic_isa_name(1));
    ck_assert_ptr_nonnull(strstr(e.text, "\nWinograd's method is not taken: at best "));
    ck_assert_ptr_nonnull(strstr(e.text, " vector operations predicted, direct sums by micro-kernel vector "));
    aic_free(e.text);
    const char *isa;
    for (size_t i = 0; (isa = aic_isa_name(i)) != NULL;
         i++) { /* four channels fill a vector of 128 bits, no wider one */
        e = explain("conv2d(dtype=float16, fm_shape=[1,14,29,4], kernel_shape=[1,3,3,64,4], accumulate=winograd)", NULL,
                    isa);
        const bool fits = strstr(e.text, ", vectors of 128 bits") != NULL;
        const char *why = "\nWinograd's method is not taken: it needs whole vectors of input channels\n";
        ck_assert_msg((strstr(e.text, why) == NULL) == fits, "%s: %s", isa, e.text);
        aic_free(e.text);
    }
    /* small tiles would read padding beyond that of the image */
    e = explain("conv2d(dtype=float16, fm_shape=[1,5,5,16], kernel_shape=[1,3,3,16,16], pad=[1,1,1,1], pad_value=1, "
                "accumulate=winograd)",
                NULL, NULL);
    ck_assert_ptr_nonnull(strstr(e.text, "\nWinograd's method is not taken: none of its tiles fits\n"));
    aic_free(e.text);
    e = explain(CASES[CASE_COUNT - 1].spec, "schedule(kernel=winograd)", aic_isa_name(1));
    ck_assert_ptr_null(strstr(e.text, "is not taken"));
    aic_free(e.text);
}
END_TEST

/* ---- where the schedule comes from ---- */

START_TEST(test_given)
{
    const aic_spec spec = spec_of(CASES[0].spec);
    char text[200];
    aic_explanation standard = explain(CASES[0].spec, NULL, NULL);
    ck_assert_int_eq(aic_schedule_candidate(NULL, &spec, 1, text, sizeof text), AIC_OK);
    aic_explanation given = explain(CASES[0].spec, text, NULL);
    ck_assert_str_eq(given.origin, "given");
    ck_assert_str_eq(given.schedule, text);
    ck_assert_str_ne(standard.schedule, text);
    ck_assert_double_ge(given.cost, standard.cost);
    ck_assert_double_eq(given.bound, standard.bound);
    aic_free(given.text);
    aic_free(standard.text);
}
END_TEST

START_TEST(test_wrong)
{
    const aic_spec spec = spec_of(CASES[0].spec);
    aic_explanation e = aic_explanation_init();
    ck_assert_int_eq(aic_explain(NULL, &spec, "schedule(rows=0)", NULL, &e), AIC_INVALID_ARGUMENT);
    ck_assert_int_eq(aic_explain(NULL, &spec, NULL, "avx9", &e), AIC_INVALID_ARGUMENT);
    e.size = 1;
    ck_assert_int_eq(aic_explain(NULL, &spec, NULL, NULL, &e), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "explanation: "));
    ck_assert_ptr_null(e.text);
}
END_TEST

Suite *suite_explain(void)
{
    Suite *suite = suite_create("explain");
    TCase *tcase = tcase_create("explain");
    tcase_add_loop_test(tcase, test_taken, 0, sizeof TAKEN / sizeof TAKEN[0]);
    tcase_add_loop_test(tcase, test_loops, 0, sizeof LOOPS / sizeof LOOPS[0]);
    tcase_add_loop_test(tcase, test_frames, 0, sizeof FRAMES / sizeof FRAMES[0]);
    tcase_add_loop_test(tcase, test_short, 0, sizeof SHORT / sizeof SHORT[0]);
    tcase_add_loop_test(tcase, test_facts, 0, CASE_COUNT);
    tcase_add_test(tcase, test_traffic);
    tcase_add_loop_test(tcase, test_text, 0, CASE_COUNT);
    tcase_add_test(tcase, test_moves);
    tcase_add_test(tcase, test_refusals);
    tcase_add_test(tcase, test_small_tiles);
    tcase_add_test(tcase, test_direct_sums);
    tcase_add_test(tcase, test_given);
    tcase_add_test(tcase, test_wrong);
    suite_add_tcase(suite, tcase);
    return suite;
}
