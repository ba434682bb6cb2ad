/* aicjit tune: the fastest schedules of operators on this machine, measured and kept in a file. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/harness/memory.h"
#include "tools/harness/peak.h"
#include "tools/harness/timer.h"
#include "tools/limits.h"
#include "tools/report/report.h"
#include "tools/specs.h"
#include <aic/aic.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- what is printed meanwhile ---- */

/* A batch on a terminal: what has been done, and for how long. */
typedef struct tune_view {
    bool terminal;        /* standard error is one */
    int lines;            /* that stand on it now */
    size_t number, total; /* of the specification that is searched, from 1; of all */
    double began;         /* seconds of a clock, when the batch did */
    const char *spec;     /* its text */
} tune_view;

enum { ROWS_LIVE = 5, ROWS_FINAL = 10, BAR = 20, LINE_MAX_BYTES = 512, COLUMNS_DEFAULT = 80 };

static const char *const STATES[] = {[AIC_TUNE_STATE_PREDICTED] = "",
                                     [AIC_TUNE_STATE_RACING] = "",
                                     [AIC_TUNE_STATE_DROPPED] = "dropped",
                                     [AIC_TUNE_STATE_WRONG] = "WRONG",
                                     [AIC_TUNE_STATE_FAILED] = "failed"};

/* ---- rows ---- */

static void put_head(char line[LINE_MAX_BYTES])
{
    (void)snprintf(line, LINE_MAX_BYTES, "%5s %11s %23s %7s %11s  %-8s %s", "rank", "median us", "95 % interval",
                   "gain", "predicted", "", "schedule");
}

static void put_row(char line[LINE_MAX_BYTES], const aic_tune_result *result, size_t i)
{
    const aic_tune_candidate *c = aic_tune_candidate_at(result, i);
    char median[32] = "-", interval[48] = "-", gain[32] = "-";
    if (c->samples > 0) {
        (void)snprintf(median, sizeof median, "%.3f", c->median_ns * 1e-3);
        (void)snprintf(interval, sizeof interval, "%.3f .. %.3f", c->low_ns * 1e-3, c->high_ns * 1e-3);
    }
    if (c->gain > 0) {
        (void)snprintf(gain, sizeof gain, "%.3f", c->gain);
    }
    (void)snprintf(line, LINE_MAX_BYTES, "%5zu %11s %23s %7s %11.4g  %-8s %s", i + 1, median, interval, gain,
                   c->predicted, c->is_default ? "default" : STATES[c->state], c->schedule);
}

/* ---- live ---- */

static int columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : COLUMNS_DEFAULT;
}

/* Wipes what stands on the terminal. */
static void tune_view_clear(tune_view *view)
{
    if (view->lines > 0) {
        (void)fprintf(stderr, "\033[%dA\033[J", view->lines);
        view->lines = 0;
    }
}

/* A line that does not wrap: what is too long for the terminal is cut. */
static void show_line(tune_view *view, const char *line)
{
    (void)fprintf(stderr, "%.*s\n", columns() - 1, line);
    view->lines++;
}

/* "tune 3 of 53 [######..............] 3.1 s left, 240 s in all", and the operator. */
static void show_bar(tune_view *view, const aic_tune_result *so_far, double left)
{
    char bar[BAR + 1], line[LINE_MAX_BYTES];
    const double part = so_far->seconds / (so_far->seconds + left + 1e-9);
    for (int i = 0; i < BAR; i++) {
        bar[i] = i < (int)(part * BAR) ? '#' : '.';
    }
    bar[BAR] = '\0';
    /* What a specification has taken on average, or, for the first one, what this one will. */
    const double before = (double)timer_now() * 1e-9 - view->began - so_far->seconds;
    const double each = view->number > 1 ? before / (double)(view->number - 1) : so_far->seconds + left;
    (void)snprintf(line, sizeof line, "tune %zu of %zu [%s] %.1f s left, %.0f s in all; %zu of %zu schedules tried",
                   view->number, view->total, bar, left, left + each * (double)(view->total - view->number),
                   so_far->measured, so_far->legal);
    show_line(view, line);
    show_line(view, view->spec);
}

