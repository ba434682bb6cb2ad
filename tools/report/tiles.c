/* The heat map of an operator: the tiles that its schedules may have, how fast each is, and why others are refused. */
#include "tools/report/page.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Fields that a schedule has at most; values of an axis; maps side by side. */
enum { FIELDS_MAX = 8, WORD_MAX = 24, VALUES_MAX = 20, MAPS_MAX = 8, REFUSALS_MAX = 4 };

typedef struct word {
    char text[WORD_MAX];
} word;

/* "schedule(kernel=vector, rows=1, ...)" in its parts. */
typedef struct fields {
    word name[FIELDS_MAX], value[FIELDS_MAX];
    size_t count;
} fields;

typedef struct values {
    word item[VALUES_MAX];
    size_t count;
} values;

/* A cell of a map. */
typedef struct cell {
    const report_point *point;  /* the fastest that was measured, or the one that a candidate stands for */
    double ns;                  /* measured, or predicted */
    bool has_default, has_best; /* one of its schedules is */
    char reason[256];           /* why the tile is refused */
} cell;

/* A reason that tiles are refused for: its messages begin with the same field. */
typedef struct refusal {
    char example[256];
    size_t field; /* characters of the example that name it */
    size_t count;
} refusal;

typedef struct maps {
    const report_layer *layer;
    aic_context *context;
    fields shape; /* of the default: which fields there are */
    size_t x, y;  /* the fields of the axes */
    values across, down,
        map;     /* their values; for each map what its other tile fields are, "kernel=vector, vectors=2" */
    double unit; /* measured over predicted, of the default: predictions are shown in its time */
    double fastest;
    refusal refused[REFUSALS_MAX];
    size_t refusals;
} maps;

/* ---- schedules as text ---- */

static const char *read_word(const char *at, word *w)
{
    size_t length = 0;
    while (*at == ' ' || *at == ',' || *at == '=') {
        at++;
    }
    for (; isalnum((unsigned char)*at) || *at == '_' || *at == '-'; at++) {
        if (length + 1 < WORD_MAX) {
            w->text[length++] = *at;
        }
    }
    w->text[length] = '\0';
    return at;
}

static fields split(const char *schedule)
{
    fields f = {.count = 0};
    const char *at = strchr(schedule, '(');
    at = at == NULL ? "" : at + 1;
    while (*at != ')' && *at != '\0' && f.count < FIELDS_MAX) {
        at = read_word(at, &f.name[f.count]);
        at = read_word(at, &f.value[f.count]);
        f.count++;
    }
    return f;
}

/* Whether the field is of the loops around a tile, and not of the tile. */
static bool is_loop(const char *name)
{
    return strcmp(name, "unroll") == 0 || strcmp(name, "band") == 0 || strcmp(name, "hold") == 0 ||
           strcmp(name, "blocks") == 0;
}

static bool is_number(const word *w)
{
    return isdigit((unsigned char)w->text[0]) != 0;
}

/* What distinguishes maps: all tile fields but those of the axes. */
static void name_map(const maps *m, const fields *f, char text[WORD_MAX * 3])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < f->count; i++) {
        if (i != m->x && i != m->y && !is_loop(f->name[i].text) && used < WORD_MAX * 2) {
            used += (size_t)snprintf(text + used, WORD_MAX * 3 - used, "%s%s=%s", used > 0 ? ", " : "", f->name[i].text,
                                     f->value[i].text);
        }
    }
}

/* ---- axes ---- */

static size_t find(const values *v, const char *text)
{
    size_t i = 0;
    while (i < v->count && strcmp(v->item[i].text, text) != 0) {
        i++;
    }
    return i;
}

static void add_value(values *v, const char *text)
{
    if (find(v, text) == v->count && v->count < VALUES_MAX) {
        (void)snprintf(v->item[v->count++].text, WORD_MAX, "%s", text);
    }
}

