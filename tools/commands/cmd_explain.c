/* aicjit explain: which schedule and why, which were refused and why, predicted cost and its bound; with --at how one
 * element of the result comes about. */
#include "tools/bench/bench_call.h"
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/harness/peak.h"
#include "tools/harness/timer.h"
#include "tools/json_write.h"
#include "tools/laboratory/tracing.h"
#include "tools/operands.h"
#include "tools/pto.h"
#include "tools/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct explain_state {
    cli_session session;
    cli_pto pto;
    const char *isa, *at, *schedule;
    bool measure, json;
    cli_operands operands;
    const aic_spec *spec;
    size_t line; /* of the program, where it stands; 0: there is none */
    bool told;   /* an operator before it */
} explain_state;

/* The time of a call, beside what is predicted at the rate of vector operations that this machine has. */
static void print_measured(const aic_explanation *e, const timer_result *time)
{
    const double rate = aic_peak_vector_operations(e->vector_bits);
    printf("measured time: %.0f ns, fastest %.0f, slowest tenth from %.0f, of %" PRIu64 " calls, packed weights\n",
           time->median_ns, time->min_ns, time->p90_ns, time->calls);
    if (rate > 0 && time->median_ns > 0) {
        printf(
            "at this machine's %.3g vector operations a ns: %.0f ns predicted, the bound %.0f ns, of which %.1f %% is "
            "reached\n",
            rate, e->cost / rate, e->bound / rate, 100 * e->bound / rate / time->median_ns);
    }
}

static void put_measured(const aic_explanation *e, const timer_result *time)
{
    json_object("measured");
    json_real("median_ns", time->median_ns);
    json_real("min_ns", time->min_ns);
    json_real("p90_ns", time->p90_ns);
    json_integer("calls", (int64_t)time->calls);
    json_real("operations_per_ns", aic_peak_vector_operations(e->vector_bits));
    json_end();
}

/* Measures as `bench` does. */
static int measure(const explain_state *explain, const aic_explanation *e)
{
    static const double SECONDS = 0.3;
    cli_operands operands = {.count = 0};
    bench_call call = {.kernel = NULL};
    int status = bench_operands_open(&operands, explain->spec, &explain->session.semantics);
    if (status == CLI_DONE) {
        status = bench_call_open(&call, &operands, explain->spec, explain->session.context, explain->schedule, true);
    }
    if (status == CLI_DONE) {
        const timer_result time = timer_measure(bench_call_run, &call, SECONDS, interrupt_requested);
        (explain->json ? put_measured : print_measured)(e, &time);
    }
    bench_call_close(&call);
    operands_close(&operands);
    return status;
}

/* The explanation's members. */
static void put_explanation(const aic_explanation *e)
{
    static const char *const LEVELS[AIC_TRAFFIC_LEVELS] = {"l1", "l2", "l3", "memory"};
    json_text("shape", e->shape);
    json_text("kernel", e->kernel);
    json_text("origin", e->origin);
    json_text("isa", e->isa);
    json_integer("vector_bits", e->vector_bits);
    json_text("schedule", e->schedule);
    json_integer("macs", e->macs);
    json_real("cost", e->cost);
    json_real("bound", e->bound);
    json_real("predicted_ns", e->predicted_ns);
    json_real("bound_ns", e->bound_ns);
    json_real("operations_per_ns", e->operations_per_ns);
    json_object("bytes");
    for (size_t i = 0; i < AIC_TRAFFIC_LEVELS; i++) {
        json_real(LEVELS[i], e->bytes[i]);
    }
    json_end();
    json_words("text", e->text, '\n');
}

/* What opens every object: the request, and under which readings. */
static void put_request(const explain_state *explain, const char *canonical)
{
    char choices[CLI_SEMANTICS_TEXT_MAX];
    cli_choices_text(&explain->session.semantics, choices);
    json_object(NULL);
    json_text("spec", canonical);
    json_text("choices", choices);
}

static int explain_as_json(explain_state *explain, const aic_explanation *e, const char *canonical)
{
    put_request(explain, canonical);
    put_explanation(e);
    const int status = explain->measure ? measure(explain, e) : CLI_DONE;
    json_end();
    return status;
}

static int explain_as_text(explain_state *explain, const aic_explanation *e, const char *canonical)
{
    if (explain->line > 0) {
        printf("%s%s:%zu:\n", explain->told ? "\n" : "", explain->pto.path, explain->line);
    }
    explain->told = true;
    printf("%s\n", canonical);
    cli_show_choices(&explain->session.semantics);
    cli_put(e->text, strlen(e->text));
    return explain->measure ? measure(explain, e) : CLI_DONE;
}

static int explain_schedule(explain_state *explain)
{
    aic_explanation e = aic_explanation_init();
    char *canonical = cli_spec_text(explain->spec);
    if (canonical == NULL) {
        return cli_fail(CLI_SYSTEM, "explain: memory ran out");
    }
    int status =
        cli_status(NULL, aic_explain(explain->session.context, explain->spec, explain->schedule, explain->isa, &e));
    if (status == CLI_DONE) {
        cli_show_advice("", explain->spec, &explain->session.semantics, NULL, 0);
        status = (explain->json ? explain_as_json : explain_as_text)(explain, &e, canonical);
    }
    aic_free(e.text);
    free(canonical);
    return status;
}

/* ---- one element ---- */