/* An aic_tune_progress; user is the tune_view. False when a signal has come that ends the work. */
static bool tune_view_progress(void *user, const aic_tune_result *so_far, double left)
{
    tune_view *view = user;
    char line[LINE_MAX_BYTES];
    if (view->terminal) {
        tune_view_clear(view);
        show_bar(view, so_far, left);
        put_head(line);
        show_line(view, line);
        for (size_t i = 0; i < so_far->count && i < ROWS_LIVE; i++) {
            put_row(line, so_far, i);
            show_line(view, line);
        }
    }
    return !interrupt_requested();
}

/* ---- at the end ---- */

static void print_verdict(const aic_tune_result *r)
{
    switch (r->outcome) {
    case AIC_TUNE_OUTCOME_FASTER:
        printf("faster: %s, %.3f times the default's speed%s\n", r->schedule, r->gain, r->recorded ? ", recorded" : "");
        break;
    case AIC_TUNE_OUTCOME_DEFAULT:
        printf("default: nothing beats %s by more than the noise%s\n", r->schedule, r->recorded ? ", noted" : "");
        break;
    case AIC_TUNE_OUTCOME_KNOWN:
        printf("known: the file has %s, %.3f times the default's speed\n", r->schedule, r->gain);
        break;
    case AIC_TUNE_OUTCOME_UNMEASURED:
        printf("not measured: %s is the default\n", r->schedule);
        break;
    }
}

/* Prints the result of a specification: its table and the verdict. */
static void tune_table_print(const char *spec, const aic_tune_result *result)
{
    char line[LINE_MAX_BYTES];
    printf("%s\n", spec);
    if (result->outcome != AIC_TUNE_OUTCOME_KNOWN) {
        printf("%zu legal schedules, %zu measured in %.1f s%s\n", result->legal, result->measured, result->seconds,
               result->stopped ? ", interrupted" : "");
        put_head(line);
        printf("%s\n", line);
    }
    for (size_t i = 0; i < result->count; i++) {
        const aic_tune_candidate *c = aic_tune_candidate_at(result, i);
        if (i < ROWS_FINAL || c->is_default || c->state == AIC_TUNE_STATE_WRONG) {
            put_row(line, result, i);
            printf("%s\n", line);
        }
    }
    print_verdict(result);
}

typedef struct tune_options {
    cli_session session;
    spec_source source;
    const char *effort, *db, *shard, *output, *report_path;
    double budget;
    int64_t trials, seed;
    bool again, merge;
    report report;
} tune_options;

/* How specifications of a batch came out. */
typedef struct tune_sums {
    size_t outcome[AIC_TUNE_OUTCOME_UNMEASURED + 1], recorded, failed;
    int status; /* of those that failed, the highest exit status */
} tune_sums;

/* ---- merging ---- */

static int merge(const tune_options *o, const args_list *files)
{
    size_t records = 0;
    if (o->output == NULL || files->count == 0) {
        return cli_fail(CLI_WRONG, "tune: --merge: %s", o->output == NULL ? "-o FILE is missing" : "no file is given");
    }
    const aic_status status = aic_tune_merge(files->items, files->count, o->output, &records);
    cli_show_warning();
    if (status != AIC_OK) {
        return cli_status("tune", status);
    }
    printf("%s: %zu records of %zu files\n", o->output, records, files->count);
    return CLI_DONE;
}

/* ---- what is tuned ---- */

/* Reads digits that `end` follows; NULL when there are none, or too many. */
static const char *read_digits(const char *text, char end, size_t *number)
{
    enum { DIGITS_MAX = 9 };
    size_t count = 0;
    for (*number = 0; text[count] >= '0' && text[count] <= '9' && count <= DIGITS_MAX; count++) {
        *number = *number * 10 + (size_t)(text[count] - '0');
    }
    return count > 0 && count <= DIGITS_MAX && text[count] == end ? text + count + 1 : NULL;
}

/* "I/N", 1 <= I <= N. */
static int parse_shard(const char *text, size_t *index, size_t *shards)
{
    *index = 1, *shards = 1;
    if (text == NULL) {
        return CLI_DONE;
    }
    const char *behind = read_digits(text, '/', index);
    if (behind == NULL || read_digits(behind, '\0', shards) == NULL || *index < 1 || *index > *shards) {
        return cli_fail(CLI_WRONG, "tune: --shard: \"%.60s\" is not I/N with 1 <= I <= N, e.g. 1/8", text);
    }
    return CLI_DONE;
}

