/* What tests of choices (aic/choices.def) share. */
#pragma once

#include "tools/harness/verify.h"

/* The defaults but for one choice. */
aic_semantics choice_made(const char *key, const char *value);

/* The result of the reference under semantics, of the case's operands; free(). */
void *choice_result(const verify_case *c, const aic_semantics *semantics);

/* Whether kernels compute every value of a choice. */
bool choice_in_kernels(const char *key);
