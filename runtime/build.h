/* The stages that make a kernel, in the order of the pipeline. Each takes what the ones before left in the build. */
#ifndef AIC_RUNTIME_BUILD_H
#define AIC_RUNTIME_BUILD_H

#include "runtime/pipeline.h"

typedef struct aic_build {
    aic_context *context;
    const aic_request *request;
    size_t count;         /* specifications */
    aic_spec shown;       /* the first one, resolved only: what a log shows */
    const char *schedule; /* of the request or of a tuning record; NULL: the default rule chooses */
    aic_identity identity;
    aic_object object;
    bool loaded;    /* the object is from the disk cache */
    aic_code *code; /* the result, held once */
    /* Copies of the request's descriptors; canonical after the first stage. Last, as most of it is never written. */
    aic_spec spec[AIC_GROUP_MAX];
} aic_build;

/* Runs no stage yet. End with aic_build_end(). */
void aic_build_begin(aic_build *build, aic_context *context, const aic_request *request);

/* Every rule of the document; fills in what a chain leaves out, then puts aside what code does not depend on. */
aic_status aic_build_validate(aic_build *build);
aic_status
aic_build_tune(aic_build *build); /* the schedule, if the request leaves it open and a tuning record has one */
aic_status aic_build_identify(aic_build *build); /* of all that the code depends on; the kernel has its name by it */
aic_status aic_build_describe(aic_build *build); /* what a caller must know: the operands */
bool aic_build_load(aic_build *build);           /* machine code from the disk cache; false: there is none */
aic_status aic_build_object(aic_build *build);   /* else emit IR, optimise, generate machine code; keep it on disk */
aic_status aic_build_link(aic_build *build);     /* machine code to callable functions; log and dump */

/* Where the schedule of a kernel comes from, which may have been made for another request: a word of tuning.h. */
const char *aic_build_origin(const aic_build *build, const aic_code *code);

/* Frees everything; the code, too, unless the caller has taken it and put NULL in its place. */
void aic_build_end(aic_build *build);

#endif
