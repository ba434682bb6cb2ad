/* aicjit-faults: makes every allocation and every system call of the library fail, one after the other, in tasks of all
 * kinds (scenarios.c). Afterwards nothing may be held that was not held before, no mutex be locked, and the same work
 * must succeed; and so it must while reads and writes are interrupted or do a part of what they are asked for.
 *
 *     aicjit-faults [cold|SCENARIO [one|all NUMBER]]
 *
 * "cold": what a process makes once is made in children, one for each call. "one": the call of this number fails;
 * "all": it and all later ones. Without a number every one is tried, both ways; but of calls that come from one place,
 * by their innermost return addresses, only the first of all scenarios and a few more, unless AIC_CAMPAIGN
 * is set. */
#include "frontend/core/stage.h"
#include "runtime/threads/pool.h"
#include "tests/faults/calls.h"
#include "tests/faults/scenarios.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHOWN_MAX = 20, WARM = 3 };

/* In the place of a scenario's number. */
enum { NONE = -1, COLD = -2 };

static long passed, failed;

typedef struct holdings {
    long count[CALLS_RESOURCES];
} holdings;

static holdings take_stock(void)
{
    holdings now;
    for (int r = 0; r < CALLS_RESOURCES; r++) {
        now.count[r] = calls_held((calls_resource)r);
    }
    return now;
}

/* Whether code memory keeps another region than before: where pages cannot be made executable, it is files from then
 * on, each of which is mapped twice. */
static bool changes_regions(int resource)
{
    return resource == CALLS_MAPPINGS && calls_protecting_failed();
}

/* What a run left behind, "" for nothing. */
static const char *left_over(const holdings *before, const holdings *now)
{
    static char text[128];
    text[0] = '\0';
    for (int r = 0; r < CALLS_RESOURCES; r++) {
        /* Less memory is no fault: a thread's scratch memory shrinks after many small calls. */
        const bool differs =
            now->count[r] > before->count[r] || (now->count[r] != before->count[r] && r != CALLS_MEMORY);
        if (differs && !changes_regions(r)) {
            snprintf(text, sizeof text, "%ld %s more than before", now->count[r] - before->count[r],
                     calls_resource_name[r]);
        }
    }
    return text;
}

static const char *mode_name(calls_mode mode)
{
    return mode == CALLS_ONE ? "one" : "all";
}

static void verdict(const scenario *s, calls_mode mode, long number, const char *call, const char *wrong)
{
    if (wrong == NULL || wrong[0] == '\0') {
        passed++;
        return;
    }
    if (failed++ < SHOWN_MAX) {
        printf("FAILED %s: %s (%s)\n  repeat: aicjit-faults '%s' %s %ld\n", s->name, wrong, call, s->name,
               mode_name(mode), number);
        fflush(stdout);
    }
}

/* Whether the function makes blocks of memory: what wants one and has none has not done what it should. */
static bool is_memory(const char *call)
{
    static const char *const names[] = {"malloc", "calloc",  "realloc",  "aligned_alloc",
                                        "strdup", "strndup", "realpath", "open_memstream"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], call) == 0) {
            return true;
        }
    }
    return false;
}

/* A run in which calls fail, and what is wrong with it. */
typedef struct trial {
    calls_mode mode;
    const char *call, *wrong; /* the first that failed, NULL: there are no more calls */
} trial;

static void run_failing(const scenario *s, trial *t, long number)
{
    t->wrong = NULL;
    calls_begin(t->mode, number);
    const aic_status status = s->run(&t->wrong);
    (void)calls_end();
    t->call = calls_failed();
    if (t->call == NULL || t->wrong != NULL) {
        return;
    }
    if (status != AIC_OK && aic_last_error()[0] == '\0') {
        t->wrong = "a status without a message";
    } else if (status == AIC_OK && t->mode == CALLS_ONE && !s->lenient && is_memory(t->call)) {
        t->wrong = "memory that could not be had is no failure";
    } else if (calls_held(CALLS_MUTEXES) != 0) {
        t->wrong = "a mutex is locked";
    }
}

/* The work as it is when no call fails, after others in which some did: what is wrong with it or left behind. */
static const char *run_after(const scenario *s, const holdings *before)
{
    const char *wrong = NULL;
    if (s->run(&wrong) != AIC_OK && wrong == NULL) {
        return aic_last_error();
    }
    const holdings now = take_stock();
    return wrong != NULL ? wrong : left_over(before, &now);
}

/* Runs in which calls fail. Afterwards t->call is NULL: there are no more. False: no others must follow, as there are
 * no more or as what comes next would wait for a mutex. The last one's verdict is the caller's, if true. */
