/* The tables of `aicjit tune`; see tune_table.h. */
#include "tools/tune_table.h"

#include "tools/harness/interrupt.h"
#include "tools/harness/timer.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { ROWS_LIVE = 5, ROWS_FINAL = 10, BAR = 20, LINE_MAX_BYTES = 512, COLUMNS_DEFAULT = 80 };

static const char *const STATES[] = {[AIC_TUNE_STATE_PREDICTED] = "",
                                     [AIC_TUNE_STATE_RACING] = "",
                                     [AIC_TUNE_STATE_DROPPED] = "dropped",
                                     [AIC_TUNE_STATE_WRONG] = "WRONG",
                                     [AIC_TUNE_STATE_FAILED] = "failed"};

/* ---- rows ---- */

static void put_head(char line[LINE_MAX_BYTES])
{
    (void)snprintf(line, LINE_MAX_BYTES, "%5s %11s %23s %7s %11s  %-8s %s", "rank", "median us", "95 % interval",
                   "gain", "predicted", "", "schedule");
}

static void put_row(char line[LINE_MAX_BYTES], const aic_tune_result *result, size_t i)
{
    const aic_tune_candidate *c = aic_tune_candidate_at(result, i);
    char median[32] = "-", interval[48] = "-", gain[32] = "-";
    if (c->samples > 0) {
        (void)snprintf(median, sizeof median, "%.3f", c->median_ns * 1e-3);
        (void)snprintf(interval, sizeof interval, "%.3f .. %.3f", c->low_ns * 1e-3, c->high_ns * 1e-3);
    }
    if (c->gain > 0) {
        (void)snprintf(gain, sizeof gain, "%.3f", c->gain);
    }
    (void)snprintf(line, LINE_MAX_BYTES, "%5zu %11s %23s %7s %11.4g  %-8s %s", i + 1, median, interval, gain,
                   c->predicted, c->is_default ? "default" : STATES[c->state], c->schedule);
}

/* ---- live ---- */

static int columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : COLUMNS_DEFAULT;
}

void tune_view_clear(tune_view *view)
{
    if (view->lines > 0) {
        (void)fprintf(stderr, "\033[%dA\033[J", view->lines);
        view->lines = 0;
    }
}

/* A line that does not wrap: what is too long for the terminal is cut. */
static void show_line(tune_view *view, const char *line)
{
    (void)fprintf(stderr, "%.*s\n", columns() - 1, line);
    view->lines++;
}

/* "tune 3 of 53 [######..............] 3.1 s left, 240 s in all", and the operator. */
static void show_bar(tune_view *view, const aic_tune_result *so_far, double left)
{
    char bar[BAR + 1], line[LINE_MAX_BYTES];
    const double part = so_far->seconds / (so_far->seconds + left + 1e-9);
    for (int i = 0; i < BAR; i++) {
        bar[i] = i < (int)(part * BAR) ? '#' : '.';
    }
    bar[BAR] = '\0';
    /* What a specification has taken on average, or, for the first one, what this one will. */
    const double before = (double)timer_now() * 1e-9 - view->began - so_far->seconds;
    const double each = view->number > 1 ? before / (double)(view->number - 1) : so_far->seconds + left;
    (void)snprintf(line, sizeof line, "tune %zu of %zu [%s] %.1f s left, %.0f s in all; %zu of %zu schedules tried",
                   view->number, view->total, bar, left, left + each * (double)(view->total - view->number),
                   so_far->measured, so_far->legal);
    show_line(view, line);
    show_line(view, view->spec);
}

bool tune_view_progress(void *user, const aic_tune_result *so_far, double left)
{
    tune_view *view = user;
    char line[LINE_MAX_BYTES];
    if (view->terminal) {
        tune_view_clear(view);
        show_bar(view, so_far, left);
        put_head(line);
        show_line(view, line);
        for (size_t i = 0; i < so_far->count && i < ROWS_LIVE; i++) {
            put_row(line, so_far, i);
            show_line(view, line);
        }
    }
    return !interrupt_requested();
}

/* ---- at the end ---- */

static void print_verdict(const aic_tune_result *r)
{
    switch (r->outcome) {
    case AIC_TUNE_OUTCOME_FASTER:
        printf("faster: %s, %.3f times the default's speed%s\n", r->schedule, r->gain, r->recorded ? ", recorded" : "");
        break;
    case AIC_TUNE_OUTCOME_DEFAULT:
        printf("default: nothing beats %s by more than the noise%s\n", r->schedule, r->recorded ? ", noted" : "");
        break;
    case AIC_TUNE_OUTCOME_KNOWN:
        printf("known: the file has %s, %.3f times the default's speed\n", r->schedule, r->gain);
        break;
    case AIC_TUNE_OUTCOME_UNMEASURED:
        printf("not measured: %s is the default\n", r->schedule);
        break;
    }
}

void tune_table_print(const char *spec, const aic_tune_result *result)
{
    char line[LINE_MAX_BYTES];
    printf("%s\n", spec);
    if (result->outcome != AIC_TUNE_OUTCOME_KNOWN) {
        printf("%zu legal schedules, %zu measured in %.1f s%s\n", result->legal, result->measured, result->seconds,
               result->stopped ? ", interrupted" : "");
        put_head(line);
        printf("%s\n", line);
    }
    for (size_t i = 0; i < result->count; i++) {
        const aic_tune_candidate *c = aic_tune_candidate_at(result, i);
        if (i < ROWS_FINAL || c->is_default || c->state == AIC_TUNE_STATE_WRONG) {
            put_row(line, result, i);
            printf("%s\n", line);
        }
    }
    print_verdict(result);
}
