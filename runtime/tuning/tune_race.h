/* Racing: many candidates are measured in turn, round after round, and those that are surely slower than the best drop
 * out. Taking turns matters: a clock that drifts or a neighbour that wakes up then slows all of them, not the one whose
 * turn it happens to be. Knows nothing of kernels or clocks: whoever races brings them. */
#pragma once

#include "codegen/codegen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Measurements of a candidate, at most. */
enum { AIC_RACE_SAMPLES_MAX = 200 };

typedef struct aic_racer {
    double sample[AIC_RACE_SAMPLES_MAX]; /* nanoseconds of a call, ascending */
    size_t samples;
    double median;    /* of the samples, and the interval in which the true median lies with a probability of 95 %; */
    double low, high; /* all 0 without samples */
    bool dropped;     /* is measured no more */
    bool broken;      /* its measurement failed: it must not win */
} aic_racer;

/* What the race runs on. */
typedef struct aic_race_hooks {
    /* Nanoseconds of one call of the candidate of this number; not above 0: it failed. */
    double (*measure)(void *user, size_t number);
    /* A clock in seconds. */
    double (*now)(void *user);
    /* Asked after every measurement; false ends the race. NULL: it goes on. */
    bool (*goes_on)(void *user);
    void *user;
} aic_race_hooks;

typedef struct aic_race {
    aic_racer *racer; /* number 0 is the yardstick: it never drops out */
    size_t count;
    const size_t *number; /* of each racer's candidate; NULL: as racers are counted */
    size_t rounds;        /* that a candidate takes part in, at most; no more than AIC_RACE_SAMPLES_MAX */
    double precise;       /* intervals narrower than this share of their median are not measured on */
    double until;         /* on the clock */
    uint64_t random;      /* state of the order of turns */
    const aic_race_hooks *hooks;
} aic_race;

/* Runs rounds until one of these comes true; racers that have samples already keep them.
 *
 *     only the yardstick is left, or it and one other whose interval does not touch the yardstick's; both with enough
 *     samples for an interval
 *     everyone left has been in `rounds` rounds, or has an interval narrower than `precise`
 *     the clock is at `until`
 *     goes_on() says so: the result is false */
bool aic_race_run(aic_race *race);

/* Adds a sample and derives median and interval; ignored when there are AIC_RACE_SAMPLES_MAX. */
void aic_racer_add(aic_racer *racer, double sample);

/* ---- which schedules race ---- */

/* First many tiles, one schedule each, as the tile decides most; then the other loops around the fastest tile. A
 * choice: the number of an entry of the space, and what decided. */
typedef struct aic_tune_pick {
    size_t entry;
    double rank;
} aic_tune_pick;

/* Picks up to `most` entries that represent their tile, cheapest by prediction first. `picked` has room for as many;
 * returns how many there are. */
size_t aic_tune_pick_tiles(const aic_space_list *space, size_t most, aic_tune_pick *picked);

/* Picks up to `most` other entries of the tile of number `near`: those that differ from it in one field first, the
 * cheapest first among these. Entries that `taken` marks are left out. */
size_t aic_tune_pick_loops(const aic_space_list *space, size_t near, const bool *taken, size_t most,
                           aic_tune_pick *picked);
