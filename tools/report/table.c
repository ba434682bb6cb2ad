/* The table of operators. */
#include "tools/report/page.h"

#include <inttypes.h>

static void put_share(FILE *out, const report_layer *layer, const report_point *best)
{
    const double share = best != NULL ? page_share(layer, best->median_ns) : 0, bar = share > 4 ? 4 : share;
    if (share > 0) {
        (void)fprintf(out, "<td><span class=share style='width:%.1frem'></span>%.0f %% of %s",
                      3.2 * bar / (bar > 1 ? bar : 1), 100 * share, layer->peak_name);
    } else {
        (void)fprintf(out, "<td>-");
    }
}

/* Whether the intervals of the best and the default do not touch: the gain is more than the noise. */
static bool is_sure(const report_layer *layer)
{
    const report_point *best = page_best(layer), *standard = page_default(layer);
    return layer->gain > 1 || (best != NULL && standard != NULL && best->high_ns < standard->low_ns);
}

static void put_gain(FILE *out, const report_layer *layer)
{
    const double gain = page_gain(layer);
    if (layer->note[0] != '\0') {
        (void)fprintf(out, "<td class=dim>%s", layer->note);
    } else if (gain > 0) {
        (void)fprintf(out, "<td class=%s>%.3f", is_sure(layer) ? "gain" : "dim", gain);
    } else {
        (void)fprintf(out, "<td>-");
    }
}

static void put_time(FILE *out, const report_point *p)
{
    (void)fprintf(out, "<td>%s", p != NULL ? page_time(p->median_ns).text : "-");
    if (p != NULL && p->median_ns > 0) {
        (void)fprintf(out, " <span class=dim>&plusmn; %.1f %%</span>",
                      100 * (p->high_ns - p->low_ns) / 2 / p->median_ns);
    }
}

void page_table(FILE *out, const report *r)
{
    (void)fprintf(out,
                  "<table>\n<tr><th>operator<th>default<th>best<th>gain<th>share of peak, best<th>GMAC/s<th>of the "
                  "bound\n");
    for (size_t i = 0; i < r->count; i++) {
        const report_layer *layer = &r->layer[i];
        const report_point *best = page_best(layer);
        (void)fprintf(out, "<tr><td><a href='#layer%zu' title=\"", i + 1);
        page_text(out, layer->spec);
        (void)fprintf(out, "\">");
        page_text(out, page_label(layer, i).text);
        (void)fprintf(out, "</a>");
        put_time(out, page_default(layer));
        put_time(out, best);
        put_gain(out, layer);
        put_share(out, layer, best);
        const double gmacs = best != NULL ? (double)layer->macs / best->median_ns : 0;
        (void)fprintf(out, gmacs > 0 ? "<td>%.1f" : "<td>-", gmacs);
        const double bound = best != NULL ? layer->bound_ns / best->median_ns : 0;
        (void)fprintf(out, bound > 0 ? "<td>%.0f %%\n" : "<td>-\n", 100 * bound);
    }
    (void)fprintf(out, "</table>\n");
}
