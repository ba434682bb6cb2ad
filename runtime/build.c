/* The stages that make a kernel; see build.h. pipeline.c runs them. */
#include "runtime/build.h"
#include "frontend/core/op.h"
#include "runtime/log.h"
#include <stdio.h>

void aic_build_begin(aic_build *build, aic_context *context, const aic_request *request)
{
    *build = (aic_build){.context = context, .request = request, .count = 1};
    for (size_t i = 0; i < request->count; i++) {
        const aic_asked *asked = &request->stage[i];
        if (asked->op == AIC_OP_NONE) {
            build->count++;
            continue;
        }
        aic_spec *spec = &build->spec[build->count - 1];
        aic_stage *stage = &spec->stage[spec->count++];
        stage->op = asked->op;
        memcpy(&stage->desc, asked->desc, aic_op_get(asked->op)->desc_size);
    }
}

aic_status aic_build_validate(aic_build *build)
{
    aic_status status = AIC_OK;
    for (size_t i = 0; i < build->count && status == AIC_OK; i++) {
        const aic_spec given = build->spec[i];
        status = aic_spec_resolve_kernel(&given, &build->context->semantics, &build->spec[i]);
        build->respelled |= status == AIC_OK && !aic_spec_equal(&given, &build->spec[i]);
    }
    return status;
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

/* How many words the name of the largest group is a hash of: aic_key_add() does not look whether there is room. */
enum {
    SCHEDULE_WORDS = 0
#define AIC_FIELD(kind, name, count, need, fallback) +count
#include "codegen/schedule.def"
#undef AIC_FIELD
    ,
    SEMANTICS_WORDS = 0
#define AIC_FIELD(kind, name, count, need, fallback) +count
#include <aic/semantics.def>
#undef AIC_FIELD
    ,
    TARGET_WORDS = 3, /* architecture, level, passes */
    SPEC_WORDS = AIC_GROUP_WORDS_MAX + SCHEDULE_WORDS,
    NAME_WORDS = AIC_GROUP_MAX * SPEC_WORDS + SEMANTICS_WORDS + TARGET_WORDS
};

_Static_assert(NAME_WORDS <= AIC_KEY_WORDS_MAX, "a key must hold all that the code of a group depends on");

void aic_build_symbol(const aic_codegen_request *request, char symbol[AIC_SYMBOL_MAX])
{
    aic_key key;
    key.count = 0;
    for (size_t s = 0; s < request->count; s++) {
        const aic_spec *spec = &request->spec[s];
        for (int32_t i = 0; i < spec->count; i++) {
            aic_key_add_stage(&key, spec->stage[i].op, &spec->stage[i].desc);
        }
        aic_build_key_schedule(&key, &request->schedule[s]);
    }
    for (size_t f = 0; f < aic_semantics_record.count; f++) {
        aic_key_add(&key, aic_field_word(&aic_semantics_record.fields[f], request->semantics, 0));
    }
    aic_key_add(&key, (uint64_t)request->target->arch);
    aic_key_add(&key, word_of_text(request->target->name));
    aic_key_add(&key, word_of_text(request->passes));

    char names[AIC_SYMBOL_MAX / 2], many[24] = "";
    aic_spec_subject(request->spec, "_", names, sizeof names);
    if (request->count > 1) {
        snprintf(many, sizeof many, "_x%zu", request->count);
    }
    snprintf(symbol, AIC_SYMBOL_MAX, "aic_%s%s_%016llx", names, many, (unsigned long long)aic_key_hash(&key));
}

static aic_codegen_request codegen_request(const aic_build *build)
{
    return (aic_codegen_request){
        .count = build->count,
        .spec = build->spec,
        .schedule = build->schedule,
        .semantics = &build->context->semantics,
        .target = build->context->target,
        .passes = build->context->passes,
        .symbol = build->code->symbol,
    };
}

static aic_status choose_schedules(aic_build *build)
{
    if (build->request->schedule != NULL) {
        build->schedule[0] = *build->request->schedule;
        return AIC_OK;
    }
    aic_status status = AIC_OK;
    for (size_t i = 0; i < build->count && status == AIC_OK; i++) {
        const aic_problem problem = {&build->spec[i], &build->context->semantics, build->context->target};
        status = aic_schedule_default(&problem, &build->schedule[i]);
    }
    return status;
}

aic_status aic_build_schedule(aic_build *build)
{
    aic_status status = aic_code_create(build->spec, build->count, build->context, &build->code);
    if (status == AIC_OK) {
        status = choose_schedules(build);
    }
    aic_code *code = build->code;
    if (status == AIC_OK && build->count > 1) {
        snprintf(code->schedule, sizeof code->schedule, "default schedules");
    } else if (status == AIC_OK) {
        status = aic_schedule_print(build->schedule, code->schedule, sizeof code->schedule);
    }
    if (status == AIC_OK) {
        const aic_codegen_request request = codegen_request(build);
        aic_build_symbol(&request, code->symbol);
    }
    return status;
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

aic_status aic_build_link(aic_build *build)
{
    aic_context *context = build->context;
    aic_code *code = build->code;
    uint64_t start = aic_log_now();
    aic_status status = aic_code_place(code, &build->object.image);
    if (status != AIC_OK) {
        return status;
    }
    code->link_ns = aic_log_now() - start;
    /* relaxed: statistics. */
    atomic_fetch_add_explicit(&context->compiles, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&context->code_bytes, code->code_bytes, memory_order_relaxed);
    if (context->verbose >= 1) {
        aic_log_compile(code);
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
