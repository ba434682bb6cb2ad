/* Races of schedules and instruction set levels. */
#include "tools/bench/bench_race.h"

#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/harness/peak.h"
#include "tools/limits.h"

#include <aic/tool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEDULE_TEXT_MAX = sizeof((aic_prediction *)0)->schedule };

/* ---- entrants ---- */

/* Adds a kernel. */
static int join(bench_race *race, const bench_request *request, size_t level, const char *schedule, bool hidden)
{
    if (race->count == TIMER_ENTRANTS_MAX) {
        return cli_fail(CLI_SYSTEM, "bench: more than %d kernels of one operator", TIMER_ENTRANTS_MAX);
    }
    const size_t i = race->count++;
    race->hidden[i] = hidden;
    const int status = bench_call_open(&race->call[i], &race->operands, race->spec, request->level[level].context,
                                       schedule, request->packed);
    race->row[i] = (bench_row){.spec = race->text, .packed = request->packed, .info = race->call[i].info};
    return status;
}

/* The candidates that are not the level's default schedule, which has number `standard`. */
static int join_candidates(bench_race *race, const bench_request *request, size_t level, size_t standard)
{
    char text[SCHEDULE_TEXT_MAX];
    aic_context *context = request->level[level].context;
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && !interrupt_requested() &&
                       aic_schedule_candidate(context, race->spec, i, text, sizeof text) == AIC_OK;
         i++) {
        if (strcmp(text, race->row[standard].info.schedule) != 0) {
            status = join(race, request, level, text, false);
        }
    }
    return status;
}

/* The schedule that the user has given. Of several levels those that it does not fit are left out, with notes; it has
 * to fit one. */
static int join_given(bench_race *race, const bench_request *request, size_t level, FILE *notes)
{
    const int status = join(race, request, level, request->schedule, false);
    race->fitting += status == CLI_DONE;
    if (status == CLI_WRONG && (race->fitting > 0 || level + 1 < request->level_count)) {
        (void)fprintf(notes, "aicjit: bench: level %s: %s\n", aic_context_isa(request->level[level].context),
                      cli_fail_message());
        cli_fail_clear();
        bench_call_close(&race->call[--race->count]);
        return CLI_DONE;
    }
    return status;
}

static int join_level(bench_race *race, const bench_request *request, size_t level, FILE *notes)
{
    const bool all = request->schedule != NULL && strcmp(request->schedule, "all") == 0;
    const bool given = request->schedule != NULL && !all, is_reference = level == request->reference;
    const size_t standard = race->count;
    int status = CLI_DONE;
    if (!given || is_reference) {
        race->reference = is_reference ? standard : race->reference;
        status = join(race, request, level, NULL, given);
    }
    if (status == CLI_DONE && given) {
        status = join_given(race, request, level, notes);
    }
    return status == CLI_DONE && all ? join_candidates(race, request, level, standard) : status;
}

static int join_all(bench_race *race, const bench_request *request)
{
    char *text = NULL;
    size_t size = 0;
    FILE *notes = open_memstream(&text, &size);
    int status = notes != NULL ? CLI_DONE : cli_fail(CLI_SYSTEM, "bench: memory ran out");
    for (size_t level = 0; level < request->level_count && status == CLI_DONE; level++) {
        status = join_level(race, request, level, notes);
    }
    if (notes != NULL && fclose(notes) == 0 && status == CLI_DONE) {
        (void)fputs(text, stderr);
    }
    free(text);
    return status;
}

/* ---- limits ---- */

/* What the generator predicts, in time: vector operations at the rate of the vector unit. */
static void predict(bench_race *race, const bench_request *request, size_t level, bench_row *row)
{
    aic_prediction p = aic_prediction_init();
    if (aic_schedule_predict(request->level[level].context, race->spec, row->info.schedule, &p) == AIC_OK) {
        const double rate = aic_peak_vector_operations(p.vector_bits) * row->info.threads;
        row->bound_ns = rate > 0 ? p.bound / rate : 0;
        row->predicted_ns = rate > 0 ? p.cost / rate : 0;
    }
}

