/* From a request to IR, assembly or an object. */
#include "codegen/codegen.h"
#include "codegen/answers.h"
#include "codegen/kernel.h"
#include "codegen/listing.h"
#include "codegen/llvm/guard.h"
#include "codegen/llvm/shim.h"
#include "codegen/parts.h"
#include "codegen/plan.h"
#include "codegen/run.h"
#include "codegen/shape.h"
#include "frontend/core/diag.h"
#include "frontend/core/key.h"
#include "frontend/core/spec.h"
#include "frontend/text/sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t aic_codegen_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* One run of the generator; lives on the caller's side of the guard. */
typedef struct job {
    const aic_codegen_request *request;
    const aic_kernel_plan *plan;
    aic_dump_stage stage;
    aic_notes *notes;           /* of stages that are read; NULL: nobody reads it */
    bool divided;               /* what is emitted: into a module compiled fast and one compiled well */
    bool linked;                /* parts are linked to what is emitted */
    const aic_program *program; /* what is emitted */
    char *bytes;                /* result */
    size_t size;
    char *hot_bytes; /* of the second module, where it is divided */
    size_t hot_size;
    uint64_t emit_ns, codegen_ns;
    bool failed;        /* set by LLVM's diagnostics */
    aic_emit_into emit; /* of aic_codegen_run(); NULL: the plan's kernel is emitted */
    void *user;
} job;

/* The module as text, LLVM's; NULL, with a message, where memory cannot be had. */
static char *print_module(LLVMModuleRef module)
{
    char *text = LLVMPrintModuleToString(module);
    if (text == NULL) {
        (void)aic_fail(AIC_OUT_OF_MEMORY, "codegen", "memory for the printed module cannot be had");
    }
    return text;
}

/* Keeps the printed module for people. */
static aic_status keep_ir(job *j, LLVMModuleRef module, const char *printed, const char *stage)
{
    const aic_listing listing = {.request = j->request,
                                 .plan = j->plan,
                                 .notes = j->notes,
                                 .triple = LLVMGetTarget(module),
                                 .stage = stage,
                                 .program = j->program};
    return aic_listing_print(&listing, printed, &j->bytes, &j->size);
}

/* Stage IR, or OPT after the passes, which may be none. */
static aic_status lower_to_ir(job *j, LLVMModuleRef module, LLVMTargetMachineRef machine)
{
    const char *passes = j->request->passes;
    const char *stage = j->stage == AIC_DUMP_IR ? "This is stage ir: the code as emitted."
                        : passes != NULL        ? "This is stage opt: the code after the pass pipeline."
                                                : "This is stage opt, which equals stage ir: no passes are run.";
    char *before = print_module(module), *after = before;
    aic_status status = before == NULL ? AIC_OUT_OF_MEMORY : AIC_OK;
    if (status == AIC_OK && j->stage == AIC_DUMP_OPT && passes != NULL) {
        status = aic_llvm_run_passes(module, machine, passes);
        after = status == AIC_OK ? print_module(module) : before;
        status = after == NULL ? AIC_OUT_OF_MEMORY : status;
        if (status == AIC_OK && strcmp(before, after) == 0) {
            stage = "This is stage opt, which equals stage ir: the passes change nothing.";
        }
    }
    if (status == AIC_OK) {
        status = keep_ir(j, module, after, stage);
    }
    if (after != before) {
        LLVMDisposeMessage(after);
    }
    LLVMDisposeMessage(before);
    return status;
}

static aic_status keep_machine_code(const job *j, LLVMModuleRef module, LLVMTargetMachineRef machine, char **bytes,
                                    size_t *size)
{
    LLVMMemoryBufferRef buffer;
    aic_status status =
        aic_llvm_emit(module, machine, j->stage == AIC_DUMP_ASM ? LLVMAssemblyFile : LLVMObjectFile, &buffer);
    if (status != AIC_OK) {
        return status;
    }
    if (!j->failed) {
        status = aic_llvm_keep(buffer, bytes, size);
    }
    LLVMDisposeMemoryBuffer(buffer);
    return j->failed ? AIC_COMPILE : status;
}

