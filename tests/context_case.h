/* Contexts of tests about contexts. */
#pragma once

#include "tests/conv_case.h"

/* A context with these options, which must be right. */
aic_context *context_new(const aic_context_options *options);

/* Calls the convolution in the context and checks the result. */
void run_in(aic_context *context, conv_case *c);

/* A fixture: tests change the environment, and in one process the next must find it as it was. */
void save_environment(void);
void restore_environment(void);
