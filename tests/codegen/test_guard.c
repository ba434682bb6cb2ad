/* LLVM's ways of ending the process, each provoked for real: they must come back as statuses, and the next request must
 * work. */
#include "codegen/llvm/guard.h"
#include "codegen/llvm/shim.h"
#include "codegen/llvm/vec.h"
#include "codegen/run.h"
#include "codegen/target/host.h"
#include "tests/guard_case.h"
#include "tests/levels.h"

#include <aic/aic.h>
#include <check.h>
#include <string.h>

Suite *suite_guard(void);

START_TEST(cannot_select)
{
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(guard_fail_to_select(), AIC_COMPILE);
        ck_assert_msg(strstr(aic_last_error(), "annot select") != NULL, "%s", aic_last_error());
        ck_assert_int_eq(guard_dump(), AIC_OK);
    }
}
END_TEST

/* Arguments of an intrinsic as vectors of other elements than its own. */
static aic_status multiply_bytes(void *argument)
{
    const aic_target *target = aic_target_find(AIC_ARCH_X86_64, "sse2");
    aic_emit e;
    LLVMContextRef context = aic_llvm_context(argument);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("bytes", context);
    aic_emit_open(&e, context, module, target, NULL);
    aic_emit_function(&e, "bytes", AIC_EMIT_ENTRY, (const char *const[]){"p"}, 1, 0);
    LLVMTypeRef own = aic_vector(e.i16, 8);
    const LLVMTypeRef other = aic_vector(e.i8, 16);
    LLVMValueRef p = aic_emit_param(&e, 0), args[] = {aic_load(&e, other, p, 0, 1), aic_load(&e, own, p, 16, 1)};
    LLVMValueRef product = aic_emit_intrinsic(&e, "llvm.x86.sse2.pmadd.wd", NULL, 0, args, 2);
    ck_assert(LLVMTypeOf(args[0]) == own && LLVMTypeOf(args[1]) == own);
    aic_store(&e, product, p, 0, 1);
    aic_emit_function_end(&e);
    aic_emit_close(&e);
    const aic_status status = aic_llvm_verify(module);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return status;
}

/* The types of intrinsics are not the same in all versions of LLVM: what is given becomes what they take. */
START_TEST(arguments_of_other_types)
{
    bool failed;
    ck_assert_msg(aic_guard_run(GUARD_KIND, multiply_bytes, &failed) == AIC_OK, "%s", aic_last_error());
}
END_TEST

static aic_status return_what_is_asked(void *argument)
{
    return *(aic_status *)argument;
}

START_TEST(body_status_is_returned)
{
    aic_status status = AIC_IO;
    ck_assert_int_eq(aic_guard_run(GUARD_KIND, return_what_is_asked, &status), AIC_IO);
    status = AIC_OK;
    ck_assert_int_eq(aic_guard_run(GUARD_KIND, return_what_is_asked, &status), AIC_OK);
}
END_TEST

/* ---- modules that are wrong ---- */

/* A function that does not end. */
static void emit_endless(void *unused, LLVMContextRef context, LLVMModuleRef module)
{
    (void)unused;
    LLVMValueRef function =
        LLVMAddFunction(module, "endless", LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0));
    (void)LLVMAppendBasicBlockInContext(context, function, "body");
}

/* Tests have every module verified, whatever the build is. */
START_TEST(malformed_module)
{
    const aic_codegen_request request = {.target = aic_target_find(AIC_ARCH_X86_64, "sse2"), .symbol = "endless"};
    char *bytes = NULL;
    size_t size = 0;
    ck_assert_int_eq(aic_codegen_run(&request, emit_endless, NULL, &bytes, &size), AIC_COMPILE);
    ck_assert_msg(strstr(aic_last_error(), "the emitted IR is malformed") != NULL, "%s", aic_last_error());
    ck_assert_int_eq(guard_dump(), AIC_OK);
}
END_TEST

static aic_status verify_malformed(void *unused)
{
    bool failed;
    LLVMContextRef context = aic_llvm_context(&failed);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("endless", context);
    emit_endless(unused, context, module);
    const aic_status status = aic_llvm_verify(module);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return status;
}

