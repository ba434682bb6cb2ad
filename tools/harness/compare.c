/* Two tensors, element by element. */
#include "tools/harness/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* More says nothing that the values do not. */
enum { ULP_SHOWN = 1 << 20 };

/* The rank of an element among all values of its type, from the least to the largest: integers in their order, floats
 * in that of their values, -0 before 0. The sign bit turned over puts what has none behind what has one; below it,
 * floats with a sign count downwards. */
static uint64_t rank_of(aic_dtype dtype, const void *at)
{
    const size_t size = aic_dtype_size(dtype);
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);
    uint64_t bits = 0;
    memcpy(&bits, at, size); /* little-endian */
    if (element_is_float(dtype)) {
        return bits & sign ? sign - 1 - (bits & ~sign) : bits | sign;
    }
    return element_is_signed(dtype) ? bits ^ sign : bits;
}

uint64_t compare_distance(aic_dtype dtype, const void *a, const void *b)
{
    if (element_equal(dtype, a, b)) {
        return 0;
    }
    if (element_is_float(dtype) && (isnan(element_to_double(dtype, a)) || isnan(element_to_double(dtype, b)))) {
        return UINT64_MAX;
    }
    const uint64_t x = rank_of(dtype, a), y = rank_of(dtype, b);
    return x > y ? x - y : y - x;
}

static bool alike(const compare_limits *limits, uint64_t ulp, double a, double b)
{
    const double most = limits->atol + limits->rtol * fabs(b);
    const aic_allowed allowed = aic_allowed_within(b, most);
    const bool near = ulp <= (uint64_t)limits->ulp && isfinite(a) && isfinite(b);
    return near || (most > 0 && aic_is_allowed(&allowed, a));
}

void compare_tensors(const aic_operand *tensor, const void *a, const void *b, const unsigned char *skip,
                     const compare_limits *limits, compare_report *report, unsigned char *marks)
{
    const size_t size = aic_dtype_size(tensor->dtype);
    const unsigned char *x = a, *y = b;
    *report = (compare_report){.largest_at = -1};
    for (int64_t i = 0; i < tensor->elements; i++, x += size, y += size) {
        if (skip != NULL && skip[i] != 0) {
            continue;
        }
        report->compared++;
        const uint64_t ulp = compare_distance(tensor->dtype, x, y);
        if (ulp == 0) {
            continue;
        }
        const double va = element_to_double(tensor->dtype, x), vb = element_to_double(tensor->dtype, y);
        const double difference = fabs(va - vb);
        if (!isnan(difference)) { /* of a NaN and a number, or of two infinities */
            report->sum += difference;
            report->largest_at = difference > report->largest ? i : report->largest_at;
            report->largest = difference > report->largest ? difference : report->largest;
        }
        report->most_ulp = ulp > report->most_ulp ? ulp : report->most_ulp;
        if (!alike(limits, ulp, va, vb)) {
            if (report->different < COMPARE_SHOWN) {
                report->first[report->different] = i;
            }
            report->different++;
            if (marks != NULL) {
                marks[i] = 1;
            }
        }
    }
}

compare_element compare_element_at(const aic_operand *tensor, const aic_coordinates *coordinates, const void *a,
                                   const void *b, int64_t element)
{
    const size_t at = (size_t)element * aic_dtype_size(tensor->dtype);
    const unsigned char *x = (const unsigned char *)a + at, *y = (const unsigned char *)b + at;
    compare_element made = {.ulp = compare_distance(tensor->dtype, x, y)};
    coordinates_text(coordinates, element, made.where);
    element_text(tensor->dtype, x, made.a);
    element_text(tensor->dtype, y, made.b);
    return made;
}

void compare_print(const aic_operand *tensor, const aic_coordinates *coordinates, const void *a, const void *b,
                   const compare_report *report)
{
    const int64_t shown = report->different < COMPARE_SHOWN ? report->different : COMPARE_SHOWN;
    for (int64_t s = 0; s < shown; s++) {
        const compare_element e = compare_element_at(tensor, coordinates, a, b, report->first[s]);
        printf("  %s  %s  expected %s", e.where, e.a, e.b);
        if (e.ulp <= ULP_SHOWN) {
            printf(", %" PRIu64 " ulp", e.ulp);
        }
        printf("\n");
    }
    if (report->different > shown) {
        printf("  ... and %" PRId64 " more\n", report->different - shown);
    }
}