/* What a kernel is emitted into: one module, or one of frames and one of what is hot, each with its machine. Frames are
 * as much code as what is hot, and to compile them well takes the longer time. */
enum { FRAMES, HOT, MODULES };
typedef struct modules {
    LLVMContextRef context;
    size_t count;
    LLVMModuleRef module[MODULES];
    LLVMTargetMachineRef machine[MODULES];
    bool fast[MODULES]; /* the machine */
} modules;

/* Whether it defines any. */
static bool has_functions(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);
    while (function != NULL && LLVMIsDeclaration(function)) {
        function = LLVMGetNextFunction(function);
    }
    return function != NULL;
}

static aic_status lower(job *j, const modules *m)
{
    uint64_t start = aic_codegen_now();
    aic_status status = AIC_OK;
    if (j->stage == AIC_DUMP_IR || j->stage == AIC_DUMP_OPT) {
        status = lower_to_ir(j, m->module[FRAMES], m->machine[FRAMES]);
    } else {
        status = aic_llvm_run_passes(m->module[FRAMES], m->machine[FRAMES], j->request->passes);
        if (status == AIC_OK && (!j->linked || has_functions(m->module[FRAMES]))) {
            status = keep_machine_code(j, m->module[FRAMES], m->machine[FRAMES], &j->bytes, &j->size);
        }
        if (status == AIC_OK && j->divided && has_functions(m->module[HOT])) {
            status = keep_machine_code(j, m->module[HOT], m->machine[HOT], &j->hot_bytes, &j->hot_size);
        }
    }
    j->codegen_ns = aic_codegen_now() - start;
    return status;
}

/* Emits the program, for a reader with the names of its operands. */
static aic_status emit_program(const job *j, aic_emit *e)
{
    const char *names[AIC_OPERANDS_MAX];
    aic_operand operands[AIC_OPERANDS_MAX];
    const aic_plan *plan = j->plan->plan[0];
    aic_emission emission = {.program = j->program, .symbol = j->request->symbol, .linked = j->linked};
    if (j->plan->count == 1) {
        const size_t count = aic_spec_operands_of(plan->problem.spec, plan->problem.semantics, operands);
        for (size_t i = 0; i < count; i++) {
            names[i] = operands[i].name;
        }
        emission.operand = names;
    }
    emission.function = calloc(j->program->parts + 1, sizeof *emission.function);
    if (emission.function == NULL) {
        return aic_fail_memory("codegen", j->program->parts * sizeof *emission.function);
    }
    aic_program_emit(e, &emission);
    free(emission.function);
    return AIC_OK;
}

static aic_status emit_modules(job *j, const modules *m)
{
    uint64_t start = aic_codegen_now();
    aic_status status = AIC_OK;
    if (j->emit != NULL) {
        j->emit(j->user, m->context, m->module[FRAMES]);
    } else {
        aic_emit emit;
        aic_emit_open(&emit, m->context, m->module[FRAMES], j->request->target, j->notes);
        if (j->divided) {
            aic_emit_divide(&emit, m->module[HOT]);
        }
        emit.unwind = j->request->unwind;
        emit.own_machine = j->stage == AIC_DUMP_ASM || j->stage == AIC_DUMP_OBJ; /* else it is text for any program */
        status = emit_program(j, &emit);
        aic_emit_close(&emit);
    }
    if (status == AIC_OK && j->notes != NULL && j->notes->failed) {
        status = aic_fail_memory("dump", sizeof *j->notes->note);
    }
    for (size_t i = 0; i < m->count && status == AIC_OK; i++) {
        status = aic_llvm_verify(m->module[i]);
    }
    j->emit_ns = aic_codegen_now() - start;
    return status;
}

