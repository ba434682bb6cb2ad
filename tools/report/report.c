/* The page as a whole. */
#include "tools/report/report.h"

#include "tools/harness/fail.h"
#include "tools/report/page.h"

#include <stdlib.h>
#include <string.h>

enum { OPEN_MAX = 6 }; /* operators whose parts are open at first */

static const char SUBJECT[] = "--report";

int report_open(report *r, const char *command, const char *path)
{
    *r = (report){.command = command, .file.fd = -1};
    return outfile_open(&r->file, SUBJECT, path);
}

int report_add(report *r, const aic_spec *spec, const char *text, const char *name, report_layer **layer)
{
    report_layer *layers = realloc(r->layer, (r->count + 1) * sizeof *layers);
    if (layers == NULL) {
        return cli_fail_memory(SUBJECT, (r->count + 1) * sizeof *layers);
    }
    r->layer = layers;
    *layer = &layers[r->count];
    **layer = (report_layer){.spec = strdup(text), .name = strdup(name), .peak_name = "", .note = ""};
    if ((*layer)->spec == NULL || (*layer)->name == NULL || aic_spec_chain(&spec, 1, &(*layer)->value) != AIC_OK) {
        free((*layer)->spec);
        free((*layer)->name);
        return cli_fail_memory(SUBJECT, strlen(text) + strlen(name));
    }
    r->count++;
    return CLI_DONE;
}

int report_add_point(report_layer *layer, const report_point *point)
{
    report_point *points = realloc(layer->point, (layer->count + 1) * sizeof *points);
    if (points == NULL) {
        return cli_fail_memory(SUBJECT, (layer->count + 1) * sizeof *points);
    }
    layer->point = points;
    points[layer->count++] = *point;
    return CLI_DONE;
}

static void write_layer(FILE *out, const report *r, size_t i, bool whole)
{
    const report_layer *layer = &r->layer[i];
    (void)fprintf(out, "<details id=layer%zu%s><summary>", i + 1, r->count <= OPEN_MAX ? " open" : "");
    page_text(out, page_label(layer, i).text);
    (void)fprintf(out, "</summary>\n<p class=code>");
    page_text(out, layer->spec);
    (void)fprintf(out, "</p>\n");
    page_bars(out, layer);
    if (whole) {
        page_tiles(out, r->context, layer);
    }
    (void)fprintf(out, "</details>\n");
}

static void write_page(FILE *out, const report *r, bool whole)
{
    page_begin(out, r->command, "");
    (void)fprintf(out, "<h1>aicjit %s: %zu operator%s</h1>\n", r->command, r->count, r->count == 1 ? "" : "s");
    page_machine(out, r);
    (void)fprintf(out, "<h2>Operators</h2>\n");
    page_table(out, r);
    (void)fprintf(out,
                  "<p>Times are medians of a call with the interval in which they lie with 95 %%; a grey gain is "
                  "within the noise. The share of the peak "
                  "is that of the vector unit's multiply-accumulates (fp32, fp64) or of a copy of as many bytes; the "
                  "bound is the number of vector operations that no schedule can save.</p>\n<h2>Roofline</h2>\n");
    page_roofline(out, r);
    (void)fprintf(out, "<h2>Predicted and measured</h2>\n");
    page_scatter(out, r);
    (void)fprintf(out, "<h2>Schedules of each operator</h2>\n");
    for (size_t i = 0; i < r->count; i++) {
        write_layer(out, r, i, whole);
    }
    page_end(out);
}

/* What is written: without the tiles that must be predicted where there is little time. */
typedef struct request {
    const report *report;
    bool whole;
} request;

static void write_request(FILE *out, const void *from)
{
    const request *wanted = from;
    write_page(out, wanted->report, wanted->whole);
}

int report_write(report *r, bool whole)
{
    return page_write(&r->file, SUBJECT, write_request, &(request){r, whole});
}

void report_close(report *r)
{
    for (size_t i = 0; i < r->count; i++) {
        aic_spec_destroy(r->layer[i].value);
        free(r->layer[i].spec);
        free(r->layer[i].name);
        free(r->layer[i].point);
    }
    free(r->layer);
    outfile_close(&r->file);
    *r = (report){.file.fd = -1};
}