static bool run_modes(const scenario *s, const calls_mode *modes, size_t count, long number, trial *t)
{
    for (size_t m = 0; m < count; m++) {
        t->mode = modes[m];
        run_failing(s, t, number);
        if (t->call == NULL) {
            return false;
        }
        const bool locked = calls_held(CALLS_MUTEXES) != 0;
        if (locked || m + 1 < count) {
            verdict(s, t->mode, number, t->call, t->wrong);
        }
        if (locked) {
            return false;
        }
    }
    return true;
}

/* A call fails in this way, and the same work runs after it. False: as run_modes(). */
static bool try_number(const scenario *s, calls_mode mode, long number)
{
    const holdings before = take_stock();
    trial t = {.call = NULL};
    const bool more = run_modes(s, &mode, 1, number, &t);
    if (more) {
        verdict(s, t.mode, number, t.call, t.wrong == NULL ? run_after(s, &before) : t.wrong);
    }
    return more;
}

/* How often calls have come from a place; places that find no room are new each time. */
enum { PLACES = 1 << 14, OFTEN = 1, EVERY = 24 };

static struct {
    uint64_t origin;
    int times;
} place[PLACES];

static int *times_at(uint64_t origin)
{
    static int unknown;
    for (size_t i = 0; i < PLACES && origin != 0; i++) {
        const size_t at = (origin + i) % PLACES;
        if (place[at].origin == 0 || place[at].origin == origin) {
            place[at].origin = origin;
            return &place[at].times;
        }
    }
    unknown = 0;
    return &unknown;
}

static bool is_campaign(void)
{
    return getenv("AIC_CAMPAIGN") != NULL;
}

/* Whether enough calls from where this one comes from have failed, in this scenario or in others; of those every so
 * many fail all the same, so that each scenario has some. */
static bool is_known(long number)
{
    return !is_campaign() && (*times_at(calls_origin(number)))++ >= OFTEN && number % EVERY != 0;
}

static const calls_mode both[] = {CALLS_ONE, CALLS_ALL};
enum { MODES = sizeof both / sizeof both[0] };

enum { TOGETHER = 8 };

/* Numbers whose calls failed and after which the work has not run yet. */
typedef struct pending {
    long number[TOGETHER];
    size_t count;
    holdings before;
} pending;

/* Each way in which the call fails, and the work after it. */
static void try_alone(const scenario *s, long number)
{
    for (size_t m = 0; m < MODES; m++) {
        (void)try_number(s, both[m], number);
    }
}

/* The work runs after all of them; where it goes wrong, after each alone, which says whose fault it is. */
static void try_pending(const scenario *s, pending *p)
{
    const char *wrong = p->count > 0 ? run_after(s, &p->before) : NULL;
    if (wrong != NULL && wrong[0] != '\0') {
        verdict(s, CALLS_ALL, p->number[p->count - 1], "this call, or one before it", wrong);
        for (size_t i = 0; i < p->count; i++) {
            try_alone(s, p->number[i]);
        }
    }
    p->count = 0;
}

/* Every call fails in both ways; the work runs after so many of them, but at once where regions of code may differ. */
static void try_together(const scenario *s)
{
    pending p = {.count = 0};
    long number = 1;
    for (bool more = true; more; number++) {
        trial t = {.call = NULL};
        if (calls_held(CALLS_MUTEXES) != 0) {
            return; /* what comes next would wait for it, and it has been told */
        }
        if (is_known(number)) {
            continue;
        }
        if (p.count == TOGETHER || calls_protects(number)) {
            try_pending(s, &p);
        }
        if (calls_protects(number)) {
            try_alone(s, number);
            continue;
        }
        if (p.count == 0) {
            p.before = take_stock();
        }
        more = run_modes(s, both, MODES, number, &t);
        if (more) {
            verdict(s, t.mode, number, t.call, t.wrong);
            p.number[p.count++] = number;
        }
    }
    if (calls_held(CALLS_MUTEXES) == 0) {
        try_pending(s, &p);
    }
}

/* A campaign runs the same work after every failure. */
static void try_numbers(const scenario *s)
{
    if (!is_campaign()) {
        try_together(s);
        return;
    }
    for (size_t m = 0; m < MODES; m++) {
        for (long number = 1; try_number(s, both[m], number);) {
            number++;
        }
    }
}

/* Reads and writes that are interrupted or do a part are no failures. */
static void try_cut(const scenario *s)
{
    const char *wrong = NULL;
    calls_begin(CALLS_CUT, 0);
    const aic_status status = s->run(&wrong);
    (void)calls_end();
    if (status == AIC_OK && wrong == NULL) {
        passed++;
        return;
    }
    failed++;
    printf("FAILED %s: with interrupted reads and writes: %s\n", s->name, wrong != NULL ? wrong : aic_last_error());
}

