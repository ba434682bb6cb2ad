/* The picture: each operand as blocks of rows of cells, in the order of its axes. */
#include "tools/laboratory/draw.h"

#include "tools/harness/operand_text.h"
#include "tools/harness/stages.h"
#include "tools/report/page.h"

#include <inttypes.h>
#include <string.h>

/* ---- what a cell shows ---- */

/* ---- indices by name ---- */

/* An index that one axis has, or two: blocks and the index in a block. */
typedef struct named {
    const char *outer, *inner; /* outer NULL: one axis */
} named;

/* The index, -1 where the operand has none of these. */
static int64_t index_of(const aic_coordinates *c, const int64_t *at, const named *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int32_t inner = coordinates_axis(c, names[i].inner);
        const int32_t outer = names[i].outer == NULL ? -1 : coordinates_axis(c, names[i].outer);
        if (inner >= 0 && names[i].outer == NULL) {
            return at[inner];
        }
        if (inner >= 0 && outer >= 0) {
            return at[outer] * c->axis[inner].size + at[inner];
        }
    }
    return -1;
}

#define INDEX_OF(c, at, ...)                                                                                           \
    index_of(c, at, (const named[]){__VA_ARGS__}, sizeof((const named[]){__VA_ARGS__}) / sizeof(named))

/* ---- padding ---- */

static bool is_outside(const aic_coordinates *c, const int64_t *at, const char *outer, const char *inner, int64_t size)
{
    return INDEX_OF(c, at, {outer, inner}) >= size;
}

static bool is_padding_of_mmad(const aic_mmad_desc *desc, const aic_coordinates *c, const int64_t *at)
{
    return is_outside(c, at, "M1", "m0", desc->m) || is_outside(c, at, "K1", "k0", desc->k) ||
           is_outside(c, at, "N1", "n0", desc->n);
}

/* The letters of transdata's shape: those of the operand without blocks, else the tensor's own. */
static const char *letters_of(const aic_transdata_desc *desc)
{
    static const char *const plain[] = {
        [AIC_LAYOUT_ND] = "RC",     [AIC_LAYOUT_NCHW] = "NCHW", [AIC_LAYOUT_NHWC] = "NHWC",
        [AIC_LAYOUT_OIHW] = "OIHW", [AIC_LAYOUT_HWIO] = "HWIO",
    };
    static const char *const own[] = {
        [AIC_LAYOUT_NZ] = "RC",   [AIC_LAYOUT_ZZ] = "RC",        [AIC_LAYOUT_ZN] = "RC",
        [AIC_LAYOUT_NN] = "RC",   [AIC_LAYOUT_NC1HWC0] = "NCHW", [AIC_LAYOUT_FRACTAL_Z] = "OIHW",
        [AIC_LAYOUT_4N] = "NCHW", [AIC_LAYOUT_2N] = "NCHW",
    };
    const size_t plains = sizeof plain / sizeof plain[0], src = (size_t)desc->src, dst = (size_t)desc->dst;
    if (src < plains && plain[src] != NULL) {
        return plain[src];
    }
    return dst < plains && plain[dst] != NULL ? plain[dst] : own[src];
}

static bool is_padding_of_transdata(const aic_transdata_desc *desc, const aic_coordinates *c, const int64_t *at)
{
    static const struct {
        char letter;
        named index;
    } blocked[] = {{'R', {"R1", "r0"}},   {'C', {"C1", "c0"}},   {'C', {"C1", "C0"}},  {'I', {"C1", "C0"}},
                   {'O', {NULL, "Cout"}}, {'N', {"N/4", "N%4"}}, {'N', {"N/2", "N%2"}}};
    const char *letters = letters_of(desc);
    for (size_t i = 0; i < sizeof blocked / sizeof blocked[0]; i++) {
        const char *letter = strchr(letters, blocked[i].letter);
        if (letter != NULL && index_of(c, at, &blocked[i].index, 1) >= desc->shape[letter - letters]) {
            return true;
        }
    }
    return false;
}

/* Whether a cell of operand number `operand` holds nothing of its tensor: rows and columns that fill up fractals, and
 * cells of the result that are not written. */
static bool is_padding(const drawing *d, size_t operand, const int64_t *at, int64_t element)
{
    const aic_coordinates *c = &d->operands->items[operand].coordinates;
    const stage_desc stage = stage_of(d->spec, 0), *first = &stage;
    if (operand == d->result && d->findings != NULL && (d->findings[element].events >> AIC_EVENT_UNWRITTEN & 1) != 0) {
        return true;
    }
    if (first->op == AIC_OP_MMAD && (operand != d->result || aic_spec_stages(d->spec) == 1)) {
        return is_padding_of_mmad(&first->desc.mmad, c, at);
    }
    return first->op == AIC_OP_TRANSDATA && is_padding_of_transdata(&first->desc.transdata, c, at);
}

