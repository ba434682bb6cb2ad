/* Parts of the operator text shared by its reader and its printer. */
#pragma once

#include "frontend/core/field.h"

#include "frontend/core/stage.h"

/* Reads "name(key=value, ...)" into a structure whose fields hold their fallbacks. given NULL: what is required must be
 * there. Otherwise any field may be left out, and bit f of *given says that field f is there. */
aic_status aic_record_parse(const aic_record *record, const char *text, void *fields, uint64_t *given);

/* Writes it; buffer, capacity and length as aic_spec_print() has them. */
aic_status aic_record_print(const aic_record *record, const void *fields, char *buffer, size_t capacity,
                            size_t *length);

/* The same text in memory that free() takes, and that of a specification as aic_spec_print() writes it. */
aic_status aic_record_print_new(const aic_record *record, const void *fields, char **text);
aic_status aic_spec_print_new(const aic_spec *spec, char **text);
