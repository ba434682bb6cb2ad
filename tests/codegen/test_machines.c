/* Contexts with machines of their own: each has its schedules, identities, files and tuning records, in whatever order
 * contexts are made and asked, from several threads as well. */
#include "codegen/build_name.h"
#include "frontend/core/stage.h"
#include "runtime/generator/generator.h"
#include "runtime/request/identity.h"
#include "tests/disk_case.h"
#include "tests/machines.h"
#include "tests/specs.h"
#include "tests/tune_case.h"

#include <aic/tool.h>
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_machines(void);

enum { SPECS = 2, TEXT_MAX = 512 };

/* Types of cores that have one schedule for one of them have several for the other. */
static const char *const TEXTS[SPECS] = {"conv2d(dtype=float16, fm_shape=[2,8,8,16], kernel_shape=[2,3,3,32,16])",
                                         "mmad(dtype=float32, m=64, n=64, k=256)"};

static aic_semantics semantics;
static aic_spec specs[SPECS], canonical[SPECS];

/* What the generator answers for a type of core, asked without any context. */
static struct {
    char schedule[AIC_SCHEDULE_TEXT_MAX], second[AIC_SCHEDULE_TEXT_MAX], symbol[AIC_SYMBOL_MAX];
} expected[AIC_CORES][SPECS];

static const aic_target *lowest(void)
{
    return aic_target_at(aic_host_arch(), 0);
}

static void expect(aic_core core, int s)
{
    const aic_problem problem = {&canonical[s], &semantics, lowest(), aic_machine_of(core)};
    const aic_codegen_request request = {.count = 1,
                                         .spec = problem.spec,
                                         .semantics = problem.semantics,
                                         .target = problem.target,
                                         .machine = problem.machine};
    aic_schedule_info info;
    aic_identity identity;
    ck_assert_int_eq(aic_generator_linked()->plan(&problem, NULL, &info), AIC_OK);
    memcpy(expected[core][s].schedule, info.text, sizeof info.text);
    ck_assert_int_eq(aic_generator_linked()->candidate(&problem, 1, expected[core][s].second), AIC_OK);
    ck_assert_int_eq(aic_identity_create(&request, &identity), AIC_OK);
    memcpy(expected[core][s].symbol, identity.symbol, sizeof identity.symbol);
    aic_identity_free(&identity);
}

static void set_up(void)
{
    semantics = aic_semantics_init();
    for (int s = 0; s < SPECS; s++) {
        specs[s] = spec_of(TEXTS[s]);
        ck_assert_int_eq(aic_spec_resolve_kernel(&specs[s], &semantics, &canonical[s]), AIC_OK);
        for (aic_core core = 0; core < AIC_CORES; core++) {
            expect(core, s);
        }
    }
    unsetenv("AIC_MACHINE");
    disk_open();
}

static aic_context *context_of(aic_core core, const char *cache)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context;
    options.isa = lowest()->name;
    options.machine = aic_core_name(core);
    options.cache = cache;
    options.cache_dir = disk_folder;
    ck_assert_msg(aic_context_create(&options, &context) == AIC_OK, "%s", aic_last_error());
    return context;
}

/* ---- ways to ask a context ---- */

static bool explains(aic_context *context, aic_core core, int s)
{
    aic_explanation e = aic_explanation_init();
    char line[TEXT_MAX];
    snprintf(line, sizeof line, "\nmachine: %s (%s)\n", aic_core_name(core), aic_core_describe(core));
    if (aic_explain(context, &specs[s], NULL, NULL, &e) != AIC_OK) {
        return false;
    }
    const bool right = strcmp(e.schedule, expected[core][s].schedule) == 0 && strstr(e.text, line) != NULL;
    aic_free(e.text);
    return right;
}

static bool dumps(aic_context *context, aic_core core, int s)
{
    char *plan, *ir, name[TEXT_MAX];
    size_t size;
    snprintf(name, sizeof name, "@%s(", expected[core][s].symbol);
    if (aic_dump(context, &specs[s], NULL, AIC_DUMP_PLAN, NULL, NULL, &plan, &size) != AIC_OK) {
        return false;
    }
    bool right = strcmp(plan, expected[core][s].schedule) == 0;
    aic_free(plan);
    if (aic_dump(context, &specs[s], NULL, AIC_DUMP_IR, NULL, NULL, &ir, &size) != AIC_OK) {
        return false;
    }
    right = right && strstr(ir, name) != NULL && strstr(ir, expected[core][s].schedule) != NULL;
    aic_free(ir);
    return right;
}

