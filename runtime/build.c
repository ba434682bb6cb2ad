/* The stages that make a kernel; see build.h. pipeline.c runs them. */
#include "runtime/build.h"
#include "frontend/core/op.h"
#include "runtime/log.h"
#include "runtime/tuning.h"
#include <stdio.h>
#include <stdlib.h>

void aic_build_begin(aic_build *build, aic_context *context, const aic_request *request)
{
    *build = (aic_build){.context = context, .request = request, .count = 1, .schedule = request->schedule};
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

bool aic_build_tune(aic_build *build)
{
    if (build->schedule != NULL || build->count > 1) {
        return false;
    }
    const aic_tune_record *record = aic_tuning_find(build->context, &build->spec[0], build->context->target);
    if (record != NULL) {
        snprintf(build->tuned, sizeof build->tuned, "%s", record->schedule);
        build->schedule = build->tuned;
    }
    return record != NULL;
}

void aic_build_key_schedule(aic_key *key, const char *schedule)
{
    const size_t length = strlen(schedule);
    aic_key_add(key, length);
    for (size_t at = 0; at < length; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, schedule + at, length - at < sizeof word ? length - at : sizeof word);
        aic_key_add(key, word);
    }
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

void aic_build_symbol(const aic_codegen_request *request, char symbol[AIC_SYMBOL_MAX])
{
    aic_key key;
    key.count = 0;
    for (size_t s = 0; s < request->count; s++) {
        const aic_spec *spec = &request->spec[s];
        for (int32_t i = 0; i < spec->count; i++) {
            aic_key_add_stage(&key, spec->stage[i].op, &spec->stage[i].desc);
        }
    }
    if (request->schedule != NULL) {
        aic_build_key_schedule(&key, request->schedule);
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

aic_status aic_build_name(aic_build *build)
{
    aic_status status = aic_code_create(build->spec, build->count, build->context, &build->code);
    if (status == AIC_OK) {
        const aic_codegen_request request = codegen_request(build);
        aic_build_symbol(&request, build->code->symbol);
    }
    return status;
}

aic_status aic_build_object(aic_build *build)
{
    aic_codegen_request request = codegen_request(build);
    aic_status status = aic_generator_linked()->object(&request, &build->object);
    if (status == AIC_OK) {
        build->code->given = request.schedule != NULL;
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
