/* Kernels of conv2d with groups of channels: every way in which k-packs of the image get into lanes, by several kinds
 * of schedule at every level; elements that are not finite reach the outputs of their own group alone; the same bits
 * for any number of threads; packed weights of other groups. */
#include "codegen/target/target.h"
#include "tests/claims.h"
#include "tests/conv_case.h"
#include "tests/half_case.h"
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_groups(void);

#define BYTES "conv2d(dtype=int8, "
#define HALVES "conv2d(dtype=float16, "
#define FAST "conv2d(dtype=float16, accumulate=fast, "
#define TO_BYTES " | fixpipe(src=int32, dst=int8, format=NZ, quantPre=REQ8, deqScalar=quant(0.01, 3, int8)"
#define TO_HALVES " | fixpipe(src=float32, dst=float16, quantPre=F322F16, format=NZ"

static const char *const SPECS[] = {
    /* depthwise: an output a channel, two, three */
    BYTES "fm_shape=[2,6,7,32], kernel_shape=[1,3,3,64,1], pad=[1,1,1,1], groups=64)",
    BYTES "fm_shape=[1,9,8,32], kernel_shape=[1,5,5,64,1], pad=[2,2,2,2], stride=[2,2], pad_value=-7, groups=32)",
    BYTES "fm_shape=[1,5,9,32], kernel_shape=[1,3,2,96,1], dilation=[1,3], init_l1out=false, groups=32)",
    HALVES "fm_shape=[3,6,7,16], kernel_shape=[1,3,3,48,1], pad=[1,1,1,1], groups=48)",
    HALVES "fm_shape=[2,5,6,16], kernel_shape=[1,5,5,64,1], pad=[2,1,1,2], pad_value=0.5, groups=32)",
    FAST "fm_shape=[3,6,7,16], kernel_shape=[1,3,3,48,1], pad=[1,1,1,1], groups=48)",
    FAST "fm_shape=[1,9,9,16], kernel_shape=[1,2,3,48,1], stride=[2,1], init_l1out=false, groups=16)",
    /* an output a channel, micro-kernel depth: kernels of even and odd sides, down and across; one output row; several
     * steps across; padding on all sides, and windows that see nothing else; stages that add to old sums; dilation */
    BYTES "fm_shape=[2,7,70,32], kernel_shape=[1,3,3,64,1], pad=[1,1,1,1], pad_value=-128, groups=64)",
    BYTES "fm_shape=[1,6,9,32], kernel_shape=[1,4,2,32,1], pad=[1,0,2,1], pad_value=7, init_l1out=false, groups=32)",
    BYTES "fm_shape=[2,2,3,32], kernel_shape=[1,7,7,64,1], pad=[3,3,3,3], stride=[3,2], groups=64)",
    BYTES "fm_shape=[1,8,15,32], kernel_shape=[1,5,5,32,1], pad=[2,2,1,2], stride=[1,2], groups=32)",
    BYTES "fm_shape=[1,9,9,32], kernel_shape=[1,3,1,32,1], stride=[2,1], init_l1out=false, groups=32)",
    BYTES "fm_shape=[1,1,40,32], kernel_shape=[1,1,3,32,1], pad=[0,1,0,0], groups=32)",
    BYTES "fm_shape=[1,12,5,32], kernel_shape=[1,3,3,32,1], pad=[1,1,5,5], stride=[3,3], groups=32)",
    BYTES "fm_shape=[1,9,41,32], kernel_shape=[1,3,3,32,1], pad=[2,3,2,1], dilation=[2,2], pad_value=5, groups=32)",
    BYTES "fm_shape=[2,5,21,32], kernel_shape=[1,5,5,64,1], pad=[7,8,0,3], stride=[2,1], pad_value=-3, groups=64)",
    BYTES "fm_shape=[1,4,30,32], kernel_shape=[1,3,3,32,1], pad=[255,255,9,1], groups=32)",
    BYTES "fm_shape=[1,7,9,32], kernel_shape=[1,3,3,32,1], pad=[0,0,0,1], pad_value=5, groups=32)",
    FAST "fm_shape=[2,6,4,16], kernel_shape=[1,3,3,32,1], pad=[9,7,3,3], dilation=[3,4], pad_value=2, groups=32)",
    HALVES "fm_shape=[1,7,34,16], kernel_shape=[1,2,5,16,1], pad=[3,4,1,1], dilation=[4,2], pad_value=-1, groups=16)",
    FAST "fm_shape=[2,7,70,16], kernel_shape=[1,3,3,32,1], pad=[1,1,1,1], pad_value=-2.5, groups=32)",
    FAST "fm_shape=[2,6,9,16], kernel_shape=[1,7,5,32,1], pad=[3,2,3,3], stride=[2,3], groups=32)",
    HALVES "fm_shape=[1,7,66,16], kernel_shape=[1,3,3,16,1], pad=[1,1,1,1], init_l1out=false, groups=16)",
    HALVES "fm_shape=[2,6,8,16], kernel_shape=[1,7,7,32,1], pad=[3,3,3,3], pad_value=0.1, stride=[1,2], groups=32)",
    HALVES "fm_shape=[1,5,7,16], kernel_shape=[1,4,5,16,1], pad=[2,2,2,2], init_l1out=false, groups=16)",
    /* the same, wider: sums are passed on from step to step, of more pixels than there are behind the last step; of so
     * few columns of old sums that they must not be read past the end; too many pixels to be passed on */
    BYTES "fm_shape=[2,8,37,32], kernel_shape=[1,3,5,64,1], groups=64)",
    BYTES "fm_shape=[1,9,33,32], kernel_shape=[1,3,3,32,1], stride=[2,2], pad=[0,1,1,0], init_l1out=false, groups=32)",
    BYTES "fm_shape=[1,8,47,32], kernel_shape=[1,3,3,32,1], dilation=[1,12], pad=[12,12,1,1], groups=32)",
    FAST "fm_shape=[1,9,31,16], kernel_shape=[1,3,3,16,1], dilation=[1,2], init_l1out=false, groups=16)",
    FAST "fm_shape=[2,9,45,16], kernel_shape=[1,5,7,32,1], stride=[1,2], pad=[3,3,2,2], pad_value=2, groups=32)",
    /* the same with two and four outputs a channel */
    BYTES "fm_shape=[2,7,9,32], kernel_shape=[1,3,3,128,1], pad=[1,1,1,1], pad_value=3, groups=64)",
    BYTES "fm_shape=[1,8,7,32], kernel_shape=[1,5,3,128,1], pad=[1,1,2,2], stride=[2,2], init_l1out=false, groups=32)",
    FAST "fm_shape=[2,6,9,16], kernel_shape=[1,3,3,64,1], pad=[1,1,1,1], pad_value=-1, groups=32)",
    HALVES "fm_shape=[1,6,9,16], kernel_shape=[1,3,3,64,1], pad=[1,1,1,1], pad_value=-1, groups=16)",
    /* a part of a block: 2, 4, 8, 16 channels, and blocks of four */
    BYTES "fm_shape=[1,6,6,32], kernel_shape=[1,3,3,16,2], pad=[1,0,1,0], groups=16)",
    BYTES "fm_shape=[4,4,5,32], kernel_shape=[1,3,3,128,4], pad=[1,1,1,1], groups=32)",
    BYTES "fm_shape=[2,4,5,32], kernel_shape=[1,3,1,32,8], groups=8)",
    BYTES "fm_shape=[2,4,5,32], kernel_shape=[1,2,2,64,16], groups=4)",
    BYTES "fm_shape=[2,5,6,32], kernel_shape=[1,3,3,64,4], pad=[2,1,1,3], pad_value=-7, stride=[2,1], groups=16)",
    BYTES "fm_shape=[2,9,4,32], kernel_shape=[1,5,3,16,8], pad=[1,1,4,4], dilation=[1,2], init_l1out=false, groups=8)",
    BYTES "fm_shape=[1,5,5,32], kernel_shape=[1,2,2,80,16], pad_value=127, pad=[1,1,1,1], groups=2)",
    BYTES "fm_shape=[3,5,5,32], kernel_shape=[1,3,1,96,8], pad=[1,1,1,1], groups=12)",
    BYTES "fm_shape=[1,7,9,4], kernel_shape=[1,3,3,48,2], pad=[1,1,1,1], groups=2)",
    HALVES "fm_shape=[2,6,6,16], kernel_shape=[1,3,3,32,2], pad=[1,1,1,1], groups=16)",
    HALVES "fm_shape=[2,5,5,16], kernel_shape=[1,3,3,48,8], groups=4)",
    HALVES "fm_shape=[1,7,9,4], kernel_shape=[1,3,3,16,1], pad=[1,1,1,1], groups=4)",
    FAST "fm_shape=[4,5,6,16], kernel_shape=[1,3,3,64,4], pad=[1,1,1,1], groups=16)",
    /* 24, 12, 20 and 40 outputs a group, for which vectors have fewer lanes; half of one: 4 and 8 */
    BYTES "fm_shape=[1,5,6,32], kernel_shape=[1,3,3,48,16], pad=[1,1,1,1], groups=2)",
    BYTES "fm_shape=[1,4,5,32], kernel_shape=[1,3,2,48,8], pad=[1,0,1,0], init_l1out=false, groups=4)",
    BYTES "fm_shape=[2,5,5,32], kernel_shape=[1,3,3,80,16], pad=[1,1,1,1], stride=[2,2], groups=4)",
    HALVES "fm_shape=[2,5,4,16], kernel_shape=[1,3,3,80,16], pad=[1,1,1,1], groups=2)",
    HALVES "fm_shape=[1,6,7,16], kernel_shape=[1,3,3,16,4], pad=[1,1,1,1], groups=4)",
    FAST "fm_shape=[1,5,6,16], kernel_shape=[1,3,3,48,8], pad=[1,1,1,1], groups=2)",
    FAST "fm_shape=[2,5,6,16], kernel_shape=[1,3,3,32,8], pad=[1,1,1,1], groups=4)",
    /* the same, whose tiles do all taps of a kernel row together: strides, dilation, columns that no pixel sees, as
     * many taps as tiles take and one more, whole kernel rows of padding, old sums; as a chain */
    FAST "fm_shape=[2,9,13,16], kernel_shape=[1,3,3,32,8], stride=[2,2], groups=4)",
    FAST "fm_shape=[1,7,19,16], kernel_shape=[1,2,3,16,8], stride=[1,3], dilation=[1,4], groups=2)",
    FAST "fm_shape=[2,6,12,16], kernel_shape=[1,3,2,32,8], stride=[1,1], dilation=[2,3], init_l1out=false, groups=4)",
    FAST "fm_shape=[1,4,15,16], kernel_shape=[1,2,7,16,8], stride=[2,1], groups=2)",
    FAST "fm_shape=[1,3,17,16], kernel_shape=[1,1,8,16,8], groups=2)",
    FAST "fm_shape=[2,3,20,16], kernel_shape=[1,5,3,32,8], pad=[0,0,2,2], groups=4)",
    FAST "fm_shape=[1,1,300,16], kernel_shape=[1,1,3,16,8], stride=[1,2], dilation=[1,127], groups=2)",
    FAST "fm_shape=[8,4,31,16], kernel_shape=[2,3,5,32,16], pad=[2,2,1,1], pad_value=3, stride=[1,2], groups=4)",
    FAST "fm_shape=[8,4,21,16], kernel_shape=[2,2,3,16,16], pad=[1,1,0,0], groups=4)",
    FAST "fm_shape=[2,5,24,16], kernel_shape=[1,3,3,32,8], pad=[1,1,1,1], groups=4)" TO_HALVES ")",
    /* 10, 6, 5, 3 and 18 outputs a group, whose vectors meet two to four groups each, and in another place from panel
     * to panel; as many blocks of channels a group; the last vector of a chain has lanes of none */
    BYTES "fm_shape=[2,5,6,32], kernel_shape=[1,3,3,80,8], pad=[1,1,1,1], groups=8)",
    BYTES "fm_shape=[1,5,5,32], kernel_shape=[1,2,2,48,4], pad=[1,0,1,0], pad_value=-9, init_l1out=false, groups=8)",
    BYTES "fm_shape=[16,3,4,32], kernel_shape=[1,3,2,80,32], pad=[1,1,1,1], groups=16)",
    HALVES "fm_shape=[2,6,5,16], kernel_shape=[1,3,3,96,2], pad=[1,1,1,1], stride=[2,2], groups=16)",
    HALVES "fm_shape=[2,4,5,16], kernel_shape=[1,2,3,80,4], pad=[1,1,0,0], groups=8)",
    FAST "fm_shape=[4,5,6,16], kernel_shape=[1,3,3,160,4], pad=[1,1,1,1], stride=[2,2], groups=16)",
    FAST "fm_shape=[2,6,7,16], kernel_shape=[1,3,3,48,8], pad=[1,1,1,1], init_l1out=false, groups=4)",
    FAST "fm_shape=[8,5,4,16], kernel_shape=[1,3,3,48,8], pad=[1,1,1,1], groups=16)",
    FAST "fm_shape=[16,4,4,16], kernel_shape=[2,3,3,144,16], pad=[1,1,1,1], groups=8)",
    FAST "fm_shape=[4,5,6,16], kernel_shape=[2,3,3,32,16], pad=[1,1,1,1], groups=2)",
    FAST "fm_shape=[4,5,4,16], kernel_shape=[1,3,3,48,4], groups=16)"
         " | fixpipe(src=float32, dst=float16, quantPre=F322F16, nSize=41, format=ROW_MAJOR)",
    /* whole blocks, one and several; few outputs a group and many */
    BYTES "fm_shape=[16,3,4,32], kernel_shape=[1,2,2,16,32], groups=16)",
    BYTES "fm_shape=[4,4,5,32], kernel_shape=[2,3,3,48,32], pad=[1,1,1,1], groups=2)",
    BYTES "fm_shape=[2,4,5,32], kernel_shape=[1,3,3,128,32], pad=[1,1,1,1], groups=2)",
    HALVES "fm_shape=[6,4,5,16], kernel_shape=[2,3,3,48,16], pad=[1,1,1,1], init_l1out=false, groups=3)",
    HALVES "fm_shape=[2,4,5,16], kernel_shape=[1,3,3,16,16], groups=2)",
    FAST "fm_shape=[4,4,5,16], kernel_shape=[2,3,3,80,16], pad=[1,1,1,1], groups=2)",
    "conv2d(dtype=float16, accumulate=winograd, fm_shape=[2,6,7,16], kernel_shape=[1,3,3,32,16], groups=2)",
    FAST "fm_shape=[8,1,1,16], kernel_shape=[1,1,1,256,16], groups=8)",
    /* as many k-packs to spread as some levels have registers */
    BYTES "fm_shape=[4,5,5,32], kernel_shape=[1,3,3,16,32], pad=[1,1,1,1], groups=4)",
    FAST "fm_shape=[4,5,5,16], kernel_shape=[1,3,3,16,16], groups=4)",
    /* sums that may leave int32 */
    BYTES "fm_shape=[1,3,3,32], kernel_shape=[1,255,255,16,4], pad=[255,0,255,0], pad_value=-128, groups=8)",
    /* chains; the last one drops output channels */
    BYTES "fm_shape=[2,6,7,32], kernel_shape=[1,3,3,64,1], pad=[1,1,1,1], init_l1out=false, l1out=channel, "
          "groups=64)" TO_BYTES ", reluEn=true)",
    HALVES
    "fm_shape=[2,6,7,16], kernel_shape=[1,3,3,32,1], pad=[1,1,1,1], groups=32)"
    " | tensor_arithmetic(op=BM_MUL, input1_stride=[0,16,0,1]) | tensor_arithmetic(op=BM_MAX, input1_stage=1)" TO_HALVES
    ")",
    FAST "fm_shape=[2,6,7,16], kernel_shape=[1,3,3,32,4], pad=[1,1,1,1], init_l1out=false, groups=8)"
         " | fixpipe(src=float32, dst=float16, quantPre=F322F16, nSize=19, format=ROW_MAJOR)",
};
enum { SPECS_COUNT = sizeof SPECS / sizeof *SPECS };