static void try_scenario(const scenario *s)
{
    const char *wrong = NULL;
    for (int i = 0; i < WARM; i++) { /* what a process keeps is made */
        if (s->run(&wrong) != AIC_OK || wrong != NULL) {
            printf("FAILED %s: without failures: %s\n", s->name, wrong != NULL ? wrong : aic_last_error());
            failed++;
            return;
        }
    }
    calls_begin(CALLS_COUNT, 0);
    (void)s->run(&wrong);
    const long count = calls_end(), before = passed + failed;
    try_numbers(s);
    const long tried = (passed + failed - before) / 2;
    try_cut(s);
    printf("%s: %ld calls, %ld tried\n", s->name, count, tried);
    if (count == 0) {
        failed++;
    }
    fflush(stdout);
}

/* ---- in a process that has done nothing yet ---- */

enum { RIGHT, WRONG, NO_MORE };

/* What a process makes once - LLVM, the pool, records of threads - fails while it is made; the work must succeed
 * afterwards. */
static int run_cold(const scenario *s, long number)
{
    const char *wrong = NULL;
    calls_begin(CALLS_ONE, number);
    const aic_status status = s->run(&wrong);
    (void)calls_end();
    const char *call = calls_failed();
    if (call == NULL) {
        return NO_MORE;
    }
    if (wrong == NULL && status != AIC_OK && aic_last_error()[0] == '\0') {
        wrong = "a status without a message";
    }
    wrong = wrong == NULL && calls_held(CALLS_MUTEXES) != 0 ? "a mutex is locked" : wrong;
    if (wrong == NULL && s->run(&wrong) != AIC_OK && wrong == NULL) {
        wrong = aic_last_error();
    }
    if (wrong != NULL) {
        printf("FAILED %s in a fresh process, call %ld: %s (%s)\n", s->name, number, wrong, call);
        fflush(stdout);
    }
    return wrong == NULL ? RIGHT : WRONG;
}

/* A child finds where the calls come from: this process does nothing yet. */
static void count_cold(const scenario *s)
{
    calls_begin(CALLS_COUNT, 0);
    (void)calls_end();
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const char *wrong = NULL;
        calls_begin(CALLS_COUNT, 0);
        (void)s->run(&wrong);
        _exit(0);
    }
    (void)waitpid(child, NULL, 0);
}

static void try_cold(const scenario *s)
{
    enum { SECONDS = 120 };
    const long tried = passed + failed;
    long number = 1;
    count_cold(s);
    for (bool more = true; more; number++) {
        int status = 0;
        if (is_known(number)) {
            continue;
        }
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS);
            _exit(run_cold(s, number));
        }
        const bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
        more = ended && WEXITSTATUS(status) != NO_MORE;
        passed += ended && WEXITSTATUS(status) == RIGHT;
        failed += !ended || WEXITSTATUS(status) == WRONG;
        if (!ended) {
            printf("FAILED %s in a fresh process, call %ld: it was ended\n", s->name, number);
        }
    }
    printf("%s, in a fresh process: %ld calls, %ld tried\n", s->name, number - 2, passed + failed - tried);
    memset(place, 0, sizeof place); /* a warm process has other ways to fail */
}

static int find_scenario(const char *name)
{
    for (size_t i = 0; i < scenario_count; i++) {
        if (strcmp(scenarios[i].name, name) == 0) {
            return (int)i;
        }
    }
    return NONE;
}

/* Lines that scenarios have the library write are of no interest. */
static void silence(void)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        (void)dup2(nowhere, STDERR_FILENO);
        close(nowhere);
    }
}

int main(int argc, char **argv)
{
    const int chosen = argc > 1 && strcmp(argv[1], "cold") != 0 ? find_scenario(argv[1]) : argc > 1 ? COLD : 0;
    const bool one = argc == 4 && strcmp(argv[2], "one") == 0;
    if (chosen == NONE || argc == 3 || argc > 4 || (argc == 4 && !one && strcmp(argv[2], "all") != 0)) {
        fprintf(stderr, "usage: aicjit-faults [SCENARIO [one|all NUMBER]]\n");
        return 2;
    }
    (void)setenv("AIC_CACHE", "off", 1); /* contexts that want one have a folder of their own */
    aic_pool_sleep_at_once(true);
    if (!scenarios_open()) {
        return 3;
    }
    silence();
    aic_spec none;
    (void)aic_spec_read("", &none); /* the thread has its record of messages, which it keeps */
    if (argc == 4) {
        const char *wrong = NULL;
        (void)scenarios[chosen].run(&wrong);
        (void)try_number(&scenarios[chosen], one ? CALLS_ONE : CALLS_ALL, strtol(argv[3], NULL, 10));
    }
    if (argc == 1 || chosen == COLD) {
        try_cold(&scenarios[find_scenario("the pool")]);
    }
    for (size_t i = 0; i < scenario_count && argc < 4; i++) {
        if (argc == 1 || (int)i == chosen) {
            try_scenario(&scenarios[i]);
        }
    }
    scenarios_close();
    printf("%ld passed, %ld failed\n", passed, failed);
    return failed == 0 && passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
