/* Schedules as data. */
#include "codegen/schedule.h"
#include "frontend/text/text.h"

aic_schedule aic_schedule_of(const aic_record *record, const void *fields, size_t bytes)
{
    aic_schedule schedule = {.record = record};
    memcpy(schedule.fields, fields, bytes);
    return schedule;
}

bool aic_schedule_equal(const aic_schedule *a, const aic_schedule *b)
{
    return aic_record_equal(a->record, a->fields, b->fields);
}

aic_status aic_schedule_print(const aic_schedule *schedule, char *buffer, size_t capacity)
{
    return aic_record_print(schedule->record, schedule->fields, buffer, capacity, NULL);
}

aic_status aic_schedule_read(const aic_record *record, const char *text, aic_schedule *schedule, uint64_t *given)
{
    aic_schedule read = {.record = record};
    uint64_t seen = 0;
    aic_fields_init(record->fields, record->count, read.fields, sizeof read.fields);
    aic_status status = aic_record_parse(record, text, read.fields, &seen);
    if (status == AIC_OK) {
        *schedule = read;
        *given = seen;
    }
    return status;
}

bool aic_schedule_is_whole(const aic_record *record, uint64_t given)
{
    bool whole = true;
    for (size_t f = 0; f < record->count; f++) {
        whole = whole && (!record->fields[f].required || (given >> f & 1) != 0);
    }
    return whole;
}

bool aic_schedule_agrees(const aic_schedule *a, const aic_schedule *b, uint64_t given)
{
    bool agrees = a->record == b->record;
    for (size_t f = 0; f < a->record->count && agrees; f++) {
        const aic_field *field = &a->record->fields[f];
        const bool named = (given >> f & 1) != 0;
        agrees = !named || aic_field_word(field, a->fields, 0) == aic_field_word(field, b->fields, 0);
    }
    return agrees;
}

void aic_schedule_overwrite(aic_schedule *schedule, const aic_schedule *from, uint64_t given)
{
    for (size_t f = 0; f < schedule->record->count; f++) {
        const aic_field *field = &schedule->record->fields[f];
        if ((given >> f & 1) != 0) {
            aic_field_set_word(field, schedule->fields, 0, aic_field_word(field, from->fields, 0));
        }
    }
}