/* NULL: the default. */
static const char *const SCHEDULES[] = {
    NULL,
    "schedule(rows=1, cols=1, vectors=1, unroll=1, band=1)",
    "schedule(rows=2, cols=3, vectors=2, unroll=1, band=1)",
    "schedule(rows=1, cols=4, vectors=1, unroll=2, band=2)",
    "schedule(rows=2, cols=2, vectors=1, unroll=8, band=1, hold=window)",
    "schedule(rows=1, cols=2, vectors=4, unroll=4, band=1, ahead=256)",
};

/* Of micro-kernel depth, whose tiles are whole rows of the output, up to four computed together. A block of channels
 * has so many vectors. */
static const int DEPTH_ROWS[] = {1, 2, 4, 7};
enum { DEPTH_VECTORS = 8, THOROUGH = 2, OTHERS = 4 };

/* Compares what a schedule gives with the reference, if it is one for this specification and level. */
static void check_schedule(verify_case *c, aic_context *context, const aic_spec *spec, const char *text,
                           const char *schedule)
{
    verify_report report;
    aic_kernel *kernel = NULL;
    const aic_status status = aic_kernel_create(context, spec, schedule, &kernel);
    aic_kernel_destroy(kernel);
    ck_assert_msg(status == AIC_OK || (schedule != NULL && status == AIC_INVALID_ARGUMENT), "%s", aic_last_error());
    ck_assert_msg(status != AIC_OK || verify_kernel(c, context, schedule, &report) == VERIFY_PASSED, "%s %s %s: %s",
                  aic_context_isa(context), text, schedule != NULL ? schedule : "default", report.text);
}

