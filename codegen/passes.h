/* Pass pipelines as callers write them, judged before LLVM reads them: many of LLVM's passes crash by themselves, write
 * files or open windows. */
#pragma once

#include <aic/context.h>

/* AIC_OK for NULL, "" and a pipeline of accepted passes, in the syntax of `opt -passes`; else AIC_INVALID_ARGUMENT, and
 * the message names the pass. */
aic_status aic_passes_check(const char *text);