static bool predicts(aic_context *context, aic_core core, int s)
{
    aic_prediction usual = aic_prediction_init(), second = aic_prediction_init();
    char text[AIC_SCHEDULE_TEXT_MAX];
    return aic_schedule_predict(context, &specs[s], NULL, &usual) == AIC_OK &&
           strcmp(usual.schedule, expected[core][s].schedule) == 0 &&
           aic_schedule_candidate(context, &specs[s], 1, text, sizeof text) == AIC_OK &&
           strcmp(text, expected[core][s].second) == 0 &&
           aic_schedule_predict(context, &specs[s], text, &second) == AIC_OK && second.cost >= usual.cost;
}

static bool compiles(aic_context *context, aic_core core, int s)
{
    aic_kernel *kernel;
    aic_kernel_info info = aic_kernel_info_init();
    if (aic_kernel_create(context, &specs[s], NULL, &kernel) != AIC_OK) {
        return false;
    }
    const bool right = aic_kernel_get_info(kernel, &info) == AIC_OK &&
                       strcmp(info.schedule, expected[core][s].schedule) == 0 &&
                       strcmp(info.name, expected[core][s].symbol) == 0;
    aic_kernel_destroy(kernel);
    return right;
}

static bool exports(aic_context *context, aic_core core, int s)
{
    aic_export_kernel kernel = aic_export_kernel_init();
    kernel.spec = &specs[s];
    kernel.name = "kernel";
    aic_exported made = aic_exported_init();
    if (aic_export(context, &kernel, 1, NULL, NULL, &made) != AIC_OK) {
        return false;
    }
    const bool right = strstr(made.header, expected[core][s].schedule) != NULL;
    aic_exported_destroy(&made);
    return right;
}

static bool tunes(aic_context *context, aic_core core, int s)
{
    aic_tune_options options = aic_tune_options_init();
    aic_tune_result result = aic_tune_result_init();
    bool right = true;
    size_t defaults = 0;
    options.budget = 0; /* nothing is measured */
    options.db = "";
    if (aic_tune(context, &specs[s], &options, &result) != AIC_OK) {
        return false;
    }
    for (size_t i = 0; i < result.count; i++) {
        defaults += result.candidate[i].is_default;
        right =
            right && (!result.candidate[i].is_default || strcmp(result.schedule, result.candidate[i].schedule) == 0);
    }
    right = right && defaults == 1 && strcmp(result.schedule, expected[core][s].schedule) == 0;
    aic_tune_result_destroy(&result);
    return right;
}

static const struct {
    const char *name;
    bool (*ask)(aic_context *context, aic_core core, int s);
} WAYS[] = {
    {"explain", explains}, {"dump", dumps},     {"predict", predicts},
    {"kernel", compiles},  {"export", exports}, {"tune", tunes},
};
enum { WAY_COUNT = sizeof WAYS / sizeof WAYS[0] };

/* The name of a way in which the context does not answer for this type of core, or NULL. */
static const char *wrong_way(aic_context *context, aic_core core)
{
    for (int i = 0; i < WAY_COUNT * SPECS; i++) {
        if (!WAYS[i / SPECS].ask(context, core, i % SPECS)) {
            return WAYS[i / SPECS].name;
        }
    }
    return NULL;
}

static void check(aic_context *context, aic_core core)
{
    const char *way = wrong_way(context, core);
    ck_assert_msg(way == NULL, "%s of a context for %s", way, aic_core_name(core));
    ck_assert_str_eq(aic_context_machine(context, NULL), aic_core_name(core));
}

/* ---- tests ---- */

/* What the other tests rely on: no two types of core have the same facts, so each has identities of its own, and some
 * schedule of each pair differs, unless all are claimed to have the same caches (tests/claims.h). */
START_TEST(cores_differ)
{
    const bool same_caches = getenv("AIC_CLAIM_CACHES") != NULL;
    for (aic_core a = 0; a < AIC_CORES; a++) {
        for (aic_core b = 0; b < a; b++) {
            int schedules = 0;
            for (int s = 0; s < SPECS; s++) {
                ck_assert_str_ne(expected[a][s].symbol, expected[b][s].symbol);
                schedules += strcmp(expected[a][s].schedule, expected[b][s].schedule) != 0;
            }
            ck_assert_msg(schedules > 0 || same_caches, "%s and %s", aic_core_name(a), aic_core_name(b));
        }
    }
}
END_TEST

/* Two contexts, every pair in both orders: the first is asked before the second is made, then they alternate. */
START_TEST(two_contexts)
{
    const aic_core first = _i / AIC_CORES, second = _i % AIC_CORES;
    aic_context *a = context_of(first, "off");
    ck_assert(explains(a, first, 0) && compiles(a, first, 0));
    aic_context *b = context_of(second, "off");
    for (int i = 0; i < SPECS; i++) {
        ck_assert(compiles(b, second, i) && compiles(a, first, i));
        ck_assert(explains(a, first, i) && explains(b, second, i));
    }
    if (first - second == 1 || second - first == 1) {
        check(b, second);
        check(a, first);
    }
    ck_assert_uint_eq(disk_stats(a).compiles, SPECS);
    ck_assert_uint_eq(disk_stats(b).compiles, SPECS);
    aic_context_destroy(b);
    ck_assert(explains(a, first, 0));
    aic_context_destroy(a);
}
END_TEST

