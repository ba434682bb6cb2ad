#include "tools/superres/report.h"

#include "tools/harness/fail.h"
#include "tools/superres/resample.h"

#include <stdio.h>
#include <string.h>

enum { OPERATORS = 200, PANEL_MAX = 1024, LABEL = 26, GAP = 8, LETTER_SCALE = 2, INK = 0xe8e8e8 };

/* ---- tables ---- */

static void report_line(const race *r, const race_times *times, const network *n, plan_mode mode, int i)
{
    const plan *p = r->plan[mode][0];
    const double ns = times->layer[mode][i], bound = plan_layer_bound_ns(p, i) * r->tiles->across * r->tiles->down;
    char shape[24] = "", share[16] = "-", operators[OPERATORS];
    plan_layer_operators(p, i, operators, sizeof operators);
    if (i < n->count) {
        (void)snprintf(shape, sizeof shape, "%d->%d", n->layer[i].in, n->layer[i].out);
    }
    if (bound > 0 && ns > 0) {
        (void)snprintf(share, sizeof share, "%.1f", 100 * bound / ns);
    }
    printf("  %-10s %8s %9.3f %9s  %s\n", i < n->count ? n->layer[i].name : "picture", shape, ns * 1e-6, share,
           i == 0 || i >= n->count - 1 || strcmp(plan_layer_schedule(p, i), plan_layer_schedule(p, i - 1)) != 0
               ? plan_layer_schedule(p, i)
               : "the same");
    if (i == 0 || i == 1 || i >= n->count - 1) {
        printf("  %-10s %8s %9s %9s  = %s\n", "", "", "", "", operators);
    }
}

void report_layers(const race *r, const race_times *times, const network *n, plan_mode mode)
{
    printf("\n%s, one thread, processor time\n  %-10s %8s %9s %9s  kernel\n", race_mode_name[mode], "layer", "channels",
           "ms", "% bound");
    for (int i = 0; i <= n->count; i++) {
        report_line(r, times, n, mode, i);
    }
}

/* "1.93" or "-". */
static const char *ratio(char text[16], double peer, double own)
{
    (void)snprintf(text, 16, "-");
    if (peer > 0 && own > 0) {
        (void)snprintf(text, 16, "%.2f", peer / own);
    }
    return text;
}

void report_totals(const race_times *times, const double decibels[PLAN_MODES], const char *model)
{
    char cell[4][16], threads[24];
    (void)snprintf(threads, sizeof threads, "%d threads", times->threads[1]);
    printf("\n  %-14s %10s %10s   %s\n", "", "", "", "times as fast as   ncnn         onnxruntime     dB from");
    printf("  %-14s %10s %10s   %17s %8s %10s %8s   %s\n", "ms", "one thread", threads, "one thread", "all",
           "one thread", "all", model);
    for (int mode = 0; mode < PLAN_MODES; mode++) {
        const double *own = times->mode[mode];
        printf("  %-14s %10.2f %10.2f   %17s %8s %10s %8s   %.1f\n", race_mode_name[mode], own[0] * 1e-6, own[1] * 1e-6,
               ratio(cell[0], times->peer[0][0], own[0]), ratio(cell[1], times->peer[0][1], own[1]),
               ratio(cell[2], times->peer[1][0], own[0]), ratio(cell[3], times->peer[1][1], own[1]), decibels[mode]);
    }
    for (int peer = 0; peer < RACE_PEERS; peer++) {
        if (times->peer[peer][0] > 0) {
            printf("  %-14s %10.2f %10.2f\n", race_peer_name[peer], times->peer[peer][0] * 1e-6,
                   times->peer[peer][1] * 1e-6);
        }
    }
}

/* ---- the sheet ---- */

/* The middle of `from`, as far as it fits, at (x, y). */
static void paste(picture *sheet, const picture *from, int x, int y, int width, int height)
{
    const int left = (from->width - width) / 2, top = (from->height - height) / 2;
    for (int row = 0; row < height; row++) {
        memcpy(sheet->rgb + ((size_t)(y + row) * (size_t)sheet->width + (size_t)x) * 3,
               from->rgb + ((size_t)(top + row) * (size_t)from->width + (size_t)left) * 3, (size_t)width * 3);
    }
}

int report_sheet(const picture *in, picture *const out[PLAN_MODES], const char *path)
{
    enum { PANELS = 4 };
    picture nearest = {0}, bicubic = {0}, sheet = {0};
    const picture *const panel[PANELS] = {&nearest, &bicubic, out[PLAN_FAST], out[PLAN_INT8]};
    static const char *const NAME[PANELS] = {"input", "bicubic", "network, float16", "network, int8"};
    const int width = out[0]->width < PANEL_MAX ? out[0]->width : PANEL_MAX;
    const int height = out[0]->height < PANEL_MAX ? out[0]->height : PANEL_MAX;
    int status = resample_nearest(&nearest, in);
    status = status == CLI_DONE ? resample_bicubic(&bicubic, in) : status;
    status = status == CLI_DONE ? picture_new(&sheet, PANELS * (width + GAP) + GAP, height + LABEL + GAP) : status;
    for (int i = 0; status == CLI_DONE && i < PANELS; i++) {
        const int x = GAP + i * (width + GAP);
        picture_write(&sheet, x, GAP / 2, LETTER_SCALE, INK, NAME[i]);
        paste(&sheet, panel[i], x, LABEL, width, height);
    }
    status = status == CLI_DONE ? picture_save(&sheet, path) : status;
    picture_free(&nearest);
    picture_free(&bicubic);
    picture_free(&sheet);
    return status;
}
