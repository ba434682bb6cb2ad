/* Two tensors, element by element. */
#pragma once

#include "tools/harness/element.h"
#include "tools/harness/operand_text.h"

/* Elements are alike when their bits are, when both are NaN, or when both are finite and one of these holds: |a - b| <=
 * atol + rtol * |b|, or they are at most `ulp` values of their type apart, where -0 comes next to 0. An infinity is
 * alike to the same infinity only, whatever the limits are. All 0: the bits decide. */
typedef struct compare_limits {
    double atol, rtol;
    int64_t ulp;
} compare_limits;

enum { COMPARE_SHOWN = 8 };

typedef struct compare_report {
    int64_t compared, different;
    int64_t first[COMPARE_SHOWN]; /* numbers of the first elements that are not alike */
    double largest, sum;          /* of the differences |a - b| that are numbers */
    int64_t largest_at;           /* -1: none is larger than 0 */
    uint64_t most_ulp;
} compare_report;

/* skip: an element's byte is not 0 where it is not looked at; NULL: all are. marks: an element's byte becomes 1 where
 * it is not alike, and is left alone elsewhere; NULL: none are wanted. */
void compare_tensors(const aic_operand *tensor, const void *a, const void *b, const unsigned char *skip,
                     const compare_limits *limits, compare_report *report, unsigned char *marks);

/* How far two elements are apart, in values of their type: 0 for the same bits and for two NaN, 1 for neighbours;
 * UINT64_MAX where one of them is NaN. */
uint64_t compare_distance(aic_dtype dtype, const void *a, const void *b);

/* An element of two tensors as people read it: where it is, what both have, and how far they are apart. */
typedef struct compare_element {
    char where[OPERAND_TEXT_MAX], a[ELEMENT_TEXT_MAX], b[ELEMENT_TEXT_MAX];
    uint64_t ulp;
} compare_element;

compare_element compare_element_at(const aic_operand *tensor, const aic_coordinates *coordinates, const void *a,
                                   const void *b, int64_t element);

/* Prints the first elements that are not alike, a line each: coordinates, both values and how far they are apart. */
void compare_print(const aic_operand *tensor, const aic_coordinates *coordinates, const void *a, const void *b,
                   const compare_report *report);
