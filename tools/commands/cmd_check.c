/* aicjit check: generated code against the reference, for given and for pseudo-random operators. */
#include "tools/command.h"
#include "tools/harness/fail.h"
#include "tools/harness/interrupt.h"
#include "tools/harness/processor.h"
#include "tools/harness/rng.h"
#include "tools/harness/verify.h"
#include "tools/progress.h"
#include "tools/pto.h"
#include "tools/specs.h"

#include <aic/tool.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SCHEDULE_TEXT_MAX = 512, RENEW_STEPS = 256, SEED_NOT_GIVEN = -1, SEED_USUAL = 1 };

static const int64_t seed_max = INT64_C(1) << 62;

enum { PAIR = 2, CHAIN_MAX = 6 }; /* operators of a random chain */

typedef struct check_state {
    cli_session session; /* its isa is what --isa says, "all" included */
    const char *op_name, *schedule;
    spec_source source;
    cli_pto pto;
    aic_pto_program *program;     /* of --pto, and */
    aic_pto_statement *statement; /* those of its statements that differ */
    size_t statements;
    int64_t fuzz, seed, fuzz_seed; /* seed: of the contents of given operators */
    size_t op_count;               /* operators that --op names: 0 for any, 2 and more for a chain */
    aic_op op[CHAIN_MAX];
    cli_levels levels;
    interrupt_sums sums;
    uint64_t left_out; /* operators of --fuzz that no kernel computes under --choice */
} check_state;

/* ---- levels ---- */

static bool runs_here(const char *isa)
{
    return aic_isa_check(isa) == AIC_OK;
}

/* Kernels stay in a context's cache: long fuzzing starts over with empty ones now and then. */
static int renew_levels(check_state *check)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < check->levels.count; i++) {
        cli_session_close(&check->levels.item[i]);
        status = cli_session_open(&check->levels.item[i]);
    }
    return status;
}

/* How each level ran, or that it did not. Of one level only that an emulator ran it. */
static void report_levels(const check_state *check)
{
    const char *name;
    for (size_t i = 0; cli_wants_all_levels(&check->session) && (name = aic_isa_name(i)) != NULL; i++) {
        printf("level %s: %s\n", name, level_way(name));
    }
    if (!cli_wants_all_levels(&check->session) && aic_isa_emulated(aic_context_isa(check->levels.item[0].context))) {
        printf("level %s: emulated\n", aic_context_isa(check->levels.item[0].context));
    }
}

/* ---- results ---- */

/* Counts a verdict; `repeat` is the command line, behind "aicjit check ", that repeats the check. */
static int record(check_state *check, verify_verdict verdict, const verify_report *report, const char *what,
                  const char *repeat)
{
    if (verdict == VERIFY_UNDECIDED) {
        return cli_fail(CLI_SYSTEM, "check: %s: %s", what, report->text);
    }
    if (verdict == VERIFY_PASSED) {
        check->sums.passed++;
        return CLI_DONE;
    }
    char semantics[CLI_SEMANTICS_TEXT_MAX], threads[32] = "";
    cli_semantics_text(&check->session, semantics);
    if (check->session.threads > 0) {
        (void)snprintf(threads, sizeof threads, " --threads %" PRId64, check->session.threads);
    }
    progress_clear();
    check->sums.in_line = true;
    printf("FAILED %s\n  %s\n  repeat: aicjit check %s%s%s\n", what, report->text, repeat, threads, semantics);
    int status = cli_flush_output();
    check->sums.failed++;
    check->sums.in_line = false;
    return status;
}

/* ---- one specification ---- */