static int by_number(const void *a, const void *b)
{
    const long x = strtol(((const word *)a)->text, NULL, 10), y = strtol(((const word *)b)->text, NULL, 10);
    return (x > y) - (x < y);
}

/* Whether the point is on the map: those of other levels have other tiles. */
static bool is_of_level(const report_layer *layer, const report_point *p)
{
    return strcmp(p->isa, page_default(layer)->isa) == 0;
}

static values values_of(const report_layer *layer, size_t field)
{
    values v = {.count = 0};
    for (size_t i = 0; i < layer->count; i++) {
        const fields f = split(layer->point[i].schedule);
        if (field < f.count && is_of_level(layer, &layer->point[i])) {
            add_value(&v, f.value[field].text);
        }
    }
    qsort(v.item, v.count, sizeof *v.item, by_number);
    return v;
}

/* The two fields with the most values are the axes: of the tile, or of the loops where a tile has not two. False where
 * there is nothing to choose from. */
static bool choose_axes(maps *m)
{
    size_t first = FIELDS_MAX, second = FIELDS_MAX, most[2] = {0, 0};
    for (size_t i = 0; i < m->shape.count; i++) {
        const size_t weight = is_loop(m->shape.name[i].text) ? 0 : VALUES_MAX + 1;
        const size_t rank = values_of(m->layer, i).count + weight;
        if (!is_number(&m->shape.value[i])) {
            continue;
        }
        if (rank > most[0]) {
            second = first, most[1] = most[0];
            first = i, most[0] = rank;
        } else if (rank > most[1]) {
            second = i, most[1] = rank;
        }
    }
    if (second == FIELDS_MAX) {
        return false;
    }
    m->y = first < second ? first : second;
    m->x = first < second ? second : first;
    m->across = values_of(m->layer, m->x);
    m->down = values_of(m->layer, m->y);
    return m->across.count * m->down.count > 1;
}

/* ---- cells ---- */

/* The fastest measured point of a tile, or else any. Marks the cell that has the default or the best. */
static const report_point *find_point(const maps *m, const char *map, const char *down, const char *across, cell *c)
{
    const report_point *found = NULL;
    char own[WORD_MAX * 3];
    for (size_t i = 0; i < m->layer->count; i++) {
        const report_point *p = &m->layer->point[i];
        const fields f = split(p->schedule);
        name_map(m, &f, own);
        if (!is_of_level(m->layer, p) || f.count != m->shape.count || strcmp(own, map) != 0 ||
            strcmp(f.value[m->y].text, down) != 0 || strcmp(f.value[m->x].text, across) != 0) {
            continue;
        }
        const bool better =
            found == NULL || (p->median_ns > 0 && (found->median_ns <= 0 || p->median_ns < found->median_ns));
        found = better ? p : found;
        c->has_default = c->has_default || p->is_default;
        c->has_best = c->has_best || p == page_best(m->layer);
    }
    return found;
}

/* A schedule with this tile. Where the loops around it are given they do as little as they can, which fits most tiles.
 */
static void write_tile(const maps *m, const char *map, const char *down, const char *across, bool loops,
                       char text[REPORT_SCHEDULE_MAX])
{
    size_t used =
        (size_t)snprintf(text, REPORT_SCHEDULE_MAX, "schedule(%s%s%s=%s, %s=%s", map, map[0] != '\0' ? ", " : "",
                         m->shape.name[m->y].text, down, m->shape.name[m->x].text, across);
    for (size_t i = 0; i < m->shape.count && used < REPORT_SCHEDULE_MAX && loops; i++) {
        const bool has_least = is_loop(m->shape.name[i].text) && is_number(&m->shape.value[i]);
        if (has_least && i != m->x && i != m->y) {
            used += (size_t)snprintf(text + used, REPORT_SCHEDULE_MAX - used, ", %s=1", m->shape.name[i].text);
        }
    }
    if (used < REPORT_SCHEDULE_MAX) {
        (void)snprintf(text + used, REPORT_SCHEDULE_MAX - used, ")");
    }
}

