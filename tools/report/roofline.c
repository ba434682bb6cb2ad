/* The roofline: what speed the machine allows at an operator's ratio of arithmetic to bytes, and what was reached. */
#include "tools/report/page.h"

#include <math.h>

enum { WIDTH = 960, HEIGHT = 430, LEFT = 64, RIGHT = 944, TOP = 14, BOTTOM = 384 };

/* Multiply-accumulates a byte; 0: it has none, and is not drawn. */
static double intensity_of(const report_layer *layer)
{
    return layer->macs > 0 && layer->bytes > 0 ? (double)layer->macs / (double)layer->bytes : 0;
}

static double speed_of(const report_layer *layer, const report_point *p)
{
    return p != NULL && p->median_ns > 0 ? (double)layer->macs / p->median_ns : 0;
}

/* The axes hold all points and the corners of the roofs. */
static bool make_axes(const report *r, page_axis *x, page_axis *y)
{
    const double top = r->machine.fp32 > r->machine.fp64 ? r->machine.fp32 : r->machine.fp64;
    *x = (page_axis){1, 0, LEFT, RIGHT, true};
    *y = (page_axis){1, 0, BOTTOM, TOP, true};
    for (size_t i = 0; i < r->count; i++) {
        const report_layer *layer = &r->layer[i];
        const double intensity = intensity_of(layer);
        const double speeds[] = {speed_of(layer, page_default(layer)), speed_of(layer, page_best(layer)),
                                 layer->bound_ns > 0 ? (double)layer->macs / layer->bound_ns : 0};
        for (size_t k = 0; k < 3 && intensity > 0; k++) {
            if (speeds[k] > 0) {
                page_include(x, intensity);
                page_include(y, speeds[k]);
            }
        }
    }
    if (x->low > x->high || top <= 0) {
        return false;
    }
    for (size_t i = 0; i < REPORT_MEMORIES; i++) {
        if (r->machine.memory[i].rate > 0) {
            page_include(x, top / r->machine.memory[i].rate);
        }
    }
    page_include(y, top);
    x->low /= 2, x->high *= 2, y->high *= 1.6;
    y->low = y->low / 2 < top / 30 ? y->low / 2 : top / 30;
    return true;
}

/* The highest speed that anything allows: that is how far the roofs of memories reach. */
static double ceiling_of(const report *r)
{
    double ceiling = r->machine.fp32;
    for (size_t i = 0; i < r->count; i++) {
        const report_layer *layer = &r->layer[i];
        const double bound = layer->bound_ns > 0 ? (double)layer->macs / layer->bound_ns : 0;
        ceiling = bound > ceiling ? bound : ceiling;
    }
    return ceiling;
}

/* A horizontal roof, and its name at the right end. */
static void draw_peak(FILE *out, const page_axis *x, const page_axis *y, double peak, const char *name, double from)
{
    const double top = page_at(y, peak), left = from > x->low ? page_at(x, from) : x->from;
    (void)fprintf(
        out, "<path class=roof d='M%.1f %.1fH%.1f'/><text x=%.1f y=%.1f text-anchor=end>%s peak, %.0f GMAC/s</text>\n",
        left, top, x->to, x->to, top - 5, name, peak);
}

/* The roof of a memory: speed = intensity * rate, up to the peak; its name stands along it, and higher ones further to
 * the right, so that names keep clear of each other. */
static void draw_memory(FILE *out, const page_axis *x, const page_axis *y, double peak, double rate, const char *name,
                        size_t index)
{
    const double corner = peak / rate, low = y->low / rate > x->low ? y->low / rate : x->low;
    if (corner <= low) {
        return;
    }
    const double x0 = page_at(x, low), y0 = page_at(y, low * rate), x1 = page_at(x, corner), y1 = page_at(y, peak);
    const double back = 0.08 + 0.17 * (double)index; /* names of lines that lie close keep clear of each other */
    const double angle = atan2(y1 - y0, x1 - x0) * 57.29578;
    (void)fprintf(out, "<path class='roof dash' d='M%.1f %.1fL%.1f %.1f'/>\n", x0, y0, x1, y1);
    (void)fprintf(out,
                  "<text class=halo transform='translate(%.1f %.1f) rotate(%.1f)' text-anchor=end y=4>%s %.0f "
                  "GB/s</text>\n",
                  x1 - (x1 - x0) * back, y1 - (y1 - y0) * back, angle, name, rate);
}

