/* Calls that several threads share, however small they are: one or two of every operator, with their reference's
 * results, called in every way. */
#pragma once

#include "tools/harness/verify.h"

#include <aic/aic.h>

enum { SHARED_ROWS = 17 };

/* Specifications of every operator. */
extern const char *const SHARED_ROW[SHARED_ROWS];

/* Before a test and after it: every call is shared, and AIC_NUM_THREADS is not set. */
void shared_begin(void);
void shared_end(void);

/* Contexts that are made from now on share what is large enough for it. */
void shared_as_usual(void);

/* Contexts; asserted. isa NULL: the best level. */
aic_context *shared_context_of(const aic_context_options *options);
aic_context *shared_context(int threads, const char *isa);

/* The operands of a row and what the reference makes of them; verify_close(). */
void shared_case_open(verify_case *c, const char *text);

aic_kernel *shared_kernel(aic_context *context, const verify_case *c);
int shared_threads(const aic_kernel *kernel);

/* A way to call: by aic_jit_OP(), by a handle, by a handle with packed operands. */
typedef enum shared_way { SHARED_BY_JIT, SHARED_BY_HANDLE, SHARED_BY_PACKED, SHARED_WAYS } shared_way;

/* Calls and returns the output, for free(). */
void *shared_output(aic_context *context, const verify_case *c, shared_way by);

/* Calls in every way and compares with the reference and, unless it is NULL, with the same bits. */
void shared_check(aic_context *context, const verify_case *c, const void *expected);
