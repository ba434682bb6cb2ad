/* From brightnesses to pictures. */
#ifndef AIC_DEMO_SHOW_H
#define AIC_DEMO_SHOW_H

#include "tools/demo/convolve.h"

/* Paints filter number `f` of the result. `out` has the input's size. */
int show_filter(const demo_result *result, int f, picture *out);

/* The results of the first of the jobs (int8) on one sheet, labelled: the input, every filter, the strength of the
 * edges from the horizontal and vertical ones; then what each job took, and a picture of where the second job (float16)
 * differs from the first. `largest` is that difference at its largest, in grey levels. */
int show_sheet(const demo_job *jobs, const demo_result *results, int count, const picture *in, double largest,
               picture *sheet);

#endif
