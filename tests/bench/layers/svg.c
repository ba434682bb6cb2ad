/* The roofline: what speed the machine allows at a layer's ratio of products to bytes, and what was reached. Both axes
 * are logarithmic. A picture of its own, with nothing from outside. */
#include "tests/bench/layers/layers.h"

#include <math.h>

enum { WIDTH = 1080, HEIGHT = 640, LEFT = 70, RIGHT = 850, TOP = 50, BOTTOM = 580 };

/* Values from low to high lie between two positions. */
typedef struct axis {
    double low, high, from, to;
} axis;

static double at(const axis *a, double value)
{
    return a->from + (a->to - a->from) * log(value / a->low) / log(a->high / a->low);
}

static void include(axis *a, double value)
{
    if (value > 0 && isfinite(value)) {
        a->low = fmin(a->low, value);
        a->high = fmax(a->high, value);
    }
}

/* A colour for each of layer_kinds. */
static const char *colour_of(const layer_kind *kind)
{
    static const char *const COLOURS[] = {"#1f5fa8", "#c8501e", "#2b8a3e", "#8544a3"};
    return COLOURS[(size_t)(kind - layer_kinds) % (sizeof COLOURS / sizeof COLOURS[0])];
}

static double intensity(const layer_row *row)
{
    return row->bytes > 0 ? (double)row->macs / (double)row->bytes : 0;
}

/* ---- axes ---- */

static void make_axes(const results *r, axis *x, axis *y)
{
    *x = (axis){INFINITY, 0, LEFT, RIGHT};
    *y = (axis){INFINITY, 0, BOTTOM, TOP};
    for (size_t i = 0; i < r->count; i++) {
        include(x, intensity(&r->row[i]));
        include(y, (double)r->row[i].macs / r->row[i].ns);
    }
    double lowest = INFINITY;
    for (limit_unit unit = 0; unit < LIMITS; unit++) {
        include(y, r->limits.rate[unit]);
        lowest = r->limits.rate[unit] > 0 ? fmin(lowest, r->limits.rate[unit]) : lowest;
    }
    include(y, lowest / 10);
    include(x, lowest / r->limits.memory[0].rate); /* where the roofs begin to be flat */
    x->low /= 1.5, x->high *= 1.5, y->low /= 1.3, y->high *= 1.6;
}

/* 1, 2 and 5 times the powers of ten. */
static double tick_behind(double value)
{
    const double power = pow(10, floor(log10(value) + 1e-9));
    const double digit = value / power;
    return power * (digit < 1.5 ? 2 : digit < 3 ? 5 : 10);
}

static void draw_axes(FILE *out, const axis *x, const axis *y)
{
    for (double tick = pow(10, floor(log10(x->low))); tick <= x->high; tick = tick_behind(tick)) {
        if (tick >= x->low) {
            (void)fprintf(out,
                          "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
                          "text-anchor=\"middle\">%g</text>\n",
                          at(x, tick), BOTTOM, TOP, at(x, tick), BOTTOM + 18, tick);
        }
    }
    for (double tick = pow(10, floor(log10(y->low))); tick <= y->high; tick = tick_behind(tick)) {
        if (tick >= y->low) {
            (void)fprintf(out,
                          "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
                          "text-anchor=\"end\">%g</text>\n",
                          LEFT, at(y, tick), RIGHT, LEFT - 8, at(y, tick) + 4, tick);
        }
    }
    (void)fprintf(out,
                  "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">multiply-accumulates a byte of the operands</text>\n"
                  "<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">GMAC/s</text>\n",
                  (LEFT + RIGHT) / 2, BOTTOM + 42, (TOP + BOTTOM) / 2);
}

/* ---- roofs ---- */

/* Names at the right ends of roofs that lie close together would cover each other: a name keeps this distance from the
 * one below it. */
enum { NAME_DISTANCE = 15 };

static void draw_compute_roofs(FILE *out, const results *r, const axis *x, const axis *y)
{
    const double fastest = r->limits.memory[0].rate;
    bool drawn[LIMITS] = {false};
    double previous = INFINITY;
    for (size_t n = 0; n < LIMITS; n++) {
        limit_unit lowest = LIMITS; /* of those that are left */
        for (limit_unit unit = 0; unit < LIMITS; unit++) {
            const double rate = r->limits.rate[unit];
            if (!drawn[unit] && rate > 0 && (lowest == LIMITS || rate < r->limits.rate[lowest])) {
                lowest = unit;
            }
        }
        if (lowest == LIMITS) {
            return;
        }
        const double rate = r->limits.rate[lowest], top = at(y, rate);
        const double name = fmin(top, previous - NAME_DISTANCE);
        drawn[lowest] = true;
        previous = name;
        (void)fprintf(out,
                      "<path class=\"roof\" d=\"M%.1f %.1fH%d\"/><text x=\"%d\" y=\"%.1f\">%s, %.0f GMAC/s</text>\n",
                      at(x, fmax(x->low, rate / fastest)), top, RIGHT, RIGHT + 8, name + 4, limit_name(lowest), rate);
    }
}

