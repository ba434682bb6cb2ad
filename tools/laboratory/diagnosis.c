/* What happened to the data on the way to a result, counted. */
#include "tools/laboratory/diagnosis.h"

#include "tools/harness/element.h"
#include "tools/harness/fail.h"
#include "tools/harness/operand_text.h"
#include "tools/harness/stages.h"
#include "tools/json_write.h"
#include "tools/report/page.h"
#include "tools/session.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t elements_of(const diagnosis *d)
{
    return d->output->operand.elements;
}

static int open_counts(diagnosis *d)
{
    for (int64_t i = 0; i < elements_of(d); i++) {
        const int64_t behind = (int64_t)d->findings[i].channel + 1;
        d->channels = behind > d->channels ? behind : d->channels;
    }
    for (int e = 0; e < AIC_EVENT_END; e++) {
        d->event[e].first = -1;
        d->event[e].channel = calloc((size_t)d->channels + 1, sizeof *d->event[e].channel);
        if (d->event[e].channel == NULL) {
            return cli_fail_memory("the diagnosis", (uint64_t)d->channels * sizeof *d->event[e].channel);
        }
    }
    return CLI_DONE;
}

static void count(diagnosis *d)
{
    for (int64_t i = 0; i < elements_of(d); i++) {
        const aic_finding *f = &d->findings[i];
        for (int e = 0; f->events >> e != 0; e++) {
            if ((f->events >> e & 1) == 0) {
                continue;
            }
            d->event[e].first = d->event[e].count++ == 0 ? i : d->event[e].first;
            if (f->channel >= 0) {
                d->event[e].channel[f->channel]++;
            }
        }
    }
}

static int take_advice(diagnosis *d, const aic_semantics *semantics, const cli_operands *operands)
{
    (void)aic_take_warning();
    const aic_status status = aic_spec_advise(d->spec, semantics, operands->pointers, operands->count);
    const char *advice = status == AIC_OK ? aic_take_warning() : NULL;
    d->advice = advice != NULL ? strdup(advice) : NULL;
    return advice != NULL && d->advice == NULL ? cli_fail_memory("the diagnosis", strlen(advice)) : CLI_DONE;
}

int diagnosis_open(diagnosis *d, const char *command, const aic_spec *spec, const aic_semantics *semantics,
                   const cli_operands *operands)
{
    *d = (diagnosis){.spec = spec, .output = &operands->items[0]};
    cli_choices_text(semantics, d->choices);
    d->findings = calloc((size_t)elements_of(d) + 1, sizeof *d->findings);
    if (d->findings == NULL) {
        return cli_fail_memory("the diagnosis", (uint64_t)elements_of(d) * sizeof *d->findings);
    }
    const aic_status failed = aic_diagnose(spec, semantics, operands->pointers, operands->count, d->findings);
    int status = failed == AIC_OK ? open_counts(d) : cli_status(command, failed);
    if (status == CLI_DONE) {
        count(d);
        status = take_advice(d, semantics, operands);
    }
    return status;
}

void diagnosis_close(diagnosis *d)
{
    for (int e = 0; e < AIC_EVENT_END; e++) {
        free(d->event[e].channel);
    }
    free(d->findings);
    free(d->advice);
    *d = (diagnosis){.channels = 0};
}

/* "dst[0,3,1]", of an element of the result. */
enum { PLACE_MAX = 320 };

static void place_text(const diagnosis *d, int64_t element, char text[PLACE_MAX])
{
    char where[OPERAND_TEXT_MAX];
    coordinates_text(&d->output->coordinates, element, where);
    (void)snprintf(text, PLACE_MAX, "%.40s%.250s", d->output->operand.name, where);
}

/* ---- text ---- */

/* "in 3 channels, most in 5 (144), 17 (3)": how many elements of a channel have the event. */
static void print_channels(const diagnosis *d, const diagnosis_event *event)
{
    enum { SHOWN = 6 };
    int64_t shown[SHOWN], channels = 0, count = 0; /* by falling number of elements */
    for (int64_t c = 0; c < d->channels; c++) {
        channels += event->channel[c] != 0;
        int64_t place = count < SHOWN ? count : SHOWN;
        while (place > 0 && event->channel[shown[place - 1]] < event->channel[c]) {
            if (place < SHOWN) {
                shown[place] = shown[place - 1];
            }
            place--;
        }
        if (place < SHOWN && event->channel[c] != 0) {
            shown[place] = c;
            count += count < SHOWN;
        }
    }
    for (int64_t i = 0; i < count; i++) {
        if (i == 0) {
            printf("  %-16s in %" PRId64 " channels, most in", "", channels);
        }
        printf("%s %" PRId64 " (%" PRId64 ")", i == 0 ? "" : ",", shown[i], event->channel[shown[i]]);
    }
    if (count > 0) {
        printf("\n");
    }
}

