/* Text, axes, and what parts of the page have in common. */
#include "tools/report/page.h"

#include "tools/harness/fail.h"
#include "tools/harness/stages.h"
#include "tools/json_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void page_text(FILE *out, const char *text)
{
    static const struct {
        char c;
        const char *entity;
    } ENTITIES[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
    const char *const end = text + strlen(text);
    while (text != end) {
        size_t i = 0;
        while (i < sizeof ENTITIES / sizeof *ENTITIES && ENTITIES[i].c != *text) {
            i++;
        }
        if (i < sizeof ENTITIES / sizeof *ENTITIES) {
            (void)fputs(ENTITIES[i].entity, out);
            text++;
        } else {
            text += utf8_put(out, text, (size_t)(end - text));
        }
    }
}

int page_write(outfile *file, const char *subject, void (*write)(FILE *out, const void *from), const void *from)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return cli_fail_memory(subject, 0);
    }
    write(out, from);
    const bool incomplete = ferror(out) != 0;
    int status = fclose(out) != 0 || incomplete || text == NULL ? cli_fail_memory(subject, size) : CLI_DONE;
    status = status == CLI_DONE ? outfile_write(file, subject, text, size) : status;
    status = status == CLI_DONE ? outfile_commit(file, subject) : status;
    free(text);
    return status;
}

void page_begin(FILE *out, const char *title, const char *style)
{
    (void)fprintf(out,
                  "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
                  "content='width=device-width'><title>aicjit %s</title>\n<style>\n%s%s</style></head><body>\n",
                  title, page_style, style);
}

void page_end(FILE *out)
{
    (void)fprintf(out, "</body></html>\n");
}

void page_code(FILE *out, const char *text)
{
    (void)fprintf(out, "<p class=code>");
    page_text(out, text);
    (void)fprintf(out, "</p>\n");
}

