/* LLVM pass pipelines: every accepted pass over kernels of every operator changes no result, every other one is refused
 * before LLVM sees it. */
#include "codegen/passes.h"
#include "frontend/core/stage.h"
#include "tests/claims.h"
#include "tests/levels.h"
#include "tests/specs.h"
#include "tools/harness/rng.h"
#include "tools/harness/verify.h"

#include <aic/tool.h>
#include <check.h>
#include <stdio.h>
#include <string.h>

Suite *suite_passes(void);

enum { TEXT_MAX = 4096, PIPELINES = 12 };

/* Small kernels of every kind of code. */
static const char *const kernels[] = {
    "conv2d(dtype=int8, fm_shape=[2,5,6,32], kernel_shape=[2,3,3,32,32], pad=[1,1,1,1], pad_value=3)",
    "conv2d(dtype=float16, fm_shape=[1,5,6,16], kernel_shape=[1,2,3,48,16], stride=[2,1], init_l1out=false)",
    "conv2d(dtype=float16, fm_shape=[2,4,5,16], kernel_shape=[2,2,2,16,16], accumulate=fast)",
    ("conv2d(dtype=int8, fm_shape=[1,4,4,32], kernel_shape=[1,2,2,32,32]) | fixpipe(src=int32, dst=int8, "
     "quantPre=VREQ8)"),
    "mmad(dtype=int8, m=5, n=19, k=70)",
    "mmad(dtype=float16, m=4, n=33, k=40, accumulate=fast) | fixpipe(src=float32, dst=float16, quantPre=F322F16)",
    "mmad(dtype=bfloat16, m=17, n=16, k=32)",
    "fixpipe(dst=float16, src=int32, nSize=21, mSize=7, srcStride=16, dstStride=21, quantPre=VDEQF16)",
    "fixpipe(dst=int8, src=int32, nSize=40, mSize=9, srcStride=16, dstStride=40, quantPre=VREQ8, reluEn=true)",
    "tik_fixpipe(src=float32, dst=float16, cburst_num=2, burst_len=18, quantize_params=fp322fp16)",
    "nd2nz(dtype=int8, nValue=7, dValue=70, srcDValue=70, dstNzC0Stride=7)",
    "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[1,20,5,7])",
    "transdata(dtype=int8, src=ND, dst=Nz, shape=[19,70])",
    "tensor_arithmetic(op=BM_MAC, shape=[2,3,5,7])",
    "tensor_arithmetic(op=BM_SHIFT, shape=[1,2,3,19])",
    "tensor_arithmetic_quantized(op=BM_MUL, shape=[4,2,3,5], rshift_bit=3)",
    "texpands(dtype=float16, rows=16, cols=16, v_row=3, v_col=5)",
    "texpands(dtype=int32, rows=8, cols=8, v_row=dyn, v_col=dyn)",
};

enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* Every STEP-th of the kernels, beginning with another one from pipeline to pipeline; all of them in a campaign. */
static void check_pipeline(const char *pipeline, size_t first)
{
    enum { STEP = 6 };
    const size_t step = levels_campaign() > 0 ? 1 : STEP;
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    options.passes = pipeline;
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s: %s", pipeline, aic_last_error());
    for (size_t i = first % step; i < KERNELS; i += step) {
        const aic_spec spec = spec_of(kernels[i]);
        verify_report report;
        verify_verdict verdict = verify_spec(&spec, &options.semantics, i, context, NULL, &report);
        ck_assert_msg(verdict == VERIFY_PASSED, "%s: %s: %s", pipeline, kernels[i], report.text);
    }
    aic_context_destroy(context);
}

/* What may stand in the pipeline of each adaptor. */
static const struct {
    const char *adaptor, *pass;
} inner[] = {{"module", "globalopt"}, {"cgscc", "inline"},          {"function<eager-inv>", "gvn"},
             {"function", "dse"},     {"loop-mssa", "loop-rotate"}, {"loop", "indvars"}};

enum { ADAPTORS = sizeof inner / sizeof inner[0] };

