/* Where two tensors differ, and how far: by axis and by distance. */
#pragma once

#include "tools/harness/compare.h"

#include <stdio.h>

/* An axis, or two that count together: blocks of channels and the channels of a block are the channels. */
typedef struct spread_axis {
    const char *name;
    int32_t outer, inner; /* of the coordinates; outer -1: inner alone */
    int64_t size;
    int64_t *count; /* by index: elements that differ */
} spread_axis;

/* Distances 1, 2, 3..4, 5..8, ... values of the type; the last bucket is a NaN against a number. */
enum { SPREAD_BUCKETS = 66, SPREAD_NAN = SPREAD_BUCKETS - 1 };

typedef struct spread {
    const aic_operand *tensor;
    const aic_coordinates *coordinates;
    const void *a, *b;
    const unsigned char *marks;
    int32_t axes;
    spread_axis axis[AIC_AXES_MAX];
    int64_t between; /* elements that differ and have no coordinates */
    int64_t bucket[SPREAD_BUCKETS];
} spread;

/* marks: an element's byte is not 0 where it counts as different (compare_tensors). The tensors and the coordinates
 * must outlive the spread. Returns an exit status. */
int spread_open(spread *s, const aic_operand *tensor, const aic_coordinates *coordinates, const void *a, const void *b,
                const unsigned char *marks);
void spread_close(spread *s);

/* Prints which indices of each axis differ, and how many elements each distance has. */
void spread_print(const spread *s);

/* What `aicjit compare --report` shows. */
typedef struct spread_page {
    const spread *spread;
    const compare_report *report;
    const char *files[2];
    const char *operator_text; /* as given; NULL: none is */
    const char *trace;         /* of the first difference; NULL: there is none */
} spread_page;

/* For page_write(); from is a spread_page. */
void spread_page_write(FILE *out, const void *from);
