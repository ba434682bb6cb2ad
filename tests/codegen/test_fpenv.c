/* A caller's floating-point control register: kernels compute the same under any, and leave it as it was; where it is
 * the usual one, they do not set it. */
#include "frontend/core/stage.h"
#include "tests/conv_case.h"
#include "tests/levels.h"
#include "tools/harness/verify.h"

#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_fpenv(void);

#if defined(__x86_64__)

/* MXCSR: subnormal results and operands flushed to zero, rounding towards zero, every exception unmasked. */
#define HOSTILE UINT32_C(0xE040)

/* The flags of exceptions are status: by the calling convention a function may leave them set. */
#define FLAGS UINT32_C(0x3f)

static uint32_t get_control(void)
{
    uint32_t value;
    __asm__ volatile("stmxcsr %0" : "=m"(value));
    return value & ~FLAGS;
}

static void set_control(uint32_t value)
{
    __asm__ volatile("ldmxcsr %0" : : "m"(value) : "memory");
}

#elif defined(__aarch64__)

/* FPCR: subnormals flushed to zero, rounding towards zero, the default NaN, halves without infinities. Many processors
 * have no exceptions to unmask. */
#define HOSTILE UINT32_C(0x07C80000)

static uint32_t get_control(void)
{
    uint64_t value;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return (uint32_t)value;
}

static void set_control(uint32_t value)
{
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)value) : "memory");
}

#endif

static const struct arithmetic_row {
    const char *name;
    aic_dtype dtype;
    aic_accumulate accumulate;
} arithmetics[] = {
    {"int8", AIC_INT8, AIC_ACCUMULATE_CUBE},
    {"float16 cube", AIC_FLOAT16, AIC_ACCUMULATE_CUBE},
    {"float16 fast", AIC_FLOAT16, AIC_ACCUMULATE_FAST},
};

enum { ARITHMETICS = sizeof arithmetics / sizeof arithmetics[0] };

typedef struct fpenv_case {
    conv_case *conv;
    aic_context *context;
    aic_kernel *kernel;
    void *packed, *packed_again, *workspace;
    size_t packed_bytes, dst_bytes;
} fpenv_case;

/* Adds to an old dst of subnormal floats. The first output channels have zero weights, so there the result is that
 * subnormal: flushing it to zero would be seen. */
static conv_case *make_conv(const struct arithmetic_row *row)
{
    aic_conv2d_desc desc = conv_desc(row->dtype, 6);
    desc.accumulate = row->accumulate;
    desc.init_l1out = false;
    conv_case *c = conv_case_new(&desc);
    uint32_t *old = (uint32_t *)(void *)c->before;
    for (int64_t i = 0; i < c->operand[CONV_DST].elements; i++) {
        old[i] = 0x00012345;
    }
    const int64_t *shape = c->operand[CONV_WEIGHT].shape; /* [C1, Kh, Kw, Cout, C0] */
    size_t channel = (size_t)shape[4] * aic_dtype_size(row->dtype), tap = (size_t)shape[3] * channel;
    for (int64_t i = 0; i < shape[0] * shape[1] * shape[2]; i++) {
        memset((char *)c->buffer[CONV_WEIGHT] + (size_t)i * tap, 0, 4 * channel);
    }
    return c;
}

static void open_case(fpenv_case *f, int number)
{
    const char *level = levels_name(number / ARITHMETICS);
    aic_context_options options = aic_context_options_init();
    options.isa = level;
    f->conv = make_conv(&arithmetics[number % ARITHMETICS]);
    ck_assert_msg(aic_context_create(&options, &f->context) == AIC_OK, "%s", aic_last_error());
    ck_assert_msg(aic_kernel_create(f->context, &f->conv->spec, NULL, &f->kernel) == AIC_OK, "%s", aic_last_error());
    f->dst_bytes = (size_t)f->conv->operand[CONV_DST].bytes;
    ck_assert_int_eq(aic_kernel_packed_size(f->kernel, CONV_WEIGHT, &f->packed_bytes), AIC_OK);
    f->packed = aligned_block(f->packed_bytes);
    f->packed_again = aligned_block(f->packed_bytes);
    f->workspace = aligned_block(aic_kernel_workspace_size(f->kernel));
}

static void close_case(fpenv_case *f)
{
    free(f->packed);
    free(f->packed_again);
    free(f->workspace);
    aic_kernel_destroy(f->kernel);
    aic_context_destroy(f->context);
    conv_case_free(f->conv);
}

/* Runs the kernel under the control register's value and asserts that it is unchanged. packed NULL: plain weights. */
static void run_under(uint32_t control, const fpenv_case *f, const void *packed)
{
    void *const *b = f->conv->buffer;
    aic_conv2d_fn run = packed != NULL ? aic_kernel_conv2d_packed(f->kernel) : aic_kernel_conv2d(f->kernel);
    conv_case_reset(f->conv);
    uint32_t usual = get_control();
    set_control(control);
    run(b[CONV_DST], b[CONV_FEATURE_MAP], packed != NULL ? packed : b[CONV_WEIGHT], f->workspace);
    uint32_t after = get_control();
    set_control(usual);
    ck_assert_uint_eq(after, control);
}