/* Records a verdict on `text`; isa and schedule may be NULL: not to be named. */
static int record_case(check_state *check, verify_verdict verdict, const verify_report *report, const char *text,
                       int64_t seed, const char *isa, const char *schedule)
{
    size_t capacity = strlen(text) + SCHEDULE_TEXT_MAX + 200;
    char *repeat = malloc(capacity);
    if (repeat == NULL) {
        return cli_fail(CLI_SYSTEM, "check: memory ran out");
    }
    (void)snprintf(repeat, capacity, "'%s' --seed %" PRId64 "%s%s%s%s%s", text, seed, isa == NULL ? "" : " --isa ",
                   isa == NULL ? "" : isa, schedule == NULL ? "" : " --schedule '", schedule == NULL ? "" : schedule,
                   schedule == NULL ? "" : "'");
    int status = record(check, verdict, report, text, repeat);
    free(repeat);
    return status;
}

/* A cache or a tuning file that is not used says nothing about the kernel. */
static void show_making(const verify_report *report)
{
    if (report->warning[0] != '\0') {
        progress_clear();
        (void)fprintf(stderr, "aicjit: warning: %s\n", report->warning);
    }
}

static int check_kernel(check_state *check, const verify_case *c, aic_context *context, const char *schedule,
                        const char *text, int64_t seed)
{
    verify_report report;
    verify_verdict verdict = verify_kernel(c, context, schedule, &report);
    show_making(&report);
    if (report.status == AIC_INVALID_ARGUMENT && schedule != NULL && schedule == check->schedule) {
        return cli_fail(CLI_WRONG, "check: --schedule: %s", report.text);
    }
    return record_case(check, verdict, &report, text, seed, aic_context_isa(context), schedule);
}

/* Every schedule of the generator, or the one of --schedule. */
static int check_level(check_state *check, const verify_case *c, aic_context *context, const char *text, int64_t seed)
{
    if (check->schedule == NULL || strcmp(check->schedule, "all") != 0) {
        return check_kernel(check, c, context, check->schedule, text, seed);
    }
    char schedule[SCHEDULE_TEXT_MAX];
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && !interrupt_requested(); i++) {
        if (aic_schedule_candidate(context, c->spec, i, schedule, sizeof schedule) != AIC_OK) {
            return i > 0 ? CLI_DONE : cli_status("check", AIC_INTERNAL);
        }
        status = check_kernel(check, c, context, schedule, text, seed);
    }
    return status;
}

static int check_spec(check_state *check, const aic_spec *spec, int64_t seed, bool show_warning)
{
    verify_case c;
    verify_report report;
    int status = CLI_DONE;
    char *text = cli_spec_text(spec);
    if (text == NULL) {
        return cli_fail(CLI_SYSTEM, "check: memory ran out");
    }
    verify_verdict verdict = verify_open(&c, spec, &check->session.semantics, (uint64_t)seed, &report);
    if (verdict == VERIFY_PASSED) {
        if (show_warning) {
            cli_show_advice(cli_about_contents(c.warning) ? "" : c.warning, spec, &check->session.semantics, NULL, 0);
        }
        for (size_t i = 0; status == CLI_DONE && i < check->levels.count; i++) {
            status = check_level(check, &c, check->levels.item[i].context, text, seed);
        }
    } else {
        status = record_case(check, verdict, &report, text, seed, NULL, NULL);
    }
    verify_close(&c);
    free(text);
    return status;
}

/* ---- programs ---- */

static int read_program(check_state *check)
{
    int status = cli_pto_read(&check->pto, &check->session, &check->program);
    return status == CLI_DONE ? cli_pto_statements("check", check->program, &check->statement, &check->statements)
                              : status;
}

/* The program as a whole at every level, then every statement that differs from those before it. */
static int check_program(check_state *check, int64_t seed)
{
    int status = CLI_DONE;
    for (size_t i = 0; status == CLI_DONE && i < check->levels.count; i++) {
        verify_report report;
        char repeat[PATH_MAX + 300];
        aic_context *context = check->levels.item[i].context;
        const verify_verdict verdict = pto_call_verify(check->program, &check->levels.item[i], (uint64_t)seed, &report);
        show_making(&report);
        (void)snprintf(repeat, sizeof repeat, "--pto '%s' --seed %" PRId64 " --isa %s%s%s", check->pto.path, seed,
                       aic_context_isa(context), check->pto.placement == NULL ? "" : " --placement ",
                       check->pto.placement == NULL ? "" : check->pto.placement);
        status = record(check, verdict, &report, check->pto.path, repeat);
    }
    for (size_t i = 0; status == CLI_DONE && i < check->statements && !interrupt_requested(); i++) {
        status = check_spec(check, check->statement[i].spec, seed, true);
    }
    return status;
}

