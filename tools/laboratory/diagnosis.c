/* What happened to the data on the way to a result, counted. */
#include "tools/laboratory/diagnosis.h"

#include "tools/harness/fail.h"
#include "tools/harness/operand_text.h"
#include "tools/json_write.h"
#include "tools/session.h"

#include <inttypes.h>
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

void diagnosis_place(const diagnosis *d, int64_t element, char text[DIAGNOSIS_PLACE_MAX])
{
    char where[OPERAND_TEXT_MAX];
    coordinates_text(&d->output->coordinates, element, where);
    (void)snprintf(text, DIAGNOSIS_PLACE_MAX, "%.40s%.250s", d->output->operand.name, where);
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
        char place[DIAGNOSIS_PLACE_MAX];
        if (event->count == 0) {
            continue;
        }
        any = true;
        diagnosis_place(d, event->first, place);
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
    json_text("name", info->name);
    json_text("meaning", info->meaning);
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
    json_text("spec", text);
    json_text("choices", d->choices);
    json_text("operand", d->output->operand.name);
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
