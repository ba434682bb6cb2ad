/* Intervals in which the medians of one operator's schedules lie. */
#include "tools/report/page.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 960, LEFT = 390, RIGHT = 820, TOP = 10, ROW = 21, SHOWN_MAX = 14 };

static int by_median(const void *a, const void *b)
{
    const double x = (*(const report_point *const *)a)->median_ns, y = (*(const report_point *const *)b)->median_ns;
    return (x > y) - (x < y);
}

/* The fastest measured points, and the default; of the others their number. */
static size_t choose(const report_layer *layer, const report_point *shown[SHOWN_MAX], size_t *measured)
{
    const report_point **all = malloc((layer->count + 1) * sizeof *all), *standard = page_default(layer);
    size_t count = 0, kept = 0;
    bool has_default = false;
    for (size_t i = 0; i < layer->count && all != NULL; i++) {
        if (layer->point[i].median_ns > 0) {
            all[count++] = &layer->point[i];
        }
    }
    if (count > 0) {
        qsort(all, count, sizeof *all, by_median);
    }
    for (size_t i = 0; i < count && kept < SHOWN_MAX; i++) {
        shown[kept++] = all[i];
        has_default = has_default || all[i] == standard;
    }
    if (!has_default && kept == SHOWN_MAX && standard != NULL && standard->median_ns > 0) {
        shown[kept - 1] = standard; /* slower than all that are shown */
    }
    free(all);
    *measured = count;
    return kept;
}

/* The fields of a schedule, without the first one where it says the same for all: there is little room. */
static void put_schedule(FILE *out, const char *schedule, size_t common)
{
    const char *begin = strchr(schedule, '(');
    begin = begin == NULL ? schedule : begin + 1 + common;
    (void)fprintf(out, "%.*s", (int)strcspn(begin, ")"), begin);
}

/* How many characters, up to the end of a field, all schedules have in common behind the bracket, when that is the name
 * of the micro-kernel. */
static size_t common_part(const report_point *const *shown, size_t count)
{
    static const char FIELD[] = "schedule(kernel=";
    const char *first = shown[0]->schedule, *comma = strchr(first, ',');
    if (strncmp(first, FIELD, sizeof FIELD - 1) != 0 || comma == NULL) {
        return 0;
    }
    const size_t length = (size_t)(comma - first);
    for (size_t i = 1; i < count; i++) {
        if (strncmp(shown[i]->schedule, first, length + 1) != 0) {
            return 0;
        }
    }
    return length + sizeof ", " - sizeof "schedule(";
}

/* What rows have in common. */
typedef struct rows {
    page_axis x;
    double standard; /* median of the default, 0: not known */
    size_t common;   /* of common_part() */
    bool isas;       /* they are of several levels */
} rows;

static void draw_row(FILE *out, const rows *r, const report_point *p, double top)
{
    const double low = page_at(&r->x, p->low_ns * 1e-3), high = page_at(&r->x, p->high_ns * 1e-3);
    const char *colour = p->is_default ? "#111" : "#0072b2";
    (void)fprintf(out, "<g><title>%s .. ", page_time(p->low_ns).text);
    (void)fprintf(out, "%s</title><text class=mono x=%d y=%.1f text-anchor=end%s>%s%s", page_time(p->high_ns).text,
                  LEFT - 12, top + 4, p->is_default ? " font-weight=bold" : "", r->isas ? p->isa : "",
                  r->isas ? " " : "");
    put_schedule(out, p->schedule, r->common);
    (void)fprintf(out, "</text><path class=whisker stroke='%s' d='M%.1f %.1fH%.1f'/>", colour, low, top, high);
    (void)fprintf(out, "<circle cx=%.1f cy=%.1f r=3.6 fill='%s'/>", page_at(&r->x, p->median_ns * 1e-3), top, colour);
    (void)fprintf(out, "<text x=%d y=%.1f>%s", RIGHT + 12, top + 4, page_time(p->median_ns).text);
    if (p->is_default) {
        (void)fprintf(out, ", default");
    } else if (r->standard > 0) {
        (void)fprintf(out, ", %.3f", r->standard / p->median_ns);
    }
    (void)fprintf(out, "</text></g>\n");
}

void page_bars(FILE *out, const report_layer *layer)
{
    const report_point *shown[SHOWN_MAX], *standard = page_default(layer);
    size_t measured;
    const size_t count = choose(layer, shown, &measured);
    const double bottom = TOP + ROW * (double)count + 4;
    rows r = {.x = {1, 0, LEFT, RIGHT, false}, .standard = standard != NULL ? standard->median_ns : 0};
    if (count == 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        page_include(&r.x, shown[i]->low_ns * 1e-3);
        page_include(&r.x, shown[i]->high_ns * 1e-3);
        r.isas = r.isas || strcmp(shown[i]->isa, shown[0]->isa) != 0;
    }
    r.common = common_part(shown, count);
    const double margin = (r.x.high - r.x.low) * 0.06 + r.x.high * 1e-4;
    r.x.low -= margin, r.x.high += margin;
    (void)fprintf(out, "<figure><svg viewBox='0 0 %d %.0f' width=%d role=img aria-label='intervals'>\n", WIDTH,
                  bottom + 40, WIDTH);
    if (r.standard > 0) {
        const double low = page_at(&r.x, standard->low_ns * 1e-3), high = page_at(&r.x, standard->high_ns * 1e-3);
        (void)fprintf(out, "<rect class=band x=%.1f y=%d width=%.1f height=%.1f />\n", low, TOP - 4,
                      high - low > 1 ? high - low : 1, bottom - TOP + 4);
    }
    page_axis_x(out, &r.x, bottom, TOP - 4, "us a call: median, and where it lies with 95 %");
    for (size_t i = 0; i < count; i++) {
        draw_row(out, &r, shown[i], TOP + ROW * ((double)i + 0.5));
    }
    (void)fprintf(out, "</svg><figcaption>");
    if (measured > count) {
        (void)fprintf(out, "The fastest of %zu that were measured. ", measured);
    }
    (void)fprintf(out, "The band is the default's interval: what reaches into it differs by no more than the noise. "
                       "Numbers behind the times are gains.</figcaption></figure>\n");
}