/* ---- the race ---- */

static int open_race(bench_race *race, const aic_spec *spec, const bench_request *request)
{
    const size_t most = TIMER_ENTRANTS_MAX;
    *race = (bench_race){.spec = spec,
                         .text = cli_spec_text(spec),
                         .call = calloc(most, sizeof *race->call),
                         .row = calloc(most, sizeof *race->row),
                         .hidden = calloc(most, sizeof *race->hidden)};
    if (race->text == NULL || race->call == NULL || race->row == NULL || race->hidden == NULL) {
        return cli_fail(CLI_SYSTEM, "bench: memory ran out");
    }
    return bench_operands_open(&race->operands, spec, &request->level[0].semantics);
}

/* Measures all kernels between two measurements of the peak; returns the mean of these. */
static double measure(bench_race *race, const bench_request *request, const char *peak_name, timer_clock clock)
{
    static timer_entrant entrant[TIMER_ENTRANTS_MAX];
    const int64_t bytes = race->row[0].bytes;
    for (size_t i = 0; i < race->count; i++) {
        entrant[i] = (timer_entrant){.body = bench_call_run, .argument = &race->call[i]};
    }
    const double before = interrupt_requested() ? 0 : limit_measure(peak_name, bytes);
    timer_race(entrant, race->count, clock, request->seconds, interrupt_requested);
    const double after = interrupt_requested() ? before : limit_measure(peak_name, bytes);
    for (size_t i = 0; i < race->count; i++) {
        race->row[i].time = entrant[i].result;
        race->row[i].clock = clock;
    }
    return (before + after) / 2;
}

/* What follows from the times. */
static void conclude(bench_race *race, const bench_request *request, const char *peak_name, double peak)
{
    const double standard = race->row[race->reference].time.median_ns;
    size_t level = 0;
    for (size_t i = 0; i < race->count; i++) {
        bench_row *row = &race->row[i];
        while (strcmp(row->info.isa, aic_context_isa(request->level[level].context)) != 0) {
            level++;
        }
        row->peak_name = peak_name;
        row->peak = peak * row->info.threads;
        row->ratio = row->time.median_ns > 0 ? standard / row->time.median_ns : 0;
        race->hidden[i] = race->hidden[i] || row->time.samples == 0;
        if (row->time.samples > 0 && !interrupt_requested()) {
            predict(race, request, level, row);
        }
    }
}

int bench_race_run(bench_race *race, const aic_spec *spec, const char *name, const bench_request *request)
{
    int64_t macs = 0, bytes = 0;
    timer_clock clock = TIMER_PROCESSOR;
    int status = open_race(race, spec, request);
    status = status == CLI_DONE ? join_all(race, request) : status;
    if (status == CLI_DONE && aic_spec_work(spec, &request->level[0].semantics, &macs, &bytes) != AIC_OK) {
        status = cli_status(NULL, AIC_INTERNAL);
    }
    if (status != CLI_DONE) {
        return status;
    }
    for (size_t i = 0; i < race->count; i++) {
        race->row[i].name = name, race->row[i].macs = macs, race->row[i].bytes = bytes;
        clock = race->call[i].shared ? TIMER_WALL : clock; /* the time of one thread says nothing then */
    }
    const char *peak_name = limit_name(spec, macs);
    conclude(race, request, peak_name, measure(race, request, peak_name, clock));
    return CLI_DONE;
}

void bench_race_close(bench_race *race)
{
    for (size_t i = 0; i < race->count; i++) {
        bench_call_close(&race->call[i]);
    }
    operands_close(&race->operands);
    free(race->text);
    free(race->call);
    free(race->row);
    free(race->hidden);
    *race = (bench_race){.count = 0};
}
