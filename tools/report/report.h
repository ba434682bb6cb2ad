/* One self-contained HTML page on measurements of operators: what `--report FILE.html` of bench and tune writes. It
 * uses nothing from outside: no script, no font, no picture that is not in it. */
#pragma once

#include "tools/harness/outfile.h"

#include <aic/aic.h>

#define REPORT_SCHEDULE_MAX 160

/* A schedule of an operator on an instruction set level. */
typedef struct report_point {
    char schedule[REPORT_SCHEDULE_MAX]; /* canonical */
    char isa[16];
    const char *state; /* "" or why it is out of the race, static storage */
    bool is_default;   /* what runs when nobody says otherwise */
    bool is_chosen;    /* what a search has found to be the best; without one the fastest is */
    /* Of one call; the interval is that in which the median lies with 95 %. 0: not measured. */
    double median_ns, low_ns, high_ns;
    double predicted_ns; /* what the generator expects of it; 0: not known */
} report_point;

/* An operator. */
typedef struct report_layer {
    char *spec, *name; /* canonical text; of its benchmark line, or "" */
    aic_spec *value;
    const char *peak_name; /* what its speed is held against, and how much that is: GMAC/s, or GB/s of "copy" */
    double peak;
    double bound_ns; /* what no schedule can save; 0: not known */
    int64_t macs, bytes;
    int threads;
    const char *note; /* "" or what the table says in place of a gain, static storage */
    double gain;      /* of the best over the default, as a search has judged it; 0: follows from the points */
    report_point *point;
    size_t count;
} report_layer;

enum { REPORT_MEMORIES = 4 };

/* The machine and its limits on one thread. */
typedef struct report_machine {
    char processor[128], date[32];
    const char *isa;
    double fp32, fp64; /* GMAC/s */
    struct {
        const char *name;
        int64_t bytes; /* that were copied, read and written */
        double rate;   /* GB/s, the two together */
    } memory[REPORT_MEMORIES];
} report_machine;

typedef struct report {
    const char *command; /* "bench" or "tune" */
    aic_context *context;
    outfile file;
    report_machine machine;
    report_layer *layer;
    size_t count;
} report;

/* Each returns an exit status.
 * open     begins the file, so that a path that cannot be written fails before the work. A report that was not opened
 *          is one with file.fd -1
 * measure  measures the machine, some tenths of a second
 * add      adds an operator without points. *layer is valid until the next one; its text is freed with the report
 * point    adds a schedule to it
 * write    makes the file final; `whole` false: in little time, without the tiles that must be predicted */
int report_open(report *r, const char *command, const char *path);
int report_measure(report *r, aic_context *context);
int report_add(report *r, const aic_spec *spec, const char *text, const char *name, report_layer **layer);
int report_add_point(report_layer *layer, const report_point *point);
int report_write(report *r, bool whole);
void report_close(report *r);
