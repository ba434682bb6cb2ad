/* aicjit bench: how fast operators run. */
#include "tools/bench/bench_compare.h"
#include "tools/bench/bench_race.h"
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/progress.h"
#include "tools/pto_call.h"
#include "tools/report/report.h"
#include "tools/specs.h"

#include <aic/tool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_state {
    cli_session session; /* its isa is what --isa says, "all" included */
    spec_source source;
    cli_pto pto;
    const char *weights, *schedule, *compare, *report_path;
    char choices[CLI_SEMANTICS_TEXT_MAX]; /* that differ from the default */
    bool json;
    double min_time;
    cli_levels levels;
    bench_request request;
    bench_columns columns;
    bench_comparison comparison;
    report report;
} bench_state;

/* ---- levels ---- */

/* Of an emulator the speed says nothing. */
static bool runs_itself(const char *isa)
{
    return aic_isa_check(isa) == AIC_OK && !aic_isa_emulated(isa);
}

/* The reference is the highest level, which is the default. */
static int open_levels(bench_state *b)
{
    const char *name;
    for (size_t i = 0; cli_wants_all_levels(&b->session) && (name = aic_isa_name(i)) != NULL; i++) {
        if (!runs_itself(name)) { /* JSON stays JSON */
            (void)fprintf(b->json ? stderr : stdout, "level %s: not run, this host lacks it\n", name);
        }
    }
    const int status = cli_levels_open(&b->levels, &b->session, runs_itself);
    b->request.level = b->levels.item;
    b->request.level_count = b->levels.count;
    b->request.reference = b->levels.count - 1;
    return status;
}

/* ---- operators ---- */

static int show_row(bench_state *b, bench_row *row)
{
    if (b->compare != NULL) {
        bench_compare(&b->comparison, row);
    }
    progress_clear();
    if (b->json) {
        bench_print_json(row, b->choices, b->compare != NULL);
    } else {
        bench_print_row(&b->columns, row);
    }
    return cli_flush_output(); /* a reader sees every row when it is ready */
}

static report_point point_of(const bench_row *row, bool is_default)
{
    report_point point = {.state = "",
                          .is_default = is_default,
                          .median_ns = row->time.median_ns,
                          .low_ns = row->time.low_ns,
                          .high_ns = row->time.high_ns,
                          .predicted_ns = row->predicted_ns};
    (void)snprintf(point.schedule, sizeof point.schedule, "%s", row->info.schedule);
    (void)snprintf(point.isa, sizeof point.isa, "%s", row->info.isa);
    return point;
}

/* The candidates that were not measured, so that the report shows which tiles there are. */
static int report_candidates(const bench_state *b, const aic_spec *spec, report_layer *layer)
{
    aic_context *context = b->levels.item[b->request.reference].context;
    report_point point = {.state = ""};
    int status = CLI_DONE;
    (void)snprintf(point.isa, sizeof point.isa, "%s", aic_context_isa(context));
    for (size_t i = 0; status == CLI_DONE &&
                       aic_schedule_candidate(context, spec, i, point.schedule, sizeof point.schedule) == AIC_OK;
         i++) {
        status = report_add_point(layer, &point);
    }
    return status;
}

static int report_race(bench_state *b, const bench_race *race, const aic_spec *spec, const char *name)
{
    report_layer *layer;
    const bench_row *standard = &race->row[race->reference];
    int status = report_add(&b->report, spec, race->text, name, &layer);
    if (status == CLI_DONE) {
        layer->peak_name = standard->peak_name, layer->peak = standard->peak, layer->bound_ns = standard->bound_ns;
        layer->macs = standard->macs, layer->bytes = standard->bytes, layer->threads = standard->info.threads;
    }
    for (size_t i = 0; i < race->count && status == CLI_DONE; i++) {
        const report_point point = point_of(&race->row[i], i == race->reference);
        status = race->row[i].time.samples > 0 ? report_add_point(layer, &point) : CLI_DONE;
    }
    const bool all = b->schedule != NULL && strcmp(b->schedule, "all") == 0;
    return status == CLI_DONE && !all ? report_candidates(b, spec, layer) : status;
}

