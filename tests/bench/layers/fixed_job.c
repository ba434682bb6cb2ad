/* The fixed job of compiling: a loop over a tile of sums, as kernels have them, made by LLVM's C interface without any
 * of this library's code, for the least processor of the host's architecture. */
#include "tests/bench/layers/layers.h"
#include "tools/harness/timer.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 4, COLUMNS = 2, SUMS = ROWS * COLUMNS, STEPS = 8, LANES = 4 };

typedef struct job {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef number, vector, size;
    LLVMValueRef function;
} job;

static double processor_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* Vector number `index` behind a pointer that is an argument, `step` being a variable. */
static LLVMValueRef address(const job *j, unsigned argument, LLVMValueRef step, unsigned index)
{
    LLVMValueRef at = LLVMBuildAdd(j->builder, step, LLVMConstInt(j->size, index, 0), "");
    return LLVMBuildGEP2(j->builder, j->vector, LLVMGetParam(j->function, argument), &at, 1, "");
}

/* One element in all lanes. */
static LLVMValueRef spread(const job *j, LLVMValueRef from)
{
    LLVMValueRef value = LLVMBuildLoad2(j->builder, j->number, from, "");
    LLVMValueRef some = LLVMGetUndef(j->vector), zero = LLVMConstInt(j->size, 0, 0);
    LLVMValueRef mask = LLVMConstNull(LLVMVectorType(LLVMInt32TypeInContext(j->context), LANES));
    return LLVMBuildShuffleVector(j->builder, LLVMBuildInsertElement(j->builder, some, value, zero, ""), some, mask,
                                  "");
}

static void add_products(const job *j, LLVMValueRef step, LLVMValueRef sum[SUMS])
{
    for (unsigned k = 0; k < STEPS; k++) {
        LLVMValueRef weight[COLUMNS];
        for (unsigned c = 0; c < COLUMNS; c++) {
            weight[c] = LLVMBuildLoad2(j->builder, j->vector, address(j, 2, step, k * COLUMNS + c), "");
        }
        for (unsigned i = 0; i < SUMS; i++) {
            LLVMValueRef value = spread(j, address(j, 1, step, k * ROWS + i / COLUMNS));
            LLVMValueRef product = LLVMBuildFMul(j->builder, value, weight[i % COLUMNS], "");
            sum[i] = LLVMBuildFAdd(j->builder, sum[i], product, "");
        }
    }
}

/* void function(float *out, float *image, float *weight, int64 steps) */
static void build(job *j)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(j->context, 0);
    LLVMTypeRef types[] = {pointer, pointer, pointer, j->size};
    j->function = LLVMAddFunction(j->module, "job", LLVMFunctionType(LLVMVoidTypeInContext(j->context), types, 4, 0));
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(j->context, j->function, "");
    LLVMBasicBlockRef loop = LLVMAppendBasicBlockInContext(j->context, j->function, "");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(j->context, j->function, "");
    LLVMPositionBuilderAtEnd(j->builder, entry);
    (void)LLVMBuildBr(j->builder, loop);
    LLVMPositionBuilderAtEnd(j->builder, loop);
    LLVMValueRef step = LLVMBuildPhi(j->builder, j->size, ""), phi[SUMS], sum[SUMS];
    LLVMValueRef zero = LLVMConstNull(j->vector), start = LLVMConstNull(j->size);
    for (unsigned i = 0; i < SUMS; i++) {
        phi[i] = sum[i] = LLVMBuildPhi(j->builder, j->vector, "");
    }
    add_products(j, step, sum);
    for (unsigned i = 0; i < SUMS; i++) {
        LLVMAddIncoming(phi[i], &zero, &entry, 1);
        LLVMAddIncoming(phi[i], &sum[i], &loop, 1);
    }
    LLVMValueRef next = LLVMBuildAdd(j->builder, step, LLVMConstInt(j->size, (unsigned long long)STEPS * ROWS, 0), "");
    LLVMAddIncoming(step, &start, &entry, 1);
    LLVMAddIncoming(step, &next, &loop, 1);
    LLVMValueRef more = LLVMBuildICmp(j->builder, LLVMIntULT, next, LLVMGetParam(j->function, 3), "");
    (void)LLVMBuildCondBr(j->builder, more, loop, end);
    LLVMPositionBuilderAtEnd(j->builder, end);
    for (unsigned i = 0; i < SUMS; i++) {
        (void)LLVMBuildStore(j->builder, sum[i], address(j, 0, start, i));
    }
    (void)LLVMBuildRetVoid(j->builder);
}

static LLVMTargetMachineRef open_machine(void)
{
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
    LLVMTargetRef target;
    if (LLVMInitializeNativeTarget() != 0 || LLVMInitializeNativeAsmPrinter() != 0 ||
        LLVMGetTargetFromTriple(triple, &target, &message) != 0) {
        bench_die("LLVM's target");
    }
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(target, triple, "generic", "", LLVMCodeGenLevelDefault,
                                                           LLVMRelocPIC, LLVMCodeModelDefault);
    LLVMDisposeMessage(triple);
    return machine;
}

/* Builds the function and compiles it, once. */
static void run_job(LLVMTargetMachineRef machine)
{
    job j = {.context = LLVMContextCreate()};
    j.module = LLVMModuleCreateWithNameInContext("job", j.context);
    j.builder = LLVMCreateBuilderInContext(j.context);
    j.number = LLVMFloatTypeInContext(j.context);
    j.vector = LLVMVectorType(j.number, LANES);
    j.size = LLVMInt64TypeInContext(j.context);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetModuleDataLayout(j.module, layout);
    build(&j);
    char *message = NULL;
    LLVMMemoryBufferRef object = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, j.module, LLVMObjectFile, &message, &object) != 0) {
        bench_die("the fixed job of compiling");
    }
    LLVMDisposeMemoryBuffer(object);
    LLVMDisposeTargetData(layout);
    LLVMDisposeBuilder(j.builder);
    LLVMDisposeModule(j.module);
    LLVMContextDispose(j.context);
}

double fixed_job_ms(void)
{
    enum { RUNS = 9 };
    static LLVMTargetMachineRef machine; /* lives as long as the process */
    double sample[RUNS];
    if (machine == NULL) {
        machine = open_machine();
        run_job(machine);
    }
    for (size_t i = 0; i < RUNS; i++) {
        const double start = processor_ms();
        run_job(machine);
        sample[i] = processor_ms() - start;
    }
    return timer_median(sample, RUNS);
}
