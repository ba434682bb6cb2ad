/* The stages that make a kernel; see build.h. pipeline.c runs them. */
#include "runtime/build.h"
#include "frontend/op.h"
#include "runtime/log.h"
#include <stdio.h>

void aic_build_begin(aic_build *build, aic_context *context, const aic_request *request)
{
    *build = (aic_build){.context = context, .request = request};
    build->spec.count = request->count;
    for (int32_t i = 0; i < request->count; i++) {
        aic_stage *stage = &build->spec.stage[i];
        stage->op = request->stage[i].op;
        memcpy(&stage->desc, request->stage[i].desc, aic_op_get(stage->op)->desc_size);
    }
}

aic_status aic_build_validate(aic_build *build)
{
    const aic_spec given = build->spec;
    aic_status status = aic_spec_resolve(&given, &build->context->semantics, &build->spec);
    build->respelled = status == AIC_OK && !aic_spec_equal(&given, &build->spec);
    return status;
}

static aic_problem problem_of(const aic_build *build)
{
    return (aic_problem){&build->spec, &build->context->semantics, build->context->target};
}

void aic_build_key_schedule(aic_key *key, const aic_schedule *schedule)
{
    uint64_t *words = key->word;
    uint32_t n = key->count;
#define AIC_FIELD(kind, name, count, need, fallback) AIC_KEY_FIELD(kind, schedule->name, count)
#include "codegen/schedule.def"
#undef AIC_FIELD
    key->count = n;
}

/* A text as one word: FNV-1a. */
static uint64_t word_of_text(const char *text)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (; text != NULL && *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    }
    return hash;
}

void aic_build_symbol(const aic_problem *problem, const aic_schedule *schedule, const char *passes,
                      char symbol[AIC_SYMBOL_MAX])
{
    const aic_spec *spec = problem->spec;
    aic_key key = {.count = 0};
    for (int32_t i = 0; i < spec->count; i++) {
        aic_key_add_stage(&key, spec->stage[i].op, &spec->stage[i].desc);
    }
    aic_build_key_schedule(&key, schedule);
    for (size_t f = 0; f < aic_semantics_record.count; f++) {
        aic_key_add(&key, aic_field_word(&aic_semantics_record.fields[f], problem->semantics, 0));
    }
    aic_key_add(&key, (uint64_t)problem->target->arch);
    aic_key_add(&key, word_of_text(problem->target->name));
    aic_key_add(&key, word_of_text(passes));

    char names[AIC_SYMBOL_MAX / 2];
    aic_spec_subject(spec, "_", names, sizeof names);
    snprintf(symbol, AIC_SYMBOL_MAX, "aic_%s_%016llx", names, (unsigned long long)aic_key_hash(&key));
}

aic_status aic_build_schedule(aic_build *build)
{
    const aic_problem problem = problem_of(build);
    const aic_schedule *given = build->request->schedule;
    aic_status status = aic_code_create(&build->spec, build->context, &build->code);
    aic_code *code = build->code;
    if (given != NULL) {
        build->schedule = *given;
    } else if (status == AIC_OK) {
        status = aic_schedule_default(&problem, &build->schedule);
    }
    if (status == AIC_OK) {
        status = aic_schedule_print(&build->schedule, code->schedule, sizeof code->schedule);
    }
    if (status == AIC_OK) {
        aic_build_symbol(&problem, &build->schedule, build->context->passes, code->symbol);
    }
    return status;
}

static aic_codegen_request codegen_request(const aic_build *build)
{
    return (aic_codegen_request){
        .problem = problem_of(build),
        .schedule = &build->schedule,
        .passes = build->context->passes,
        .symbol = build->code->symbol,
    };
}

aic_status aic_build_object(aic_build *build)
{
    aic_codegen_request request = codegen_request(build);
    aic_status status = aic_codegen_object(&request, &build->object);
    if (status == AIC_OK) {
        aic_code_describe(build->code, &build->object);
    }
    return status;
}

static bool packs(const aic_object *object)
{
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        if (object->packed_bytes[i] != 0) {
            return true;
        }
    }
    return false;
}

aic_status aic_build_link(aic_build *build)
{
    aic_context *context = build->context;
    aic_code *code = build->code;
    uint64_t start = aic_log_now();
    aic_status status = aic_linker_link(context->linker, code->symbol, build->object.bytes, build->object.size,
                                        packs(&build->object), &code->image);
    if (status != AIC_OK) {
        return status;
    }
    code->link_ns = aic_log_now() - start;
    /* relaxed: statistics. */
    atomic_fetch_add_explicit(&context->compiles, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&context->code_bytes, code->code_bytes, memory_order_relaxed);
    if (context->verbose >= 1) {
        aic_log_compile(&build->spec, code);
    }
    if (context->dump_dir != NULL) {
        aic_codegen_request request = codegen_request(build);
        aic_log_dump(context, &request, &build->object);
    }
    return AIC_OK;
}

aic_code *aic_build_end(aic_build *build, aic_status status)
{
    aic_object_free(&build->object);
    if (status != AIC_OK && build->code != NULL) {
        aic_code_release(build->code);
        build->code = NULL;
    }
    return build->code;
}
