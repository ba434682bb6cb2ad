/* What a plan amounts to, for `aicjit explain`: loops, traffic, times. A model for people; nothing decides by it. */
#pragma once

#include "codegen/plan.h"

#include <stdio.h>

/* Something that a kernel touches again and again. Scope i keeps set[i] bytes; a cache that has room for them, but not
 * for set[i + 1], moves bytes[i] in a call. bytes[0], with set[0] = 0, is what instructions load and store. */
enum { AIC_STREAM_SCOPES = 3 };
typedef struct aic_stream {
    double bytes[AIC_STREAM_SCOPES], set[AIC_STREAM_SCOPES];
    unsigned scopes;
} aic_stream;

/* Adds a scope to a stream. */
void aic_stream_scope(aic_stream *stream, double set, double bytes);

/* Adds what a stream moves to the traffic of every level of the machine. */
void aic_stream_count(const aic_stream *stream, const aic_machine *machine, double bytes[AIC_TRAFFIC_LEVELS]);

/* A line of a loop nest: "  for NAME: 8 times", and what `format`, not empty, says behind a comma. */
void aic_nest_line(FILE *out, int depth, const char *name, int64_t times, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The facts of a plan that has a schedule: all but the texts of schedule and report, and the origin. */
void aic_plan_facts_of(const aic_plan *plan, aic_explanation *facts);

/* Writes work, traffic, times and loops. */
void aic_explain_plan(FILE *out, const aic_plan *plan);

/* Vectors of `bytes` bytes and more that the target has not are refused, for shapes whose schedules name them. */
void aic_explain_vectors(FILE *out, const aic_target *target);
