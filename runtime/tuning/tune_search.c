/* Searching; see tune_search.h. */
#include "runtime/tuning/tune_search.h"
#include "frontend/core/diag.h"
#include "frontend/core/spec.h"
#include "runtime/generator/generator.h"
#include "runtime/generator/worker.h"
#include "runtime/observe/log.h"
#include "runtime/request/pipeline.h"
#include "runtime/tuning/tune_race.h"

#include <stdlib.h>
#include <string.h>

/* Parts of the budget that are over when the search goes on to its next step; compiling may take more than its part
 * where a single kernel does. */
static const double TILES_COMPILED = 0.35, TILES_RACED = 0.55, LOOPS_COMPILED = 0.7, LOOPS_RACED = 0.82;

/* Of the candidates, the part that are tiles; the others are loops around the best one. */
static const double TILES_SHARE = 0.75;

/* A schedule that gains less is not worth a record, whatever the intervals say. */
static const double GAIN_LEAST = 1.01;

enum {
    ROUNDS_TILES = 20,
    ROUNDS_LOOPS = 40,
    ROUNDS_JUDGE = 60,
    ROUNDS_PATIENT = 3,  /* times as many with --effort patient */
    ROUNDS_ENOUGH = 6,   /* samples from which on an interval holds its median with 95 % */
    BATCH_NS = 100000,   /* of one measurement: the clock's own cost, some 300 ns, is far below the noise */
    WARM_NS = 2000000,   /* calls shorter than this are called once before they are measured: the caches then hold
                          * their data, and not those of the candidate before */
    CALLS_MAX = 1 << 20, /* of one measurement */
    JUDGED_MAX = 3       /* candidates that are measured anew: the first may have been lucky, or be wrong */
};
static const double PRECISE = 0.004, REPORT_SECONDS = 0.1, WARM_SECONDS = 0.01;

/* ---- hooks ---- */

static double now(const aic_tune_search *s)
{
    return s->hooks->now != NULL ? s->hooks->now(s->hooks->user) : (double)aic_log_now() * 1e-9;
}

double aic_tune_search_elapsed(const aic_tune_search *s)
{
    return now(s) - s->started;
}

static double race_now(void *user)
{
    return now(user);
}

static const char *text_of(const aic_tune_search *s, size_t i)
{
    return s->space.entry[s->entry[i].in_space].text;
}

/* Measures an entry; its first time finds out how many calls a measurement takes. */
static double measure(void *user, size_t i)
{
    aic_tune_search *s = user;
    aic_tune_entry *entry = &s->entry[i];
    if (s->hooks->measure != NULL) {
        return s->hooks->measure(s->hooks->user, text_of(s, i));
    }
    const bool known = entry->calls > 0;
    entry->calls += !known;
    if ((!known || s->racer[i].median < WARM_NS) && aic_tune_call(&s->operands, &entry->kernel) != AIC_OK) {
        return 0;
    }
    double sample = aic_tune_time_calls(&s->operands, &entry->kernel, entry->calls);
    while (!known && sample > 0 && sample * (double)entry->calls < BATCH_NS && entry->calls < CALLS_MAX) {
        entry->calls *= 2;
        sample = aic_tune_time_calls(&s->operands, &entry->kernel, entry->calls);
    }
    return sample;
}

/* Tells how far the search is, if it is time; false when it shall end. */
static bool report(void *user)
{
    aic_tune_search *s = user;
    const double elapsed = aic_tune_search_elapsed(s), left = s->options->budget - elapsed;
    if (s->options->progress == NULL || s->stopped || elapsed - s->reported < REPORT_SECONDS) {
        return !s->stopped;
    }
    aic_tune_result so_far = {.size = sizeof so_far, .legal = s->space.count, .seconds = elapsed, .gain = 1};
    s->reported = elapsed;
    if (aic_tune_search_list(s, &so_far.candidate, &so_far.count) == AIC_OK) {
        so_far.measured = s->count;
        s->stopped = !s->options->progress(s->options->user, &so_far, left > 0 ? left : 0);
    }
    aic_tune_result_destroy(&so_far);
    return !s->stopped;
}

/* ---- the space ---- */

typedef struct space_job {
    aic_problem problem;
    aic_space_list *space;
} space_job;

static aic_status run_space_job(void *argument)
{
    const space_job *job = argument;
    return aic_generator()->space(&job->problem, job->space);
}