/* The speed that the operator's bound allows, as a short line above its dot. */
static void draw_bound(FILE *out, const page_axis *y, const report_layer *layer, double left, const char *colour)
{
    if (layer->bound_ns > 0) {
        const double top = page_at(y, (double)layer->macs / layer->bound_ns);
        (void)fprintf(out, "<path d='M%.1f %.1fh18' stroke='%s' stroke-width=2 />", left - 9, top, colour);
    }
}

static void draw_layer(FILE *out, const page_axis *x, const page_axis *y, const report *r, size_t i)
{
    const report_layer *layer = &r->layer[i];
    const report_point *standard = page_default(layer), *best = page_best(layer);
    const double left = intensity_of(layer) > 0 ? page_at(x, intensity_of(layer)) : 0;
    const double before = speed_of(layer, standard), after = speed_of(layer, best);
    if (left <= 0 || after <= 0) {
        return;
    }
    (void)fprintf(out, "<g><title>");
    page_text(out, page_label(layer, i).text);
    (void)fprintf(out, ": %.1f GMAC/s, %.1f MAC a byte", after, intensity_of(layer));
    if (before > 0) {
        (void)fprintf(out, "; the default %.1f GMAC/s", before);
    }
    (void)fprintf(out, "</title>");
    if (before > 0) {
        (void)fprintf(out, "<path d='M%.1f %.1fV%.1f' stroke='%s' stroke-width=1.6 />", left, page_at(y, before),
                      page_at(y, after), page_colour(i));
        (void)fprintf(out, "<circle cx=%.1f cy=%.1f r=6 class=ring />", left, page_at(y, before));
    }
    draw_bound(out, y, layer, left, page_colour(i));
    (void)fprintf(out, "<circle cx=%.1f cy=%.1f r=4.5 fill='%s'/></g>\n", left, page_at(y, after), page_colour(i));
}

void page_roofline(FILE *out, const report *r)
{
    page_axis x, y;
    if (!make_axes(r, &x, &y)) {
        (void)fprintf(out, "<p>No operator here multiplies.</p>\n");
        return;
    }
    (void)fprintf(out, "<figure><svg viewBox='0 0 %d %d' width=%d role=img aria-label='roofline'>\n", WIDTH, HEIGHT,
                  WIDTH);
    page_axis_x(out, &x, BOTTOM, TOP, "multiply-accumulates a byte of the operands");
    page_axis_y(out, &y, LEFT, RIGHT, "GMAC/s");
    double fastest = 0;
    for (size_t i = 0; i < REPORT_MEMORIES; i++) {
        const double rate = r->machine.memory[i].rate;
        fastest = rate > fastest ? rate : fastest;
        if (rate > 0) {
            draw_memory(out, &x, &y, ceiling_of(r), rate, r->machine.memory[i].name, i);
        }
    }
    draw_peak(out, &x, &y, r->machine.fp32, "fp32", fastest > 0 ? r->machine.fp32 / fastest : x.low);
    draw_peak(out, &x, &y, r->machine.fp64, "fp64", fastest > 0 ? r->machine.fp64 / fastest : x.low);
    for (size_t i = 0; i < r->count; i++) {
        draw_layer(out, &x, &y, r, i);
    }
    (void)fprintf(out,
                  "</svg><figcaption>One dot an operator, its best schedule; a ring is the default, a short line its "
                  "bound. Peaks and copying "
                  "speeds are those of one thread on this machine. int8 may lie above the fp32 peak: one instruction "
                  "multiplies two or four pairs in each 32-bit lane.</figcaption></figure>\n");
}
