/* The legal space of a problem as data; see codegen.h. */
#include "codegen/answers.h"
#include "codegen/shape.h"
#include "frontend/core/diag.h"
#include "frontend/core/list.h"

#include <stdlib.h>

/* Fields that shape the loops of a tile and around it, and not the tile itself. */
static const char *const LOOP_FIELDS[] = {"unroll", "band", "ahead"};

/* A list in the making. */
typedef struct filling {
    aic_space_list *list;
    uint32_t of_tile; /* bit f: field f shapes the tile */
    bool usual;       /* what the walk shows is usual */
    uint32_t *first;  /* an entry of every tile so far; room for as many as entries */
    aic_status status;
} filling;

static bool same_fields(const filling *f, const aic_space_entry *a, const aic_space_entry *b, uint32_t fields)
{
    for (size_t i = 0; i < f->list->fields; i++) {
        if ((fields >> i & 1) != 0 && a->field[i] != b->field[i]) {
            return false;
        }
    }
    return true;
}

/* Makes room for one entry more. */
static bool grow(filling *f)
{
    const size_t count = f->list->count;
    if (aic_list_grow(&f->list->entry, count, sizeof *f->list->entry) &&
        aic_list_grow(&f->first, count, sizeof *f->first)) {
        return true;
    }
    f->status = aic_fail_memory("the list of schedules", 2 * count * (sizeof *f->list->entry + sizeof *f->first));
    return false;
}

/* The number of the entry's tile. Walks show the schedules of a tile one after the other: the last is looked at first.
 */
static uint32_t tile_of(filling *f, const aic_space_entry *entry)
{
    aic_space_list *list = f->list;
    for (size_t t = list->tiles; t > 0; t--) {
        if (same_fields(f, &list->entry[f->first[t - 1]], entry, f->of_tile)) {
            return (uint32_t)(t - 1);
        }
    }
    f->first[list->tiles] = (uint32_t)list->count;
    return (uint32_t)list->tiles++;
}

/* The visitor of both walks. The usual schedules come first and are few; the second walk shows them again. */
static bool see(void *user, const aic_plan *plan)
{
    filling *f = user;
    aic_space_list *list = f->list;
    const aic_record *record = plan->schedule.record;
    aic_space_entry entry = {.cost = plan->cost, .usual = f->usual};
    for (size_t i = 0; i < record->count; i++) {
        entry.field[i] = aic_field_word(&record->fields[i], plan->schedule.fields, 0);
    }
    const size_t known = f->usual ? list->count : list->usual;
    for (size_t i = 0; i < known; i++) {
        if (same_fields(f, &list->entry[i], &entry, ~0u)) {
            return true;
        }
    }
    if (list->count == AIC_SPACE_MAX || !grow(f)) {
        return false;
    }
    entry.tile = tile_of(f, &entry);
    f->status = aic_schedule_print(&plan->schedule, entry.text, sizeof entry.text);
    if (f->status == AIC_OK) {
        list->entry[list->count++] = entry;
    }
    return f->status == AIC_OK;
}

static uint32_t tile_fields(const aic_record *record)
{
    uint32_t mask = 0;
    for (size_t f = 0; f < record->count; f++) {
        bool loop = false;
        for (size_t i = 0; i < sizeof LOOP_FIELDS / sizeof *LOOP_FIELDS; i++) {
            loop = loop || strcmp(record->fields[f].name, LOOP_FIELDS[i]) == 0;
        }
        mask |= loop ? 0 : 1u << f;
    }
    return mask;
}

/* Chooses the representative of every tile. `first` is used up. */
static void choose_representatives(aic_space_list *list, uint32_t *first)
{
    for (size_t i = 0; i < list->count; i++) {
        const aic_space_entry *entry = &list->entry[i], *best = &list->entry[first[entry->tile]];
        if (entry->usual != best->usual ? entry->usual : entry->cost < best->cost) {
            first[entry->tile] = (uint32_t)i;
        }
    }
    for (size_t t = 0; t < list->tiles; t++) {
        list->entry[first[t]].represents = true;
    }
}

static aic_status fill(aic_plan *plan, aic_space_list *list)
{
    const aic_record *record = plan->shape->schedule;
    if (record->count > AIC_SPACE_FIELDS_MAX) {
        return aic_fail(AIC_INTERNAL, "schedule", "the shape %s has %zu fields", plan->shape->name, record->count);
    }
    filling f = {.list = list, .of_tile = tile_fields(record), .usual = true, .status = AIC_OK};
    list->fields = record->count;
    aic_plan_enumerate(plan, AIC_SPACE_USUAL, &(aic_visitor){.visit = see, .user = &f});
    list->usual = list->count;
    f.usual = false;
    if (f.status == AIC_OK) {
        aic_plan_enumerate(plan, AIC_SPACE_LEGAL, &(aic_visitor){.visit = see, .user = &f});
    }
    if (f.status == AIC_OK) {
        choose_representatives(list, f.first);
    }
    free(f.first);
    return f.status;
}

aic_status aic_answer_space(const aic_problem *problem, aic_space_list *list)
{
    aic_plan *plan;
    aic_status status = aic_plan_create(problem, &plan);
    if (status != AIC_OK) {
        return status;
    }
    aic_space_list made = {.count = 0};
    status = fill(plan, &made);
    aic_plan_free(plan);
    if (status == AIC_OK) {
        *list = made;
    } else {
        free(made.entry);
    }
    return status;
}
