/* aicjit bench: how fast operators run. */
#include "tools/bench/bench_race.h"
#include "tools/bench/bench_row.h"
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/json.h"
#include "tools/progress.h"
#include "tools/pto.h"
#include "tools/report/report.h"
#include "tools/specs.h"
#include "tools/textfile.h"

#include <aic/tool.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- against an earlier measurement ---- */

typedef struct bench_earlier bench_earlier;

typedef struct bench_comparison {
    const char *path;
    bench_earlier *rows;
    size_t count;
    /* So far: rows that were found in the file, how many of them were faster or slower by more than the noise, and the
     * sum of the logarithms of the ratios. */
    size_t found, sought, faster, slower;
    double log_sum;
} bench_comparison;

struct bench_earlier {
    char *spec, *isa, *schedule, *weights; /* schedule NULL: it was not given */
    double threads, median_ns, low_ns, high_ns;
};

/* An object that is being read. */
typedef struct reading {
    bench_earlier row;
    char *schedule;
    bool given, no_memory;
} reading;

static void keep_text(reading *r, char **to, const char *text)
{
    free(*to);
    *to = text != NULL ? strdup(text) : NULL;
    r->no_memory = r->no_memory || (text != NULL && *to == NULL);
}

static void see_member(void *user, const char *key, const char *text, double number)
{
    reading *r = user;
    const struct {
        const char *key;
        char **text;
        double *number;
    } KEYS[] = {{"spec", &r->row.spec, NULL},       {"isa", &r->row.isa, NULL},
                {"schedule", &r->schedule, NULL},   {"weights", &r->row.weights, NULL},
                {"threads", NULL, &r->row.threads}, {"median_ns", NULL, &r->row.median_ns},
                {"low_ns", NULL, &r->row.low_ns},   {"high_ns", NULL, &r->row.high_ns}};
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++) {
        if (strcmp(key, KEYS[i].key) == 0 && KEYS[i].text != NULL) {
            keep_text(r, KEYS[i].text, text);
        } else if (strcmp(key, KEYS[i].key) == 0 && text == NULL) {
            *KEYS[i].number = number;
        }
    }
    r->given = r->given || (strcmp(key, "origin") == 0 && text != NULL && strcmp(text, "given") == 0);
}

static void free_row(bench_earlier *row)
{
    free(row->spec);
    free(row->isa);
    free(row->schedule);
    free(row->weights);
}

/* Whether the object describes a measurement. Files of before there were intervals have none. */
static bool is_row(const bench_earlier *row)
{
    return row->spec != NULL && row->isa != NULL && row->threads >= 1 && row->median_ns > 0;
}

static int add_line(bench_comparison *c, char *line, size_t length, size_t number)
{
    reading r = {.given = false};
    const bool whole = strlen(line) == length; /* no zero byte in it */
    const bool good = whole && json_read_object(line, see_member, &r) && is_row(&r.row);
    r.row.schedule = r.given ? r.schedule : NULL;
    if (!r.given) {
        free(r.schedule);
    }
    const bool full = (c->count & (c->count - 1)) == 0; /* a power of two */
    const size_t capacity = !full ? 0 : c->count == 0 ? 1 : 2 * c->count;
    bench_earlier *rows = !good || r.no_memory ? NULL : full ? realloc(c->rows, capacity * sizeof *rows) : c->rows;
    if (rows == NULL) {
        free_row(&r.row);
        return good ? cli_fail_memory("bench: --compare", (c->count + 1) * sizeof *rows)
                    : cli_fail(CLI_WRONG, "bench: --compare: \"%s\": line %zu is no object of bench --json", c->path,
                               number);
    }
    c->rows = rows;
    rows[c->count++] = r.row;
    return CLI_DONE;
}

/* Reads the file; the objects of other programs, without the keys that matter, are refused. Returns an exit status. */
static int bench_comparison_open(bench_comparison *c, const char *path)
{
    *c = (bench_comparison){.path = path};
    char *text = NULL;
    size_t length, bytes = 0;
    int status = textfile_read("bench: --compare", path, TEXTFILE_BYTES_MAX, &text, &length);
    char *at = text, *line;
    for (size_t number = 1; status == CLI_DONE && (line = textfile_line(&at, text + length, &bytes)) != NULL;
         number++) {
        if (strspn(line, " \t\r\n") < bytes) {
            status = add_line(c, line, bytes, number);
        }
    }
    free(text);
    return status;
}