static int bench_spec(bench_state *b, const aic_spec *spec, const char *name)
{
    bench_race race;
    int status = bench_race_run(&race, spec, name, &b->request);
    bool again = false;
    for (size_t i = 0; i < race.count && status == CLI_DONE; i++) {
        if (!race.hidden[i]) {
            race.row[i].again = again;
            again = true;
            status = show_row(b, &race.row[i]);
        }
    }
    if (status == CLI_DONE && b->report_path != NULL) {
        status = report_race(b, &race, spec, name);
    }
    bench_race_close(&race);
    return status;
}

/* ---- programs ---- */

/* A warm program: all its kernels are there. */
typedef struct program_call {
    aic_context *context;
    aic_pto_program *program;
    cli_operands arguments;
} program_call;

static void run_program(void *argument)
{
    const program_call *p = argument;
    (void)aic_pto_run(p->context, p->program, p->arguments.pointers, p->arguments.count);
}

/* What all its statements read and write. */
static int program_bytes(const aic_pto_program *program, const aic_semantics *semantics, int64_t *bytes)
{
    *bytes = 0;
    for (size_t i = 0; i < aic_pto_statement_count(program); i++) {
        aic_pto_statement statement = aic_pto_statement_init();
        int64_t macs = 0, own = 0;
        aic_status failed = aic_pto_get_statement(program, i, &statement);
        failed = failed == AIC_OK ? aic_spec_work(statement.spec, semantics, &macs, &own) : failed;
        if (failed != AIC_OK) {
            return cli_status(NULL, failed);
        }
        *bytes += own;
    }
    return CLI_DONE;
}

/* The first run, which makes the kernels, and what it took. */
static int first_run(program_call *p, bench_row *row)
{
    aic_cache_stats before = aic_cache_stats_init(), after = aic_cache_stats_init();
    (void)aic_context_cache_stats(p->context, &before);
    const uint64_t start = timer_now();
    const aic_status failed = aic_pto_run(p->context, p->program, p->arguments.pointers, p->arguments.count);
    if (failed != AIC_OK) {
        return cli_status(NULL, failed);
    }
    row->info.codegen_ns = timer_now() - start;
    (void)aic_context_cache_stats(p->context, &after);
    row->info.compiled = after.compiles > before.compiles;
    row->info.loaded = after.loads > before.loads;
    row->info.name = "program";
    row->info.isa = aic_context_isa(p->context);
    row->ratio = 1;
    return CLI_DONE;
}

/* By the wall clock: how many threads share its kernels is up to each of them. */
static int bench_program(bench_state *b, const cli_session *level)
{
    bench_row row = {.spec = b->pto.path, .name = "", .packed = b->request.packed, .peak_name = "copy"};
    program_call p = {.context = level->context};
    int status = cli_pto_read(&b->pto, level, &p.program);
    status = status == CLI_DONE ? pto_call_open(&p.arguments, p.program, &level->semantics, 1) : status;
    status = status == CLI_DONE ? program_bytes(p.program, &level->semantics, &row.bytes) : status;
    status = status == CLI_DONE ? first_run(&p, &row) : status;
    if (status == CLI_DONE) {
        row.time = timer_measure(run_program, &p, b->min_time, interrupt_requested);
        status = show_row(b, &row);
    }
    operands_close(&p.arguments);
    aic_pto_destroy(p.program);
    return status;
}

/* ---- the command ---- */

static int bench_all(bench_state *b, const spec_list *list)
{
    int status = CLI_DONE;
    for (size_t i = 0; i < b->request.level_count && status == CLI_DONE && b->pto.path != NULL; i++) {
        status = bench_program(b, &b->levels.item[i]);
    }
    for (size_t i = 0; status == CLI_DONE && i < list->count; i++) {
        status = bench_spec(b, list->items[i], list->labels[i].text);
        if (status == CLI_DONE && !progress_step()) {
            break;
        }
    }
    return status;
}