/* Leaves each specification once, and of these every `shards`-th, beginning with number `index`. */
static void select_specs(spec_list *list, size_t index, size_t shards)
{
    size_t different = 0, kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool seen = false;
        for (size_t k = 0; k < different && !seen; k++) {
            seen = aic_spec_equal(list->items[k], list->items[i]);
        }
        if (seen) {
            aic_spec_destroy(list->items[i]);
        } else {
            list->labels[different] = list->labels[i];
            list->items[different++] = list->items[i];
        }
    }
    for (size_t i = 0; i < different; i++) {
        if (i % shards == index - 1) {
            list->labels[kept] = list->labels[i];
            list->items[kept++] = list->items[i];
        } else {
            aic_spec_destroy(list->items[i]);
        }
    }
    list->count = kept;
}

static aic_tune_options search_options(const tune_options *o, tune_view *view)
{
    static const char *const EFFORTS[] = {"estimate", "measure", "patient"};
    aic_tune_options options = aic_tune_options_init();
    for (int e = 0; o->effort != NULL && e <= AIC_TUNE_EFFORT_PATIENT; e++) {
        options.effort = strcmp(o->effort, EFFORTS[e]) == 0 ? (aic_tune_effort)e : options.effort;
    }
    options.budget = o->budget;
    options.trials = o->trials;
    options.seed = (uint64_t)o->seed;
    options.db = o->db != NULL ? o->db : "";
    options.again = o->again;
    options.progress = tune_view_progress;
    options.user = view;
    return options;
}

/* ---- the report ---- */

/* The median of the default at the end of the search. */
static double default_ns(const aic_tune_result *result)
{
    double ns = 0;
    for (size_t i = 0; i < result->count; i++) {
        ns = aic_tune_candidate_at(result, i)->is_default ? aic_tune_candidate_at(result, i)->median_ns : ns;
    }
    return ns;
}

/* Candidates were measured at different times, each in turns with the default: times that can be compared are what the
 * default took at the end over each one's gain. */
static int report_candidate(report_layer *layer, const tune_options *o, const aic_tune_candidate *c, bool chosen,
                            double standard, double rate)
{
    const double scale = c->samples > 0 && c->gain > 0 && standard > 0 ? standard / c->gain / c->median_ns : 1;
    const bool out = c->state == AIC_TUNE_STATE_WRONG || c->state == AIC_TUNE_STATE_FAILED;
    report_point point = {.state = out ? "out of the race" : "",
                          .is_default = c->is_default,
                          .is_chosen = chosen,
                          .median_ns = c->samples > 0 ? c->median_ns * scale : 0,
                          .low_ns = c->low_ns * scale,
                          .high_ns = c->high_ns * scale,
                          .predicted_ns = rate > 0 ? c->predicted / rate : 0};
    (void)snprintf(point.schedule, sizeof point.schedule, "%s", c->schedule);
    (void)snprintf(point.isa, sizeof point.isa, "%s", aic_context_isa(o->session.context));
    return report_add_point(layer, &point);
}

static int report_result(tune_options *o, const aic_spec *spec, const char *text, const char *name,
                         const aic_tune_result *result)
{
    static const char *const NOTES[] = {[AIC_TUNE_OUTCOME_FASTER] = "",
                                        [AIC_TUNE_OUTCOME_DEFAULT] = "within the noise",
                                        [AIC_TUNE_OUTCOME_KNOWN] = "",
                                        [AIC_TUNE_OUTCOME_UNMEASURED] = "not measured"};
    report_layer *layer;
    aic_prediction p = aic_prediction_init();
    int64_t macs = 0, bytes = 0;
    int status = report_add(&o->report, spec, text, name, &layer);
    if (status != CLI_DONE) {
        return status;
    }
    (void)aic_spec_work(spec, &o->session.semantics, &macs, &bytes);
    (void)aic_schedule_predict(o->session.context, spec, NULL, &p);
    const double rate = aic_peak_vector_operations(p.vector_bits);
    layer->macs = macs, layer->bytes = bytes, layer->threads = 1;
    layer->peak_name = limit_name(spec, macs);
    layer->peak = limit_measure(layer->peak_name, bytes);
    layer->bound_ns = rate > 0 ? p.bound / rate : 0;
    layer->note = NOTES[result->outcome];
    layer->gain = result->gain;
    for (size_t i = 0; i < result->count && status == CLI_DONE; i++) {
        const bool chosen = strcmp(aic_tune_candidate_at(result, i)->schedule, result->schedule) == 0;
        status = report_candidate(layer, o, aic_tune_candidate_at(result, i), chosen, default_ns(result), rate);
    }
    return status;
}