/* Speed = intensity * rate, up to the highest of the other roofs. */
static void draw_memory_roofs(FILE *out, const results *r, const axis *x, const axis *y)
{
    double top = 0;
    for (limit_unit unit = 0; unit < LIMITS; unit++) {
        top = fmax(top, r->limits.rate[unit]);
    }
    for (size_t i = 0; i < MEMORIES; i++) {
        const double rate = r->limits.memory[i].rate;
        const double low = fmax(x->low, y->low / rate), high = fmin(x->high, top / rate);
        if (rate <= 0 || low >= high) {
            continue;
        }
        const double x0 = at(x, low), y0 = at(y, low * rate), x1 = at(x, high), y1 = at(y, high * rate);
        const double along =
            0.3 + 0.12 * (double)i; /* so that names of lines that lie close keep clear of each other */
        (void)fprintf(out,
                      "<path class=\"roof dash\" d=\"M%.1f %.1fL%.1f %.1f\"/><text class=\"halo\" "
                      "transform=\"translate(%.1f %.1f) rotate(%.1f)\" text-anchor=\"middle\" y=\"-4\">%s, %.0f "
                      "GB/s</text>\n",
                      x0, y0, x1, y1, x0 + (x1 - x0) * along, y0 + (y1 - y0) * along,
                      atan2(y1 - y0, x1 - x0) * 57.29578, r->limits.memory[i].name, rate);
    }
}

/* ---- layers ---- */

/* Text of a title: no name has characters that XML reserves but "|" and "<" might come. */
static void write_text(FILE *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        const char *escaped = *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : NULL;
        if (escaped != NULL) {
            (void)fputs(escaped, out);
        } else {
            (void)fputc(*c, out);
        }
    }
}

/* Nanoseconds of the first peer that has the layer; 0 where none has. */
static double peer_ns(const layer_row *row)
{
    double ns = 0;
    for (size_t i = 0; i < PEERS_MAX && ns <= 0; i++) {
        ns = row->peer[i].ns;
    }
    return ns;
}

/* A filled point of ours and a hollow one of the peer, joined. ResNet-50's are larger. */
static void draw_layer(FILE *out, const axis *x, const axis *y, const layer_row *row)
{
    if (intensity(row) <= 0 || row->ns <= 0) {
        return;
    }
    const double speed = (double)row->macs / row->ns, theirs = peer_ns(row) > 0 ? (double)row->macs / peer_ns(row) : 0;
    const double left = at(x, intensity(row)), top = at(y, speed);
    (void)fprintf(out, "<g stroke=\"%s\"><title>", colour_of(row->kind));
    write_text(out, row->kind->title);
    (void)fprintf(out, ": %s, %.1f GMAC/s, %.0f %% of the limit", row->name, speed, 100 * speed / row->limit);
    (void)fprintf(out, "</title>");
    if (theirs > y->low) {
        (void)fprintf(out, "<path d=\"M%.1f %.1fV%.1f\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"#fff\"/>",
                      left, top, at(y, theirs), left, at(y, theirs));
    }
    (void)fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\"/></g>\n", left, top,
                  row->set->network ? "4.5" : "3", colour_of(row->kind));
}

static bool has_kind(const results *r, const layer_kind *kind)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->row[i].kind == kind) {
            return true;
        }
    }
    return false;
}

static void draw_legend(FILE *out, const results *r)
{
    int top = BOTTOM - 120;
    for (const layer_kind *kind = layer_kinds; kind->name != NULL; kind++) {
        if (has_kind(r, kind)) {
            (void)fprintf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"4.5\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">",
                          RIGHT + 16, top - 4, colour_of(kind), RIGHT + 28, top);
            write_text(out, kind->fused ? "int8 | fixpipe to int8" : kind->title);
            (void)fprintf(out, "</text>\n");
            top += 20;
        }
    }
    (void)fprintf(
        out, "<circle cx=\"%d\" cy=\"%d\" r=\"2.5\" fill=\"#fff\" stroke=\"#222\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
        RIGHT + 16, top - 4, RIGHT + 28, top, peer_name() != NULL ? peer_name() : "no peer");
    (void)fprintf(out, "<text x=\"%d\" y=\"%d\">large: ResNet-50</text>\n", RIGHT + 28, top + 20);
}

void write_svg(FILE *out, const results *r)
{
    axis x, y;
    (void)fprintf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                  "font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<style>text{fill:#222}.grid{stroke:#e4e4e4}.roof{stroke:#444;stroke-width:1.4;fill:none}"
                  ".dash{stroke-dasharray:6 4}.halo{paint-order:stroke;stroke:#fff;stroke-width:4}</style>\n"
                  "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    (void)fprintf(
        out,
        "<text x=\"%d\" y=\"24\" font-size=\"16\">Layers at level %s, %d thread%s, batches of %d; limits of one "
        "thread</text>\n",
        LEFT, r->isa, r->threads, r->threads > 1 ? "s" : "", r->batch);
    make_axes(r, &x, &y);
    if (r->count > 0) {
        draw_axes(out, &x, &y);
        draw_memory_roofs(out, r, &x, &y);
        draw_compute_roofs(out, r, &x, &y);
        for (size_t i = 0; i < r->count; i++) {
            draw_layer(out, &x, &y, &r->row[i]);
        }
        draw_legend(out, r);
    }
    (void)fprintf(out, "</svg>\n");
}