/* The steps in lines; the last line is what came of them, OPERAND[I,...] = VALUE. */
static int put_element(const explain_state *explain, int64_t element, char *text)
{
    char *canonical = cli_spec_text(explain->spec);
    if (canonical == NULL) {
        return cli_fail(CLI_SYSTEM, "explain: memory ran out");
    }
    const size_t length = strlen(text);
    text[length > 0 ? length - 1 : 0] = '\0'; /* the last line's end */
    const char *last = strrchr(text, '\n');
    last = last != NULL ? last + 1 : text;
    const char *value = strstr(last, " = ");
    put_request(explain, canonical);
    json_piece("at", last, strcspn(last, " "));
    json_integer("element", element);
    json_text("value", value != NULL ? value + 3 : NULL);
    json_words("steps", text, '\n');
    json_end();
    free(canonical);
    return CLI_DONE;
}

static int explain_element(explain_state *explain)
{
    int64_t element = 0;
    char *text = NULL;
    cli_operands *operands = &explain->operands;
    int status = operands_list(operands, explain->spec, &explain->session.semantics, NULL);
    status = status == CLI_DONE ? at_element("explain", explain->at, &operands->items[0], &element) : status;
    status = status == CLI_DONE ? operands_bind(operands) : status;
    status = status == CLI_DONE ? operands_load(operands) : status;
    status = status == CLI_DONE ? cli_trace("explain", explain->session.context, explain->spec,
                                            &explain->session.semantics, operands, element, &text)
                                : status;
    if (status == CLI_DONE && text != NULL) {
        cli_show_warning();
        if (explain->json) {
            status = put_element(explain, element, text);
        } else {
            cli_put(text, strlen(text));
        }
    }
    free(text);
    return status;
}

/* ---- the command ---- */

static int explain_text(explain_state *explain, const char *text)
{
    aic_spec *spec = NULL;
    int status = cli_parse_spec(&explain->session, text, &spec);
    if (status != CLI_DONE) {
        return status;
    }
    explain->spec = spec;
    status = explain->at != NULL ? explain_element(explain) : explain_schedule(explain);
    aic_spec_destroy(spec);
    return status;
}

/* Every statement of the program that differs from those before it. */
static int explain_program(explain_state *explain)
{
    aic_pto_program *program = NULL;
    aic_pto_statement *list = NULL;
    size_t count = 0;
    int status = cli_pto_read(&explain->pto, &explain->session, &program);
    status = status == CLI_DONE ? cli_pto_statements("explain", program, &list, &count) : status;
    for (size_t i = 0; status == CLI_DONE && i < count; i++) {
        explain->spec = list[i].spec;
        explain->line = list[i].line;
        status = explain_schedule(explain);
    }
    free(list);
    aic_pto_destroy(program);
    return status;
}

static int explain_request(explain_state *explain, const char *text)
{
    if (explain->measure ||
        explain->at != NULL) { /* the kernel runs here, on the one thread that a prediction is for */
        explain->session.isa = explain->isa;
        explain->session.threads = 1;
    }
    int status = cli_session_open(&explain->session);
    if (status == CLI_DONE) {
        status = text != NULL ? explain_text(explain, text) : explain_program(explain);
    }
    cli_session_close(&explain->session);
    return status;
}

/* What options have to do with each other. */
static int check_options(const explain_state *explain, size_t texts)
{
    const cli_operands *operands = &explain->operands;
    const bool at = explain->at != NULL;
    const args_refusal refusals[] = {
        {at && texts == 0, "--at: has no effect on a program, whose fills have no steps"},
        {at && explain->measure, "--measure: has no effect with --at: an element is computed by the reference"},
        {at && explain->schedule != NULL,
         "--schedule: has no effect with --at: an element is computed by the reference"},
        {!at && operands->pairs[PAIR_IN].count + operands->pairs[PAIR_FILL].count > 0,
         "--at: is missing: operands are taken for one element of the result only"},
    };
    const int status = cli_pto_check("explain", &explain->pto, texts);
    return status == CLI_DONE ? ARGS_REFUSE("explain", refusals) : status;
}

int cmd_explain(int argc, char **argv)
{
    explain_state explain = {.operands.command = "explain"};
    args_list positional = {0};
    const args_option options[] = {
        option_text(
            "--at", "OPERAND[I,...]",
            "every rounding step of this element of the result, by its coordinates in the document's terms or by "
            "its number",
            &explain.at),
        CLI_OPTIONS_INPUTS(explain.operands),
        option_text("--isa", "LEVEL", "instruction set level, also one that this host lacks", &explain.isa),
        option_text("--schedule", "TEXT", "explain this one, as dump --stage plan prints it", &explain.schedule),
        option_flag("--measure", "measure the kernel, as bench does, beside what is predicted", &explain.measure),
        option_flag("--json", "an object a line, see tools/json.md", &explain.json),
        CLI_OPTIONS_PTO(explain.pto),
        CLI_OPTION_DT(explain.session),
        CLI_OPTION_ARCH(explain.session),
    };
    const args_command command = {
        .name = "explain",
        .arguments = "SPEC | --pto FILE [OPTION]... | SPEC --in NAME=FILE... --at OPERAND[I,...]",
        .summary = "Tells which schedule is used and why, and what it is predicted to cost; or how one element of the\n"
                   "result comes about.",
        ARGS_OPTIONS(options),
    };
    int status = cli_parse(&explain.session, &command, argc, argv, 1, &positional);
    status = status == CLI_DONE ? check_options(&explain, positional.count) : status;
    if (status == CLI_DONE) {
        status = explain_request(&explain, positional.count > 0 ? positional.items[0] : NULL);
    }
    operands_close(&explain.operands);
    return status;
}
