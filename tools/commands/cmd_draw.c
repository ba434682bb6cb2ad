/* aicjit draw: the operands of an operator as the documents lay them out. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/testdata.h"
#include "tools/laboratory/draw.h"
#include "tools/laboratory/tracing.h"
#include "tools/report/page.h"
#include "tools/session.h"

#include <aic/tool.h>
#include <stdlib.h>
#include <string.h>

typedef struct draw_state {
    cli_session session;
    const char *at, *path;
    cli_operands operands;
    drawing drawing;
    char *text;
    outfile file;
} draw_state;

/* Contents of the tool's own for every operand but the result, and room for that. */
static int open_operands(draw_state *draw)
{
    int status = CLI_DONE;
    for (size_t i = 0; i < draw->operands.count && status == CLI_DONE; i++) {
        cli_operand *o = &draw->operands.items[i];
        if (o->operand.direction == AIC_DIRECTION_UNUSED || o->buffer.data != NULL) {
            continue;
        }
        status = cli_memory(&o->buffer, o->operand.name, (uint64_t)o->operand.bytes);
        draw->operands.pointers[i] = o->buffer.data;
        if (status == CLI_DONE && i != draw->drawing.result) {
            testdata_fill_for(draw->drawing.spec, &o->operand, 1, o->buffer.data);
        }
    }
    return status;
}

/* ---- which elements of the result are written ---- */

/* Left out where it would take long to trace every element. */
static int find_written(draw_state *draw)
{
    static const int64_t MOST = INT64_C(1) << 26;
    drawing *d = &draw->drawing;
    const aic_operand *result = &draw->operands.items[d->result].operand;
    int64_t macs = 0, bytes = 0;
    aic_status failed = aic_spec_work(d->spec, &draw->session.semantics, &macs, &bytes);
    if (failed != AIC_OK) {
        return cli_status("draw", failed);
    }
    if (macs > MOST || bytes > MOST || result->bytes > MOST) {
        return CLI_DONE;
    }
    const int status = open_operands(draw);
    d->findings = status == CLI_DONE ? calloc((size_t)result->elements + 1, sizeof *d->findings) : NULL;
    if (d->findings == NULL) {
        return status == CLI_DONE ? cli_fail_memory(result->name, (uint64_t)result->elements) : status;
    }
    failed =
        aic_diagnose(d->spec, &draw->session.semantics, draw->operands.pointers, draw->operands.count, d->findings);
    return cli_status("draw", failed);
}

/* ---- which element is marked ---- */

/* Marks what the element is made from. */
static int find_reads(draw_state *draw)
{
    drawing *d = &draw->drawing;
    cli_operands *operands = &draw->operands;
    int status = open_operands(draw);
    for (size_t i = 0; i < operands->count && status == CLI_DONE; i++) {
        const cli_operand *o = &operands->items[i];
        d->reads[i] = operands->pointers[i] != NULL ? calloc((size_t)o->operand.elements + 1, 1) : NULL;
        if (operands->pointers[i] != NULL && d->reads[i] == NULL) {
            status = cli_fail_memory(o->operand.name, (uint64_t)o->operand.elements);
        }
    }
    if (status != CLI_DONE) {
        return status;
    }
    return cli_status("draw", aic_trace_reads(d->spec, &draw->session.semantics, operands->pointers, operands->count,
                                              d->element, d->reads));
}

static int choose_element(draw_state *draw)
{
    drawing *d = &draw->drawing;
    d->element = -1;
    if (draw->at == NULL) {
        return CLI_DONE;
    }
    const int status = at_element("draw", draw->at, &draw->operands.items[d->result], &d->element);
    return status == CLI_DONE ? find_reads(draw) : status;
}

static int draw_text(draw_state *draw, const char *text, bool page)
{
    drawing *d = &draw->drawing;
    int status = outfile_open(&draw->file, "-o", draw->path);
    if (status == CLI_DONE) {
        cli_session_semantics(&draw->session);
        status = cli_parse_spec(&draw->session, text, &d->spec);
    }
    status = status == CLI_DONE ? operands_list(&draw->operands, d->spec, &draw->session.semantics, NULL) : status;
    if (status != CLI_DONE) {
        return status;
    }
    draw->text = cli_spec_text(d->spec);
    if (draw->text == NULL) {
        return cli_fail(CLI_SYSTEM, "draw: memory ran out");
    }
    d->text = draw->text;
    d->operands = &draw->operands;
    d->result = operands_written(&draw->operands);
    status = choose_element(draw);
    status = status == CLI_DONE ? find_written(draw) : status;
    return status == CLI_DONE ? page_write(&draw->file, "-o", page ? draw_html : draw_svg, d) : status;
}

static int draw_request(draw_state *draw, const args_list *texts)
{
    if (texts->count == 0) {
        return cli_fail(CLI_WRONG, "draw: the operator text SPEC is missing");
    }
    if (draw->path == NULL) {
        return cli_fail(CLI_WRONG, "draw: -o: is missing: name a file that ends in .svg or .html");
    }
    const bool page = outfile_ends(draw->path, ".html");
    if (!page && !outfile_ends(draw->path, ".svg")) {
        return cli_fail(CLI_WRONG, "draw: -o: \"%s\" ends in neither .svg nor .html", draw->path);
    }
    return draw_text(draw, texts->items[0], page);
}

int cmd_draw(int argc, char **argv)
{
    draw_state draw = {.operands.command = "draw", .file.fd = -1};
    args_list texts = {0};
    const args_option options[] = {
        option_text("-o", "FILE", "where the picture goes: FILE.svg, or FILE.html for a page", &draw.path),
        option_text("--at", "OPERAND[I,...]", "mark this element of the result, and which inputs it is made from",
                    &draw.at),
        CLI_OPTION_DT(draw.session),
        CLI_OPTION_ARCH(draw.session),
    };
    const args_command command = {
        .name = "draw",
        .arguments = "SPEC -o FILE [OPTION]...",
        .summary = "Draws the operands of an operator as the documents lay them out: blocks, rows and padding, indices "
                   "and addresses.",
        ARGS_OPTIONS(options),
    };
    int status = cli_parse(&draw.session, &command, argc, argv, 1, &texts);
    status = status == CLI_DONE ? draw_request(&draw, &texts) : status;
    operands_close(&draw.operands);
    aic_spec_destroy(draw.drawing.spec);
    free(draw.drawing.findings);
    outfile_close(&draw.file);
    free(draw.text);
    for (size_t i = 0; i < AIC_OPERANDS_MAX; i++) {
        free(draw.drawing.reads[i]);
    }
    return status;
}