/* ---- pseudo-random operators ---- */

/* The seed of case number `i`. That of the first is the seed given, so that a case can be repeated by its own seed; the
 * others have nothing to do with those of a neighbouring seed. */
static int64_t case_seed(int64_t seed, int64_t i)
{
    uint64_t state = (uint64_t)seed;
    state = rng_next(&state) ^ (uint64_t)i;
    return i == 0 ? seed : (int64_t)(rng_next(&state) % (uint64_t)seed_max);
}

/* Draws a seed where none is given, and says which. */
static int choose_seeds(check_state *check)
{
    if (check->seed == SEED_NOT_GIVEN && check->fuzz > 0) {
        struct timespec now;
        (void)clock_gettime(CLOCK_REALTIME, &now);
        uint64_t state =
            (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec + ((uint64_t)getpid() << 48);
        check->fuzz_seed = (int64_t)(rng_next(&state) >> 32); /* short enough to be typed */
        printf("drawn: --seed %" PRId64 "\n", check->fuzz_seed);
    } else {
        check->fuzz_seed = check->seed;
    }
    check->seed = check->seed == SEED_NOT_GIVEN ? SEED_USUAL : check->seed;
    return cli_flush_output(); /* seen whatever comes of it */
}

/* A chain from the first operator of --op to the last; of three and more, with as many stages. */
static aic_status draw_chain(const check_state *check, uint64_t seed, bool legal, aic_spec **spec)
{
    const size_t count = check->op_count;
    const aic_op first = check->op[0], last = count == 0 ? AIC_OP_NONE : check->op[count - 1];
    uint64_t state = seed;
    aic_status status;
    do {
        aic_spec_destroy(*spec);
        *spec = NULL;
        status = (legal ? aic_spec_random_chain : aic_spec_random_chain_illegal)(first, last, &check->session.semantics,
                                                                                 state, spec);
        (void)rng_next(&state);
    } while (status == AIC_OK && count > PAIR && aic_spec_stages(*spec) != count);
    return status;
}

/* Of any operator, of one, or of a chain: every fourth where --op does not say. */
static int draw_spec(const check_state *check, int64_t seed, bool legal, aic_spec **spec)
{
    const uint64_t bits = (uint64_t)seed;
    const aic_semantics *semantics = &check->session.semantics;
    const bool chain = check->op_count >= PAIR || (check->op_count == 0 && bits % 4 == 0);
    aic_status status;
    if (chain) {
        status = draw_chain(check, bits, legal, spec);
    } else {
        status = (legal ? aic_spec_random : aic_spec_random_illegal)(check->op[0], semantics, bits, spec);
    }
    return cli_status("check: --fuzz", status);
}

static int check_illegal(check_state *check, int64_t seed)
{
    aic_spec *spec = NULL;
    int status = draw_spec(check, seed, false, &spec);
    if (status != CLI_DONE) {
        return status;
    }
    char *text = cli_spec_text(spec);
    char repeat[256];
    (void)snprintf(repeat, sizeof repeat, "--fuzz 1 --seed %" PRId64 "%s%s%s", seed,
                   check->op_count == 0 ? "" : " --op '", check->op_count == 0 ? "" : check->op_name,
                   check->op_count == 0 ? "" : "'");
    for (size_t i = 0; status == CLI_DONE && i < check->levels.count; i++) {
        verify_report report;
        verify_verdict verdict =
            verify_refused(spec, &check->session.semantics, check->levels.item[i].context, &report);
        status = record(check, verdict, &report, text == NULL ? "an illegal operator" : text, repeat);
    }
    free(text);
    aic_spec_destroy(spec);
    return status;
}

static int check_random(check_state *check, int64_t seed)
{
    aic_spec *spec = NULL;
    int status = draw_spec(check, seed, true, &spec);
    if (status == CLI_DONE && aic_spec_check_choices(spec, &check->session.semantics) == AIC_UNSUPPORTED) {
        check->left_out++;
    } else if (status == CLI_DONE) {
        status = check_spec(check, spec, seed, false);
    }
    aic_spec_destroy(spec);
    return status == CLI_DONE ? check_illegal(check, seed) : status;
}

/* ---- all of it ---- */

/* The last lines. They are printed once, whether a signal comes or not. */
static int print_sums(check_state *check, const spec_list *list)
{
    interrupt_hold();
    spec_list_report(list, &check->source, stdout);
    if (check->left_out > 0) {
        printf("%" PRIu64 " operators are left out: only the reference computes these choices of them\n",
               check->left_out);
    }
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", check->sums.passed, check->sums.failed);
    const int status = cli_flush_output();
    interrupt_report(NULL);
    interrupt_release();
    return status;
}

static int check_all(check_state *check, const spec_list *list)
{
    int status = choose_seeds(check);
    progress_start("check", list->count + (size_t)check->fuzz);
    bool more = true;
    status = status == CLI_DONE && check->program != NULL ? check_program(check, check->seed) : status;
    for (size_t i = 0; status == CLI_DONE && more && i < list->count; i++) {
        status = check_spec(check, list->items[i], check->seed, true);
        more = progress_step();
    }
    for (int64_t i = 0; status == CLI_DONE && more && i < check->fuzz; i++) {
        status = i > 0 && i % RENEW_STEPS == 0 ? renew_levels(check) : CLI_DONE;
        status = status == CLI_DONE ? check_random(check, case_seed(check->fuzz_seed, i)) : status;
        more = progress_step();
    }
    int ended = progress_end();
    status = status == CLI_DONE ? ended : status;
    if (status == CLI_WRONG && check->sums.passed + check->sums.failed == 0) {
        return status; /* a request that is refused has no sums */
    }
    report_levels(check);
    const int printed = print_sums(check, list);
    status = status == CLI_DONE ? printed : status;
    status = status == CLI_DONE && check->sums.failed > 0 ? CLI_MISMATCH : status;
    return spec_list_status(list, &check->source, status);
}

/* The operator with this name, blanks around it allowed; AIC_OP_NONE for none. */
static aic_op op_of(const char *name, size_t length)
{
    char copy[64] = "";
    for (; length > 0 && *name == ' '; length--) {
        name++;
    }
    for (; length > 0 && name[length - 1] == ' '; length--) {
    }
    if (length < sizeof copy) {
        memcpy(copy, name, length);
    }
    return aic_op_parse(copy);
}

/* Between the first operator of a chain and the last there is one that can be. */
static int check_between(const check_state *check)
{
    for (size_t i = 1; i + 1 < check->op_count; i++) {
        if (check->op[i] != AIC_OP_TENSOR_ARITHMETIC) {
            return cli_fail(CLI_WRONG, "check: --op: %s is not tensor_arithmetic, which alone can be between others",
                            aic_op_name(check->op[i]));
        }
    }
    return CLI_DONE;
}

/* Reads --op: "NAME", or the names of a chain, "NAME|NAME". */
static int find_ops(check_state *check)
{
    static const char known[] =
#define AIC_OP(ENUM, name, count, params, args) " " #name
#include <aic/ops.def>
#undef AIC_OP
        ;
    const char *at = check->op_name;
    while (at != NULL && check->op_count < CHAIN_MAX) {
        const size_t length = strcspn(at, "|");
        const aic_op op = op_of(at, length);
        if (op == AIC_OP_NONE) {
            return cli_fail(CLI_WRONG, "check: --op: \"%s\" is none of the operators:%s", check->op_name, known);
        }
        check->op[check->op_count++] = op;
        at = at[length] == '|' ? at + length + 1 : NULL;
    }
    return at == NULL
               ? check_between(check)
               : cli_fail(CLI_WRONG, "check: --op: \"%s\" names more than %d operators", check->op_name, CHAIN_MAX);
}

/* Where only the reference computes a choice there is no kernel to check. */
static int check_choices(const check_state *check, const spec_list *list)
{
    aic_status computed = AIC_OK;
    for (size_t i = 0; computed == AIC_OK && i < check->statements; i++) {
        computed = aic_spec_check_choices(check->statement[i].spec, &check->session.semantics);
    }
    for (size_t i = 0; computed == AIC_OK && i < list->count; i++) {
        computed = aic_spec_check_choices(list->items[i], &check->session.semantics);
    }
    return cli_status("check", computed);
}

/* Whether there are operators of --op at all. */
static int try_fuzz(const check_state *check)
{
    aic_spec *spec = NULL;
    const int status = check->fuzz > 0 ? draw_spec(check, SEED_USUAL, true, &spec) : CLI_DONE;
    aic_spec_destroy(spec);
    return status;
}

static int check_request(check_state *check)
{
    spec_list list = {0};
    interrupt_report(&check->sums);
    int status = find_ops(check);
    status = status == CLI_DONE ? cli_levels_open(&check->levels, &check->session, runs_here) : status;
    cli_session_semantics(&check->session);
    status = status == CLI_DONE ? spec_list_read(&check->session, &check->source, &list) : status;
    const bool program = check->pto.path != NULL;
    const args_refusal refusals[] = {
        {check->session.arch != NULL && check->fuzz > 0,
         "--arch: has no effect on the operators of --fuzz, which are of any"},
        {check->pto.placement != NULL && !program, "--placement: has no effect without --pto"},
        {spec_list_empty(&list, &check->source) && check->fuzz == 0 && !program,
         "nothing to check: give SPEC, --batch FILE, --pto FILE or --fuzz N"},
    };
    status = status == CLI_DONE ? ARGS_REFUSE("check", refusals) : status;
    status = status == CLI_DONE && program ? read_program(check) : status;
    status = status == CLI_DONE ? check_choices(check, &list) : status;
    status = status == CLI_DONE ? try_fuzz(check) : status;
    if (status == CLI_DONE) {
        cli_show_choices(&check->session.semantics);
        status = check_all(check, &list);
    }
    interrupt_report(NULL);
    spec_list_free(&list);
    free(check->statement);
    aic_pto_destroy(check->program);
    cli_levels_close(&check->levels);
    return status;
}

int cmd_check(int argc, char **argv)
{
    check_state check = {.seed = SEED_NOT_GIVEN};
    const int64_t count_max = INT64_C(1) << 40;
    args_list positional = {0};
    const args_option options[] = {
        SPEC_OPTIONS(check.source),
        option_integer("--fuzz", "N", "N pseudo-random legal operators and as many illegal ones", &check.fuzz, 1,
                       count_max),
        option_integer("--seed", "S", "of operators and operand contents (default 1, for --fuzz a new one)",
                       &check.seed, 0, seed_max),
        option_text("--op", "NAME",
                    "operator, or first and last of a chain \"NAME|NAME\", or all of it, for --fuzz (default any)",
                    &check.op_name),
        option_text("--schedule", "TEXT", "\"all\" candidates, or one as dump --stage plan prints it", &check.schedule),
        CLI_OPTIONS_PTO(check.pto),
        CLI_OPTION_DT(check.session),
        CLI_OPTION_ARCH(check.session),
        CLI_OPTION_THREADS(check.session, "all processors"),
        CLI_OPTION_ISA(check.session, "LEVEL"),
    };
    const args_command command = {
        .name = "check",
        .arguments = "SPEC... [OPTION]...",
        .summary = "Compares generated code with the reference: every element, operands between "
                   "inaccessible pages,\nweights plain and packed. --isa all: every level that runs here.",
        ARGS_OPTIONS(options),
    };
    int status = cli_parse(&check.session, &command, argc, argv, SIZE_MAX, &positional);
    check.source.texts = &positional;
    return status == CLI_DONE ? check_request(&check) : status;
}