/* One folder: a kernel for each type of core, each found again by contexts for it and by no others. */
START_TEST(disk_cache)
{
    for (int round = 0; round < 2; round++) {
        for (aic_core core = 0; core < AIC_CORES; core++) {
            aic_context *context = context_of(core, "rw");
            for (int s = 0; s < SPECS; s++) {
                ck_assert(compiles(context, core, s));
            }
            const aic_cache_stats stats = disk_stats(context);
            ck_assert_uint_eq(stats.compiles, round == 0 ? SPECS : 0);
            ck_assert_uint_eq(stats.stores, round == 0 ? SPECS : 0);
            ck_assert_uint_eq(stats.loads, round == 0 ? 0 : SPECS);
            aic_context_destroy(context);
        }
    }
    ck_assert_uint_eq(disk_info().files, AIC_CORES * SPECS);
}
END_TEST

typedef struct asker {
    pthread_t thread;
    pthread_barrier_t *start;
    aic_core core;
    aic_context *shared[AIC_CORES]; /* contexts of all askers */
    const char *wrong;
} asker;

/* Asks a context of its own, and then the others'. */
static void *ask(void *argument)
{
    asker *a = argument;
    aic_context_options options = aic_context_options_init();
    aic_context *own;
    options.isa = lowest()->name;
    options.machine = aic_core_name(a->core);
    options.cache = "off";
    pthread_barrier_wait(a->start);
    if (aic_context_create(&options, &own) != AIC_OK) {
        a->wrong = "aic_context_create";
        return NULL;
    }
    a->wrong = wrong_way(own, a->core);
    for (int i = 0; i < AIC_CORES && a->wrong == NULL; i++) {
        const aic_core core = (a->core + i) % AIC_CORES;
        a->wrong = wrong_way(a->shared[core], core);
    }
    aic_context_destroy(own);
    return NULL;
}

START_TEST(threads)
{
    asker askers[AIC_CORES];
    pthread_barrier_t start;
    aic_context *shared[AIC_CORES];
    ck_assert_int_eq(pthread_barrier_init(&start, NULL, AIC_CORES), 0);
    for (aic_core core = 0; core < AIC_CORES; core++) {
        shared[core] = context_of(core, "off");
    }
    for (aic_core core = 0; core < AIC_CORES; core++) {
        askers[core] = (asker){.start = &start, .core = core};
        memcpy(askers[core].shared, shared, sizeof shared);
        ck_assert_int_eq(pthread_create(&askers[core].thread, NULL, ask, &askers[core]), 0);
    }
    for (aic_core core = 0; core < AIC_CORES; core++) {
        ck_assert_int_eq(pthread_join(askers[core].thread, NULL), 0);
        ck_assert_msg(askers[core].wrong == NULL, "%s beside others, for %s", askers[core].wrong, aic_core_name(core));
    }
    for (aic_core core = 0; core < AIC_CORES; core++) {
        aic_context_destroy(shared[core]);
    }
    pthread_barrier_destroy(&start);
}
END_TEST

/* A record that was made with the schedules of one type of core applies to contexts for it only. */
START_TEST(tuning_records)
{
    tune_folder folder;
    tune_folder_open(&folder);
    for (aic_core core = 0; core < AIC_CORES; core++) {
        const aic_problem problem = {&canonical[0], &semantics, lowest(), aic_machine_of(core)};
        const aic_tune_time fast = {10, 9, 11}, slow = {20, 19, 21};
        aic_tune_record record;
        char *key;
        ck_assert_int_eq(aic_tune_key(&problem, NULL, &key), AIC_OK);
        ck_assert_int_eq(
            aic_tune_record_make(key, AIC_TUNE_EFFORT_MEASURE, expected[core][0].second, &fast, &slow, &record),
            AIC_OK);
        free(key);
        tune_put(folder.file, record);
    }
    for (aic_core core = 0; core < AIC_CORES; core++) {
        aic_context_options options = aic_context_options_init();
        aic_context *context;
        aic_tuning_info info = aic_tuning_info_init();
        aic_explanation e = aic_explanation_init();
        options.isa = lowest()->name;
        options.machine = aic_core_name(core);
        options.tuning_db = folder.file;
        ck_assert_int_eq(aic_context_create(&options, &context), AIC_OK);
        ck_assert_int_eq(aic_context_tuning(context, &info), AIC_OK);
        ck_assert_uint_eq(info.records, AIC_CORES);
        ck_assert_uint_eq(info.usable, 1);
        ck_assert_int_eq(aic_explain(context, &specs[0], NULL, NULL, &e), AIC_OK);
        ck_assert_str_eq(e.origin, "tuned");
        ck_assert_str_eq(e.schedule, expected[core][0].second);
        aic_free(e.text);
        aic_context_destroy(context);
    }
    tune_folder_close(&folder);
}
END_TEST