static long long columns_of(const aic_conv2d_desc *d)
{
    const int64_t reach = (d->kernel_shape[2] - 1) * d->dilation[1] + 1;
    return (d->fm_shape[2] + d->pad[0] + d->pad[1] - reach) / d->stride[1] + 1;
}

/* _i: a level and a specification. The highest native level sees every THOROUGH-th schedule, the others every
 * OTHERS-th, beginning with another one from specification to specification. */
START_TEST(as_the_reference)
{
    const char *text = SPECS[_i % SPECS_COUNT];
    uint64_t turn = (uint64_t)(_i % SPECS_COUNT);
    const aic_spec spec = spec_of(text);
    const aic_semantics semantics = aic_semantics_init();
    aic_context *context = levels_context(_i / SPECS_COUNT, 1);
    verify_report report;
    verify_case c;
    ck_assert_int_eq(verify_open(&c, &spec, &semantics, claims_seed((uint64_t)_i), &report), VERIFY_PASSED);
    for (size_t s = 0; s < sizeof SCHEDULES / sizeof *SCHEDULES; s++) {
        if (levels_is_sampled(_i / SPECS_COUNT, &spec, turn++, THOROUGH, OTHERS)) {
            check_schedule(&c, context, &spec, text, SCHEDULES[s]);
        }
    }
    for (int vectors = 1; vectors <= DEPTH_VECTORS; vectors *= 2) {
        for (size_t r = 0; r < sizeof DEPTH_ROWS / sizeof *DEPTH_ROWS; r++) {
            const int rows = DEPTH_ROWS[r];
            char schedule[128];
            (void)snprintf(schedule, sizeof schedule,
                           "schedule(kernel=depth, rows=%d, cols=%lld, vectors=%d, unroll=1, band=%d)", rows,
                           columns_of(&spec.stage[0].desc.conv2d), vectors, vectors > 2 ? rows : 1);
            if (levels_is_sampled(_i / SPECS_COUNT, &spec, turn++, THOROUGH, OTHERS)) {
                check_schedule(&c, context, &spec, text, schedule);
            }
        }
    }
    verify_close(&c);
    aic_context_destroy(context);
}
END_TEST