/* A further module. Whatever the status, the modules are to be closed. */
static aic_status add_module(const job *j, modules *m, bool fast)
{
    const aic_codegen_request *request = j->request;
    LLVMTargetMachineRef *machine = &m->machine[m->count];
    aic_status status = request->triple == NULL ? aic_llvm_machine_take(request->target, fast, machine)
                                                : aic_llvm_machine(request->target, request->triple, fast, machine);
    if (status != AIC_OK) {
        return status;
    }
    m->fast[m->count] = fast;
    m->module[m->count] = LLVMModuleCreateWithNameInContext(request->symbol, m->context);
    m->count++;
    return aic_llvm_prepare(m->module[m->count - 1], m->machine[m->count - 1]);
}

static void close_modules(const job *j, const modules *m)
{
    for (size_t i = 0; i < m->count; i++) {
        LLVMDisposeModule(m->module[i]);
        if (j->request->triple == NULL) {
            aic_llvm_machine_give(j->request->target, m->fast[i], m->machine[i]);
        } else {
            LLVMDisposeTargetMachine(m->machine[i]);
        }
    }
    LLVMContextDispose(m->context);
}

static aic_status run_job(void *argument)
{
    job *j = argument;
    modules m = {.context = aic_llvm_context(&j->failed)};
    aic_status status = add_module(j, &m, j->divided);
    if (status == AIC_OK && j->divided) {
        status = add_module(j, &m, false);
    }
    if (status == AIC_OK) {
        status = emit_modules(j, &m);
    }
    if (status == AIC_OK) {
        status = lower(j, &m);
    }
    close_modules(j, &m);
    return status;
}

enum { KINDS = AIC_DUMP_OBJ + 4 }; /* stages, what others emit, kernels in several parts, those parts */

/* What LLVM makes lazily differs by architecture, stage and whether passes run. */
static unsigned kind_of(const job *j)
{
    enum { STAGES = AIC_DUMP_OBJ + 1 };
    const bool passes = j->request->passes != NULL;
    enum { OTHERS = STAGES, DIVIDED };
    /* What others emit has inline assembly. */
    const unsigned stage = j->emit != NULL ? OTHERS : j->divided ? DIVIDED : (unsigned)j->stage;
    return ((unsigned)j->request->target->arch * KINDS + stage) * 2 + passes;
}

unsigned aic_codegen_part_kind(const aic_target *target, bool fast)
{
    return ((unsigned)target->arch * KINDS + KINDS - 1) * 2 + fast;
}

/* ---- plans of a request ---- */

/* Plans of all specifications, equal ones once, and the request's list of them. */
typedef struct plans {
    aic_plan *own[AIC_GROUP_MAX];
    aic_plan *list[AIC_GROUP_MAX];
    size_t count;
} plans;

static void free_plans(plans *p)
{
    for (size_t i = 0; i < p->count; i++) {
        aic_plan_free(p->own[i]);
    }
}

static aic_status make_plans(const aic_codegen_request *request, plans *p)
{
    *p = (plans){.count = 0};
    for (size_t i = 0; i < request->count; i++) {
        size_t equal = 0;
        while (!aic_spec_equal(&request->spec[equal], &request->spec[i])) {
            equal++;
        }
        if (equal == i) {
            const aic_problem problem = aic_codegen_problem(request, i);
            aic_status status = aic_codegen_plan(&problem, request->schedule, &p->own[p->count]);
            if (status != AIC_OK) {
                free_plans(p);
                return status;
            }
            p->list[i] = p->own[p->count++];
        } else {
            p->list[i] = p->list[equal];
        }
    }
    return AIC_OK;
}

/* A kernel on its way: plans and what is composed of them. */
typedef struct composed {
    plans plans;
    aic_kernel_plan plan;
    aic_program program;
} composed;

static void free_composed(composed *k)
{
    aic_program_free(&k->program);
    free_plans(&k->plans);
}