/* What the generator says of a tile that nobody measured. */
static void predict(const maps *m, const char *map, const char *down, const char *across, cell *c)
{
    char text[REPORT_SCHEDULE_MAX];
    aic_prediction p = aic_prediction_init();
    write_tile(m, map, down, across, true, text);
    aic_status status = aic_schedule_predict(m->context, m->layer->value, text, &p);
    const bool of_loops =
        status != AIC_OK && (strstr(aic_last_error(), "unroll") != NULL || strstr(aic_last_error(), "band") != NULL);
    if (status == AIC_OK || of_loops) {
        write_tile(m, map, down, across, false, text);
        status = aic_schedule_predict(m->context, m->layer->value, text, &p);
    }
    c->ns = status == AIC_OK ? p.cost * m->unit : 0;
    if (status != AIC_OK) {
        const char *message = aic_last_error();
        message = strncmp(message, "schedule: ", 10) == 0 ? message + 10 : message;
        (void)snprintf(c->reason, sizeof c->reason, "%s", message);
    }
}

static void look_at(const maps *m, const char *map, const char *down, const char *across, cell *c)
{
    *c = (cell){.ns = 0};
    c->point = find_point(m, map, down, across, c);
    if (c->point != NULL && c->point->median_ns > 0) {
        c->ns = c->point->median_ns;
    } else {
        predict(m, map, down, across, c);
    }
}

/* ---- drawing ---- */

enum { CELL_W = 34, CELL_H = 22, MARGIN_LEFT = 58, MARGIN_TOP = 24, GAP = 24, PAGE_W = 990 };

/* From the fastest, dark, to twice its time and more, light. */
static void shade(double slower, char colour[16], bool *dark)
{
    static const int FAST[] = {13, 74, 122}, SLOW[] = {222, 235, 247};
    const double share = slower >= 2 ? 1 : slower <= 1 ? 0 : slower - 1;
    int mixed[3];
    for (size_t i = 0; i < 3; i++) {
        mixed[i] = FAST[i] + (int)((SLOW[i] - FAST[i]) * share);
    }
    *dark = share < 0.55;
    (void)snprintf(colour, 16, "#%02x%02x%02x", (unsigned)mixed[0] & 255, (unsigned)mixed[1] & 255,
                   (unsigned)mixed[2] & 255);
}

static void draw_title(FILE *out, const maps *m, const char *down, const char *across, const cell *c)
{
    (void)fprintf(out, "<title>%s=%s, %s=%s: ", m->shape.name[m->y].text, down, m->shape.name[m->x].text, across);
    if (c->reason[0] != '\0') {
        (void)fprintf(out, "refused, ");
        page_text(out, c->reason);
    } else {
        const bool measured = c->point != NULL && c->point->median_ns > 0;
        (void)fprintf(out, "%s %s\n", measured ? "measured" : "predicted", page_time(c->ns).text);
        page_text(out, c->point != NULL ? c->point->schedule : "");
    }
    (void)fprintf(out, "</title>");
}

static void draw_cell(FILE *out, const maps *m, const cell *c, double left, double top)
{
    const bool measured = c->point != NULL && c->point->median_ns > 0;
    const char *class = c->reason[0] != '\0' ? "refused" : "tile";
    char colour[16] = "#d4d4d4";
    bool dark = false;
    if (c->ns > 0) {
        shade(c->ns / m->fastest, colour, &dark);
    }
    (void)fprintf(out, "<rect class=%s x=%.0f y=%.0f width=%d height=%d fill='%s'%s />", class, left, top, CELL_W - 2,
                  CELL_H - 2, colour, measured || c->ns <= 0 ? "" : " fill-opacity=.45");
    if (c->ns > 0) {
        const double share = m->fastest / c->ns;
        (void)fprintf(out, "<text class='cell%s' x=%.0f y=%.0f%s>%.2f</text>", dark && measured ? " light" : "",
                      left + CELL_W / 2.0 - 1, top + CELL_H / 2.0 + 3, measured ? "" : " fill-opacity=.6", share);
    }
    if (c->has_default) {
        (void)fprintf(out, "<rect class=ring x=%.0f y=%.0f width=%d height=%d />", left, top, CELL_W - 2, CELL_H - 2);
    }
    if (c->has_best) {
        (void)fprintf(out, "<rect class=best x=%.0f y=%.0f width=%d height=%d />", left + 2, top + 2, CELL_W - 6,
                      CELL_H - 6);
    }
}

