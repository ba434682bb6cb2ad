/* The records that a context applies: read once, when the context is made; looked up once a compilation. */
#pragma once

#include "runtime/request/context.h"
#include "runtime/tuning/tune_record.h"

/* Reads the file of a context. A file that is not there, cannot be read or is damaged is no failure: no record applies,
 * and a warning says why. AIC_OUT_OF_MEMORY. *tuning is NULL when path is NULL or "". */
aic_status aic_tuning_open(const char *path, const aic_machine *machine, aic_tuning **tuning);
void aic_tuning_free(aic_tuning *tuning); /* NULL does nothing */

const char *aic_tuning_path(const aic_tuning *tuning); /* NULL for NULL */

/* The record for a specification as its kernel has it (aic_spec_resolve_kernel) on `target`; NULL: there is none, or
 * the default is best. Whether its schedule fits is not known yet. AIC_OUT_OF_MEMORY. */
aic_status aic_tuning_look_up(const aic_context *context, const aic_spec *spec, const aic_target *target,
                              const aic_tune_record **record);

/* Puts NULL in the place of a record whose schedule does not fit, which leaves a warning, or is the default rule's.
 * Asks the generator (generator.h). AIC_OUT_OF_MEMORY. */
aic_status aic_tuning_check(const aic_context *context, const aic_spec *spec, const aic_target *target,
                            const aic_tune_record **record);

/* Both; NULL for another architecture than the host's: what is measured here applies here only. */
aic_status aic_tuning_find(const aic_context *context, const aic_spec *spec, const aic_target *target,
                           const aic_tune_record **record);

/* Where a schedule comes from. */
extern const char aic_origin_default[], aic_origin_tuned[], aic_origin_given[];