page_number page_time(double ns)
{
    static const struct {
        double unit;
        const char *name;
    } UNITS[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    page_number number = {"-"};
    size_t i = 0;
    while (i < 3 && ns < UNITS[i].unit) {
        i++;
    }
    if (ns > 0) {
        const double value = ns / UNITS[i].unit; /* three digits, never as a power of ten */
        (void)snprintf(number.text, sizeof number.text, "%.*f %s",
                       value < 10    ? 2
                       : value < 100 ? 1
                                     : 0,
                       value, UNITS[i].name);
    }
    return number;
}

/* "int8 3x3 64-256 @56x56" and the like. */
static int describe(const stage_desc *stage, char *text, size_t capacity)
{
    const aic_conv2d_desc *c = &stage->desc.conv2d;
    const aic_mmad_desc *m = &stage->desc.mmad;
    if (stage->op == AIC_OP_CONV2D) {
        return snprintf(text, capacity, "%s %lldx%lld %lld-%lld @%lldx%lld", aic_dtype_name(c->dtype),
                        (long long)c->kernel_shape[1], (long long)c->kernel_shape[2],
                        (long long)(c->fm_shape[0] * c->fm_shape[3]), (long long)c->kernel_shape[3],
                        (long long)c->fm_shape[1], (long long)c->fm_shape[2]);
    }
    return stage->op == AIC_OP_MMAD ? snprintf(text, capacity, "%s %lldx%lldx%lld", aic_dtype_name(m->dtype),
                                               (long long)m->m, (long long)m->k, (long long)m->n)
                                    : 0;
}

page_number page_label(const report_layer *layer, size_t index)
{
    page_number label;
    char form[48] = "";
    if (layer->name[0] != '\0') {
        (void)snprintf(label.text, sizeof label.text, "%.30s", layer->name);
        return label;
    }
    const stage_desc first = stage_of(layer->value, 0);
    (void)describe(&first, form, sizeof form);
    const char *op = form[0] == '\0' || aic_spec_stages(layer->value) > 1 ? aic_op_name(first.op) : "";
    (void)snprintf(label.text, sizeof label.text, "%zu: %.16s%s%.40s", index + 1, op, op[0] != '\0' ? " " : "", form);
    return label;
}

/* Distinct for readers who do not see all colours; layers beyond the last begin again. */
const char *page_colour(size_t index)
{
    static const char *const COLOURS[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#56b4e9", "#b8860b", "#6a3d9a", "#444444"};
    return COLOURS[index % (sizeof COLOURS / sizeof *COLOURS)];
}

/* ---- axes ---- */

double page_at(const page_axis *axis, double value)
{
    const double share = axis->logarithmic ? log(value / axis->low) / log(axis->high / axis->low)
                                           : (value - axis->low) / (axis->high - axis->low);
    return axis->from + (axis->to - axis->from) * share;
}

void page_include(page_axis *axis, double value)
{
    const bool empty = axis->low > axis->high;
    axis->low = empty || value < axis->low ? value : axis->low;
    axis->high = empty || value > axis->high ? value : axis->high;
}

enum { TICKS_MAX = 24 };

/* Powers of ten and, where these are few, their double and five times; or multiples of a round step. */
static size_t list_ticks(const page_axis *axis, double tick[TICKS_MAX])
{
    static const double STEPS[] = {1, 2, 5};
    const double span = axis->logarithmic ? log10(axis->high / axis->low) : axis->high - axis->low;
    size_t count = 0;
    if (axis->logarithmic) {
        const size_t steps = span > 3 ? 1 : 3;
        for (int decade = (int)floor(log10(axis->low)); decade <= (int)ceil(log10(axis->high)); decade++) {
            for (size_t i = 0; i < steps; i++) {
                const double value = STEPS[i] * pow(10, decade);
                if (value >= axis->low * 0.999 && value <= axis->high * 1.001 && count < TICKS_MAX) {
                    tick[count++] = value;
                }
            }
        }
        return count;
    }
    double step = pow(10, floor(log10(span / 4)));
    step *= span / step > 20 ? 5 : span / step > 10 ? 2 : 1;
    const long first = lround(ceil(axis->low / step)), last = lround(floor(axis->high / step * 1.0001));
    for (long n = first; n <= last && count < TICKS_MAX; n++) {
        tick[count++] = (double)n * step;
    }
    return count;
}

void page_axis_x(FILE *out, const page_axis *x, double at, double other, const char *title)
{
    double tick[TICKS_MAX];
    const size_t count = list_ticks(x, tick);
    for (size_t i = 0; i < count; i++) {
        const double left = page_at(x, tick[i]);
        (void)fprintf(out, "<path class=grid d='M%.1f %.1fV%.1f'/><text class=tick x=%.1f y=%.1f>%.6g</text>\n", left,
                      at, other, left, at + 15, tick[i]);
    }
    (void)fprintf(out, "<text class=title x=%.1f y=%.1f>", (x->from + x->to) / 2, at + 33);
    page_text(out, title);
    (void)fprintf(out, "</text>\n");
}

void page_axis_y(FILE *out, const page_axis *y, double at, double other, const char *title)
{
    double tick[TICKS_MAX];
    const size_t count = list_ticks(y, tick);
    for (size_t i = 0; i < count; i++) {
        const double top = page_at(y, tick[i]);
        (void)fprintf(out, "<path class=grid d='M%.1f %.1fH%.1f'/><text class='tick left' x=%.1f y=%.1f>%.6g</text>\n",
                      at, top, other, at - 6, top + 4, tick[i]);
    }
    const double middle = (y->from + y->to) / 2;
    (void)fprintf(out, "<text class=title transform='translate(%.1f %.1f) rotate(-90)'>", at - 46, middle);
    page_text(out, title);
    (void)fprintf(out, "</text>\n");
}

/* ---- points ---- */

const report_point *page_default(const report_layer *layer)
{
    const report_point *found = NULL;
    for (size_t i = 0; i < layer->count && found == NULL; i++) {
        found = layer->point[i].is_default ? &layer->point[i] : NULL;
    }
    return found;
}

const report_point *page_best(const report_layer *layer)
{
    const report_point *best = NULL;
    for (size_t i = 0; i < layer->count; i++) {
        const report_point *p = &layer->point[i];
        const bool counts = p->median_ns > 0 && p->state[0] == '\0';
        const bool better = best == NULL || (!best->is_chosen && (p->is_chosen || p->median_ns < best->median_ns));
        best = counts && better ? p : best;
    }
    return best;
}

double page_gain(const report_layer *layer)
{
    const report_point *best = page_best(layer), *standard = page_default(layer);
    const bool known = best != NULL && standard != NULL && standard->median_ns > 0;
    return layer->gain > 0 ? layer->gain : known ? standard->median_ns / best->median_ns : 0;
}

double page_share(const report_layer *layer, double ns)
{
    const double work = (double)(layer->macs > 0 ? layer->macs : layer->bytes);
    return ns > 0 && layer->peak > 0 ? work / ns / layer->peak : 0;
}

/* ---- style ---- */

const char page_style[] =
    "body{font:15px/1.45 system-ui,'DejaVu Sans',sans-serif;color:#222;background:#fff;max-width:66rem;margin:2rem "
    "auto;"
    "padding:0 1.2rem}\n"
    "h1{font-size:1.5rem;margin:0 0 .2rem}h2{font-size:1.15rem;margin:2.2rem 0 .5rem}\n"
    "p,figcaption{color:#555;margin:.3rem 0 .6rem;max-width:52rem}figure{margin:.6rem 0}\n"
    "table{border-collapse:collapse;font-size:.87rem}th,td{padding:.28rem "
    ".7rem;text-align:right;vertical-align:baseline}\n"
    "th{border-bottom:2px solid #888;font-weight:600}td{border-bottom:1px solid "
    "#e4e4e4;font-variant-numeric:tabular-nums}\n"
    "th:first-child,td:first-child,.facts td,.facts th{text-align:left}.facts th{border-bottom:1px solid "
    "#e4e4e4;color:#555;"
    "font-weight:400;white-space:nowrap}\n"
    "code,.code{font-family:ui-monospace,'DejaVu Sans Mono',monospace;font-size:.8rem;overflow-wrap:anywhere}\n"
    ".share{display:inline-block;height:.65rem;background:#9cc5e3;margin-right:.4rem;vertical-align:baseline}\n"
    ".gain{color:#00795a;font-weight:600}.dim{color:#888}\n"
    "details{border:1px solid #ddd;border-radius:6px;padding:.4rem .9rem;margin:.6rem "
    "0}summary{cursor:pointer;font-weight:"
    "600}\n"
    "svg{display:block;max-width:100%;height:auto}svg text{font:12px system-ui,'DejaVu Sans',sans-serif;fill:#333}\n"
    ".grid{stroke:#e6e6e6;fill:none}.tick{text-anchor:middle;fill:#666!important}.tick.left{text-anchor:end}\n"
    "svg "
    ".title{text-anchor:middle;fill:#333}.roof{fill:none;stroke:#777;stroke-width:1.5}.roof.dash{stroke-dasharray:5 "
    "4}\n"
    ".diagonal{stroke:#999;stroke-dasharray:6 4;fill:none}.ring{fill:none;stroke:#111;stroke-width:1.8}\n"
    "svg .halo{paint-order:stroke;stroke:#fff;stroke-width:5px}\n"
    ".best{fill:none;stroke:#e08a00;stroke-width:2.6}.refused{fill:#d4d4d4}.ahead{fill:none;stroke:#fff}\n"
    ".band{fill:#f0e3c4}.whisker{stroke-width:2.4;fill:none}svg .mono{font:11px ui-monospace,'DejaVu Sans "
    "Mono',monospace}\n"
    "svg .cell{text-anchor:middle;font-size:10.5px}svg .light{fill:#fff}.legend{font-size:.85rem;color:#444}\n"
    ".legend span{display:inline-block;width:.8rem;height:.8rem;margin:0 .3rem 0 .9rem;vertical-align:-.08rem}\n";
