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
    return a->record == b->record && memcmp(a->fields, b->fields, sizeof a->fields) == 0;
}

aic_status aic_schedule_print(const aic_schedule *schedule, char *buffer, size_t capacity)
{
    return aic_record_print(schedule->record, schedule->fields, buffer, capacity, NULL);
}

aic_status aic_schedule_read(const aic_record *record, const char *text, aic_schedule *schedule)
{
    aic_schedule read = {.record = record};
    aic_fields_init(record->fields, record->count, read.fields, sizeof read.fields);
    aic_status status = aic_record_parse(record, text, read.fields);
    if (status == AIC_OK) {
        *schedule = read;
    }
    return status;
}