/* ---- what one result is made from ---- */

/* Whether the chosen element is made from this cell, or is it. */
static bool is_used(const drawing *d, size_t operand, int64_t element)
{
    const bool chosen = operand == d->result && element == d->element;
    return chosen || (d->reads[operand] != NULL && d->reads[operand][element] != 0);
}

/* Pixels, and how many indices of an axis are shown: the columns and rows of a block, blocks side by side, blocks on
 * top of each other. */
enum { CELL = 12, BETWEEN = 14, LEFT = 20, HEAD = 46, LABEL = 14, LINE = 16, LINE_MAX = 120 };
enum { COLUMNS_MAX = 32, ROWS_MAX = 24, ACROSS_MAX = 4, DOWN_MAX = 4, GAPS_MAX = 4 };

/* How an operand is laid out on the page. */
typedef struct plot {
    const drawing *d;
    size_t operand;
    const aic_operand *tensor;
    const aic_coordinates *c;
    int32_t columns_axis, rows_axis, across_axis; /* -1: there is none */
    int64_t columns, rows, across, down;          /* that are shown */
    int64_t all_down;                             /* blocks of all axes outside the one across */
    int64_t gaps;                                 /* the most cells behind a row that belong to none */
} plot;

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t size_of(const plot *p, int32_t axis)
{
    return axis >= 0 ? p->c->axis[axis].size : 1;
}

/* Cells of memory behind the last one of a row that are in no row. */
static int64_t gaps_behind(const plot *p, int64_t element)
{
    int64_t at[AIC_AXES_MAX], count = 0;
    while (count < GAPS_MAX && element + 1 + count < p->tensor->elements &&
           !aic_coordinates_find(p->c, element + 1 + count, at)) {
        count++;
    }
    return count;
}

/* The same behind this row of the first block. */
static int64_t gaps_of_row(const plot *p, int64_t row)
{
    int64_t at[AIC_AXES_MAX] = {0};
    if (p->columns_axis < 0 || p->columns < size_of(p, p->columns_axis)) {
        return 0; /* what follows is another column */
    }
    at[p->columns_axis] = p->columns - 1;
    if (p->rows_axis >= 0) {
        at[p->rows_axis] = row;
    }
    const int64_t last = aic_coordinates_element(p->c, at);
    return last >= 0 ? gaps_behind(p, last) : 0;
}

static plot plot_of(const drawing *d, size_t operand)
{
    const cli_operand *o = &d->operands->items[operand];
    const int32_t rank = o->coordinates.rank;
    plot p = {.d = d, .operand = operand, .tensor = &o->operand, .c = &o->coordinates, .all_down = 1};
    p.columns_axis = rank - 1;
    p.rows_axis = rank - 2;
    p.across_axis = rank - 3;
    while (p.across_axis > 0 && size_of(&p, p.across_axis) == 1) {
        p.across_axis--; /* the next axis that has blocks to show */
    }
    p.columns = least(size_of(&p, p.columns_axis), COLUMNS_MAX);
    p.rows = least(size_of(&p, p.rows_axis), ROWS_MAX);
    p.across = least(size_of(&p, p.across_axis), ACROSS_MAX);
    for (int32_t axis = 0; axis < p.across_axis; axis++) {
        p.all_down *= size_of(&p, axis);
    }
    p.down = least(p.all_down, DOWN_MAX);
    const int64_t in_row = gaps_of_row(&p, 0), in_block = gaps_of_row(&p, p.rows - 1);
    p.gaps = in_row > in_block ? in_row : in_block;
    return p;
}

static int64_t block_width(const plot *p)
{
    return (p->columns + p->gaps) * CELL + BETWEEN;
}

static int64_t block_height(const plot *p)
{
    return p->rows * CELL + LABEL + BETWEEN;
}

static int64_t plot_width(const plot *p)
{
    return p->across * block_width(p);
}

static int64_t plot_height(const plot *p)
{
    return HEAD + p->down * block_height(p);
}

/* ---- cells ---- */

/* From light to darker along the addresses. */
static void put_colour(FILE *out, const plot *p, int64_t element)
{
    const int64_t share = p->tensor->elements > 1 ? element * 45 / (p->tensor->elements - 1) : 0;
    (void)fprintf(out, "fill='hsl(205,55%%,%" PRId64 "%%)'", 90 - share);
}

static void put_title(FILE *out, const plot *p, const int64_t *at, int64_t element, const char *what)
{
    const int64_t byte = element * (int64_t)aic_dtype_size(p->tensor->dtype);
    (void)fprintf(out, "<title>");
    for (int32_t d = 0; at != NULL && d < p->c->rank; d++) {
        (void)fprintf(out, "%s%s %" PRId64, d == 0 ? "" : ", ", p->c->axis[d].name, at[d]);
    }
    (void)fprintf(out, "%selement %" PRId64 ", byte %" PRId64 " = 0x%" PRIX64 "%s</title>", at == NULL ? "" : ": ",
                  element, byte, (uint64_t)byte, what);
}