/* ---- what is not finite ---- */

static const char *const NOT_FINITE[] = {
    HALVES "fm_shape=[2,3,4,16], kernel_shape=[1,2,2,32,1], groups=32)",
    HALVES "fm_shape=[2,3,4,16], kernel_shape=[1,2,2,32,4], groups=8)",
    HALVES "fm_shape=[4,3,4,16], kernel_shape=[2,2,2,48,16], groups=2)",
    FAST "fm_shape=[2,3,4,16], kernel_shape=[1,2,2,96,1], groups=32)",
    FAST "fm_shape=[2,3,4,16], kernel_shape=[1,2,2,32,8], groups=4)",
    FAST "fm_shape=[2,3,4,16], kernel_shape=[1,2,2,32,16], groups=2)",
};
enum { NOT_FINITE_COUNT = sizeof NOT_FINITE / sizeof *NOT_FINITE };

/* Of each input channel one pixel, which all windows of the image's middle see, is infinite or NaN: then outputs of the
 * channel's group are not finite, and those of no other group. _i: a level and a specification. */
START_TEST(not_finite)
{
    static const uint16_t SPECIALS[] = {0x7c00, 0xfc00, 0x7e00};
    half_case t;
    aic_context *context = levels_context(_i / NOT_FINITE_COUNT, 1);
    aic_kernel *kernel = NULL;
    half_case_open(&t, NOT_FINITE[_i % NOT_FINITE_COUNT]);
    half_case_fill(&t, HALF_IMAGE);
    half_case_fill(&t, HALF_WEIGHT);
    ck_assert_int_eq(aic_kernel_create(context, &t.spec, NULL, &kernel), AIC_OK);
    const aic_conv2d_desc *d = &t.spec.stage[0].desc.conv2d;
    const int64_t channels = d->fm_shape[0] * 16, outputs = d->kernel_shape[3], pixels = 3 * 4, rows = 16;
    uint16_t *image = t.data[HALF_IMAGE];
    const float *out = t.data[HALF_OUT];
    for (int64_t channel = 0; channel < channels; channel++) {
        uint16_t *element = image + (channel / 16 * pixels + 5) * 16 + channel % 16, before = *element;
        *element = SPECIALS[channel % 3];
        ck_assert_int_eq(aic_kernel_call(kernel, t.data, HALF_OPERANDS), AIC_OK);
        for (int64_t o = 0; o < outputs; o++) {
            const bool sees = o / (outputs / d->groups) == channel / (channels / d->groups);
            const float value = out[o / 16 * rows * 16 + o % 16]; /* of the first pixel, whose window has it */
            ck_assert_msg(isfinite(value) == !sees, "%s: channel %lld, output %lld: %a",
                          NOT_FINITE[_i % NOT_FINITE_COUNT], (long long)channel, (long long)o, (double)value);
        }
        *element = before;
    }
    aic_kernel_destroy(kernel);
    aic_context_destroy(context);
    half_case_close(&t);
}
END_TEST