/* Counts the reason; those beyond the last kind count as that one. */
static void note_refusal(maps *m, const cell *c)
{
    const size_t field = strcspn(c->reason, "=");
    size_t i = 0;
    if (c->reason[0] == '\0') {
        return;
    }
    while (i < m->refusals && i + 1 < REFUSALS_MAX &&
           (m->refused[i].field != field || strncmp(m->refused[i].example, c->reason, field) != 0)) {
        i++;
    }
    refusal *r = &m->refused[i];
    if (i == m->refusals) {
        m->refusals++;
        r->field = field;
        memcpy(r->example, c->reason, sizeof r->example);
    }
    r->count++;
}

static void draw_labels(FILE *out, const maps *m, const char *map, double left, double top)
{
    (void)fprintf(out, "<text x=%.0f y=%.0f>", left + MARGIN_LEFT, top + 10);
    page_text(out, map);
    (void)fprintf(out, "</text><text class=tick x=%.0f y=%.0f>%s</text>\n", left + 22, top + 10,
                  m->shape.name[m->y].text);
    for (size_t d = 0; d < m->down.count; d++) {
        (void)fprintf(out, "<text class='tick left' x=%.0f y=%.0f>%s</text>", left + MARGIN_LEFT - 7,
                      top + MARGIN_TOP + CELL_H * (double)d + 14, m->down.item[d].text);
    }
    const double below = top + MARGIN_TOP + CELL_H * (double)m->down.count;
    for (size_t a = 0; a < m->across.count; a++) {
        (void)fprintf(out, "<text class=tick x=%.0f y=%.0f>%s</text>", left + MARGIN_LEFT + CELL_W * ((double)a + 0.5),
                      below + 13, m->across.item[a].text);
    }
    (void)fprintf(out, "<text class=tick x=%.0f y=%.0f>%s</text>\n", left + 34, below + 13, m->shape.name[m->x].text);
}

/* Looks at every tile of a map. */
static cell *look_at_map(maps *m, const char *map)
{
    cell *cells = calloc(m->down.count * m->across.count, sizeof *cells);
    for (size_t d = 0; d < m->down.count && cells != NULL; d++) {
        for (size_t a = 0; a < m->across.count; a++) {
            cell *c = &cells[d * m->across.count + a];
            look_at(m, map, m->down.item[d].text, m->across.item[a].text, c);
            note_refusal(m, c);
        }
    }
    return cells;
}

static void draw_map(FILE *out, maps *m, const char *map, double left, double top)
{
    cell *cells = look_at_map(m, map);
    draw_labels(out, m, map, left, top);
    for (size_t d = 0; d < m->down.count && cells != NULL; d++) {
        for (size_t a = 0; a < m->across.count; a++) {
            const cell *c = &cells[d * m->across.count + a];
            (void)fprintf(out, "<g>");
            draw_title(out, m, m->down.item[d].text, m->across.item[a].text, c);
            draw_cell(out, m, c, left + MARGIN_LEFT + CELL_W * (double)a, top + MARGIN_TOP + CELL_H * (double)d);
            (void)fprintf(out, "</g>\n");
        }
    }
    free(cells);
}

