/* What `aicjit bench` prints of a measurement: a line of a table or of JSON. */
#pragma once

#include "tools/harness/timer.h"

#include <aic/aic.h>

/* A measurement. Where a quantity does not apply or could not be measured it is 0. */
typedef struct bench_row {
    const char *spec; /* canonical text, or the path of a program */
    const char *name; /* of its benchmark line, else "" */
    bool again;       /* the line above is of the same operator: a table does not repeat it */
    bool packed;      /* its weights were packed before */
    aic_kernel_info info;
    int64_t macs, bytes;
    timer_result time;
    timer_clock clock;
    const char *peak_name; /* what speed is held against: "fp32", "fp64" or "copy" */
    double peak;           /* GMAC/s or, for "copy", GB/s, of as many threads as the kernel has */
    double bound_ns;       /* what no schedule can save, at the speed of the vector unit, and */
    double predicted_ns;   /* what the generator expects of this schedule */
    double ratio;          /* time of the reference of its race over its own; 1: it is the reference */
    double before_ns;      /* median of the row of --compare, and */
    int verdict;           /* 1: this is faster than that by more than the noise, -1: slower, 0: neither */
} bench_row;

/* Columns that are there only when they have something to say. */
typedef struct bench_columns {
    bool ratio, before, schedule;
} bench_columns;

void bench_print_head(const bench_columns *columns);
void bench_print_row(const bench_columns *columns, const bench_row *row);
void bench_print_json(const bench_row *row, const char *choices, bool compared);