static void pack_under(uint32_t control, const fpenv_case *f, void *packed)
{
    memset(packed, 0xA5, f->packed_bytes);
    uint32_t usual = get_control();
    set_control(control);
    aic_status status = aic_kernel_pack(f->kernel, CONV_WEIGHT, packed, f->conv->buffer[CONV_WEIGHT]);
    uint32_t after = get_control();
    set_control(usual);
    ck_assert_int_eq(status, AIC_OK);
    ck_assert_uint_eq(after, control);
}

/* _i: a level that runs here and an arithmetic. */
START_TEST(hostile_control)
{
    fpenv_case f;
    open_case(&f, _i);
    uint32_t usual = get_control();
    ck_assert_uint_ne(usual, HOSTILE);

    pack_under(usual, &f, f.packed);
    pack_under(HOSTILE, &f, f.packed_again);
    ck_assert_mem_eq(f.packed, f.packed_again, f.packed_bytes);

    run_under(usual, &f, NULL);
    void *expected = aligned_block(f.dst_bytes);
    memcpy(expected, f.conv->buffer[CONV_DST], f.dst_bytes);
    ck_assert_mem_eq(expected, f.conv->before, sizeof(uint32_t)); /* the subnormal is kept */
    ck_assert_mem_ne(expected, f.conv->before, f.dst_bytes);
    run_under(HOSTILE, &f, NULL);
    ck_assert_mem_eq(f.conv->buffer[CONV_DST], expected, f.dst_bytes);
    run_under(HOSTILE, &f, f.packed);
    ck_assert_mem_eq(f.conv->buffer[CONV_DST], expected, f.dst_bytes);
    free(expected);
    close_case(&f);
}
END_TEST

/* ---- every operator ---- */

enum { RANDOM_SPECS = 4, OTHERS = 2 };

/* The whole call, its checks included, under the hostile register; against the reference. Levels but the highest
 * native one see every OTHERS-th specification. */
static void check_spec(const aic_spec *spec, const aic_semantics *semantics, aic_context *context, int level,
                       uint64_t seed)
{
    if (!levels_is_sampled(level, spec, seed + spec->stage[0].op, 1, OTHERS)) {
        return;
    }
    verify_case c;
    verify_report report;
    char text[4096];
    ck_assert_int_eq(aic_spec_print(spec, text, sizeof text, NULL), AIC_OK);
    ck_assert_msg(verify_open(&c, spec, semantics, seed, &report) == VERIFY_PASSED, "%s: %s", text, report.text);
    void *pointer[AIC_OPERANDS_MAX];
    for (size_t i = 0; i < c.count; i++) {
        pointer[i] = c.content[i].data;
    }
    /* Made beforehand: LLVM is not expected to work like that. */
    aic_kernel *kernel;
    ck_assert_msg(aic_kernel_create(context, spec, NULL, &kernel) == AIC_OK, "%s: %s", text, aic_last_error());
    uint32_t usual = get_control();
    set_control(HOSTILE);
    aic_status status = aic_jit_spec(context, spec, pointer, c.count);
    uint32_t after = get_control();
    set_control(usual);
    ck_assert_msg(status == AIC_OK, "%s: %s", text, aic_last_error());
    ck_assert_uint_eq(after, HOSTILE);
    ck_assert_msg(verify_compare(&c, pointer[c.output], aic_context_isa(context), &report) == VERIFY_PASSED, "%s: %s",
                  text, report.text);
    aic_kernel_destroy(kernel);
    verify_close(&c);
}

/* _i: a level that runs here. */
START_TEST(hostile_control_of_every_operator)
{
    aic_context_options options = aic_context_options_init();
    options.isa = levels_name(_i);
    for (uint64_t seed = 0; seed < RANDOM_SPECS; seed++) {
        aic_context *context;
        options.semantics.overflow = seed % 2 == 0 ? AIC_OVERFLOW_SATURATE : AIC_OVERFLOW_IEEE;
        ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
        for (int op = AIC_OP_NONE + 1; op < AIC_OP_END; op++) {
            aic_spec spec;
            ck_assert_int_eq(aic_spec_draw((aic_op)op, NULL, seed, &spec), AIC_OK);
            check_spec(&spec, &options.semantics, context, _i, seed);
            if (aic_spec_draw_chain((aic_op)op, AIC_OP_NONE, NULL, seed, &spec) == AIC_OK) {
                check_spec(&spec, &options.semantics, context, _i, seed);
            }
        }
        aic_context_destroy(context);
    }
}
END_TEST

Suite *suite_fpenv(void)
{
    Suite *suite = suite_create("fpenv");
    TCase *tcase = tcase_create("fpenv");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, hostile_control, 0, levels_count() * ARITHMETICS);
    tcase_add_loop_test(tcase, hostile_control_of_every_operator, 0, levels_count());
    suite_add_tcase(suite, tcase);
    return suite;
}