void diagnosis_print(const diagnosis *d)
{
    bool any = false;
    printf("diagnosis of %s, %" PRId64 " elements:\n", d->output->operand.name, elements_of(d));
    for (int e = 0; e < AIC_EVENT_END; e++) {
        const diagnosis_event *event = &d->event[e];
        const aic_event_info *info = aic_event_at((size_t)e);
        char place[PLACE_MAX];
        if (event->count == 0) {
            continue;
        }
        any = true;
        place_text(d, event->first, place);
        printf("  %-16s %" PRId64 ", first %s: %s\n", info->name, event->count, place, info->meaning);
        print_channels(d, event);
    }
    if (!any) {
        printf("  nothing to tell\n");
    }
}

/* ---- JSON ---- */

static void put_place(const diagnosis *d, int64_t element)
{
    int64_t at[AIC_AXES_MAX];
    if (!aic_coordinates_find(&d->output->coordinates, element, at)) {
        json_text("first", NULL);
        return;
    }
    json_array("first");
    for (int32_t axis = 0; axis < d->output->coordinates.rank; axis++) {
        json_integer(NULL, at[axis]);
    }
    json_end();
}

static void put_event(const diagnosis *d, int e)
{
    const diagnosis_event *event = &d->event[e];
    const aic_event_info *info = aic_event_at((size_t)e);
    json_object(NULL);
    JSON_TEXTS({"name", info->name}, {"meaning", info->meaning});
    json_integer("count", event->count);
    put_place(d, event->first);
    json_integer("first_element", event->first);
    json_object("channels");
    for (int64_t c = 0; c < d->channels; c++) {
        char channel[24];
        (void)snprintf(channel, sizeof channel, "%" PRId64, c);
        if (event->channel[c] != 0) {
            json_integer(channel, event->channel[c]);
        }
    }
    json_end();
    json_end();
}

int diagnosis_print_json(const diagnosis *d)
{
    char *text = cli_spec_text(d->spec);
    if (text == NULL) {
        return cli_fail_memory("the diagnosis", 0);
    }
    json_object(NULL);
    JSON_TEXTS({"spec", text}, {"choices", d->choices}, {"operand", d->output->operand.name});
    json_integer("elements", elements_of(d));
    json_array("events");
    for (int e = 0; e < AIC_EVENT_END; e++) {
        if (d->event[e].count > 0) {
            put_event(d, e);
        }
    }
    json_end();
    json_text("advice", d->advice != NULL ? d->advice : "");
    json_end();
    free(text);
    return CLI_DONE;
}

/* ---- the page ---- */

/* Grey shades, then a colour a row of MARKS; pixels without an element are white. */
enum { SHADES = 240, WHITE = 255, PALETTE = 256, TILES_MAX = 96, PIXELS_MAX = 1 << 16 };

/* What a pixel shows rather than its value: the first row of which one of the events is there. */
static const struct {
    uint32_t events;
    unsigned char red, green, blue;
    const char *name;
} MARKS[] = {
    {1U << AIC_EVENT_UNWRITTEN, 226, 226, 240, "not written"},
    {1U << AIC_EVENT_NAN_MADE | 1U << AIC_EVENT_NAN_LOST | 1U << AIC_EVENT_NOT_FINITE, 40, 90, 220, "NaN or infinite"},
    {1U << AIC_EVENT_INT_OVERFLOW | 1U << AIC_EVENT_OVERFLOW, 150, 0, 150, "overflow"},
    {1U << AIC_EVENT_AT_LIMIT, 210, 30, 30, "at a limit of its range"},
    {1U << AIC_EVENT_CLAMPED, 240, 140, 0, "clamped on the way"},
    {1U << AIC_EVENT_INVALID_READ | 1U << AIC_EVENT_OVERLAP, 0, 140, 90,
     "of rows or blocks that overlap or are invalid"},
};

enum { MARKS_COUNT = sizeof MARKS / sizeof MARKS[0] };

/* The result by channels: the elements of channel c are order[start[c]] to order[start[c + 1] - 1]. Where an operator
 * has none all are of channel 0. */
typedef struct picture {
    const diagnosis *d;
    int64_t channels;
    int64_t *start, *order;
    double low, high; /* of finite values */
    int64_t width;    /* 0: as square as it gets */
} picture;

static int64_t channel_of(const picture *p, int64_t element)
{
    const int32_t channel = p->d->findings[element].channel;
    return channel < 0 ? (p->d->channels == 0 ? 0 : -1) : channel;
}

static double value_of(const picture *p, int64_t element)
{
    const aic_operand *o = &p->d->output->operand;
    return element_to_double(o->dtype, (const unsigned char *)p->d->output->buffer.data +
                                           (size_t)element * aic_dtype_size(o->dtype));
}