/* The part of the generator's report on what it refuses as a whole. */
static void write_refusals(FILE *out, const maps *m)
{
    char *text = NULL;
    size_t size = 0;
    if (aic_dump(m->context, m->layer->value, NULL, AIC_DUMP_EXPLAIN, NULL, NULL, &text, &size) == AIC_OK) {
        const char *at = strstr(text, "\nrefused:\n");
        at = at != NULL ? at + strlen("\nrefused:\n") : "";
        (void)fprintf(out, at[0] == ' ' ? "<p>Refused as a whole:</p><ul class=legend>" : "");
        bool any = false;
        while (at[0] == ' ') {
            const size_t length = strcspn(at, "\n");
            char *line = strndup(at, length);
            (void)fprintf(out, "<li>");
            page_text(out, line != NULL ? line : "");
            free(line);
            at += length + (at[length] == '\n');
            any = true;
        }
        (void)fprintf(out, any ? "</ul>\n" : "");
    }
    aic_free(text);
}

/* The values of the other tile fields, in the order in which schedules have them. */
static void list_maps(maps *m, char names[MAPS_MAX][WORD_MAX * 3], size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < m->layer->count; i++) {
        const fields f = split(m->layer->point[i].schedule);
        char name[WORD_MAX * 3];
        size_t k = 0;
        name_map(m, &f, name);
        while (k < *count && strcmp(names[k], name) != 0) {
            k++;
        }
        if (k == *count && k < MAPS_MAX && is_of_level(m->layer, &m->layer->point[i])) {
            memcpy(names[(*count)++], name, sizeof name);
        }
    }
    qsort(names, *count, sizeof names[0], (int (*)(const void *, const void *))strcmp);
}

/* Predictions are in vector operations: `unit` makes them times, so that the default's is what was measured. */
static void choose_unit(maps *m, const report_point *standard)
{
    aic_prediction p = aic_prediction_init();
    const report_point *best = page_best(m->layer);
    const bool known =
        aic_schedule_predict(m->context, m->layer->value, standard->schedule, &p) == AIC_OK && p.cost > 0;
    const double ns = standard->median_ns > 0 ? standard->median_ns : standard->predicted_ns;
    m->unit = known && ns > 0 ? ns / p.cost : 1;
    m->fastest = best != NULL ? best->median_ns : known ? p.cost * m->unit : 1;
}

void page_tiles(FILE *out, aic_context *context, const report_layer *layer)
{
    char names[MAPS_MAX][WORD_MAX * 3];
    size_t count;
    const report_point *standard = page_default(layer);
    maps m = {.layer = layer, .context = context};
    m.shape = split(standard != NULL ? standard->schedule : "");
    if (standard == NULL || !choose_axes(&m)) {
        return;
    }
    choose_unit(&m, standard);
    list_maps(&m, names, &count);
    const double width = MARGIN_LEFT + CELL_W * (double)m.across.count + GAP;
    const double height = MARGIN_TOP + CELL_H * (double)m.down.count + GAP;
    const size_t beside = width < PAGE_W ? (size_t)(PAGE_W / width) : 1, rows = (count + beside - 1) / beside;
    const double whole = width * (double)(count < beside ? count : beside);
    (void)fprintf(out, "<figure><svg viewBox='0 0 %.0f %.0f' width=%.0f role=img aria-label='tiles'>\n", whole,
                  height * (double)rows, whole);
    for (size_t i = 0; i < count; i++) {
        draw_map(out, &m, names[i], width * (double)(i % beside), height * (double)(i / beside));
    }
    (void)fprintf(
        out, "</svg><figcaption>Tiles: the darker, the faster; numbers are shares of the fastest speed. Pale tiles "
             "were not measured and show what is predicted. Black frame: the default; orange: the best.");
    for (size_t i = 0; i < m.refusals; i++) {
        (void)fprintf(out, "%s%zu since, for instance, ", i == 0 ? " Grey tiles are refused: " : "; ",
                      m.refused[i].count);
        page_text(out, m.refused[i].example);
    }
    (void)fprintf(out, "</figcaption></figure>\n");
    write_refusals(out, &m);
}