/* Pass number `index` as a pipeline. */
static void pipeline_of(size_t index, char text[TEXT_MAX])
{
    const char *name = aic_pass_name(index);
    size_t i = 0;
    while (i < ADAPTORS && strcmp(inner[i].adaptor, name) != 0) {
        i++;
    }
    (void)snprintf(text, TEXT_MAX, i < ADAPTORS ? "%s(%s)" : "%s", name, i < ADAPTORS ? inner[i].pass : "");
}

static int passes(void)
{
    int count = 0;
    while (aic_pass_name((size_t)count) != NULL) {
        count++;
    }
    return count;
}

START_TEST(every_accepted_pass)
{
    char text[TEXT_MAX];
    pipeline_of((size_t)_i, text);
    check_pipeline(text, (size_t)_i);
}
END_TEST

/* Between passes that need MemorySSA, which a pass that does not keep it would leave to the next one as it was. */
START_TEST(passes_with_memory_ssa)
{
    char text[TEXT_MAX];
    size_t count = 0;
    for (size_t i = 0; i < (size_t)passes(); i++) {
        (void)snprintf(text, sizeof text, "loop-mssa(licm,%s,licm)", aic_pass_name(i));
        if (aic_passes_check(text) == AIC_OK) {
            check_pipeline(text, 0);
            check_pipeline(text, 1);
            count++;
        }
    }
    ck_assert_uint_gt(count, 1);
}
END_TEST

/* Several in turn. */
START_TEST(mixed_pipelines)
{
    uint64_t state = claims_seed((uint64_t)_i);
    char text[TEXT_MAX] = "";
    for (int tries = 0, taken = 0; taken < 8 && tries < 1000; tries++) {
        char longer[TEXT_MAX * 2], pass[TEXT_MAX];
        pipeline_of((size_t)rng_range(&state, 0, passes() - 1), pass);
        (void)snprintf(longer, sizeof longer, "%s%s%s", text, text[0] == '\0' ? "" : ",", pass);
        if (aic_passes_check(longer) == AIC_OK) { /* of one level */
            (void)snprintf(text, sizeof text, "%.*s", TEXT_MAX - 1, longer);
            taken++;
        }
    }
    check_pipeline(text, (size_t)_i);
}
END_TEST

static const char *const good[] = {
    "",
    "default<O2>,function(gvn)",
    "module(cgscc(inline,function(instcombine,loop(loop-rotate),loop-mssa(licm,indvars),dse)),globaldce)",
    "instcombine,loop-simplify,loop(loop-rotate,loop(indvars)),sroa<modify-cfg>",
    "licm,loop-rotate",
    "function<eager-inv>(verify),verify",
};

START_TEST(pipelines_are_read)
{
    char text[TEXT_MAX];
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        check_pipeline(good[i], i);
    }
    ck_assert_int_eq(aic_passes_check(NULL), AIC_OK);
    memset(text, 0, sizeof text);
    for (int i = 0; i < 100; i++) {
        (void)strcat(text, i == 0 ? "gvn" : ",gvn");
    }
    ck_assert_int_eq(aic_passes_check(text), AIC_OK);
}
END_TEST

