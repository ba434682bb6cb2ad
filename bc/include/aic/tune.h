/* Tuning: finds the fastest schedule of a specification on this machine by measuring, and keeps it in a file.
 *
 * A schedule never changes a result that is defined bit for bit, so a tuning file changes speed and nothing else. A
 * file that is damaged, or was made on another machine or by another version, costs speed only: what it says is not
 * used, and aic_take_warning() reports damage.
 *
 * A context applies the records of its file (aic_context_options.tuning_db, or the environment's AIC_TUNING_DB) to
 * kernels that are made without a given schedule. It reads the file once, when it is made.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef AIC_TUNE_H
#define AIC_TUNE_H

#include <aic/kernel.h>

AIC_EXTERN_C_BEGIN

/* How much work a search is. ESTIMATE measures nothing: it ranks all legal schedules by prediction. */
typedef enum aic_tune_effort {
    AIC_TUNE_EFFORT_ESTIMATE = 0,
    AIC_TUNE_EFFORT_MEASURE = 1,
    AIC_TUNE_EFFORT_PATIENT = 2
} aic_tune_effort;

#define AIC_TUNE_SCHEDULE_MAX 160

typedef enum aic_tune_state {
    AIC_TUNE_STATE_PREDICTED = 0, /* not measured */
    AIC_TUNE_STATE_RACING,        /* measured to the end of the search */
    AIC_TUNE_STATE_DROPPED,       /* surely slower than the best so far: measured no longer */
    AIC_TUNE_STATE_WRONG, /* its result differs from the default's or the reference's: a defect, please report it */
    AIC_TUNE_STATE_FAILED /* it could not be compiled or called */
} aic_tune_state;

typedef struct aic_tune_candidate {
    size_t size;                          /* of this structure */
    char schedule[AIC_TUNE_SCHEDULE_MAX]; /* canonical text */
    bool is_default;                      /* the default rule's choice */
    aic_tune_state state;
    double predicted; /* cost, in vector operations */
    /* Of one call; the interval is that in which the median lies with a probability of 95 %. 0: not measured. */
    double median_ns, low_ns, high_ns;
    double gain; /* median of the default over this one, both measured in the same turns; 0: not measured */
    size_t samples;
} aic_tune_candidate;

typedef enum aic_tune_outcome {
    AIC_TUNE_OUTCOME_FASTER = 0, /* a schedule beats the default by more than the noise */
    AIC_TUNE_OUTCOME_DEFAULT,    /* none does */
    AIC_TUNE_OUTCOME_KNOWN,      /* the file has a record of this effort or a higher one: nothing was measured */
    AIC_TUNE_OUTCOME_UNMEASURED  /* effort, budget or trials left nothing to measure */
} aic_tune_outcome;

typedef struct aic_tune_result {
    size_t size; /* of this structure */
    aic_tune_outcome outcome;
    char schedule[AIC_TUNE_SCHEDULE_MAX]; /* the fastest known one; the default's, where none beats it */
    double gain;   /* median of the default over that of `schedule`, both measured anew at the end; 1 for the default */
    bool stopped;  /* progress() ended the search */
    bool recorded; /* the file has got a record of this search */
    size_t legal;  /* schedules that fit the specification */
    size_t measured; /* candidates that were measured, the default among them */
    double seconds;  /* that the search has taken */
    size_t count;    /* of `candidate`: those measured to the end, then dropped ones, each fastest first; then others,
                      * lowest predicted cost first */
    aic_tune_candidate *candidate;
} aic_tune_result;

AIC_SIZED(aic_tune_result)

/* Candidate number `index` of a result. Entries lie as far apart as they are large in the library that runs. */
static inline const aic_tune_candidate *aic_tune_candidate_at(const aic_tune_result *result, size_t index)
{
    return (const aic_tune_candidate *)(const void *)((const char *)result->candidate +
                                                      index * result->candidate->size);
}

/* How far a search is. `so_far` is valid during the call: candidates in their order so far; schedule and outcome are
 * not decided yet. `left` are seconds until the budget ends. False ends the search with what it has found. */
typedef bool (*aic_tune_progress)(void *user, const aic_tune_result *so_far, double left);

typedef struct aic_tune_options {
    size_t size;            /* of this structure */
    aic_tune_effort effort; /* MEASURE by default */
    double budget;  /* seconds; below 0, the default: 5, or 60 for PATIENT. Compiling counts; the reference, which runs
                     * once for a schedule that is to win, does not. 0: nothing is measured. */
    int64_t trials; /* candidates to measure, the default among them; below 0, the default: 64, or 256. At most 1000; 0
                     * and 1: nothing is measured. */
    uint64_t seed;  /* of operand contents and of the order of turns */
    const char *db; /* file to record in; NULL: the context's, if it has one; "": none */
    bool again;     /* measures also what the file has a record of */
    aic_tune_progress progress; /* NULL: none. Called about ten times a second on the calling thread. */
    void *user;
} aic_tune_options;

static inline aic_tune_options aic_tune_options_init(void)
{
    aic_tune_options made;
    memset(&made, 0, sizeof made);
    made.size = sizeof made;
    made.effort = AIC_TUNE_EFFORT_MEASURE;
    made.budget = -1;
    made.trials = -1;
    made.seed = 1;
    return made;
}

/* Searches. Candidates are measured in turns with packed constant operands, by the processor time of the calling
 * thread; those that are surely slower drop out. The fastest and the default are then measured once more. A schedule is
 * recorded only when the intervals of these two do not touch, and it is verified: against the reference bit for bit, or
 * within its bound. options NULL: the defaults.
 *
 * context NULL: the default context. Kernels that were tried are freed; the context keeps what it has compiled, and the
 * records that it has read. AIC_INVALID_ARGUMENT (specification, options, a file that is no tuning file),
 * AIC_OUT_OF_MEMORY, AIC_IO (the file cannot be locked or written), AIC_COMPILE. A successful result is freed with
 * aic_tune_result_destroy(). */
AIC_API aic_status aic_tune(aic_context *context, const aic_spec *spec, const aic_tune_options *options,
                            aic_tune_result *result);

/* Frees what a result refers to and empties it. NULL does nothing. */
AIC_API void aic_tune_result_destroy(aic_tune_result *result);

/* Merges tuning files into `output`, which keeps the records that it has. Where several are of one specification on
 * one machine and version, that of the higher effort stays, then that which gained more. All or nothing: where one of
 * the inputs is no tuning file or is damaged, `output` is not touched (AIC_INVALID_ARGUMENT). *records (may be NULL)
 * gets the number of records of the result. */
AIC_API aic_status aic_tune_merge(const char *const *inputs, size_t count, const char *output, size_t *records);

/* What a context's tuning file holds. */
typedef struct aic_tuning_info {
    size_t size;      /* of this structure */
    const char *path; /* NULL: the context has none; lives as long as the context */
    size_t records;   /* that the file had when the context was made */
    size_t usable;    /* of these: of this machine and these versions */
    size_t damaged;   /* lines; if there are any, no record applies */
} aic_tuning_info;

AIC_SIZED(aic_tuning_info)

AIC_API aic_status aic_context_tuning(aic_context *context, aic_tuning_info *info);

AIC_EXTERN_C_END

#endif