/* ---- registers ---- */

/* Instructions of a tile's code that use a vector on the stack. */
static int on_stack(const char *assembly)
{
    int count = 0;
    const char *line = strstr(assembly, "_tile_"), *end = NULL;
    ck_assert_ptr_nonnull(line);
    for (; line != NULL && strncmp(line, "\tret", 4) != 0; line = end != NULL ? end + 1 : NULL) {
        end = strchr(line, '\n');
        const char *stack = strstr(line, "(%rsp)"), *vector = strstr(line, "mm");
        count += stack != NULL && vector != NULL && (end == NULL || (stack < end && vector < end));
    }
    return count;
}

/* The sums of default tiles that spread the k-packs of groups stay in registers but for a few, of any target. Loads of
 * all pixels that k-packs had in common took 50 to 160 places on the stack. _i: a level and a specification. */
static const char *const SPREAD[] = {
    BYTES "fm_shape=[4,14,14,32], kernel_shape=[1,3,3,128,4], pad=[1,1,1,1], groups=32)",
    BYTES "fm_shape=[2,28,28,32], kernel_shape=[1,3,3,64,8], pad=[1,1,1,1], groups=8)",
    FAST "fm_shape=[8,28,28,16], kernel_shape=[1,3,3,128,4], pad=[1,1,1,1], groups=32)",
    FAST "fm_shape=[8,14,14,16], kernel_shape=[1,3,3,128,8], pad=[1,1,1,1], groups=16)",
};
enum { SPREAD_COUNT = sizeof SPREAD / sizeof *SPREAD };
static const char *const LEVELS[] = {"avx2", "avx512", "avx512vnni"};
enum { LEVELS_COUNT = sizeof LEVELS / sizeof *LEVELS };

