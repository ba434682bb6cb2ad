/* Racing candidates, on a clock and with measurements of the test's own: nothing here depends on how long anything
 * takes. And which schedules are picked for the race. */
#include "runtime/tuning/tune_race.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_tune_race(void);

/* ---- medians and intervals ---- */

START_TEST(intervals_of_samples)
{
    static const double SAMPLES[] = {5, 1, 4, 2, 3, 7, 6, 9, 8, 10, 12, 11, 14, 13, 16, 15};
    aic_racer r = {.samples = 0};
    aic_racer_add(&r, 100);
    ck_assert(r.median == 100 && r.low == 50 && r.high == 150); /* one sample says little */
    r = (aic_racer){.samples = 0};
    for (size_t i = 0; i < 16; i++) {
        aic_racer_add(&r, SAMPLES[i]);
        ck_assert(r.low <= r.median && r.median <= r.high);
        for (size_t k = 1; k < r.samples; k++) {
            ck_assert(r.sample[k - 1] <= r.sample[k]);
        }
    }
    /* Of 16, the ranks (16 -+ 1.96 * 4) / 2 = 4.08 and its mirror image, counted from 0. */
    ck_assert(r.median == 8.5 && r.low == 5 && r.high == 12);
}
END_TEST

static double one(void *user, size_t i)
{
    (void)user;
    return 1 + (double)i;
}

static double first_now(void *user)
{
    (void)user;
    return 0;
}

/* More racers than a round has turns for: the first ones race. */
START_TEST(racers_have_a_limit)
{
    enum { MOST = 1024 };
    aic_racer *racer = calloc(MOST + 1, sizeof *racer);
    ck_assert_ptr_nonnull(racer);
    const aic_race_hooks hooks = {one, first_now, NULL, NULL};
    aic_race race = {
        .racer = racer, .count = MOST + 1, .rounds = 1, .precise = 0.001, .until = 1, .random = 1, .hooks = &hooks};
    (void)aic_race_run(&race);
    ck_assert(racer[0].samples == 1 && racer[MOST].samples == 0);
    free(racer);
}
END_TEST

START_TEST(samples_have_a_limit)
{
    aic_racer r = {.samples = 0};
    for (int i = 0; i < AIC_RACE_SAMPLES_MAX + 10; i++) {
        aic_racer_add(&r, i + 1);
    }
    ck_assert_uint_eq(r.samples, AIC_RACE_SAMPLES_MAX);
    ck_assert(r.sample[AIC_RACE_SAMPLES_MAX - 1] == AIC_RACE_SAMPLES_MAX);
}
END_TEST

/* ---- races ---- */

enum { RACERS = 6 };

/* A machine on which number i takes time[i], and noise around it that repeats; a measurement takes a second. */
typedef struct track {
    double time[RACERS], noise; /* a share of the time */
    double drift;               /* by which every later measurement is slower, a share */
    double clock;
    size_t turns[RACERS], last_turn[RACERS], measured, stop_after;
    size_t order[64]; /* the first turns */
} track;

static double measure(void *user, size_t i)
{
    static const double WAVE[] = {0, 0.7, -0.4, 1, -1, 0.2, -0.8};
    track *t = user;
    if (t->measured < 64) {
        t->order[t->measured] = i;
    }
    t->clock += 1;
    t->last_turn[i] = ++t->measured;
    const double noise = WAVE[(t->turns[i]++ + i) % 7] * t->noise;
    return t->time[i] * (1 + noise) * (1 + t->drift * (double)t->measured);
}

static double now(void *user)
{
    return ((const track *)user)->clock;
}

static bool goes_on(void *user)
{
    const track *t = user;
    return t->measured < t->stop_after;
}

static bool run(track *t, aic_racer racer[RACERS], size_t rounds, double until)
{
    const aic_race_hooks hooks = {measure, now, t->stop_after > 0 ? goes_on : NULL, t};
    aic_race race = {.racer = racer,
                     .count = RACERS,
                     .rounds = rounds,
                     .precise = 0.001,
                     .until = until,
                     .random = 1,
                     .hooks = &hooks};
    memset(racer, 0, RACERS * sizeof *racer);
    return aic_race_run(&race);
}