/* Columns of a convolution's output, whose rows then are those of the picture. */
static int64_t width_of(const aic_spec *spec)
{
    const stage_desc first = stage_of(spec, 0);
    const aic_conv2d_desc *c = &first.desc.conv2d;
    const int64_t span = (c->kernel_shape[2] - 1) * c->dilation[1] + 1;
    return first.op == AIC_OP_CONV2D ? (c->fm_shape[2] + c->pad[0] + c->pad[1] - span) / c->stride[1] + 1 : 0;
}

static bool open_picture(picture *p, const diagnosis *d)
{
    const int64_t elements = d->output->operand.elements;
    *p = (picture){.d = d, .channels = d->channels > 0 ? d->channels : 1, .low = INFINITY, .high = -INFINITY};
    p->width = width_of(d->spec);
    p->start = calloc((size_t)p->channels + 2, sizeof *p->start);
    p->order = calloc((size_t)elements + 1, sizeof *p->order);
    if (p->start == NULL || p->order == NULL) {
        return false;
    }
    for (int64_t i = 0; i < elements; i++) {
        const double value = value_of(p, i);
        const int64_t channel = channel_of(p, i);
        p->start[channel + 2] += channel >= 0; /* counts, two places behind */
        if (isfinite(value) && (d->findings[i].events >> AIC_EVENT_UNWRITTEN & 1) == 0) {
            p->low = value < p->low ? value : p->low;
            p->high = value > p->high ? value : p->high;
        }
    }
    p->low = p->low > p->high ? 0 : p->low; /* no finite value */
    p->high = p->high < p->low ? 0 : p->high;
    for (int64_t c = 2; c < p->channels + 2; c++) {
        p->start[c] += p->start[c - 1];
    }
    for (int64_t i = 0; i < elements; i++) {
        const int64_t channel = channel_of(p, i);
        if (channel >= 0) {
            p->order[p->start[channel + 1]++] = i;
        }
    }
    return true;
}

static unsigned char pixel_of(const picture *p, int64_t element)
{
    const double value = value_of(p, element), range = p->high - p->low;
    for (size_t m = 0; m < MARKS_COUNT; m++) {
        if ((p->d->findings[element].events & MARKS[m].events) != 0) {
            return (unsigned char)(SHADES + m);
        }
    }
    return range > 0 && isfinite(range) ? (unsigned char)((value - p->low) / range * (SHADES - 1)) : SHADES / 2;
}

/* ---- a bitmap in the text of the page ---- */

/* Bytes as base64, three at a time. */
typedef struct base64 {
    FILE *out;
    uint32_t bits;
    int bytes;
} base64;

static void put_byte(base64 *b, unsigned char byte)
{
    static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    b->bits = b->bits << 8 | byte;
    if (++b->bytes == 3) {
        for (int shift = 18; shift >= 0; shift -= 6) {
            (void)putc(LETTERS[b->bits >> shift & 63], b->out);
        }
        *b = (base64){.out = b->out};
    }
}

static void put_number(base64 *b, int64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        put_byte(b, (unsigned char)((uint64_t)number >> 8 * i));
    }
}

/* The file's head and colours: 8 bits a pixel, rows from top to bottom. */
static void put_head(base64 *b, int64_t width, int64_t height, int64_t pitch)
{
    enum { HEAD = 14, INFO = 40, COLOUR = 4 };
    const int64_t before = HEAD + INFO + PALETTE * COLOUR;
    const int64_t info[][2] = {{INFO, 4},           {width, 4}, {-height, 4}, {1, 2},       {8, 2}, {0, 4},
                               {pitch * height, 4}, {0, 4},     {0, 4},       {PALETTE, 4}, {0, 4}};
    put_byte(b, 'B');
    put_byte(b, 'M');
    put_number(b, before + pitch * height, 4);
    put_number(b, 0, 4);
    put_number(b, before, 4);
    for (size_t i = 0; i < sizeof info / sizeof info[0]; i++) {
        put_number(b, info[i][0], (int)info[i][1]);
    }
    for (int c = 0; c < PALETTE; c++) {
        const size_t mark = c >= SHADES ? (size_t)(c - SHADES) : MARKS_COUNT;
        const unsigned char grey = (unsigned char)(c >= SHADES ? WHITE : c);
        put_byte(b, mark < MARKS_COUNT ? MARKS[mark].blue : grey);
        put_byte(b, mark < MARKS_COUNT ? MARKS[mark].green : grey);
        put_byte(b, mark < MARKS_COUNT ? MARKS[mark].red : grey);
        put_byte(b, 0);
    }
}

