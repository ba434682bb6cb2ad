/* Where two tensors differ, and how far. */
#include "tools/laboratory/spread.h"

#include "tools/harness/fail.h"
#include "tools/report/page.h"

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

/* The index of an element along an axis of the spread, from its coordinates. */
static int64_t index_of(const spread *s, int32_t axis, const int64_t at[AIC_AXES_MAX])
{
    const spread_axis *a = &s->axis[axis];
    return a->outer < 0 ? at[a->inner] : at[a->outer] * s->coordinates->axis[a->inner].size + at[a->inner];
}

/* The bucket of a distance that is not 0. */
static size_t bucket_of(uint64_t distance)
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

/* "1", "3..4", "NaN and a number". */
enum { BUCKET_TEXT = 64 };

static void bucket_text(size_t bucket, char text[BUCKET_TEXT])
{
    if (bucket == SPREAD_NAN) {
        (void)snprintf(text, BUCKET_TEXT, "NaN and a number");
    } else if (bucket < 2) {
        (void)snprintf(text, BUCKET_TEXT, "%zu", bucket + 1);
    } else {
        const uint64_t half = UINT64_C(1) << (bucket - 1);
        (void)snprintf(text, BUCKET_TEXT, "%" PRIu64 "..%" PRIu64, half + 1, 2 * half);
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
        s->bucket[bucket_of(distance)] += distance != 0;
        if (marks[e] != 0 && !aic_coordinates_find(coordinates, e, at)) {
            s->between++;
        } else if (marks[e] != 0) {
            for (int32_t d = 0; d < s->axes; d++) {
                s->axis[d].count[index_of(s, d, at)]++;
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
        char text[BUCKET_TEXT];
        if (s->bucket[i] > 0) {
            bucket_text(i, text);
            printf("  %-16s %" PRId64 "\n", text, s->bucket[i]);
        }
    }
}

/* ---- the page ---- */

enum { ACROSS_MAX = 96, DOWN_MAX = 64, CELL = 9, LEFT = 60, TOP = 24 };

/* A cell of the map: elements of some columns of the last axis and some rows of all others. */
typedef struct cell {
    int64_t differing;
    uint64_t most; /* the largest distance */
} cell;

typedef struct map {
    const spread *s;
    int32_t across;                /* the axis of the spread from left to right */
    int64_t columns, rows;         /* indices; rows: those of all other axes */
    int64_t column_step, row_step; /* indices of a cell */
    int64_t cells_across, cells_down;
    cell *cell;
} map;

/* The number of an element's row: its indices along all axes but the one across. */
static int64_t row_of(const map *m, const int64_t *at)
{
    int64_t row = 0;
    for (int32_t d = 0; d < m->s->axes; d++) {
        if (d != m->across) {
            row = row * m->s->axis[d].size + index_of(m->s, d, at);
        }
    }
    return row;
}

static void fill_map(map *m)
{
    const spread *s = m->s;
    const size_t size = aic_dtype_size(s->tensor->dtype);
    for (int64_t e = 0; e < s->tensor->elements; e++) {
        int64_t at[AIC_AXES_MAX];
        if (s->marks[e] == 0 || !aic_coordinates_find(s->coordinates, e, at)) {
            continue;
        }
        const int64_t x = index_of(s, m->across, at) / m->column_step, y = row_of(m, at) / m->row_step;
        const uint64_t distance = compare_distance(s->tensor->dtype, (const unsigned char *)s->a + (size_t)e * size,
                                                   (const unsigned char *)s->b + (size_t)e * size);
        cell *c = &m->cell[y * m->cells_across + x];
        c->differing++;
        c->most = distance > c->most ? distance : c->most;
    }
}

static bool open_map(map *m, const spread *s)
{
    *m = (map){.s = s, .across = s->axes - 1, .rows = 1};
    for (int32_t d = 0; d < m->across; d++) {
        m->rows *= s->axis[d].size;
    }
    m->columns = m->across < 0 ? 0 : s->axis[m->across].size;
    if (m->columns < 1 || m->rows < 1) {
        return false;
    }
    m->column_step = (m->columns + ACROSS_MAX - 1) / ACROSS_MAX;
    m->row_step = (m->rows + DOWN_MAX - 1) / DOWN_MAX;
    m->cells_across = (m->columns + m->column_step - 1) / m->column_step;
    m->cells_down = (m->rows + m->row_step - 1) / m->row_step;
    m->cell = calloc((size_t)(m->cells_across * m->cells_down), sizeof *m->cell);
    if (m->cell != NULL) {
        fill_map(m);
    }
    return m->cell != NULL;
}

/* From pale for neighbouring values to dark for the largest distances. */
static const char *colour_of(uint64_t distance)
{
    static const char *const COLOURS[] = {"#fde0c5", "#f8b98a", "#ee8a56", "#d95b3a", "#b2332d", "#7f1423"};
    enum { LAST = sizeof COLOURS / sizeof *COLOURS - 1, STEP = 4 }; /* buckets of a colour */
    const size_t step = bucket_of(distance) / STEP;
    return COLOURS[step < LAST ? step : LAST];
}

static void put_range(FILE *out, int64_t cell_index, int64_t step, int64_t count)
{
    const int64_t first = cell_index * step, last = first + step < count ? first + step - 1 : count - 1;
    (void)fprintf(out, last > first ? "%" PRId64 "..%" PRId64 : "%" PRId64, first, last);
}

static void put_cell(FILE *out, const map *m, int64_t x, int64_t y)
{
    const cell *c = &m->cell[y * m->cells_across + x];
    char distance[BUCKET_TEXT];
    if (c->differing == 0) {
        return;
    }
    bucket_text(bucket_of(c->most), distance);
    (void)fprintf(out, "<rect x=%" PRId64 " y=%" PRId64 " width=%d height=%d fill='%s'><title>column ", LEFT + x * CELL,
                  TOP + y * CELL, CELL, CELL, colour_of(c->most));
    put_range(out, x, m->column_step, m->columns);
    (void)fprintf(out, ", row ");
    put_range(out, y, m->row_step, m->rows);
    (void)fprintf(out, ": %" PRId64 " differ, at most %s apart</title></rect>\n", c->differing, distance);
}

/* "howo" or "N, C, H": the axes from top to bottom. */
static void put_row_names(FILE *out, const map *m)
{
    const char *before = "";
    for (int32_t d = 0; d < m->s->axes; d++) {
        if (d != m->across) {
            (void)fprintf(out, "%s", before);
            page_text(out, m->s->axis[d].name[0] == '\0' ? "axis" : m->s->axis[d].name);
            before = ", ";
        }
    }
}

static void put_map(FILE *out, const spread *s)
{
    map m;
    if (!open_map(&m, s)) {
        return;
    }
    const int64_t width = m.cells_across * CELL, height = m.cells_down * CELL;
    (void)fprintf(out, "<figure><svg viewBox='0 0 %" PRId64 " %" PRId64 "' width=%" PRId64 ">\n", LEFT + width + 20,
                  TOP + height + 30, LEFT + width + 20);
    (void)fprintf(out, "<rect x=%d y=%d width=%" PRId64 " height=%" PRId64 " fill='#f4f4f4' stroke='#bbb'/>\n", LEFT,
                  TOP, width, height);
    for (int64_t y = 0; y < m.cells_down; y++) {
        for (int64_t x = 0; x < m.cells_across; x++) {
            put_cell(out, &m, x, y);
        }
    }
    (void)fprintf(out, "<text x=%d y=%d>", LEFT, TOP - 8);
    page_text(out, s->axis[m.across].name[0] == '\0' ? "last axis" : s->axis[m.across].name);
    (void)fprintf(out, " 0..%" PRId64 "</text>\n<text x=%d y=%" PRId64 ">", m.columns - 1, LEFT, TOP + height + 18);
    put_row_names(out, &m);
    (void)fprintf(out,
                  " from top to bottom, %" PRId64 " rows</text>\n</svg><figcaption>A cell stands for %" PRId64
                  " by %" PRId64 " elements; the darker, the larger the largest distance in it. Pointing at it "
                  "says how many differ.</figcaption></figure>\n",
                  m.rows, m.column_step, m.row_step);
    free(m.cell);
}

/* Distances and how many elements have each, with a bar. */
static void put_distances(FILE *out, const spread *s)
{
    enum { BAR = 240 };
    int64_t most = 1;
    for (size_t i = 0; i < SPREAD_BUCKETS; i++) {
        most = s->bucket[i] > most ? s->bucket[i] : most;
    }
    (void)fprintf(out, "<table><tr><th>values apart<th>elements<th>\n");
    for (size_t i = 0; i < SPREAD_BUCKETS; i++) {
        char text[BUCKET_TEXT];
        bucket_text(i, text);
        if (s->bucket[i] > 0) {
            (void)fprintf(out,
                          "<tr><td>%s<td>%" PRId64 "<td style='text-align:left'><span class=share style='width:%" PRId64
                          "px'></span>\n",
                          text, s->bucket[i], 1 + s->bucket[i] * BAR / most);
        }
    }
    (void)fprintf(out, "</table>\n");
}

/* Of each axis the indices with the most elements that differ. */
static void put_axes(FILE *out, const spread *s)
{
    enum { SHOWN = 8 };
    (void)fprintf(out, "<table><tr><th>axis<th>indices<th>that differ<th>the first of them (elements)\n");
    for (int32_t d = 0; d < s->axes; d++) {
        const spread_axis *axis = &s->axis[d];
        int64_t differing = 0;
        for (int64_t i = 0; i < axis->size; i++) {
            differing += axis->count[i] != 0;
        }
        (void)fprintf(out, "<tr><td>");
        page_text(out, axis->name);
        (void)fprintf(out, "<td>%" PRId64 "<td>%" PRId64 "<td>", axis->size, differing);
        for (int64_t i = 0, shown = 0; i < axis->size && shown < SHOWN; i++) {
            if (axis->count[i] != 0) {
                (void)fprintf(out, "%s%" PRId64 " (%" PRId64 ")", shown++ == 0 ? "" : ", ", i, axis->count[i]);
            }
        }
        (void)fprintf(out, "\n");
    }
    (void)fprintf(out, "</table>\n");
}

static void put_first(FILE *out, const spread_page *page)
{
    const spread *s = page->spread;
    const compare_element e = compare_element_at(s->tensor, s->coordinates, s->a, s->b, page->report->first[0]);
    (void)fprintf(out, "<h2>The first difference</h2>\n<p>%s: %s, expected %s.</p>\n", e.where, e.a, e.b);
    if (page->trace != NULL) {
        (void)fprintf(out, "<pre class=code>");
        page_text(out, page->trace);
        (void)fprintf(out, "</pre>\n");
    }
}

void spread_page_write(FILE *out, const void *from)
{
    const spread_page *page = from;
    char tensor[OPERAND_TEXT_MAX], names[OPERAND_TEXT_MAX];
    operand_text(page->spread->tensor, tensor);
    coordinates_names(page->spread->coordinates, names);
    page_begin(out, "compare", "");
    (void)fprintf(out, "<h1>aicjit compare: %" PRId64 " of %" PRId64 " elements differ</h1>\n<p class=code>",
                  page->report->different, page->report->compared);
    page_text(out, page->files[0]);
    (void)fprintf(out, "<br>");
    page_text(out, page->files[1]);
    (void)fprintf(out, "<br>%s %s</p>\n", tensor, names);
    if (page->operator_text != NULL) {
        page_code(out, page->operator_text);
    }
    if (page->report->different > 0) {
        (void)fprintf(out, "<h2>Where</h2>\n");
        put_map(out, page->spread);
        put_axes(out, page->spread);
        (void)fprintf(out, "<h2>How far</h2>\n");
        put_distances(out, page->spread);
        put_first(out, page);
    }
    page_end(out);
}