/* Candidates that are surely slower drop out early, and cost no further turns; those that may be the fastest stay. */
START_TEST(slow_ones_drop_out)
{
    track t = {.time = {100, 300, 90, 150, 91, 1000}, .noise = 0.02};
    aic_racer r[RACERS];
    ck_assert(run(&t, r, 50, 1e9));
    ck_assert(r[1].dropped && r[3].dropped && r[5].dropped);
    ck_assert(!r[0].dropped && !r[2].dropped && !r[4].dropped);
    ck_assert_uint_le(t.turns[5], 1);
    ck_assert_uint_le(t.turns[1], 1);
    ck_assert_uint_lt(t.turns[3], 6);
    ck_assert_uint_eq(t.turns[2], 50);
    ck_assert(r[2].high < r[0].low);
}
END_TEST

/* The yardstick is measured to the end, however slow it is: what is left is compared with it. */
START_TEST(the_yardstick_stays)
{
    track t = {.time = {1000, 100, 101, 102, 103, 104}, .noise = 0.05};
    aic_racer r[RACERS];
    ck_assert(run(&t, r, 20, 1e9));
    ck_assert(!r[0].dropped);
    ck_assert_uint_eq(t.turns[0], 20);
}
END_TEST

/* A race of two that do not touch is over as soon as there are enough samples to say so. */
START_TEST(decided_races_end)
{
    track t = {.time = {100, 50, 1e5, 1e5, 1e5, 1e5}, .noise = 0.01};
    aic_racer r[RACERS];
    ck_assert(run(&t, r, 100, 1e9));
    ck_assert_uint_eq(r[0].samples, 6);
    ck_assert_uint_eq(r[1].samples, 6);
}
END_TEST

/* Where nothing tells them apart, none is dropped and the race ends with its rounds, or when all are known precisely.
 */
START_TEST(equals_stay_equal)
{
    track t = {.time = {100, 100, 100, 100, 100, 100}, .noise = 0.02};
    aic_racer r[RACERS];
    ck_assert(run(&t, r, 30, 1e9));
    for (size_t i = 0; i < RACERS; i++) {
        ck_assert(!r[i].dropped);
        ck_assert_uint_eq(r[i].samples, 30);
    }
    t = (track){.time = {100, 100, 100, 100, 100, 100}, .noise = 0};
    ck_assert(run(&t, r, 30, 1e9));
    ck_assert_uint_eq(t.measured, 6 * RACERS);
}
END_TEST

/* A machine that becomes slower all the time: as all take turns, nobody gains by it. One after the other, the first
 * would look 1.3 times as fast as the last. */
START_TEST(drift_favours_nobody)
{
    track t = {.time = {100, 100, 100, 100, 100, 100}, .drift = 0.3 / (30 * RACERS)};
    aic_racer r[RACERS];
    ck_assert(run(&t, r, 30, 1e9));
    for (size_t i = 0; i < RACERS; i++) {
        ck_assert_msg(!r[i].dropped, "%zu dropped out", i);
        ck_assert(r[i].median > 0.97 * r[0].median && r[i].median < 1.03 * r[0].median);
    }
}
END_TEST

/* Every round is one turn each, in an order that changes and that the seed repeats. */
START_TEST(turns_are_shuffled)
{
    track first = {.time = {100, 100, 100, 100, 100, 100}, .noise = 0.02}, second = first;
    aic_racer r[RACERS];
    bool same_order = true;
    ck_assert(run(&first, r, 8, 1e9));
    ck_assert(run(&second, r, 8, 1e9));
    ck_assert_mem_eq(first.order, second.order, sizeof first.order);
    for (size_t round = 0; round < 8; round++) {
        unsigned seen = 0;
        for (size_t i = 0; i < RACERS; i++) {
            seen |= 1u << first.order[round * RACERS + i];
            same_order = same_order && first.order[round * RACERS + i] == first.order[i];
        }
        ck_assert_uint_eq(seen, (1u << RACERS) - 1);
    }
    ck_assert(!same_order);
}
END_TEST

START_TEST(time_and_callers_end_it)
{
    track t = {.time = {100, 100, 100, 100, 100, 100}, .noise = 0.02};
    aic_racer r[RACERS];
    ck_assert(run(&t, r, 100, 10)); /* in the middle of the second round */
    ck_assert_uint_eq(t.measured, 10);
    t = (track){.time = {100, 100, 100, 100, 100, 100}, .noise = 0.02, .stop_after = 9};
    ck_assert(!run(&t, r, 100, 1e9));
    ck_assert_uint_eq(t.measured, 9);
    t = (track){.time = {100, 100, 100, 100, 100, 100}};
    ck_assert(run(&t, r, 100, 0));
    ck_assert_uint_eq(t.measured, 0);
}
END_TEST