/* ---- tuning ---- */

/* Whether memory for the operands can be had, and for the results that are compared: the library cannot know what the
 * system will really give. */
static int check_memory(const tune_options *o, const aic_spec *spec)
{
    enum { RESULTS = 3 }; /* before a call, by the default, by the reference */
    aic_operand operand[AIC_OPERANDS_MAX];
    size_t count = 0;
    uint64_t bytes = 0;
    if (aic_spec_operands(spec, &o->session.semantics, operand, &count) != AIC_OK) {
        return CLI_DONE; /* reported by the search */
    }
    for (size_t i = 0; i < count; i++) {
        const bool written = (operand[i].direction & AIC_DIRECTION_OUT) != 0;
        bytes += (uint64_t)operand[i].bytes * (written ? 1 + RESULTS : 1);
    }
    return bytes <= memory_left() ? CLI_DONE : cli_fail_memory("tune: operands and results", bytes);
}

/* One specification. One that fails is counted and its message kept; the file is another matter: without it a search is
 * in vain. */
static int tune_spec(tune_options *o, const aic_spec *spec, const char *name, tune_view *view, tune_sums *sums)
{
    aic_tune_result result = aic_tune_result_init();
    const aic_tune_options options = search_options(o, view);
    char *text = cli_spec_text(spec);
    if (text == NULL) {
        return cli_fail(CLI_SYSTEM, "tune: memory ran out");
    }
    view->spec = text;
    aic_status status = check_memory(o, spec) == CLI_DONE ? AIC_OK : AIC_OUT_OF_MEMORY;
    status = status == AIC_OK ? aic_tune(o->session.context, spec, &options, &result) : status;
    tune_view_clear(view);
    int exit_status = CLI_DONE;
    if (status == AIC_OK) {
        cli_show_warning();
        tune_table_print(text, &result);
        sums->outcome[result.outcome]++;
        sums->recorded += result.recorded;
        exit_status = o->report_path != NULL ? report_result(o, spec, text, name, &result) : CLI_DONE;
        aic_tune_result_destroy(&result);
        exit_status = exit_status == CLI_DONE ? cli_flush_output() : exit_status; /* a reader sees every table */
    } else {
        const int failure = cli_status("tune", status);
        sums->failed++;
        sums->status = failure > sums->status ? failure : sums->status;
        exit_status = status == AIC_IO ? failure : CLI_DONE;
    }
    free(text);
    return exit_status;
}

static void print_sums(const tune_options *o, const tune_sums *sums)
{
    printf("%zu faster, %zu default, %zu known, %zu not measured, %zu failed; %zu recorded",
           sums->outcome[AIC_TUNE_OUTCOME_FASTER], sums->outcome[AIC_TUNE_OUTCOME_DEFAULT],
           sums->outcome[AIC_TUNE_OUTCOME_KNOWN], sums->outcome[AIC_TUNE_OUTCOME_UNMEASURED], sums->failed,
           sums->recorded);
    if (o->db == NULL) {
        printf(": no file is named, by --db or AIC_TUNING_DB\n");
    } else {
        printf(" in %s\n", o->db);
    }
}

static int tune_list(tune_options *o, const spec_list *list)
{
    tune_sums sums = {.failed = 0};
    tune_view view = {
        .terminal = isatty(STDERR_FILENO) == 1, .total = list->count, .began = (double)timer_now() * 1e-9};
    int status = CLI_DONE;
    interrupt_polled(true);
    for (size_t i = 0; i < list->count && status == CLI_DONE && !interrupt_requested(); i++) {
        view.number = i + 1;
        status = tune_spec(o, list->items[i], list->labels[i].text, &view, &sums);
    }
    const bool interrupted = interrupt_requested();
    interrupt_polled(false);
    if (sums.status != CLI_WRONG || view.number > sums.failed) { /* else all was refused */
        print_sums(o, &sums);
    }
    spec_list_report(list, &o->source, stdout);
    if (o->report_path != NULL && status == CLI_DONE) {
        status = report_write(&o->report, !interrupted);
    }
    status = sums.status > status ? sums.status : status;
    return interrupted ? cli_fail(CLI_MISMATCH, "tune: interrupted after %zu of %zu; what was found is kept",
                                  view.number, view.total)
                       : status;
}

