/* Earlier measurements to compare with: files that `aicjit bench --json` wrote. */
#ifndef AIC_TOOLS_BENCH_COMPARE_H
#define AIC_TOOLS_BENCH_COMPARE_H

#include "tools/bench/bench_row.h"

#include <stdio.h>

typedef struct bench_earlier bench_earlier;

typedef struct bench_comparison {
    const char *path;
    bench_earlier *rows;
    size_t count;
    /* So far: rows that were found in the file, how many of them were faster or slower by more than the noise, and the
     * sum of the logarithms of the ratios. */
    size_t found, sought, faster, slower;
    double log_sum;
} bench_comparison;

/* Reads the file; the objects of other programs, without the keys that matter, are refused. Returns an exit status. */
int bench_comparison_open(bench_comparison *comparison, const char *path);
void bench_comparison_close(bench_comparison *comparison);

/* Fills in what the file says of the row's measurement: the same operator, level, threads and weights, and where the
 * schedule was given the same one. */
void bench_compare(bench_comparison *comparison, bench_row *row);

/* Prints how all rows compare in one line. */
void bench_comparison_report(const bench_comparison *comparison, FILE *stream);

#endif