/* Plans and composes the kernel, which is to be freed whatever the status is. */
static aic_status compose(const aic_codegen_request *request, composed *k)
{
    *k = (composed){.program = {.status = AIC_OK}};
    aic_status status = make_plans(request, &k->plans);
    if (status != AIC_OK) {
        k->plans.count = 0;
        return status;
    }
    k->plan = (aic_kernel_plan){request->count, k->plans.list};
    return aic_kernel_compose(&k->program, &k->plan, false);
}

static aic_status run_guarded(void *argument)
{
    job *j = argument;
    return aic_guard_run(kind_of(j), run_job, j);
}

/* Runs the generator up to a stage. */
static aic_status generate(job *j, const composed *k)
{
    j->plan = &k->plan;
    j->program = &k->program;
    return j->request->apart != NULL ? j->request->apart(run_guarded, j) : run_guarded(j);
}

aic_status aic_codegen_run(const aic_codegen_request *request, aic_emit_into emit, void *user, char **bytes,
                           size_t *size)
{
    job j = {.request = request, .stage = AIC_DUMP_OBJ, .emit = emit, .user = user};
    aic_status status = aic_guard_run(kind_of(&j), run_job, &j);
    if (status == AIC_OK) {
        *bytes = j.bytes;
        *size = j.size;
    }
    return status;
}

/* ---- the door ---- */

/* Whether the kernel is compiled in several parts. */
static bool is_divided(const aic_codegen_request *request)
{
    return request->divided && request->passes == NULL;
}

/* Where parts are compiled by themselves: their numbers are relocations of x86-64. */
static bool takes_parts(const aic_target *target)
{
    return target->arch == AIC_ARCH_X86_64;
}

/* Notes where parts came from. */
static aic_status list_parts(const aic_program *program, aic_object *made)
{
    made->part = calloc(program->parts, sizeof *made->part);
    if (made->part == NULL) {
        return aic_fail_memory("codegen", program->parts * sizeof *made->part);
    }
    for (size_t i = 0; i < program->parts; i++) {
        const aic_program_part *part = &program->part[i];
        if (!part->own) {
            made->part[made->parts++] = (aic_object_part){part->kind->name, part->origin, part->ns};
            made->size += part->bytes;
        }
    }
    return AIC_OK;
}

/* Links what the job has made, and the parts that the program has besides. */
static aic_status link_job(const job *j, composed *k, aic_object *made)
{
    const aic_codegen_request *request = j->request;
    const aic_elf object[MODULES] = {{j->bytes, j->size}, {j->hot_bytes, j->hot_size}};
    aic_piece piece[MODULES] = {{NULL, 0}};
    aic_program_sources sources = {.target = request->target,
                                   .parts = request->parts,
                                   .make = aic_part_make,
                                   .make_several = aic_parts_make,
                                   .helpers = request->helpers,
                                   .apart = request->apart,
                                   .own = piece};
    aic_status status = AIC_OK;
    for (size_t i = 0; i < MODULES && status == AIC_OK; i++) {
        if (object[i].bytes != NULL) {
            status = aic_piece_create(&object[i], request->symbol, &piece[sources.count++]);
        }
    }
    if (status == AIC_OK) {
        status = aic_program_link(&k->program, &sources, request->symbol, &made->image);
    }
    for (size_t i = 0; i < MODULES; i++) {
        aic_piece_free(&piece[i]);
    }
    return status == AIC_OK ? list_parts(&k->program, made) : status;
}

/* Compiles own code, where there is any, and links. */
static aic_status make_divided(job *j, composed *k, aic_object *made)
{
    aic_status status = AIC_OK;
    j->linked = takes_parts(j->request->target);
    j->divided = k->plans.list[0]->work.shape->divided;
    for (size_t i = 0; i < k->program.parts; i++) {
        k->program.part[i].own |= !j->linked;
    }
    if (aic_program_has_own(&k->program)) {
        status = generate(j, k);
    }
    const uint64_t start = aic_codegen_now();
    if (status == AIC_OK) {
        status = link_job(j, k, made);
    }
    made->emit_ns += j->emit_ns;
    made->codegen_ns = j->codegen_ns + aic_codegen_now() - start;
    made->size += j->size + j->hot_size;
    free(j->bytes);
    free(j->hot_bytes);
    return status;
}

