/* Runs of LLVM for tests; see guard_case.h. */
#include "tests/guard_case.h"
#include "codegen/llvm/shim.h"
#include "codegen/llvm/vec.h"
#include "frontend/core/stage.h"

#include <aic/aic.h>
#include <check.h>

static aic_spec spec;

void guard_setup(void)
{
    ck_assert_int_eq(aic_spec_read("conv2d(dtype=float16, fm_shape=[2,9,9,16], kernel_shape=[2,3,3,32,16], "
                                   "pad=[1,1,1,1])",
                                   &spec),
                     AIC_OK);
}

aic_status guard_dump(void)
{
    char *bytes;
    size_t size;
    aic_status status = aic_dump(NULL, &spec, NULL, AIC_DUMP_OBJ, NULL, NULL, &bytes, &size);
    if (status == AIC_OK) {
        aic_free(bytes);
    }
    return status;
}

/* There in a build with the leak sanitizer only. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

void guard_loses(bool loses)
{
    void (*const change)(void) = loses ? __lsan_disable : __lsan_enable;
    if (change != NULL) {
        change();
    }
}

aic_status guard_run_losing(aic_status (*body)(void *argument), void *argument)
{
    guard_loses(true);
    aic_status status = aic_guard_run(GUARD_KIND, body, argument);
    guard_loses(false);
    return status;
}

/* Emits a product of SSSE3 for a target without it: instruction selection gives up. */
static aic_status select_the_impossible(void *argument)
{
    const aic_target *target = aic_target_find(AIC_ARCH_X86_64, "sse2");
    LLVMTargetMachineRef machine;
    LLVMMemoryBufferRef buffer;
    aic_emit e;
    ck_assert_int_eq(aic_llvm_machine(target, NULL, false, &machine), AIC_OK);
    LLVMContextRef context = aic_llvm_context(argument);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("impossible", context);
    ck_assert_int_eq(aic_llvm_prepare(module, machine), AIC_OK);
    aic_emit_open(&e, context, module, target, NULL);
    aic_emit_function(&e, "impossible", true, (const char *const[]){"p"}, 1, 0);
    LLVMValueRef bytes = aic_load(&e, aic_vector(e.i8, 16), aic_emit_param(&e, 0), 0, 1);
    LLVMValueRef args[] = {bytes, bytes};
    LLVMValueRef product = aic_emit_intrinsic(&e, "llvm.x86.ssse3.pmadd.ub.sw.128", NULL, 0, args, 2);
    aic_store(&e, product, aic_emit_param(&e, 0), 0, 1);
    aic_emit_function_end(&e);
    return aic_llvm_emit(module, machine, LLVMObjectFile, &buffer);
}

aic_status guard_fail_to_select(void)
{
    bool failed;
    return guard_run_losing(select_the_impossible, &failed);
}
