/* Schedules: how a specification is cut for a target. Every shape of computation has its own fields, a list in its
 * schedule.def; a schedule is data with a text form and never changes a result that is defined bit for bit. */
#pragma once

#include "frontend/core/field.h"
#include <aic/types.h>

/* Room for the fields of any shape. */
#define AIC_SCHEDULE_BYTES 96

typedef struct aic_schedule {
    const aic_record *record; /* the fields that it has */
    _Alignas(int64_t) unsigned char fields[AIC_SCHEDULE_BYTES];
} aic_schedule;

/* A schedule with the fields of the structure at `fields`, which `record` describes, in `bytes` bytes. */
aic_schedule aic_schedule_of(const aic_record *record, const void *fields, size_t bytes);

/* Whether two schedules of one shape are the same. */
bool aic_schedule_equal(const aic_schedule *a, const aic_schedule *b);

/* "schedule(kernel=vector, rows=1, cols=14, ...)", at most AIC_SCHEDULE_TEXT_MAX bytes. */
aic_status aic_schedule_print(const aic_schedule *schedule, char *buffer, size_t capacity);

/* Reads the text form of a schedule with these fields, of which any may be left out: bit f of *given says that field f
 * is there. Whether it fits a specification is not judged. */
aic_status aic_schedule_read(const aic_record *record, const char *text, aic_schedule *schedule, uint64_t *given);

/* Whether these are all fields that a schedule must have. */
bool aic_schedule_is_whole(const aic_record *record, uint64_t given);

/* Whether the given fields are the same in both; copies the given fields. */
bool aic_schedule_agrees(const aic_schedule *a, const aic_schedule *b, uint64_t given);
void aic_schedule_overwrite(aic_schedule *schedule, const aic_schedule *from, uint64_t given);