START_TEST(sums_stay_in_registers)
{
    enum { FEW = 8 };
    const char *level = LEVELS[_i / SPREAD_COUNT], *text = SPREAD[_i % SPREAD_COUNT];
    const aic_spec spec = spec_of(text);
    char *assembly;
    size_t size;
    ck_assert_int_eq(
        aic_dump(NULL, &spec, NULL, AIC_DUMP_ASM, level, aic_target_triple(AIC_ARCH_X86_64), &assembly, &size), AIC_OK);
    ck_assert_msg(on_stack(assembly) <= FEW, "%s, %s: %d vectors on the stack", level, text, on_stack(assembly));
    aic_free(assembly);
}
END_TEST

/* ---- threads, packed weights ---- */

/* The same bits whatever the number of threads, and from packed weights. */
START_TEST(threads)
{
    enum { THREADS = 5 };
    static const char TEXT[] = FAST "fm_shape=[12,29,30,16], kernel_shape=[1,3,3,192,1], pad=[1,1,1,1], groups=192)";
    half_case t;
    size_t bytes;
    half_case_open(&t, TEXT);
    half_case_fill(&t, HALF_IMAGE);
    half_case_fill(&t, HALF_WEIGHT);
    for (unsigned n = 1; n <= THREADS; n++) {
        aic_context *context = levels_context(levels_count() - 1, n);
        aic_kernel *kernel = NULL;
        ck_assert_int_eq(
            aic_kernel_create(context, &t.spec, "schedule(rows=1, cols=6, vectors=2, unroll=1, band=2)", &kernel),
            AIC_OK);
        memset(t.data[HALF_OUT], 0, (size_t)t.operand[HALF_OUT].bytes);
        if (n % 2 == 1) {
            ck_assert_int_eq(aic_kernel_call(kernel, t.data, HALF_OPERANDS), AIC_OK);
        } else {
            ck_assert_int_eq(aic_kernel_packed_size(kernel, HALF_WEIGHT, &bytes), AIC_OK);
            void *packed = aligned_block(bytes), *operands[] = {t.data[HALF_OUT], t.data[HALF_IMAGE], packed};
            ck_assert_int_eq(aic_kernel_pack(kernel, HALF_WEIGHT, packed, t.data[HALF_WEIGHT]), AIC_OK);
            ck_assert_int_eq(aic_kernel_call_packed(kernel, operands, HALF_OPERANDS), AIC_OK);
            free(packed);
        }
        if (n == 1) {
            memcpy(t.expected, t.data[HALF_OUT], (size_t)t.operand[HALF_OUT].bytes);
        }
        ck_assert_mem_eq(t.expected, t.data[HALF_OUT], (size_t)t.operand[HALF_OUT].bytes);
        aic_kernel_destroy(kernel);
        aic_context_destroy(context);
    }
    half_case_close(&t);
}
END_TEST

