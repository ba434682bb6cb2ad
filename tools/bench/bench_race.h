/* One specification with several schedules and instruction set levels, measured in turns. */
#pragma once

#include "tools/bench/bench_call.h"
#include "tools/bench/bench_row.h"
#include "tools/session.h"

/* What to measure. */
typedef struct bench_request {
    const cli_session *level; /* instruction set levels in ascending order */
    size_t level_count;
    size_t reference;     /* the level whose default schedule the others are compared with */
    const char *schedule; /* NULL: the context's choice; "all": every candidate of the generator; else one */
    bool packed;
    double seconds; /* each */
} bench_request;

/* A measured race; its texts live as long as it does. */
typedef struct bench_race {
    const aic_spec *spec;
    char *text; /* of the specification, canonical */
    cli_operands operands;
    bench_call *call;
    bench_row *row;
    bool *hidden;     /* row i was measured for the ratios of others only */
    size_t reference; /* its row */
    size_t count;
    size_t fitting; /* of these, that have the schedule which was given */
} bench_race;

/* Measures; returns an exit status. End with bench_race_close(), also on failure. A signal ends it early: rows that
 * have no sample are hidden then. */
int bench_race_run(bench_race *race, const aic_spec *spec, const char *name, const bench_request *request);
void bench_race_close(bench_race *race);