static void put_cell(FILE *out, const plot *p, const int64_t *at, int64_t element, int64_t x, int64_t y)
{
    const bool used = is_used(p->d, p->operand, element);
    const bool padding = !used && is_padding(p->d, p->operand, at, element);
    (void)fprintf(out, "<rect class='%s' x='%" PRId64 "' y='%" PRId64 "' width='%d' height='%d' ",
                  padding ? "padding"
                  : used  ? "used"
                          : "cell",
                  x, y, CELL - 1, CELL - 1);
    if (padding) {
        (void)fprintf(out, "fill='url(#hatch)'");
    } else {
        put_colour(out, p, element);
    }
    (void)fprintf(out, ">");
    put_title(out, p, at, element, padding ? ", padding" : used ? ", part of the result that is marked" : "");
    (void)fprintf(out, "</rect>\n");
}

static void put_gap(FILE *out, const plot *p, int64_t element, int64_t x, int64_t y)
{
    (void)fprintf(out, "<rect class='gap' x='%" PRId64 "' y='%" PRId64 "' width='%d' height='%d' fill='url(#hatch)'>",
                  x, y, CELL - 1, CELL - 1);
    put_title(out, p, NULL, element, ", between rows or blocks");
    (void)fprintf(out, "</rect>\n");
}

static void put_row(FILE *out, const plot *p, int64_t *at, int64_t x, int64_t y)
{
    int64_t last = -1;
    for (int64_t column = 0; column < p->columns; column++) {
        if (p->columns_axis >= 0) {
            at[p->columns_axis] = column;
        }
        const int64_t element = aic_coordinates_element(p->c, at);
        if (element >= 0 && element < p->tensor->elements) {
            put_cell(out, p, at, element, x + column * CELL, y);
            last = element;
        }
    }
    const int64_t gaps = last >= 0 && p->gaps > 0 ? gaps_behind(p, last) : 0;
    for (int64_t g = 0; g < gaps; g++) {
        put_gap(out, p, last + 1 + g, x + (p->columns + g) * CELL, y);
    }
}

/* ---- operands ---- */

/* The indices outside a block, "C1 1, H 0". */
static void put_label(FILE *out, const plot *p, const int64_t *at, int64_t x, int64_t y)
{
    (void)fprintf(out, "<text x='%" PRId64 "' y='%" PRId64 "' class='label'>", x, y);
    for (int32_t d = 0; d <= p->across_axis; d++) {
        (void)fprintf(out, "%s%s %" PRId64, d == 0 ? "" : ", ", p->c->axis[d].name, at[d]);
    }
    (void)fprintf(out, "</text>\n");
}

static void put_block(FILE *out, const plot *p, int64_t across, int64_t down)
{
    int64_t at[AIC_AXES_MAX] = {0}, rest = down;
    const int64_t x = across * block_width(p), y = HEAD + down * block_height(p);
    for (int32_t d = p->across_axis; d-- > 0;) {
        at[d] = rest % size_of(p, d);
        rest /= size_of(p, d);
    }
    if (p->across_axis >= 0) {
        at[p->across_axis] = across;
        put_label(out, p, at, x, y + LABEL - 4);
    }
    for (int64_t row = 0; row < p->rows; row++) {
        if (p->rows_axis >= 0) {
            at[p->rows_axis] = row;
        }
        put_row(out, p, at, x, y + LABEL + row * CELL);
    }
}

/* "the first 32 of 64 C0": what is left out. */
static void put_left_out(FILE *out, const plot *p)
{
    const struct {
        int32_t axis;
        int64_t shown;
    } parts[] = {{p->across_axis, p->across}, {p->rows_axis, p->rows}, {p->columns_axis, p->columns}};
    const char *before = "; shown: ";
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].axis >= 0 && parts[i].shown < size_of(p, parts[i].axis)) {
            (void)fprintf(out, "%s%s 0..%" PRId64, before, p->c->axis[parts[i].axis].name, parts[i].shown - 1);
            before = ", ";
        }
    }
    if (p->down < p->all_down) {
        (void)fprintf(out, "%sthe first %" PRId64 " of %" PRId64 " rows of blocks", before, p->down, p->all_down);
    }
}

