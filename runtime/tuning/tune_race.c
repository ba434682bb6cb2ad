/* Racing; see tune_race.h. */
#include "runtime/tuning/tune_race.h"
#include "frontend/random/rng.h"

#include <math.h>

/* Below this many samples there is no interval of their order that holds the median with a probability of 95 %: of
 * five, smallest and largest hold it with 1 - 2 * 2^-5 = 94 %. Until then the interval reaches beyond the samples by a
 * share of them, which only candidates leave that are much slower than the best. */
enum { FEW = 6 };
static const double BEYOND[FEW] = {0, 0.5, 0.3, 0.2, 0.1, 0.05};

/* Samples of which the median lies between number j and number n-1-j: how many are below the median is binomial with
 * mean n/2 and deviation sqrt(n)/2, and 1.96 deviations to either side have 95 %. */
static size_t rank_below(size_t n)
{
    const double rank = floor(((double)n - 1.96 * sqrt((double)n)) / 2);
    return rank > 0 ? (size_t)rank : 0;
}

static void derive(aic_racer *r)
{
    const size_t n = r->samples, middle = n / 2;
    r->median = n % 2 == 1 ? r->sample[middle] : (r->sample[middle - 1] + r->sample[middle]) / 2;
    if (n < FEW) {
        r->low = r->sample[0] * (1 - BEYOND[n]);
        r->high = r->sample[n - 1] * (1 + BEYOND[n]);
        return;
    }
    const size_t below = rank_below(n);
    r->low = r->sample[below];
    r->high = r->sample[n - 1 - below];
}

void aic_racer_add(aic_racer *racer, double sample)
{
    if (racer->samples == AIC_RACE_SAMPLES_MAX) {
        return;
    }
    size_t at = racer->samples++;
    for (; at > 0 && racer->sample[at - 1] > sample; at--) {
        racer->sample[at] = racer->sample[at - 1];
    }
    racer->sample[at] = sample;
    derive(racer);
}

static bool takes_part(const aic_race *race, size_t i)
{
    const aic_racer *r = &race->racer[i];
    return !r->broken && (i == 0 || !r->dropped) && r->samples < race->rounds;
}

/* Whether its interval is still wider than anyone needs. */
static bool is_vague(const aic_race *race, const aic_racer *r)
{
    return r->samples < FEW || r->high - r->low > race->precise * r->median;
}

/* The order of turns: those that take part, shuffled. Returns how many. The yardstick comes again as long as somebody
 * else is measured, so that it sees the same disturbances. */
static size_t draw_turns(aic_race *race, uint16_t *turn)
{
    size_t count = 0;
    bool vague = false;
    for (size_t i = 0; i < race->count; i++) {
        if (takes_part(race, i) && (i == 0 || is_vague(race, &race->racer[i]))) {
            turn[count++] = (uint16_t)i;
            vague = vague || is_vague(race, &race->racer[i]);
        }
    }
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)(aic_rng_next(&race->random) % i);
        const uint16_t kept = turn[i - 1];
        turn[i - 1] = turn[j];
        turn[j] = kept;
    }
    return vague ? count : 0;
}

/* Drops everyone whose interval lies above that of the fastest. */
static void drop_the_slow(aic_race *race)
{
    double best = INFINITY;
    for (size_t i = 0; i < race->count; i++) {
        const aic_racer *r = &race->racer[i];
        if (!r->broken && (i == 0 || !r->dropped) && r->samples > 0 && r->high < best) {
            best = r->high;
        }
    }
    for (size_t i = 1; i < race->count; i++) {
        aic_racer *r = &race->racer[i];
        r->dropped = r->dropped || r->broken || (r->samples > 0 && r->low > best);
    }
}

/* Whether nothing is left to find out: one of two is surely faster, or there is nobody but the yardstick; which is
 * measured in any case. */