/* Where nobody asks for it, modules are taken as they are. */
START_TEST(unverified_module)
{
    aic_llvm_verify_modules(false);
    ck_assert_int_eq(aic_guard_run(GUARD_KIND, verify_malformed, NULL), AIC_OK);
    aic_llvm_verify_modules(true);
    ck_assert_int_eq(aic_guard_run(GUARD_KIND, verify_malformed, NULL), AIC_COMPILE);
}
END_TEST

/* A function of a kind with a loop that carries a value. */
typedef struct carrying {
    const aic_target *target;
    aic_emit_kind kind;
    bool vector; /* else a word */
} carrying;

static void emit_carrying(void *user, LLVMContextRef context, LLVMModuleRef module)
{
    const carrying *c = user;
    aic_emit e;
    aic_loop loop;
    aic_emit_open(&e, context, module, c->target, NULL);
    aic_emit_function(&e, "kernel", c->kind, (const char *const[]){"out", "count"}, 1, 1);
    LLVMValueRef carried[] = {aic_int(&e, 0), c->vector ? aic_zero(aic_vector(e.i32, 4)) : aic_int(&e, 0)};
    aic_loop_begin(&e, &loop, "word: words", aic_int(&e, 0), aic_emit_param(&e, 1), 1, carried, 2);
    carried[1] = LLVMBuildNot(e.builder, carried[1], "");
    aic_loop_end(&e, &loop);
    aic_store(&e, carried[1], aic_emit_param(&e, 0), 0, 8);
    aic_emit_function_end(&e);
    aic_emit_close(&e);
}

static aic_status emit_carried(aic_emit_kind kind, bool vector)
{
    carrying c = {aic_target_find(AIC_ARCH_X86_64, "sse2"), kind, vector};
    const aic_codegen_request request = {.target = c.target, .symbol = "kernel"};
    char *bytes = NULL;
    size_t size = 0;
    guard_loses(true);
    const aic_status status = aic_codegen_run(&request, emit_carrying, &c, &bytes, &size);
    guard_loses(false);
    aic_free(bytes);
    return status;
}

/* Loops of entries and frames carry no vectors, which would go through memory in every iteration: tests find those that
 * do, other processes take them as they are. Code that a rule has compiled fast, and what is compiled well, may. */
START_TEST(carried_vectors)
{
    static const aic_emit_kind KINDS[] = {AIC_EMIT_ENTRY, AIC_EMIT_FRAME, AIC_EMIT_SELDOM, AIC_EMIT_HOT};
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        const bool may = KINDS[i] == AIC_EMIT_SELDOM || KINDS[i] == AIC_EMIT_HOT;
        ck_assert_int_eq(emit_carried(KINDS[i], false), AIC_OK);
        ck_assert_int_eq(emit_carried(KINDS[i], true), may ? AIC_OK : AIC_INTERNAL);
        ck_assert(may || strstr(aic_last_error(), "1 vectors that code compiled fast carries through the loop "
                                                  "\"word: words\"") != NULL);
    }
    aic_llvm_verify_modules(false);
    ck_assert_int_eq(emit_carried(AIC_EMIT_FRAME, true), AIC_OK);
    aic_llvm_verify_modules(true);
}
END_TEST

/* A function of an instruction that there is not. */
static void emit_no_instruction(void *unused, LLVMContextRef context, LLVMModuleRef module)
{
    static char text[] = "aicjit_is_no_instruction";
    (void)unused;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, 0);
    LLVMValueRef function = LLVMAddFunction(module, "wrong", type);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, "body"));
    LLVMValueRef assembly =
        LLVMGetInlineAsm(type, text, sizeof text - 1, text, 0, true, false, LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(builder, type, assembly, NULL, 0, "");
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
}

/* A function that does nothing. */
static void emit_nothing(void *unused, LLVMContextRef context, LLVMModuleRef module)
{
    emit_endless(unused, context, module);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMGetLastBasicBlock(LLVMGetFirstFunction(module)));
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
}

