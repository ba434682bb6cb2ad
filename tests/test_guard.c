/* LLVM's ways of ending the process, each provoked for real: they must come back as statuses, and the next request
 * must work. */
#include "codegen/llvm/guard.h"
#include "codegen/llvm/shim.h"
#include "codegen/llvm/vec.h"
#include "frontend/core/diag.h"
#include "tests/memory_limit.h"

#include <aic/aic.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_guard(void);

static aic_spec spec;

static void setup(void)
{
    ck_assert_int_eq(aic_spec_parse("conv2d(dtype=float16, fm_shape=[2,9,9,16], kernel_shape=[2,3,3,32,16], "
                                    "pad=[1,1,1,1])",
                                    &spec),
                     AIC_OK);
}

static aic_status dump(aic_dump_stage stage)
{
    char *bytes;
    size_t size;
    aic_status status = aic_dump(NULL, &spec, NULL, stage, NULL, NULL, &bytes, &size);
    if (status == AIC_OK) {
        aic_free(bytes);
    }
    return status;
}

/* Emits a product of SSSE3 for a target without it: instruction selection gives up. */
static aic_status select_the_impossible(void *argument)
{
    const aic_target *target = aic_target_find(AIC_ARCH_X86_64, "sse2");
    LLVMTargetMachineRef machine;
    LLVMMemoryBufferRef buffer;
    aic_emit e;
    ck_assert_int_eq(aic_llvm_machine(target, NULL, &machine), AIC_OK);
    LLVMContextRef context = aic_llvm_context(argument);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("impossible", context);
    ck_assert_int_eq(aic_llvm_prepare(module, machine), AIC_OK);
    aic_emit_open(&e, context, module, target);
    aic_emit_function(&e, "impossible", true, (const char *const[]){"p"}, 1, 0);
    LLVMValueRef bytes = aic_load(&e, aic_vector(e.i8, 16), aic_emit_param(&e, 0), 0, 1);
    LLVMValueRef args[] = {bytes, bytes};
    LLVMValueRef product = aic_emit_intrinsic(&e, "llvm.x86.ssse3.pmadd.ub.sw.128", NULL, 0, args, 2);
    aic_store(&e, product, aic_emit_param(&e, 0), 0, 1);
    aic_emit_function_end(&e);
    return aic_llvm_emit(module, machine, LLVMObjectFile, &buffer);
}

/* There in a build with the leak sanitizer only. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/* Runs it in the guard. What LLVM held when it gave up is lost by design and no leak to report. */
static aic_status fail_to_select(void)
{
    bool failed;
    if (__lsan_disable != NULL) {
        __lsan_disable();
    }
    aic_status status = aic_guard_run(select_the_impossible, &failed);
    if (__lsan_enable != NULL) {
        __lsan_enable();
    }
    return status;
}

START_TEST(cannot_select)
{
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(fail_to_select(), AIC_COMPILE);
        ck_assert_msg(strstr(aic_last_error(), "annot select") != NULL, "%s", aic_last_error());
        ck_assert_int_eq(dump(AIC_DUMP_OBJ), AIC_OK);
    }
}
END_TEST

static aic_status return_what_is_asked(void *argument)
{
    return *(aic_status *)argument;
}

START_TEST(body_status_is_returned)
{
    aic_status status = AIC_IO;
    ck_assert_int_eq(aic_guard_run(return_what_is_asked, &status), AIC_IO);
    status = AIC_OK;
    ck_assert_int_eq(aic_guard_run(return_what_is_asked, &status), AIC_OK);
}
END_TEST

#ifndef AIC_SANITIZED /* sanitizers reserve more address space than any limit leaves */

/* Codegen with _i * 64 KiB to spare works or says what is missing, and works afterwards. */
START_TEST(out_of_memory)
{
    ck_assert_int_eq(dump(AIC_DUMP_OBJ), AIC_OK); /* so that the library is loaded and its targets are set up */
    struct rlimit old = memory_limit_to((rlim_t)_i * 65536);
    aic_status status = AIC_OK;
    for (int round = 0; round < 20 && (status == AIC_OK || status == AIC_OUT_OF_MEMORY); round++) {
        status = dump(AIC_DUMP_ASM); /* what a failure loses adds up */
    }
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &old), 0); /* assertions allocate */
    ck_assert_msg(status == AIC_OK || status == AIC_OUT_OF_MEMORY, "status %d: %s", (int)status, aic_last_error());
    ck_assert_msg(dump(AIC_DUMP_OBJ) == AIC_OK, "%s", aic_last_error());
}
END_TEST

#endif

Suite *suite_guard(void)
{
    Suite *suite = suite_create("guard");
    TCase *faults = tcase_create("faults");
    tcase_set_timeout(faults, 60);
    tcase_add_checked_fixture(faults, setup, NULL);
    tcase_add_test(faults, cannot_select);
    tcase_add_test(faults, body_status_is_returned);
#ifndef AIC_SANITIZED
    tcase_add_loop_test(faults, out_of_memory, 0, 24);
#endif
    suite_add_tcase(suite, faults);
    return suite;
}