/* Weights of one shape that are packed for so many groups are no weights for others. */
START_TEST(other_groups_are_refused)
{
    static const char *const GROUPS[] = {
        BYTES "fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,16], groups=2)",
        BYTES "fm_shape=[2,4,4,32], kernel_shape=[1,2,2,32,16], groups=4)",
        BYTES "fm_shape=[4,4,4,32], kernel_shape=[1,2,2,32,16], groups=8)",
    };
    enum { COUNT = sizeof GROUPS / sizeof *GROUPS };
    static const int8_t weight[2 * 2 * 32 * 16], image[4 * 4 * 4 * 32];
    static int32_t out[2 * 16 * 16];
    aic_context *context = levels_context(levels_count() - 1, 1);
    aic_kernel *kernel[COUNT];
    for (int i = 0; i < COUNT; i++) {
        const aic_spec spec = spec_of(GROUPS[i]);
        ck_assert_int_eq(
            aic_kernel_create(context, &spec, "schedule(rows=1, cols=1, vectors=1, unroll=1, band=1)", &kernel[i]),
            AIC_OK);
    }
    for (int a = 0; a < COUNT; a++) {
        size_t bytes;
        ck_assert_int_eq(aic_kernel_packed_size(kernel[a], CONV_WEIGHT, &bytes), AIC_OK);
        void *packed = aligned_block(bytes);
        ck_assert_int_eq(aic_kernel_pack(kernel[a], CONV_WEIGHT, packed, weight), AIC_OK);
        for (int b = 0; b < COUNT; b++) {
            void *operands[] = {out, (void *)(uintptr_t)image, packed};
            ck_assert_int_eq(aic_kernel_call_packed(kernel[b], operands, CONV_OPERANDS),
                             a == b ? AIC_OK : AIC_INVALID_ARGUMENT);
        }
        free(packed);
    }
    for (int i = 0; i < COUNT; i++) {
        aic_kernel_destroy(kernel[i]);
    }
    aic_context_destroy(context);
}
END_TEST

Suite *suite_groups(void)
{
    Suite *suite = suite_create("groups");
    TCase *tcase = tcase_create("groups");
    tcase_set_timeout(tcase, 240);
    tcase_add_loop_test(tcase, as_the_reference, 0, levels_count() * SPECS_COUNT);
    tcase_add_loop_test(tcase, not_finite, 0, levels_count() * NOT_FINITE_COUNT);
    tcase_add_loop_test(tcase, sums_stay_in_registers, 0, LEVELS_COUNT * SPREAD_COUNT);
    tcase_add_test(tcase, threads);
    tcase_add_test(tcase, other_groups_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
