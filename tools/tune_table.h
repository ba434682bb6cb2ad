/* What `aicjit tune` shows: a table of the fastest schedules, live on a terminal and once more at the end. */
#ifndef AIC_TOOLS_TUNE_TABLE_H
#define AIC_TOOLS_TUNE_TABLE_H

#include <aic/aic.h>

/* A batch on a terminal: what has been done, and for how long. */
typedef struct tune_view {
    bool terminal;        /* standard error is one */
    int lines;            /* that stand on it now */
    size_t number, total; /* of the specification that is searched, from 1; of all */
    double began;         /* seconds of a clock, when the batch did */
    const char *spec;     /* its text */
} tune_view;

/* An aic_tune_progress; user is the tune_view. False when a signal has come that ends the work. */
bool tune_view_progress(void *view, const aic_tune_result *so_far, double left);

/* Wipes what stands on the terminal. */
void tune_view_clear(tune_view *view);

/* Prints the result of a specification: its table and the verdict. */
void tune_table_print(const char *spec, const aic_tune_result *result);

#endif
