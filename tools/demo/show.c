/* Painting. Signed results have no natural range: they are scaled so that the strongest hundredth saturates. */
#include "tools/demo/show.h"

#include "tools/harness/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHEET_COLUMNS = 6, SHEET_ROWS = 3, SHEET_GAP = 4 };

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

int show_sheet(const demo_result *result, const picture *in, picture *sheet)
{
    int width = in->width / 2, height = in->height / 2;
    picture tile = {0};
    int status = picture_new(sheet, SHEET_COLUMNS * (width + SHEET_GAP) + SHEET_GAP,
                             SHEET_ROWS * (height + SHEET_GAP) + SHEET_GAP);
    status = status == CLI_DONE ? picture_new(&tile, in->width, in->height) : status;
    for (int i = 0; status == CLI_DONE && i < SHEET_COLUMNS * SHEET_ROWS; i++) {
        if (i == 0) {
            memcpy(tile.rgb, in->rgb, (size_t)in->width * (size_t)in->height * 3);
        } else {
            status = i <= FILTER_COUNT ? show_filter(result, i - 1, &tile) : paint_strength(result, &tile);
        }
        picture_paste_halved(sheet, &tile, SHEET_GAP + i % SHEET_COLUMNS * (width + SHEET_GAP),
                             SHEET_GAP + i / SHEET_COLUMNS * (height + SHEET_GAP));
    }
    picture_free(&tile);
    return status;
}
