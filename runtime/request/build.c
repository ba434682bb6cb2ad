/* The stages that make a kernel; see build.h. pipeline.c runs them. */
#include "runtime/request/build.h"
#include "codegen/llvm/guard.h"
#include "frontend/core/choice.h"
#include "frontend/core/diag.h"
#include "frontend/core/memory.h"
#include "frontend/core/spec.h"
#include "runtime/generator/generator.h"
#include "runtime/generator/worker.h"
#include "runtime/observe/log.h"
#include "runtime/tuning/tuning.h"
#include <stddef.h>
#include <stdlib.h>

void aic_build_begin(aic_build *build, aic_context *context, const aic_request *request)
{
    memset(build, 0, offsetof(aic_build, spec));
    build->context = context;
    build->request = request;
    build->schedule = request->schedule;
    for (size_t i = 0; i < request->count; i++) {
        const aic_stage_view *view = &request->stage[i];
        if (view->stages > 0) {
            memset(&build->spec[build->count++], 0, sizeof build->spec[0]);
        }
        aic_spec *spec = &build->spec[build->count - 1];
        aic_stage *stage = &spec->stage[spec->count++];
        stage->op = view->op;
        memcpy(&stage->desc, view->desc, aic_op_get(view->op)->desc_size);
    }
}

aic_status aic_build_validate(aic_build *build)
{
    const aic_semantics *semantics = &build->context->semantics;
    aic_status status = AIC_OK;
    for (size_t i = 0; i < build->count && status == AIC_OK; i++) {
        const aic_spec given = build->spec[i];
        status = aic_spec_resolve(&given, semantics, &build->spec[i]);
        status = status == AIC_OK ? aic_choices_check(&build->spec[i], semantics) : status;
    }
    build->shown = build->spec[0];
    for (size_t i = 0; i < build->count && status == AIC_OK; i++) {
        aic_spec_canonicalise(&build->spec[i], semantics);
    }
    return status;
}

/* Puts NULL in the place of a schedule that the default rule would choose: both are the same kernel. */
static aic_status drop_default(void *argument)
{
    aic_build *build = argument;
    const aic_problem problem = aic_context_problem(build->context, &build->spec[0], build->context->target);
    aic_schedule_info info;
    aic_status status = aic_generator()->plan(&problem, build->schedule, &info);
    if (status == AIC_OK && info.is_default) {
        build->schedule = NULL;
    }
    return status;
}

aic_status aic_build_tune(aic_build *build)
{
    if (build->context->tuning == NULL || build->count > 1) {
        return AIC_OK;
    }
    if (build->schedule != NULL) {
        return aic_worker_run(drop_default, build);
    }
    aic_status status = aic_tuning_look_up(build->context, &build->spec[0], build->context->target, &build->record);
    build->schedule = build->record != NULL ? build->record->schedule : NULL;
    return status;
}

void aic_build_take_words(aic_build *build)
{
    if (build->count == 1) {
        aic_spec_take_words(&build->spec[0], &build->context->semantics, &build->words);
    }
}

aic_codegen_request aic_build_request(const aic_build *build)
{
    return (aic_codegen_request){
        .count = build->count,
        .spec = build->spec,
        .schedule = build->schedule,
        .semantics = &build->context->semantics,
        .target = build->context->target,
        .machine = build->context->machine,
        .passes = build->context->passes,
        .symbol = build->identity.symbol,
        .unwind = build->context->profile != 0,
        .divided = build->context->profile == 0 && build->context->dump_dir == NULL,
        .parts = &build->context->parts.source,
        .helpers = aic_helpers_of(build->context),
        .apart = aic_worker_apart,
    };
}

static aic_status identify(aic_build *build)
{
    const aic_codegen_request request = aic_build_request(build);
    aic_identity_free(&build->identity);
    return aic_identity_create(&request, &build->identity);
}

/* Reads the object from the disk, once. */
static bool look_on_disk(aic_build *build)
{
    const aic_context *context = build->context;
    if (!build->looked) {
        /* Dumps show what the generator makes, and profilers need parts of objects that the disk cache does not keep.
         */
        build->loaded = context->dump_dir == NULL && context->profile == 0 &&
                        aic_disk_load(&context->disk, &build->identity, &build->object);
    }
    build->looked = true;
    return build->loaded;
}

static aic_status check_record(void *argument)
{
    aic_build *build = argument;
    return aic_tuning_check(build->context, &build->spec[0], build->context->target, &build->record);
}

aic_status aic_build_identify(aic_build *build)
{
    aic_status status = identify(build);
    if (status != AIC_OK || build->record == NULL) {
        return status;
    }
    const aic_cache_key key = {build->identity.bytes, build->identity.size, build->identity.hash};
    if (aic_cache_find(&build->context->kernels, &key) != NULL || look_on_disk(build)) {
        return AIC_OK; /* its maker has checked that the schedule fits */
    }
    status = aic_worker_run(check_record, build);
    if (status == AIC_OK && build->record == NULL) {
        build->schedule = NULL;
        build->looked = false;
        status = identify(build);
    }
    return status;
}

aic_status aic_build_describe(aic_build *build)
{
    aic_status status = aic_code_create(build->spec, build->count, build->words.hidden, build->context, &build->code);
    if (status == AIC_OK) {
        memcpy(build->code->symbol, build->identity.symbol, sizeof build->code->symbol);
        status = aic_code_set_text(build->code, &build->shown);
    }
    return status;
}

