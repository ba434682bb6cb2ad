/* Between the files of the report: text and drawings of the page. */
#pragma once

#include "tools/report/report.h"

#include <stdio.h>

/* Writes text so that it is text in HTML, also within a quoted attribute. */
void page_text(FILE *out, const char *text);

/* Writes what `write` prints as the whole of the file, and makes it final. Messages begin with `subject`. Returns an
 * exit status. */
int page_write(outfile *file, const char *subject, void (*write)(FILE *out, const void *from), const void *from);

/* The page up to its heading, and its end; `style` adds to page_style. */
void page_begin(FILE *out, const char *title, const char *style);
void page_end(FILE *out);

/* A paragraph of text as it was written. */
void page_code(FILE *out, const char *text);

/* "3.42 ms", "91.0 us"; a label. */
typedef struct page_number {
    char text[64];
} page_number;
page_number page_time(double ns);

/* What a layer is called in labels: its name, or a short form of its text. */
page_number page_label(const report_layer *layer, size_t index);

/* The colour of layer number `index` in drawings of all layers. */
const char *page_colour(size_t index);

/* ---- axes ---- */

/* From values to positions, both logarithmic or both not. */
typedef struct page_axis {
    double low, high; /* values, both above 0 on a logarithmic axis */
    double from, to;  /* their positions */
    bool logarithmic;
} page_axis;

double page_at(const page_axis *axis, double value);

/* Widens low..high so that it holds the value. An axis with low > high is empty. */
void page_include(page_axis *axis, double value);

/* Draws the axis with its grid and labels: horizontal ones along `at`, the grid up to `other`. */
void page_axis_x(FILE *out, const page_axis *x, double at, double other, const char *title);
void page_axis_y(FILE *out, const page_axis *y, double at, double other, const char *title);

/* ---- points of a layer ---- */

/* The default, NULL when there is none; the one that a search has chosen, else the measured point with the least
 * median, NULL when nothing was measured. */
const report_point *page_default(const report_layer *layer);
const report_point *page_best(const report_layer *layer);

/* How much faster the best is than the default; 0: not known. */
double page_gain(const report_layer *layer);

/* Share of the peak that a call of this time has; 0: not known. */
double page_share(const report_layer *layer, double ns);

/* ---- parts of the page ---- */

extern const char page_style[];
void page_machine(FILE *out, const report *r);
void page_table(FILE *out, const report *r);
void page_roofline(FILE *out, const report *r);
void page_scatter(FILE *out, const report *r);
void page_bars(FILE *out, const report_layer *layer);

/* The heat map; the context predicts tiles that were not measured. */
void page_tiles(FILE *out, aic_context *context, const report_layer *layer);