static bool is_decided(const aic_race *race)
{
    const aic_racer *first = &race->racer[0];
    size_t left = 0, last = 0;
    for (size_t i = 1; i < race->count; i++) {
        if (!race->racer[i].dropped) {
            last = i;
            left++;
        }
    }
    if (left == 0 || first->samples < FEW) {
        return left == 0 && first->samples >= FEW;
    }
    const aic_racer *other = &race->racer[last];
    return left == 1 && other->samples >= FEW && (other->high < first->low || first->high < other->low);
}

/* One round; false when the race ends in the middle of it. */
static bool run_round(aic_race *race, const uint16_t *turn, size_t turns, bool *stopped)
{
    const aic_race_hooks *h = race->hooks;
    for (size_t t = 0; t < turns; t++) {
        if (h->now(h->user) >= race->until) {
            return false;
        }
        aic_racer *r = &race->racer[turn[t]];
        const double sample = h->measure(h->user, race->number != NULL ? race->number[turn[t]] : turn[t]);
        if (sample > 0) {
            aic_racer_add(r, sample);
        } else {
            r->broken = true;
        }
        if (h->goes_on != NULL && !h->goes_on(h->user)) {
            *stopped = true;
            return false;
        }
    }
    return true;
}

bool aic_race_run(aic_race *race)
{
    enum { RACERS_MAX = 1024 };
    uint16_t turn[RACERS_MAX];
    size_t turns;
    bool stopped = false, whole = true;
    if (race->count > RACERS_MAX) {
        race->count = RACERS_MAX;
    }
    drop_the_slow(race);
    while (whole && !is_decided(race) && !race->racer[0].broken && (turns = draw_turns(race, turn)) > 0) {
        whole = run_round(race, turn, turns, &stopped);
        drop_the_slow(race);
    }
    return !stopped;
}

/* ---- which kernel is picked ---- */

/* A list that keeps the entries of lowest rank, sorted. */
typedef struct ranking {
    aic_tune_pick *picked;
    size_t count, most;
} ranking;

static void rank_entry(ranking *list, size_t entry, double rank)
{
    size_t at = list->count;
    while (at > 0 && list->picked[at - 1].rank > rank) {
        at--;
    }
    if (at == list->most) {
        return;
    }
    list->count += list->count < list->most;
    for (size_t k = list->count - 1; k > at; k--) {
        list->picked[k] = list->picked[k - 1];
    }
    list->picked[at] = (aic_tune_pick){entry, rank};
}

size_t aic_tune_pick_tiles(const aic_space_list *space, size_t most, aic_tune_pick *picked)
{
    ranking list = {.picked = picked, .most = most};
    for (size_t i = 0; i < space->count; i++) {
        if (space->entry[i].represents) {
            rank_entry(&list, i, space->entry[i].cost);
        }
    }
    return list.count;
}

/* In how many fields two schedules differ. */
static unsigned distance(const aic_space_list *space, const aic_space_entry *a, const aic_space_entry *b)
{
    unsigned differ = 0;
    for (size_t f = 0; f < space->fields; f++) {
        differ += a->field[f] != b->field[f];
    }
    return differ;
}

size_t aic_tune_pick_loops(const aic_space_list *space, size_t near, const bool *taken, size_t most,
                           aic_tune_pick *picked)
{
    ranking list = {.picked = picked, .most = most};
    const aic_space_entry *centre = &space->entry[near];
    double dearest = 1;
    for (size_t i = 0; i < space->count; i++) {
        dearest = space->entry[i].cost > dearest ? space->entry[i].cost : dearest;
    }
    for (size_t i = 0; i < space->count; i++) {
        const aic_space_entry *entry = &space->entry[i];
        if (!taken[i] && i != near && entry->tile == centre->tile) {
            /* The share of the cost is below 1: it decides among those that differ in equally many fields only. */
            rank_entry(&list, i, distance(space, entry, centre) + entry->cost / (2 * dearest));
        }
    }
    return list.count;
}
