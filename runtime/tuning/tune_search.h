/* A search for the fastest schedule of one specification: the candidates, their kernels and measurements. */
#pragma once

#include "runtime/tuning/tune.h"
#include "runtime/tuning/tune_case.h"
#include "runtime/tuning/tune_race.h"

/* A candidate, in the order in which they join. Number 0 is the default. */
typedef struct aic_tune_entry {
    size_t in_space; /* its number there */
    aic_tune_state state;
    bool centre; /* other loops around its tile were tried */
    bool judged; /* measured anew */
    aic_tune_kernel kernel;
    double standard; /* median of the default in the race that this one was in last */
    uint64_t calls;  /* of one measurement; 0: not known yet */
} aic_tune_entry;

typedef struct aic_tune_search {
    const aic_tune_options *options; /* complete: budget and trials are numbers */
    const aic_tune_machine_hooks *hooks;
    aic_race_hooks race_hooks;
    aic_context *context; /* of its own: what is tried goes with it */
    aic_spec spec;        /* resolved, but not canonical: it must be valid to be requested */
    aic_space_list space;
    bool *taken;           /* by number in the space */
    aic_tune_pick *picked; /* those that may join next; room for options->trials */
    aic_tune_entry *entry;
    aic_racer *racer; /* of the entries; room for options->trials */
    size_t count;
    aic_tune_case operands;
    size_t winner;            /* number of the entry that beats the default; 0: none does, so far */
    double started, reported; /* on the clock */
    bool stopped;             /* by progress() */
    bool measured;            /* every candidate left was measured often enough for an interval */
} aic_tune_search;

/* Lists the legal schedules of the specification, which was resolved for `context`. End with aic_tune_search_close(),
 * also after a failure. */
aic_status aic_tune_search_open(aic_tune_search *search, const aic_context *context, const aic_spec *resolved,
                                const aic_tune_options *options, const aic_tune_machine_hooks *hooks);
void aic_tune_search_close(aic_tune_search *search);

/* Tries tiles, then the loops around the best of them, and races them all. */
aic_status aic_tune_search_run(aic_tune_search *search);

/* Measures the fastest candidate and the default anew and verifies it; where it does not hold, the next, up to three.
 */
aic_status aic_tune_search_judge(aic_tune_search *search);

/* Lists all candidates for a result, the winner first: *list is malloc'ed. */
aic_status aic_tune_search_list(const aic_tune_search *search, aic_tune_candidate **list, size_t *count);

/* Seconds since the search began. */
double aic_tune_search_elapsed(const aic_tune_search *search);