static aic_status make_whole(job *j, const composed *k, aic_object *made)
{
    aic_status status = generate(j, k);
    made->bytes = j->bytes;
    made->size = j->size;
    made->emit_ns += j->emit_ns;
    made->codegen_ns = j->codegen_ns;
    return status == AIC_OK ? aic_image_create(&(aic_elf){made->bytes, made->size}, 1, j->request->symbol, &made->image)
                            : status;
}

static aic_status object_of(const aic_codegen_request *request, aic_object *object)
{
    job j = {.request = request, .stage = AIC_DUMP_OBJ};
    composed k;
    aic_object made = {.bytes = NULL};
    const uint64_t start = aic_codegen_now();
    aic_status status = compose(request, &k);
    made.emit_ns = aic_codegen_now() - start;
    if (status == AIC_OK) {
        aic_kernel_requirements(&k.plan, &made.requirements);
        status = aic_schedule_print(&k.plans.list[0]->schedule, made.schedule, sizeof made.schedule);
    }
    if (status == AIC_OK) {
        status = is_divided(request) ? make_divided(&j, &k, &made) : make_whole(&j, &k, &made);
    }
    free_composed(&k);
    if (status == AIC_OK) {
        *object = made;
    } else {
        aic_object_free(&made);
    }
    return status;
}

aic_status aic_codegen_take_parts(const aic_codegen_request *request)
{
    const aic_program_sources sources = {.target = request->target, .parts = request->parts, .make = aic_part_make};
    composed k;
    aic_status status = compose(request, &k);
    if (status == AIC_OK) {
        status = aic_program_take(&k.program, &sources);
    }
    free_composed(&k);
    return status;
}

static aic_status dump(const aic_codegen_request *request, aic_dump_stage stage, char **bytes, size_t *size)
{
    aic_notes notes = {.count = 0};
    job j = {.request = request, .stage = stage, .notes = stage == AIC_DUMP_OBJ ? NULL : &notes};
    composed k;
    aic_status status = compose(request, &k);
    if (status == AIC_OK) {
        status = generate(&j, &k);
    }
    free_composed(&k);
    aic_notes_free(&notes);
    if (status == AIC_OK) {
        *bytes = j.bytes;
        *size = j.size;
    }
    return status;
}

/* The report on the plan, and behind it the parts of the kernel. */
static aic_status explain(const aic_problem *problem, const char *schedule, char **text)
{
    const aic_codegen_request request = {.count = 1,
                                         .spec = problem->spec,
                                         .schedule = schedule,
                                         .semantics = problem->semantics,
                                         .target = problem->target,
                                         .machine = problem->machine};
    composed k;
    size_t size;
    aic_status status = compose(&request, &k);
    *text = NULL;
    FILE *out = status == AIC_OK ? open_memstream(text, &size) : NULL;
    if (out != NULL) {
        aic_plan_report(out, k.plans.list[0]);
        aic_program_print(out, &k.program, "kernel", "");
        status = aic_stream_end(out, text) ? AIC_OK : aic_fail_memory("explain", 0);
    } else if (status == AIC_OK) {
        status = aic_fail_memory("explain", 0);
    }
    free_composed(&k);
    return status;
}

const aic_generator_api *aic_generator_linked(void)
{
    static const aic_generator_api LINKED = {
        .plan = aic_answer_plan,
        .candidate = aic_answer_candidate,
        .object = object_of,
        .dump = dump,
        .explain = explain,
        .facts = aic_answer_facts,
        .space = aic_answer_space,
        .packer = aic_answer_packer,
        .bundle = aic_bundle_create,
    };
    return &LINKED;
}