/* What cannot be measured is out of the race, and sets no mark for the others. */
START_TEST(broken_ones_are_out)
{
    track t = {.time = {100, 0, -5, 100, 100, 100}, .noise = 0.02};
    aic_racer r[RACERS];
    ck_assert(run(&t, r, 20, 1e9));
    ck_assert(r[1].broken && r[2].broken && !r[3].broken);
    ck_assert_uint_eq(t.turns[1], 1);
    ck_assert_uint_eq(r[3].samples, 20);
    t = (track){.time = {0, 100, 100, 100, 100, 100}};
    ck_assert(run(&t, r, 20, 1e9)); /* nothing to compare with */
    ck_assert(r[0].broken);
    ck_assert_uint_le(t.measured, RACERS);
}
END_TEST

/* ---- what is picked ---- */

/* Tiles 0, 1, 2 with loops (a, b); the cost tells them apart. */
static aic_space_entry ENTRIES[] = {
    {.cost = 30, .tile = 0, .represents = true, .usual = true, .field = {0, 1, 1}},
    {.cost = 20, .tile = 1, .represents = true, .field = {1, 1, 1}},
    {.cost = 19, .tile = 1, .field = {1, 2, 2}},
    {.cost = 25, .tile = 1, .field = {1, 1, 2}},
    {.cost = 24, .tile = 1, .field = {1, 2, 1}},
    {.cost = 10, .tile = 2, .represents = true, .field = {2, 1, 1}},
    {.cost = 29, .tile = 0, .field = {0, 2, 1}},
};
static const aic_space_list SPACE = {
    .entry = ENTRIES, .count = sizeof ENTRIES / sizeof *ENTRIES, .usual = 1, .tiles = 3, .fields = 3};

START_TEST(tiles_are_picked_by_cost)
{
    aic_tune_pick picked[8];
    ck_assert_uint_eq(aic_tune_pick_tiles(&SPACE, 8, picked), 3);
    ck_assert(picked[0].entry == 5 && picked[1].entry == 1 && picked[2].entry == 0);
    ck_assert_uint_eq(aic_tune_pick_tiles(&SPACE, 2, picked), 2);
    ck_assert(picked[0].entry == 5 && picked[1].entry == 1);
    ck_assert_uint_eq(aic_tune_pick_tiles(&SPACE, 0, picked), 0);
}
END_TEST

START_TEST(loops_are_picked_by_nearness)
{
    aic_tune_pick picked[8];
    bool taken[8] = {false};
    ck_assert_uint_eq(aic_tune_pick_loops(&SPACE, 1, taken, 8, picked), 3);
    ck_assert(picked[0].entry == 4 && picked[1].entry == 3 &&
              picked[2].entry == 2); /* one field, the cheaper first; then two */
    taken[4] = true;
    ck_assert_uint_eq(aic_tune_pick_loops(&SPACE, 1, taken, 1, picked), 1);
    ck_assert_uint_eq(picked[0].entry, 3);
    ck_assert_uint_eq(aic_tune_pick_loops(&SPACE, 5, taken, 8, picked), 0);
    ck_assert_uint_eq(aic_tune_pick_loops(&SPACE, 1, taken, 0, picked), 0);
}
END_TEST

Suite *suite_tune_race(void)
{
    Suite *suite = suite_create("tune_race");
    TCase *cases = tcase_create("races");
    tcase_add_test(cases, intervals_of_samples);
    tcase_add_test(cases, samples_have_a_limit);
    tcase_add_test(cases, racers_have_a_limit);
    tcase_add_test(cases, slow_ones_drop_out);
    tcase_add_test(cases, the_yardstick_stays);
    tcase_add_test(cases, decided_races_end);
    tcase_add_test(cases, equals_stay_equal);
    tcase_add_test(cases, drift_favours_nobody);
    tcase_add_test(cases, turns_are_shuffled);
    tcase_add_test(cases, time_and_callers_end_it);
    tcase_add_test(cases, broken_ones_are_out);
    tcase_add_test(cases, tiles_are_picked_by_cost);
    tcase_add_test(cases, loops_are_picked_by_nearness);
    suite_add_tcase(suite, cases);
    return suite;
}
