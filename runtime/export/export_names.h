/* Names of exported kernels, and of what their header declares. */
#pragma once

#include "runtime/request/context.h"

#include <aic/export.h>

typedef struct aic_export_name {
    char text[AIC_EXPORT_NAME_MAX + 1];
} aic_export_name;

/* Whose names. */
typedef struct aic_export_request {
    size_t count;
    const aic_export_kernel *kernels;
    const aic_spec *shown; /* resolved, one a kernel */
    const aic_semantics *semantics;
} aic_export_request;

/* Checks the names that are given and makes the others, one a kernel. AIC_INVALID_ARGUMENT for one that is no
 * identifier or not free in C programs, and for two that would share a function or a macro; AIC_OUT_OF_MEMORY. */
aic_status aic_export_names(const aic_export_request *request, aic_export_name *name);

/* Whether a function of a program may have this name; else AIC_INVALID_ARGUMENT. */
aic_status aic_export_check_name(const char *name);

enum { AIC_EXPORT_MACRO_MAX = AIC_EXPORT_NAME_MAX + 64 };

/* The macros of a kernel, NAME_WHAT_BYTES, and of the header that has it as its first, AICJIT_NAME_KERNELS_H; all in
 * capitals. */
void aic_export_macro(const char *name, const char *what, char macro[AIC_EXPORT_MACRO_MAX]);
void aic_export_guard(const char *name, char macro[AIC_EXPORT_MACRO_MAX]);

/* Why no program could use a function of this name beside what every program has: "is a keyword", of C or C++; NULL: it
 * could. */
const char *aic_export_reserved(const char *name);

/* ---- levels ---- */

enum { AIC_EXPORT_LEVELS_MAX = 16 };

typedef struct aic_export_levels {
    const aic_target *target[AIC_EXPORT_LEVELS_MAX]; /* ascending, of one architecture */
    size_t count;
    const char *triple; /* NULL before: the host's */
} aic_export_levels;

/* Reads "sse2,avx2"; isa NULL: the context's level, or the lowest of the triple's architecture. */
aic_status aic_export_choose_levels(const aic_context *context, const char *isa, aic_export_levels *to);