/* A pipeline and what the message says. */
static const struct {
    const char *text, *message;
} bad[] = {
    {"no-such-pass", "\"no-such-pass\""},
    {"gvn,no-such-pass", "\"no-such-pass\""},
    {"function(codegenprepare)", "\"codegenprepare\""},
    {"codegenprepare", "\"codegenprepare\""},
    {"dot-cfg", "\"dot-cfg\""},
    {"function(dot-dom-only)", "\"dot-dom-only\""},
    {"dot-callgraph", "\"dot-callgraph\""},
    {"view-cfg", "\"view-cfg\""},
    {"print", "\"print\""},
    {"print<domtree>", "\"print<domtree>\""},
    {"extract-blocks", "\"extract-blocks\""},
    {"insert-gcov-profiling", "\"insert-gcov-profiling\""},
    {"pgo-instr-gen", "\"pgo-instr-gen\""},
    {"asan", "\"asan\""},
    {"msan", "\"msan\""},
    {"tsan", "\"tsan\""},
    {"trigger-crash-module", "\"trigger-crash-module\""},
    {"internalize,globaldce", "\"internalize\""},
    {"default<O0>", "\"default<O0>\""},
    {"default<O9>", "\"default<O9>\""},
    {"lto<O2>", "\"lto<O2>\""},
    {"require<domtree>", "\"require<domtree>\""},
    {"repeat<1000000>(gvn)", "\"repeat<1000000>\""},
    {"loop-unroll<full-unroll-max=4000000000>", "\"loop-unroll<full-unroll-max=4000000000>\""},
    {"instcombine<", "\"instcombine<\""},
    {"GVN", "\"GVN\""},
    {" gvn", "\" gvn\""},
    {"gv", "\"gv\""},
    {"gvn2", "\"gvn2\""},
    {",", "\"\""},
    {"gvn,", "\"\""},
    {"gvn,,dse", "\"\""},
    {"function()", "\"\""},
    {"()", "\"\""},
    {")", "\"\""},
    {"function", "\"function\" wants a pipeline"},
    {"function,gvn", "\"function\" wants a pipeline"},
    {"gvn(dse)", "\"gvn\" takes no pipeline"},
    {"function(gvn", "closing parenthesis"},
    {"function(gvn))", "column 14"},
    {"gvn)", "column 4"},
    {"function(gvn)dse", "column 14"},
    {"globaldce,gvn", "\"gvn\" may not stand"},
    {"gvn,globaldce", "\"globaldce\" may not stand"},
    {"function(inline)", "\"inline\" may not stand"},
    {"function(indvars)", "\"indvars\" may not stand"},
    {"loop(licm)", "\"licm\" may not stand"}, /* LLVM would end the process */
    {"loop-rotate,licm", "\"licm\" may not stand"},
    {"licm,loop-unroll-full", "\"loop-unroll-full\" may not stand"},
    {"loop(gvn)", "\"gvn\" may not stand"},
    {"function(module(globaldce))", "\"module\" may not stand"},
    {"gvn,function<eager-inv>(gvn)", "\"function<eager-inv>\" may not stand"},
    {"function(function<eager-inv>(gvn))", "\"function<eager-inv>\" may not stand"},
    {"function(function(function(function(function(function(function(function(gvn))))))))", "deeper than 8"},
};

enum { BADS = sizeof bad / sizeof bad[0] };

START_TEST(others_are_refused)
{
    for (size_t i = 0; i < BADS; i++) {
        aic_context_options options = aic_context_options_init();
        aic_context *context = NULL;
        options.passes = bad[i].text;
        ck_assert_msg(aic_context_create(&options, &context) == AIC_INVALID_ARGUMENT, "%s", bad[i].text);
        ck_assert_msg(strstr(aic_last_error(), bad[i].message) != NULL, "%s: %s", bad[i].text, aic_last_error());
        ck_assert_ptr_null(context);
    }
    static char text[1 << 20];
    memset(text, '(', sizeof text - 1);
    ck_assert_int_eq(aic_passes_check(text), AIC_INVALID_ARGUMENT);
    memset(text, 'a', sizeof text - 1);
    ck_assert_int_eq(aic_passes_check(text), AIC_INVALID_ARGUMENT);
    for (size_t i = 0; i + 9 < sizeof text; i += 9) {
        memcpy(text + i, "function(", 9);
    }
    ck_assert_int_eq(aic_passes_check(text), AIC_INVALID_ARGUMENT);
    for (size_t i = 0; i + 4 < sizeof text; i += 4) {
        memcpy(text + i, "gvn,", 4);
    }
    ck_assert_int_eq(aic_passes_check(text), AIC_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(aic_last_error(), "more than 100"));
}
END_TEST

Suite *suite_passes(void)
{
    Suite *suite = suite_create("passes");
    TCase *results = tcase_create("results");
    tcase_set_timeout(results, 120);
    tcase_add_loop_test(results, every_accepted_pass, 0, passes());
    tcase_add_test(results, passes_with_memory_ssa);
    tcase_add_loop_test(results, mixed_pipelines, 0, PIPELINES);
    tcase_add_test(results, pipelines_are_read);
    suite_add_tcase(suite, results);
    TCase *texts = tcase_create("texts");
    tcase_add_test(texts, others_are_refused);
    suite_add_tcase(suite, texts);
    return suite;
}