/* A context like this one that knows no tuned schedules and leaves no files. */
static aic_status open_context(const aic_context *like, aic_context **context)
{
    aic_context_options options = aic_context_options_init();
    options.isa = like->target->name;
    options.machine = aic_core_name(like->machine->core);
    options.passes = like->passes;
    options.threads = 1; /* what is measured is the time of one */
    options.semantics = like->semantics;
    options.verbose = like->verbose;
    options.dump_dir = "";
    options.tuning_db = "";
    options.cache = "off";
    options.profile = "";
    options.cache_bytes = options.cache_kernels = UINT64_MAX; /* candidates stay until the search is over */
    aic_status status = aic_context_create(&options, context);
    if (status == AIC_OK) {
        (*context)->machine = like->machine; /* also where no name leads to it */
    }
    return status;
}

aic_status aic_tune_search_open(aic_tune_search *s, const aic_context *context, const aic_spec *resolved,
                                const aic_tune_options *options, const aic_tune_machine_hooks *hooks)
{
    static const aic_tune_machine_hooks NONE = {.user = NULL};
    *s = (aic_tune_search){.options = options, .hooks = hooks != NULL ? hooks : &NONE, .spec = *resolved};
    s->race_hooks = (aic_race_hooks){.measure = measure, .now = race_now, .goes_on = report, .user = s};
    s->started = now(s);
    s->reported = -REPORT_SECONDS;
    aic_status status = open_context(context, &s->context);
    if (status == AIC_OK) {
        aic_spec canonical = *resolved;
        aic_spec_canonicalise(&canonical, &s->context->semantics);
        space_job job = {aic_context_problem(s->context, &canonical, s->context->target), &s->space};
        status = aic_worker_run(run_space_job, &job);
    }
    if (status != AIC_OK) {
        return status;
    }
    const size_t room = options->trials > 1 ? (size_t)options->trials : 1;
    s->taken = calloc(s->space.count + 1, sizeof *s->taken);
    s->picked = calloc(room, sizeof *s->picked);
    s->entry = calloc(room, sizeof *s->entry);
    s->racer = calloc(room, sizeof *s->racer);
    return s->taken != NULL && s->picked != NULL && s->entry != NULL && s->racer != NULL
               ? AIC_OK
               : aic_fail_memory("tune", room * sizeof *s->racer);
}

void aic_tune_search_close(aic_tune_search *s)
{
    for (size_t i = 0; i < s->count; i++) {
        aic_tune_kernel_close(&s->entry[i].kernel);
    }
    aic_tune_case_close(&s->operands);
    free(s->space.entry);
    free(s->taken);
    free(s->picked);
    free(s->entry);
    free(s->racer);
    aic_context_destroy(s->context);
}

/* ---- candidates ---- */

/* Compiles a schedule. */
static aic_status compile(aic_tune_search *s, aic_tune_entry *entry)
{
    aic_stage_view stage[AIC_STAGES_MAX];
    aic_result made;
    const char *given =
        entry == &s->entry[0] ? NULL : s->space.entry[entry->in_space].text; /* the first: the default */
    const aic_request request = {
        .specs = 1, .count = aic_stage_views(&s->spec, stage), .stage = stage, .schedule = given};
    aic_status status = aic_pipeline(s->context, &request, &made);
    if (status == AIC_OK) {
        status = aic_tune_kernel_open(&s->operands, made.code, &entry->kernel);
        aic_code_release(made.code); /* the search's own context keeps it */
    }
    return status;
}

/* Where a function of the code begins in its memory; SIZE_MAX: it has none of the kind. */
static size_t offset_of(const aic_code *code, int f)
{
    const uintptr_t address = (uintptr_t)code->function[f];
    return address != 0 ? address - (uintptr_t)code->memory.base : SIZE_MAX;
}

/* Whether both are the same code: schedules may differ in what a shape makes no use of. Code depends on no address. */
static bool is_same_code(const aic_code *a, const aic_code *b)
{
    bool same = a->memory.size == b->memory.size;
    for (int f = 0; f < AIC_FUNCTIONS && same; f++) {
        same = offset_of(a, f) == offset_of(b, f);
    }
    return same && memcmp(a->memory.base, b->memory.base, a->memory.size) == 0;
}

/* Whether an earlier candidate has the code of number `i`. */
static bool has_twin(const aic_tune_search *s, size_t i)
{
    const aic_code *code = s->entry[i].kernel.code;
    bool found = false;
    for (size_t k = 0; k < i && !found; k++) {
        found = s->entry[k].kernel.code != NULL && is_same_code(s->entry[k].kernel.code, code);
    }
    return found;
}