static void put_tile(FILE *out, const picture *p, int64_t channel)
{
    const int64_t first = p->start[channel], all = p->start[channel + 1] - first;
    const int64_t count = all < PIXELS_MAX ? all : PIXELS_MAX;
    const int64_t width = p->width > 0 ? p->width : (int64_t)ceil(sqrt((double)count));
    if (count == 0) {
        return;
    }
    const int64_t height = (count + width - 1) / width, pitch = (width + 3) / 4 * 4;
    int64_t marked = 0;
    base64 b = {.out = out};
    (void)fprintf(out,
                  "<figure class=channel><img alt='channel %" PRId64 "' width=%" PRId64 " src='data:image/bmp;base64,",
                  channel, width < 96 ? 96 / width * width : width);
    put_head(&b, width, height, pitch);
    for (int64_t y = 0; y < height; y++) {
        for (int64_t x = 0; x < pitch; x++) {
            const int64_t i = y * width + x;
            const unsigned char pixel = x < width && i < count ? pixel_of(p, p->order[first + i]) : WHITE;
            marked += x < width && i < count && pixel >= SHADES;
            put_byte(&b, pixel);
        }
    }
    while (b.bytes != 0) { /* what follows the last row has no effect */
        put_byte(&b, 0);
    }
    (void)fprintf(out, "'><figcaption>%" PRId64 "%s%" PRId64 "%s</figcaption></figure>\n", channel,
                  marked > 0 ? ": " : " (", marked > 0 ? marked : all, marked > 0 ? " marked" : ")");
}

static void put_picture(FILE *out, const diagnosis *d)
{
    picture p;
    if (open_picture(&p, d)) {
        (void)fprintf(out,
                      "<h2>The result, by channels</h2>\n<p>From dark for %.6g to light for %.6g. Pixels are rows of "
                      "a matrix or, of a convolution, places of the image.</p>\n<p class=legend>",
                      p.low, p.high);
        for (size_t m = 0; m < MARKS_COUNT; m++) {
            (void)fprintf(out, "<span style='background:rgb(%d,%d,%d)'></span>%s\n", MARKS[m].red, MARKS[m].green,
                          MARKS[m].blue, MARKS[m].name);
        }
        (void)fprintf(out, "</p>\n<div class=tiles>\n");
        for (int64_t c = 0; c < p.channels && c < TILES_MAX; c++) {
            put_tile(out, &p, c);
        }
        (void)fprintf(out, "</div>\n");
        if (p.channels > TILES_MAX) {
            (void)fprintf(out, "<p>%" PRId64 " more channels are not drawn.</p>\n", p.channels - TILES_MAX);
        }
    }
    free(p.start);
    free(p.order);
}

/* ---- the page ---- */

static void put_events(FILE *out, const diagnosis *d)
{
    (void)fprintf(out, "<table><tr><th>event<th>elements<th>first<th>channels<th style='text-align:left'>what it is\n");
    for (int e = 0; e < AIC_EVENT_END; e++) {
        const diagnosis_event *event = &d->event[e];
        char place[PLACE_MAX];
        int64_t channels = 0;
        if (event->count == 0) {
            continue;
        }
        for (int64_t c = 0; c < d->channels; c++) {
            channels += event->channel[c] != 0;
        }
        place_text(d, event->first, place);
        (void)fprintf(out, "<tr><td>%s<td>%" PRId64 "<td>%s<td>%" PRId64 "<td style='text-align:left'>",
                      aic_event_at((size_t)e)->name, event->count, place, channels);
        page_text(out, aic_event_at((size_t)e)->meaning);
        (void)fprintf(out, "\n");
    }
    (void)fprintf(out, "</table>\n");
}

static void put_page(FILE *out, const void *from)
{
    const diagnosis *d = from;
    char *text = cli_spec_text(d->spec);
    page_begin(out, "run --diagnose",
               ".tiles{display:flex;flex-wrap:wrap;gap:.6rem}.channel img{image-rendering:pixelated;border:1px solid "
               "#ccc}");
    (void)fprintf(out, "<h1>What happened to the data of %s</h1>\n", d->output->operand.name);
    page_code(out, text != NULL ? text : "");
    if (d->choices[0] != '\0') {
        (void)fprintf(out, "<p class=code>choices: %s</p>\n", d->choices);
    }
    if (d->advice != NULL) {
        (void)fprintf(out, "<h2>What the request hardly means</h2>\n<p>");
        page_text(out, d->advice);
        (void)fprintf(out, "</p>\n");
    }
    (void)fprintf(out, "<h2>Events</h2>\n");
    put_events(out, d);
    put_picture(out, d);
    page_end(out);
    free(text);
}

int diagnosis_write(const diagnosis *d, outfile *file, const char *command)
{
    return page_write(file, command, put_page, d);
}