/* Makes the file if it is not there, and finds out before the first search whether it can be written. */
static int check_db(const tune_options *o)
{
    const bool estimate = o->effort != NULL && strcmp(o->effort, "estimate") == 0;
    if (o->db == NULL || estimate) {
        return CLI_DONE;
    }
    const aic_status status = aic_tune_merge(NULL, 0, o->db, NULL);
    cli_show_warning();
    return cli_status("tune", status);
}

static int tune(tune_options *o)
{
    spec_list list = {0};
    size_t index, shards;
    int status = parse_shard(o->shard, &index, &shards);
    status = status == CLI_DONE ? cli_session_open(&o->session) : status;
    status = status == CLI_DONE ? spec_list_read(&o->session, &o->source, &list) : status;
    if (status == CLI_DONE && spec_list_empty(&list, &o->source)) {
        status = cli_fail(CLI_WRONG, "tune: nothing to tune: give SPEC or --batch FILE with operators");
    }
    status = status == CLI_DONE ? check_db(o) : status;
    if (status == CLI_DONE && o->report_path != NULL) {
        status = report_open(&o->report, "tune", o->report_path);
        status = status == CLI_DONE ? report_measure(&o->report, o->session.context) : status;
    }
    if (status == CLI_DONE) {
        select_specs(&list, index, shards);
        status = tune_list(o, &list);
    }
    report_close(&o->report);
    status = spec_list_status(&list, &o->source, status);
    spec_list_free(&list);
    cli_session_close(&o->session);
    return status;
}

/* ---- the command line ---- */

static int parse(tune_options *o, int argc, char **argv, args_list *positional)
{
    const args_option options[] = {
        SPEC_OPTIONS(o->source),
        option_text("--effort", "estimate|measure|patient", "how much work a search is (default measure)", &o->effort),
        option_real("--budget", "S", "seconds an operator (default 5; patient: 60)", &o->budget, 0, 86400),
        option_integer("--trials", "N", "schedules to measure (default 64; patient: 256)", &o->trials, 0, 1000),
        option_text("--db", "FILE", "tuning file to record in (default: AIC_TUNING_DB)", &o->db),
        option_text("--report", "FILE", "an HTML page: table, roofline, predictions, tiles, intervals",
                    &o->report_path),
        option_text("--shard", "I/N", "tune part I of N of the operators", &o->shard),
        option_integer("--seed", "S", "of operand contents and the order of turns", &o->seed, 0, INT64_MAX),
        option_flag("--again", "tune also what the file has a record of", &o->again),
        option_flag("--merge", "the arguments are tuning files: merge them into -o FILE", &o->merge),
        option_text("-o", "FILE", "file that --merge writes; records that it has stay", &o->output),
        CLI_OPTION_DT(o->session),
        CLI_OPTION_ARCH(o->session),
        CLI_OPTION_ISA(o->session, "LEVEL"),
    };
    const args_command command = {
        .name = "tune",
        .arguments = "SPEC... [OPTION]... | --merge FILE... -o FILE",
        .summary = "Measures schedules of operators and records those that beat the default by more than the noise.",
        ARGS_OPTIONS(options),
    };
    return cli_parse(&o->session, &command, argc, argv, SIZE_MAX, positional);
}

int cmd_tune(int argc, char **argv)
{
    tune_options o = {.budget = -1, .trials = -1, .seed = 1, .session.tuning_db = "", .report.file.fd = -1};
    args_list positional = {0};
    int status = parse(&o, argc, argv, &positional);
    const char *environment = getenv("AIC_TUNING_DB");
    o.source.texts = &positional;
    o.db = o.db == NULL && environment != NULL && environment[0] != '\0' ? environment : o.db;
    const args_refusal refusals[] = {
        {!o.merge && o.output != NULL, "-o: is for --merge; --db names the file to record in"},
        {o.merge && o.report_path != NULL, "--report: has no effect with --merge, which measures nothing"},
    };
    status = status == CLI_DONE ? ARGS_REFUSE("tune", refusals) : status;
    return status != CLI_DONE ? status : o.merge ? merge(&o, &positional) : tune(&o);
}