/* Compiles number `in_space` and looks whether it does what the default does. One that does not, or cannot be called,
 * is a candidate that takes no part; one whose code another has is none. */
static void join(aic_tune_search *s, size_t in_space)
{
    const size_t i = s->count++;
    aic_tune_entry *entry = &s->entry[i];
    bool same = true;
    *entry = (aic_tune_entry){.in_space = in_space, .state = AIC_TUNE_STATE_RACING};
    s->racer[i] = (aic_racer){.samples = 0};
    s->taken[in_space] = true;
    aic_status status = compile(s, entry);
    if (status == AIC_OK && has_twin(s, i)) {
        aic_tune_kernel_close(&entry->kernel);
        s->count--;
        return;
    }
    if (status == AIC_OK) {
        status = aic_tune_case_compare(&s->operands, &entry->kernel, &same);
    }
    if (status != AIC_OK || !same) {
        entry->state = status != AIC_OK ? AIC_TUNE_STATE_FAILED : AIC_TUNE_STATE_WRONG;
        s->racer[i].broken = true;
    }
}

/* The number of the default rule's schedule in the space: the usual one of lowest cost, the first of equals. */
static size_t find_default(const aic_space_list *space)
{
    size_t best = 0;
    for (size_t i = 1; i < space->usual; i++) {
        best = space->entry[i].cost < space->entry[best].cost ? i : best;
    }
    return best;
}

/* Packed images of all candidates, at most: beyond that, memory is better left to others. */
static const size_t PACKED_BYTES_MAX = (size_t)1 << 29;

static bool has_room(const aic_tune_search *s)
{
    size_t bytes = 0;
    for (size_t i = 0; i < s->count; i++) {
        const bool packs = s->entry[i].kernel.packed != NULL;
        bytes += packs ? (size_t)s->entry[i].kernel.code->requirements.pack.bytes : 0;
    }
    return bytes < PACKED_BYTES_MAX;
}

/* Whether a part of the budget is not over yet, and nobody wants the search to end. */
static bool has_time(aic_tune_search *s, double until)
{
    return aic_tune_search_elapsed(s) < until * s->options->budget && report(s);
}

/* Lets the picked ones join until `until`, a part of the budget, is over. */
static void join_all(aic_tune_search *s, size_t count, double until)
{
    const size_t most = (size_t)s->options->trials;
    for (size_t i = 0; i < count && s->count < most && has_room(s) && has_time(s, until); i++) {
        if (!s->taken[s->picked[i].entry]) {
            join(s, s->picked[i].entry);
        }
    }
}

/* ---- races ---- */

static aic_race race_of(aic_tune_search *s, aic_racer *racer, size_t count, size_t rounds, double until)
{
    return (aic_race){.racer = racer,
                      .count = count,
                      .rounds = s->options->effort == AIC_TUNE_EFFORT_PATIENT ? rounds * ROUNDS_PATIENT : rounds,
                      .precise = PRECISE,
                      .until = s->started + until * s->options->budget,
                      .random = s->options->seed * 2 + 1,
                      .hooks = &s->race_hooks};
}

/* Calls the default for a while: a core that had nothing to do begins slowly, and whoever comes first would pay. */
static void warm_up(aic_tune_search *s)
{
    const double until = now(s) + WARM_SECONDS;
    while (s->hooks->measure == NULL && now(s) < until && aic_tune_call(&s->operands, &s->entry[0].kernel) == AIC_OK) {
    }
}

/* Runs a race of all that are left. What they had in an earlier race was measured at another time, and does not count.
 */
static void run_race(aic_tune_search *s, size_t rounds, double until)
{
    aic_race race = race_of(s, s->racer, s->count, rounds, until);
    if (now(s) >= race.until) {
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        if (s->entry[i].state == AIC_TUNE_STATE_RACING) {
            s->racer[i] = (aic_racer){.samples = 0};
            s->entry[i].standard = 0;
        }
    }
    warm_up(s);
    (void)aic_race_run(&race);
    for (size_t i = 0; i < s->count; i++) {
        const aic_racer *r = &s->racer[i];
        if (s->entry[i].state != AIC_TUNE_STATE_RACING) {
            continue;
        }
        s->entry[i].standard = s->racer[0].median;
        if (r->broken || r->dropped) {
            s->entry[i].state = r->broken ? AIC_TUNE_STATE_FAILED : AIC_TUNE_STATE_DROPPED;
        }
    }
}

