/* Kernels that move more than they compute, against a plain copy of the same bytes, read and written together, in one
 * run: the better of memcpy and a loop of vectors. Sizes that live in the second-level cache, in the third, and in
 * memory. Results are compared with the reference before they are timed. */
#pragma once

#include "tests/bench/common.h"

typedef struct copy_row {
    const char *name;
    int target;                        /* which of the targets is its */
    const char *spec[3];               /* about 0.5, 8 and 128 MiB, all operands together */
    void (*prepare)(bench_data *data); /* changes the random inputs; NULL: nothing */
} copy_row;

typedef struct copy_target {
    const char *name; /* NULL behind the last */
    double ratio;     /* of the copy's speed */
} copy_target;

enum { COPY_TARGETS_MAX = 4 };

/* A main program: reads the options of bench_parse() (--layer chooses by name), prints a line a row and size, then
 * whether the targets are met. Returns the exit status. */
int copy_compare(int argc, char **argv, const copy_row *row, size_t rows, const copy_target *target);