/* Of a pipeline of passes, LLVM would not take an empty text for none. */
START_TEST(empty_pipeline)
{
    static const char *const PASSES[] = {NULL, "", "instcombine"};
    for (size_t i = 0; i < sizeof PASSES / sizeof PASSES[0]; i++) {
        const aic_codegen_request request = {
            .target = aic_target_find(AIC_ARCH_X86_64, "sse2"), .symbol = "nothing", .passes = PASSES[i]};
        char *bytes = NULL;
        size_t size = 0;
        ck_assert_msg(aic_codegen_run(&request, emit_nothing, NULL, &bytes, &size) == AIC_OK, "%s", aic_last_error());
        ck_assert_uint_gt(size, 0);
        aic_free(bytes);
    }
}
END_TEST

/* What LLVM only tells its diagnostic handler, and goes on, comes back as a status, too. */
START_TEST(wrong_assembly)
{
    const aic_codegen_request request = {.target = aic_target_find(AIC_ARCH_X86_64, "sse2"), .symbol = "wrong"};
    char *bytes = NULL;
    size_t size = 0;
    ck_assert_int_eq(aic_codegen_run(&request, emit_no_instruction, NULL, &bytes, &size), AIC_COMPILE);
    ck_assert_msg(strstr(aic_last_error(), "aicjit_is_no_instruction") != NULL, "%s", aic_last_error());
    ck_assert_ptr_null(bytes);
    ck_assert_int_eq(guard_dump(), AIC_OK);
}
END_TEST

START_TEST(no_such_architecture)
{
    const aic_codegen_request request = {
        .target = aic_target_find(AIC_ARCH_X86_64, "sse2"), .symbol = "wrong", .triple = "m68k-unknown-linux-gnu"};
    char *bytes = NULL;
    size_t size = 0;
    ck_assert_int_eq(aic_codegen_run(&request, emit_endless, NULL, &bytes, &size), AIC_COMPILE);
    ck_assert_msg(strstr(aic_last_error(), "m68k-unknown-linux-gnu") != NULL, "%s", aic_last_error());
    ck_assert_int_eq(guard_dump(), AIC_OK);
}
END_TEST

/* ---- machines of LLVM ---- */

/* A machine that was given back is used again, for what it was made for and by one at a time; more than there is room
 * for are done without. */
START_TEST(machines_are_used_again)
{
    enum { HELD = 6 };
    const aic_target *target = aic_target_find(aic_host_arch(), levels_name(0));
    LLVMTargetMachineRef machine[HELD], other;
    for (int i = 0; i < HELD; i++) {
        ck_assert_int_eq(aic_llvm_machine_take(target, false, &machine[i]), AIC_OK);
        for (int k = 0; k < i; k++) {
            ck_assert_ptr_ne(machine[k], machine[i]);
        }
    }
    aic_llvm_machine_give(target, false, machine[0]);
    ck_assert_int_eq(aic_llvm_machine_take(target, true, &other), AIC_OK);
    ck_assert_ptr_ne(other, machine[0]);
    aic_llvm_machine_give(target, true, other);
    ck_assert_int_eq(aic_llvm_machine_take(target, false, &other), AIC_OK);
    ck_assert_ptr_eq(other, machine[0]);
    for (int i = 0; i < HELD; i++) {
        aic_llvm_machine_give(target, false, machine[i]);
    }
    for (int i = 0; i < HELD; i++) {
        ck_assert_int_eq(aic_llvm_machine_take(target, false, &machine[i]), AIC_OK);
        for (int k = 0; k < i; k++) {
            ck_assert_ptr_ne(machine[k], machine[i]);
        }
    }
    for (int i = 0; i < HELD; i++) {
        LLVMDisposeTargetMachine(machine[i]);
    }
}
END_TEST

Suite *suite_guard(void)
{
    Suite *suite = suite_create("guard");
    TCase *faults = tcase_create("faults");
    tcase_set_timeout(faults, 60);
    tcase_add_checked_fixture(faults, guard_setup, NULL);
    tcase_add_test(faults, cannot_select);
    tcase_add_test(faults, malformed_module);
    tcase_add_test(faults, unverified_module);
    tcase_add_test(faults, carried_vectors);
    tcase_add_test(faults, wrong_assembly);
    tcase_add_test(faults, no_such_architecture);
    tcase_add_test(faults, arguments_of_other_types);
    tcase_add_test(faults, empty_pipeline);
    tcase_add_test(faults, body_status_is_returned);
    tcase_add_test(faults, machines_are_used_again);
    suite_add_tcase(suite, faults);
    return suite;
}