static int bench_list(bench_state *b, const spec_list *list)
{
    FILE *notes = b->json ? stderr : stdout; /* JSON stays JSON */
    cli_choices_text(&b->levels.item[0].semantics, b->choices);
    if (!b->json) {
        cli_show_choices(&b->levels.item[0].semantics);
        bench_print_head(&b->columns);
    }
    progress_start("bench", list->count);
    int status = bench_all(b, list);
    const int ended = progress_end();
    spec_list_report(list, &b->source, notes);
    if (b->compare != NULL && status == CLI_DONE) {
        bench_comparison_report(&b->comparison, notes);
    }
    if (b->report_path != NULL && status == CLI_DONE) {
        status = report_write(&b->report, ended == CLI_DONE);
    }
    status = status == CLI_DONE ? ended : status;
    return spec_list_status(list, &b->source, status);
}

/* What options have to do with each other. */
static int check_options(const bench_state *b, const spec_list *list)
{
    const bool program = b->pto.path != NULL;
    const args_refusal refusals[] = {
        {b->pto.placement != NULL && !program, "--placement: has no effect without --pto"},
        {b->schedule != NULL && program, "--schedule: has no effect on a program, whose statements share kernels"},
        {b->report_path != NULL && program, "--report: has no effect on a program, which is no operator"},
        {spec_list_empty(list, &b->source) && !program,
         "nothing to measure: give SPEC, --batch FILE with operators or --pto FILE"},
    };
    return ARGS_REFUSE("bench", refusals);
}

static int bench(bench_state *b)
{
    spec_list list = {0};
    b->request.schedule = b->schedule;
    b->request.packed = b->weights == NULL || strcmp(b->weights, "packed") == 0;
    b->request.seconds = b->min_time;
    b->columns = (bench_columns){.ratio = b->schedule != NULL || cli_wants_all_levels(&b->session),
                                 .before = b->compare != NULL,
                                 .schedule = b->schedule != NULL};
    int status = b->compare != NULL ? bench_comparison_open(&b->comparison, b->compare) : CLI_DONE;
    status = status == CLI_DONE ? open_levels(b) : status;
    status = status == CLI_DONE ? spec_list_read(&b->levels.item[0], &b->source, &list) : status;
    status = status == CLI_DONE ? check_options(b, &list) : status;
    if (status == CLI_DONE && b->report_path != NULL) {
        status = report_open(&b->report, "bench", b->report_path);
        status = status == CLI_DONE ? report_measure(&b->report, b->levels.item[b->request.reference].context) : status;
    }
    status = status == CLI_DONE ? bench_list(b, &list) : status;
    report_close(&b->report);
    spec_list_free(&list);
    cli_levels_close(&b->levels);
    bench_comparison_close(&b->comparison);
    return status;
}

int cmd_bench(int argc, char **argv)
{
    bench_state b = {.session.threads = 1, .min_time = 0.3, .report.file.fd = -1};
    args_list positional = {0};
    const args_option options[] = {
        SPEC_OPTIONS(b.source),
        option_flag("--json", "one JSON object per operator", &b.json),
        option_text("--schedule", "TEXT",
                    "\"all\" candidates, or one, of which a part may be given; in turns with the default", &b.schedule),
        option_text("--compare", "FILE",
                    "an earlier output of --json: how much faster, beyond the noise, each operator is now", &b.compare),
        option_text("--report", "FILE", "an HTML page: table, roofline, predictions, tiles, intervals", &b.report_path),
        option_text("--weights", "packed|plain", "pack weights before timing (default packed)", &b.weights),
        option_real("--min-time", "S", "seconds per kernel (default 0.3)", &b.min_time, 0, 3600),
        CLI_OPTIONS_PTO(b.pto),
        CLI_OPTION_DT(b.session),
        CLI_OPTION_ARCH(b.session),
        CLI_OPTION_THREADS(b.session, "1"),
        CLI_OPTION_ISA(b.session, "LEVEL or all"),
    };
    const args_command command = {
        .name = "bench",
        .arguments = "SPEC... [OPTION]...",
        .summary = "Measures the speed of operators by processor time (by the wall clock where threads share a call).",
        ARGS_OPTIONS(options),
    };
    int status = cli_parse(&b.session, &command, argc, argv, SIZE_MAX, &positional);
    b.source.texts = &positional;
    return status == CLI_DONE ? bench(&b) : status;
}
