/* What is shown in the end: tables, and the pictures next to each other. */
#ifndef AIC_SUPERRES_REPORT_H
#define AIC_SUPERRES_REPORT_H

#include "tools/superres/race.h"

/* A line a layer: its convolution, operators, kernel, time on one thread, share of the vector unit's bound. */
void report_layers(const race *r, const race_times *times, const network *n, plan_mode mode);

/* A line an entrant: time on one thread and on all, how many times as fast as the peers, and how far its numbers are
 * from what `model` names, in decibels. */
void report_totals(const race_times *times, const double decibels[PLAN_MODES], const char *model);

/* The picture, its bicubic enlargement and the results next to each other, of large pictures the middle, as a file. An
 * exit status with a message. */
int report_sheet(const picture *in, picture *const out[PLAN_MODES], const char *path);

#endif