/* Whether every candidate that has not dropped out was measured often enough to say so. */
static bool is_measured(const aic_tune_search *s)
{
    for (size_t i = 0; i < s->count; i++) {
        if (s->entry[i].state == AIC_TUNE_STATE_RACING && s->racer[i].samples < ROUNDS_ENOUGH) {
            return false;
        }
    }
    return true;
}

/* The default joins first: where it fails there is nothing to compare with. */
static aic_status join_default(aic_tune_search *s)
{
    aic_status status = aic_tune_case_open(&s->operands, &s->spec, &s->context->semantics, s->options->seed);
    if (status != AIC_OK) {
        return status;
    }
    s->count = 1;
    s->entry[0] = (aic_tune_entry){.in_space = find_default(&s->space), .state = AIC_TUNE_STATE_RACING};
    s->taken[s->entry[0].in_space] = true;
    status = compile(s, &s->entry[0]);
    return status == AIC_OK ? aic_tune_case_keep(&s->operands, &s->entry[0].kernel) : status;
}

/* The fastest measured candidate around which no loops were tried; s->count when there is none. */
static size_t find_centre(const aic_tune_search *s)
{
    size_t best = s->count;
    for (size_t i = 0; i < s->count; i++) {
        const bool fits = !s->entry[i].centre && !s->racer[i].broken && s->racer[i].samples > 0;
        best = fits && (best == s->count || s->racer[i].median < s->racer[best].median) ? i : best;
    }
    return best;
}

/* Lets other loops around the fastest tile join; where these are few, those around the next one, and so on. */
static void join_loops(aic_tune_search *s)
{
    size_t centre;
    const size_t most = (size_t)s->options->trials;
    while (s->count < most && has_room(s) && (centre = find_centre(s)) < s->count && has_time(s, LOOPS_COMPILED)) {
        const size_t near = s->entry[centre].in_space;
        s->entry[centre].centre = true;
        join_all(s, aic_tune_pick_loops(&s->space, near, s->taken, most - s->count, s->picked), LOOPS_COMPILED);
    }
}

aic_status aic_tune_search_run(aic_tune_search *s)
{
    const size_t most = (size_t)s->options->trials;
    aic_status status = join_default(s);
    if (status != AIC_OK) {
        return status;
    }
    const size_t tiles = (size_t)((double)most * TILES_SHARE);
    join_all(s, aic_tune_pick_tiles(&s->space, tiles > 1 ? tiles : most, s->picked), TILES_COMPILED);
    run_race(s, ROUNDS_TILES, TILES_RACED);
    if (!s->stopped) {
        join_loops(s);
        run_race(s, ROUNDS_LOOPS, LOOPS_RACED);
    }
    s->measured = is_measured(s);
    return AIC_OK;
}

/* ---- the verdict ---- */

/* The fastest of those that are left and not judged yet. */
static size_t find_fastest(const aic_tune_search *s)
{
    size_t best = 0;
    for (size_t i = 1; i < s->count; i++) {
        const bool left = s->entry[i].state == AIC_TUNE_STATE_RACING && !s->entry[i].judged && s->racer[i].samples > 0;
        best = left && s->racer[i].median < s->racer[best].median ? i : best;
    }
    return best;
}

/* Measures number `i` and the default anew: it was chosen for its luck, too. */
static void run_duel(aic_tune_search *s, size_t i, double until)
{
    const size_t entry[2] = {0, i};
    aic_racer fresh[2] = {{.samples = 0}, {.samples = 0}};
    aic_race race = race_of(s, fresh, 2, ROUNDS_JUDGE, until);
    race.number = entry;
    (void)aic_race_run(&race);
    for (size_t k = 0; k < 2; k++) {
        if (fresh[k].samples >= ROUNDS_ENOUGH) {
            s->racer[entry[k]] = fresh[k];
            s->entry[entry[k]].standard = fresh[0].median;
        }
    }
}

/* Whether number `i` is faster by more than the noise: the intervals do not touch. */
static bool beats_default(const aic_tune_search *s, size_t i)
{
    const aic_racer *standard = &s->racer[0], *other = &s->racer[i];
    return standard->samples >= ROUNDS_ENOUGH && other->samples >= ROUNDS_ENOUGH && other->high < standard->low &&
           other->median * GAIN_LEAST < standard->median;
}

static aic_status verify(aic_tune_search *s, size_t i, bool *right)
{
    if (s->hooks->verify != NULL) {
        *right = s->hooks->verify(s->hooks->user, text_of(s, i));
        return AIC_OK;
    }
    return aic_tune_case_verify(&s->operands, &s->entry[i].kernel, right);
}