static void bench_comparison_close(bench_comparison *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free_row(&c->rows[i]);
    }
    free(c->rows);
    *c = (bench_comparison){.path = NULL};
}

static bool is_same(const bench_earlier *e, const bench_row *row)
{
    const bool given = row->info.origin != NULL && strcmp(row->info.origin, "given") == 0;
    const bool schedules = given == (e->schedule != NULL) && (!given || strcmp(e->schedule, row->info.schedule) == 0);
    const bool packed = e->weights == NULL || strcmp(e->weights, "packed") == 0;
    return schedules && packed == row->packed && (int)e->threads == row->info.threads &&
           strcmp(e->isa, row->info.isa) == 0 && strcmp(e->spec, row->spec) == 0;
}

/* Fills in what the file says of the row's measurement: the same operator, level, threads and weights, and where the
 * schedule was given the same one. */
static void bench_compare(bench_comparison *c, bench_row *row)
{
    c->sought++;
    for (size_t i = 0; i < c->count; i++) {
        const bench_earlier *e = &c->rows[i];
        if (!is_same(e, row)) {
            continue;
        }
        /* Without an interval of its own a median counts as exact. */
        const double low = e->low_ns > 0 ? e->low_ns : e->median_ns, high = e->high_ns > 0 ? e->high_ns : e->median_ns;
        row->before_ns = e->median_ns;
        row->verdict = row->time.high_ns < low ? 1 : row->time.low_ns > high ? -1 : 0;
        c->found++;
        c->faster += row->verdict > 0;
        c->slower += row->verdict < 0;
        c->log_sum += log(e->median_ns / row->time.median_ns);
        return;
    }
}

/* Prints how all rows compare in one line. */
static void bench_comparison_report(const bench_comparison *c, FILE *stream)
{
    (void)fprintf(stream, "%s: %zu of %zu rows are in it", c->path, c->found, c->sought);
    if (c->found > 0) {
        (void)fprintf(stream, "; %zu faster, %zu slower, %zu the same; before/now %.3f in the geometric mean",
                      c->faster, c->slower, c->found - c->faster - c->slower, exp(c->log_sum / (double)c->found));
    }
    (void)fprintf(stream, "\n");
}

typedef struct bench_state {
    cli_session session; /* its isa is what --isa says, "all" included */
    spec_source source;
    cli_pto pto;
    const char *weights, *schedule, *compare, *report_path;
    char choices[CLI_SEMANTICS_TEXT_MAX]; /* that differ from the default */
    bool json, headed;
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

/* JSON stays JSON. */
static void report_levels(const bench_state *b)
{
    const char *name;
    for (size_t i = 0; cli_wants_all_levels(&b->session) && (name = aic_isa_name(i)) != NULL; i++) {
        if (!runs_itself(name)) {
            (void)fprintf(b->json ? stderr : stdout, "level %s: not run, this host lacks it\n", name);
        }
    }
}

/* The reference is the highest level, which is the default. */
static int open_levels(bench_state *b)
{
    const int status = cli_levels_open(&b->levels, &b->session, runs_itself);
    b->request.level = b->levels.item;
    b->request.level_count = b->levels.count;
    b->request.reference = b->levels.count - 1;
    return status;
}

/* ---- operators ---- */

/* What stands above the first row; where all is refused there is none. */
static void show_head(bench_state *b)
{
    if (b->headed) {
        return;
    }
    b->headed = true;
    report_levels(b);
    if (!b->json) {
        cli_show_choices(&b->levels.item[0].semantics);
        bench_print_head(&b->columns);
    }
}

static int show_row(bench_state *b, bench_row *row)
{
    if (b->compare != NULL) {
        bench_compare(&b->comparison, row);
    }
    progress_clear();
    show_head(b);
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
