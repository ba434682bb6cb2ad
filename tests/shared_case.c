/* Calls that several threads share; see shared_case.h. */
#include "tests/shared_case.h"
#include "frontend/core/stage.h"
#include "runtime/threads/pool.h"
#include "tests/machines.h"
#include "tests/specs.h"
#include "tools/harness/entry.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static bool share_all;

void shared_begin(void)
{
    share_all = true;
    aic_pool_suppose(AIC_POOL_ALWAYS);
    unsetenv("AIC_NUM_THREADS");
}

void shared_as_usual(void)
{
    share_all = false;
}

void shared_end(void)
{
    aic_pool_suppose(AIC_POOL_USUAL);
}

aic_context *shared_context_of(const aic_context_options *options)
{
    aic_context *context;
    ck_assert_msg(aic_context_create(options, &context) == AIC_OK, "%s", aic_last_error());
    if (share_all) {
        machine_share_from(context, 0);
    }
    return context;
}

aic_context *shared_context(int threads, const char *isa)
{
    aic_context_options options = aic_context_options_init();
    options.threads = threads;
    options.isa = isa;
    return shared_context_of(&options);
}

const char *const SHARED_ROW[SHARED_ROWS] = {
    "conv2d(dtype=int8, fm_shape=[32,64,8,32], kernel_shape=[32,1,1,96,32])",
    "conv2d(dtype=float16, fm_shape=[6,40,24,16], kernel_shape=[6,1,1,48,16], accumulate=fast)",
    ("conv2d(dtype=int8, fm_shape=[2,101,59,32], kernel_shape=[2,3,3,32,32], stride=[2,2], pad=[1,1,1,1])"
     " | fixpipe(src=int32, dst=int8, quantPre=VREQ8, reluEn=true)"),
    "mmad(dtype=int8, m=2000, k=640, n=16)",
    "mmad(dtype=int8, m=2111, k=320, n=32) | fixpipe(src=int32, dst=int8, format=NZ, quantPre=VREQ8)",
    "fixpipe(src=int32, dst=float16, nSize=480, mSize=700, srcStride=704, dstStride=480, quantPre=VDEQF16)",
    "tik_fixpipe(src=float32, dst=float16, cburst_num=4, burst_len=800, quantize_params=fp322fp16)",
    "nd2nz(dtype=int8, ndNum=2, nValue=64, dValue=64, srcDValue=64, dstNzC0Stride=64, dstNzMatrixStride=4096)",
    "load_data(dtype=int8, repeatTimes=16, srcStride=1)",
    "load_data_transpose(dtype=int8, repeatTimes=8, dstGap=1)",
    "transdata(dtype=float16, src=NCHW, dst=NC1HWC0, shape=[2,37,8,8])",
    "transdata(dtype=int8, src=NC1HWC0, dst=NHWC, shape=[1,9,37,33])",
    "tensor_arithmetic(op=BM_ADD, shape=[1,1,2,50003])",
    "tensor_arithmetic(op=BM_MIN, shape=[1,3,200,5], input1_stride=[0,1000,0,1])",
    "tensor_arithmetic_quantized(op=BM_SUB, shape=[7,3,20,32])",
    "texpands(dtype=float32, rows=64, cols=40, v_row=61, v_col=33)",
    /* adds to its output: what is done by two workers is added twice */
    "tensor_arithmetic_quantized(op=BM_MAC, shape=[22,1,1,4], output_8bit=false)",
};

void shared_case_open(verify_case *c, const char *text)
{
    verify_report report;
    const aic_spec spec = spec_of(text);
    const aic_semantics semantics = aic_semantics_init();
    ck_assert_msg(verify_open(c, &spec, &semantics, 7, &report) == VERIFY_PASSED, "%s: %s", text, report.text);
}

aic_kernel *shared_kernel(aic_context *context, const verify_case *c)
{
    aic_kernel *kernel;
    ck_assert_msg(aic_kernel_create(context, c->spec, NULL, &kernel) == AIC_OK, "%s", aic_last_error());
    return kernel;
}

int shared_threads(const aic_kernel *kernel)
{
    aic_kernel_info info = aic_kernel_info_init();
    ck_assert_int_eq(aic_kernel_get_info(kernel, &info), AIC_OK);
    return info.threads;
}

/* Puts packed images in the place of the operands that are packed; returns the image, for free(), or NULL. */
static void *pack(const aic_kernel *kernel, size_t count, void **operands)
{
    void *packed = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t bytes = 0;
        const aic_status status = aic_kernel_packed_size(kernel, i, &bytes);
        ck_assert(status == AIC_OK || status == AIC_UNSUPPORTED);
        if (status == AIC_OK) {
            packed = aligned_alloc(64, bytes);
            ck_assert_ptr_nonnull(packed);
            ck_assert_int_eq(aic_kernel_pack(kernel, i, packed, operands[i]), AIC_OK);
            operands[i] = packed;
        }
    }
    return packed;
}

void *shared_output(aic_context *context, const verify_case *c, shared_way by)
{
    const guard_buffer *old = &c->content[c->output];
    void *operands[AIC_OPERANDS_MAX], *output = malloc(old->size), *packed = NULL;
    ck_assert_ptr_nonnull(output);
    memcpy(output, old->data, old->size);
    for (size_t i = 0; i < c->count; i++) {
        operands[i] = c->content[i].data;
    }
    operands[c->output] = output;
    aic_kernel *kernel = shared_kernel(context, c);
    aic_status status = AIC_OK;
    if (by == SHARED_BY_PACKED) {
        packed = pack(kernel, c->count, operands);
        status = aic_kernel_call_packed(kernel, operands, c->count);
    } else if (by == SHARED_BY_HANDLE) {
        status = aic_kernel_call(kernel, operands, c->count);
    } else {
        status = entry_jit(context, c->spec, operands, c->count);
    }
    ck_assert_msg(status == AIC_OK, "%s", aic_last_error());
    aic_kernel_destroy(kernel);
    free(packed);
    return output;
}

void shared_check(aic_context *context, const verify_case *c, const void *expected)
{
    for (shared_way by = 0; by < SHARED_WAYS; by++) {
        verify_report report;
        void *output = shared_output(context, c, by);
        ck_assert_msg(verify_compare(c, output, "shared", &report) == VERIFY_PASSED, "%s", report.text);
        ck_assert(expected == NULL || memcmp(output, expected, c->content[c->output].size) == 0);
        free(output);
    }
}
