#include "runtime/request/identity.h"
#include "codegen/machine.h"
#include "frontend/core/bytes.h"
#include "frontend/core/diag.h"
#include "frontend/core/key.h"
#include "frontend/core/spec.h"
#include "frontend/text/sink.h"
#include "frontend/text/text.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static const char MAGIC[] = "AICK";

enum { WORD = 8, NUMBER = 4, MAGIC_BYTES = 4 };

/* ---- writing ---- */

/* The lists that identities have, by operator and, from AIC_OP_END on, by these numbers. */
enum { SEMANTICS = AIC_OP_END, MACHINE, LISTS };

/* The signature of a list, which is made once: it takes as long as all the rest of an identity. */
static uint64_t signature_of(const aic_record *record, int list)
{
    static atomic_uint_fast64_t known[LISTS]; /* 0: not yet */
    /* relaxed: whoever makes it makes the same. */
    uint64_t signature = atomic_load_explicit(&known[list], memory_order_relaxed);
    if (signature == 0) {
        signature = aic_record_signature(record);
        atomic_store_explicit(&known[list], signature, memory_order_relaxed);
    }
    return signature;
}

/* How many fields an identity has: fields that were added to a list are its last, and those at the end that have their
 * fallback are left out. */
static size_t fields_written(const aic_record *record, const void *fields)
{
    size_t count = record->count;
    while (count > 0 && !aic_field_present(&record->fields[count - 1], fields)) {
        count--;
    }
    return count;
}

static void write_fields(aic_writer *out, const aic_record *record, int list, const void *fields)
{
    const size_t section = aic_write_begin(out, "FLDS");
    aic_write_text(out, record->name);
    aic_write_number(out, signature_of(record, list), WORD);
    for (size_t f = 0, count = fields_written(record, fields); f < count; f++) {
        for (uint32_t i = 0; i < record->fields[f].count; i++) {
            aic_write_number(out, aic_field_word(&record->fields[f], fields, i), WORD);
        }
    }
    aic_write_end(out, section);
}

static void write_spec(aic_writer *out, const aic_spec *spec)
{
    const size_t section = aic_write_begin(out, "SPEC");
    for (int32_t i = 0; i < spec->count; i++) {
        write_fields(out, &aic_op_get(spec->stage[i].op)->record, (int)spec->stage[i].op, &spec->stage[i].desc);
    }
    aic_write_end(out, section);
}

static void write_target(aic_writer *out, const aic_target *target)
{
    const size_t section = aic_write_begin(out, "TRGT");
    aic_write_text(out, target->name);
    aic_write_text(out, aic_target_cpu(target));
    aic_write_text(out, target->features);
    aic_write_number(out, (uint64_t)target->arch, NUMBER);
    aic_write_number(out, (uint64_t)target->vector_bits, NUMBER);
    aic_write_number(out, (uint64_t)target->vector_registers, NUMBER);
    aic_write_number(out, target->has, NUMBER);
    aic_write_end(out, section);
}

static void write_text_section(aic_writer *out, const char *tag, const char *text)
{
    const size_t section = aic_write_begin(out, tag);
    aic_write_text(out, text);
    aic_write_end(out, section);
}

static void write_choice(aic_writer *out, const char *schedule)
{
    if (schedule != NULL) {
        write_text_section(out, "SCHD", schedule);
        return;
    }
    const size_t section = aic_write_begin(out, "RULE");
    aic_write_number(out, AIC_SCHEDULE_RULE, NUMBER);
    aic_write_end(out, section);
}

/* Returns where the schedule begins. */
static size_t write_identity(aic_writer *out, const aic_codegen_request *request)
{
    aic_write_bytes(out, MAGIC, MAGIC_BYTES);
    aic_write_number(out, AIC_IDENTITY_VERSION, NUMBER);
    for (size_t i = 0; i < request->count; i++) {
        write_spec(out, &request->spec[i]);
    }
    write_fields(out, &aic_semantics_record, SEMANTICS, request->semantics);
    write_target(out, request->target);
    write_text_section(out, "PASS", request->passes != NULL ? request->passes : "");
    write_fields(out, &aic_machine_record, MACHINE, request->machine);
    const size_t problem = out->size;
    write_choice(out, request->schedule);
    return problem;
}