static void put_operand(FILE *out, const plot *p, int64_t y)
{
    char text[OPERAND_TEXT_MAX], names[OPERAND_TEXT_MAX], sizes[OPERAND_TEXT_MAX];
    operand_text(p->tensor, text);
    coordinates_names(p->c, names);
    coordinates_sizes(p->c, sizes);
    (void)fprintf(out, "<g id='%s' transform='translate(%d,%" PRId64 ")'>\n<text y='16' class='name'>%s</text>\n",
                  p->tensor->name, LEFT, y, p->tensor->name);
    (void)fprintf(out, "<text y='34' class='label'>%s, %s of %s", text, names, sizes);
    put_left_out(out, p);
    (void)fprintf(out, "</text>\n");
    for (int64_t down = 0; down < p->down; down++) {
        for (int64_t across = 0; across < p->across; across++) {
            put_block(out, p, across, down);
        }
    }
    (void)fprintf(out, "</g>\n");
}

static bool is_drawn(const drawing *d, size_t operand)
{
    const aic_operand *o = &d->operands->items[operand].operand;
    return o->direction != AIC_DIRECTION_UNUSED && o->elements > 0;
}

/* ---- the whole ---- */

/* How much of the text the next line holds: up to behind a blank, unless there is none. */
static size_t line_length(const char *text)
{
    const size_t left = strlen(text);
    size_t length = left < LINE_MAX ? left : LINE_MAX;
    while (length < left && length > 0 && text[length - 1] != ' ') {
        length--;
    }
    return length > 0 ? length : LINE_MAX;
}

static int64_t heading_height(const drawing *d)
{
    int64_t lines = 2;
    for (const char *text = d->text; *text != '\0'; text += line_length(text)) {
        lines++;
    }
    return lines * LINE;
}

static void put_heading(FILE *out, const drawing *d)
{
    const cli_operand *result = &d->operands->items[d->result];
    char where[OPERAND_TEXT_MAX], line[LINE_MAX + 1];
    int64_t y = LINE;
    for (const char *text = d->text; *text != '\0'; text += line_length(text), y += LINE) {
        (void)snprintf(line, sizeof line, "%.*s", (int)line_length(text), text);
        (void)fprintf(out, "<text x='%d' y='%" PRId64 "' class='label'>", LEFT, y);
        page_text(out, line);
        (void)fprintf(out, "</text>\n");
    }
    (void)fprintf(out,
                  "<text x='%d' y='%" PRId64 "' class='label'>Cells grow darker with their address; hatched ones "
                  "hold nothing.",
                  LEFT, y);
    if (d->element >= 0) {
        coordinates_text(&result->coordinates, d->element, where);
        (void)fprintf(out, " Marked: %s%s and what it is made from.", result->operand.name, where);
    }
    (void)fprintf(out, "</text>\n");
}

void draw_svg(FILE *out, const void *from)
{
    static const char style[] =
        "text{font-family:system-ui,'DejaVu Sans',sans-serif;fill:#333}.name{font-size:15px;font-weight:600}"
        ".label{font-size:11px}rect{stroke:#fff;stroke-width:.5}.padding,.gap{stroke:#bbb}"
        ".used{stroke:#c2410c;stroke-width:2;fill:#fdba74!important}rect:hover{stroke:#111;stroke-width:2}";
    const drawing *d = from;
    int64_t width = 900, height = heading_height(d);
    for (size_t i = 0; i < d->operands->count; i++) {
        if (is_drawn(d, i)) {
            const plot p = plot_of(d, i);
            width = plot_width(&p) + 2 * LEFT > width ? plot_width(&p) + 2 * LEFT : width;
            height += plot_height(&p);
        }
    }
    (void)fprintf(out,
                  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %" PRId64 " %" PRId64 "' width='%" PRId64
                  "' height='%" PRId64 "'>\n<style>%s</style>\n",
                  width, height, width, height, style);
    (void)fprintf(out, "<defs><pattern id='hatch' width='5' height='5' patternUnits='userSpaceOnUse' "
                       "patternTransform='rotate(45)'><rect width='5' height='5' fill='#f3f3f3'/><path d='M0 0V5' "
                       "stroke='#9a9a9a'/></pattern></defs>\n<rect width='100%%' height='100%%' fill='#fff'/>\n");
    put_heading(out, d);
    int64_t y = heading_height(d);
    for (size_t i = 0; i < d->operands->count; i++) {
        if (is_drawn(d, i)) {
            const plot p = plot_of(d, i);
            put_operand(out, &p, y);
            y += plot_height(&p);
        }
    }
    (void)fprintf(out, "</svg>\n");
}

void draw_html(FILE *out, const void *from)
{
    const drawing *d = from;
    page_begin(out, "draw", "");
    (void)fprintf(out, "<h1>");
    for (size_t s = 0; s < aic_spec_stages(d->spec); s++) {
        (void)fprintf(out, "%s%s", s == 0 ? "" : " | ", aic_op_name(aic_spec_stage_op(d->spec, s)));
    }
    (void)fprintf(out, "</h1>\n<p>Pointing at a cell shows its indices, element and byte.</p>\n<figure>\n");
    draw_svg(out, d);
    (void)fprintf(out, "</figure>\n");
    page_end(out);
}
