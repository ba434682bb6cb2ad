/* Where two tensors differ, and how far. */
#include "tools/laboratory/spread.h"

#include "tools/harness/compare.h"
#include "tools/harness/fail.h"
#include "tools/harness/operand_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Axes that count together. */
static const struct {
    const char *outer, *inner, *name;
} pairs[] = {
    {"Cout/16", "Cout%16", "Cout"},
    {"C1", "C0", "C"},
    {"N1", "n0", "n"},
    {"M1", "m0", "m"},
    {"K1", "k0", "k"},
    {"R1", "r0", "row"},
    {"C1", "c0", "column"},
    {"N/4", "N%4", "N"},
    {"N/2", "N%2", "N"},
};

enum { PAIRS = sizeof pairs / sizeof pairs[0], RANGES_SHOWN = 8 };

/* The pair whose inner axis this is, PAIRS for none; *outer: the other one. */
static size_t pair_of(const aic_coordinates *c, int32_t inner, int32_t *outer)
{
    size_t p = 0;
    for (; p < PAIRS; p++) {
        *outer = coordinates_axis(c, pairs[p].outer);
        if (*outer >= 0 && strcmp(c->axis[inner].name, pairs[p].inner) == 0) {
            break;
        }
    }
    return p;
}

static bool is_outer(const aic_coordinates *c, int32_t d)
{
    for (int32_t inner = 0; inner < c->rank; inner++) {
        int32_t outer;
        if (pair_of(c, inner, &outer) < PAIRS && outer == d) {
            return true;
        }
    }
    return false;
}

static int open_axes(spread *s)
{
    const aic_coordinates *c = s->coordinates;
    for (int32_t d = 0; d < c->rank; d++) {
        int32_t outer = -1;
        const size_t pair = pair_of(c, d, &outer);
        if (is_outer(c, d)) {
            continue;
        }
        spread_axis *axis = &s->axis[s->axes++];
        *axis = (spread_axis){.name = pair < PAIRS ? pairs[pair].name : c->axis[d].name,
                              .outer = pair < PAIRS ? outer : -1,
                              .inner = d,
                              .size = c->axis[d].size * (pair < PAIRS ? c->axis[outer].size : 1)};
        axis->count = calloc((size_t)axis->size + 1, sizeof *axis->count);
        if (axis->count == NULL) {
            return cli_fail_memory("compare", (uint64_t)axis->size * sizeof *axis->count);
        }
    }
    return CLI_DONE;
}

int64_t spread_index(const spread *s, int32_t axis, const int64_t at[AIC_AXES_MAX])
{
    const spread_axis *a = &s->axis[axis];
    return a->outer < 0 ? at[a->inner] : at[a->outer] * s->coordinates->axis[a->inner].size + at[a->inner];
}

size_t spread_bucket_of(uint64_t distance)
{
    size_t bucket = 0;
    if (distance == UINT64_MAX) {
        return SPREAD_NAN;
    }
    for (uint64_t above = distance - 1; above > 0; above >>= 1) {
        bucket++;
    }
    return bucket;
}

void spread_bucket(size_t bucket, char text[SPREAD_BUCKET_TEXT])
{
    if (bucket == SPREAD_NAN) {
        (void)snprintf(text, SPREAD_BUCKET_TEXT, "NaN and a number");
    } else if (bucket < 2) {
        (void)snprintf(text, SPREAD_BUCKET_TEXT, "%zu", bucket + 1);
    } else {
        const uint64_t half = UINT64_C(1) << (bucket - 1);
        (void)snprintf(text, SPREAD_BUCKET_TEXT, "%" PRIu64 "..%" PRIu64, half + 1, 2 * half);
    }
}

int spread_open(spread *s, const aic_operand *tensor, const aic_coordinates *coordinates, const void *a, const void *b,
                const unsigned char *marks)
{
    const size_t size = aic_dtype_size(tensor->dtype);
    *s = (spread){.tensor = tensor, .coordinates = coordinates, .a = a, .b = b, .marks = marks};
    const int status = open_axes(s);
    for (int64_t e = 0; status == CLI_DONE && e < tensor->elements; e++) {
        int64_t at[AIC_AXES_MAX];
        const size_t offset = (size_t)e * size;
        const uint64_t distance =
            compare_distance(tensor->dtype, (const unsigned char *)a + offset, (const unsigned char *)b + offset);
        s->bucket[spread_bucket_of(distance)] += distance != 0;
        if (marks[e] != 0 && !aic_coordinates_find(coordinates, e, at)) {
            s->between++;
        } else if (marks[e] != 0) {
            for (int32_t d = 0; d < s->axes; d++) {
                s->axis[d].count[spread_index(s, d, at)]++;
            }
        }
    }
    return status;
}

void spread_close(spread *s)
{
    for (int32_t d = 0; d < s->axes; d++) {
        free(s->axis[d].count);
    }
    *s = (spread){.axes = 0};
}

/* ---- text ---- */

/* "2 of 32: 5 (144), 17..19 (3)": the indices with differences, neighbours together. */
static void print_axis(const spread_axis *axis)
{
    int64_t differing = 0;
    int ranges = 0;
    for (int64_t i = 0; i < axis->size; i++) {
        differing += axis->count[i] != 0;
    }
    printf("  %-8s %" PRId64 " of %" PRId64 ":", axis->name[0] == '\0' ? "axis" : axis->name, differing, axis->size);
    for (int64_t i = 0; i < axis->size; i++) {
        int64_t last = i, elements = axis->count[i];
        if (elements == 0) {
            continue;
        }
        while (last + 1 < axis->size && axis->count[last + 1] != 0) {
            elements += axis->count[++last];
        }
        if (ranges++ == RANGES_SHOWN) {
            printf(", ...");
            break;
        }
        printf("%s %" PRId64, ranges == 1 ? "" : ",", i);
        if (last > i) {
            printf("..%" PRId64, last);
        }
        printf(" (%" PRId64 ")", elements);
        i = last;
    }
    printf("\n");
}

void spread_print(const spread *s)
{
    printf("where (elements that differ):\n");
    for (int32_t d = 0; d < s->axes; d++) {
        if (s->axis[d].size > 1) {
            print_axis(&s->axis[d]);
        }
    }
    if (s->between > 0) {
        printf("  between rows or blocks: %" PRId64 "\n", s->between);
    }
    printf("distances, in values of the type (ulp):\n");
    for (size_t i = 0; i < SPREAD_BUCKETS; i++) {
        char text[SPREAD_BUCKET_TEXT];
        if (s->bucket[i] > 0) {
            spread_bucket(i, text);
            printf("  %-16s %" PRId64 "\n", text, s->bucket[i]);
        }
    }
}
