/* Predicted against measured times of all schedules. */
#include "tools/report/page.h"

enum { WIDTH = 960, HEIGHT = 470, LEFT = 64, RIGHT = 944, TOP = 14, BOTTOM = 424 };

static bool has_both(const report_point *p)
{
    return p->median_ns > 0 && p->predicted_ns > 0;
}

/* Both axes have the same range, so that the diagonal is where predictions are exact. */
static bool make_axes(const report *r, page_axis *x, page_axis *y)
{
    *x = (page_axis){1, 0, LEFT, RIGHT, true};
    for (size_t i = 0; i < r->count; i++) {
        for (size_t k = 0; k < r->layer[i].count; k++) {
            const report_point *p = &r->layer[i].point[k];
            if (has_both(p)) {
                page_include(x, p->median_ns * 1e-3);
                page_include(x, p->predicted_ns * 1e-3);
            }
        }
    }
    if (x->low > x->high) {
        return false;
    }
    x->low /= 1.25, x->high *= 1.25;
    *y = *x;
    y->from = BOTTOM, y->to = TOP;
    return true;
}

static void draw_point(FILE *out, const page_axis *x, const page_axis *y, const report_layer *layer, size_t index,
                       const report_point *p)
{
    const double left = page_at(x, p->predicted_ns * 1e-3), top = page_at(y, p->median_ns * 1e-3);
    (void)fprintf(out, "<g><title>");
    page_text(out, page_label(layer, index).text);
    (void)fprintf(out, ", %s: predicted %s, ", p->isa, page_time(p->predicted_ns).text);
    (void)fprintf(out, "measured %s\n", page_time(p->median_ns).text);
    page_text(out, p->schedule);
    (void)fprintf(out, "</title><circle cx=%.1f cy=%.1f r=3.6 fill='%s' fill-opacity=.75 />", left, top,
                  page_colour(index));
    if (p->is_default) {
        (void)fprintf(out, "<circle cx=%.1f cy=%.1f r=6.5 class=ring />", left, top);
    }
    (void)fprintf(out, "</g>\n");
}

static void draw_legend(FILE *out, const report *r)
{
    enum { MOST = 16 };
    (void)fprintf(out, "<p class=legend>");
    for (size_t i = 0; i < r->count && i < MOST; i++) {
        (void)fprintf(out, "<span style='background:%s'></span>", page_colour(i));
        page_text(out, page_label(&r->layer[i], i).text);
    }
    (void)fprintf(out, "%s</p>\n", r->count > MOST ? " and more" : "");
}

void page_scatter(FILE *out, const report *r)
{
    page_axis x, y;
    if (!make_axes(r, &x, &y)) {
        (void)fprintf(out, "<p>Nothing was measured that has a prediction.</p>\n");
        return;
    }
    (void)fprintf(out, "<figure><svg viewBox='0 0 %d %d' width=%d role=img aria-label='predicted against measured'>\n",
                  WIDTH, HEIGHT, WIDTH);
    page_axis_x(out, &x, BOTTOM, TOP, "predicted, us");
    page_axis_y(out, &y, LEFT, RIGHT, "measured, us");
    (void)fprintf(out, "<path class=diagonal d='M%.1f %.1fL%.1f %.1f'/>\n", x.from, y.from, x.to, y.to);
    for (size_t i = 0; i < r->count; i++) {
        for (size_t k = 0; k < r->layer[i].count; k++) {
            if (has_both(&r->layer[i].point[k])) {
                draw_point(out, &x, &y, &r->layer[i], i, &r->layer[i].point[k]);
            }
        }
    }
    (void)fprintf(out, "</svg>");
    draw_legend(out, r);
    (void)fprintf(out,
                  "<figcaption>On the diagonal predictions are exact; above it a schedule takes longer. Rings are the "
                  "defaults. A prediction is in vector operations, here at the speed of the vector unit.</figcaption>"
                  "</figure>\n");
}
