/* The only file that knows LLVM's versions and turns LLVMErrorRef into statuses. */
#include "codegen/llvm/shim.h"
#include "codegen/llvm/load.h"
#include "frontend/core/diag.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Consumes `error`; AIC_OK when there is none, else `status` with LLVM's message behind "LLVM: what: ". */
static aic_status status_of(aic_status status, const char *what, LLVMErrorRef error)
{
    if (error == NULL) {
        return AIC_OK;
    }
    char *message = LLVMGetErrorMessage(error);
    status = aic_fail(status, "LLVM", "%s: %s", what, message);
    LLVMDisposeErrorMessage(message);
    return status;
}

static aic_status fail_with_message(const char *what, char *message)
{
    aic_status status = aic_fail(AIC_COMPILE, "LLVM", "%s: %s", what, message != NULL ? message : "no reason given");
    LLVMDisposeMessage(message);
    return status;
}

/* Without a handler an error in inline assembly or an unsupported construct would print and exit. */
static void collect_diagnostic(LLVMDiagnosticInfoRef info, void *failed)
{
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) {
        return;
    }
    char *message = LLVMGetDiagInfoDescription(info);
    aic_fail(AIC_COMPILE, "LLVM", "%s", message != NULL ? message : "no reason given");
    LLVMDisposeMessage(message);
    *(bool *)failed = true;
}

LLVMContextRef aic_llvm_context(bool *failed)
{
    LLVMContextRef context = LLVMContextCreate();
    *failed = false;
    LLVMContextSetDiagnosticHandler(context, collect_diagnostic, failed);
    return context;
}

static void start_x86(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser(); /* inline assembly */
}

static void start_aarch64(void)
{
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
}

/* Starts LLVM for one architecture: starting those that are not used would only fault in their pages. The first run of
 * a kind is alone in the guard, and a kind has one architecture: no lock is needed. */
static void start_target(aic_arch arch)
{
    static void (*const start[])(void) = {[AIC_ARCH_X86_64] = start_x86, [AIC_ARCH_AARCH64] = start_aarch64};
    static bool started[sizeof start / sizeof start[0]];
    if (!started[arch]) {
        start[arch]();
        started[arch] = true;
    }
}

/* The machine of a triple of four words. */
static aic_status make_machine(const aic_target *target, const char *triple, bool fast, LLVMTargetMachineRef *machine)
{
    LLVMTargetRef llvm_target;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(triple, &llvm_target, &message)) {
        return fail_with_message(triple, message);
    }
    *machine = LLVMCreateTargetMachine(llvm_target, triple, aic_target_cpu(target), target->features,
                                       fast ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                       LLVMCodeModelSmall);
    return *machine != NULL ? AIC_OK : aic_fail(AIC_COMPILE, "LLVM", "no target machine for %s", triple);
}

aic_status aic_llvm_machine(const aic_target *target, const char *triple, bool fast, LLVMTargetMachineRef *machine)
{
    start_target(target->arch);
    /* "x86_64-linux-gnu": without this LLVM takes linux for the vendor and gnu for the system. */
    char *normal = LLVMNormalizeTargetTriple(triple != NULL ? triple : aic_target_triple(target->arch));
    if (normal == NULL) { /* its copy could not be allocated */
        return aic_fail(AIC_OUT_OF_MEMORY, "LLVM", "memory for the target triple cannot be had");
    }
    aic_status status = make_machine(target, normal, fast, machine);
    LLVMDisposeMessage(normal);
    return status;
}

/* Slots for machines that nobody uses. A thread that finds a slot FULL, or EMPTY to put a machine there, has it alone
 * as long as it is HELD. A thread that leaves by a jump of the guard does not give its machine back. */
enum { EMPTY, HELD, FULL };
typedef struct idle_machine {
    atomic_int state;
    const aic_target *target;
    bool fast;
    LLVMTargetMachineRef machine;
} idle_machine;

static idle_machine idle[4];

static bool hold(idle_machine *slot, int state)
{
    return atomic_compare_exchange_strong(&slot->state, &state, HELD);
}

enum { IDLE_MACHINES = sizeof idle / sizeof idle[0] };

aic_status aic_llvm_machine_take(const aic_target *target, bool fast, LLVMTargetMachineRef *machine)
{
    for (size_t i = 0; i < IDLE_MACHINES; i++) {
        idle_machine *slot = &idle[i];
        if (!hold(slot, FULL)) {
            continue;
        }
        const bool fits = slot->target == target && slot->fast == fast;
        *machine = slot->machine;
        atomic_store(&slot->state, fits ? EMPTY : FULL);
        if (fits) {
            return AIC_OK;
        }
    }
    return aic_llvm_machine(target, NULL, fast, machine);
}

void aic_llvm_machine_give(const aic_target *target, bool fast, LLVMTargetMachineRef machine)
{
    for (size_t i = 0; i < IDLE_MACHINES; i++) {
        idle_machine *slot = &idle[i];
        if (hold(slot, EMPTY)) {
            slot->target = target;
            slot->fast = fast;
            slot->machine = machine;
            atomic_store(&slot->state, FULL);
            return;
        }
    }
    LLVMDisposeTargetMachine(machine);
}

aic_status aic_llvm_prepare(LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    char *triple = LLVMGetTargetMachineTriple(machine);
    if (triple == NULL) { /* its copy could not be allocated */
        return aic_fail(AIC_OUT_OF_MEMORY, "LLVM", "memory for the target triple cannot be had");
    }
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetTarget(module, triple);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    LLVMDisposeMessage(triple);
    return AIC_OK;
}

#ifdef NDEBUG
static atomic_bool verifies = false;
#else
static atomic_bool verifies = true;
#endif

void aic_llvm_verify_modules(bool all)
{
    atomic_store(&verifies, all);
}

bool aic_llvm_verifies(void)
{
    return atomic_load_explicit(&verifies, memory_order_relaxed); /* relaxed: nothing else depends on it */
}

aic_status aic_llvm_verify(LLVMModuleRef module)
{
    char *message = NULL;
    if (!aic_llvm_verifies()) {
        return AIC_OK;
    }
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {
        return fail_with_message("the emitted IR is malformed", message);
    }
    LLVMDisposeMessage(message);
    return AIC_OK;
}

aic_status aic_llvm_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, const char *passes)
{
    if (passes == NULL || *passes == '\0') {
        return AIC_OK;
    }
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, machine, options);
    LLVMDisposePassBuilderOptions(options);
    return status_of(AIC_INVALID_ARGUMENT, "passes", error);
}

aic_status aic_llvm_emit(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMCodeGenFileType type,
                         LLVMMemoryBufferRef *buffer)
{
    char *message = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, module, type, &message, buffer)) {
        return fail_with_message("code generation", message);
    }
    return AIC_OK;
}

aic_status aic_llvm_keep(LLVMMemoryBufferRef buffer, char **bytes, size_t *size)
{
    *size = LLVMGetBufferSize(buffer);
    *bytes = malloc(*size + 1);
    if (*bytes == NULL) {
        return aic_fail_memory("codegen", *size + 1);
    }
    memcpy(*bytes, LLVMGetBufferStart(buffer), *size);
    (*bytes)[*size] = '\0';
    return AIC_OK;
}
