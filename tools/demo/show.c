/* Painting. Signed results have no natural range: they are scaled so that the strongest hundredth saturates. */
#include "tools/demo/show.h"

#include "tools/harness/fail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHEET_COLUMNS = 6, SHEET_ROWS = 3, SHEET_GAP = 6, LABEL = 12, TEXT_SCALE = 2, LINE = 22, HEAD = 34 };

/* Letters of the longest line; the colour of text. */
enum { LINE_LETTERS = 90, INK = 0xe8e8e8 };

static uint8_t to_byte(double value)
{
    return value <= 0 ? 0 : value >= 255 ? 255 : (uint8_t)lround(value);
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The absolute value that 99 % do not exceed, at least 1; -1 without memory. */
static double strong(const float *value, size_t count)
{
    float *sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = fabsf(value[i]);
    }
    qsort(sorted, count, sizeof *sorted, ascending);
    double at = (double)sorted[(count - 1) * 99 / 100];
    free(sorted);
    return at < 1 ? 1 : at;
}

static void paint_grey(double value, uint8_t rgb[3])
{
    rgb[0] = rgb[1] = rgb[2] = to_byte(value);
}

static void paint_signed(double share, uint8_t rgb[3])
{
    static const int warm[3] = {255, 170, 60}, cold[3] = {60, 150, 255};
    for (int c = 0; c < 3; c++) {
        rgb[c] = to_byte(fabs(share) * (share > 0 ? warm[c] : cold[c]));
    }
}

static int paint(const float *value, filter_show show, picture *out)
{
    size_t pixels = (size_t)out->width * (size_t)out->height;
    double scale = show == SHOW_GREY ? 255 : strong(value, pixels);
    if (scale < 0) {
        return cli_fail_memory("picture", pixels * sizeof *value);
    }
    for (size_t i = 0; i < pixels; i++) {
        double share = (double)value[i] / scale;
        if (show == SHOW_SIGNED) {
            paint_signed(share, out->rgb + i * 3);
        } else {
            paint_grey((show == SHOW_MAGNITUDE ? fabs(share) : share) * 255, out->rgb + i * 3);
        }
    }
    return CLI_DONE;
}

int show_filter(const demo_result *result, int f, picture *out)
{
    size_t pixels = (size_t)out->width * (size_t)out->height;
    return paint(result->value + (size_t)f * pixels, filters[f].show, out);
}

static const float *plane_of(const demo_result *result, const char *name, size_t pixels)
{
    size_t f = 0;
    while (f + 1 < FILTER_COUNT && strcmp(filters[f].name, name) != 0) {
        f++;
    }
    return result->value + f * pixels;
}

/* sqrt(horizontal^2 + vertical^2). */
static int paint_strength(const demo_result *result, picture *out)
{
    size_t pixels = (size_t)out->width * (size_t)out->height;
    const float *across = plane_of(result, "edges-vertical", pixels);
    const float *down = plane_of(result, "edges-horizontal", pixels);
    float *strength = malloc(pixels * sizeof *strength);
    if (strength == NULL) {
        return cli_fail_memory("picture", pixels * sizeof *strength);
    }
    for (size_t i = 0; i < pixels; i++) {
        strength[i] = hypotf(across[i], down[i]);
    }
    int status = paint(strength, SHOW_MAGNITUDE, out);
    free(strength);
    return status;
}

/* ---- the sheet ---- */

/* A halved picture with its label above. */
static void paste(picture *sheet, const picture *tile, int x, int y, const char *label)
{
    picture_write(sheet, x, y, 1, INK, label);
    picture_paste_halved(sheet, tile, x, y + LABEL);
}

