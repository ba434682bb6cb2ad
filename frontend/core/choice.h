/* Choices of semantics, for the library; see aic/choice.h. */
#pragma once

#include "frontend/core/stage.h"
#include <aic/choice.h>

/* Whether a stage's result can depend on the choice `key` of the semantics; in frontend/ops/choices.c. */
bool aic_stage_choice_matters(const aic_stage *stage, const aic_semantics *semantics, const char *key);

enum { AIC_CHOICES_TEXT_MAX = 512 }; /* holds what aic_semantics_print_choices() writes */

/* AIC_UNSUPPORTED where a kernel of a resolved specification would have to compute a choice that only the reference
 * computes. */
aic_status aic_choices_check(const aic_spec *resolved, const aic_semantics *semantics);