bool aic_build_load(aic_build *build)
{
    const bool loaded = look_on_disk(build);
    if (loaded) {
        build->code->given = build->schedule != NULL;
        aic_code_describe(build->code, build->context, &build->object);
    }
    return loaded;
}

aic_status aic_build_object(aic_build *build)
{
    aic_codegen_request request = aic_build_request(build);
    aic_status status = aic_generator_near()->object(&request, &build->object);
    if (status == AIC_COMPILE && aic_part_cache_distrust(&build->context->parts)) {
        aic_warn("parts", "those from files are not used: %s", aic_last_error());
        status = aic_generator_near()->object(&request, &build->object);
    }
    if (status == AIC_OK) {
        build->code->given = request.schedule != NULL;
        aic_code_describe(build->code, build->context, &build->object);
        const bool kept = build->context->profile == 0 &&
                          aic_disk_store(&build->context->disk, &request, &build->identity, &build->object);
        atomic_fetch_add_explicit(&build->context->stores, kept, memory_order_relaxed); /* a statistic */
    }
    return status;
}

const char *aic_build_origin(const aic_build *build, const aic_code *code)
{
    if (build->request->schedule != NULL) {
        return aic_origin_given;
    }
    return code->given ? aic_origin_tuned : aic_origin_default;
}

/* Tells profilers and the log that there is a new kernel. */
static void publish(aic_build *build)
{
    const aic_context *context = build->context;
    aic_code *code = build->code;
    if (context->profile != 0) {
        aic_profile_add(context->profile, code, &build->object);
    }
    if (context->verbose >= 1) {
        aic_log_kernel(code, &build->shown, build->loaded);
    }
    if (context->verbose >= 2 && !build->loaded) {
        aic_log_parts(&build->object);
    }
    if ((context->log & AIC_VERBOSE_CREATE) != 0) {
        aic_log_csv(code, &(aic_log_event){.category = AIC_VERBOSE_CREATE,
                                           .outcome = build->loaded ? "loaded" : "compiled",
                                           .origin = aic_build_origin(build, code)});
    }
}

/* What the context's folder for dumps gets of a kernel. Asked for and not there is a failure: a program that reads the
 * files must not take those of an earlier kernel for them. */
static aic_status dump(const aic_build *build)
{
    const aic_context *context = build->context;
    if (context->dump_dir == NULL) {
        return AIC_OK;
    }
    const aic_codegen_request request = aic_build_request(build);
    return aic_log_dump(context, &request, &build->object);
}

aic_status aic_build_link(aic_build *build)
{
    aic_context *context = build->context;
    aic_code *code = build->code;
    aic_status status = dump(build);
    uint64_t start = aic_log_now();
    status = status == AIC_OK ? aic_code_place(code, &build->object.image) : status;
    if (status != AIC_OK) {
        return status;
    }
    code->link_ns = aic_log_now() - start;
    /* relaxed: statistics. */
    atomic_fetch_add_explicit(build->loaded ? &context->loads : &context->compiles, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&context->code_bytes, code->code_bytes, memory_order_relaxed);
    aic_count(build->loaded ? &context->counters.loaded : &context->counters.compiled, 1);
    aic_count(&context->counters.emit_ns, code->emit_ns);
    aic_count(&context->counters.codegen_ns, code->codegen_ns);
    aic_count(&context->counters.link_ns, code->link_ns);
    start = aic_log_now();
    publish(build);
    aic_count(&context->counters.publish_ns, aic_log_now() - start);
    return AIC_OK;
}

void aic_build_end(aic_build *build)
{
    aic_identity_free(&build->identity);
    aic_object_free(&build->object);
    if (build->code != NULL) {
        aic_code_release(build->code);
    }
}

/* ---- threads that make parts ---- */

enum { HELPERS_MAX = 3 }; /* a kernel has one to three large parts, which take most of the time */

typedef struct begun {
    int count;
    aic_worker worker[HELPERS_MAX];
} begun;

/* Threads that the caller may have besides its own. */
static int threads_left(aic_context *context)
{
    aic_share share = context->share;
    if (share.threads == 1 || share.parallel_for != NULL) {
        return 0;
    }
    if (atomic_load(&context->quota) != AIC_QUOTA_UNKNOWN) { /* what is not known is not looked for, as calls do */
        aic_share_limit(&share, &context->quota);
    }
    return share.threads - 1 - (int)aic_guard_inside();
}

static aic_status begin(void *user, size_t most, aic_status (*body)(void *), void *argument, void **of)
{
    int wanted = threads_left(user);
    wanted = wanted < HELPERS_MAX ? wanted : HELPERS_MAX;
    wanted = most < HELPERS_MAX && (int)most < wanted ? (int)most : wanted;
    if (wanted <= 0) {
        return AIC_OK;
    }
    begun *b = aic_memory_zeros(sizeof *b);
    if (b == NULL) {
        return aic_fail_memory("compile threads", sizeof *b);
    }
    while (b->count < wanted && aic_worker_begin(&b->worker[b->count], body, argument) == 0) {
        b->count++; /* where no more can be started, there are fewer */
    }
    *of = b;
    return AIC_OK;
}

static aic_status end(void *of)
{
    begun *b = of;
    aic_status status = AIC_OK;
    for (int i = 0; i < b->count; i++) {
        const aic_status of_thread = aic_worker_end(&b->worker[i]);
        status = status == AIC_OK ? of_thread : status;
    }
    aic_memory_free(b);
    return status;
}

aic_part_helpers aic_helpers_of(aic_context *context)
{
    return (aic_part_helpers){.begin = begin, .end = end, .user = context};
}