/* Where two results differ, the largest difference of a pixel's filters, so bright that the largest of all is white. */
static int paint_difference(const demo_result *a, const demo_result *b, double largest, picture *out)
{
    const size_t pixels = (size_t)out->width * (size_t)out->height;
    for (size_t i = 0; i < pixels; i++) {
        double most = 0;
        for (size_t f = 0; f < FILTER_COUNT; f++) {
            const double d = fabs((double)a->value[f * pixels + i] - (double)b->value[f * pixels + i]);
            most = d > most ? d : most;
        }
        paint_grey(largest > 0 ? 255 * most / largest : 0, out->rgb + i * 3);
    }
    return CLI_DONE;
}

static int paint_tile(const demo_result *results, const picture *in, int i, double largest, picture *tile)
{
    if (i == 0) {
        memcpy(tile->rgb, in->rgb, (size_t)in->width * (size_t)in->height * 3);
        return CLI_DONE;
    }
    if (i <= FILTER_COUNT) {
        return show_filter(results, i - 1, tile);
    }
    return i == FILTER_COUNT + 1 ? paint_strength(results, tile)
                                 : paint_difference(&results[0], &results[1], largest, tile);
}

/* What the jobs took, line by line, from (x, y) on. */
static void write_times(picture *sheet, const demo_job *jobs, const demo_result *results, int count, int x, int y)
{
    char line[160];
    for (int i = 0; i < count; i++, y += LINE) {
        const aic_kernel_info *info = &results[i].info;
        (void)snprintf(line, sizeof line, "%-13s compiled in %.1f ms, first call %.1f ms, later %.2f ms, %.0f GMAC/s",
                       jobs[i].name, (double)(info->emit_ns + info->codegen_ns + info->link_ns) * 1e-6,
                       results[i].first_call_ns * 1e-6, results[i].median_ns * 1e-6, results[i].gmacs);
        picture_write(sheet, x, y, TEXT_SCALE, INK, line);
    }
}

int show_sheet(const demo_job *jobs, const demo_result *results, int count, const picture *in, double largest,
               picture *sheet)
{
    const int width = in->width / 2, height = in->height / 2, pitch = height + LABEL + SHEET_GAP;
    const int last = HEAD + SHEET_ROWS * pitch, times = LABEL + LINE * count + SHEET_GAP;
    const int beside = width + 3 * SHEET_GAP, least = beside + LINE_LETTERS * LETTER_WIDTH * TEXT_SCALE;
    const int wide = SHEET_COLUMNS * (width + SHEET_GAP) + SHEET_GAP;
    char line[160];
    picture tile = {0};
    int status = picture_new(sheet, wide < least ? least : wide, last + (pitch < times ? times : pitch));
    status = status == CLI_DONE ? picture_new(&tile, in->width, in->height) : status;
    if (status == CLI_DONE) {
        (void)snprintf(line, sizeof line, "%d filters of %dx%d as one conv2d, %d x %d pixels, %s", FILTER_COUNT,
                       FILTER_SIZE, FILTER_SIZE, in->width, in->height, results[0].info.isa);
        picture_write(sheet, SHEET_GAP, SHEET_GAP, TEXT_SCALE, INK, line);
        write_times(sheet, jobs, results, count, beside, last + LABEL + SHEET_GAP);
    }
    for (int i = 0; status == CLI_DONE && i <= SHEET_COLUMNS * SHEET_ROWS; i++) {
        const bool is_last = i == SHEET_COLUMNS * SHEET_ROWS;
        const int y = is_last ? last : HEAD + i / SHEET_COLUMNS * pitch;
        (void)snprintf(line, sizeof line, "%s against %s: at most %.2f of 255 grey levels, which is white here",
                       jobs[1].name, jobs[0].name, largest);
        status = paint_tile(results, in, i, largest, &tile);
        if (status == CLI_DONE) {
            paste(sheet, &tile, SHEET_GAP + i % SHEET_COLUMNS * (width + SHEET_GAP), y,
                  is_last             ? line
                  : i == 0            ? "photograph"
                  : i <= FILTER_COUNT ? filters[i - 1].name
                                      : "edges");
        }
    }
    picture_free(&tile);
    return status;
}
