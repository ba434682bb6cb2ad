/* The stages that make a kernel, in the order of the pipeline. Each takes what the ones before left in the build. */
#ifndef AIC_RUNTIME_BUILD_H
#define AIC_RUNTIME_BUILD_H

#include "runtime/pipeline.h"

typedef struct aic_build {
    aic_context *context;
    const aic_request *request;
    size_t count;                 /* specifications */
    aic_spec spec[AIC_GROUP_MAX]; /* copies of the request's descriptors; resolved by the first stage */
    bool respelled;       /* the request leaves out or says otherwise what the resolved ones say, or says more */
    const char *schedule; /* that of the request, or of a tuning record; NULL: the default rule chooses */
    char tuned[AIC_SCHEDULE_TEXT_MAX];
    aic_object object;
    aic_code *code; /* the result in the making */
} aic_build;

/* Runs no stage yet. End with aic_build_end(). */
void aic_build_begin(aic_build *build, aic_context *context, const aic_request *request);

aic_status aic_build_validate(aic_build *build); /* every rule of the document; fills in what a chain leaves out */
bool aic_build_tune(aic_build *build); /* whether a tuning record gives the schedule that the request leaves open */
aic_status aic_build_name(aic_build *build);   /* the kernel gets its name */
aic_status aic_build_object(aic_build *build); /* emit IR, optimise, generate machine code */
aic_status aic_build_link(aic_build *build);   /* object to callable functions; log and dump */

/* Frees everything but the code, and that too unless `status`, the last stage's, is AIC_OK. Returns the code, held
 * once, or NULL. */
aic_code *aic_build_end(aic_build *build, aic_status status);

/* The deterministic name of the kernel of a request, whose own symbol is not looked at: operators, of a group the first
 * one's and how many there are, and a hash of all that its code depends on. */
void aic_build_symbol(const aic_codegen_request *request, char symbol[AIC_SYMBOL_MAX]);

/* Appends the text of a schedule to a key. */
void aic_build_key_schedule(aic_key *key, const char *schedule);

#endif