aic_status aic_tune_search_judge(aic_tune_search *s)
{
    const double each = (1 - LOOPS_RACED) / JUDGED_MAX;
    for (int n = 0; n < JUDGED_MAX && s->winner == 0; n++) {
        const size_t fastest = find_fastest(s);
        if (fastest == 0) {
            break;
        }
        s->entry[fastest].judged = true;
        if (!s->stopped) {
            run_duel(s, fastest, aic_tune_search_elapsed(s) / s->options->budget + each);
        }
        bool right = false;
        if (beats_default(s, fastest)) {
            aic_status status = verify(s, fastest, &right);
            if (status != AIC_OK) {
                return status;
            }
            s->entry[fastest].state = right ? AIC_TUNE_STATE_RACING : AIC_TUNE_STATE_WRONG;
            s->winner = right ? fastest : 0;
        }
    }
    return AIC_OK;
}

/* ---- results ---- */

static aic_tune_candidate candidate_of(const aic_tune_search *s, size_t in_space, size_t standard)
{
    const aic_space_entry *entry = &s->space.entry[in_space];
    aic_tune_candidate c = {.size = sizeof c, .predicted = entry->cost, .is_default = in_space == standard};
    memcpy(c.schedule, entry->text, sizeof c.schedule);
    return c;
}

/* Measured ones first, to the end before dropped ones; then others; then what is wrong or fails. */
static int class_of(const aic_tune_candidate *c)
{
    return c->state >= AIC_TUNE_STATE_WRONG ? 3 : c->samples == 0 ? 2 : c->state == AIC_TUNE_STATE_DROPPED ? 1 : 0;
}

/* In their classes fast ones first, or cheap ones where nothing was measured. */
static int compare(const void *a, const void *b)
{
    const aic_tune_candidate *x = a, *y = b;
    if (class_of(x) != class_of(y)) {
        return class_of(x) - class_of(y);
    }
    const double first = x->samples > 0 ? -x->gain : x->predicted;
    const double second = y->samples > 0 ? -y->gain : y->predicted;
    return first != second ? (first > second) - (first < second) : strcmp(x->schedule, y->schedule);
}

_Static_assert(AIC_TUNE_SCHEDULE_MAX == AIC_SCHEDULE_TEXT_MAX, "room for the text of a schedule");

enum { PREDICTED_MAX = 64 };

/* The candidates of a search that measures nothing: the default, and the cheapest of every tile. */
static size_t list_predicted(const aic_tune_search *s, aic_tune_candidate list[PREDICTED_MAX])
{
    aic_tune_pick picked[PREDICTED_MAX - 1];
    size_t count = 0;
    const size_t standard = find_default(&s->space);
    const size_t tiles = aic_tune_pick_tiles(&s->space, PREDICTED_MAX - 1, picked);
    list[count++] = candidate_of(s, standard, standard);
    for (size_t i = 0; i < tiles; i++) {
        if (picked[i].entry != standard) {
            list[count++] = candidate_of(s, picked[i].entry, standard);
        }
    }
    return count;
}

aic_status aic_tune_search_list(const aic_tune_search *s, aic_tune_candidate **list, size_t *count)
{
    const size_t room = s->count > 0 ? s->count : PREDICTED_MAX;
    aic_tune_candidate *made = calloc(room, sizeof *made);
    if (made == NULL) {
        return aic_fail_memory("tune", room * sizeof *made);
    }
    for (size_t i = 0; i < s->count; i++) {
        const aic_racer *r = &s->racer[i];
        made[i] = candidate_of(s, s->entry[i].in_space, s->entry[0].in_space);
        made[i].state =
            r->samples > 0 || s->entry[i].state >= AIC_TUNE_STATE_WRONG ? s->entry[i].state : AIC_TUNE_STATE_PREDICTED;
        made[i].median_ns = r->median, made[i].low_ns = r->low, made[i].high_ns = r->high;
        made[i].samples = r->samples;
        /* During a race the default's median is the one of now. */
        const double standard = s->entry[i].standard > 0 ? s->entry[i].standard : s->racer[0].median;
        made[i].gain = r->samples > 0 ? standard / r->median : 0;
    }
    *count = s->count > 0 ? s->count : list_predicted(s, made);
    const size_t first = s->winner != 0 ? 1 : 0; /* others are left with what they had when they were measured last */
    if (first == 1) {
        const aic_tune_candidate winner = made[s->winner];
        made[s->winner] = made[0];
        made[0] = winner;
    }
    qsort(made + first, *count - first, sizeof *made, compare);
    *list = made;
    return AIC_OK;
}
