/* The stages that make a kernel, in the order of the pipeline. Each takes what the ones before left in the build. */
#pragma once

#include "codegen/part_source.h"
#include "frontend/core/key.h"
#include "runtime/request/context.h"
#include "runtime/request/pipeline.h"
#include "runtime/tuning/tune_record.h"

typedef struct aic_build {
    aic_context *context;
    const aic_request *request;
    size_t count;                  /* specifications */
    aic_spec shown;                /* the first one, resolved only: what a log shows */
    const char *schedule;          /* of the request or of a tuning record; NULL: the default rule chooses */
    const aic_tune_record *record; /* of which the schedule is; NULL: of none */
    aic_identity identity;
    aic_object object;
    bool looked;     /* the disk cache was asked for this identity */
    bool loaded;     /* and the object comes from there */
    aic_code *code;  /* the result, held once */
    aic_words words; /* aic_spec_take_words() of the only specification */
    /* Copies of the request's descriptors; canonical after the first stage. Last, as most of it is never written. */
    aic_spec spec[AIC_GROUP_MAX];
} aic_build;

/* Runs no stage yet. End with aic_build_end(). */
void aic_build_begin(aic_build *build, aic_context *context, const aic_request *request);

/* Checks every rule of the document and fills in fields that a chain leaves out. Then makes the specifications
 * canonical: fields on which the code does not depend get a fixed value. */
aic_status aic_build_validate(aic_build *build);
/* Where the request has no schedule, takes that of a tuning record, if there is one; it is not checked yet. */
aic_status aic_build_tune(aic_build *build);
/* Takes the words that the code gets by address out of the specification: they are no part of the identity. */
void aic_build_take_words(aic_build *build);
/* What the generator is asked for, from then on. */
aic_codegen_request aic_build_request(const aic_build *build);
/* Computes the identity from all that the code depends on; it names the kernel. Checks the schedule of a tuning record
 * only where its kernel is neither in memory nor on disk, since the check needs the generator. */
aic_status aic_build_identify(aic_build *build);
aic_status aic_build_describe(aic_build *build); /* creates build->code with its operands and texts */
bool aic_build_load(aic_build *build);           /* takes machine code from the disk cache; false: none */
aic_status aic_build_object(aic_build *build);   /* emits IR, optimises, generates code; keeps it on disk */
aic_status aic_build_link(aic_build *build);     /* makes the code callable; logs and dumps it */

/* Where the schedule comes from, of a kernel that may have been made for another request: a word of tuning.h. */
const char *aic_build_origin(const aic_build *build, const aic_code *code);

/* Frees everything; the code, too, unless the caller has taken it and put NULL in its place. */
void aic_build_end(aic_build *build);

/* Threads that make parts of a kernel beside the one that makes it: as many as the context may have threads, less those
 * of the process that are in LLVM already; none where a program's own threads share the calls, as it has said which
 * threads work for it. */
aic_part_helpers aic_helpers_of(aic_context *context);