/* ---- the option ---- */

static aic_context *context_by(const char *option, const char *environment)
{
    aic_context_options options = aic_context_options_init();
    aic_context *context = NULL;
    options.machine = option;
    ck_assert_int_eq(environment != NULL ? setenv("AIC_MACHINE", environment, 1) : unsetenv("AIC_MACHINE"), 0);
    const aic_status status = aic_context_create(&options, &context);
    ck_assert_int_eq(status, context != NULL ? AIC_OK : AIC_INVALID_ARGUMENT);
    return context;
}

/* Without a name it is the host's; the environment names one, the option another one, whatever the environment says. */
START_TEST(who_chooses)
{
    const char *const host = aic_core_name(aic_host_this()->core);
    for (aic_core core = 0; core < AIC_CORES; core++) {
        const char *name = aic_core_name(core), *other = aic_core_name((core + 1) % AIC_CORES);
        const struct {
            const char *option, *environment, *expected;
        } rows[] = {{NULL, NULL, host}, {NULL, "", host},    {NULL, name, name},
                    {name, NULL, name}, {name, other, name}, {name, "pentium", name}};
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            bool chosen = rows[i].expected != host;
            aic_context *context = context_by(rows[i].option, rows[i].environment);
            ck_assert_ptr_nonnull(context);
            ck_assert_str_eq(aic_context_machine(context, &chosen), rows[i].expected);
            ck_assert_int_eq(chosen, i >= 2);
            ck_assert_int_eq(setenv("AIC_MACHINE", other, 1), 0); /* comes too late */
            ck_assert_str_eq(aic_context_machine(context, NULL), rows[i].expected);
            aic_context_destroy(context);
        }
    }
}
END_TEST

START_TEST(unknown_names)
{
    const char types[] = "is no type of core; types: zen4, zen5, skylake-avx512, golden-cove";
    const struct {
        const char *option, *environment, *name;
    } rows[] = {{NULL, "pentium", "AIC_MACHINE: \"pentium\""},
                {"pentium", NULL, "machine: \"pentium\""},
                {"", NULL, "machine: \"\""},
                {"zen", "zen4", "machine: \"zen\""},
                {"Zen4", NULL, "machine: \"Zen4\""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char message[TEXT_MAX];
        snprintf(message, sizeof message, "%s %s", rows[i].name, types);
        ck_assert_ptr_null(context_by(rows[i].option, rows[i].environment));
        ck_assert_str_eq(aic_last_error(), message);
    }
}
END_TEST

/* The default context is one like others: those that are made before it and after it leave it alone. */
START_TEST(default_context)
{
    const aic_core named = AIC_CORE_SKYLAKE, other = AIC_CORE_GOLDEN_COVE;
    bool chosen = false;
    aic_context_destroy(context_by(aic_core_name(other), NULL));
    ck_assert_int_eq(setenv("AIC_MACHINE", aic_core_name(named), 1), 0);
    ck_assert_str_eq(aic_context_machine(NULL, &chosen), aic_core_name(named));
    ck_assert(chosen);
    aic_context *later = context_by(NULL, aic_core_name(other));
    ck_assert_str_eq(aic_context_machine(later, NULL), aic_core_name(other));
    ck_assert_str_eq(aic_context_machine(NULL, NULL), aic_core_name(named));
    aic_context_destroy(later);
}
END_TEST

Suite *suite_machines(void)
{
    Suite *suite = suite_create("machines");
    TCase *cases = tcase_create("contexts"), *options = tcase_create("options");
    tcase_set_timeout(cases, 120); /* sanitizers are slow */
    tcase_add_checked_fixture(cases, set_up, disk_close);
    tcase_add_test(cases, cores_differ);
    tcase_add_loop_test(cases, two_contexts, 0, AIC_CORES * AIC_CORES);
    tcase_add_test(cases, disk_cache);
    tcase_add_test(cases, threads);
    tcase_add_test(cases, tuning_records);
    tcase_add_test(options, who_chooses);
    tcase_add_test(options, unknown_names);
    tcase_add_test(options, default_context);
    suite_add_tcase(suite, cases);
    suite_add_tcase(suite, options);
    return suite;
}