static void name_kernel(const aic_codegen_request *request, aic_identity *identity)
{
    enum { NAMES_MAX = 40, MANY_MAX = 24 }; /* with "aic_" and the hash they fill a symbol */
    char names[NAMES_MAX], many[MANY_MAX] = "";
    aic_spec_subject(request->spec, "_", names, sizeof names);
    if (request->count > 1) {
        snprintf(many, sizeof many, "_x%zu", request->count);
    }
    snprintf(identity->symbol, sizeof identity->symbol, "aic_%s%s_%016" PRIx64, names, many, identity->hash);
}

aic_status aic_identity_create(const aic_codegen_request *request, aic_identity *identity)
{
    aic_writer measure = {NULL, 0, 0};
    (void)write_identity(&measure, request);
    aic_writer out = {malloc(measure.size), measure.size, 0};
    if (out.bytes == NULL) {
        return aic_fail_memory("identity", measure.size);
    }
    const size_t problem = write_identity(&out, request);
    *identity = (aic_identity){
        .bytes = out.bytes, .size = out.size, .problem = problem, .hash = aic_hash_bytes(out.bytes, out.size)};
    name_kernel(request, identity);
    return AIC_OK;
}

void aic_identity_free(aic_identity *identity)
{
    free(identity->bytes);
    identity->bytes = NULL;
}

/* ---- text ---- */

static aic_status put_spec(FILE *out, const aic_spec *spec)
{
    char *text;
    const aic_status status = aic_spec_print_new(spec, &text);
    if (status == AIC_OK) {
        fprintf(out, "%s\n", text);
        free(text);
    }
    return status;
}

static aic_status put_record(FILE *out, const aic_record *record, const void *fields)
{
    char *text;
    const aic_status status = aic_record_print_new(record, fields, &text);
    if (status == AIC_OK) {
        fprintf(out, "%s\n", text);
        free(text);
    }
    return status;
}

static void put_target(FILE *out, const aic_target *target)
{
    fprintf(out, "target %s: architecture %u, CPU %s, %s, has 0x%x, %u vector registers of %u bits\n", target->name,
            (unsigned)target->arch, aic_target_cpu(target), target->features, (unsigned)target->has,
            (unsigned)target->vector_registers, (unsigned)target->vector_bits);
}

static aic_status put_request(FILE *out, const aic_codegen_request *request)
{
    aic_status status = AIC_OK;
    for (size_t i = 0; i < request->count && status == AIC_OK; i++) {
        status = put_spec(out, &request->spec[i]);
    }
    status = status == AIC_OK ? put_record(out, &aic_semantics_record, request->semantics) : status;
    put_target(out, request->target);
    fprintf(out, "passes \"%s\"\n", request->passes != NULL ? request->passes : "");
    status = status == AIC_OK ? put_record(out, &aic_machine_record, request->machine) : status;
    if (request->schedule != NULL) {
        fprintf(out, "%s\n", request->schedule);
    } else {
        fprintf(out, "schedule of the default rule, version %u\n", (unsigned)AIC_SCHEDULE_RULE);
    }
    return status;
}

aic_status aic_identity_print(const aic_codegen_request *request, char **text)
{
    size_t length;
    char *made = NULL;
    FILE *out = open_memstream(&made, &length);
    if (out == NULL) {
        return aic_fail_memory("identity", 0);
    }
    aic_status status = put_request(out, request);
    if (!aic_stream_end(out, &made) && status == AIC_OK) {
        status = aic_fail_memory("identity", length);
    }
    if (status != AIC_OK) {
        free(made);
        return status;
    }
    *text = made;
    return AIC_OK;
}
