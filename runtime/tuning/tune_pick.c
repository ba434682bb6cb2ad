/* Choosing what to measure; see tune_pick.h. */
#include "runtime/tuning/tune_pick.h"

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
